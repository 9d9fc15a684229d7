"""Formulas in t: the kernel's stack machine against Python's `math`, derivatives against complex steps.

Two ways of judging. Operations that IEEE 754 rounds correctly (+ - * / sqrt, and abs, sign, min, max, which do not
round at all) must agree to the last bit, in trees of any shape. Functions of a mathematics library may differ from
another library's by a few units in the last place, so each of them is tried alone.

Derivatives are compared with Im f(t + ih) / h at h = 1e-30, which subtracts nothing and needs only the function
itself: an oracle that shares no rule of differentiation with the code.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numba import njit

from jourdain.compiled.kernels import load_kernels
from jourdain.equations.formula import CODES, FUNCTIONS, STACK_DEPTH, Formula, FormulaError, apply, number, t
from jourdain.equations.parse import MAX_LENGTH, MAX_NESTING, formula

EPS = np.finfo(float).eps
# Libraries promise results within 1 to 4 units in the last place; two of them may err in opposite directions.
LIBRARY = 8 * EPS
TIMES = np.random.default_rng(1).uniform(-3.0, 3.0, 40)

kernel = load_kernels().formula
_evaluate = kernel.evaluate


@njit(error_model="numpy")
def _values(program: Any, times: Any) -> Any:
    out = np.empty(times.size)
    stack = np.empty((32, 1))
    for k in range(times.size):
        out[k] = _evaluate(program, 0, program.shape[0], times[k], stack)
    return out


def by_kernel(f: Formula, times: Any) -> np.ndarray:
    """Values from the stack machine."""
    program = np.array(f.program(), dtype=float).reshape(-1, 1)
    return np.asarray(_values(program, np.atleast_1d(np.asarray(times, dtype=float))))


# Codes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CODES)
def test_codes_are_those_of_the_kernel(name: str) -> None:
    assert getattr(kernel, name.upper()) == CODES[name]


def test_stack_depths_agree() -> None:
    assert kernel.STACK_DEPTH == STACK_DEPTH


def test_every_function_has_a_code() -> None:
    assert set(FUNCTIONS) <= set(CODES)
    assert sorted(CODES.values()) == list(range(len(CODES)))


# Values ---------------------------------------------------------------------------------------------------------

# Text, the same in plain Python, and the times where it is defined.
OPERATIONS: dict[str, tuple[str, Callable[[float], float], Any]] = {
    "const": ("2.5", lambda x: 2.5, TIMES),
    "t": ("t", lambda x: x, TIMES),
    "add": ("t + 0.7", lambda x: x + 0.7, TIMES),
    "sub": ("0.7 - t", lambda x: 0.7 - x, TIMES),
    "mul": ("t * 1.3", lambda x: x * 1.3, TIMES),
    "div": ("1.3 / t", lambda x: 1.3 / x, TIMES),
    "pow": ("t ** 3", lambda x: math.pow(x, 3), TIMES),
    "pow fraction": ("t ** 0.3", lambda x: math.pow(x, 0.3), abs(TIMES)),
    "pow of a number": ("1.7 ** t", lambda x: math.pow(1.7, x), TIMES),
    "pow of t": ("t ** t", lambda x: math.pow(x, x), abs(TIMES)),
    "neg": ("-t", lambda x: -x, TIMES),
    "plus": ("+t", lambda x: x, TIMES),
    "sin": ("sin(t)", math.sin, TIMES),
    "cos": ("cos(t)", math.cos, TIMES),
    "tan": ("tan(t)", math.tan, TIMES),
    "asin": ("asin(t)", math.asin, TIMES / 3),
    "acos": ("acos(t)", math.acos, TIMES / 3),
    "atan": ("atan(t)", math.atan, TIMES),
    "sinh": ("sinh(t)", math.sinh, TIMES),
    "cosh": ("cosh(t)", math.cosh, TIMES),
    "tanh": ("tanh(t)", math.tanh, TIMES),
    "exp": ("exp(t)", math.exp, TIMES),
    "log": ("log(t)", math.log, abs(TIMES)),
    "sqrt": ("sqrt(t)", math.sqrt, abs(TIMES)),
    "abs": ("abs(t)", abs, TIMES),
    "sign": ("sign(t)", lambda x: float(np.sign(x)), np.append(TIMES, 0.0)),
    "atan2": ("atan2(t, 0.5)", lambda x: math.atan2(x, 0.5), TIMES),
    "atan2 turned": ("atan2(0.5, t)", lambda x: math.atan2(0.5, x), TIMES),
    "min": ("min(t, 0.5)", lambda x: min(x, 0.5), TIMES),
    "max": ("max(t, 0.5)", lambda x: max(x, 0.5), TIMES),
    "constants": ("pi * t + e", lambda x: math.pi * x + math.e, TIMES),
}


def test_every_code_is_tried() -> None:
    assert set(CODES) <= set(OPERATIONS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_kernel_equals_math(name: str) -> None:
    text, function, times = OPERATIONS[name]
    expected = [float(function(x)) for x in times]
    np.testing.assert_allclose(by_kernel(formula(text), times), expected, rtol=LIBRARY, atol=0)


@pytest.mark.parametrize("name", OPERATIONS)
def test_calling_a_formula_equals_math(name: str) -> None:
    text, function, times = OPERATIONS[name]
    f = formula(text)
    assert [f(x) for x in times] == [float(function(x)) for x in times]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 - 3 - 4", -5.0),
        ("2 / 4 / 5", 0.1),
        ("2 ** 3 ** 2", 512.0),
        ("-2 ** 2", -4.0),
        ("(1 + 2) * 3 - 4 / 8", 8.5),
        ("2**-1", 0.5),
    ],
)
def test_precedence_is_pythons(text: str, value: float) -> None:
    # With t in every place the whole must be computed by the machine, not folded into a constant.
    moving = formula("".join(f"({c}*t)" if c.isdigit() else c for c in text))
    assert formula(text) == number(value)
    np.testing.assert_allclose(by_kernel(moving, 1.0), value, rtol=LIBRARY)


def test_undefined_values_are_not_finite_numbers() -> None:
    """The kernel must not stop on them: the run ends with a sentence when it meets one."""
    for text, time in (("1/t", 0.0), ("log(t)", -1.0), ("sqrt(t)", -1.0), ("asin(t)", 2.0), ("exp(t)", 1e4)):
        assert not np.isfinite(by_kernel(formula(text), time)).any(), text
    assert np.isnan(by_kernel(formula("t ** 0.5"), -1.0)).all()


# Random trees ---------------------------------------------------------------------------------------------------

ROUND_NUMBERS = st.floats(-8, 8, width=16).map(number)


def trees(one: tuple[str, ...], two: tuple[str, ...], leaves: int) -> st.SearchStrategy[Formula]:
    """Formulas over t and short numbers."""

    def grow(inner: Any) -> Any:
        return st.builds(Formula, st.sampled_from(one), st.tuples(inner)) | st.builds(
            Formula, st.sampled_from(two), st.tuples(inner, inner)
        )

    return st.recursive(st.just(t) | ROUND_NUMBERS, grow, max_leaves=leaves)


@settings(deadline=None, database=None, max_examples=200)
@given(trees(("neg", "sqrt", "abs", "sign"), ("add", "sub", "mul", "div", "min", "max"), 25), st.floats(-8, 8))
def test_correctly_rounded_trees_agree_to_the_last_bit(f: Formula, time: float) -> None:
    try:
        expected = f(time)
    except (ZeroDivisionError, ValueError):  # where Python raises, the machine returns what is not finite
        assume(False)
    assume(not math.isnan(expected))  # which of two NaN `min` returns is nobody's promise
    assert by_kernel(f, time)[0] == expected


def _turn(y: complex, x: complex) -> float:
    """Imaginary part of atan2; the smaller of the two quotients keeps it accurate."""
    return cmath.atan(y / x).imag if abs(x.real) > abs(y.real) else -cmath.atan(x / y).imag


def complex_value(f: Formula, z: complex) -> complex:
    """Value of a tree at a complex time, by `cmath`. What is not analytic turns by the sign of the real part."""
    if f.op == "const":
        return complex(f.value)
    if f.op == "t":
        return z
    a, *rest = (complex_value(arg, z) for arg in f.args)
    if f.op in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt"):
        return complex(getattr(cmath, f.op)(a))
    sign = (a.real > 0) - (a.real < 0)
    simple: dict[str, Callable[[], complex]] = {
        "neg": lambda: -a,
        "abs": lambda: sign * a,
        "sign": lambda: complex(sign),
        "add": lambda: a + rest[0],
        "sub": lambda: a - rest[0],
        "mul": lambda: a * rest[0],
        "div": lambda: a / rest[0],
        # The principal logarithm, but of a negative base with a whole exponent.
        "pow": lambda: a ** int(rest[0].real) if f.args[1].constant and f.args[1].value % 1 == 0 else a ** rest[0],
        "atan2": lambda: complex(math.atan2(a.real, rest[0].real), _turn(a, rest[0])),
    }
    return simple[f.op]()


H = 1e-30


def slope(f: Formula, time: float) -> float:
    return complex_value(f, complex(time, H)).imag / H


SMOOTH = [name for name in OPERATIONS if name not in ("min", "max")]


def inside(f: Formula) -> Formula:
    """f(3 t - 0.25): an inner derivative other than 1 shows a forgotten chain rule."""
    if f.op == "t":
        return 3 * t - 0.25
    return Formula(f.op, tuple(inside(arg) for arg in f.args), f.value)


@pytest.mark.parametrize("name", SMOOTH)
def test_first_and_second_derivative(name: str) -> None:
    text, _, times = OPERATIONS[name]
    f = inside(formula(text))
    for _ in range(2):
        derivative = f.derivative()
        for time in (times[times != 0] + 0.25) / 3:
            # Near the edges of their range asin and acos lose the digits of 1 - t^2; 1e-10 leaves room for that.
            assert derivative(time) == pytest.approx(slope(f, time), rel=1e-10, abs=1e-12)
        f = derivative


SMOOTH_ONE = ("neg", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs")


def magnitudes(f: Formula, z: complex) -> list[float]:
    """Sizes of all values and slopes inside a tree."""
    value = complex_value(f, z)
    inside = [size for arg in f.args for size in magnitudes(arg, z)]
    return [abs(value.real), abs(value.imag) / H, *inside]


@settings(deadline=None, database=None, max_examples=300)
@given(
    trees(SMOOTH_ONE, ("add", "sub", "mul", "div", "pow", "atan2"), 6),
    st.floats(0.05, 2).flatmap(lambda time: st.sampled_from([time, -time])),
)
def test_derivatives_of_random_trees(f: Formula, time: float) -> None:
    try:
        f(time)  # undefined for real numbers: no derivative to speak of
        found = f.derivative()(time)
        sizes = magnitudes(f, complex(time, H))
    except (ArithmeticError, ValueError):
        assume(False)
    # Between these sizes a handful of operations amplify rounding by 1e9 at most; a wrong rule is wrong by its
    # own size.
    assume(max(sizes) < 1e2)
    assert found == pytest.approx(slope(f, time), rel=1e-6, abs=1e-6)


# What is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["min", "max"])
def test_no_derivative_of(name: str) -> None:
    words = f"'{name}' has no derivative everywhere and cannot stand in a joint's equation"
    with pytest.raises(FormulaError, match=words):
        formula(f"1 + sin({name}(t, 1))").derivative()
    # Of two numbers it is a number.
    assert formula(f"{name}(1, 2) * t").derivative() == number({"min": 1.0, "max": 2.0}[name])


def nested(levels: int) -> Formula:
    """t - (t - (t - ...)): needs `levels` places on the stack; t or 0 by turns."""
    return formula("t-(" * (levels - 1) + "t" + ")" * (levels - 1))


def test_deepest_formula_that_fits() -> None:
    assert by_kernel(nested(STACK_DEPTH), 3.0)[0] == 0.0
    assert by_kernel(nested(STACK_DEPTH - 1), 3.0)[0] == 3.0


def test_formula_too_deep_for_the_stack() -> None:
    deep = nested(STACK_DEPTH + 1)
    with pytest.raises(FormulaError, match=r"the formula is nested too deeply \(33 > 32\); split it"):
        deep.program()


def test_length_and_brackets_have_limits() -> None:
    fits = "(" * MAX_NESTING + "t" + ")" * MAX_NESTING
    assert formula(fits) == t
    with pytest.raises(FormulaError, match=r"brackets are nested 61 deep \(at most 60\)"):
        formula(f"({fits})")
    assert formula("t" + " " * (MAX_LENGTH - 1)) == t
    with pytest.raises(FormulaError, match=r"a formula of 10001 characters is too long \(at most 10000\)"):
        formula("t" + " " * MAX_LENGTH)


@pytest.mark.parametrize("value", ["1", None, True, 1j, [1]], ids=repr)
def test_only_numbers_go_into_formulas(value: Any) -> None:
    with pytest.raises(TypeError):
        t + value
    with pytest.raises(TypeError, match="is neither a number nor a formula in t"):
        apply("sin", value)


def test_constants_are_folded() -> None:
    assert formula("2 * pi / 4 + cos(0)") == number(math.pi / 2 + 1)
    assert formula("0 * sin(t) + 1 * t ** 1 - 0") == t
    assert formula("3 + 4").derivative() == formula("t ** 0 * 5").derivative() == number(0.0)
    assert (2 ** (1 / t)) == formula("2 ** (1 / t)")
    assert (1 - t) / 3 == formula("(1 - t) / 3")
