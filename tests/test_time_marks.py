"""Pulses of functions of time are not stepped over, whatever their shape, length and time."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jourdain as jd
from jourdain.equations.parse import formula as read
from jourdain.kernels.layout import fields as f
from jourdain.model.time_marks import FIRST, STRETCH, ClockFunctions, clock_functions, stretch_of

METHODS = ("dop853", "dopri5", "bdf", "radau", None)


def block(formula: str) -> jd.Mechanism:
    m = jd.Mechanism("block")
    b = m.body("b", mass=1.0, inertia=0.1, position=(0.0, 0.0), points={"P": (0.0, 0.0)})
    m.prismatic("S", m.ground.point("O", (0.0, 0.0)), b["P"])
    m.force("push", on=b["P"], vector=(formula, 0.0))
    return m


def functions(formula: str) -> tuple[ClockFunctions | None, np.ndarray]:
    model = jd.session(block(formula)).loop.workspace.model
    return clock_functions(model), model.fields[f.PARAMETERS][:, 0]


def pulse(shape: str, c: float, w: float) -> tuple[str, float]:
    """A pulse at c, about w long, and its integral."""
    return {
        "bell": (f"exp(-((t-{c})/{w})**2)/{w}", math.sqrt(math.pi)),
        "box": (f"(sign(t-{c})-sign(t-{c + w}))/2/{w}", 1.0),
        "tent": (f"max(0, 1-abs(t-{c})/{w})/{w}", 1.0),
        "steps": (f"(tanh((t-{c})/{w / 4})-tanh((t-{c + w})/{w / 4}))/2/{w}", 1.0),
        "peak": (f"1/(1+((t-{c})/{w / 4})**4)/{w}", math.pi / math.sqrt(2.0) / 4.0),
    }[shape]


def one_pulse(shape: str, seed: int) -> str:
    """A pulse of 1 ms to 0.3 s in a run of 5 to 100 s, alone or beside something else: what is wrong, if anything.

    Speed is the integral of the force.
    """
    rng = np.random.default_rng([seed, 20])
    end, w = 10.0 ** rng.uniform(0.7, 2.0), 10.0 ** rng.uniform(-3.0, -0.5)
    c = rng.uniform(0.1, 0.9) * (end - 3.0 * w)
    formula, momentum = pulse(shape, c, w)
    beside = 0.15 * (1.0 - math.cos(2.0 * end)) if seed % 2 else 0.0
    m = block(formula + ("+0.3*sin(2*t)" if seed % 2 else ""))
    method = METHODS[seed % len(METHODS)]
    found = jd.simulate(m, end, integrator=method, progress=False)["b.vx"][-1]
    # Tails of "peak" fall off with the cube of the distance: 1e-3 of it is farther than 2.5 w away.
    if abs(found - momentum - beside) <= 3e-3 * abs(momentum + beside):
        return ""
    return f"{formula}, {method}: {found} instead of {momentum + beside}"


def one_part(part: str, seed: int) -> str:
    """A pulse in something else than a force, in joint coordinates too: what is wrong, if anything.

    An element follows it slowly, and a motion goes on by 2 cm, with a block that hangs on the driven one by a damper.
    """
    rng = np.random.default_rng([seed, 77])
    end, w = 10.0 ** rng.uniform(0.7, 2.0), 10.0 ** rng.uniform(-3.0, -0.5)
    c = rng.uniform(0.1, 0.9) * (end - 3.0 * w)
    how = {"integrator": METHODS[seed % 5], "coordinates": (None, "relative")[seed // 5 % 2], "progress": False}
    words = f"{part} at {c}, {w} s long, {how}"
    if part == "element":
        formula, area = pulse(("bell", "box", "tent", "steps", "peak")[seed // 10 % 5], c, w)
        m = block("0")
        m.first_order("lag", input=formula, time_constant=1e4)
        found = 1e4 * jd.simulate(m, end, **how)["lag.output"][-1]
        allowed = 2e-2 * area + 1e4 * 3e-6  # a state of some 5e-5, to the absolute tolerance of 1e-6 of loose methods
        return "" if abs(found - area) <= allowed else f"{words}: {found} instead of {area}"
    if part == "table":
        m = block("0")
        table = jd.Table([0.0, c, c + w / 2, c + w, end + 1.0], [0.0, 0.0, 1.0 / w, 0.0, 0.0], kind="linear")
        m.force("pulse", on=m["b"]["P"], vector=(table, 0.0))
        found = jd.simulate(m, end, **how)["b.vx"][-1]
        return "" if abs(found - 0.5) <= 3e-3 else f"{words}: {found} instead of 0.5"
    run = jd.simulate(slides(f"0.01*tanh((t-{c})/{w})"), end, **how)
    kept = run["b.vx"] + run["b.x"] - run["a.x"]
    off = float(np.max(np.abs(kept - kept[0])))
    return "" if off < 2e-5 else f"{words}: {off} of 0.02 is lost"


def slides(formula: str) -> jd.Mechanism:
    """A driven slide, and a second one that hangs on it by a damper: v + x - x_driven stays as it was."""
    m = jd.Mechanism("slides")
    points = {"P": (0.0, 0.0)}
    a, b = (m.body(n, mass=1.0, inertia=0.1, position=(x, 0.0), points=points) for n, x in (("a", 0.0), ("b", 1.0)))
    m.prismatic("S", m.ground.point("O", (0.0, 0.0)), a["P"])
    m.prismatic("T", m.ground.point("Q", (1.0, 0.0)), b["P"])
    m.spring_damper("damper", a["P"], b["P"], damping=1.0, length=1.0)
    m.motion("drive", joint="S", displacement=formula, from_drawn=True)
    return m


@pytest.mark.parametrize("shape", ["bell", "box", "tent", "steps", "peak"])
def test_the_momentum_of_a_pulse_arrives(shape: str) -> None:
    for seed in range(10):
        assert one_pulse(shape, seed) == ""


@pytest.mark.parametrize("part", ["element", "table", "motion"])
def test_pulses_in_other_parts_arrive(part: str) -> None:
    for seed in range(10):
        assert one_part(part, seed) == ""


def test_a_run_in_pieces_takes_the_same_steps() -> None:
    m, times = block(pulse("bell", 5.0, 0.02)[0]), np.linspace(0.0, 10.0, 401)
    whole = jd.simulate(m, times=times, progress=False)
    s = jd.session(m)
    for t in times[1:]:
        s.advance(t - s.t)
    assert s["b.vx"] == whole["b.vx"][-1]


@pytest.mark.parametrize("name", ["b.mass", "c"], ids=["the same pulse", "pulses at other times"])
def test_variants_in_a_batch_see_the_pulse_too(name: str) -> None:
    """With the bits of single runs, whether numbers of the pulse itself vary or others."""
    m = block("exp(-((t-c)/0.01)**2)/0.01")
    m.parameter("c", 2.0)
    values = np.linspace(1.0, 8.0, 5)
    many = jd.simulate_many(m, 10.0, {name: values}, progress=False)
    momentum = np.array([many["b.vx"][k, -1] * (value if name == "b.mass" else 1.0) for k, value in enumerate(values)])
    np.testing.assert_allclose(momentum, math.sqrt(math.pi), rtol=1e-6)
    alone = jd.simulate(many.solution(3).blueprint, times=many.t, progress=False)
    assert np.array_equal(alone["b.vx"], many["b.vx"][3])


def test_parameters_that_an_event_sets_move_the_marks() -> None:
    """At 1 s the pulse is put from 2 s, where it would have come, to 6 s."""
    m = block("exp(-((t-c)/0.01)**2)/0.01")
    m.parameter("c", 2.0)
    m.event("later", "t - 1", set={"c": 6.0})
    run = jd.simulate(m, 10.0, progress=False)
    assert np.interp(5.0, run.t, run["b.vx"]) == pytest.approx(0.0, abs=1e-9)
    assert run["b.vx"][-1] == pytest.approx(math.sqrt(math.pi), rel=1e-6)


def test_prescribed_motions_and_elements_too() -> None:
    """A slide that goes out and back by 1 cm within 20 ms, and an element that follows a pulse like that."""
    m = jd.Mechanism("slide", gravity=(0.0, 0.0))
    a = m.body("a", mass=1.0, inertia=0.1, position=(0.0, 0.0), points={"P": (0.0, 0.0)})
    m.prismatic("S", m.ground.point("O", (0.0, 0.0)), a["P"])
    m.motion("drive", joint="S", displacement="0.01*exp(-((t-7)/0.02)**2)")
    m.first_order("lag", input="exp(-((t-7)/0.02)**2)/0.02", time_constant=1000.0)
    run = jd.simulate(m, 10.0, every=0.001, progress=False)
    assert run["S.displacement"].max() == pytest.approx(0.01, rel=1e-6)
    assert run["lag.output"][-1] == pytest.approx(math.sqrt(math.pi) / 1000.0, rel=1e-2)


@pytest.mark.parametrize("coordinates", ["angle", "relative"])
@pytest.mark.parametrize("integrator", ["dop853", "dopri5", "bdf", "radau"])
@pytest.mark.parametrize("w", [2e-3, 0.03, 0.3])
def test_a_motion_from_rest_to_rest_within_a_step_is_seen(w: float, integrator: str, coordinates: str) -> None:
    """A slide goes on by 2 cm, and another one follows."""
    m = slides(f"0.01*tanh((t-{7.0 + w})/{w})")
    run = jd.simulate(m, 20.0, integrator=integrator, coordinates=coordinates, progress=False)
    kept = run["b.vx"] + run["b.x"] - run["a.x"]
    np.testing.assert_allclose(kept, kept[0], rtol=0, atol=1e-6)
    assert run["b.x"][-1] - 1.0 == pytest.approx(0.02, rel=1e-4)


@pytest.mark.parametrize("formula", ["3*t**2 - t", "sin(3*t)*cos(40*t)", "5*t/7 + t**3"])
def test_what_hides_nothing_is_not_looked_at(formula: str) -> None:
    assert functions(formula)[0] is None


@pytest.mark.parametrize("formula", ["t*exp(-t)", "tanh(10*t)", "max(0, sin(7*t))", "5*(1-exp(-t/0.1))", "abs(sin(t))"])
def test_what_can_be_seen_anyway_costs_few_marks(formula: str) -> None:
    found, parameters = functions(formula)
    assert found is not None
    assert len(found.marks(parameters, 0.0, FIRST)) + len(found.marks(parameters, FIRST, STRETCH * FIRST)) < 50


FORMULAS = (
    "sin(t)*cos(3*t)-tan(t/20)",
    "exp(-t)*t**3 - t**(-2)",
    "sqrt(abs(t-3))+log(1+t**2)",
    "min(t, 3-t)*max(sin(t), 0.2)",
    "atan(t)/(2+cos(t))-asin(sin(t)/2)+acos(cos(t)/3)",
    "sinh(sin(t))+cosh(t-2)-tanh(t)",
    "sign(sin(t))*atan2(t, 2)",
    "(t-2)**(-1) + (t-1)**2.5",
)


@pytest.mark.parametrize("formula", FORMULAS)
def test_bounds_hold_all_values(formula: str) -> None:
    found, parameters = functions(formula)
    assert found is not None
    rng = np.random.default_rng(8)
    value = read(formula)
    lo = rng.uniform(0.0, 6.0, 200)
    hi = lo + 10.0 ** rng.uniform(-4.0, 0.7, 200)
    root = found.nodes[-1][0]
    with np.errstate(all="ignore"):
        least, most = found._bounds(root, parameters, lo, hi)
    for a, b, low, high in zip(lo, hi, least, most, strict=True):
        for t in rng.uniform(a, b, 20):
            try:
                x = value(t)
            except (ValueError, ZeroDivisionError):
                continue
            rounding = 1e-12 * max(1.0, abs(x))
            assert not (x < low - rounding or x > high + rounding), (t, a, b)


@pytest.mark.parametrize("formula", [*FORMULAS, "abs(sin(t))*tan(t/10)", "max(t, 3-t)/(1+t)"])
def test_rates_are_those_of_differences_and_lie_within_their_bounds(formula: str) -> None:
    """Of a single time, bounds are the rate itself, against differences; of an interval, they hold all of these."""
    found, parameters = functions(formula)
    assert found is not None
    rng = np.random.default_rng(9)
    root = found.nodes[-1][0]
    lo = rng.uniform(0.3, 6.0, 100)
    hi = lo + 10.0 ** rng.uniform(-4.0, 0.7, 100)
    seen = 0
    with np.errstate(all="ignore"):
        least, most = found._rate_bounds(root, parameters, lo, hi)
        for k in range(100):
            t = rng.uniform(lo[k], hi[k], 20)
            rate, _ = found._rate_bounds(root, parameters, t, t)
            before, here, ahead = (found.values(root, parameters, t + h) for h in (-1e-6, 0.0, 1e-6))
            sure = (np.abs(ahead - 2 * here + before) < 1e-9) & (np.abs(rate) < 1e3)  # no corner, no pole
            slack = 1e-5 * (1.0 + np.abs(rate))
            assert np.all((np.abs(rate - (ahead - before) / 2e-6) < slack)[sure])
            assert np.all(((rate > least[k] - slack) & (rate < most[k] + slack))[sure])
            seen += int(np.sum(sure))
    assert seen > 1000


def test_stretches_cover_all_times_once() -> None:
    for t in (0.0, 1e-9, 1.0, 1.6, 5.0, 25.6, 1e5, -1e-9, -1.6, -3.0, -1e4):
        begin, end = stretch_of(t)
        assert begin <= t < end
        assert stretch_of(end)[0] == end or end == 0.0


@pytest.mark.parametrize("integrator", [None, "dopri5", "radau", "bdf"])
@pytest.mark.parametrize("when", ["sin({w}*t)", "p*cos({w}*t - 0.3) + 0.2*b.vx", "t*sin({w}*t**2/2)"])
def test_every_zero_of_a_wave_is_an_event(when: str, integrator: str | None) -> None:
    """However long steps could be: nothing else moves here. A chirp turns faster and faster."""
    w, end = 1234.5, 0.4
    m = block("0")
    m.parameter("p", 3.0)
    m.event("pass_by", when.format(w=w), direction="both")
    run = jd.simulate(m, end, integrator=integrator, progress=False)
    turned = w * end**2 / 2 if "t**2" in when else w * end
    turned += math.pi / 2 - 0.3 if "cos" in when else 0.0
    assert len(run.events["pass_by"].t) == int(turned / math.pi)


def test_waves_in_a_session_and_after_a_change_of_the_frequency() -> None:
    m = block("0")
    m.parameter("w", 2000.0)
    m.event("wave", "sin(w*t)", direction="rising")
    m.event("faster", "t - 1.7", set={"w": 20000.0})
    times = np.linspace(0.0, 1.75, 30)
    run = jd.simulate(m, times=times, progress=False)
    t = run.events["wave"].t
    assert np.sum(t < 1.7) == int(2000.0 * 1.7 / (2 * math.pi))
    assert np.sum(t > 1.7) == pytest.approx(20000.0 * 0.05 / (2 * math.pi), abs=1.0)
    s = jd.session(m)
    for sample, there in zip(run.samples[1:], times[1:], strict=True):
        s.advance(to=there)
        assert np.array_equal(s.y, sample)
