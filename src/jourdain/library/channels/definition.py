"""What a channel is: a name, a level, a quantity, and a formula over leaves that everybody reads in his own numbers.

A formula is a function of `Leaves`: where points are, how axes stand, how fast bodies turn, what joints bear. It is
written once, in plain numpy over the last axis, and gives

- an array over the samples, where leaves are arrays over samples (`results/channel_values.py`);
- a formula of the kernel's tape, where leaves are formulas (`model/measures.py`), for forces, equations, events;
- a number and its gradient, where leaves are those of one pose and of unit velocities there (`assembly/targets.py`).

What the state or the outputs of a sample hold as a single number is read there instead (`kept`, `model/places.py`):
by results, and by a session in every frame. To add a channel, add it to the file of its family here.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...mechanism.parts import Blueprint, Joint
from ...mechanism.port_axes import joint_axes
from ..quantities import Quantity

FIRST, SECOND = 0, 1  # sides of a joint
KINETIC, POTENTIAL = ("energy", "kinetic"), ("energy", "potential")  # as the kernel reports them


class Leaves(Protocol):
    """What formulas are made of. Vectors have their components along the last axis; everything is in fixed axes."""

    @property
    def dim(self) -> int: ...

    def point(self, body: str, at: Any, order: int = 0) -> Any:
        """A point given in body axes from the origin; order 1: its velocity, 2: its acceleration."""

    def axis(self, body: str, local: Any, order: int = 0) -> Any:
        """An axis given in body axes, or a derivative of it."""

    def spin(self, body: str, order: int = 0) -> Any:
        """Angular velocity (one component in the plane); order 1: its rate."""

    def attitude(self, body: str) -> Any:
        """The angle with its turns in the plane, the quaternion in space."""

    def wound(self, joint: Joint, angle: Any) -> Any:
        """A joint's angle brought to the turn it is in."""

    def wrench(self, joint: str, side: int) -> Any:
        """Force and moment of a joint on the body of that side, at its port."""

    def kept(self, key: tuple[Any, ...]) -> Any:
        """A single number of the state or of the outputs (keys: `model/places.py`)."""


Value = Callable[[Leaves], Any]


class Rates(NamedTuple):
    """First and second derivative of a position along the motion; the name that its rate bears."""

    name: str
    first: Value
    second: Value | None = None


class RowWise(Enum):
    """Whether a sample's value needs no other sample."""

    NO = "no"
    WITH_TURNS = "if the coordinates hold the angles of bodies, whole turns included"
    YES = "yes"


class Channel(NamedTuple):
    """One channel, by its full name. It has a `value`, or is `kept`, or both and then they agree."""

    name: str
    level: str
    quantity: Quantity
    says: str  # for the documentation
    value: Value | None = None
    kept: tuple[Any, ...] | None = None
    rates: Rates | None = None
    refused: str = ""  # why nothing can depend on it, though runs report it
    row_wise: RowWise = RowWise.NO

    def over(self, leaves: Leaves) -> Any:
        """In the numbers of these leaves."""
        return leaves.kept(self.kept or ()) if self.value is None else self.value(leaves)

    @property
    def is_angle(self) -> bool:
        return self.quantity.unit.startswith("rad")


def dot(a: Any, b: Any) -> Any:
    return np.sum(a * b, axis=-1)


def norm(a: Any) -> Any:
    return np.sqrt(dot(a, a))


def moment(arm: Any, force: Any) -> Any:
    """Of a force about a point: one component in the plane."""
    if arm.shape[-1] == 2:
        return np.stack([arm.T[0] * force.T[1] - arm.T[1] * force.T[0]], axis=-1)
    return np.cross(arm, force)


def axes_of(blueprint: Blueprint, joint: Joint) -> dict[str, Any]:
    """x_i .. z_j of a joint in the axes of their bodies; found once."""
    key = "axes", joint.name
    if key not in blueprint.derived:
        blueprint.derived[key] = joint_axes(blueprint, joint)
    found: dict[str, Any] = blueprint.derived[key]
    return found
