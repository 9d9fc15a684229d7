"""The frozen parts of a mechanism. Numbers are SI and radians; names are the user's own.

Plane: vectors have two components, `inertia` and `spin` are numbers, an attitude is an angle.
Space: vectors have three, `inertia` is (Ixx, Iyy, Izz, Ixy, Ixz, Iyz), an attitude is a quaternion (w, x, y, z).
`None` in a start value means: not written, so assembly may choose it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Vector = tuple[float, ...]
# A component of a load: a number, a formula in `t`, or a function of t.
Signal = float | str | Callable[[float], float]

GROUND = "ground"
PLANAR = "planar"
SPATIAL = "spatial"


@dataclass(frozen=True)
class PortName:
    """A point of a body, by name: what joints and forces refer to."""

    body: str
    point: str

    def __str__(self) -> str:
        return f"{self.body}.{self.point}"


@dataclass(frozen=True)
class Port:
    """A point of a body with its axes, all in body axes. Axes that were not given are None."""

    at: Vector
    x: Vector | None = None
    z: Vector | None = None


@dataclass(frozen=True)
class Body:
    """A rigid body. `position`, `velocity` and ports refer to the origin of the body axes.

    `centre` is the mass centre in body axes; `inertia` is about the mass centre, in body axes, with products
    of inertia as tensor entries (`-int xy dm`). `spin` is the angular velocity in fixed axes.
    """

    name: str
    mass: float
    inertia: float | Vector
    centre: Vector
    ports: dict[str, Port]
    position: Vector | None = None
    attitude: float | Vector | None = None
    velocity: Vector | None = None
    spin: float | Vector | None = None


@dataclass(frozen=True)
class Joint:
    """Two ports and a type of the catalogue; `custom` joints bring their own equations."""

    name: str
    type: str
    first: PortName
    second: PortName
    equations: tuple[Any, ...] = ()
    length: float | None = None


@dataclass(frozen=True)
class SpringDamper:
    """A force along the line between two points: `stiffness (l - length) + damping l'`, pulling when positive."""

    name: str
    first: PortName
    second: PortName
    stiffness: float
    damping: float
    length: float


@dataclass(frozen=True)
class PointForce:
    """A force on a point, components in fixed axes."""

    name: str
    on: PortName
    vector: tuple[Signal, ...]


@dataclass(frozen=True)
class Torque:
    """A torque on a body: one component in the plane, three in fixed axes in space."""

    name: str
    on: str
    torque: tuple[Signal, ...]


Force = SpringDamper | PointForce | Torque


@dataclass(frozen=True)
class Blueprint:
    """A whole mechanism, frozen: what a builder or a file produces and every analysis takes."""

    name: str
    space: str
    gravity: Vector
    ground: dict[str, Port]
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    forces: tuple[Force, ...]
    # What the builder could not store as asked; reported together with all other faults.
    early_faults: tuple[str, ...] = field(default=())

    @property
    def dim(self) -> int:
        return 2 if self.space == PLANAR else 3

    @cached_property
    def _by_name(self) -> dict[str, Body]:
        return {body.name: body for body in reversed(self.bodies)}  # of two with one name the first counts

    def body(self, name: str) -> Body:
        return self._by_name[name]

    def has_body(self, name: str) -> bool:
        return name == GROUND or name in self._by_name

    def ports_of(self, body: str) -> dict[str, Port]:
        return self.ground if body == GROUND else self.body(body).ports

    def port(self, name: PortName) -> Port:
        return self.ports_of(name.body)[name.point]
