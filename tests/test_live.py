"""jd.live: hands, structure and time of a machine that runs, with a clock that the test turns."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import jourdain as jd
from jourdain.engine import cold_start
from jourdain.files.gallery import path
from jourdain.live.beginning import begin
from jourdain.live.hands import Grip, Hold, directions, inverse
from jourdain.live.pace import Pace
from live_machines import FRAME, PIN_C, Clock, lively


def free_body() -> jd.Mechanism:
    m = jd.Mechanism("free", gravity=(0, 0))
    m.body("a", mass=1, inertia=0.1, position=(0, 0), velocity=(0, 0), spin=0, points={"P": (0, 0)})
    return m


def double_pendulum() -> jd.Mechanism:
    m = jd.Mechanism("double", gravity=(0, -9.81))
    points = {"A": (-0.25, 0), "B": (0.25, 0)}
    one = m.body("one", mass=1, inertia=0.02, position=(0.25, 0), angle=0, points=points)
    two = m.body("two", mass=1, inertia=0.02, position=(0.5, -0.25), angle=-np.pi / 2, points=points)
    m.revolute("O", m.ground.point("O", (0, 0)), one["A"])
    m.revolute("J", one["B"], two["A"])
    return m


# Hands ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("make", "point"), [(free_body, "a.P"), (double_pendulum, "two.B")])
def test_a_hand_that_circles_is_followed_within_two_percent(make: Any, point: str) -> None:
    live, run = lively(make(), step=1e-3)
    hand = live.grab(point)
    start = live[[f"{point}.x", f"{point}.y"]]
    radius, errors = 0.2, []

    def aim(now: float) -> np.ndarray:
        grown = radius * min(1.0, now) ** 2
        return np.asarray(start + grown * np.array([np.cos(2 * np.pi * now), np.sin(2 * np.pi * now)]))

    def before(now: float) -> None:
        if now > 2:
            here = live[[f"{point}.x", f"{point}.y"]]
            errors.append(np.linalg.norm(here - aim(now)))
        hand.move(aim(now))

    run(4.0, before)
    assert len(errors) > 100 and max(errors) < 0.02 * radius


def test_the_mobility_is_that_of_the_dense_formula() -> None:
    """W = P (M^-1 - M^-1 J^T K^-1 J M^-1) P^T, with M and J written down by hand for a bar on a slider."""
    m = jd.Mechanism("s", gravity=(0, -9.81))
    slide = m.body("slide", mass=2, inertia=1, position=(0, 0), angle=0, points={"A": (0, 0)})
    bar = m.body("bar", mass=3, inertia=0.4, position=(0.3, 0.4), angle=0.3, points={"A": (-0.5, 0), "P": (0.2, 0.1)})
    m.prismatic("S", m.ground.point("O", (0, 0)), slide["A"])
    m.revolute("R", slide["A"], bar["A"])
    live, run = lively(m, step=1e-3)
    live.grab("bar.P")
    run(0.2)
    session = live._engine.structure.session
    hold = Hold(session, live._engine.structure.grips)
    found = hold.mobility(session.t, session.y)
    assert found is not None
    a = session["bar.angle"]
    R = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])

    def rows(at: tuple[float, float]) -> np.ndarray:
        r = R @ at
        return np.array([[1, 0, -r[1]], [0, 1, r[0]]])

    zero = np.zeros((2, 3))
    P = np.hstack([zero, rows((0.2, 0.1))])
    slider = np.array([[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]], dtype=float)
    J = np.vstack([slider, np.hstack([-np.eye(2, 3), rows((-0.5, 0))])])
    Mi = np.diag(1 / np.array([2, 2, 1, 3, 3, 0.4]))
    K = J @ Mi @ J.T
    W = P @ (Mi - Mi @ J.T @ np.linalg.solve(K, J @ Mi)) @ P.T
    assert np.allclose(found[0], W, rtol=1e-10, atol=1e-10 * W.max())
    assert hold.free_mobility(session.y) == pytest.approx(np.linalg.eigvalsh(P @ Mi @ P.T)[-1], rel=1e-12)


def test_a_blocked_direction_does_not_ask_for_a_huge_force() -> None:
    D = inverse(np.diag([1.0, 1e-9]), 1.0)
    assert D[0, 0] == pytest.approx(1.0, rel=1e-4) and D[1, 1] < 1e-3
    assert np.allclose(np.array(directions(3, (0, 0, 2), None)) @ [0, 0, 1], 0)
    assert directions(2, None, (0, 3)) == ((0.0, 1.0),)


def test_work_of_hands_is_driven_work_and_counted_once() -> None:
    live, run = lively(path("four_bar"))
    run(0.2)
    total, driven = live["energy.total"], live["energy.driven"]
    hands = [live.grab("crank.B"), live.grab("coupler.C")]
    places = [live[[f"{p}.x", f"{p}.y"]] for p in ("crank.B", "coupler.C")]
    run(1.0, lambda now: [h.move(p + 0.3 * np.sin(9 * now)) for h, p in zip(hands, places, strict=True)] and None)
    work = live["@1.work"] + live["@2.work"]
    assert abs(work) > 1 and live["energy.driven"] - driven == pytest.approx(work, rel=1e-9)
    assert abs(live["energy.total"] - total) < 1e-6 * live._balance.exchanged
    assert live["violation.position"] < 4e-10
    power = live["@1.fx"] * live["crank.B.vx"] + live["@1.fy"] * live["crank.B.vy"]
    assert live["@1.power"] == pytest.approx(power, rel=1e-9)
    hands[0].release()
    assert not hands[0] and list(live.hands) == [2]
    with pytest.raises(KeyError, match="no hand"):
        live["@1.fx"]


def test_a_line_and_a_locked_point() -> None:
    live, run = lively(free_body(), step=1e-3)
    hand = live.grab("a", at=(0.1, 0), line=(1, 0))
    run(1.0, lambda now: hand.move((0.3, 0.7)))
    assert live["@1.fy"] == 0.0 and live["a.x"] == pytest.approx(0.2, abs=0.02) and abs(live["a.y"]) < 1e-12
    driven, go = lively(path("jansen_leg"))
    body = driven.document.blueprint.bodies[0]
    held = driven.grab(f"{body.name}.{next(iter(body.ports))}")
    go(0.1, lambda now: held.move((9.0, 9.0)))
    assert any("cannot move" in note for note in driven.notes)
    for wrong in ("ground.A", "nothing.B", "a.Q"):
        with pytest.raises(jd.ChoiceError):
            live.grab(wrong)
    with pytest.raises(jd.ChoiceError, match="expected 2 numbers"):
        hand.move((1, 2, 3))


def test_dragging_a_machine_that_stands_keeps_its_joints_closed() -> None:
    live, _ = lively(path("four_bar"))
    hand = live.grab("coupler.C")
    rng = np.random.default_rng(3)
    for _ in range(20):
        hand.move(rng.uniform([3, -5], [8, 1]))
        assert live["violation.position"] < 4e-12
    assert live.t == 0.0
    hand.move((5.5, -3.7))
    assert live["energy.total"] == pytest.approx(
        live["energy.kinetic"] + live["energy.potential"] - live["energy.driven"]
    )


# Structure ------------------------------------------------------------------------------------------------------------


def test_a_cut_loses_nothing_and_a_joint_closes_by_impulse_and_ramp() -> None:
    live, run = lively(path("four_bar"))
    run(1.0)
    before = live[["crank.vx", "coupler.spin", "rocker.vy", "energy.total"]]
    assert live.apply({"do": "remove", "part": "joints.C"})
    assert np.allclose(live[["crank.vx", "coupler.spin", "rocker.vy"]], before[:3], rtol=0, atol=1e-12)
    run(0.3)
    total, kinetic = live["energy.total"], live["energy.kinetic"]
    gap = np.hypot(live["coupler.C.x"] - live["rocker.C.x"], live["coupler.C.y"] - live["rocker.C.y"])
    outcome = live.apply({"do": "insert", "part": "joints.C", "value": PIN_C})
    assert outcome and "C closes within 0.3 s" in outcome.sentence and gap > 0.01
    assert live["energy.kinetic"] == pytest.approx(kinetic - outcome.lost, rel=1e-9) and outcome.lost > 0
    run(0.1)
    assert live["violation.position"] < 4e-12
    run(0.3)
    assert live.document.blueprint.joint("C").type == "revolute"
    assert np.hypot(live["coupler.C.x"] - live["rocker.C.x"], live["coupler.C.y"] - live["rocker.C.y"]) < 4e-12
    assert live["energy.total"] == pytest.approx(total, rel=1e-9)


def test_the_impulses_of_a_joint_are_what_momentum_says() -> None:
    """Two free bodies, pinned where they touch: each changes by the impulse and its arm."""
    m = jd.Mechanism("two", gravity=(0, 0))
    m.body("a", mass=2, inertia=0.5, position=(0, 0), velocity=(1, 0.3), spin=2, angle=0, points={"P": (1, 0)})
    m.body("b", mass=3, inertia=0.7, position=(2, 0), velocity=(-1, 0), spin=-1, angle=0, points={"P": (-1, 0)})
    live, _ = lively(m, step=1e-3)
    names = ["a.vx", "a.vy", "a.spin", "b.vx", "b.vy", "b.spin", "energy.kinetic"]
    v = live[names]
    value = {"type": "revolute", "between": ["a.P", "b.P"]}
    outcome = live.apply({"do": "insert", "part": "joints.J", "value": value, "close": "now"})
    assert outcome
    w, L = live[names], np.array(outcome.impulses["J"][:2])
    assert np.allclose(3 * (w[3:5] - v[3:5]), L, rtol=1e-9) and np.allclose(2 * (w[:2] - v[:2]), -L, rtol=1e-9)
    assert 0.7 * (w[5] - v[5]) == pytest.approx(-1 * L[1], rel=1e-9)
    assert 0.5 * (w[2] - v[2]) == pytest.approx(-1 * L[1], rel=1e-9)
    assert outcome.lost == pytest.approx(v[6] - w[6], rel=1e-9)


@pytest.mark.parametrize("kind", ["weld", "revolute", "prismatic", "spherical", "universal", "cylindrical"])
def test_joints_in_space_close_from_any_attitude(kind: str) -> None:
    rng = np.random.default_rng(sum(map(ord, kind)))
    for turn in (0.4, 2.0, 3.0):
        axis = rng.normal(size=3)
        q = [np.cos(turn / 2), *(np.sin(turn / 2) * axis / np.linalg.norm(axis))]
        m = jd.Mechanism("space", gravity=(0, 0, 0))
        one = {
            "mass": 1,
            "inertia": (0.1, 0.2, 0.25),
            "points": {"P": {"at": (0.3, 0, 0), "z": (0, 0, 1), "x": (1, 0, 0)}},
        }
        m.body("a", position=(0, 0, 0), quaternion=(1, 0, 0, 0), velocity=(0, 0, 0), spin=(0.3, 0, 0.1), **one)
        m.body("b", position=(0.5, 0.8, 0.2), quaternion=q, velocity=(0, 0, 0), spin=(0, 0.2, 0), **one)
        live, run = lively(m, step=1e-3)
        outcome = live.apply({"do": "insert", "part": "joints.J", "value": {"type": kind, "between": ["a.P", "b.P"]}})
        assert outcome, outcome.sentence
        run(0.4)
        assert not live.failure and live._engine.structure.session.blueprint.joint("J").type != "custom"
        assert live["violation.position"] < 1e-11


def test_what_would_lock_the_machine_is_refused() -> None:
    live, run = lively(path("four_bar"))
    run(0.2)
    before = live.document.text
    weld = {"type": "weld", "between": ["ground.A", "crank.A"]}
    outcome = live.apply({"do": "insert", "part": "joints.W", "value": weld})
    assert not outcome and "lock" in outcome.sentence and live.document.text == before
    driven, go = lively(path("quick_return"))
    go(0.1)
    body = driven.document.blueprint.bodies[-1].name
    drive = {"type": "weld", "bodies": ["ground", body], "at": [0, 0]}
    assert not driven.apply({"do": "insert", "part": "joints.W", "value": drive})
    go(0.1)
    assert not driven.failure


def test_numbers_lengths_and_choices_while_it_runs() -> None:
    live, run = lively(path("four_bar"))
    run(0.5)
    total = live["energy.total"]
    assert (
        live.apply({"do": "set", "number": "k", "value": "400 N/m"}) and live.document.blueprint.parameters["k"] == 400
    )
    assert live.apply({"do": "set", "number": "crank.mass", "value": 4})
    moved = live.apply({"do": "set", "number": "L", "value": "3.9 m"})
    assert moved and "close within" in moved.sentence  # lengths pull, they do not jump
    run(0.5)
    assert live["violation.position"] < 4e-12 and live["energy.total"] == pytest.approx(total, rel=1e-6)
    assert np.hypot(live["crank.B.x"], live["crank.B.y"]) == pytest.approx(3.9, rel=1e-9)
    assert live.apply({"do": "choose", "integrator": "generalized-alpha", "step": "2 ms"})
    run(0.2)
    assert not live.failure and live._engine.structure.grid.h == 2e-3
    refused = live.apply({"do": "choose", "integrator": "dop853", "step": None})
    assert not refused and "equal steps" in refused.sentence


def test_bodies_and_forces_come_and_go() -> None:
    live, run = lively(path("four_bar"))
    run(0.2)
    body = {"mass": "2 kg", "inertia": 0.1, "position": [1, 1], "points": {"P": [0, 0]}}
    assert live.apply({"do": "insert", "part": "bodies.tool", "value": body})
    assert live.apply(
        {"do": "insert", "part": "joints.T", "value": {"type": "revolute", "between": ["crank.B", "tool.P"]}}
    )
    assert live.apply({"do": "insert", "part": "forces.T1", "value": {"type": "torque", "on": "tool", "torque": "5*t"}})
    run(0.6)
    assert np.hypot(live["tool.x"] - live["crank.B.x"], live["tool.y"] - live["crank.B.y"]) < 1e-10
    used = live.apply({"do": "remove", "part": "bodies.tool"})
    assert not used and "there is no body 'tool'" in used.sentence
    for part in ("joints.T", "forces.T1", "bodies.tool"):
        assert live.apply({"do": "remove", "part": part})
    run(0.1)
    assert not live.failure


# Failing and pace -----------------------------------------------------------------------------------------------------


def test_a_machine_that_fails_pauses_says_why_and_goes_on_after_undo() -> None:
    live, run = lively(path("pendulum"))
    run(0.2)
    bar = live.document.blueprint.bodies[0]
    value = {
        "type": "force",
        "on": f"{bar.name}.{next(iter(bar.ports))}",
        "vector": ["1/(0.5 - t)**2*1e6*sqrt(0.4 - t)", 0],
    }
    assert live.apply({"do": "insert", "part": "forces.bad", "value": value})
    run(0.5)
    assert not live.playing and live.failure and 0.2 < live.t < 0.5
    assert live.undo()
    run(0.2)
    assert not live.failure and live.playing


def test_a_slow_machine_slows_down_and_says_so() -> None:
    pace = Pace(1.0, FRAME)
    pace.begin(0.0)
    assert pace.steps(FRAME, 1e-3) == 16
    pace.spent(16, 16 * 2e-3)  # 2 ms a step: 70 % of a frame is five steps
    for k in range(2, 40):
        steps = pace.steps(k * FRAME, 1e-3)
        pace.spent(steps, steps * 2e-3)
    assert pace.held_back and steps == 5 and pace.actual == pytest.approx(0.3, abs=0.1)
    assert pace.steps(100.0, 1e-6) < 10  # a long wait is not made up for


def test_a_function_that_raises_pauses_the_machine() -> None:
    live, run = lively(path("pendulum"))
    told: list[str] = []
    live.on("fail", told.append)
    live.on("frame", lambda frame: 1 / 0)
    run(0.1)
    assert not live.playing and "ZeroDivisionError" in live.frame.sentence == live.failure
    assert told == [live.failure] and sum("ZeroDivisionError" in note for note in live.notes) == 1
    live._listeners["frame"].clear()
    run(0.1)
    assert live.playing and not live.failure
    with pytest.raises(jd.ChoiceError, match="no kind"):
        live.on("frames", print)


def test_a_thread_of_its_own_and_calls_from_others() -> None:
    with begin(path("four_bar"), warm=False, speed=4) as live:
        live.play()
        done = []

        def touch() -> None:
            for _ in range(5):
                hand = live.grab("coupler.C")
                hand.move((5, -2))
                done.append(live["energy.kinetic"])
                hand.release()

        threads = [threading.Thread(target=touch) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(done) == 15 and np.all(np.isfinite(done)) and not live.failure
    assert not live.playing


def test_a_grip_says_what_it_holds() -> None:
    grip = Grip(3, jd.Mechanism("x").ground.point("A", (0, 0)), (0.0, 0.0), ((1.0, 0.0),))
    assert grip.name == "_hand3" and grip.aimed(1.0, ((1, 2), (0, 0), (0, 0))).target[0] == (1.0, 2.0)


def test_what_may_be_needed_is_ready_before_it_starts() -> None:
    """Nothing is compiled or looked for in the cache when the first friction, motion or slide comes."""
    told: list[str] = []
    live = begin(path("four_bar"), clock=Clock(), progress=lambda done, total, words: told.append(words))
    assert told[-1] == "ready" and len(told) > 2
    ready = set(cold_start._ready)
    friction = {"type": "friction", "joint": "A", "coefficient": 0.1, "radius": "1 cm"}
    slide = {"type": "point-on-line", "between": ["ground.A", "tool.P"]}
    tool = {"mass": 1, "inertia": 1, "position": [1, 0], "points": {"P": [0, 0]}}
    for part, value in (("forces.F", friction), ("bodies.tool", tool), ("joints.S", slide)):
        assert live.apply({"do": "insert", "part": part, "value": value})
    live.step(5)
    assert not live.failure and set(cold_start._ready) == ready


def test_renaming_changes_nothing_that_runs() -> None:
    live, run = lively(path("four_bar"))
    other, go = lively(path("four_bar"))
    run(0.5)
    go(0.5)
    hand = live.grab("crank.B")
    for part, to in (
        ("bodies.crank", "arm"),
        ("bodies.arm.points.B", "tip"),
        ("joints.A", "pivot"),
        ("parameters.k", "c"),
    ):
        outcome = live.apply({"do": "rename", "part": part, "to": to})
        assert outcome and not outcome.impulses, outcome.sentence
    assert live.hands == {1: "arm.tip"}
    hand.release()
    run(0.5)
    go(0.5)
    assert live["arm.angle"] == pytest.approx(other["crank.angle"], abs=1e-9)
    for _ in range(4):
        outcome = live.undo()
        assert outcome and not outcome.impulses, outcome.sentence
    assert live["crank.angle"] == pytest.approx(other["crank.angle"], abs=1e-9) and live.t == other.t


def test_another_step_while_a_joint_closes() -> None:
    live, run = lively(path("four_bar"))
    run(0.5)
    live.apply({"do": "remove", "part": "joints.C"})
    run(0.2)
    live.apply({"do": "insert", "part": "joints.C", "value": PIN_C})
    run(0.1)
    for step in (2e-3, 5e-4, 7e-4):
        assert live.apply({"do": "choose", "integrator": "rk4", "step": step})
        run(0.05)
    run(0.3)
    assert not live.failure and not live._engine.structure.ramps and live["violation.position"] < 4e-12


def test_a_parallelogram_is_pulled_flat_and_goes_on() -> None:
    """Through its singular position in fixed steps: nobody who pulls wants to be stopped there."""
    live, run = lively(path("four_bar"))
    rng = np.random.default_rng(1)
    run(0.7)
    hand = live.grab("coupler.C")
    base = live[["coupler.C.x", "coupler.C.y"]]
    run(1.5, lambda now: hand.move(base + rng.uniform(-1, 1, 2)))
    hand.release()
    live.apply({"do": "remove", "part": "joints.C"})
    run(0.4)
    live.apply({"do": "insert", "part": "joints.C", "value": PIN_C})
    run(2.0)
    assert not live.failure and live.playing
