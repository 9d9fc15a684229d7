"""A user's functions as formulas: what is traced is the function, what cannot be traced says why."""

from __future__ import annotations

import math
from math import sin
from typing import Any

import numpy as np
import pytest
from numba import njit

from jourdain.equations.formula import Formula, leaf, t
from jourdain.equations.tracing import reads_only_arguments, trace, traced

X, Y = leaf("x"), leaf("y")
GAIN = 3.0


def helper(x: Any) -> Any:
    return math.exp(-x) + math.atan2(x, 2.0)


@njit
def compiled_helper(x: Any) -> Any:
    return math.cos(x)


@njit
def compiled(x: Any) -> Any:
    return compiled_helper(x) * math.hypot(x, 1.0)


def with_closure() -> Any:
    gain = 4.0
    return lambda x: gain * math.sqrt(x * x + 1)


FUNCTIONS: dict[str, Any] = {
    "polynomial": lambda x: 3 * x**2 - x / 4 + 1,
    "math": lambda x: math.sin(x) + math.pow(x, 2) + math.radians(x) + math.fabs(x) + math.pi,
    "imported name": lambda x: sin(x) * GAIN,
    "numpy": lambda x: np.sin(x) * np.tanh(x) - np.arctan2(x, 2.0) + np.abs(x) + np.float64(2) * x + np.square(x),
    "helper": lambda x: helper(x) + helper(2 * x),
    "closure": with_closure(),
    "compiled": compiled,
    "right operators": lambda x: 2 - (3 + x) + 4 / (x * x + 1) + 2**x + -x,
    "constant": lambda x: 2.0,
    "array": lambda x: np.array([1.0, 2.0]) @ np.array([x, x**2]),
    "default argument": lambda x, a=2.0, *, b=3.0: a * x + b,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_traced_functions_are_the_function(name: str) -> None:
    function = FUNCTIONS[name]
    f = traced(function, [X])
    assert isinstance(f, Formula)
    for x in (-1.3, 0.2, 2.7):
        assert f(0.0, lambda key, x=x: x) == pytest.approx(function(x), rel=1e-14)


def test_several_arguments_and_results() -> None:
    found = trace(lambda a, b: (a[0] * b, a[1] + b), [(X, Y), t])
    assert found.results is not None
    assert [f(5.0, {"x": 2.0, "y": 3.0}.__getitem__) for f in found.results] == [10.0, 8.0]
    assert not found.single


def piecewise(x: float) -> float:
    return 1.0 if x == 0 else math.sin(x) / x


REFUSED: dict[str, tuple[Any, str]] = {
    "branch": (lambda x: x if x > 0 else -x, "asks for the value of an argument"),
    "equality": (piecewise, "asks for the value of an argument"),
    "truth": (lambda x: 1.0 if x else 2.0, "asks for the value of an argument"),
    "float": (lambda x: float(x), "asks for the value of an argument"),
    "unknown function": (lambda x: math.erf(x), "asks for the value of an argument"),
    "exception": (lambda x: 1 / 0, "ZeroDivisionError: division by zero"),
    "text": (lambda x: "many", "it cannot be called with symbols"),
    "random": (lambda x: x * np.random.default_rng().random(), "it depends on more than its arguments"),
    "undefined": (lambda x: math.sqrt(x - 1e6), "no finite number at any of the points"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_traced_says_why(name: str) -> None:
    function, reason = REFUSED[name]
    found = trace(function, [X])
    assert found.results is None
    assert reason in found.reason
    assert traced(function, [X]) is None


def test_functions_that_know_symbols_from_numbers_are_refused() -> None:
    assert traced(lambda x: 2 * x if isinstance(x, float) else x, [X]) is None


def test_the_users_function_is_not_changed() -> None:
    before = dict(helper.__globals__)
    assert traced(lambda x: helper(x), [X]) is not None
    assert all(helper.__globals__[name] is value for name, value in before.items())
    assert helper(1.0) == math.exp(-1.0) + math.atan2(1.0, 2.0)


def changes_a_global(x: float) -> float:
    global GAIN
    GAIN = x
    return x


def test_what_reads_only_its_arguments() -> None:
    assert reads_only_arguments(lambda x: math.sin(x) + np.cos(x) + helper(x) + abs(x))
    assert reads_only_arguments(compiled)
    assert not reads_only_arguments(lambda x: GAIN * x)
    assert not reads_only_arguments(with_closure())
    assert not reads_only_arguments(changes_a_global)
    assert not reads_only_arguments(lambda x: (lambda y: GAIN * y)(x))
