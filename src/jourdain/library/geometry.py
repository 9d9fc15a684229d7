"""Places, lengths, axes and joint coordinates as formulas.

The ground does not move: its points and axes are numbers here, so that nothing is computed for them.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np

from ..equations.formula import Formula, apply, leaf, number
from ..mechanism.parts import GROUND, Blueprint, Joint, PortName
from .joints import ANGLE, kind_of

Vector = tuple[Formula, ...]


@dataclass(frozen=True)
class Coordinate:
    """The angle or the displacement of a joint; `rate` over velocity channels."""

    joint: Joint
    quantity: str
    along: Formula
    rate: Formula

    @property
    def angular(self) -> bool:
        return self.quantity == ANGLE


_ANGULAR = ("rad", "rad/s", "N m", "N m/rad", "N m s/rad")  # of units that are those of an angle or a displacement


def unit_along(units: str, quantity: str) -> str:
    """Of units like `N/m or N m/rad` those that go with a coordinate; all of them where that is not known."""
    if not quantity or " or " not in units:
        return units
    return " or ".join(unit for unit in units.split(" or ") if (unit in _ANGULAR) == (quantity == ANGLE)) or units


def split_joint(text: str, joints: Container[str]) -> tuple[str, str]:
    """`"C.displacement"` is the joint C and its displacement; a bare name leaves the quantity to the joint."""
    if text in joints:
        return text, ""
    name, dot, quantity = text.rpartition(".")
    return (name, quantity) if dot else (text, "")


def quantity_of(blueprint: Blueprint, text: str) -> str:
    """`angle` or `displacement`, which a text like `C.displacement` or the joint itself says; else nothing."""
    name, quantity = split_joint(text, blueprint.joints_by_name)
    joint = blueprint.joints_by_name.get(name)
    return quantity or (next(iter(kind_of(joint).coordinates), "") if joint is not None else "")


def coordinate(blueprint: Blueprint, text: str, wanted: str = "") -> Coordinate:
    """The coordinate a text names, or the one a type wants of that joint, or the joint's first."""
    name, quantity = split_joint(text, blueprint.joints_by_name)
    joint = blueprint.joint(name)
    quantity = quantity or wanted or kind_of(joint).coordinates[0]
    along = leaf(f"{name}.{quantity}")
    if quantity == ANGLE or quantity == kind_of(joint).speed:
        return Coordinate(joint, quantity, along, leaf(f"{name}.speed"))
    direction = "x_i" if blueprint.dim == 2 else "z_i"
    moving = dot(separation(blueprint, joint.first, joint.second, 1), axis(blueprint, joint, direction))
    turning = dot(separation(blueprint, joint.first, joint.second), axis(blueprint, joint, direction, 1))
    return Coordinate(joint, quantity, along, moving + turning)


def dot(a: Sequence[Formula], b: Sequence[Formula]) -> Formula:
    """Scalar product."""
    total = number(0.0)
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def minus(a: Sequence[Formula], b: Sequence[Formula]) -> Vector:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def place(blueprint: Blueprint, port: PortName, order: int = 0) -> Vector:
    """A named point in fixed axes; order 1: its velocity."""
    if port.body == GROUND:
        return tuple(number(0.0 if order else c) for c in blueprint.port(port).at)
    channels = ("vx", "vy", "vz") if order else ("x", "y", "z")
    return tuple(leaf(f"{port}.{c}") for c in channels[: blueprint.dim])


def point(body: str, at: Sequence[float], order: int = 0) -> Vector:
    """Any point of a body, given in body axes from the origin; in fixed axes. Order 1: its velocity."""
    if body == GROUND:
        return tuple(number(0.0 if order else c) for c in at)
    return tuple(leaf(("at", body, tuple(float(c) for c in at), k, order)) for k in range(len(at)))


def separation(blueprint: Blueprint, first: PortName, second: PortName, order: int = 0) -> Vector:
    """MN, from the first point to the second; order 1: its rate."""
    return minus(place(blueprint, second, order), place(blueprint, first, order))


def length(blueprint: Blueprint, first: PortName, second: PortName) -> tuple[Formula, Formula]:
    """Distance of two points and its rate: smooth where they meet, so that there is no direction and no force."""
    apart, velocity = separation(blueprint, first, second), separation(blueprint, first, second, 1)
    distance = apply("sqrt", dot(apart, apart) + blueprint.no_length**2)
    return distance, dot(apart, velocity) / distance


def axis(blueprint: Blueprint, joint: Joint, name: str, order: int = 0) -> Vector:
    """An axis of a joint's ports (`x_i` .. `z_j`) in fixed axes; order 1: its rate."""
    return axis_of_ports(blueprint, joint.first, joint.second, name, order)


def axis_of_ports(blueprint: Blueprint, first: PortName, second: PortName, name: str, order: int = 0) -> Vector:
    """An axis of two ports, completed as for a joint between them."""
    return tuple(leaf(("axis", first, second, name, k, order)) for k in range(blueprint.dim))


def body_axes(blueprint: Blueprint, body: str) -> tuple[Vector, ...]:
    """The axes of a body in fixed axes: each from the origin to a point one metre along it."""
    dim = blueprint.dim
    if body == GROUND:
        return tuple(tuple(number(v) for v in row) for row in np.eye(dim))
    origin = point(body, (0.0,) * dim)
    return tuple(minus(point(body, tuple(row)), origin) for row in np.eye(dim))


def combined(components: Sequence[Formula], axes: Sequence[Sequence[Formula]]) -> Vector:
    """A vector given by its components along axes, in fixed axes."""
    return tuple(dot(components, [a[k] for a in axes]) for k in range(len(axes[0])))
