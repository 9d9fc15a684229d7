"""The order in which blocks of constraint rows are eliminated, and every update that follows from it.

K = J M^-1 J^T has a block wherever two blocks of rows share a moving body. Eliminating a block joins all its
remaining neighbours; taking the block with fewest neighbours next (minimum degree) keeps chains and trees of
ordinary bodies free of fill, so that they cost O(n). A body with very many joints makes its joints neighbours
of each other: k joints on one body cost O(k^2) blocks.

Of blocks with equally few neighbours the one comes first that waits for fewest others (its level): a chain is then
eliminated from both ends at once, and a processor, which works ahead, does both in nearly the time of one.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Schedule:
    """Arrays of the factorisation; their columns are described in kernels/layout/fields.py."""

    pairs: Ints
    pair_ranges: Ints
    pivots: Ints
    column: Ints
    updates: Ints
    diagonal: Ints  # (nblock,) place of each block's diagonal in K


def minimum_degree(neighbours: Sequence[set[int]], kept: Collection[int] = ()) -> tuple[list[int], list[list[int]]]:
    """Elimination order, and for each eliminated block those coupled to it at that moment. `kept` ones stay."""
    graph = [set(n) for n in neighbours]
    level = [0] * len(graph)
    heap = [(len(n), 0, b) for b, n in enumerate(graph) if b not in kept]
    heapq.heapify(heap)
    done = [False] * len(graph)
    order: list[int] = []
    columns: list[list[int]] = []
    while heap:
        degree, waits, block = heapq.heappop(heap)
        if done[block] or (degree, waits) != (len(graph[block]), level[block]):
            continue
        done[block] = True
        coupled = graph[block]
        for other in coupled:
            graph[other] |= coupled
            graph[other] -= {other, block}
            level[other] = max(level[other], waits + 1)
            if other not in kept:
                heapq.heappush(heap, (len(graph[other]), level[other], other))
        order.append(block)
        columns.append(sorted(coupled))
    return order, columns


def schedule(slots: Sequence[tuple[int, int]], blocks: int) -> Schedule:
    """Everything the block factorisation needs, from the (block, body) pairs of J."""
    by_body: dict[int, list[int]] = {}
    for slot, (_, body) in enumerate(slots):
        by_body.setdefault(body, []).append(slot)
    neighbours: list[set[int]] = [set() for _ in range(blocks)]
    for members in by_body.values():
        joined = {slots[s][0] for s in members}
        for block in joined:
            neighbours[block] |= joined - {block}
    order, columns = minimum_degree(neighbours)
    place = {block: k for k, block in enumerate(order)}

    # One place in K for each diagonal block and each block below a pivot.
    where: dict[tuple[int, int], int] = {}
    for block in order:
        where[block, block] = len(where)
    for block, coupled in zip(order, columns, strict=True):
        for other in coupled:
            where[other, block] = len(where)

    contributions: list[list[tuple[int, int]]] = [[] for _ in where]
    for members in by_body.values():
        for a in members:
            for b in members:
                later, earlier = slots[a][0], slots[b][0]
                if place[later] >= place[earlier]:
                    contributions[where[later, earlier]].append((a, b))

    pivots: list[tuple[int, ...]] = []
    column: list[tuple[int, int]] = []
    updates: list[tuple[int, int, int]] = []
    for block, coupled in zip(order, columns, strict=True):
        pivots.append((block, where[block, block], len(column), len(column) + len(coupled), len(updates)))
        for i in coupled:
            column.append((where[i, block], i))
            for j in coupled:
                if place[j] <= place[i]:
                    updates.append((where[i, j], where[i, block], where[j, block]))
    ends = np.cumsum([len(c) for c in contributions], dtype=np.int64)
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64) if len(ends) else ends
    return Schedule(
        pairs=_table([pair for c in contributions for pair in c], 2),
        pair_ranges=np.stack([starts, ends], 1) if len(ends) else _table([], 2),
        pivots=_table(pivots, 5),
        column=_table(column, 2),
        updates=_table(updates, 3),
        diagonal=np.array([where[b, b] for b in range(blocks)], dtype=np.int64),
    )


def _table(rows: Sequence[tuple[int, ...]], columns: int) -> Ints:
    return np.array(rows, dtype=np.int64).reshape(-1, columns)
