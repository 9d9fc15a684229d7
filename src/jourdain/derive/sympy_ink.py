"""SymPy's expressions in our own print: read back as formulas, so that abbreviations and printers are the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..equations.formula import Formula, apply, leaf, number
from ..equations.formula import t as TIME
from .symbolic_rates import minus, negative, plus, times
from .sympy_objects import load_sympy
from .tidy import Tidy

_FUNCTIONS = {
    "Abs": "abs",
    "Min": "min",
    "Max": "max",
    **{name: name for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp")},
    **{name: name for name in ("log", "sign", "floor")},
}


class FormulasOf:
    """Formulas of expressions over known symbols, shared parts shared."""

    def __init__(self, keys: Mapping[Any, Any], time: Any) -> None:
        self._keys = keys  # of leaves, by symbol
        self._done: dict[Any, Formula] = {time: TIME}
        self._sp = load_sympy()

    def __call__(self, expression: Any) -> Formula:
        if expression not in self._done:
            self._done[expression] = self._made(expression)
        return self._done[expression]

    def _made(self, x: Any) -> Formula:
        sp = self._sp
        if x in self._keys:
            return leaf(self._keys[x])
        if x.is_Number:
            return number(float(x))
        if x.is_Add:
            return self._sum(x)
        if x.is_Mul:
            return self._product(x)
        if x.is_Pow:
            return self._power(x)
        name = type(x).__name__
        if name in _FUNCTIONS:
            found = [self(arg) for arg in x.args]
            while len(found) > 2:  # min and max of several
                found = [apply(_FUNCTIONS[name], *found[:2]), *found[2:]]
            return apply(_FUNCTIONS[name], *found)
        if isinstance(x, sp.Heaviside):
            return apply("step", self(x.args[0]))
        return leaf(("sympy", x))

    def _sum(self, x: Any) -> Formula:
        total = number(0.0)
        for term in sorted(x.as_ordered_terms(), key=lambda term: term.could_extract_minus_sign()):
            minus_sign = term.could_extract_minus_sign()
            part = self(-term) if minus_sign else self(term)
            total = minus(total, part) if minus_sign else plus(total, part)
        return total

    def _product(self, x: Any) -> Formula:
        coefficient, factors = x.as_coeff_mul()
        if coefficient.is_negative:
            return negative(self(-x))
        below = [f for f in factors if f.is_Pow and f.exp.is_Rational and f.exp.is_negative]
        above = sorted((f for f in factors if f not in below), key=self._rank)
        found = number(float(coefficient))
        for factor in above:
            found = times(found, self(factor))
        if not below:
            return found
        under = number(1.0)
        for factor in below:
            under = times(under, self(1 / factor))
        return found / under

    def _rank(self, factor: Any) -> int:
        """Masses stand first, then lengths, rates, functions and sums."""
        base = factor.base if factor.is_Pow else factor
        key = self._keys.get(base)
        if key is None:
            return 4 if base.is_Add else 3
        if key[0] == "given":
            return 0 if key[1].rpartition(".")[2] in ("mass", "inertia") else 1
        return 2

    def _power(self, x: Any) -> Formula:
        base, exponent = x.args
        if exponent.is_Rational and exponent.is_negative:
            return number(1.0) / self(base**-exponent)
        if exponent == self._sp.Rational(1, 2):
            return apply("sqrt", self(base))
        inner = self(base)
        return inner * inner if exponent == 2 else inner ** self(exponent)


def tidied(formulas: list[Formula]) -> list[Formula]:
    """All of them shorter, with what they share."""
    tidy = Tidy(formulas)
    return [tidy(f) for f in formulas]
