"""Bounds of formulas on intervals, and of their rates: interval arithmetic, operation by operation.

An interval may be a single number; then bounds are values. What cannot be bounded may be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels.layout import tape_operations as op

Array = npt.NDArray[Any]
Bounds = tuple[Array, Array]


def value(kind: int, given: Sequence[Bounds], tables: Sequence[tuple[Array, Array]], table: int) -> Bounds:
    """Of an operation on arguments with these bounds; of a table, that with this number."""
    if kind == op.TABLE_OF:
        return _of_table(*tables[table], *given[0])
    if kind == op.WHERE:
        return _chosen(*given)
    if kind <= op.MAX:
        return _BINARY[kind](*given[0], *given[1])
    return _unary(kind, *given[0])


def rate(kind: int, given: Sequence[Bounds], rates: Sequence[Bounds], found: Bounds) -> Bounds:
    """Of the rate of an operation, from arguments, their rates and the operation itself."""
    if kind == op.T:
        return np.ones_like(found[0]), np.ones_like(found[0])
    if kind in (op.CONST, op.PARAMETER, op.SIGN, op.FLOOR, op.STEP):  # between their corners, which are stepped to
        return np.zeros_like(found[0]), np.zeros_like(found[0])
    if kind == op.WHERE:
        return _chosen(given[0], rates[1], rates[2])
    if kind in (op.ADD, op.SUB):
        return _BINARY[kind](*rates[0], *rates[1])
    if kind == op.MUL:
        return _sum(_product(*rates[0], *given[1]), _product(*given[0], *rates[1]))
    if kind == op.DIV:
        return _quotient(*_difference(rates[0], _product(*found, *rates[1])), *given[1])
    if kind == op.ATAN2:
        turned = _difference(_product(*rates[0], *given[1]), _product(*given[0], *rates[1]))
        return _quotient(*turned, *_sum(_even(*given[0], np.square), _even(*given[1], np.square)))
    if kind == op.POW:
        base, (c, d) = given
        if not np.all(c == d):
            return np.full_like(c, -np.inf), np.full_like(c, np.inf)
        return _product(*_product(c, d, *_power(*base, c - 1.0, d - 1.0)), *rates[0])
    if kind in (op.MIN, op.MAX):
        (a, b), (c, d) = given
        first, second = (b < c, d < a) if kind == op.MIN else (d < a, b < c)
        lo, hi = np.minimum(rates[0][0], rates[1][0]), np.maximum(rates[0][1], rates[1][1])
        return (
            np.where(first, rates[0][0], np.where(second, rates[1][0], lo)),
            np.where(first, rates[0][1], np.where(second, rates[1][1], hi)),
        )
    return _product(*_slope(kind, given[0], found), *rates[0])


def _slope(kind: int, given: Bounds, found: Bounds) -> Bounds:
    """Of the derivative of a function of one argument."""
    lo, hi = given
    one = np.ones_like(lo)
    if kind == op.NEG:
        return -one, -one
    if kind == op.SIN:
        return _wave(lo, hi, 0.0)
    if kind == op.COS:
        return _wave(lo, hi, -np.pi / 2)
    if kind in (op.TAN, op.TANH):
        a, b = _even(*found, np.square)
        return (1.0 + a, 1.0 + b) if kind == op.TAN else (1.0 - b, 1.0 - a)
    if kind in (op.ASIN, op.ACOS, op.ATAN):
        a, b = _even(lo, hi, np.square)
        if kind == op.ATAN:
            return 1.0 / (1.0 + b), 1.0 / (1.0 + a)
        a, b = 1.0 / np.sqrt(1.0 - a), 1.0 / np.sqrt(np.maximum(1.0 - b, 0.0))
        return (a, b) if kind == op.ASIN else (-b, -a)
    if kind == op.SINH:
        return _even(lo, hi, np.cosh)
    if kind == op.COSH:
        return np.sinh(lo), np.sinh(hi)
    if kind == op.EXP:
        return found
    if kind == op.LOG:
        return _quotient(one, one, lo, hi)
    if kind == op.SQRT:
        return 0.5 / found[1], 0.5 / found[0]
    if kind == op.ABS:
        return np.sign(lo), np.sign(hi)
    return np.full_like(lo, -np.inf), np.full_like(hi, np.inf)


def _sum(first: Bounds, second: Bounds) -> Bounds:
    return first[0] + second[0], first[1] + second[1]


def _difference(first: Bounds, second: Bounds) -> Bounds:
    return first[0] - second[1], first[1] - second[0]


def _product(a: Array, b: Array, c: Array, d: Array) -> Bounds:
    products = np.nan_to_num(np.stack([a * c, a * d, b * c, b * d]), nan=0.0, posinf=np.inf, neginf=-np.inf)
    return products.min(axis=0), products.max(axis=0)


def _quotient(a: Array, b: Array, c: Array, d: Array) -> Bounds:
    lo, hi = _product(a, b, 1.0 / d, 1.0 / c)
    through = (c <= 0.0) & (d >= 0.0)
    return np.where(through, -np.inf, lo), np.where(through, np.inf, hi)


def _power(a: Array, b: Array, c: Array, d: Array) -> Bounds:
    corners = np.stack([a**c, a**d, b**c, b**d])
    lo, hi = corners.min(axis=0), corners.max(axis=0)
    whole = (c == d) & (c == np.round(c))
    even, through = whole & (np.mod(c, 2.0) == 0.0), (a < 0.0) & (b > 0.0)
    lo = np.where(even & through & (c > 0.0), 0.0, lo)
    pole = through & whole & (c < 0.0)
    lo, hi = np.where(pole & ~even, -np.inf, lo), np.where(pole, np.inf, hi)
    unknown = (a < 0.0) & ~whole
    return np.where(unknown, -np.inf, lo), np.where(unknown, np.inf, hi)


def _wave(lo: Array, hi: Array, shift: float) -> Bounds:
    """Of a sine whose crests are at shift + 2 pi k."""
    turn = 2.0 * np.pi

    def passes(at: float) -> Array:
        found: Array = np.floor((hi - at) / turn) >= np.ceil((lo - at) / turn)
        return found

    a, b = np.cos(lo - shift), np.cos(hi - shift)
    most = np.where(passes(shift), 1.0, np.maximum(a, b))
    return np.where(passes(shift + np.pi), -1.0, np.minimum(a, b)), most


def _even(lo: Array, hi: Array, function: Callable[[Array], Array]) -> Bounds:
    """Of a function that grows with the distance from zero."""
    a, b = function(lo), function(hi)
    through = (lo < 0.0) & (hi > 0.0)
    return np.where(through, function(np.zeros_like(lo)), np.minimum(a, b)), np.maximum(a, b)


def _of_table(breaks: Array, values: Array, lo: Array, hi: Array) -> Bounds:
    """By the values at the breaks inside; between them a spline goes hardly farther."""
    a, b = np.interp(lo, breaks, values), np.interp(hi, breaks, values)
    first, last = np.searchsorted(breaks, lo), np.searchsorted(breaks, hi)
    least, most = np.minimum(a, b), np.maximum(a, b)
    for k in np.flatnonzero(last > first):
        inside = values[first.flat[k] : last.flat[k]]
        least.flat[k], most.flat[k] = min(least.flat[k], inside.min()), max(most.flat[k], inside.max())
    return least, most


def _angle(a: Array, b: Array, c: Array, d: Array) -> Bounds:
    """Of atan2: at corners, unless the half-line where it jumps is touched."""
    corners = np.stack([np.arctan2(a, c), np.arctan2(a, d), np.arctan2(b, c), np.arctan2(b, d)])
    jumps = (c <= 0.0) & (a <= 0.0) & (b >= 0.0) & ((a < b) | (c < d))
    return np.where(jumps, -np.pi, corners.min(axis=0)), np.where(jumps, np.pi, corners.max(axis=0))


_BINARY: dict[int, Callable[..., Bounds]] = {
    op.ADD: lambda a, b, c, d: (a + c, b + d),
    op.SUB: lambda a, b, c, d: (a - d, b - c),
    op.MUL: _product,
    op.DIV: _quotient,
    op.POW: _power,
    op.ATAN2: _angle,
    op.MIN: lambda a, b, c, d: (np.minimum(a, c), np.minimum(b, d)),
    op.MAX: lambda a, b, c, d: (np.maximum(a, c), np.maximum(b, d)),
}
# Functions that only rise.
_RISING: dict[int, Callable[[Array], Array]] = {
    op.ASIN: np.arcsin,
    op.ATAN: np.arctan,
    op.SINH: np.sinh,
    op.TANH: np.tanh,
    op.EXP: np.exp,
    op.LOG: np.log,
    op.SQRT: np.sqrt,
    op.SIGN: np.sign,
    op.FLOOR: np.floor,
    op.STEP: lambda x: (x >= 0.0).astype(float),
}


def _chosen(condition: Bounds, a: Bounds, b: Bounds) -> Bounds:
    """Of what a condition chooses: of both, where it may be either."""
    never, always = (condition[0] == 0.0) & (condition[1] == 0.0), (condition[0] > 0.0) | (condition[1] < 0.0)
    lo = np.where(always, a[0], np.where(never, b[0], np.fmin(a[0], b[0])))
    return lo, np.where(always, a[1], np.where(never, b[1], np.fmax(a[1], b[1])))


def _unary(kind: int, lo: Array, hi: Array) -> Bounds:
    if kind in _RISING:
        return _RISING[kind](lo), _RISING[kind](hi)
    if kind == op.NEG:
        return -hi, -lo
    if kind in (op.SIN, op.COS):
        return _wave(lo, hi, np.pi / 2 if kind == op.SIN else 0.0)
    if kind in (op.ABS, op.COSH):
        return _even(lo, hi, np.abs if kind == op.ABS else np.cosh)
    if kind == op.ACOS:
        return np.arccos(hi), np.arccos(lo)
    if kind == op.TAN:
        through = np.floor(lo / np.pi + 0.5) != np.floor(hi / np.pi + 0.5)
        return np.where(through, -np.inf, np.tan(lo)), np.where(through, np.inf, np.tan(hi))
    return np.full_like(lo, -np.inf), np.full_like(hi, np.inf)
