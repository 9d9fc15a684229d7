"""Time of live machines: any moment found again to the bit, branches, edits undone from now on and back to then."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jourdain as jd
from jourdain.files.gallery import path
from jourdain.live.past_samples import joined
from jourdain.live.timeline import state_hash
from live_machines import PIN_C, busy, lively


def test_any_moment_is_found_again_to_the_bit() -> None:
    live, _ = busy(1)
    engine = live._engine
    hashes = dict(engine.timeline.hashes)
    assert len(hashes) >= 3
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
    live, run = busy(2)
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


def test_the_whole_past_as_one_table(tmp_path: Path) -> None:
    """Every sample as it was seen at its time: with the hands, the numbers and the parts of then."""
    live, run = lively(path("four_bar"))
    seen: dict[float, tuple[float, float, float]] = {}

    def look(now: float) -> None:
        power = live["@1.power"] if live.hands else np.nan
        seen[round(live.t, 9)] = (live["energy.total"], live["C.fx"] if "C" in names() else np.nan, power)

    def names() -> list[str]:
        return [joint.name for joint in live.document.blueprint.joints]

    run(0.2, look)
    hand = live.grab("coupler.C")
    aim = live[["coupler.C.x", "coupler.C.y"]]
    run(0.2, lambda now: (look(now), hand.move(aim + 0.3 * np.sin(9 * now)))[1])
    hand.release()
    run(0.1, look)
    live.apply({"do": "set", "number": "crank.mass", "value": 4})
    run(0.1, look)
    live.apply({"do": "remove", "part": "joints.C"})
    body = {"mass": "2 kg", "inertia": 0.1, "position": [1, 1]}
    live.apply({"do": "insert", "part": "bodies.tool", "value": body})
    run(0.2, look)
    live.apply({"do": "remove", "part": "bodies.tool"})
    run(0.1, look)
    here, y = live._engine.here, live._engine.structure.session.y.copy()
    table = live.history(every=1e-3)
    assert live._engine.here == here and np.array_equal(live._engine.structure.session.y, y)
    changes = {0.2, 0.4, 0.5, 0.6, 0.8}
    for k, t in enumerate(table.t):
        if (now := round(float(t), 9)) in seen and now not in changes:
            found = (table["energy.total"][k], table["C.fx"][k], table["@1.power"][k])
            assert np.allclose(found, seen[now], rtol=1e-9, atol=1e-9, equal_nan=True), now
    there = np.isfinite(table["tool.x"])
    assert table.t[there].min() == pytest.approx(0.6, abs=2e-3) and table.t[there].max() == pytest.approx(0.8)
    assert not any("_" in name.split(".")[0][:1] for name in table.channels)
    assert len(live.pieces()) >= 5 and len(live.solution().t) == len(live.pieces()[-1].t)
    table.save(tmp_path / "a.csv")
    assert np.isnan(jd.load_results(tmp_path / "a.csv")["tool.x"][0])
    held = joined(live._pieces(None, None, 0.02), held=True)
    assert np.all(np.isfinite(held["tool.x"])) and {body.name for body in held.blueprint.bodies} >= {"tool", "crank"}
    assert held["tool.vx"][-1] == held["tool.vy"][-1] == 0.0  # it stands where it was taken away
    held.animate(tmp_path / "a.html")
    with pytest.raises(jd.ChoiceError, match="before the start"):
        live.history(0.5, 0.2)


@pytest.mark.parametrize("name", ["four_bar", "spatial_four_bar"])
def test_sessions_are_put_away_and_made_again_with_the_same_bits(name: str) -> None:
    live, run = lively(path(name))
    engine, rng = live._engine, np.random.default_rng(3)
    body = live.document.blueprint.bodies[-1]
    point = f"{body.name}.{next(iter(body.ports))}"
    force = {"type": "force", "on": point, "vector": ["1", *("0",) * (live.document.blueprint.dim - 1)]}
    first: dict[int, str] = {}
    for k in range(6):
        run(0.9)
        hand = live.grab(point)
        base = live[[f"{point}.{c}" for c in "xyz"[: live.document.blueprint.dim]]]
        run(0.5, lambda now, hand=hand, base=base: hand.move(base + 0.1 * np.sin(5 * now)))
        hand.release()
        live.apply({"do": "insert", "part": f"forces.f{k}", "value": force})
        live.apply({"do": "set", "number": f"{body.name}.mass", "value": 1 + 0.1 * k})
        run(0.6)
        first[live.n] = state_hash(engine.structure)
        run(0.2)
    run(8.0)
    runs = {id(mark.structure.run): mark.structure.run for mark in engine.timeline.marks}
    away = [one for one in runs.values() if one._session is None]
    assert len(runs) >= 18 and len(away) >= len(runs) - 8
    hashes = {**engine.timeline.hashes, **first}
    for n in rng.permutation(list(hashes)):
        engine.seek(int(n))
        assert state_hash(engine.structure) == hashes[int(n)]
