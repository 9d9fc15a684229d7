"""Jets, which carry derivatives through users' functions that branch: against the tape of the same formula."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jourdain as jd
from jourdain.equations.formula import apply, leaf, t
from jourdain.equations.jets import Jet
from jourdain.equations.user_functions import UserFunction
from tape_machine import Machine

X, Y = leaf(("position", 0, 0)), leaf(("position", 1, 1))
MOTION = {("position", 0, 0): (0.6, 1.3, -0.7), ("position", 1, 1): (0.83, -0.9, 1.1)}
TIME = 0.4

# A function of numbers or jets, and the formula it stands for.
CASES = {
    "sum": (lambda x, y, s: x + 2 - y + 3.0 * s - (1 - x), lambda x, y, s: x + 2 - y + 3.0 * s - (1 - x)),
    "product": (lambda x, y, s: -x * y * s * 2.5, lambda x, y, s: -x * y * s * 2.5),
    "quotient": (lambda x, y, s: x / y + 2 / x + y / 3, lambda x, y, s: x / y + 2 / x + y / 3),
    "powers": (lambda x, y, s: x**3 + y**-1.5 + 2**x + x**y, lambda x, y, s: x**3 + y**-1.5 + 2**x + x**y),
    "atan2": (lambda x, y, s: np.arctan2(x - 1, y), lambda x, y, s: apply("atan2", x - 1, y)),
    "atan2 steep": (lambda x, y, s: np.arctan2(x, 0.1 * y), lambda x, y, s: apply("atan2", x, 0.1 * y)),
    "abs": (lambda x, y, s: abs(x - 1) * y, lambda x, y, s: -(x - 1) * y),
    **{
        name: (
            lambda x, y, s, numpy=numpy: getattr(np, numpy)(x * y),
            lambda x, y, s, name=name: apply(name, x * y),
        )
        for name, numpy in {
            **{n: n for n in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt")},
            "asin": "arcsin",
            "acos": "arccos",
            "atan": "arctan",
        }.items()
    },
}


@pytest.mark.parametrize("name", CASES)
def test_a_function_with_jets_is_its_formula(name):
    function, formula = CASES[name]
    called = Machine(UserFunction(function, name, smooth=True).of(X, Y, t)[0])
    written = Machine(formula(X, Y, t))
    # Both carry the same derivatives in double precision: a few roundings apart.
    np.testing.assert_allclose(called.forward(TIME, MOTION), written.forward(TIME, MOTION), rtol=1e-13, atol=1e-13)
    (gradient, slope), (expected, expected_slope) = called.reverse(TIME), written.reverse(TIME)
    assert slope == pytest.approx(expected_slope, rel=1e-13, abs=1e-13)
    for key in MOTION:
        assert gradient[key] == pytest.approx(expected.get(key, 0.0), rel=1e-13, abs=1e-13)


def test_comparisons_look_at_values():
    x = Jet(2.0, 1.0, 0.0, np.ones(1))
    assert x > 1 and x >= 2 and x < 3 and x <= Jet(2.0, 0.0, 0.0, np.zeros(1))
    with pytest.raises(TypeError, match="use numpy's functions"):
        math.sin(x)


def bead(formula, **more):
    m = jd.Mechanism("bead", gravity=(0, -9.81))
    bead = m.body("bead", mass=1, inertia=1, position=(0.5, 0), angle=0, points={"P": (0, 0)})
    m.equation("wire", formula=formula, ports=(bead["P"],), **more)
    return jd.simulate(m, 1.5, rtol=1e-10)


def test_a_branching_equation_is_its_smooth_twin():
    """A wire in the shape of a parabola, by a function whose branches are all the same curve."""

    def branching(p):
        x, y = p.position
        if x < 0:
            return y - x * x + 0.25
        return y + 0.25 - x**2

    def smooth(p):
        return p.position[1] - p.position[0] ** 2 + 0.25

    one, other = bead(branching), bead(smooth)
    assert one.status.ok
    np.testing.assert_allclose(one["bead.x"], other["bead.x"], rtol=0, atol=1e-10)
    np.testing.assert_allclose(one["bead.ay"], other["bead.ay"], rtol=0, atol=1e-7)


def test_math_is_replaced_in_branching_functions():
    def branching(p):
        x, y = p.position
        return y - math.cos(x) + math.cos(0.5) if x > -100 else 0.0

    run = bead(branching)
    np.testing.assert_allclose(run["bead.y"], np.cos(run["bead.x"]) - np.cos(0.5), rtol=0, atol=1e-11)
