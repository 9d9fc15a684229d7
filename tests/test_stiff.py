"""Stiff machines: radau of every order, forces as unknowns, and an `auto` that changes the method by itself."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.session.auto.stiffness import WORTH


def away(run: jd.Solution, other: jd.Solution) -> float:
    assert run.status.ok, str(run.status)
    return float(np.max(np.abs(run.motion.position - other.motion.position)))


def tied_pair(event: bool = False, stiffness: float = 8e5, damping: Any = 4e4) -> jd.Mechanism:
    """Two bars on pins, joined by a stiff spring and a strong damper; with `event` both are let go after 1 s."""
    m = jd.Mechanism("pair", gravity=(0, -9.81))
    bars = []
    for name, y in (("a", 0.0), ("b", -1.0)):
        points = {"A": (-0.5, 0), "C": (0, 0)}
        mass = 1.0 if name == "a" else 2.0
        bar = m.body(name, mass=mass, inertia=0.1, position=(0.5, y), velocity=(0, 0), spin=0, points=points)
        m.revolute(f"pin_{name}", m.ground.point(name.upper(), (0, y)), bar["A"])
        bars.append(bar)
    m.spring_damper("tie", bars[0]["C"], bars[1]["C"], stiffness=stiffness, damping=damping, length=1.0)
    if event:
        m.event("release", when="t - 1", off="tie")
    return m


# The governor ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ball, duration", [(5.0, 10.0), (0.01, 1.0)])
def test_auto_on_a_stiff_governor(ball: float, duration: float) -> None:
    """At an error that is no larger, fewer than one step in twenty of those that dop853 takes."""
    m = machines.governor(ball)
    times = np.linspace(0, duration, 51)
    best = jd.simulate(m, times=times, integrator=jd.Radau(1e-11, stages=5))  # five stages: neither of the two
    explicit = jd.simulate(m, times=times, integrator="dop853", rtol=1e-9)
    assert away(explicit, best) < 1e-9
    auto = jd.simulate(m, times=times)
    # Where stability alone decides the steps of dop853, its error is far below the tolerance, which is what was asked.
    # It scatters by a factor of six with the place at which radau takes over: twice the tolerance is the bar.
    assert away(auto, best) <= max(1.5 * away(explicit, best), 2e-9)
    assert auto.statistics.steps < explicit.statistics.steps / 20
    assert auto.statistics.evaluations < explicit.statistics.evaluations / 3
    assert np.max(auto.violation.position) < 1e-10
    assert any("so radau took over (from t = 0." in note for note in auto.status.notes)
    assert any("radau would take far fewer steps" in note for note in explicit.status.notes)


@pytest.mark.parametrize("stages, forces", [(3, False), (3, True), (5, True), (7, True)])
def test_radau_in_every_order_with_and_without_forces(stages: int, forces: bool) -> None:
    m = machines.governor(0.5)
    times = np.linspace(0, 1, 11)
    best = jd.simulate(m, times=times, integrator=jd.Dop853(1e-11))
    for tolerance in (1e-5, 1e-7):
        run = jd.simulate(m, times=times, integrator=jd.Radau(tolerance, stages=stages, forces=forces))
        assert away(run, best) < 10 * tolerance


def test_forces_as_unknowns_let_steps_be_long() -> None:
    """Where the direction of a strong damper turns, Newton's iteration on the motion alone is what limits the steps."""
    m = machines.governor(0.01)
    plain, better = (jd.simulate(m, 1.0, integrator=jd.Radau(1e-4, stages=5, forces=f)) for f in (False, True))
    assert better.statistics.steps + better.statistics.rejected < 0.6 * (
        plain.statistics.steps + plain.statistics.rejected
    )


def test_more_stages_need_fewer_steps() -> None:
    """The estimate of s stages goes with h^(s+1), so at 1e-8 steps go like 100, 22 and 10."""
    m = machines.pendulum_bar()
    best = jd.simulate(m, 4.0, every=4.0, rtol=1e-13)
    runs = [jd.simulate(m, 4.0, every=4.0, integrator=jd.Radau(1e-8, 1e-8, stages=s)) for s in (3, 5, 7)]
    assert max(away(run, best) for run in runs) < 1e-8
    three, five, seven = (run.statistics.steps for run in runs)
    assert three > 4 * five > 6 * seven


@pytest.mark.parametrize("kind", ["spring", "friction", "motor", "events", "space"])
def test_forces_of_every_kind_as_unknowns(kind: str) -> None:
    """Components whose forces act along a quantity: the same motion as with dop853."""
    m = machines.four_bar() if kind == "spring" else tied(kind)
    times = np.linspace(0, 0.5, 6)
    best = jd.simulate(m, times=times, rtol=1e-11)
    run = jd.simulate(m, times=times, integrator=jd.Radau(1e-8, forces=True))
    assert away(run, best) < 1e-6


