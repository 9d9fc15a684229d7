"""Parts of a large tree that can be computed at the same time: branches, and the trunk that they hang from.

Links are numbered branch by branch, so that every branch is a range of links. A tree is split at its junctions until no
branch holds more than a share of it, or none has a junction left; the chains from the ground to these junctions are the
trunk. Small trees that stand side by side on the ground make one branch. The parts depend on the tree alone, never on
the computer: so do the results, to the last bit.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple

from ...mechanism.parts import PLANAR, SPATIAL

# Links from which threads pay (benchmarks/chains.py; see docs/recursion.md). Smaller trees are one part.
SPLIT_FROM = {PLANAR: 4000, SPATIAL: 1000}
SHARE = 16  # a branch with more than this part of all links is split, if it can be
PART_COST = 3  # links that take as long as what one more part costs
LEAST_GAIN = 1.3  # estimated for two threads; less, and the tree stays in one part


class Part(NamedTuple):
    """Links from `first` up to `last`, counted from 1."""

    first: int
    last: int
    trunk: bool

    @property
    def size(self) -> int:
        return self.last - self.first


def split(parents: Sequence[int], space: str) -> list[Part]:
    """Parts of a tree in the order of its links. `parents[j]` carries link j; entry 0, the ground, means nothing."""
    n = len(parents) - 1
    whole = [Part(1, n + 1, False)] if n else []
    if n < SPLIT_FROM[space]:
        return whole
    sizes, children = _sizes(parents)
    grain = n // SHARE
    found: list[Part] = []
    waiting = _bases(children[0], sizes, grain)[::-1]
    while waiting:
        part = waiting.pop()
        end = part.first
        while len(children[end]) == 1:
            end += 1
        if part.size <= grain or sizes[part.first] < part.size or not children[end]:
            found.append(part)
        else:
            found.append(Part(part.first, end + 1, True))
            waiting += [Part(j, j + sizes[j], False) for j in reversed(children[end])]
    cost = sum(part.size for part in found if part.trunk) + max(shares(found, 2)[1]) + PART_COST * len(found)
    return found if cost * LEAST_GAIN < n else whole


def shares(parts: Sequence[Part], threads: int) -> tuple[list[list[int]], list[int]]:
    """Numbers of the branches for each thread, and the links these hold: large ones first, to who has least."""
    loads = [(0, k) for k in range(threads)]
    chosen: list[list[int]] = [[] for _ in range(threads)]
    for number in sorted((k for k, part in enumerate(parts) if not part.trunk), key=lambda k: -parts[k].size):
        load, k = heapq.heappop(loads)
        chosen[k].append(number)
        heapq.heappush(loads, (load + parts[number].size, k))
    return chosen, [load for load, _ in sorted(loads, key=lambda entry: entry[1])]


def _sizes(parents: Sequence[int]) -> tuple[list[int], list[list[int]]]:
    """Links in the subtree of each, and those that each carries, in order."""
    sizes = [1] * len(parents)
    children: list[list[int]] = [[] for _ in parents]
    for j in range(len(parents) - 1, 0, -1):
        sizes[parents[j]] += sizes[j]
    for j in range(1, len(parents)):
        children[parents[j]].append(j)
    return sizes, children


def _bases(bases: Sequence[int], sizes: Sequence[int], grain: int) -> list[Part]:
    """Trees on the ground, small neighbours together."""
    found: list[Part] = []
    for j in bases:
        if found and found[-1].size + sizes[j] <= grain:
            found[-1] = Part(found[-1].first, j + sizes[j], False)
        else:
            found.append(Part(j, j + sizes[j], False))
    return found
