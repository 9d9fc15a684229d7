"""What stands where in a state y and in the outputs of a sample, by name, in the order of kernels/core/dynamics.py.

    y   = [q | v | z],  z = [states of elements | works dissipated, driven, stored | turns]
    out = [v' | largest C, largest C' | kinetic, potential | length and pull of each spring | reports
           | wrench on either side of each joint | strain | norms of C and C' | rounds]

q and v are of one body after another, or, in joint coordinates, of one joint after another. Offsets are handed out for
each body: sets whose bodies differ in their numbers have no stride.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy.typing as npt

Array = npt.NDArray[Any]

WORKS = ("dissipated", "driven", "stored")


def _slices(lengths: tuple[int, ...], first: int = 0) -> tuple[slice, ...]:
    """Places of parts of these lengths, one behind the other."""
    return tuple(slice(a, b) for a, b in pairwise(accumulate(lengths, initial=first)))


@dataclass(frozen=True)
class StateLayout:
    """Places in y, and in y' likewise. `y[layout.v]` are the velocities, of one state or of many in rows."""

    owners: tuple[str, ...]  # bodies, in the order in which their numbers stand: the tree's in joint coordinates
    q_lengths: tuple[int, ...]  # of each of them
    v_lengths: tuple[int, ...]
    state_names: tuple[tuple[str, str], ...]  # element and name
    turn_names: tuple[str, ...]  # joints, or bodies in the plane, whose turns are counted

    @cached_property
    def q(self) -> slice:
        return slice(0, sum(self.q_lengths))

    @cached_property
    def v(self) -> slice:
        return slice(self.q.stop, self.q.stop + sum(self.v_lengths))

    @cached_property
    def motion(self) -> slice:
        """q and v together."""
        return slice(0, self.v.stop)

    @cached_property
    def states(self) -> slice:
        """Of elements: they are under error control like q and v."""
        return slice(self.v.stop, self.v.stop + len(self.state_names))

    @cached_property
    def works(self) -> slice:
        """Dissipated, driven, stored."""
        return slice(self.states.stop, self.states.stop + len(WORKS))

    @cached_property
    def turns(self) -> slice:
        return slice(self.works.stop, self.works.stop + len(self.turn_names))

    @cached_property
    def z(self) -> slice:
        return slice(self.v.stop, self.turns.stop)

    @cached_property
    def length(self) -> int:
        return self.turns.stop

    @cached_property
    def q_of(self) -> tuple[slice, ...]:
        """The coordinates of each body; in joint coordinates, of the joint that carries it."""
        return _slices(self.q_lengths)

    @cached_property
    def v_of(self) -> tuple[slice, ...]:
        """Its velocities, in y."""
        return _slices(self.v_lengths, self.v.start)

    @cached_property
    def moves_of(self) -> tuple[slice, ...]:
        """The same in a vector of velocities, accelerations or small displacements alone."""
        return _slices(self.v_lengths)

    def state(self, element: str, name: str) -> int:
        return self.states.start + self.state_names.index((element, name))

    def work(self, name: str) -> int:
        return self.works.start + WORKS.index(name)

    def turn(self, name: str) -> int:
        return self.turns.start + self.turn_names.index(name)

    def by_body(self, y: Array) -> Array:
        """q of every body (..., body, number); for sets whose bodies all have as many."""
        return _rows(y[..., self.q], self.q_lengths)

    def moves_by_body(self, x: Array) -> Array:
        """A vector of velocities, accelerations or small displacements alone as (..., body, number), likewise."""
        return _rows(x, self.v_lengths)


def _rows(x: Array, lengths: tuple[int, ...]) -> Array:
    if len(set(lengths)) > 1:
        raise ValueError(f"bodies have {sorted(set(lengths))} numbers each; ask for their places one by one")
    return x.reshape(*x.shape[:-1], len(lengths), lengths[0] if lengths else 0)


@dataclass(frozen=True)
class OutputLayout:
    """Places in what a sample reports. `out[:, layout.kinetic]` are the kinetic energies of many samples in rows."""

    nv: int
    spring_names: tuple[str, ...]
    report_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    wrench_length: int  # force and moment: 3 in the plane, 6 in space

    @cached_property
    def accelerations(self) -> slice:
        return slice(0, self.nv)

    @cached_property
    def position_error(self) -> int:
        """The largest C, m or rad."""
        return self.accelerations.stop

    @cached_property
    def velocity_error(self) -> int:
        """The largest C', m/s or rad/s."""
        return self.position_error + 1

    @cached_property
    def kinetic(self) -> int:
        return self.velocity_error + 1

    @cached_property
    def potential(self) -> int:
        """Of gravity, springs and what else has a potential; what is integrated is in the works of y."""
        return self.kinetic + 1

    @cached_property
    def springs(self) -> slice:
        return slice(self.potential + 1, self.potential + 1 + 2 * len(self.spring_names))

    @cached_property
    def reports(self) -> slice:
        return slice(self.springs.stop, self.springs.stop + len(self.report_names))

    @cached_property
    def wrenches(self) -> slice:
        return slice(self.reports.stop, self.reports.stop + 2 * len(self.joint_names) * self.wrench_length)

    @cached_property
    def strain(self) -> int:
        """Joli's measure of Baumgarte's stabilisation, 0 without."""
        return self.wrenches.stop

    @cached_property
    def position_norm(self) -> int:
        """Of all C together, Euclidean."""
        return self.strain + 1

    @cached_property
    def velocity_norm(self) -> int:
        """Of all C' together."""
        return self.position_norm + 1

    @cached_property
    def rounds(self) -> int:
        """Of an iteration for the multipliers, begun with none."""
        return self.velocity_norm + 1

    @cached_property
    def length(self) -> int:
        return self.rounds + 1

    def report(self, name: str) -> int:
        return self.reports.start + self.report_names.index(name)

    def wrench(self, joint: str, side: int) -> slice:
        """Force and moment of a joint on its first body (side 0) or its second."""
        first = self.wrenches.start + (2 * self.joint_names.index(joint) + side) * self.wrench_length
        return slice(first, first + self.wrench_length)

    def by_spring(self, out: Array) -> Array:
        """Length and pulling force (sample, spring, 2)."""
        return out[:, self.springs].reshape(len(out), len(self.spring_names), 2)

    def by_joint(self, out: Array) -> Array:
        """Wrenches (sample, joint, side, component): on the first body, then on the second."""
        return out[:, self.wrenches].reshape(len(out), len(self.joint_names), 2, self.wrench_length)
