"""Recordings of live machines: repeated to the bit, cut off, damaged, hostile; the terminal and the notebook."""

from __future__ import annotations

import io
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jourdain as jd
from jourdain.cli.main import main
from jourdain.files.gallery import path
from jourdain.live.recording import HEAD, MAGIC, read_recording
from live_machines import busy, lively


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("live") / "a.jdlive"
    live, run = busy(7, 4.0)
    live.record(target)
    live.seek(1.0)
    run(1.0)
    live.close()
    return target


def test_a_recording_is_repeated_to_the_bit(recording: Path) -> None:
    replay = jd.Replay.open(recording)
    replay.run()
    assert replay.sentence.startswith("repeated to the bit") and replay.checked >= 4
    assert set(replay.engine.timelines) == {"main", "branch 1"}


def test_going_back_is_repeated_wherever_one_goes(tmp_path: Path) -> None:
    """Also to the very step of an edit, to a snapshot behind one, and by branches, before a second was over."""
    target = tmp_path / "back.jdlive"
    live, run = lively(path("four_bar"))
    live.record(target)
    run(0.2)
    live.apply({"do": "choose", "step": "0.5 ms"})
    live.snapshot("edited")
    run(0.2)
    live.seek(0.2)  # before the edit
    run(0.1)
    live.seek("edited")
    assert live._engine.structure.grid.h == 5e-4
    run(0.1)
    live.take("branch 1")
    assert live._engine.structure.grid.h == 1e-3
    run(2.0)
    end = live["crank.angle"]
    live.close()
    replay = jd.Replay.open(target)
    engine = replay.run()
    assert replay.checked >= 2 and not replay.diverged, replay.sentence
    assert engine.structure.session["crank.angle"] == end and set(engine.timelines) == set(live.branches)


def test_a_recording_that_was_cut_off_is_read_up_to_its_last_record(recording: Path, tmp_path: Path) -> None:
    content, cut = recording.read_bytes(), tmp_path / "cut.jdlive"
    cut.write_bytes(content[: len(content) * 2 // 3])
    replay = jd.Replay.open(cut)
    replay.run()
    assert "cut off" in replay.sentence and not replay.diverged


def test_another_state_is_found_out(recording: Path, tmp_path: Path) -> None:
    read = read_recording(recording)
    other = tmp_path / "other.jdlive"
    records = [{**read.begin, "text": read.begin["text"].replace("k: 200", "k: 201")}, *read.commands]
    packed = [json.dumps(record).encode() for record in records]
    other.write_bytes(MAGIC + b"".join(HEAD.pack(len(p), zlib.crc32(p)) + p for p in packed))
    replay = jd.Replay.open(other)
    try:
        replay.run()
        assert replay.diverged.startswith("at step 1000")
    except jd.RecordingError as error:
        assert "cannot be repeated" in str(error)


def test_damaged_recordings_get_a_sentence(recording: Path, tmp_path: Path) -> None:
    content, rng, refused = recording.read_bytes(), np.random.default_rng(5), 0
    file = tmp_path / "damaged.jdlive"
    for k in range(60):
        damaged = bytearray(content)
        for place in rng.integers(0, min(len(content), 4000 if k % 2 else len(content)), 1 + k % 3):
            damaged[place] ^= int(rng.integers(1, 256))
        file.write_bytes(bytes(damaged))
        try:
            jd.Replay.open(file)
        except jd.RecordingError as error:
            refused += 1
            assert str(error)
    assert refused > 50
    for wrong in (b"", b"JDLIVE", content[:12]):
        file.write_bytes(wrong)
        with pytest.raises(jd.RecordingError):
            jd.Replay.open(file)


def test_the_notebook_runs_cell_by_cell(capsys: pytest.CaptureFixture[str]) -> None:
    notebook = json.loads((Path(__file__).parent.parent / "docs" / "live.ipynb").read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    printed = capsys.readouterr().out
    assert "C closes within 0.3 s" in printed and "branch 1" in printed


def test_the_terminal_takes_words_and_repeats_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pipe: operations, hands, time; what is wrong gets a sentence and the code 1."""
    target = str(tmp_path / "a.jdlive")
    words = ["wait 0.2", "{do: set, number: k, value: 300 N/m}", "grab crank.B", "move 1 2 -3", "wait 0.2", "release 1"]
    words += [
        "{do: remove, part: joints.C}",
        "wait 0.2",
        "undo",
        "wait 0.1",
        "seek 0.3",
        "play",
        "wait 0.1",
        "branches",
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(words)))
    assert main(["live", "four_bar", "--no-wait", "--record", target]) == 0
    printed = capsys.readouterr().out
    assert "branch 1: 0 to 0.4 s from main at 0.3 s" in printed and "gap" in printed
    assert main(["replay", target, "--verify", "-o", str(tmp_path / "a.csv")]) == 0
    assert "repeated to the bit" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO("fly\nshow nothing.x\n{do: jump}\nstep x\ngrab a.b\nhelp\nquit\n"))
    assert main(["live", "four_bar", "--no-wait", "--quiet"]) == 1
    printed = capsys.readouterr().out
    for words_ in ("no word of this", "no channel", "no operation 'jump'", "cannot be understood", "no body 'a'"):
        assert words_ in printed


def test_hostile_recordings_are_refused(recording: Path, tmp_path: Path) -> None:
    """Whole records with a right checksum that say what cannot be."""
    read = read_recording(recording)
    hostile = [
        [{**read.begin, "choices": {"integrator": ["rk4"]}}],
        [{**read.begin, "choices": {"__class__": 1}}],
        [{**read.begin, "step": float("nan")}],
        [{**read.begin, "text": "jourdain: 1\n"}],
        [{**read.begin, "version": 99}],
        [read.begin, {"do": "steer", "n": 0, "numbers": {"no_such": 1.0}}],
        [read.begin, {"do": "steer", "n": 0, "numbers": {"k": "much"}}],
        [read.begin, {"do": "grab", "n": 0, "body": "crank", "point": "B", "at": [1], "directions": [[1]]}],
        [read.begin, {"do": "seek", "n": 1.5}],
        [read.begin, {"do": "take", "n": 0, "branch": "nowhere"}],
        [read.begin, {"do": "import os", "n": 0}],
        [{"do": "end", "n": 0}],
    ]
    file = tmp_path / "hostile.jdlive"
    for records in hostile:
        packed = [json.dumps(record).encode() for record in records]
        file.write_bytes(MAGIC + b"".join(HEAD.pack(len(p), zlib.crc32(p)) + p for p in packed))
        with pytest.raises(jd.RecordingError):
            jd.Replay.open(file).run()
