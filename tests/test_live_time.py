"""Time of live machines: any moment found again to the bit, branches, edits undone from now on and back to then."""

from __future__ import annotations

import numpy as np
import pytest

import jourdain as jd
from jourdain.files.gallery import path
from jourdain.live.timeline import state_hash
from live_machines import PIN_C, busy, lively


def test_any_moment_is_found_again_to_the_bit() -> None:
    live, _ = busy(1)
    engine = live._engine
    hashes = dict(engine.timeline.hashes)
    assert len(hashes) >= 5
    rng = np.random.default_rng(2)
    first = {}
    for n in rng.integers(0, engine.timeline.end, 30):
        engine.seek(int(n))
        first[int(n)] = state_hash(engine.structure)
    for n in [*hashes, *first]:
        engine.seek(n)
        assert state_hash(engine.structure) == {**first, **hashes}[n]
    assert live.branch == "main" and list(live.branches) == ["main"]


def test_going_on_in_the_past_opens_a_branch_and_the_future_stays() -> None:
    live, run = busy(4)
    end, now = live.t, live["crank.angle"]
    live.snapshot("end")
    live.seek(2.0)
    assert live.t == pytest.approx(2.0)
    run(0.5)
    assert live.branch == "branch 1" and live.branches["main"].end == pytest.approx(end)
    assert live.branches["branch 1"].since == pytest.approx(2.0)
    live.take("main")
    assert live["crank.angle"] == now
    live.take("branch 1")
    live.seek("end")
    assert live.branch == "main" and live["crank.angle"] == now
    back = live.step(-1)
    assert back.n == live.n and live.t < end
    with pytest.raises(jd.ChoiceError, match="no branch"):
        live.take("nothing")


def test_an_edit_is_undone_from_now_on_or_back_to_then() -> None:
    live, run = lively(path("four_bar"))
    run(1.0)
    at, angle = live.t, live["crank.angle"]
    live.apply({"do": "remove", "part": "joints.C"})
    run(0.5)
    assert live.undo(back=True) and live.t == at and live["crank.angle"] == angle
    assert live.document.blueprint.joint("C")
    live.take("main")
    assert len(live.document.blueprint.joints) == 3
    assert live.undo() and len(live.document.blueprint.joints) == 4 and live.t > at
    run(0.5)
    assert live["violation.position"] < 4e-12
    assert live.redo() and len(live.document.blueprint.joints) == 3
    assert not live.redo()


def test_history_is_thinned_and_bounded() -> None:
    live, _ = lively(path("pendulum"), history=20.0)
    for _ in range(8):
        live._engine.advance(10_000)
    marks = live._engine.timeline.marks
    assert 60.0 - 1.0 <= marks[0].t <= 60.0 + 1.0 and len(marks) < 80
    assert live._engine.timeline.size < 500_000
    live.seek(0.0)
    assert live.t == marks[0].t


def test_a_slider_and_going_back_to_before_it() -> None:
    live, run = lively(path("four_bar"))
    run(0.5)
    for value in (210, 220.5, 230):
        assert live.apply({"do": "set", "number": "k", "value": value})
        run(0.1)
    assert live.document.blueprint.parameters["k"] == 230 and "k: 230}" in live.document.text
    angle, total = live["crank.angle"], live["energy.total"]
    end = live.n
    live.seek(0.65)
    assert live.document.blueprint.parameters["k"] == 220.5
    live._engine.seek(end)
    assert live["crank.angle"] == angle and live["energy.total"] == total and "k: 230}" in live.document.text
    assert live.undo(back=True) and live.document.blueprint.parameters["k"] == 220.5
    for _ in range(2):
        assert live.undo()
    assert live.document.text == path("four_bar").read_text(encoding="utf-8")


def test_a_solution_of_what_happened() -> None:
    live, run = lively(path("four_bar"))
    run(1.0)
    live.apply({"do": "set", "number": "k", "value": 300})
    run(0.5)
    part = live.solution(0.2, 1.2)
    assert part.t[0] == pytest.approx(0.2) and part.t[-1] == pytest.approx(1.2) and live.t == pytest.approx(1.5)
    live.apply({"do": "remove", "part": "joints.C"})
    run(0.5)
    assert "left out" in live.solution().status.notes[0]


def test_edits_of_one_moment_are_gone_back_one_by_one() -> None:
    """Paused, all edits are of one step; an impulse among them is gone with its edit, which undo from now on keeps."""
    live, run = lively(path("four_bar"))
    run(0.7)
    states = [live._engine.structure.session.y.copy()]
    edits = [
        {"do": "set", "number": "k", "value": 300},
        {"do": "set", "number": "k", "value": 310},
        {"do": "remove", "part": "joints.C"},
        {"do": "move", "part": "ground.points.D", "to": [6.1, 0.0]},
        {"do": "insert", "part": "joints.C", "value": {**PIN_C}, "close": "now"},
        {"do": "text", "value": "bodies: ["},
    ]
    texts = [live.document.text]
    for edit in edits:
        assert live.apply(edit), edit
        states.append(live._engine.structure.session.y.copy())
        texts.append(live.document.text)
    assert live.document.faults
    for k in reversed(range(len(edits))):
        assert live.undo(back=True), edits[k]
        assert live.document.text == texts[k] and live.n == 700
        assert np.array_equal(live._engine.structure.session.y, states[k]), edits[k]
        if k == 3:
            run(0.1)
            assert live.branch == "branch 1" and live.document.text == texts[3]
            live.take("main")
            for _ in range(3):
                live.undo(back=True)
    assert not live.undo(back=True)


def test_a_text_with_faults_is_part_of_the_past() -> None:
    live, run = lively(path("four_bar"))
    run(0.5)
    good = live.document.text
    assert live.apply({"do": "text", "value": good + "bodies: ["})
    run(0.5)
    live.seek(0.3)
    assert live.document.text == good and not live.document.faults
    live.seek(0.9)
    assert live.document.text != good and live.document.faults[0].mark.line > good.count("\n")
    assert live.undo() and live.document.text == good


def test_what_is_refused_opens_no_branch() -> None:
    live, run = lively(path("four_bar"))
    run(0.5)
    live.seek(0.2)
    assert not live.apply({"do": "insert", "part": "joints.W", "value": {"type": "weld", "between": ["a.b", "c.d"]}})
    weld = {"type": "weld", "between": ["ground.A", "crank.A"]}
    assert not live.apply({"do": "insert", "part": "joints.W", "value": weld})
    with pytest.raises(jd.ChoiceError):
        live.grab("crank.nowhere")
    assert live.branch == "main" and live.branches["main"].end == pytest.approx(0.5)


def test_a_solution_leaves_the_machine_where_it_was() -> None:
    live, run = lively(path("four_bar"))
    run(0.5)
    live.apply({"do": "set", "number": "k", "value": np.int64(300)})
    live.apply({"do": "set", "number": "crank.mass", "value": np.float64(4)})
    live.undo(back=True)
    here, y = live._engine.here, live._engine.structure.session.y.copy()
    assert live.solution().t[-1] == pytest.approx(0.5)
    assert live._engine.here == here and np.array_equal(live._engine.structure.session.y, y)
