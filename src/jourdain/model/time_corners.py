"""Corners of functions of time: where a table has a point, where `min`, `max`, `abs`, `sign`, `step` or `floor` turns.

A step over a corner sees two functions. So steps end just before a corner, and go on just behind: the last stages of
one step belong to what is before, the first of the next to what comes. Corners are found ahead for a stretch of time
(time_marks.py): exactly where the function is straight between corners found before, else by looking and bisection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from ..kernels.layout import tape_operations as op

Array = npt.NDArray[np.float64]
Value = Callable[[int, Array], Array]  # of a node at times

MOST = 20_000  # corners in a stretch: a function that has more is left to error control
LOOKS = np.arange(1, 64) / 64.0  # between two corners, where a function that is not straight is looked at
BISECTIONS = 60
BESIDE = 2e-14  # of a time, or of 1 s: how far before a corner a step ends, and behind it the next begins
_OF_ONE = (op.ABS, op.SIGN, op.STEP)
_STRAIGHT = (op.T, op.CONST, op.PARAMETER, op.ADD, op.SUB, op.NEG, op.FLOOR, op.STEP, op.SIGN, op.ABS, op.MIN, op.MAX)
_EITHER = (op.MUL, op.DIV)

Node = tuple[int, int, int, int, int]  # number, operation, arguments


def around(corner: float) -> tuple[float, float]:
    """Where a step to a corner ends and the next begins: a corner is known but for rounding."""
    beside = BESIDE * max(1.0, abs(corner))
    return corner - beside, corner + beside


def has_corners(kinds: set[int]) -> bool:
    return bool(kinds & {*_OF_ONE, op.MIN, op.MAX, op.FLOOR, op.TABLE_OF})


def corners(nodes: tuple[Node, ...], breaks: Mapping[int, Array], value: Value, begin: float, end: float) -> Array:
    """All corners from begin to end, in order. `breaks` are the corners of tables, over their arguments."""
    edges, known = np.array([begin, end]), np.zeros(0)
    straight: set[int] = set()
    moving: set[int] = set()
    for number, kind, a, b, _ in nodes:
        if kind == op.T or any(k in moving for k in _arguments(kind, a, b)):
            moving.add(number)
        if _is_straight(kind, a, b, straight, moving):
            straight.add(number)
        if number not in moving or kind not in (*_OF_ONE, op.MIN, op.MAX, op.FLOOR, op.TABLE_OF):
            continue
        found = _crossings(kind, a, b, breaks, value, edges, {a, b} <= straight if kind <= op.MAX else a in straight)
        if found.size + edges.size > MOST:
            break
        known = _apart(np.concatenate([known, found]))
        edges = _apart(np.concatenate([edges, found]))
    return known


def _apart(times: Array) -> Array:
    """Of times that differ by rounding the last."""
    times = np.unique(times)
    return times[np.diff(times, append=np.inf) > 4 * BESIDE * np.maximum(1.0, np.abs(times))]


def _arguments(kind: int, a: int, b: int) -> tuple[int, ...]:
    return (a, b) if kind <= op.MAX else (a,) if kind <= op.WIND else ()


def _is_straight(kind: int, a: int, b: int, straight: set[int], moving: set[int]) -> bool:
    """Whether it is a straight line between corners."""
    arguments = _arguments(kind, a, b)
    if not all(k in straight or k not in moving for k in arguments):
        return False
    if kind in _EITHER:
        return b not in moving or (kind == op.MUL and a not in moving)
    return kind in _STRAIGHT


def _crossings(
    kind: int, a: int, b: int, breaks: Mapping[int, Array], value: Value, edges: Array, straight: bool
) -> Array:
    """Where the argument of an operation passes a value at which it has a corner."""

    def g(t: Array) -> Array:
        return value(a, t) - value(b, t) if kind in (op.MIN, op.MAX) else value(a, t)

    inner = np.array([1.0, 2.0]) / 3.0 if straight else LOOKS
    lo, step = edges[:-1, None], np.diff(edges)[:, None]
    at = lo + step * inner
    seen = g(at.ravel()).reshape(at.shape)
    if straight:
        slope = (seen[:, 1:] - seen[:, :1]) / (at[:, 1:] - at[:, :1])
        ends = seen[:, :1] + slope * (np.hstack([lo, lo + step]) - at[:, :1])
        at, seen = np.hstack([lo, lo + step]), ends
    low, high = np.minimum(seen[:, :-1], seen[:, 1:]), np.maximum(seen[:, :-1], seen[:, 1:])
    finite = np.isfinite(low) & np.isfinite(high)
    found: list[Array] = []
    for i, k in zip(*np.nonzero((high > low) & finite), strict=True):
        targets = _between(kind, breaks.get(b), float(low[i, k]), float(high[i, k]))
        if targets.size > MOST:
            return np.zeros(MOST + 1)
        if not targets.size:
            continue
        left, right = float(at[i, k]), float(at[i, k + 1])
        if straight:
            part = (targets - seen[i, k]) / (seen[i, k + 1] - seen[i, k])
            found.append(left + part * (right - left))
        else:
            found.append(_bisected(g, targets, left, right, bool(seen[i, k + 1] > seen[i, k])))
        if sum(map(len, found)) > MOST:
            break
    return np.concatenate(found) if found else np.zeros(0)


def _between(kind: int, breaks: Array | None, low: float, high: float) -> Array:
    """Values in [low, high] at which an operation has a corner."""
    if kind == op.FLOOR:
        first, last = np.ceil(low), np.floor(high)
        return np.arange(first, last + 1.0) if last - first < MOST else np.zeros(MOST + 1)
    if kind == op.TABLE_OF:
        if breaks is None:
            return np.zeros(0)
        return breaks[np.searchsorted(breaks, low) : np.searchsorted(breaks, high, "right")]
    return np.zeros(1) if low <= 0.0 <= high else np.zeros(0)


def _bisected(g: Callable[[Array], Array], targets: Array, left: float, right: float, rising: bool) -> Array:
    lo, hi = np.full(targets.shape, left), np.full(targets.shape, right)
    for _ in range(BISECTIONS):
        middle = 0.5 * (lo + hi)
        beyond = (g(middle) >= targets) == rising
        lo, hi = np.where(beyond, lo, middle), np.where(beyond, middle, hi)
    return hi
