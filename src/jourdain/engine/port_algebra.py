"""Sums between ports of boxes: J x, -J^T lam, Y times wrenches, and K = J Y J^T where a coupling wants it.

J is as kernels leave it, a row of numbers for each slot (block of equations, port); Y has the mobilities of all boxes
one behind the other. A round of a coupling is short where there are few boxes, and there are many rounds: so each of
these is one call of compiled code (kernels/batch/between_ports.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee

from ..choices.contract import Entry
from ..kernels.layout import fields as f
from .compiled_entries import loop as compiled_loop
from .compiled_entries import marker
from .interface import Interface
from .kernel_cache import announced

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SOURCE = "jourdain.kernels.batch.between_ports"
FEW = 24  # equations up to which K is a dense matrix
WIDEST = 48  # equations beside the diagonal up to which it is a band


@dataclass(frozen=True)
class Pattern:
    """Where the numbers of K stand: (row, row) of a matrix, (distance, column) of a band in `order`, or by columns."""

    kind: str  # "dense", "band" or "columns"
    size: int
    count: int
    order: Ints  # rows in the order of the band
    rows: Ints  # of K by columns
    ends: Ints


@dataclass(frozen=True)
class Stiffness:
    """K of the joints between boxes."""

    pattern: Pattern
    values: Array

    def dense(self) -> Array:
        p, n = self.pattern, self.pattern.size
        if p.kind == "dense":
            return self.values.reshape(n, n)
        if p.kind == "columns":
            return np.asarray(self.by_columns().toarray())
        found = np.zeros((n, n))
        for distance, row in enumerate(self.values.reshape(-1, n)):
            one, two = p.order[distance:], p.order[: n - distance]
            found[one, two] = found[two, one] = row[: n - distance]
        return found

    def by_columns(self) -> Any:
        p = self.pattern
        return sparse.csc_matrix((self.values, p.rows, p.ends), shape=(p.size, p.size))

    @property
    def diagonal(self) -> Array:
        """In the order of the equations."""
        p, n = self.pattern, self.pattern.size
        if p.kind == "dense":
            return self.values[:: n + 1].copy()
        if p.kind == "columns":
            return np.asarray(self.by_columns().diagonal())
        found = np.empty(n)
        found[p.order] = self.values[:n]
        return found


class PortAlgebra:
    """Of the joints of an interface between boxes; `sizes` are how many numbers the wrenches on each box have."""

    def __init__(self, interface: Interface, sizes: Sequence[int]) -> None:
        model = interface.model
        self._workspace, self._rows = interface.pose.workspace, interface.padded
        self._slots = np.ascontiguousarray(model.fields[f.SLOTS], dtype=np.int64)
        self._block, self._width = model.set.block, interface.width
        numbers = np.full(model.padded, -1, dtype=np.int64)
        numbers[self._rows] = np.arange(len(self._rows))
        self._numbers = numbers.reshape(-1, self._block)
        firsts, squares = np.cumsum([0, *sizes]), np.cumsum([0, *(n * n for n in sizes)])
        self._boxes = np.array([squares[:-1], sizes, firsts[:-1]], dtype=np.int64).T.copy()
        self.numbers, self.mobilities = int(firsts[-1]), int(squares[-1])
        names = ("EQUATIONS", "TIMES_ROWS", "PRESSED", "MOVED", "STIFFNESS")
        functions = ("equations", "times", "pressed", "moved", "stiffness")
        found = (_compiled(slot, name) for slot, name in zip(names, functions, strict=True))
        self._equations, self._times, self._pressed, self._moved, self._stiffness = found

    def places_of(self, box: int) -> slice:
        """Of the mobility of a box in Y."""
        first, n, _ = self._boxes[box]
        return slice(int(first), int(first + n * n))

    def equations(self, t: float, y: Array) -> Array:
        """C, C', gamma and C_t of all rows where the ports are; J is then that of this place."""
        found = np.empty((4, len(self._rows)))
        self._equations(self._workspace.ctx, t, y, self._rows, found)
        return found

    def jacobian(self) -> Array:
        """As last placed, to keep."""
        return np.array(self._workspace[f.JACOBIAN]).reshape(len(self._slots), self._block * self._width)

    def times(self, J: Array, x: Array) -> Array:
        """J x."""
        found = np.empty(len(self._rows))
        self._times(self._slots, self._numbers, J, x, found)
        return found

    def pressed(self, J: Array, lam: Array) -> Array:
        """-J^T lam."""
        found = np.empty(self.numbers)
        self._pressed(self._slots, self._numbers, J, lam, found)
        return found

    def moved(self, Y: Array, wrenches: Array) -> Array:
        """Y times wrenches."""
        found = np.empty(self.numbers)
        self._moved(self._boxes, Y, wrenches, found)
        return found

    def answered(self, J: Array, Y: Array, lam: Array) -> Array:
        """K lam, box by box."""
        return -self.times(J, self.moved(Y, self.pressed(J, lam)))

    def stiffness(self, J: Array, Y: Array) -> Stiffness:
        """K."""
        pattern, places = self._whole
        found = np.empty(pattern.count)
        self._stiffness(self._pairs, places, J, Y, found)
        return Stiffness(pattern, found)

    def own_stiffness(self, J: Array, Y: Array) -> list[tuple[Ints, Array]]:
        """The blocks of K that joints have to themselves: rows (joint, equation) and matrices, by their size."""
        places, count, groups = self._own
        found = np.empty(count)
        self._stiffness(self._pairs, places, J, Y, found)
        return [(rows, found[where]) for rows, where in groups]

    # Where numbers stand ---------------------------------------------------------------------------------------------

    @cached_property
    def _pairs(self) -> Ints:
        """Slots on one box, two by two: their numbers, and where their mobility is in Y."""
        on_box: dict[int, list[int]] = {}
        owner = np.searchsorted(self._boxes[:, 2], self._slots[:, 1] * self._width, side="right") - 1
        for s, box in enumerate(owner):
            on_box.setdefault(int(box), []).append(s)
        found = []
        for box, slots in on_box.items():
            place, n, first = self._boxes[box]
            at = {s: self._slots[s, 1] * self._width - first for s in slots}
            found += [(one, two, place + at[one] * n + at[two], n) for one in slots for two in slots]
        return np.array(found, dtype=np.int64).reshape(-1, 4)

    @cached_property
    def _entries(self) -> tuple[Ints, Ints]:
        """The two equations of every number that a pair of slots gives, or -1: (pair, row in block, row in block)."""
        blocks = self._slots[:, 0]
        one, two = self._numbers[blocks[self._pairs[:, 0]]], self._numbers[blocks[self._pairs[:, 1]]]
        shape = len(self._pairs), self._block, self._block
        return np.broadcast_to(one[:, :, None], shape), np.broadcast_to(two[:, None, :], shape)

    @cached_property
    def _whole(self) -> tuple[Pattern, Ints]:
        n, (one, two) = len(self._rows), self._entries
        there = (one >= 0) & (two >= 0)
        nothing = np.zeros(0, dtype=np.int64)
        if n <= FEW:
            places = np.where(there, one * n + two, -1)
            return Pattern("dense", n, n * n, np.arange(n), nothing, nothing), np.ascontiguousarray(places)
        graph = sparse.csr_matrix((np.ones(there.sum()), (one[there], two[there])), shape=(n, n))
        order = np.asarray(reverse_cuthill_mckee(graph, symmetric_mode=True), dtype=np.int64)
        back = np.empty(n, dtype=np.int64)
        back[order] = np.arange(n)
        i, j = back[one], back[two]
        wide = int(np.max(np.where(there, i - j, 0), initial=0)) + 1
        if wide <= WIDEST:
            places = np.where(there & (i >= j), (i - j) * n + j, -1)
            return Pattern("band", n, wide * n, order, nothing, nothing), np.ascontiguousarray(places)
        keys, which = np.unique((two * n + one)[there], return_inverse=True)
        places = np.full(there.shape, -1, dtype=np.int64)
        places[there] = which
        ends = np.searchsorted(keys // n, np.arange(n + 1))
        return Pattern("columns", n, len(keys), order, keys % n, ends), places

    @cached_property
    def _own(self) -> tuple[Ints, int, list[tuple[Ints, Ints]]]:
        """Places of the numbers, how many these are, and by size of joints: their rows and where their blocks stand."""
        joints: dict[str, list[int]] = {}
        for k, row in enumerate(self._workspace.model.rows):
            joints.setdefault(row.joint, []).append(k)
        n = len(self._rows)
        first, local, size = (np.zeros(n, dtype=np.int64) for _ in range(3))
        count, groups = 0, {}  # type: int, dict[int, list[tuple[list[int], int]]]
        for rows in joints.values():
            first[rows], local[rows], size[rows] = count, np.arange(len(rows)), len(rows)
            groups.setdefault(len(rows), []).append((rows, count))
            count += len(rows) ** 2
        one, two = self._entries
        same = (one >= 0) & (two >= 0) & (first[one] == first[two])
        places = np.where(same, first[one] + local[one] * size[one] + local[two], -1)
        found = []
        for m, members in groups.items():
            starts = np.array([start for _, start in members], dtype=np.int64)
            where = starts[:, None] + np.arange(m * m)
            found.append((np.array([rows for rows, _ in members], dtype=np.int64), where.reshape(-1, m, m)))
        return np.ascontiguousarray(places), count, found


def _compiled(slot: str, function: str) -> Any:
    entry = Entry(slot, f"{SOURCE}:{function}")
    with announced("what boxes of a system need", marker(entry).stem):
        return compiled_loop(entry)
