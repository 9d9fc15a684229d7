"""Profiles in formulas: values and derivatives against closed forms, corners stepped to, what is refused and why."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jourdain as jd
from jourdain.equations.formula import FormulaError
from jourdain.equations.parse import formula
from jourdain.equations.profiles import PROFILES
from jourdain.equations.smoothness import POSITION, SPEED, rough, smoothness
from tape_machine import Machine


def in_kernel(f, t):
    return Machine(f).forward(t, {})[0].real


LAWS = [name for name, (least, most, _) in PROFILES.items() if least == most == 3 and name not in ("where", "clip")]
CAMS = [name for name in LAWS if name != "ramp"]
VALUES = [
    ("ramp(t, 1, 4)", 2.5, 0.5),
    ("harmonic(t, 1, 4)", 2.5, 0.5),
    ("where(t < 1, 2, 3)", 0.5, 2.0),
    ("where(t < 1, 2, 3)", 1.0, 3.0),
    ("where(t <= 1, 2, 3)", 1.0, 2.0),
    ("where(t > 1 and t < 2, 5, 7)", 1.5, 5.0),
    ("where(not (t > 1) or t >= 2, 5, 7)", 1.5, 7.0),
    ("where(0 < t < 1, 1, 0)", 0.5, 1.0),
    ("where(t > 0, log(t), 0)", -1.0, 0.0),
    ("piecewise(t, 1, 10, 2, 20, 30)", 0.9, 10.0),
    ("piecewise(t, 1, 10, 2, 20, 30)", 1.0, 20.0),
    ("piecewise(t, 1, 10, 2, 20, 30)", 2.0, 30.0),
    ("mod(t, 3)", -1.0, 2.0),
    ("mod(t, -3)", 1.0, -2.0),
    ("clip(t, -1, 2)", 5.0, 2.0),
    ("step(t, 1)", 1.0, 1.0),
    ("step(t, 1)", 0.999, 0.0),
    ("ramp(t, 1, 3)", 1.5, 0.25),
    ("trapezoid(t, 0, 1, 2, 4)", 3.0, 0.5),
    ("trapezoid(t, 0, 1, 2, 4)", 9.0, 0.0),
    ("max(1, t, t**2)", 3.0, 9.0),
]


@pytest.mark.parametrize("text, t, value", VALUES)
def test_values_in_python_and_in_the_kernel(text, t, value):
    f = formula(text)
    assert f(t) == pytest.approx(value, abs=1e-15)
    assert in_kernel(f, t) == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize("name", LAWS)
def test_laws_go_from_0_to_1_and_are_as_smooth_as_they_say(name):
    f = formula(f"{name}(t, 1, 3)")
    assert [f(0.0), f(1.0), f(2.0), f(3.0), f(9.0)] == pytest.approx([0, 0, 0.5, 1, 1], abs=1e-15)
    t = np.linspace(0.5, 3.5, 30_001)
    values = np.array([f(x) for x in t])
    assert np.all(np.diff(values) >= -1e-15)
    order = smoothness(f).order
    h = t[1] - t[0]
    for k in range(3):
        jump = float(np.max(np.abs(np.diff(values))))
        assert (jump < 50 * h) == (order >= k)
        values = np.diff(values) / h


@pytest.mark.parametrize(
    "name, peak", [("cycloid", 2 * math.pi), ("modified_sine", 5.528), ("modified_trapezoid", 4.888)]
)
def test_peak_accelerations_of_cam_laws(name, peak):
    """Norton, Cam Design and Manufacturing Handbook (2002), table 3-1: factors of h / beta^2."""
    f = formula(f"{name}(t, 0, 1)")
    t = np.linspace(0, 1, 4001)
    values = np.array([f(x) for x in t])
    assert np.max(np.diff(values, 2)) / (t[1] ** 2) == pytest.approx(peak, rel=1e-3)


@pytest.mark.parametrize(
    "text, order",
    [
        ("where(t < 1, t**2, 2*t - 1)", 1),
        ("where(t < 1, t, 3*t - 2)", 0),
        ("where(t < 1, 0, 1)", -1),
        ("piecewise(t, 1, 0, 2, (t - 1)**2, 2*t - 3)", 1),
        ("abs(t)", 0),
        ("mod(t, 2)", -1),
        ("poly4567(t, 0, 1) + harmonic(t, 0, 1)", 1),
    ],
)
def test_smoothness(text, order):
    assert smoothness(formula(text)).order == order
    assert (rough(formula(text), POSITION) is None) == (order >= 1)
    assert (rough(formula(text), SPEED) is None) == (order >= 0)


@pytest.mark.parametrize(
    "text, words",
    [
        ("t < 1", "expected it first in where"),
        ("where(t, 1, 2)", "is no condition"),
        ("ramp(t, 2, 1)", "expected an end after the beginning"),
        ("piecewise(t, 2, 1, 1, 0, 3)", "do not rise"),
        ("clip(t, 1)", "clip takes 3 arguments, not 2"),
        ("trapezoid(t, 0, 2, 1, 3)", "before x1"),
    ],
)
def test_what_cannot_be_read(text, words):
    with pytest.raises(FormulaError, match=words):
        formula(text)


def driven(**motion) -> jd.Mechanism:
    m = jd.Mechanism("slide")
    body = m.body("b", mass=2, inertia=1, position=(0, 0), points={"A": (0, 0)})
    m.prismatic("S", m.ground.point("A", (0, 0)), body["A"])
    m.motion("drive", joint="S", **motion)
    return m


@pytest.mark.parametrize("integrator, step", [("dop853", None), ("rk4", 3e-3), ("radau", None)])
def test_corners_over_time_are_stepped_to(integrator, step):
    m = driven(speed="0.1*trapezoid(t, 0.3, 0.5, 2.5, 3.5)")
    run = jd.simulate(m, 4.0, integrator=integrator, step=step)
    assert run["b.x"][-1] == pytest.approx(0.1 * (0.1 + 2 + 0.5), abs=1e-9)
    if step is None:
        assert run.statistics.rejected <= 2


def test_a_periodic_speed():
    """A triangle a period of 0.7 s, by a table: each travels the same."""
    run = jd.simulate(driven(speed=jd.Table([0, 0.35], [0.35, 0], periodic=0.7)), 7.0)
    assert run["b.x"][-1] == pytest.approx(10 * 0.35**2, abs=1e-9)


@pytest.mark.parametrize("name", CAMS)
def test_a_rise_by_a_cam_law_with_its_force(name):
    run = jd.simulate(driven(displacement=f"0.02*{name}(t, 0.5, 1.5)"), 2.0)
    assert run["b.x"][-1] == pytest.approx(0.02, abs=1e-12)
    assert np.abs(run["b.vx"][run.t > 1.5 + 1e-9]).max() <= 1e-12
    assert np.allclose(run["drive.force"], 2 * run["b.ax"], atol=1e-9)


@pytest.mark.parametrize(
    "motion, words", [({"displacement": "ramp(t, 0, 1)"}, "poly345"), ({"speed": "step(t, 1)"}, "ramp")]
)
def test_what_is_refused_says_what_to_use(motion, words):
    with pytest.raises(jd.MechanismError, match=words):
        jd.simulate(driven(**motion), 1.0)


def test_a_parameter_may_bear_the_name_of_a_profile():
    m = driven(speed="step*t")
    m.parameter("step", 0.5)
    assert jd.simulate(m, 1.0)["b.vx"][-1] == pytest.approx(0.5)


def test_a_force_that_jumps_over_a_channel():
    """A brake of 3 N from 0.1 m on: it stops after v^2 m / (2 F) more."""
    m = jd.Mechanism("brake")
    body = m.body("b", mass=2, inertia=1, position=(0, 0), velocity=(0.6, 0), points={"A": (0, 0)})
    m.prismatic("S", m.ground.point("A", (0, 0)), body["A"])
    m.force("brake", on=body["A"], vector=("-3*step(b.x, 0.1)", 0))
    m.event("rest", "b.vx", direction="falling", stop=True)
    run = jd.simulate(m, 5.0)
    assert run["b.x"][-1] == pytest.approx(0.1 + 0.36 * 2 / 6, abs=1e-7)


# Events at corners ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator, step", [("dop853", None), ("rk4", 1e-2), ("radau", None)])
@pytest.mark.parametrize(
    "force, when, times",
    [
        ("0", "step(t, 0.5) - 0.5", [0.5]),  # what it watches jumps
        ("step(t, 0.3)", "b.ax - 0.2", [0.3]),
        ("where(t < 0.4, 0, 2)", "t - 0.4", [0.4]),  # it passes zero where a force jumps
        ("0", "mod(t, 0.2) - 0.1", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
    ],
)
def test_events_at_corners_over_time_happen(integrator, step, force, when, times):
    m = pushed(force)
    m.event("e", when, direction="both")
    run = jd.simulate(m, 1.0, every=0.1, integrator=integrator, step=step)
    assert run.status.ok and run.events["e"].t == pytest.approx(times, abs=1e-12)


@pytest.mark.parametrize("integrator, step", [("dop853", None), ("rk4", 1e-2)])
def test_an_event_at_a_corner_may_stop_and_set(integrator, step):
    """A force of 1 N from 0.3 s on, taken away by the acceleration that it causes: nothing ever moves."""
    m = pushed("k*step(t, 0.3)")
    m.parameter("k", 1.0)
    m.event("off", "b.ax - 0.2", set={"k": 0.0})
    m.event("end", "step(t, 0.7) - 0.5", stop=True)
    run = jd.simulate(m, 1.0, integrator=integrator, step=step)
    assert run.t[-1] == pytest.approx(0.7, abs=1e-12) and "end" in run.status.sentence
    assert np.abs(run["b.vx"]).max() < 1e-12


def pushed(force) -> jd.Mechanism:
    m = jd.Mechanism("slide")
    body = m.body("b", mass=2, inertia=1, position=(0, 0), points={"A": (0, 0)})
    m.prismatic("S", m.ground.point("A", (0, 0)), body["A"])
    m.force("push", on=body["A"], vector=(force, 0))
    return m


@pytest.mark.parametrize("integrator, step", [("dop853", None), ("rk4", 7e-3)])
def test_batches_step_to_corners_too(integrator, step):
    """A pulse of 0.3 s with flanks of 0.1 ms: v = F t / m, and x from it."""
    m = pushed("k*pulse(t)")
    m.parameter("k", 1.0)
    m.table("pulse", jd.Table([0, 0.3, 0.3001, 0.6, 0.6001, 1], [0, 0, 1, 1, 0, 0]))
    many = jd.simulate_many(m, 1.0, variants={"k": [1.0, 2.0]}, integrator=integrator, step=step)
    assert many["b.vx"][:, -1] == pytest.approx([0.15, 0.3], abs=1e-12)
    assert many["b.x"][:, -1] == pytest.approx([0.0824925, 0.164985], abs=1e-12)


# Sensitivities --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "force, derivative",
    [
        ("k*t**2", 1 / 24),  # x = k t^4 / 24 for a mass of 2 kg
        ("k*(t - 0.5)**3", -1 / 160),  # x = k ((t - 1/2)^5 + 1/32) / 40 - k t / 128
        ("poly345(t, 0, k)", None),
        ("k*pulse(t)", 0.0824925),
        ("k*pulse(b.x + t)", None),
    ],
)
def test_profiles_and_refusing_tables_in_sensitivities(force, derivative):
    def built(k: float) -> jd.Mechanism:
        m = pushed(force)
        m.parameter("k", k)
        m.table("pulse", jd.Table([-1, 0, 0.3, 0.3001, 0.6, 0.6001, 3], [0, 0, 0, 1, 1, 0, 0]))
        return m

    found = jd.sensitivity(built(1.0), "k", of="b.x", duration=1.0)
    h = 1e-4
    ends = [jd.simulate(built(k), 1.0, rtol=1e-12)["b.x"][-1] for k in (1 - h, 1 + h)]
    assert found["b.x", "k"][-1] == pytest.approx((ends[1] - ends[0]) / (2 * h), rel=1e-5, abs=1e-9)
    if derivative is not None:
        assert found["b.x", "k"][-1] == pytest.approx(derivative, rel=1e-9)


@pytest.mark.parametrize(
    "text, slopes",
    [
        ("ramp(t, 0, 1)", {0.0: 1.0, 1.0: 0.0}),
        ("trapezoid(t, 0, 1, 2, 4)", {0.0: 1.0, 1.0: 0.0, 2.0: -0.5, 4.0: 0.0}),
        ("clip(2*t, 0, 2)", {0.0: 2.0, 1.0: 0.0}),
    ],
)
def test_at_a_corner_slopes_are_those_behind_it(text, slopes):
    for t, slope in slopes.items():
        assert Machine(formula(text)).forward(t, {})[1] == slope
