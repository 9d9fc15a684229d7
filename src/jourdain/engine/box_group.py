"""Boxes of one kind, coupled without Python between them: arrays for kernels/batch/boxes.py, and what it is asked.

A box is a time loop with a workspace for looking and loads on its ports. While it is in a group, its state is a row
here. Every box of ours that can be is in a group, be it alone: so the bits are the same, whoever calls it, and however
many go on together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..choices.contract import Entry
from ..choices.integrators.woven import Woven
from ..kernels.layout import fields as f
from ..kernels.layout.batch_records import Boxes
from ..kernels.layout.returned import OK
from .addresses import addresses
from .compiled_entries import loop as compiled_loop
from .compiled_entries import marker
from .interface import PortLoads
from .kernel_cache import announced
from .pose import Pose
from .time_loop import TimeLoop
from .workspace import KEPT_WORDS

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SOURCE = "jourdain.kernels.batch.boxes"
PLANAR = tuple(slice(*ends) for ends in ((0, 2), (2, 3), (3, 5), (5, 6), (6, 8), (8, 9)))  # of a row of motion
SPATIAL = tuple(slice(*ends) for ends in ((0, 3), (3, 7), (7, 10), (10, 13), (13, 16), (16, 19)))
SETS = ("angle", "quaternion")  # whose ports the kernel knows where to find


@dataclass(frozen=True, eq=False)
class Seat:
    """What a group needs of a box."""

    loop: TimeLoop
    looking: Pose
    loads: PortLoads
    bodies: tuple[int, ...]  # of its ports
    arms: Array  # from their mass centres, body axes
    scales: Array  # wrench components that accelerate it by about one

    @property
    def kind(self) -> tuple[Any, ...]:
        """Boxes of one kind can be in one group."""
        rows, width = self.loop.work.shape
        return (
            type(self.loop.integrator),
            rows,
            width,
            len(self.bodies),
            self.arms.shape[1],
        )


def may_sit(loop: TimeLoop) -> bool:
    """Whether a box can be in a group: nobody but the kernel decides anything on its way."""
    workspace, model = loop.workspace, loop.workspace.model
    plain = isinstance(loop.integrator, Woven) and loop.undivided and not workspace.callbacks
    return plain and model.coordinates in SETS and not model.sizes.events


class BoxGroup:
    """Boxes side by side. Rows of arrays are theirs in the order given."""

    def __init__(self, seats: Sequence[Seat], times: Sequence[float], states: Sequence[Array]) -> None:
        self.seats = tuple(seats)
        first, n = seats[0], len(seats)
        rows, length = first.loop.work.shape
        P, dim = len(first.bodies), first.arms.shape[1]
        width = 3 if dim == 2 else 6
        numbers = 9 if dim == 2 else 19
        # Workspaces, too: a session may go on with another, whose equations are the same but for which are left out.
        self._kept: list[Any] = [seat.loop.workspace for seat in seats]
        copies = [self._memory(seat) for seat in seats]
        words = [[(word, seat.loop.workspace.ctx[word]) for word in KEPT_WORDS] for seat in seats]
        tables = [(_address(s.loop.workspace.ctx), _address(s.looking.workspace.ctx)) for s in seats]
        self.own = Boxes(
            tables=np.array(tables, dtype=np.int64),
            places=np.array([seat.loads.places for seat in seats], dtype=np.int64),
            copies=np.array([row for part in copies for row in part], dtype=np.int64).reshape(-1, 3),
            first_copy=np.cumsum([0, *map(len, copies)], dtype=np.int64),
            words=np.array(words, dtype=np.int64),
            bodies=np.array([seat.bodies for seat in seats], dtype=np.int64).reshape(n, P),
            arms=np.array([seat.arms for seat in seats]).reshape(n, P, dim),
            t=np.array(times, dtype=float),
            y=np.array(states, dtype=float),
            work=np.zeros((n, rows, length)),
            clock=np.array([seat.loop.clock for seat in seats]),
            counts=np.array([seat.loop.counts for seat in seats]),
            steps=np.array([seat.loop.integrator.step for seat in seats]),  # type: ignore[attr-defined]
            ends=np.zeros((n, 1)),
            samples=np.zeros((n, 1, length)),
            slopes=np.zeros((n, length)),
            motion=np.zeros((n, P, numbers)),
            trial=np.zeros((n, P, numbers)),
            held=np.zeros((1, n, P, width)),
            vectors=np.zeros((n, 3, 3)),
            status=np.zeros(n, dtype=np.int64),
            pause=first.loop.pause,
        )
        self._table = addresses(self.own)
        self.wrench = np.zeros((n, P, width))  # that acts where they stand
        self.numbers = numbers  # in the motion of a port
        self.complete = True  # no box has left it
        self.changes = 0  # how often its boxes went elsewhere
        self._scales = np.array([seat.scales for seat in seats])
        name = first.loop.integrator.loop  # type: ignore[attr-defined]
        self._go, self._move, self._weigh = (
            _compiled(slot, function)
            for slot, function in (("GO_BOXES", f"go_{name}"), ("MOVE_BOXES", "motions"), ("WEIGH_BOXES", "mobilities"))
        )

    def _memory(self, seat: Seat) -> list[tuple[int, int, int]]:
        """Where its memory is, and a copy of what it begins with."""
        workspace = seat.loop.workspace
        workspace.begin_anew()
        workspace.ctx[f.H_SHARP] = 0
        found = []
        for array in workspace.memory:
            if array.size:
                image = array.copy()
                self._kept.append(image)
                found.append((_address(array), _address(image), array.size))
        return found

    # What is asked of boxes ------------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        return len(self.seats)

    def takes(self, H: float) -> bool:
        """Whether the keyboard can wait for the steps of such a time."""
        return bool(self.own.pause * np.min(self.own.steps) >= H)

    def go(self, H: float, wrenches: Array, first: int, last: int) -> None:
        """Boxes first to last go on by H under wrenches (box, degree, port, component)."""
        self.changes += 1
        self._go(self._table, H, wrenches, first, last)
        self.wrench[first:last] = wrenches[first:last].sum(axis=1)

    @property
    def has_failed(self) -> bool:
        """Whether some box could not do what was asked of it last."""
        return bool(np.any(self.own.status != OK))

    def move(self, wrenches: Array) -> None:
        """Motions of ports where the boxes stand, under wrenches (box, port, component)."""
        self._move(self._table, wrenches, 0, self.size)
        self.wrench[:] = wrenches

    def mobilities(self) -> Array:
        """d(rates) / d(wrenches) of each box."""
        n = self.wrench.shape[1] * self.wrench.shape[2]
        found = np.zeros((self.size, n, n))
        self._weigh(self._table, self.wrench, self._scales, found, 0, self.size)
        return found

    def stands(self, k: int, t: float, y: Array, wrench: Array) -> None:
        """Box k is somewhere else."""
        self.own.t[k], self.own.y[k], self.wrench[k] = t, y, wrench

    def motion(self, boxes: slice | int = slice(None)) -> tuple[Array, ...]:
        """Places, attitudes, velocities, spins, and rates of these two, of all ports of boxes, as found last."""
        return motions_in(self.own.motion[boxes].reshape(-1, self.numbers).copy())

    @property
    def mark(self) -> tuple[Array, Array, Array]:
        """Where all stand."""
        return self.own.t.copy(), self.own.y.copy(), self.wrench.copy()

    def back(self, mark: tuple[Array, Array, Array]) -> None:
        self.changes += 1
        self.own.t[:], self.own.y[:], self.wrench[:] = mark


def motions_in(rows: Array) -> tuple[Array, ...]:
    """Places, attitudes, velocities, spins, and rates of these two, in rows of motion."""
    parts = PLANAR if rows.shape[1] == PLANAR[-1].stop else SPATIAL
    found = [rows[:, part] for part in parts]
    found[1] = found[1][:, 0] if parts is PLANAR else found[1]
    return tuple(found)


def _compiled(slot: str, function: str) -> Any:
    entry = Entry(slot, f"{SOURCE}:{function}")
    with announced("what boxes of a system need", marker(entry).stem):
        return compiled_loop(entry)


def _address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])
