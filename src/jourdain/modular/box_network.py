"""Boxes and the joints between them at a macro point: the state that a coupling takes from one macro point on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..engine.interface import Interface
from ..engine.port_algebra import PortAlgebra
from ..mechanism.errors import JourdainError, SimulationError
from .box import Box, PortMotion, checked_motion
from .factor import Factor
from .own_box import MechanismBox
from .port_path import between
from .side_by_side import SideBySide, Together

Array = npt.NDArray[np.float64]
R = TypeVar("R")
NOTHING = np.zeros((0, 0))


@dataclass(frozen=True)
class Joints:
    """What joints between boxes are like at one motion of the ports."""

    C: Array
    rate: Array  # C'
    gamma: Array
    J: Array  # by slots (engine/port_algebra.py); nothing where it was not wanted
    partial: Array  # C_t


@dataclass(frozen=True)
class Marks:
    """Where all boxes were: groups by their arrays, others by what they wrote."""

    groups: list[Together]
    arrays: list[Any]
    others: list[tuple[str, bytes]]

    def back(self, boxes: Mapping[str, Box], when_lost: AbstractContextManager[None]) -> None:
        for one, mark in zip(self.groups, self.arrays, strict=True):
            one.back(mark)
        for name, state in self.others:
            with when_lost:
                boxes[name].restore(state)


def _kicked(impulses: Array, box: Box) -> PortMotion:
    return box.kick(impulses)


class Network:
    """All boxes with the ports that are joined, in one order, and the joints between them."""

    def __init__(self, boxes: Mapping[str, Box], interface: Interface, threads: int) -> None:
        self.boxes, self.interface = dict(boxes), interface
        self.names = list(self.boxes)
        ends = np.cumsum([0, *(len(box.ports) for box in self.boxes.values())])
        self.where = {name: slice(int(a), int(b)) for name, a, b in zip(self.names, ends[:-1], ends[1:], strict=True)}
        self.width = interface.width
        self._pool: ThreadPoolExecutor | None = None
        self.beside = SideBySide(self.boxes, self.where, self.width)
        if isinstance(interface, Interface):
            self.algebra = PortAlgebra(interface, [self.width * len(box.ports) for box in self.boxes.values()])
        self.use_threads(threads)

    # The boxes -------------------------------------------------------------------------------------------------------

    def start(self, t: float) -> None:
        """All boxes at their start."""
        self.t = t
        found = [self.asked(name, "started", lambda box: box.start(t)) for name in self.names]
        self.motion = self.together(found)

    def each(self, call: Callable[[str], R], names: Sequence[str]) -> list[R]:
        """For boxes, at the same time where there are threads."""
        if self._pool is None:
            return [call(name) for name in names]
        futures = [self._pool.submit(call, name) for name in names]
        return [future.result() for future in futures]

    def advanced(self, H: float, wrenches: Array) -> PortMotion:
        """All boxes go on by H under wrenches (degree + 1, port, component): the motion of their ports at the end."""

        def one(name: str) -> PortMotion:
            own = np.ascontiguousarray(wrenches[:, self.where[name]])
            return self.asked(name, "advanced", lambda box: box.advance(H, own))

        beside = self.beside
        beside.gather()
        if not beside.groups:
            return self.together(self.each(one, self.names))
        motion = beside.advanced(H, wrenches, self._pool, self._threads)
        for name, own in zip(beside.others, self.each(one, beside.others), strict=True):
            for part, numbers in zip(motion, own, strict=True):
                part[self.where[name]] = numbers
        return self.turned(motion)

    def states(self) -> list[bytes]:
        """Of all boxes, as these write them."""
        return [self.boxes[name].state() for name in self.names]

    def marks(self) -> Marks:
        """Where all boxes are."""
        self.beside.gather()
        others = [(name, self.boxes[name].state()) for name in self.beside.others]
        return Marks(list(self.beside.groups), self.beside.marks(), others)

    def back(self, marks: Marks) -> None:
        """All boxes where they were."""
        marks.back(self.boxes, nullcontext())

    def back_if_possible(self, marks: Marks) -> None:
        """The same where something has failed already: a box that is lost must not hide why."""
        marks.back(self.boxes, suppress(SimulationError))

    def kicked(self, impulses: Array) -> tuple[PortMotion, npt.NDArray[np.bool_]]:
        """The motion after impulses on ports, and which of them were hit; boxes that get none are left alone."""
        found, hit = [], np.zeros((len(impulses), 1), dtype=bool)
        for name in self.names:
            own = impulses[self.where[name]]
            if not np.any(own):
                found.append(PortMotion(*(part[self.where[name]] for part in self.motion)))
                continue
            if not self.boxes[name].kicks:
                raise SimulationError(
                    f"velocities jump at the ports of subsystem '{name}', which has no kick; give it one, "
                    "or let the joint close without a jump"
                )
            found.append(self.asked(name, "kicked", partial(_kicked, own)))
            hit[self.where[name]] = True
        return self.together(found), hit

    def asked(self, name: str, doing: str, call: Callable[[Box], Any]) -> PortMotion:
        box = self.boxes[name]
        try:
            found = call(box)
        except (JourdainError, KeyboardInterrupt):
            raise
        except Exception as error:
            words = f"subsystem '{name}' raised {type(error).__name__} when {doing}: {error}"
            raise SimulationError(words) from error
        return found if isinstance(box, MechanismBox) else checked_motion(box, name, found, doing)

    def together(self, motions: Sequence[PortMotion]) -> PortMotion:
        return self.turned(PortMotion(*(np.concatenate(part) for part in zip(*motions, strict=True))))

    def turned(self, motion: PortMotion) -> PortMotion:
        """Angles in the plane go on from where they were."""
        if motion.attitude.ndim == 1 and hasattr(self, "motion"):
            turns = 2 * np.pi * np.round((self.motion.attitude - motion.attitude) / (2 * np.pi))
            motion = motion._replace(attitude=motion.attitude + turns)
        return motion

    def use_threads(self, threads: int) -> None:
        """So many boxes at a time."""
        self.close()
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 and len(self.boxes) > 1 else None

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    # The joints ------------------------------------------------------------------------------------------------------

    def named(self, row: int) -> str:
        """Whose row it is; of forces alone, the first of them."""
        if self.interface.rows:
            return self.interface.rows[row].joint
        return self.interface.model.blueprint.forces[0].name

    def vector(self, motion: PortMotion, z: Array) -> Array:
        """The state of the interface."""
        P, dim = motion.position.shape
        attitude = motion.attitude.reshape(P, -1)
        places = P * (dim + attitude.shape[1])
        y = np.empty(places + P * self.width + len(z))
        place, speed = y[:places].reshape(P, -1), y[places : places + P * self.width].reshape(P, -1)
        place[:, :dim], place[:, dim:] = motion.position, attitude
        speed[:, :dim], speed[:, dim:] = motion.velocity, motion.spin
        y[places + P * self.width :] = z
        return y

    def joints(self, t: float, motion: PortMotion, z: Array, matrix: bool = True) -> Joints:
        """Equations of the joints where the ports are."""
        C, rate, gamma, partial = self.algebra.equations(t, self.vector(motion, z))
        return Joints(C, rate, gamma, self.algebra.jacobian() if matrix else NOTHING, partial)

    def applied(self, t: float, motion: PortMotion, z: Array, lam: Array) -> tuple[Array, Array]:
        """Wrenches of springs and their like, and rates of z, at the motion that joints were asked for last."""
        rates = np.column_stack([motion.acceleration, motion.spin_rate]).ravel()
        return self.interface.applied(t, self.vector(motion, z), rates, lam)

    def wrenches(self, J: Array, lam: Array) -> Array:
        """-J^T lam, by port."""
        return self.algebra.pressed(J, lam).reshape(-1, self.width)

    def speeds(self, motion: PortMotion) -> Array:
        """Velocity and spin of each port."""
        return np.column_stack([motion.velocity, motion.spin])

    def rates(self, motion: PortMotion) -> Array:
        """Rates of velocity and spin of all ports as one vector."""
        return np.column_stack([motion.acceleration, motion.spin_rate]).ravel()

    def with_rates(self, motion: PortMotion, rates: Array) -> PortMotion:
        dim = motion.position.shape[1]
        by_port = rates.reshape(-1, self.width)
        return motion._replace(acceleration=by_port[:, :dim].copy(), spin_rate=by_port[:, dim:].copy())

    def between(self, start: PortMotion, end: PortMotion, H: float, s: float) -> PortMotion:
        return between(start, end, H, s)

    def mobility(self) -> Array:
        """Y of all boxes where they stand, one behind the other, each row by row."""
        Y = np.empty(self.algebra.mobilities)
        self.beside.gather()
        asked: list[str] = list(self.beside.others)
        for one in self.beside.groups:
            found = one.mobilities()
            if found is None:
                asked += one.boxes
            else:
                Y[one.places] = found
        for name, found in zip(asked, self.each(self._mobility_of, asked), strict=True):
            Y[self.algebra.places_of(self.names.index(name))] = found.ravel()
        return Y

    def _mobility_of(self, name: str) -> Array:
        box = self.boxes[name]
        n = len(box.ports) * self.width
        try:
            Y = np.array(box.mobility(), dtype=float)
        except (JourdainError, KeyboardInterrupt):
            raise
        except Exception as error:
            words = f"subsystem '{name}' raised {type(error).__name__} when asked for its mobility: {error}"
            raise SimulationError(words) from error
        if Y.shape != (n, n) or not np.isfinite(Y).all():
            raise SimulationError(
                f"subsystem '{name}': its mobility is no finite matrix of {n} x {n} numbers, {self.width} for each port"
            )
        return Y

    def factor(self, J: Array, Y: Array) -> Factor:
        """K = J Y J^T, factored."""
        return Factor(self.algebra.stiffness(J, Y))
