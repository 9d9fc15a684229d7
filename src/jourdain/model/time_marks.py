"""Features of functions of time that a step could pass without seeing them: found ahead, by bounds.

Error control sees a force where its stages fall. A pulse of 50 ms between them is not there, for it. So formulas that
depend on nothing but the time are bounded on whole intervals (interval arithmetic on their tapes): where the bounds are
much wider than what a few samples show, the interval is divided, and where samples show it at last, something shorter
than the interval before is there. Steps end at its marks. What is shorter than 1e-5 of the time since zero, or changes
a function by less than SMALL of what it does in a stretch of time, is not promised to be found. Stretches are fixed,
each STRETCH times as long as the one before, so that what is found does not depend on where a run begins or ends.

What positions are held to is looked at for its rate, too: a motion that goes from rest to rest within a step leaves
nothing behind that error control could see.

Sums, products, sines and whole powers hide nothing: whatever they do they do everywhere, and error control sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels.layout import fields as f
from ..kernels.layout import tape_operations as op
from .flat import FlatModel
from .time_corners import Node, corners, has_corners
from .time_intervals import Bounds, rate, value

Array = npt.NDArray[Any]

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
    steep: tuple[int, ...]  # of the roots, those that positions follow: there a rate is what may be missed
    constants: Array
    tables: tuple[tuple[Array, Array], ...]  # breaks, values at the breaks
    breaks: dict[int, Array]  # corners of tables

    @classmethod
    def of(cls, model: FlatModel, alone: list[bool], roots: Sequence[int], steep: Sequence[int] = ()) -> ClockFunctions:
        """Those of a model; `alone` says which of its nodes depend on the time alone."""
        tape = model.fields[f.TAPE]
        nodes = tuple((n, *tape[n, :4].tolist()) for n in range(roots[-1] + 1) if alone[n])
        breaks = {b: np.array(model.curves[b].corners) for _, kind, _, b, _ in nodes if kind == op.TABLE_OF}
        return cls(nodes, tuple(roots), tuple(steep), model.fields[f.CONSTANTS][:, 0], tuple(_tables(model)), breaks)

    @cached_property
    def parameters(self) -> npt.NDArray[np.intp]:
        """Which parameters enter what is looked at. Loads on ports, which change in every round, do not."""
        used: set[int] = set()
        wanted = {*self.roots, *(number for number, kind, *_ in self.nodes if has_corners({kind}))}
        for number, kind, a, b, c in reversed(self.nodes):
            if number in wanted and kind == op.PARAMETER:
                used.add(a)
            elif number in wanted and kind not in (op.T, op.CONST):
                wanted.update(_arguments(kind, a, b, c))
        return np.array(sorted(used), dtype=np.intp)

    def values(self, root: int, parameters: Array, t: Array) -> Array:
        """Of one of them, at times."""
        return self._bounds(root, parameters, t, t)[0]

    def marks(self, parameters: Array, begin: float, end: float) -> list[float]:
        """Times in a stretch at which steps have to end."""
        found: list[Array] = []
        with np.errstate(all="ignore"):
            for root in self.roots:
                found += _marks(lambda lo, hi, root=root: self._bounds(root, parameters, lo, hi), begin, end)  # type: ignore[misc]
            for root in self.steep:
                least, most = self._bounds(root, parameters, np.array([begin]), np.array([end]))
                if not most - least <= ROUNDING * max(abs(least), abs(most)):
                    found += _marks(lambda lo, hi, root=root: self._rate_bounds(root, parameters, lo, hi), begin, end)  # type: ignore[misc]
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
        return self._known(root, parameters, lo, hi, False)[0][root]

    def _rate_bounds(self, root: int, parameters: Array, lo: Array, hi: Array) -> Bounds:
        """Of the first derivative."""
        return self._known(root, parameters, lo, hi, True)[1][root]

    def _known(
        self, root: int, parameters: Array, lo: Array, hi: Array, rates: bool
    ) -> tuple[dict[int, Bounds], dict[int, Bounds]]:
        """Bounds of all nodes up to a root, and of their rates if these are wanted."""
        known: dict[int, Bounds] = {}
        known_rates: dict[int, Bounds] = {}
        for number, kind, a, b, c in self.nodes:
            if kind == op.T:
                known[number] = lo, hi
            elif kind in (op.CONST, op.PARAMETER):
                constant = np.full(lo.shape, self.constants[number] if kind == op.CONST else parameters[a])
                known[number] = constant, constant
            else:
                known[number] = value(kind, [known[k] for k in _arguments(kind, a, b, c)], self.tables, b)
            if rates:
                arguments = _arguments(kind, a, b, c)
                known_rates[number] = rate(
                    kind, [known[k] for k in arguments], [known_rates[k] for k in arguments], known[number]
                )
            if number == root:
                break
        return known, known_rates


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
    return ClockFunctions.of(model, alone, roots, _followed(model, roots)) if roots else None


def _followed(model: FlatModel, roots: Sequence[int]) -> list[int]:
    """Roots in what rows hold positions to. Corners of tables are stepped to anyway."""
    fields, tape = model.fields, model.fields[f.TAPE]
    signals = {*fields[f.ROWS][:, 3].tolist(), *fields[f.TERMS][:, 4].tolist()}
    parts = [(first, last) for first, last, signal in fields[f.SIGNALS].tolist() if signal in signals]
    parts += [(first, last) for first, last, _, level, *_ in fields[f.ROW_TAPES].tolist() if level != 1]
    parts = [(first, last) for first, last in parts if op.TABLE_OF not in tape[first:last, 0]]
    return [root for root in roots if any(first <= root < last for first, last in parts)]


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
