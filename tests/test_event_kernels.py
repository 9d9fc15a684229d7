"""Events in the time loops: when they are found, that none is missed or invented, and how a run goes on.

The event functions here are a stand-in, y[i] - level or t - level, so that crossing times have closed forms.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import jourdain as jd
import machines
from jourdain import choices as ch
from jourdain.assembly.prepare import prepare
from jourdain.engine.kernel_cache import load_kernels, own_cache
from jourdain.engine.plan import Plan
from jourdain.engine.time_loop import TimeLoop
from jourdain.engine.workspace import Workspace
from jourdain.kernels.layout import loops
from jourdain.kernels.layout.returned import STOPPED
from jourdain.model.compile import compile_mechanism

c = load_kernels().context
ints, table, vector_at, EVENTS, H_CHARTS = c.ints, c.table, c.vector_at, c.EVENTS, c.H_CHARTS

G = 9.81
X, Y = 0, 1  # of the only body
TIME = -1
SAW = -2  # the time since the last full second
RISING, FALLING, BOTH = 1, -1, 0
NONSENSE = 77  # status of the stand-in: Euler angles half-way between two sequences
UNIT = 2.0**-20  # of levels, which the stand-in reads from a table of integers
METHODS = {
    "rk4": {"integrator": "rk4", "step": 0.01},
    "rk6": {"integrator": "rk6", "step": 0.01},
    "ab6": {"integrator": "ab6", "step": 0.01},
    "dop853": {"rtol": 1e-11},
    "dopri5": {"integrator": "dopri5", "rtol": 1e-11},
}
LONG_STEPS = {name: {**how, "step": 0.5} if "step" in how else how for name, how in METHODS.items()}
every_method = pytest.mark.parametrize("how", METHODS.values(), ids=METHODS)
long_steps = pytest.mark.parametrize("how", LONG_STEPS.values(), ids=LONG_STEPS)


def levels(t, y_, g_, ctx_):
    """The stand-in."""
    ctx = table(ctx_)
    events = ints(ctx, EVENTS)
    y = vector_at(y_, 1000)
    if ctx[H_CHARTS] == 1 and y[6] != math.floor(y[6]):
        return NONSENSE
    g = vector_at(g_, events.shape[0])
    for k in range(events.shape[0]):
        if events[k, 0] == SAW:
            g[k] = t - math.floor(t) - events[k, 1] * UNIT
        else:
            g[k] = (t if events[k, 0] == TIME else y[events[k, 0]]) - events[k, 1] * UNIT
    return 0


@functools.cache
def stand_in() -> Any:
    with own_cache():
        return c.entry(levels)


def with_events(model: Any, events: Any, integrator: ch.Integrator) -> tuple[Any, Workspace]:
    """Events as rows (index in y or TIME, level, direction)."""
    rows = np.array([(i, round(level / UNIT), d) for i, level, d in events], dtype=np.int64).reshape(-1, 3)
    model = dataclasses.replace(model, fields={**model.fields, c.EVENTS: rows})
    plan = Plan.of(model, integrator)
    workspace = Workspace(plan, slots=plan.recipe.entries.keys() - {"EVENTS"})
    workspace.ctx[c.H_COUNT + c.F_EVENTS] = stand_in().address
    return model, workspace


def level(value: float) -> float:
    """The nearest level that the stand-in can have."""
    return round(value / UNIT) * UNIT


class Run:
    """A run with events; `action(run, t, y, fired)` may change y, and returns False to stop."""

    def __init__(self, mechanism: jd.Mechanism, events: Any, times: Any, action: Any = None, **how: Any) -> None:
        coordinates = how.pop("coordinates", None)
        space = mechanism.frozen().space
        choices = ch.resolve(space, coordinates=coordinates, **how)
        prepared = prepare(mechanism, choices.set, t=float(times[0]))
        _, workspace = with_events(prepared.model, events, choices.integrator)
        self.grid = np.array(times, dtype=float)
        self.loop = TimeLoop(workspace, choices.integrator, prepared.assembly.y, self.grid[0])
        self.samples = np.tile(self.loop.y, (self.grid.size, 1))
        self.action = action
        self.events: list[tuple[float, tuple[int, ...], Any]] = []
        self.loop.on_event = self._happen

    def run(self) -> int | None:
        return self.loop.go(self.grid[1:], self.samples[1:])

    def _happen(self, t: float, fired: tuple[int, ...]) -> bool:
        self.events.append((t, fired, self.loop.y.copy()))
        return self.action is None or self.action(self, t, self.loop.y, fired) is not False

    @property
    def times(self) -> Any:
        return np.array([t for t, _, _ in self.events])

    @property
    def fired(self) -> list[tuple[int, ...]]:
        return [fired for _, fired, _ in self.events]


def completed(*args: Any, **how: Any) -> Run:
    run = Run(*args, **how)
    assert run.run() == c.OK
    assert run.loop.filled == run.grid.size - 1
    return run


def ball(height: float = 0.0, up: float = 0.0, across: float = 0.0, gravity: float = G) -> jd.Mechanism:
    m = jd.Mechanism("ball", gravity=(0, -gravity))
    m.body("ball", mass=1, inertia=1, position=(0, height), velocity=(across, up), spin=0)
    return m


def passes(z: float, height: float, up: float) -> list[float]:
    """When a ball passes the height z."""
    root = math.sqrt(up * up - 2 * G * (z - height))
    return [t for t in ((up - root) / G, (up + root) / G) if t > 0]


# When ------------------------------------------------------------------------------------------------------------


@every_method
def test_a_falling_ball(how: Any) -> None:
    """The motion is a polynomial that all methods integrate exactly: only the location can err."""
    run = completed(ball(1.0), [(Y, 0.25, BOTH)], [0, 0.3, 1.0], **how)
    assert run.fired == [(0,)]
    assert abs(run.times[0] - passes(0.25, 1.0, 0.0)[0]) < 1e-13
    assert run.events[0][2][Y] == pytest.approx(0.25, abs=1e-13)
    assert run.events[0][2][Y] <= 0.25
    np.testing.assert_allclose(run.samples[:, Y], 1 - G / 2 * run.grid**2, rtol=0, atol=1e-13)


@every_method
@pytest.mark.parametrize("begin", [0.0, 1000.0])
def test_late_start(how: Any, begin: float) -> None:
    run = completed(ball(1.0), [(Y, 0.25, BOTH)], [begin, begin + 1.0], **how)
    assert abs(run.times[0] - begin - passes(0.25, 1.0, 0.0)[0]) < 1e-13 + 8 * np.spacing(begin)


@pytest.mark.parametrize(
    "how, error",
    [
        ({"integrator": "rk4", "step": 2e-3}, 1e-8),
        ({"integrator": "rk6", "step": 1e-2}, 1e-8),
        ({"integrator": "ab6", "step": 2e-3}, 1e-8),
        ({"rtol": 1e-11}, 1e-9),
        ({"integrator": "dopri5", "rtol": 1e-11}, 1e-9),
    ],
    ids=METHODS,
)
def test_a_pendulum_passes_its_lowest_point(how: Any, error: float) -> None:
    quarter = ellipk(math.sin(math.pi / 4) ** 2) / math.sqrt(1.5 * G)
    run = completed(machines.pendulum_bar(), [(X, 0.0, BOTH)], [0, 2.0, 5.0], **how)
    exact = quarter * np.arange(1, 40, 2)
    exact = exact[exact < 5.0]
    assert run.times.size == exact.size == 5
    assert np.max(np.abs(run.times - exact)) < error


def test_events_are_as_exact_as_the_method() -> None:
    """Of order four with rk4: interpolation would spoil the constant, a wrong start of the next step the order."""
    quarter = ellipk(math.sin(math.pi / 4) ** 2) / math.sqrt(1.5 * G)
    steps = np.array([0.02, 0.01, 0.005])
    errors = []
    for h in steps:
        run = completed(machines.pendulum_bar(), [(X, 0.0, BOTH)], [0, 5.0], integrator="rk4", step=h)
        errors.append(abs(run.times[-1] - quarter * (2 * run.times.size - 1)))
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert 3.5 < slope < 5.5


@every_method
def test_thousands_of_events(how: Any) -> None:
    """A rod turns about its end at constant speed, without gravity."""
    speed = 300.0
    m = jd.Mechanism("wheel", gravity=(0, 0))
    rod = m.body("rod", mass=1, inertia=1, position=(1, 0), velocity=(0, speed), spin=speed, points={"A": (-1, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), rod["A"])
    how = {**how, "step": 1e-4} if "step" in how else how
    end = 20
    run = completed(m, [(X, 0.0, BOTH), (Y, 0.0, RISING)], np.linspace(0, end, 8), **how)
    for k, first, apart in ((0, 0.5, math.pi), (1, 1.0, 2 * math.pi)):
        exact = np.arange(first * apart / speed, end, apart / speed)
        times = run.times[[k in fired for fired in run.fired]]
        assert times.size == exact.size > 900
        np.testing.assert_allclose(times, exact, rtol=0, atol=1e-6)


# Which -----------------------------------------------------------------------------------------------------------


@every_method
@pytest.mark.parametrize("direction, which", [(RISING, [0]), (FALLING, [1]), (BOTH, [0, 1])])
def test_direction(how: Any, direction: int, which: list[int]) -> None:
    run = completed(ball(up=4.0), [(Y, 0.5, direction)], [0, 1.0], **how)
    exact = np.array(passes(0.5, 0.0, 4.0))[which]
    assert run.times.size == len(which)
    assert np.max(np.abs(run.times - exact)) < 1e-13


@long_steps
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_order_within_one_step(how: Any, order: Any) -> None:
    levels = np.array([0.75, 0.625, 0.5])
    run = completed(ball(1.0), [(Y, levels[k], FALLING) for k in order], [0, 0.5], **how)
    assert [order[fired[0]] for fired in run.fired] == [0, 1, 2]
    exact = [passes(z, 1.0, 0.0)[0] for z in levels]
    assert np.max(np.abs(run.times - exact)) < 1e-13


@long_steps
def test_events_close_together_come_in_order(how: Any) -> None:
    """Apart by 1e-6 of the step: the search follows one of them and must notice the other."""
    run = completed(ball(1.0), [(Y, 0.5, BOTH), (Y, 0.5 + UNIT, BOTH)], [0, 0.5], **how)
    assert run.fired == [(1,), (0,)]
    exact = [passes(z, 1.0, 0.0)[0] for z in (0.5 + UNIT, 0.5)]
    assert np.max(np.abs(run.times - exact)) < 1e-13


@every_method
def test_events_at_once_are_told_together(how: Any) -> None:
    run = completed(ball(1.0), [(Y, 0.5, BOTH), (Y, 0.5, FALLING), (Y, 0.5, RISING)], [0, 0.5], **how)
    assert run.fired == [(0, 1)]


@long_steps
@pytest.mark.parametrize("direction, which", [(RISING, [0]), (FALLING, [1]), (BOTH, [0, 1])])
@pytest.mark.parametrize("peak", [0.15, 0.25, 0.35])
def test_there_and_back_within_one_step(how: Any, direction: int, which: list[int], peak: float) -> None:
    """The ball is above the level for a third of the step only, and below at both ends."""
    up = G * peak
    z = level(up * up / (2 * G) - G / 2 * 0.08**2)
    run = completed(ball(up=up), [(Y, z, direction)], [0, 0.5], **how)
    exact = np.array(passes(z, 0.0, up))[which]
    assert run.times.size == len(which)
    assert np.max(np.abs(run.times - exact)) < 1e-12


@every_method
def test_not_quite_there(how: Any) -> None:
    up = 4.0
    run = completed(ball(up=up), [(Y, level(up * up / (2 * G) + 2 * UNIT), BOTH)], [0, 1.0], **how)
    assert run.events == []


@pytest.mark.parametrize("above", [8e-6, -8e-6], ids=["missed", "reached"])
def test_interpolation_only_gives_hints(above: float) -> None:
    """A rod rises to 2.5 rad in the middle of its only step. There the cubic overshoots by 3e-5, rk6 errs by 1e-7."""
    top, half = 2.5, 0.05
    stiffness = 1.5 * G

    def swing(t: float, a: Any) -> Any:
        return [a[1], -stiffness * math.sin(a[0])]

    angle, spin = solve_ivp(swing, (0, -half), [top, 0.0], method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    m = jd.Mechanism("bar", gravity=(0, -G))
    velocity = (0.5 * spin * math.cos(angle), 0.5 * spin * math.sin(angle))
    start = {"start": (0, 0), "angle": angle - math.pi / 2, "velocity": velocity, "spin": spin}
    rod = machines.bar(m, "rod", "AB", mass=1, length=1, width=0, **start)
    m.revolute("A", m.ground.point("A", (0, 0)), rod["A"])
    z = level(top + above - math.pi / 2)
    run = completed(m, [(2, z, BOTH)], [0, 2 * half], integrator="rk6", step=2 * half, coordinates="angle")
    away = math.sqrt(max(0.0, 2 * (top - math.pi / 2 - z) / (stiffness * math.sin(top))))
    exact = [half - away, half + away] if above < 0 else []
    assert run.times.size == len(exact)
    np.testing.assert_allclose(run.times, exact, rtol=0, atol=1e-4)


@every_method
@pytest.mark.parametrize("up, expected", [(4.0, [2 * 4.0 / G]), (0.0, []), (-1.0, [])])
def test_zero_at_the_start_is_no_event(how: Any, up: float, expected: list[float]) -> None:
    run = completed(ball(up=up), [(Y, 0.0, BOTH)], [0, 1.0], **how)
    assert run.times.size == len(expected)
    np.testing.assert_allclose(run.times, expected, rtol=0, atol=1e-13)


@every_method
def test_event_functions_may_jump(how: Any) -> None:
    """A jump is a crossing, and does not blind the search for the next."""
    how = how if "step" in how else {**how, "max_step": 0.1}
    run = completed(ball(), [(SAW, 0.5, BOTH), (SAW, 0.25, RISING)], [0, 2.875], **how)
    assert run.fired == [(1,), (0,), (0,)] * 2 + [(1,), (0,)]
    np.testing.assert_allclose(run.times, [0.25, 0.5, 1, 1.25, 1.5, 2, 2.25, 2.5], rtol=0, atol=2e-14)


# Samples ---------------------------------------------------------------------------------------------------------


def kick(run: Run, t: float, y: Any, fired: Any) -> None:
    y[3 + X] += 1.0


@every_method
@pytest.mark.parametrize("when", [0.25, 0.5])
def test_event_at_a_sample(how: Any, when: float) -> None:
    """The sample shows the state before the action, at the last sample too.

    Steps are of one length throughout, so that nothing but the event makes ab6 begin anew.
    """
    run = completed(ball(), [(TIME, when, BOTH)], [0, 0.25, 0.5], kick, **how)
    assert run.times == pytest.approx([when], abs=1e-15)
    np.testing.assert_allclose(run.samples[:, 3 + X], [0, 0, float(when < 0.5)], rtol=0, atol=0)
    np.testing.assert_allclose(run.samples[-1, X], 0.5 - when, rtol=0, atol=1e-14)


@every_method
def test_samples_between_events(how: Any) -> None:
    """Two kicks: x is broken twice, y must not notice."""
    grid = np.linspace(0, 1, 11)
    run = completed(ball(), [(TIME, 0.328125, BOTH), (TIME, 0.34375, BOTH)], grid, kick, **how)
    assert run.fired == [(0,), (1,)]
    x = np.maximum(0, grid - 0.328125) + np.maximum(0, grid - 0.34375)
    np.testing.assert_allclose(run.samples[:, X], x, rtol=0, atol=1e-13)
    np.testing.assert_allclose(run.samples[:, Y], -G / 2 * grid**2, rtol=0, atol=1e-12)


def test_steps_after_an_event_divide_what_is_left() -> None:
    run = completed(ball(), [(TIME, 0.28125, BOTH)], [0, 0.25, 0.5], integrator="rk4", step=0.0625)
    # 4 steps, 1 cut short, then 0.21875 in 4 steps.
    assert run.loop.counts[loops.C_STEPS] == 4 + 1 + 4


@every_method
def test_pauses_change_nothing(how: Any) -> None:
    make = functools.partial(Run, ball(1.0, across=1.0), [(Y, 0.25, BOTH), (X, 0.3, BOTH)], [0, 0.3, 1.0], **how)
    whole, pieces = make(), make()
    pieces.loop.pause = 1
    assert whole.run() == c.OK
    assert pieces.run() == c.OK
    assert np.array_equal(whole.samples, pieces.samples)
    assert np.array_equal(whole.times, pieces.times)
    assert len(whole.events) == 2


# Going on --------------------------------------------------------------------------------------------------------


def bounces(height: float, restitution: float, count: int) -> Any:
    first = math.sqrt(2 * height / G)
    flights = 2 * first * restitution ** np.arange(1, count)
    return first + np.concatenate(([0.0], np.cumsum(flights)))


@every_method
@pytest.mark.parametrize("direction", [FALLING, BOTH])
def test_bouncing_ball(how: Any, direction: int) -> None:
    def bounce(run: Run, t: float, y: Any, fired: Any) -> None:
        y[3 + Y] *= -0.8

    run = completed(ball(1.0), [(Y, 0.0, direction)], np.linspace(0, 3, 7), bounce, **how)
    exact = bounces(1.0, 0.8, 14)
    exact = exact[exact < 3]
    assert run.times.size == exact.size == 6
    assert np.max(np.abs(run.times - exact)) < 1e-12


@long_steps
def test_bounces_much_shorter_than_a_step(how: Any) -> None:
    """Flights down to 1e-3 of the step that is tried are not overlooked."""

    def bounce(run: Run, t: float, y: Any, fired: Any) -> bool:
        y[3 + Y] *= -0.5
        return len(run.events) < 10

    run = Run(ball(1.0), [(Y, 0.0, FALLING)], [0, 3.0], bounce, **how)
    assert run.run() == STOPPED
    exact = bounces(1.0, 0.5, 10)
    assert np.max(np.abs(run.times - exact)) < 1e-11


@every_method
def test_turned_back_at_the_event(how: Any) -> None:
    """Changed to be clearly before the event again, it happens again."""

    def lift(run: Run, t: float, y: Any, fired: Any) -> None:
        y[Y], y[3 + Y] = 1.0, 0.0

    run = completed(ball(1.0), [(Y, 0.5, FALLING)], [0, 1.0], lift, **how)
    once = passes(0.5, 1.0, 0.0)[0]
    np.testing.assert_allclose(run.times, [once, 2 * once, 3 * once], rtol=0, atol=1e-13)


@every_method
def test_another_machine_after_the_event(how: Any) -> None:
    """The ball leaves gravity at the first level, with another workspace, and its events go on."""
    events = [(Y, 0.5, BOTH), (Y, -0.5, BOTH)]
    method = ch.resolve("planar", **how).integrator
    _, weightless = with_events(compile_mechanism(ball(gravity=0.0).frozen(), "angle"), events, method)

    def leave(run: Run, t: float, y: Any, fired: Any) -> None:
        if fired == (0,):
            weightless.carry_events(run.loop.workspace)
            run.loop.workspace = weightless

    run = completed(ball(1.0), events, [0, 0.125, 0.75], leave, coordinates="angle", **how)
    first = passes(0.5, 1.0, 0.0)[0]
    assert run.fired == [(0,), (1,)]
    np.testing.assert_allclose(run.times, [first, first + 1 / (G * first)], rtol=0, atol=1e-13)
    np.testing.assert_allclose(run.samples[-1, Y], 0.5 - G * first * (0.75 - first), rtol=0, atol=1e-13)


def test_a_run_of_too_many_events_ends_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jourdain.session.event_actions.MOST_AT_ONCE", 5)
    monkeypatch.setattr("jourdain.session.notes.MOST_AT_ONCE", 5)
    monkeypatch.setattr("jourdain.session.event_actions.AT_ONCE", 10.0)
    m = ball(1.0)
    m.event("tick", "sin(20 * t)", direction="rising")
    with pytest.warns(jd.SimulationWarning, match="5 events happened"):
        run = jd.simulate(m, 10)
    # The sine begins at zero, so it happens first after a whole period.
    np.testing.assert_allclose(run.events["tick"].t, 2 * np.pi / 20 * np.arange(1, 6), rtol=0, atol=1e-12)
    assert not run.status.ok
    assert run.t[-1] <= run.events["tick"].t[-1]


# Coordinates that change -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [METHODS["rk4"], METHODS["rk6"], METHODS["dop853"]], ids=["rk4", "rk6", "dop853"])
def test_events_while_the_coordinates_change(how: Any) -> None:
    """A tumbling body falls through many levels; its Euler angles change sequence on the way."""
    m = jd.Mechanism("tumbler", gravity=(0, 0, -G))
    m.body("top", mass=1, inertia=(1, 2, 3), position=(0, 0, 0), velocity=(0, 0, 0), spin=(0.1, 9, 0.2))
    depth = 2
    levels = -UNIT * np.round(np.linspace(0.01, 4.5, 200) / UNIT)
    run = completed(m, [(depth, z, BOTH) for z in levels], [0, 1.0], coordinates="bryan", **how)
    sequences = {int(y[6]) for _, _, y in run.events}
    assert len(sequences) > 1
    assert run.fired == [(k,) for k in range(200)]
    np.testing.assert_allclose(run.times, np.sqrt(-2 * levels / G), rtol=0, atol=1e-12)
