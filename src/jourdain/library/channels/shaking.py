"""What shakes the foundation of a machine: force and moment of the inertia of all bodies on the ground.

The shaking force is -sum m a, and the shaking moment -d/dt of the angular momentum about a fixed point (Berkof and
Lowen 1969). Weight is not in them unless asked for. The channels are about the origin.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...mechanism.parts import Blueprint, Body
from .. import quantities
from ..levels import ACCELERATION
from .definition import Channel, Leaves, Value, dot, moment, norm
from .joint import WRENCH

OWNER = "shaking"
SAYS = "[inertia on the ground](machine-figures.md#shaking-force-and-moment), about the origin"


def channels(blueprint: Blueprint) -> Iterator[Channel]:
    """In the order in which results list them."""
    dim = blueprint.dim
    for k, c in enumerate(WRENCH[dim]):
        quantity = quantities.FORCE if c[0] == "f" else quantities.MOMENT
        value = _component(blueprint, 0 if k < dim else 1, k % dim)
        yield Channel(f"{OWNER}.{c}", ACCELERATION, quantity, SAYS, value)
    yield Channel(f"{OWNER}.force", ACCELERATION, quantities.FORCE, SAYS, lambda x: norm(shaking(blueprint, x)[0]))
    if dim == 3:
        moment = quantities.MOMENT
        yield Channel(f"{OWNER}.moment", ACCELERATION, moment, SAYS, lambda x: norm(shaking(blueprint, x)[1]))


def _component(blueprint: Blueprint, which: int, k: int) -> Value:
    return lambda leaves: shaking(blueprint, leaves)[which].T[k]


def shaking(blueprint: Blueprint, leaves: Leaves, about: Any = None, gravity: Any = None) -> tuple[Any, Any]:
    """Force and moment on the ground about a point of it; with `gravity`, the weight of all bodies too."""
    dim = blueprint.dim
    point = np.zeros(dim) if about is None else about
    pull = np.zeros(dim) if gravity is None else gravity
    force, turning = np.zeros(dim), np.zeros(1 if dim == 2 else 3)
    for body in blueprint.bodies:
        push = body.mass * (pull - leaves.point(body.name, body.centre, 2))
        force = force + push
        arm = leaves.point(body.name, body.centre) - point
        turning = turning + (moment(arm, push) - _angular_momentum_rate(body, leaves))
    return force, turning


def _angular_momentum_rate(body: Body, leaves: Leaves) -> Any:
    """About the mass centre."""
    w, dw = leaves.spin(body.name), leaves.spin(body.name, 1)
    if leaves.dim == 2:
        return body.inertia * dw
    xx, yy, zz, xy, xz, yz = body.inertia  # type: ignore[misc]
    own = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    axes = [leaves.axis(body.name, e) for e in np.eye(3)]
    return _times(own, axes, dw) + np.cross(w, _times(own, axes, w))


def _times(own: Any, axes: Any, w: Any) -> Any:
    """The inertia tensor, given in body axes, times a vector in fixed axes."""
    along = [dot(w, e) for e in axes]
    rows = [sum(own[k][l] * along[l] for l in range(3)) for k in range(3)]
    return sum(np.stack([rows[k] * axes[k].T[i] for i in range(3)], axis=-1) for k in range(3))
