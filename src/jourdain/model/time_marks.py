"""Features of functions of time that a step could pass without seeing them: found ahead, by bounds.

Error control sees a force where its stages fall. A pulse of 50 ms between them is not there, for it. So formulas that
depend on nothing but the time are bounded on whole intervals (interval arithmetic on their tapes): where the bounds are
much wider than what a few samples show, the interval is divided, and where samples show it at last, something shorter
than the interval before is there. Steps end at its marks. What is shorter than 1e-5 of the time since zero, or changes
a function by less than SMALL of what it does in a stretch of time, is not promised to be found. Stretches are fixed,
each STRETCH times as long as the one before, so that what is found does not depend on where a run begins or ends.

Sums, products, sines and whole powers hide nothing: whatever they do they do everywhere, and error control sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels.layout import fields as f
from ..kernels.layout import tape_operations as op
from .flat import FlatModel
from .time_corners import Node, corners, has_corners

Array = npt.NDArray[Any]
Bounds = tuple[Array, Array]

FIRST, STRETCH = 1.6, 16.0  # s: the end of the first stretch, and how much longer each next one reaches
PARTS = 4  # that an interval is divided into
DEPTH = 10  # times that intervals are divided: 1e-6 of a stretch, and of the time since the start at least 1e-5
MOST = 4_000  # intervals at a time: a function that is busier everywhere cannot be missed
SMALL = 1e-3  # of its bounds: what changes by less is not looked for
ROUNDING = 1e-9  # of its magnitude, likewise
LOOKS = np.modf(np.arange(1, 33) * 0.6180339887498949)[0]  # where an interval is looked at
APART = 1e-9  # of a stretch, at least, from mark to mark
QUARTERS = np.linspace(0.0, 1.0, 5)
EXTREME = 8  # looks at each end of the order that may be chance
ALL, SEEN = 0.95, 0.4  # of the bounds, that all looks must show, and those that are no chance
NEW = 0.6  # of what the interval around shows, chance apart: what is that far outside is something else

PLAIN = {op.ADD, op.SUB, op.MUL, op.NEG, op.SIN, op.COS, op.CONST, op.PARAMETER, op.T}
KNOWN = {*range(op.TABLE_OF + 1), op.CONST, op.PARAMETER, op.T, op.WHERE}


def stretch_of(t: float) -> tuple[float, float]:
    """The stretch of time that begins at t, or that t is in."""
    before, after = 0.0, FIRST
    while not (before <= t < after if t >= 0.0 else -after <= t < -before):
        before, after = after, after * STRETCH
    return (before, after) if t >= 0.0 else (-after, -before)


@dataclass(frozen=True)
class ClockFunctions:
    """Nodes of a tape that depend on the time alone, in order, and those whose values others use."""

    nodes: tuple[Node, ...]
    roots: tuple[int, ...]
    constants: Array
    tables: tuple[tuple[Array, Array], ...]  # breaks, values at the breaks
    breaks: dict[int, Array]  # corners of tables

    @classmethod
    def of(cls, model: FlatModel, alone: list[bool], roots: Sequence[int]) -> ClockFunctions:
        """Those of a model; `alone` says which of its nodes depend on the time alone."""
        tape = model.fields[f.TAPE]
        nodes = tuple((n, *tape[n, :4].tolist()) for n in range(roots[-1] + 1) if alone[n])
        breaks = {b: np.array(model.curves[b].corners) for _, kind, _, b, _ in nodes if kind == op.TABLE_OF}
        return cls(nodes, tuple(roots), model.fields[f.CONSTANTS][:, 0], tuple(_tables(model)), breaks)

    def values(self, root: int, parameters: Array, t: Array) -> Array:
        """Of one of them, at times."""
        return self._bounds(root, parameters, t, t)[0]

    def marks(self, parameters: Array, begin: float, end: float) -> list[float]:
        """Times in a stretch at which steps have to end."""
        found: list[Array] = []
        with np.errstate(all="ignore"):
            for root in self.roots:
                found += _marks(lambda lo, hi, root=root: self._bounds(root, parameters, lo, hi), begin, end)  # type: ignore[misc]
        times = np.unique(np.concatenate([[begin], *found, [end]]))
        apart = np.diff(times, append=np.inf) > APART * (end - begin)  # ends of neighbours are one, but for rounding
        return [t for t in times[apart].tolist() if begin < t < end]

    def corners(self, parameters: Array, begin: float, end: float) -> list[float]:
        """Times in a stretch at which a function has a corner: steps end just before."""
        with np.errstate(all="ignore"):
            found = corners(
                self.nodes, self.breaks, lambda node, t: self._bounds(node, parameters, t, t)[0], begin, end
            )
        return found.tolist()

    def _bounds(self, root: int, parameters: Array, lo: Array, hi: Array) -> Bounds:
        known: dict[int, Bounds] = {}
        for number, kind, a, b, c in self.nodes:
            if kind == op.T:
                known[number] = lo, hi
            elif kind in (op.CONST, op.PARAMETER):
                value = np.full(lo.shape, self.constants[number] if kind == op.CONST else parameters[a])
                known[number] = value, value
            elif kind == op.TABLE_OF:
                known[number] = _of_table(*self.tables[b], *known[a])
            elif kind == op.WHERE:
                known[number] = _chosen(known[a], known[b], known[c])
            elif kind <= op.MAX:
                known[number] = _BINARY[kind](*known[a], *known[b])
            else:
                known[number] = _unary(kind, *known[a])
            if number == root:
                break
        return known[root]


def clock_functions(model: FlatModel) -> ClockFunctions | None:
    """What of a mechanism's formulas depends on the time alone and may have features that steps miss."""
    tape = model.fields[f.TAPE]
    if not np.any(tape[:, 0] == op.T):
        return None
    kinds, first, second, third = (tape[:, k].tolist() for k in range(4))
    alone, moving = clock_nodes(model)
    local = [False] * len(kinds)
    used: set[int] = set()
    constants = model.fields[f.CONSTANTS][:, 0]
    for n, kind in enumerate(kinds):
        arguments = _arguments(kind, first[n], second[n], third[n])
        own = kind not in PLAIN and not _is_whole_power(kind, kinds, constants, second[n])
        if kind == op.DIV:
            own = moving[second[n]]
        local[n] = alone[n] and moving[n] and (own or any(local[k] for k in arguments))
        if alone[n]:
            used.update(arguments)
    asked = {k for n, kind in enumerate(kinds) if not alone[n] for k in _arguments(kind, *tape[n, 1:].tolist())}
    roots = [n for n in range(len(kinds)) if local[n] and (n in asked or n not in used)]
    return ClockFunctions.of(model, alone, roots) if roots else None


