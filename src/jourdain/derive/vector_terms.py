"""The term algebra of joints: sums of c a.b over the vectors of two ports, and what differentiation makes of them.

    C     = sum c a.b + f                                                       (Marquis-Favre 2006, eq. 13)
    C'    = sum c (a'.b + a.b') + c' a.b + f'                                   (24)
    C''   = sum c (a''.b + 2 a'.b' + a.b'') + 2 c' (a'.b + a.b') + c'' a.b + f''   (26, misprints mended)
    gamma = -(C'' at zero accelerations)                                        (26)
    F_i = -lam dC/dOM,  F_j = -lam dC/dON,  couples -lam a x dC/da              (17)

with a' = w x a, a'' = w' x a + w x (w x a) for axes, and velocities and accelerations for points. Nothing is expanded:
a derivative of n products is at most a few n products.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..equations.formula import Formula, number
from ..equations.vectors import Scalar
from .formula_ink import ink_of
from .ink import Ink, Pairing, Symbol, added, multiplied
from .symbolic_rates import ONE, ZERO, derivative, is_zero, negative, times

Values = Mapping[str, Any]


@dataclass(frozen=True)
class V:
    """A vector that can be printed and has a value: a name, or a cross product of such."""

    name: str
    parts: tuple[V, ...] = ()  # of a cross product, or of a difference
    kind: str = "symbol"  # symbol, cross, minus, plus

    def ink(self) -> Ink:
        if self.kind == "symbol":
            return _SYMBOLS[self.name]
        if self.kind == "cross":
            return Pairing(self.parts[0].ink(), self.parts[1].ink(), "x")
        sign = -1 if self.kind == "minus" else 1
        return added([(1, self.parts[0].ink()), (sign, self.parts[1].ink())])

    def value(self, at: Values) -> Any:
        if self.kind == "symbol":
            return at[self.name]
        a, b = (part.value(at) for part in self.parts)
        return cross(a, b) if self.kind == "cross" else a - b if self.kind == "minus" else a + b


def cross(a: Any, b: Any) -> Any:
    """Of vectors along the last axis; a good deal quicker than NumPy's for a few."""
    (a0, a1, a2), (b0, b1, b2) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)


def _symbol(name: str) -> V:
    return V(name)


def crossed(a: V, b: V) -> V:
    return V(f"({a.name}x{b.name})", (a, b), "cross")


def _minus(a: V, b: V) -> V:
    return V(f"({a.name}-{b.name})", (a, b), "minus")


def _plus(a: V, b: V) -> V:
    return V(f"({a.name}+{b.name})", (a, b), "plus")


_SYMBOLS: dict[str, Ink] = {
    **{name: Symbol(name, vector=True) for name in ("OM", "ON", "MN")},
    **{f"{a}_{s}": Symbol(a, s, vector=True) for a in "xyz" for s in "ij"},
    **{f"e_{a}": Symbol("e", a, vector=True) for a in "xyz"},
    **{f"V_{p}": Symbol("V", p, vector=True) for p in "MN"},
    **{f"A_{p}": Symbol("A", p, vector=True) for p in "MN"},
    **{f"w_{s}": Symbol("omega", s, vector=True) for s in "ij"},
    **{f"dw_{s}": Symbol("omega", s, dots=1, vector=True) for s in "ij"},
    "r_i": Symbol("GM", "i", vector=True),
    "r_j": Symbol("GN", "j", vector=True),
}


def derivatives_of(name: str) -> tuple[V, V | None, V | None, V | None]:
    """A vector of a joint, its rate, its second rate, and of that what remains without accelerations."""
    a = _symbol(name)
    if name.startswith("e_"):
        return a, None, None, None
    if name == "MN":
        rates = [derivatives_of(p) for p in ("OM", "ON")]
        first, second, rest = (_minus(n, m) for m, n in zip(rates[0][1:], rates[1][1:], strict=True))  # type: ignore[arg-type]
        return a, first, second, rest
    side = "i" if name.endswith(("_i", "OM")) else "j"
    w, dw = _symbol(f"w_{side}"), _symbol(f"dw_{side}")
    if name in ("OM", "ON"):
        arm = _symbol(f"r_{side}")
        return a, _symbol(f"V_{name[1]}"), _symbol(f"A_{name[1]}"), crossed(w, crossed(w, arm))
    first, turning = crossed(w, a), crossed(w, crossed(w, a))
    return a, first, _plus(crossed(dw, a), turning), turning


@dataclass(frozen=True)
class Term:
    """coefficient(t) times a . b."""

    coefficient: Formula
    a: V
    b: V


class Line:
    """A sum of terms and a function of time; equal products are put together."""

    def __init__(self, terms: Iterable[tuple[Formula, V | None, V | None]], free: Formula = ZERO) -> None:
        found: dict[tuple[str, ...], Term] = {}
        for c, a, b in terms:
            if a is None or b is None or is_zero(c):
                continue
            key = tuple(sorted((a.name, b.name)))
            old = found.get(key)
            found[key] = Term(c, a, b) if old is None else Term(old.coefficient + c, old.a, old.b)
        self.terms = [term for term in found.values() if not is_zero(term.coefficient)]
        self.free = free

    def negated(self) -> Line:
        return Line(((negative(term.coefficient), term.a, term.b) for term in self.terms), negative(self.free))

    def ink(self) -> Ink:
        parts = [signed(term.coefficient, Pairing(term.a.ink(), term.b.ink(), ".")) for term in self.terms]
        if not is_zero(self.free):
            parts.append(signed(self.free, None))
        return added(parts)

    def value(self, at: Values, times: Any) -> Any:
        """At many poses, by rows of `at`, and as many times."""
        total = at_times(self.free, times)
        for term in self.terms:
            total = total + at_times(term.coefficient, times) * np.sum(term.a.value(at) * term.b.value(at), axis=-1)
        return total


