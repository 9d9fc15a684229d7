"""Where constraint rows are carried in a tree, and where their loops close (Wijckmans 1992, section 3.4).

A row acts on a few links. Its multiplier is carried inward from each of them, and is solved where all of them have met,
at the junction that closes the loop, or farther inward where somebody says so. Rows that act on one link alone hold it
to the ground. kernels/tree/loop_closing.py works through these lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
GROUND = 0


@dataclass(frozen=True)
class Carrying:
    """Lists of spots, link by link from the ground (0): see SPOTS .. SLOT_SPOTS in kernels/tree/table.py."""

    spots: Ints
    ranges: Ints
    pairs: Ints
    slot_spots: Ints
    crossings: int
    meetings: int
    closes_at: dict[int, int]  # by block of rows


def meeting_point(parents: Sequence[int], depths: Sequence[int], links: Sequence[int]) -> int:
    """The first link inward that carries all of these, or is one of them; of a single one the ground."""
    if len(set(links)) < 2:
        return GROUND
    a = links[0]
    for b in links[1:]:
        while a != b:
            if depths[a] >= depths[b]:
                a = parents[a]
            else:
                b = parents[b]
    return a


def carrying(
    parents: Sequence[int],
    velocities: Sequence[int],
    slots: Sequence[tuple[int, int]],
    held: Mapping[int, Sequence[int]],
    block: int,
    farther: Mapping[int, int],
) -> Carrying:
    """Spots of all rows.

    Parents and numbers of velocities by link (the ground first), slots as (block, link), rows of each block that hold
    something, and blocks that close farther inward than where they meet.
    """
    depths = [0] * len(parents)
    for j in range(1, len(parents)):
        depths[j] = depths[parents[j]] + 1
    on: dict[int, list[int]] = {}
    for b, j in slots:
        on.setdefault(b, []).append(j)
    closes_at = {b: farther.get(b, meeting_point(parents, depths, links)) for b, links in on.items()}
    present = _present(parents, slots, held, block, closes_at)
    n = len(parents)
    first = np.concatenate([[0], np.cumsum([len(rows) for rows in present])])
    place = [{row: int(first[j]) + k for k, row in enumerate(rows)} for j, rows in enumerate(present)]
    spots: list[tuple[int, int]] = []
    ranges: list[tuple[int, ...]] = []
    pairs: list[int] = []
    met: dict[tuple[int, int], int] = {}
    crossings = 0
    for j in range(n):
        rows = present[j]
        here = sum(closes_at[row // block] == j for row in rows)
        ranges.append((int(first[j]), int(first[j]) + here, int(first[j + 1]), len(pairs), crossings))
        crossings += velocities[j] * (len(rows) - here)
        spots += [(row, place[parents[j]][row] if k >= here else -1) for k, row in enumerate(rows)]
        for k, a in enumerate(rows):
            pairs += [met.setdefault((min(a, b), max(a, b)), len(met)) for b in rows[k:]]
    slot_spots = [
        place[j][b * block + i] if b * block + i in held.get(b, ()) else -1 for b, j in slots for i in range(block)
    ]
    return Carrying(
        _ints(spots, 2), _ints(ranges, 5), _ints(pairs, 1), _ints(slot_spots, 1), crossings, len(met), closes_at
    )


def _present(
    parents: Sequence[int],
    slots: Sequence[tuple[int, int]],
    held: Mapping[int, Sequence[int]],
    block: int,
    closes_at: Mapping[int, int],
) -> list[list[int]]:
    """Rows at each link, those that close there first."""
    found: list[set[int]] = [set() for _ in parents]
    for b, j in slots:
        found[j].update(held.get(b, ()))
    for j in range(len(parents) - 1, GROUND, -1):  # links come after their parents
        found[parents[j]].update(row for row in found[j] if closes_at[row // block] != j)
    return [sorted(rows, key=lambda row: (closes_at[row // block] != j, row)) for j, rows in enumerate(found)]


def _ints(rows: Sequence[object], columns: int) -> Ints:
    return np.array(rows, dtype=np.int64).reshape(-1, columns)
