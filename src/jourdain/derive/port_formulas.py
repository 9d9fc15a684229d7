"""Equations of a planar joint in the variables that its ports pass on: x, y and angle of M and N, and their rates.

As Marquis-Favre writes them (eqs 22, 28, 29, 30): with a' = theta' (z x a) for axes, the factors theta', theta'' and
theta'^2 stand before brackets. The terms with theta'^2 that the paper drops are kept: they vanish without drift only.
"""

from __future__ import annotations

from typing import Any

from ..equations.formula import Formula, apply, leaf, number
from ..equations.vectors import Scalar
from .ink import Ink, Symbol
from .symbolic_rates import ZERO, minus, negative, plus, times
from .vector_terms import rate_in_time

Pair = tuple[Formula, Formula]


def _v(name: str, order: int) -> Formula:
    return leaf(("port", name, order))


def port_ink(key: Any) -> Ink:
    """x_M, theta_M and their rates; multipliers."""
    if key[0] == "lam":
        return Symbol("lambda", str(key[1]))
    name, index = key[1].split("_")
    return Symbol(name, index, dots=key[2])


class _Vector:
    """A vector of a port: X, and its rates as sums of (factor, X)."""

    def __init__(self, name: str) -> None:
        self.point = name in ("OM", "ON", "MN")
        if name == "MN":
            self.parts = [tuple(minus(_v(f"{c}_N", k), _v(f"{c}_M", k)) for c in "xy") for k in range(3)]
        elif self.point:
            self.parts = [tuple(_v(f"{c}_{name[1]}", k) for c in "xy") for k in range(3)]
        elif name.startswith("e_"):
            self.parts = [(number(float(name == "e_x")), number(float(name == "e_y")))]
        else:
            self.angle = f"theta_{'M' if name.endswith('_i') else 'N'}"
            theta = _v(self.angle, 0)
            c, s = apply("cos", theta), apply("sin", theta)
            self.parts = [(c, s) if name[0] == "x" else (negative(s), c)]
        self.fixed = name.startswith("e_")

    def rates(self, order: int) -> list[tuple[Formula, Pair]]:
        """The derivative as a sum of factors times pairs."""
        X: Any = self.parts[0]
        if order == 0:
            return [(number(1.0), X)]
        if self.fixed:
            return []
        if self.point:
            return [(number(1.0), self.parts[order])]  # type: ignore[list-item]
        across = (negative(X[1]), X[0])
        if order == 1:
            return [(_v(self.angle, 1), across)]
        return [(_v(self.angle, 2), across), (negative(_v(self.angle, 1) ** 2.0), X)]


def _products(a: _Vector, b: _Vector, i: int, j: int) -> Formula:
    """a^(i) . b^(j) with the factors before it."""
    total = ZERO
    for fa, A in a.rates(i):
        for fb, B in b.rates(j):
            total = plus(total, times(times(fa, fb), plus(times(A[0], B[0]), times(A[1], B[1]))))
    return total


def in_port_variables(scalar: Scalar) -> tuple[Formula, Formula, Formula]:
    """C, C' and C''."""
    C, rate, second = scalar.free, rate_in_time(scalar.free), rate_in_time(rate_in_time(scalar.free))
    for (first, other), c in scalar.products.items():
        a, b = _Vector(first), _Vector(other)
        dc = rate_in_time(c)
        same = first == other
        C = plus(C, times(c, _products(a, b, 0, 0)))
        if same:
            once = times(number(2.0), _products(a, b, 1, 0))
            twice = times(number(2.0), plus(_products(a, b, 2, 0), _products(a, b, 1, 1)))
        else:
            once = plus(_products(a, b, 1, 0), _products(a, b, 0, 1))
            twice = plus(_products(a, b, 2, 0), times(number(2.0), _products(a, b, 1, 1)), _products(a, b, 0, 2))
        rate = plus(rate, times(c, once), times(dc, _products(a, b, 0, 0)))
        second = plus(second, times(c, twice), times(times(number(2.0), dc), once))
        second = plus(second, times(rate_in_time(dc), _products(a, b, 0, 0)))
    return C, rate, second


def port_loads(rows: list[Any]) -> dict[str, Formula]:
    """F_x, F_y and C_z on either body at its port: of all rows together."""
    found: dict[str, Formula] = {}
    for side in "ij":
        F = [ZERO, ZERO]
        couple = ZERO
        for k, row in enumerate(rows):
            lam = leaf(("lam", k + 1))
            for c, v in row.force(side):
                X: Any = _Vector(v.name).parts[0]
                F = [plus(F[n], times(times(lam, c), X[n])) for n in range(2)]
            for axis in (f"x_{side}", f"y_{side}"):
                for c, v in row.gradient(axis):
                    A, B = (_Vector(name).parts[0] for name in (axis, v.name))
                    moment = minus(times(A[0], B[1]), times(A[1], B[0]))
                    couple = minus(couple, times(times(lam, c), moment))
        found |= {f"F_x{side}": F[0], f"F_y{side}": F[1], f"C_z{side}": couple}
    return found
