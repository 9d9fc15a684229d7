"""Choices among computed numbers that the last bit cannot change.

Processors round differently (some fuse a multiplication with an addition), so numbers that are equal by symmetry come
out a little apart, in an order of their own on each of them. What is shown, named or used later must not depend on
that: numbers nearer to each other than a tolerance count as equal, and among equals the first declared is taken. So is
the basis of a space: what LAPACK returns for equal eigenvalues or for a null space is any one of many.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
Array = npt.NDArray[Any]

TIE = 1e-6  # relative: numbers nearer than that are equal. Rounding is far below, what a reader can see far above
EARLIER = 1e-3  # how much more the first of many rows counts than the last: LAPACK's norms are right to some 1e-8
NOTHING = 1e-9  # of the largest: a direction that is seen less is not seen


def largest(values: Iterable[float], tolerance: float = TIE, floor: float = 0.0) -> int:
    """Index of the first value that is the largest, but for a tolerance; of the first nan, if there is one."""
    found = np.asarray(list(values), dtype=float)
    k = int(np.argmax(found))
    top = found[k]
    if not np.isfinite(top):
        return k
    return int(np.argmax(found >= top - max(floor, tolerance * abs(top))))


def smallest(values: Iterable[float], tolerance: float = TIE, floor: float = 0.0) -> int:
    """Index of the first value that is the smallest, but for a tolerance."""
    return largest([-value for value in values], tolerance, floor)


def tied(items: Iterable[T], key: Callable[[T], float], tolerance: float = TIE, floor: float = 0.0) -> list[list[T]]:
    """Groups of items with equal keys, ascending by key; within a group in the order given."""
    given = list(items)
    keys = [float(key(item)) for item in given]
    groups: list[list[int]] = []
    last = math.nan
    for k in sorted(range(len(given)), key=lambda k: keys[k]):
        if groups and (keys[k] == last or keys[k] - last <= max(floor, tolerance * max(abs(keys[k]), abs(last)))):
            groups[-1].append(k)
        else:
            groups.append([k])
        last = keys[k]
    return [[given[k] for k in sorted(group)] for group in groups]


def ordered(items: Iterable[T], key: Callable[[T], float], tolerance: float = TIE, floor: float = 0.0) -> list[T]:
    """Items ascending by key, equal ones in the order given."""
    return [item for group in tied(items, key, tolerance, floor) for item in group]


def independent(rows: Array, count: int) -> list[int]:
    """The `count` rows that are farthest from depending on each other, one after the other; the first of equals."""
    from scipy.linalg import qr  # a fifth of a second to import

    weights = 1.0 - EARLIER * np.arange(len(rows)) / max(1, len(rows))
    _, _, order = qr((rows * weights[:, None]).T, mode="economic", pivoting=True)
    return [int(k) for k in order[:count]]


def turned(seen: Array) -> Array:
    """The rotation T that makes a basis the one that declared order gives; `seen` (things, vectors) is what it moves.

    The thing that is seen most, the first of equals, is seen in one vector only and positive there; the others are
    turned among themselves in the same way. Vectors come in the order of the things. T is orthogonal, or unitary.
    """
    rest, T = np.array(seen), np.eye(seen.shape[1], dtype=seen.dtype)
    pivots: list[int] = []
    first = 0.0
    for j in range(seen.shape[1]):
        sizes = np.linalg.norm(rest[:, j:], axis=1)
        k = largest(sizes) if len(sizes) else 0
        first = first or float(sizes[k]) if len(sizes) else 0.0
        if first == 0.0 or sizes[k] <= NOTHING * first:
            pivots += [len(seen)] * (seen.shape[1] - j)
            break
        c = rest[k, j:].conj() / sizes[k]
        rest[:, j:], T[:, j:] = _led_by(rest[:, j:], c), _led_by(T[:, j:], c)
        pivots.append(k)
    return np.asarray(T[:, np.argsort(pivots, kind="stable")])


def _led_by(A: Array, c: Array) -> Array:
    """A times a unitary matrix whose first column is the unit vector c (a Householder reflection)."""
    phase = c[0] / abs(c[0]) if c[0] else 1.0
    v = c.copy()
    v[0] += phase
    found = A - np.outer(A @ v, v.conj()) * (2.0 / np.vdot(v, v).real)
    found[:, 0] *= -phase
    return np.asarray(found)


def settled(basis: Array) -> Array:
    """Orthonormal columns that span the same space, the same ones on every processor."""
    return np.asarray(basis @ turned(basis)) if basis.size else basis


def within_half_turn(angle: float) -> float:
    """An angle in (-pi, pi]; half a turn is pi, on whichever side of it rounding has put it."""
    found = math.remainder(angle, 2 * math.pi)
    return found + 2 * math.pi if found <= -math.pi + TIE else found


def first_difference(one: Array, other: Array, floor: float) -> float:
    """By how much two rows of numbers differ where they first differ by more than `floor`; 0 if they do not."""
    count = min(len(one), len(other))
    gaps = one[:count] - other[:count]
    apart = np.flatnonzero(np.abs(gaps) > floor)
    return float(gaps[apart[0]]) if apart.size else 0.0
