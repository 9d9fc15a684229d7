"""Where constraint rows are carried in a tree, and where their loops close (Wijckmans 1992, section 3.4).

A row acts on a few links. Its multiplier is carried inward from each of them, and is solved where all of them have met,
at the junction that closes the loop, or farther inward where somebody says so. Rows that act on one link alone hold it
to the ground. kernels/tree/loop_closing.py works through these lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .elimination import minimum_degree

Ints = npt.NDArray[np.int64]
GROUND = 0


@dataclass(frozen=True)
class Carrying:
    """Lists of spots, link by link from the ground (0): see SPOTS .. SLOT_SPOTS in kernels/layout/tree_table.py."""

    spots: Ints
    ranges: Ints
    pairs: Ints
    closings: Ints
    neighbours: Ints
    updates: Ints
    slot_spots: Ints
    crossings: int
    meetings: int
    closes_at: dict[int, int]  # by block of rows


class Eliminated(NamedTuple):
    """Rows at a link: those that close there, in the order in which they are solved, then those that go on inward."""

    rows: list[int]
    met: list[list[int]]  # of each that closes: the rows behind it that it has met


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
    first = np.concatenate([[0], np.cumsum([len(found.rows) for found in present])]).tolist()
    place = [{row: first[j] + k for k, row in enumerate(found.rows)} for j, found in enumerate(present)]
    spots: list[tuple[int, int]] = []
    ranges: list[tuple[int, ...]] = []
    pairs: list[int] = []
    closings: list[tuple[int, ...]] = []
    neighbours: list[tuple[int, int]] = []
    updates: list[int] = []
    crossings = 0
    places: dict[tuple[int, int], int] = {}

    def pair(a: int, b: int) -> int:
        return places.setdefault((min(a, b), max(a, b)), len(places))

    for j, (rows, met) in enumerate(present):
        here, onward = rows[: len(met)], rows[len(met) :]
        ranges.append((first[j], first[j] + len(here), first[j + 1], len(pairs), crossings, len(closings)))
        crossings += velocities[j] * len(onward)
        spots += [(row, -1) for row in here] + [(row, place[parents[j]][row]) for row in onward]
        for row, others in zip(here, met, strict=True):
            closings.append((pair(row, row), len(neighbours), len(neighbours) + len(others), len(updates)))
            neighbours += [(place[j][other], pair(row, other)) for other in others]
            updates += [pair(a, b) for k, a in enumerate(others) for b in others[k:]]
        pairs += [pair(a, b) for k, a in enumerate(onward) for b in onward[k:]]
    slot_spots = [
        place[j][b * block + i] if b * block + i in held.get(b, ()) else -1 for b, j in slots for i in range(block)
    ]
    return Carrying(
        _ints(spots, 2),
        _ints(ranges, 6),
        _ints(pairs, 1),
        _ints(closings, 4),
        _ints(neighbours, 2),
        _ints(updates, 1),
        _ints(slot_spots, 1),
        crossings,
        len(places),
        closes_at,
    )


def _present(
    parents: Sequence[int],
    slots: Sequence[tuple[int, int]],
    held: Mapping[int, Sequence[int]],
    block: int,
    closes_at: Mapping[int, int],
) -> list[Eliminated]:
    """Rows at each link, and what is met by those that close there.

    Rows meet where they pass a joint together. Of those that close at a link each meets only its own neighbours, so
    that many loops which close at one body cost no more than as many bodies.
    """
    met: list[dict[int, set[int]]] = [{} for _ in parents]
    for b, j in slots:
        for row in held.get(b, ()):
            met[j].setdefault(row, set())
    found: list[Eliminated] = []
    for j in range(len(parents) - 1, -1, -1):  # links come after their parents
        found.append(_eliminated(met[j], {row for row in met[j] if closes_at[row // block] == j}))
        onward = found[-1].rows[len(found[-1].met) :]
        for row in onward if j > GROUND else ():
            met[parents[j]].setdefault(row, set()).update(onward)
    return found[::-1]


def _eliminated(met: Mapping[int, set[int]], closing: set[int]) -> Eliminated:
    """The order that keeps the neighbours few, and these."""
    names = sorted(met)
    number = {row: k for k, row in enumerate(names)}
    graph = [{number[other] for other in met[row] if other != row} for row in names]
    order, columns = minimum_degree(graph, {k for k, row in enumerate(names) if row not in closing})
    onward = [row for row in names if row not in closing]
    return Eliminated([names[k] for k in order] + onward, [[names[k] for k in column] for column in columns])


def _ints(rows: Sequence[object], columns: int) -> Ints:
    return np.array(rows, dtype=np.int64).reshape(-1, columns)
