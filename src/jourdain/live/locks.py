"""Bodies that are held where they are: a weld to the ground, as exact as any joint, for as long as somebody wants it.

A lock is no part of the document, as a hand is none: what is saved is the machine, not what is being done to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..library.joints.weld import WELD
from ..mechanism.parts import GROUND, Blueprint, Joint, Port, PortName
from ..mechanism.rotations import matrix_from_angle, matrix_from_quaternion


@dataclass(frozen=True)
class Lock:
    """A body, and the port of the ground that its axes lie on."""

    body: str
    there: Port

    @property
    def name(self) -> str:
        """Of its joint and of both ports."""
        return f"_lock_{self.body.replace('.', '__')}"


def lock_of(body: str, state: Mapping[str, Any]) -> Lock:
    """A lock on a body where it is now."""
    here = state[body]
    at = tuple(float(x) for x in here.position)
    flat = len(at) == 2
    R = matrix_from_angle(float(here.attitude)) if flat else matrix_from_quaternion(here.attitude)
    x, z = (tuple(float(value) for value in R[:, k]) for k in (0, -1))
    return Lock(body, Port(at, x, None if flat else z))


def with_locks(blueprint: Blueprint, locks: Sequence[Lock]) -> Blueprint:
    """The mechanism with its locked bodies welded to the ground."""
    if not locks:
        return blueprint
    flat = blueprint.dim == 2
    own = Port((0.0,) * blueprint.dim, (1.0, 0.0) if flat else (1.0, 0.0, 0.0), None if flat else (0.0, 0.0, 1.0))
    names = {lock.body: lock.name for lock in locks}
    bodies = tuple(
        replace(body, ports={**body.ports, names[body.name]: own}) if body.name in names else body
        for body in blueprint.bodies
    )
    ground = {**blueprint.ground, **{lock.name: lock.there for lock in locks}}
    welds = (Joint(lock.name, WELD.name, PortName(GROUND, lock.name), PortName(lock.body, lock.name)) for lock in locks)
    return replace(blueprint, ground=ground, bodies=bodies, joints=(*blueprint.joints, *welds))
