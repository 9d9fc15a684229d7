"""Attitude angles of bodies in space: Bryan (intrinsic x, y, z) and every Euler sequence, intrinsic, as written.

With R the matrix from body axes to fixed axes, R = R_i(1) R_j(2) R_k(3). They jump where an angle passes half a turn,
and at the singular middle angle the other two mean nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np

from .. import quantities
from ..levels import POSITION
from .definition import Channel, Leaves, RowWise, Value

SEQUENCES = tuple(
    sequence
    for first, second, third in permutations("xyz")
    for sequence in (f"{first}{second}{third}", f"{first}{second}{first}")
)


def angle(body: str, sequence: str, k: int) -> Value:
    """The k-th angle of a sequence."""
    i, j = ("xyz".index(letter) for letter in sequence[:2])
    third = 3 - i - j
    sign = 1.0 if (i, j, third) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1.0

    def found(leaves: Leaves) -> Any:
        columns = [leaves.axis(body, e) for e in np.eye(3)]

        def r(row: int, column: int) -> Any:
            return columns[column].T[row]

        if sequence[0] != sequence[2]:
            if k == 0:
                return np.arctan2(-sign * r(j, third), r(third, third))
            if k == 1:
                return np.arctan2(sign * r(i, third), np.sqrt(r(i, i) * r(i, i) + r(i, j) * r(i, j)))
            return np.arctan2(-sign * r(i, j), r(i, i))
        if k == 0:
            return np.arctan2(r(j, i), 0.0 - sign * r(third, i))  # not -0, whose angle is half a turn
        if k == 1:
            return np.arctan2(np.sqrt(r(i, j) * r(i, j) + r(i, third) * r(i, third)), r(i, i))
        return np.arctan2(r(i, j), 0.0 + sign * r(i, third))

    return found


def bryan(body: str) -> Iterator[Channel]:
    """Listed with the others of a body."""
    yield from _of(body, "bryan", "xyz", "Bryan angle, intrinsic x, y, z; space only")


def euler(body: str) -> Iterator[Channel]:
    """Of all sequences: found by name, not listed."""
    for sequence in SEQUENCES:
        yield from _of(body, f"euler_{sequence}", sequence, "Euler angle of that sequence; space only")


def _of(body: str, stem: str, sequence: str, says: str) -> Iterator[Channel]:
    for k in range(3):
        value = angle(body, sequence, k)
        name = f"{body}.{stem}_{k + 1}"
        yield Channel(name, POSITION, quantities.ANGLE, says, value, row_wise=RowWise.YES)