def tied(kind: str) -> jd.Mechanism:
    m = jd.Mechanism(kind, gravity=(0, 0, -9.81) if kind == "space" else (0, -9.81))
    if kind == "space":
        bar = m.body("bar", mass=1, inertia=(0.1, 0.1, 0.02), position=(0.5, 0, 0), points={"A": {"at": (-0.5, 0, 0)}})
        m.spherical("A", m.ground.point("A", (0, 0, 0)), bar["A"])
        end = bar.point("B", (0.5, 0, 0))
        m.spring_damper("S", end, m.ground.point("D", (1, 0, 1)), stiffness=1e3, damping=10, length=1)
        return m
    bar = m.body("bar", mass=1, inertia=0.1, position=(0.5, 0), points={"A": (-0.5, 0), "B": (0.5, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    m.torsion_spring_damper("twist", joint="A", stiffness=1e3, damping=5)
    if kind == "friction":
        m.friction("drag", joint="A", coefficient=0.3, radius=0.02, regular_speed=1e-2)
    if kind == "motor":
        m.spring_damper(
            "S", bar["B"], m.ground.point("D", (1, 1)), stiffness="100 + 20*sin(5*t)", damping=3, length=0.5
        )
    if kind == "events":
        m.event("down", when="bar.y", record=True)
    return m


# auto changes back, and tells -----------------------------------------------------------------------------------------


def test_auto_goes_back_where_the_machine_is_no_longer_stiff() -> None:
    run = jd.simulate(tied_pair(event=True), 40.0, every=0.5)
    notes = [note for note in run.status.notes if "so radau took over" in note]
    assert len(notes) == 1 and " to " in notes[0].partition("(")[2]
    explicit = jd.simulate(tied_pair(event=True), 40.0, every=0.5, rtol=1e-11, integrator="dop853")
    assert away(run, explicit) < 1e-6


def test_auto_goes_back_however_close_events_are() -> None:
    m = tied_pair(event=True)
    m.event("tick", when="sin(20*t)", direction="both")
    notes = jd.simulate(m, 40.0, every=0.5).status.notes
    assert any("so radau took over" in note and " to " in note.partition("(")[2] for note in notes)


def test_evaluations_of_all_equations_count() -> None:
    """Back to equations that dop853 has evaluated often: that is no reason to take dop853 again."""
    m = tied_pair(stiffness=100, damping="c")
    m.parameter("c", 1.0)
    wheel = m.body("wheel", mass=1, inertia=0.1, position=(2, 0), velocity=(0, 0), spin=0, points={"A": (0, 0)})
    m.revolute("pin_wheel", m.ground.point("W", (2, 0)), wheel["A"])
    m.gear("clutch", joints=["pin_a", "pin_wheel"], ratio=1)
    m.switch_off("clutch")
    m.event("on", when="t - 20", on="clutch", set={"c": 1e5})
    m.event("off", when="t - 20.05", off="clutch")
    notes = jd.simulate(m, 25.0, every=1, max_step=1e-3).status.notes
    # Later the pair swings through places where it is hardly stiff, and there the last digits may decide to go back.
    took = [re.search(r"so radau took over \(from t = 20[\d.]* s(?: to ([\d.]+) s)?\)", note) for note in notes]
    assert [float(found[1] or "inf") > 21 for found in took if found] == [True]


def test_time_does_not_go_back_with_the_method() -> None:
    seen: list[float] = []

    def push(t: float) -> float:
        seen.append(t)
        return 0.0

    m = tied_pair(event=True)
    m.torque("push", on="a", torque=push)
    run = jd.simulate(m, 40.0, every=0.5)
    late = seen[next(k for k, t in enumerate(seen) if t > 1.1) :]
    assert min(t for t in late if t not in run.t) > 0.9


def test_a_stiff_machine_crosses_singular_positions_too() -> None:
    """Beside the slider-crank there is a strong damper, and steps of rk4 are as short as that asks for."""
    m = machines.slider_crank_singular()
    weight = m.body("weight", mass=0.1, inertia=0.01, position=(3, 0), velocity=(0, 0), spin=0, points={"P": (0, 0)})
    m.spring_damper("strong", weight["P"], m.ground.point("G", (3, 1)), stiffness=1e4, damping=1e4, length=1)
    run = jd.simulate(m, 3.0)
    assert run.status.ok, run.status
    assert any("radau took over" in note for note in run.status.notes)
    assert any("crossed on the branch taken" in note for note in run.status.notes)
    alone = jd.simulate(machines.slider_crank_singular(), 3.0)
    assert abs(run["rod.x"] - alone["rod.x"]).max() < 1e-6


def test_forces_and_ggl_do_not_go_together() -> None:
    with pytest.raises(jd.ChoiceError, match="ggl has multipliers among its unknowns, and no forces"):
        jd.simulate(tied_pair(), 1.0, stabilisation="ggl", integrator=jd.Radau(forces=True))


def test_auto_is_the_same_every_time() -> None:
    one, other = (jd.simulate(tied_pair(), 5.0) for _ in range(2))
    assert np.array_equal(one.samples, other.samples)


def test_a_few_stiff_steps_are_not_worth_a_change() -> None:
    """The change comes when stability has held so many steps short, wherever the run ends."""
    short, long = (jd.simulate(tied_pair(), duration) for duration in (2e-3, 0.05))
    assert not any("took over" in note for note in short.status.notes)
    assert short.statistics.steps < WORTH
    assert any("took over" in note for note in long.status.notes)


@pytest.mark.parametrize("machine", ["four_bar", "double_pendulum", "slider_crank", "quick_return", "two_bars"])
@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-9, 1e-12])
def test_ordinary_machines_stay_with_dop853(machine: str, rtol: float) -> None:
    run = jd.simulate(getattr(machines, machine)(), 5.0, rtol=rtol)
    assert not any("radau" in note for note in run.status.notes)


@pytest.mark.parametrize(
    "method, words",
    [
        (jd.Radau(stages=4), "stages is 4; radau has 3 (order 5), 5 (order 9) or 7 (order 13)"),
        (jd.Radau(forces=True, multipliers=True), "multipliers or forces as unknowns, not both; leave out one"),
        (jd.Radau(forces=1), "forces is 1; expected True or False"),
    ],
)
def test_refusals(method: Any, words: str) -> None:
    with pytest.raises(jd.ChoiceError) as caught:
        jd.simulate(tied_pair(), 1.0, integrator=method)
    assert words in str(caught.value)