def has_corners_in_time(model: FlatModel) -> bool:
    """Whether a function of time may have a corner after its beginning."""
    found = clock_functions(model)
    if found is None:
        return False
    smooth = [b for b, at in found.breaks.items() if at.size <= 2]  # ends, where it refuses or goes straight on
    return has_corners({kind for _, kind, _, b, _ in found.nodes if kind != op.TABLE_OF or b not in smooth})


def clock_nodes(model: FlatModel) -> tuple[list[bool], list[bool]]:
    """Which nodes of the tape depend on nothing but the time and parameters, and which on the time."""
    kinds, first, second, third = (model.fields[f.TAPE][:, k].tolist() for k in range(4))
    alone, moving = ([False] * len(kinds) for _ in range(2))
    for n, kind in enumerate(kinds):
        arguments = _arguments(kind, first[n], second[n], third[n])
        alone[n] = kind in KNOWN and all(alone[k] for k in arguments)
        moving[n] = kind == op.T or any(moving[k] for k in arguments)
    return alone, moving


def _arguments(kind: int, a: int, b: int, c: int) -> tuple[int, ...]:
    if kind == op.WHERE:
        return a, b, c
    if kind <= op.MAX:
        return a, b
    return (a,) if kind <= op.WIND else ()


def _is_whole_power(kind: int, kinds: list[int], constants: Array, exponent: int) -> bool:
    whole = kind == op.POW and kinds[exponent] == op.CONST
    return bool(whole and constants[exponent] >= 0.0 and constants[exponent] == np.round(constants[exponent]))


def _tables(model: FlatModel) -> Iterator[tuple[Array, Array]]:
    values = model.fields[f.TABLE][:, 0]
    for start, pieces, terms in model.fields[f.TABLES].tolist():
        breaks = values[start : start + pieces + 1]
        coefficients = values[start + pieces + 1 : start + pieces + 1 + pieces * terms].reshape(pieces, terms)
        last = np.polyval(coefficients[-1], breaks[-1] - breaks[-2])
        yield breaks, np.append(coefficients[:, -1], last)


# Intervals ------------------------------------------------------------------------------------------------------------


def _marks(bounds: Callable[[Array, Array], Bounds], begin: float, end: float) -> list[Array]:
    """Of one function: ends of quarters of those intervals in which it is seen, but was not in the one around."""
    lo, hi, found = np.array([begin]), np.array([end]), []
    least_before, most_before = np.array([np.inf]), np.array([-np.inf])  # what the interval around shows
    left = np.zeros((2, 0))  # bounds of intervals that are done with
    for depth in range(DEPTH + 1):
        least, most = bounds(lo, hi)
        looked = bounds(*(2 * ((lo[:, None] + (hi - lo)[:, None] * LOOKS).ravel(),)))[0].reshape(lo.size, -1)
        looked.sort(axis=1)
        width, shown = most - least, looked[:, -1] - looked[:, 0]
        usual = looked[:, -1 - EXTREME] - looked[:, EXTREME]
        small = _small(np.hstack([left, [least, most]]), looked)
        hidden = width > small
        hidden &= (ALL * width > shown + small) | (SEEN * width > usual + small)
        margin = NEW * np.maximum(most_before - least_before, 0.0) + small
        new = (looked[:, -1 - EXTREME] > most_before + margin) | (looked[:, EXTREME] < least_before - margin)
        if depth > 0:
            found.append((lo[new, None] + (hi - lo)[new, None] * QUARTERS).ravel())
        if not hidden.any() or hidden.sum() * PARTS > MOST:
            break
        left = np.hstack([left, [least[~hidden], most[~hidden]]])
        part = (hi - lo)[hidden] / PARTS
        lo = (lo[hidden, None] + part[:, None] * np.arange(PARTS)).ravel()
        hi = lo + np.repeat(part, PARTS)
        least_before = np.repeat(looked[hidden, EXTREME], PARTS)
        most_before = np.repeat(looked[hidden, -1 - EXTREME], PARTS)
    return found


def _small(bounds: Array, looked: Array) -> float:
    """What does not count, of a function with these bounds on the parts of a stretch."""
    least, most = bounds[0].min(), bounds[1].max()
    if not np.isfinite(most - least):
        least, most = np.nanmin(looked, initial=0.0), np.nanmax(looked, initial=0.0)
    return float(SMALL * (most - least) + ROUNDING * max(abs(least), abs(most)))


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


_BINARY: dict[int, Callable[..., Bounds]] = {
    op.ADD: lambda a, b, c, d: (a + c, b + d),
    op.SUB: lambda a, b, c, d: (a - d, b - c),
    op.MUL: _product,
    op.DIV: _quotient,
    op.POW: _power,
    op.ATAN2: lambda a, b, c, d: (np.full_like(a, -np.pi), np.full_like(a, np.pi)),
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
