"""Crafted checkpoints with a right checksum and finite numbers: what they say of the run is held against the machine.

Each case changes one thing of a checkpoint that would be taken, so that something that is always so no longer holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import jourdain as jd
from crafted_checkpoints import Marked, opened, packed
from jourdain.choices.contract import Use
from jourdain.engine.plan import Plan
from jourdain.kernels.layout import loops
from jourdain.model.compile import compile_mechanism
from jourdain.model.field_kinds import KINDS
from jourdain.session.preparing import chosen_for
from jourdain.session.truths import TRUTHS
from session_ways import WAYS


def swinging(**event: Any) -> jd.Mechanism:
    """A bar on a hinge, with a parameter, and an event if that is given."""
    m = jd.Mechanism("arm", gravity=(0, -9.81))
    bar = m.body("bar", mass=2, inertia=2 / 12, position=(0.5, 0), points={"A": (-0.5, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    m.parameter("u", 0.5)
    m.torque("motor", on=bar, torque="u")
    if event:
        m.event("low", "A.angle + 1", direction="both", **event)
    return m


SESSIONS: dict[str, Callable[[], Marked]] = {
    "rk4": lambda: Marked(swinging(), integrator="rk4", step=2e-3),
    "ab6": lambda: Marked(swinging(), integrator="ab6", step=1e-3),
    "dop853": lambda: Marked(swinging(), integrator="dop853"),
    "radau": lambda: Marked(swinging(), integrator="radau"),
    "auto": lambda: Marked(swinging()),
    "event": lambda: Marked(swinging(set={"u": 1.0}), first=0.2, integrator="dop853"),
    "event of rk4": lambda: Marked(swinging(set={"u": 1.0}), first=0.2, integrator="rk4", step=2e-3),
    "just after": lambda: Marked(swinging(record=True), first=0.42, integrator="rk4", step=1e-4),
    "bryan": lambda: Marked(jd.example("heavy_top"), coordinates="bryan", integrator="dop853"),
}


@cache
def marked(name: str) -> Marked:
    return SESSIONS[name]()


def changed(name: str, array: str, place: Any, value: Any, words: str) -> None:
    """A checkpoint with another number at a place; `value` may be a function of the one that is there."""
    m = marked(name)
    head, arrays = opened(m.mark)
    arrays[array][place] = value(arrays[array][place]) if callable(value) else value
    m.refuses(packed(head, arrays), words)


@pytest.mark.parametrize("name", ["dop853", "radau", "auto"])
def test_steps_of_error_control(name: str) -> None:
    """The next step follows from the last one, which is at most the usual one."""
    changed(name, "clock", loops.T_STEP, 1e9, "its next step is 1e+09 s; after those before it is")
    changed(name, "clock", loops.T_STEP, 1e-300, "its next step is 1e-300 s; a step that was taken is followed by none")
    changed(name, "clock", loops.T_STEP, -1.0, "a step that cannot be")
    changed(name, "clock", loops.T_USUAL, lambda usual: 0.5 * usual, "its usual step is")
    changed(name, "clock", loops.T_AHEAD, lambda ahead: ahead + 1.0, "the step ahead of it is none")
    changed(name, "clock", loops.T_UNTIL, 0.0, "it goes beyond where no step goes")
    changed(name, "clock", loops.T_TURN, -1.0, "a step that cannot be")
    changed(name, "clock", loops.T_BLURRED_END, math.inf, "its clock shows what cannot be")


@pytest.mark.parametrize("name", ["rk4", "ab6"])
def test_steps_of_a_fixed_length(name: str) -> None:
    changed(name, "clock", loops.T_STEP, 0.5, "its last step is 0.5 s, and it takes steps of")
    changed(name, "clock", loops.T_FROM, lambda t: t - 0.01, "its steps do not lead to where it stands")
    changed(name, "clock", loops.T_AHEAD, 0.2, "the step ahead of it is none")
    changed(name, "counts", loops.C_STIFF, 300, "it wants to change its method where nobody does")
    changed(name, "counts", loops.C_HISTORY, 10**6, "it remembers more steps than it took")
    changed(name, "counts", loops.C_WATCH, 1, "it counts what cannot be")
    changed(name, "counts", loops.C_RESTART, 2, "it counts what cannot be")
    changed(name, "counts", loops.C_BROKEN, 1000, "it counts what cannot be")


@pytest.mark.parametrize("name", ["rk4", "ab6", "dop853", "radau"])
def test_joints_stay_closed(name: str) -> None:
    """A velocity that opens the hinge, in a pose that is closed."""
    m = marked(name)
    head, arrays = opened(m.mark)
    v = marked(name).session.prepared.model.layout.v
    for state in ("y", "now"):
        arrays[state][v.start] += 1e-3
    m.refuses(packed(head, arrays), "'A' opening by 0.001")


@pytest.mark.parametrize("name", ["rk4", "ab6"])
def test_one_time_has_one_state(name: str) -> None:
    """Works are part of it, though no joint knows them."""
    changed(name, "now", -1, lambda work: work + 1.0, "two states at one time")


@pytest.mark.parametrize("name, array", [("rk4", "work"), ("ab6", "work"), ("dop853", "METHOD_WORK")])
def test_the_slope_is_that_of_the_state(name: str, array: str) -> None:
    for place in range(3):
        changed(name, array, (0, place), lambda slope: slope + 0.1, "a slope that is not that of its state")


def test_exchanges_of_rows_go_downwards() -> None:
    m = marked("radau")
    width = opened(m.mark)[1]["METHOD_PIVOTS"].shape[1]
    assert width > 3
    changed("radau", "METHOD_PIVOTS", (0, 3), 1, "goes back to a row done already")


@pytest.mark.parametrize("name", ["event", "event of rk4"])
def test_sides_of_events(name: str) -> None:
    """Where the function is, that is where its side is."""
    words = "event low on a side where it cannot be"
    changed(name, "EVENT_VALUE", 0, lambda side: -side, words)
    changed(name, "EVENT_VALUE", 0, lambda side: 1.001 * side, words)
    changed(name, "EVENT_VALUE", 0, 0.0, words)
    changed(name, "EVENT_WORK", (0, 0), 0.5, words)  # noise
    changed(name, "EVENT_WORK", (0, 0), -1e-12, words)
    changed(name, "EVENT_WORK", (1, 0), 0.0, words)  # largest


def test_events_that_happened() -> None:
    """Times in order, before now; none without events."""
    m = marked("just after")
    head, arrays = opened(m.mark)
    assert len(head["events"]["recent"]) == 1  # A.angle falls through -1 before 0.42 s
    for recent in ([9.0], [0.3, 0.2], [math.inf], ["1"], [True], [0.0] * 1001, 5, {"a": 1}):
        m.refuses(packed({**head, "events": {**head["events"], "recent": recent}}, arrays))
    m = marked("rk4")
    head, arrays = opened(m.mark)
    m.refuses(packed({**head, "events": {**head["events"], "recent": [0.05]}}, arrays))


def test_parameters_that_nothing_changes() -> None:
    m = marked("rk4")
    place = m.session.prepared.model.parameters["u"]
    changed("rk4", "PARAMETERS", (place, 0), 0.75, "u = 0.75, and 0.5 by what was set; no event sets it")


def test_charts_in_rows_of_a_method() -> None:
    m = marked("bryan")
    q = m.session.prepared.model.layout.q
    for row in (1, -4, -5):
        changed("bryan", "METHOD_WORK", (row, q.stop - 1), 99.0, "the sequence of a body is number 99")
    changed("bryan", "reference", q.stop - 1, 99.0, "the sequence of a body is number 99")


def test_what_auto_remembers() -> None:
    m = marked("auto")
    head, arrays = opened(m.mark)
    for key, wrong in {
        "crossing": ({"times": [9.0], "count": 1}, {"count": 1}, {"looks": 10**9}, {"looking": -1}),
        "takeover": (
            {"spans": [[9.0, None]], "count": 1},
            {"spans": [[0.01, None]], "count": 1},  # without an end, and not at work
            {"seen": [-1, 0.0]},
            {"seen": [0, 9.0]},
            {"cost": -1.0},
        ),
    }.items():
        for values in wrong:
            m.refuses(packed({**head, key: {**head[key], **values}}, arrays))


def test_the_end_of_a_session_is_its_own() -> None:
    """A step that goes on beyond `until` is no step of this session; else no step does."""
    how: dict[str, Any] = {"integrator": "dop853"}
    s = jd.session(swinging(), **how)
    s.advance(0.5)
    mark, ahead = s.checkpoint(), s.loop.ahead
    assert ahead > 0.5
    with pytest.raises(jd.SimulationError, match=r"this session ends at until = 0\.5001 s"):
        jd.session(swinging(), until=0.5001, **how).restore(mark)
    other = jd.session(swinging(), until=2.0, **how)
    other.restore(mark)
    assert other.advance(5.0).ok and other.t == 2.0 and other.loop.ahead == 2.0


@pytest.mark.parametrize("integrator", ["rk4", "ab6", "newmark"])
def test_a_step_that_failed_is_not_written_down(integrator: str) -> None:
    """A fixed step leaves numbers that are none; from an earlier checkpoint all is well."""
    m = jd.Mechanism("arm", gravity=(0, -9.81))
    bar = m.body("bar", mass=2, inertia=2 / 12, position=(0.5, 0), points={"A": (-0.5, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    m.torque("motor", on=bar, torque="sqrt(0.1 - t)")
    s = jd.session(m, integrator=integrator, step=1e-3)
    s.advance(0.05)
    mark = s.checkpoint()
    assert not s.advance(0.2).ok
    with pytest.raises(jd.SimulationError, match=r"nothing to write down at t = 0.*restore an earlier checkpoint"):
        s.checkpoint()
    s.restore(mark)
    assert s.t == 0.05 and s.advance(0.04).ok


def test_every_field_that_is_kept_has_its_truth() -> None:
    """Of every coordinate set, treatment and integrator: what a checkpoint checks of it is said."""
    kept = {kind.name for kind in KINDS.values() if kind.use is Use.KEPT}
    for m in (jd.example("four_bar"), jd.example("heavy_top"), jd.example("bricard"), swinging(record=True)):
        for way in (*WAYS.values(), {"coordinates": jd.Natural(eliminate=True)}):
            blueprint = m.frozen()
            try:
                choices = chosen_for(blueprint, way)
            except jd.ChoiceError:
                continue
            model = compile_mechanism(blueprint, choices.set)
            for exact in (False, True):
                recipe = Plan(model, choices.treatment, choices.integrator, exact=exact).recipe
                kept |= {one.name for one in (*recipe.memory.values(), *recipe.method.values()) if one.use is Use.KEPT}
    others = {"clock", "counts", "words", "settings", "spent", "y", "now", "reference", "work"}
    assert kept | others == set(TRUTHS)