def at_times(c: Formula, times: Any) -> Any:
    """A coefficient at many times."""
    return np.full(len(times), c.value) if c.op == "const" else np.array([c(float(time)) for time in times])


def signed(c: Formula, rest: Ink | None) -> tuple[int, Ink]:
    """Sign and product of a coefficient and a product."""
    sign = 1
    if c.op == "const" and c.value < 0:
        sign, c = -1, number(-c.value)
    elif c.op == "neg":
        sign, c = -1, c.args[0]
    factor = ink_of(c, lambda key: Symbol(str(key)))
    return sign, factor if rest is None else multiplied(factor.within(2), rest)


def rate_in_time(c: Formula) -> Formula:
    return derivative(c, lambda key: None, ONE)


@dataclass(frozen=True)
class JointRow:
    """One equation of a joint and everything that follows from it."""

    scalar: Scalar
    meaning: str

    @cached_property
    def C(self) -> Line:
        listed = ((c, _symbol(a), _symbol(b)) for (a, b), c in self.scalar.products.items())
        return Line(listed, self.scalar.free)

    @cached_property
    def rate(self) -> Line:
        terms: list[tuple[Formula, V | None, V | None]] = []
        for (a, b), c in self.scalar.products.items():
            (A, dA, *_), (B, dB, *_) = derivatives_of(a), derivatives_of(b)
            terms += [(c, dA, B), (c, A, dB), (rate_in_time(c), A, B)]
        return Line(terms, rate_in_time(self.scalar.free))

    def _second(self, which: int) -> Line:
        terms: list[tuple[Formula, V | None, V | None]] = []
        two = number(2.0)
        for (a, b), c in self.scalar.products.items():
            A, B = derivatives_of(a), derivatives_of(b)
            dc = rate_in_time(c)
            terms += [(c, A[which], B[0]), (times(two, c), A[1], B[1]), (c, A[0], B[which])]
            terms += [(times(two, dc), A[1], B[0]), (times(two, dc), A[0], B[1]), (rate_in_time(dc), A[0], B[0])]
        return Line(terms, rate_in_time(rate_in_time(self.scalar.free)))

    @cached_property
    def acceleration(self) -> Line:
        return self._second(2)

    @cached_property
    def gamma(self) -> Line:
        return self._second(3).negated()

    def gradient(self, name: str) -> list[tuple[Formula, V]]:
        """dC/da as a sum of coefficients times vectors, a one of OM, ON and the axes."""
        found: list[tuple[Formula, V]] = []
        for (a, b), c in self.scalar.products.items():
            for mine, other in ((a, b), (b, a)):
                if mine == name:
                    found.append((c, _symbol(other)))
                elif mine == "MN" and name in ("OM", "ON"):
                    found.append((c if name == "ON" else negative(c), _symbol(other)))
        return _merged(found)

    @cached_property
    def _loads(self) -> dict[str, list[tuple[Formula, V]]]:
        """Forces and couples over lam, by side."""
        found = {}
        for side, point in (("i", "OM"), ("j", "ON")):
            found[f"F{side}"] = [(negative(c), v) for c, v in self.gradient(point)]
            axes = [f"{a}_{side}" for a in "xyz"]
            couples = [(negative(c), crossed(_symbol(axis), v)) for axis in axes for c, v in self.gradient(axis)]
            found[f"C{side}"] = _merged(couples)
        return found

    def force(self, side: str) -> list[tuple[Formula, V]]:
        """On the body of a side at its port, over lam: -dC/dOM or -dC/dON."""
        return self._loads[f"F{side}"]

    def couple(self, side: str) -> list[tuple[Formula, V]]:
        """At the port, over lam: -sum a x dC/da over its axes."""
        return self._loads[f"C{side}"]


def _merged(parts: list[tuple[Formula, V]]) -> list[tuple[Formula, V]]:
    found: dict[str, tuple[Formula, V]] = {}
    for c, v in parts:
        found[v.name] = (found[v.name][0] + c, v) if v.name in found else (c, v)
    return [(c, v) for c, v in found.values() if not is_zero(c)]


def vector_sum(rows: list[tuple[int, list[tuple[Formula, V]]]]) -> Ink:
    """A sum over rows of lam_k times vectors."""
    parts = []
    for k, row in rows:
        for c, v in row:
            sign, factor = signed(c, Symbol("lambda", str(k)))
            parts.append((sign, multiplied(factor, v.ink().within(3))))
    return added(parts)


def sum_value(rows: list[tuple[Any, list[tuple[Formula, V]]]], at: Values, times: Any) -> Any:
    """The value of such a sum at many poses, with numbers for lam, one for each of them."""
    found = np.zeros((len(times), 3))
    for lam, row in rows:
        for c, v in row:
            found = found + (lam * at_times(c, times))[:, None] * v.value(at)
    return found
