"""Batches in vector lanes: the number type lane by lane against NumPy, and variants against the same run one by one."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.analysis import simulate_many as batches
from jourdain.engine.kernel_cache import load_kernels
from jourdain.engine.lanes_memory import SideBySide
from jourdain.engine.lanes_workspace import aligned_lanes

SPAN, EVERY = 2.0, 0.03
COUNT = 29  # no multiple of the lanes, and more than are there
RNG = np.random.default_rng(5)  # of parameters of tests only: what tests draw must not depend on their order
EQUAL = 1e-12  # of the largest value of a channel


def double_pendulum() -> jd.Mechanism:
    m = jd.Mechanism("double pendulum", gravity=(0, -9.81))
    ends = {"A": (-0.5, 0), "B": (0.5, 0)}
    upper = m.body("upper", mass=1, inertia=1 / 12, position=(0.5, 0), angle=0, spin=0, velocity=(0, 0), points=ends)
    lower = m.body("lower", mass=1, inertia=1 / 12, position=(1.5, 0), angle=0, velocity=(0, 0), spin=0, points=ends)
    m.revolute("A", m.ground.point("A", (0, 0)), upper["A"])
    m.revolute("B", upper["B"], lower["A"])
    return m


def assert_equal(m, variants, channels, **how):
    alone = jd.simulate_many(m, SPAN, variants, every=EVERY, lanes=False, **how)
    beside = jd.simulate_many(m, SPAN, variants, every=EVERY, lanes=True, **how)
    assert [s.sentence for s in beside.statuses] == [s.sentence for s in alone.statuses]
    assert [(s.steps, s.rejected) for s in beside.statistics] == [(s.steps, s.rejected) for s in alone.statistics]
    for name in channels:
        expected = alone[name]
        assert np.ptp(expected) > 1e-3, f"{name} says nothing"
        assert np.max(np.abs(beside[name] - expected)) <= EQUAL * np.max(np.abs(expected)), name


@pytest.mark.parametrize(
    "variants",
    [
        {"spring.stiffness": RNG.uniform(50, 300, COUNT), "spring.damping": RNG.uniform(0, 3, COUNT)},
        {"crank.mass": RNG.uniform(1, 5, COUNT), "gravity.y": RNG.uniform(-20, -1, COUNT)},
    ],
    ids=["springs", "masses"],
)
def test_four_bars(variants):
    channels = ["coupler.x", "crank.angle", "A.fx", "spring.force", "energy.kinetic", "energy.dissipated"]
    assert_equal(machines.four_bar("AC").frozen(), variants, channels)


@pytest.mark.parametrize("how", [{}, {"integrator": "dopri5"}, {"integrator": "rk4", "step": 1e-3}])
def test_starts(how):
    spin = np.random.default_rng(6).uniform(-3, 3, COUNT)
    across = np.outer(spin, (0, 0.5))
    variants = {"upper.spin": spin, "upper.velocity": across, "lower.velocity": 2 * across}
    assert_equal(double_pendulum().frozen(), variants, ["lower.angle", "B.fy"], **how)


def test_spatial_mechanisms():
    m = jd.Mechanism("bars on balls", gravity=(0, 0, -9.81))
    ends = {"A": (-0.5, 0, 0), "B": (0.5, 0, 0)}
    box = {"mass": 1, "inertia": (0.01, 0.1, 0.1), "points": ends}
    upper = m.body("upper", position=(0.5, 0, 0), spin=(1, 2, 3), **box)
    lower = m.body("lower", position=(1.5, 0, 0), **box)
    m.spherical("A", m.ground.point("A", (0, 0, 0)), upper["A"])
    m.spherical("B", upper["B"], lower["A"])
    m.spring_damper("spring", m.ground.point("S", (1, 1, 0)), lower["B"], stiffness=20, damping=0.1, length=1)
    rng = np.random.default_rng(7)
    variants = {"lower.mass": rng.uniform(0.5, 2, COUNT), "spring.stiffness": rng.uniform(5, 50, COUNT)}
    assert_equal(m.frozen(), variants, ["lower.x", "upper.qz", "B.fz", "energy.kinetic"])


def test_more_runs_than_lanes_end_at_different_times_and_all_are_there():
    stiffness = np.linspace(1, 2000, 3 * COUNT)
    many = jd.simulate_many(machines.four_bar("AC"), SPAN, {"spring.stiffness": stiffness}, lanes=True, keep="end")
    assert many.ok.all()
    assert len(set(many["coupler.x"][:, -1].tolist())) == 3 * COUNT


def test_positions_that_are_singular_are_left_to_the_ordinary_way():
    """Rhombs that fold flat: rank is lost there, in some lanes and not in others."""
    m = machines.n_four_bar(2).frozen()
    variants = {"gravity.y": np.linspace(-9.81, -3.0, 9)}
    alone = jd.simulate_many(m, SPAN, variants, every=EVERY, lanes=False)
    beside = jd.simulate_many(m, SPAN, variants, every=EVERY, lanes=True)
    name = f"{m.bodies[0].name}.angle"
    assert [s.sentence for s in beside.statuses] == [s.sentence for s in alone.statuses]
    assert np.max(np.abs(beside[name] - alone[name])) <= EQUAL * np.max(np.abs(alone[name]))


def test_large_batches_take_lanes_by_themselves(monkeypatch):
    taken = []
    run = SideBySide.run
    monkeypatch.setattr(SideBySide, "run", lambda self, *given: (taken.append(1), run(self, *given))[1])
    variants = {"spring.stiffness": np.linspace(100, 200, 8)}
    jd.simulate_many(machines.four_bar("AC"), 0.1, variants, keep="end")
    assert not taken
    monkeypatch.setattr(batches, "LANES_FROM", 8)
    jd.simulate_many(machines.four_bar("AC"), 0.1, variants, keep="end")
    assert taken
    taken.clear()
    jd.simulate_many(machines.four_bar("AC"), 0.1, variants, keep="end", integrator="rk6", step=1e-3)
    assert not taken  # cannot: the ordinary way, without a word


@pytest.mark.parametrize(
    ("variants", "how", "words"),
    [
        ({"spring.stiffness": [1.0, 2.0]}, {"integrator": "rk6", "step": 1e-3}, "the integrator is none of dop853"),
        ({"spring.stiffness": [1.0, 2.0]}, {"coordinates": "natural"}, "coordinates 'natural' are not made for them"),
        ({"crank.position.x": [0.1, 0.2]}, {}, "variants need Python on their way"),
        ({"spring.stiffness": [1.0, 2.0]}, {"lanes": "yes"}, "lanes is 'yes'; expected True or False"),
    ],
)
def test_lanes_that_cannot_be_had_are_refused(variants, how, words):
    with pytest.raises(jd.ChoiceError, match=words):
        jd.simulate_many(machines.four_bar("AC"), 0.1, variants, keep="end", **{"lanes": True, **how})


def test_arithmetic_is_that_of_each_lane():
    k = load_kernels()
    over, choose, larger, width = (
        k.lane_numbers.lanes_over,
        k.lane_numbers.choose,
        k.lane_numbers.larger,
        k.lane_numbers.WIDTH,
    )

    @numba.njit(_nrt=False)
    def calculate(x_, y_, out_):
        x, y, out = over(x_)[0], over(y_)[0], over(out_)[0]
        for i in range(x.size):
            total = 1.0
            total += x[i] * y[i] - x[i] / y[i]
            total -= 2.0 * x[i]
            total *= -y[i]
            out[i] = total + np.sqrt(abs(x[i])) + x[i] ** 2 + choose(x[i], y[i], 3.0 * y[i]) + larger(abs(x[i]), y[i])

    x, y, out = (aligned_lanes(1, 50) for _ in range(3))
    rng = np.random.default_rng(8)
    x[...], y[...] = rng.normal(size=x.shape), rng.uniform(0.5, 2, size=y.shape)
    calculate(x, y, out)
    total = (1 + x * y - x / y - 2 * x) * -y
    expected = total + np.sqrt(np.abs(x)) + x**2 + np.where(x > 0, y, 3 * y) + np.maximum(np.abs(x), y)
    assert out.shape == (1, 50, width)
    np.testing.assert_allclose(out, expected, rtol=1e-15, atol=2e-15)


def test_comparisons_hold_in_all_lanes_and_nan_is_largest():
    k = load_kernels()
    over, larger = k.lane_numbers.lanes_over, k.lane_numbers.larger

    @numba.njit(_nrt=False)
    def compare(x_, answers, out_):
        x, out = over(x_)[0], over(out_)[0]
        for i in range(x.size):
            answers[i, 0] = x[i] < 1.0
            answers[i, 1] = x[i] >= 1.0
            answers[i, 2] = x[i] == 0.0
            answers[i, 3] = x[i] != 0.0
            out[i] = larger(0.0 * abs(x[0]), x[i])

    x, out = aligned_lanes(1, 4), aligned_lanes(1, 4)
    x[0, 1] = 2.0
    x[0, 2, 3] = 2.0
    x[0, 3, -1] = np.nan
    answers = np.zeros((4, 4), dtype=bool)
    compare(x, answers, out)
    assert answers.tolist() == [
        [True, False, True, False],
        [False, True, False, True],
        [False, False, False, True],
        [False, False, False, True],
    ]
    assert out[0, 3, -1] == np.inf
    assert out[0, 2].tolist() == x[0, 2].tolist()
