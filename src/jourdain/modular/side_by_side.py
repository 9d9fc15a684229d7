"""Boxes of ours that go on together, without Python between them; all others are asked one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.box_group import BoxGroup, motions_in
from .box import Box, PortMotion
from .own_box import MechanismBox

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Together:
    """A group, its boxes by name in its order, and where their ports and mobilities are among all."""

    group: BoxGroup
    boxes: Mapping[str, MechanismBox]
    ports: Ints  # (box, port)
    places: Ints  # (box, number, number)

    def back(self, mark: Any) -> None:
        """All where they were. One that has left the group since is given back to it."""
        self.group.back(mark)
        if not self.group.complete:
            for k, box in enumerate(self.boxes.values()):
                box.join(self.group, k)
                box.went()
            self.group.complete = True

    def mobilities(self) -> Array | None:
        """Of each box; nothing if there is one that cannot tell."""
        found = self.group.mobilities()
        return None if self.group.has_failed else found


class SideBySide:
    """All groups of a system, and who is in none."""

    def __init__(self, boxes: Mapping[str, Box], where: Mapping[str, slice], width: int) -> None:
        self._boxes, self._where = boxes, where
        sizes = [width * (own.stop - own.start) for own in where.values()]
        firsts = np.cumsum([0, *(n * n for n in sizes)])
        self._mobilities = {name: np.arange(a, b) for name, a, b in zip(where, firsts[:-1], firsts[1:], strict=True)}
        self._count = sum(own.stop - own.start for own in where.values())
        self.groups: list[Together] = []
        self.others: list[str] = list(boxes)
        self.off = False  # everybody is asked one by one

    def gather(self) -> None:
        """Who can be in a group is in one, as boxes are now."""
        if self.off:
            self.groups, self.others = [], list(self._boxes)
        if self.off or (self.groups and all(one.group.complete for one in self.groups)):
            return
        kinds: dict[Any, dict[str, MechanismBox]] = {}
        for name, box in self._boxes.items():
            if isinstance(box, MechanismBox) and box.grouped:
                kinds.setdefault(box.seat.kind, {})[name] = box
        self.groups = [self._group(boxes) for boxes in kinds.values()]
        inside = {name for one in self.groups for name in one.boxes}
        self.others = [name for name in self._boxes if name not in inside]

    def _group(self, boxes: Mapping[str, MechanismBox]) -> Together:
        sessions = [box.session for box in boxes.values()]  # which brings them to where they are
        seats = [box.seat for box in boxes.values()]
        group = BoxGroup(seats, [s.t for s in sessions], [s.y for s in sessions])
        for k, box in enumerate(boxes.values()):
            group.wrench[k] = box.last
            box.join(group, k)
        ports = [np.arange(self._where[name].start, self._where[name].stop) for name in boxes]
        n = group.wrench[0].size
        places = [self._mobilities[name].reshape(n, n) for name in boxes]
        return Together(group, boxes, np.array(ports, dtype=np.int64), np.array(places, dtype=np.int64))

    def advanced(self, H: float, wrenches: Array, pool: ThreadPoolExecutor | None, threads: int) -> PortMotion:
        """Groups go on: the motions of their ports among all. Boxes that could not go on together are asked alone."""
        rows = np.empty((self._count, self.groups[0].group.numbers))
        alone = []
        for one in self.groups:
            group = one.group
            own = np.ascontiguousarray(wrenches[:, one.ports].swapaxes(0, 1))
            mark = group.mark
            if group.takes(H):
                _in_parts(partial(group.go, H, own), group.size, pool, threads)
            if not group.takes(H) or group.has_failed:
                group.back(mark)
                alone.append((one, own))
            else:
                rows[one.ports] = group.own.motion
        motion = PortMotion(*motions_in(rows))
        for one, own in alone:
            for part, numbers in zip(motion, _alone(one, H, own), strict=True):
                part[one.ports.ravel()] = numbers
        return motion

    def marks(self) -> list[Any]:
        """Where the boxes of each group are."""
        return [one.group.mark for one in self.groups]


def _alone(one: Together, H: float, wrenches: Array) -> tuple[Array, ...]:
    """One box after the other, for the sentence of the one that cannot, or because it takes long."""
    motions = [box.advance(H, own) for box, own in zip(one.boxes.values(), wrenches, strict=True)]
    return tuple(np.concatenate(part) for part in zip(*motions, strict=True))


def _in_parts(go: Callable[[int, int], None], count: int, pool: ThreadPoolExecutor | None, threads: int) -> None:
    if pool is None or count < 2 * threads:
        go(0, count)
        return
    ends = np.linspace(0, count, threads + 1).astype(int).tolist()
    futures = [pool.submit(go, a, b) for a, b in pairwise(ends)]
    for future in futures:
        future.result()
