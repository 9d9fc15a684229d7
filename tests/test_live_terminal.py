"""`jourdain live` at the other end of a pipe, and frames whose energy is out of balance."""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np
import pytest

from jourdain.cli.live_command import Lines
from jourdain.cli.main import main
from jourdain.files.gallery import path
from jourdain.live.engine import FINEST
from jourdain.live.timeline import state_hash
from jourdain.mechanism.errors import JourdainError
from live_machines import lively


def test_a_pipe_is_read_line_by_line_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has to close it first."""
    read, write = os.pipe()
    with os.fdopen(read) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        lines = Lines(patient=True)
        os.write(write, b"one\ntw")
        assert lines.take() == "one"
        os.write(write, b"o\nlast")
        assert lines.take() == "two" and not lines.ended
        os.close(write)
        assert lines.take() == "last" and lines.take() is None and lines.ended


def test_who_does_not_wait_gets_nothing_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    with os.fdopen(read) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        lines = Lines(patient=False)
        assert lines.take() is None and not lines.ended
        os.close(write)


def test_a_machine_that_stands_ends_with_its_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where a duration is given that it never reaches; waiting for a machine that stands is refused."""
    monkeypatch.setattr("sys.stdin", io.StringIO("wait 0.1\npause\nwait 1\n"))
    assert main(["live", "four_bar", "--no-wait", "--duration", "3"]) == 1
    assert "play lets it go on" in capsys.readouterr().out
    assert main(["live", "four_bar", "--no-wait", "--step", "0"]) == 2
    assert "step" in capsys.readouterr().err


def test_what_was_saved_can_be_saved_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """After edits, undone ones and back in time too; but not over what somebody else wrote into the file."""
    file = tmp_path / "mine.yaml"
    file.write_text(Path(path("four_bar")).read_text())
    words = ["{do: set, number: k, value: 300}", "save", "{do: set, number: crank.mass, value: 3}", "save"]
    words += ["wait 0.2", "undo", "save", "seek 0", "save", "play", "wait 0.1", "save"]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(words)))
    assert main(["live", str(file), "--no-wait"]) == 0
    assert capsys.readouterr().out.count(f"saved {file}") == 5
    words = [
        "{do: choose, integrator: generalized-alpha}",
        "undo back",
        f"save {file} over",
        f"save {tmp_path / 'x.yaml'}",
    ]
    file.write_text(Path(path("four_bar")).read_text() + "# somebody else\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join([*words, f"save {file}", f"save {file} over"])))
    assert main(["live", str(file), "--no-wait"]) == 1
    said = capsys.readouterr().out
    assert "integrator generalized-alpha, step 0.001" in said and "back at t = 0 s" in said
    assert "there already" in said and said.count(f"saved {file}") == 2

    live, run = lively(file)
    live.apply({"do": "set", "number": "k", "value": 310})
    other = tmp_path / "other.yaml"
    assert live.save(other) == other and "310" in other.read_text()
    live.apply({"do": "set", "number": "k", "value": 320})
    assert live.document.save() == other and "320" in other.read_text()
    other.write_text("jourdain: 1\n")
    with pytest.raises(JourdainError, match="changed on disk"):
        live.save()
    live.save(overwrite=True)
    run(0.1)
    live.save()
    mine, yours = live.document.copy(), live.document.copy()
    mine.save()
    yours.apply({"do": "set", "number": "k", "value": 330})
    yours.save()
    mine.apply({"do": "set", "number": "k", "value": 340})
    with pytest.raises(JourdainError, match="changed on disk"):
        mine.save()


def test_frames_out_of_balance_are_made_again() -> None:
    """Finer where that helps; with weaker hands where nothing does, and what is left is told."""
    live, run = lively(path("four_bar"))
    run(0.2)
    hand = live.grab("coupler.C")
    base = live[["coupler.C.x", "coupler.C.y"]]
    run(0.3, lambda now: hand.move(base + 0.2 * np.sin(9 * now)))
    engine = live._engine
    parts = engine.parts
    assert engine.go(16, live._aims(0.0, 1.0), lambda: 0.0 if engine.parts > parts else 1e-3)
    assert engine.parts == min(FINEST, 4 * parts) and f"divided by {engine.parts}" in live.notes[-1]
    n = engine.n
    assert engine.go(16, live._aims(0.0, 1.0), lambda: 1.0) and engine.n == n + 16
    assert any("a part of their force" in note for note in live.notes)
    assert any("out of balance by 100.0%" in note for note in live.notes)
    end, found = engine.n, state_hash(engine.structure)
    engine.seek(n - 100)
    engine.seek(end)
    assert state_hash(engine.structure) == found
    engine.seek(n)
    assert engine.go(16, None, lambda: 1.0) and live.branch == "branch 1"  # without hands nothing can be weakened
