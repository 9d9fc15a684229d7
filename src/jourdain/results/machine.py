"""What people want to know of a machine: what shakes its foundation, how joints transmit, what bearings bear.

The shaking force is what the inertia of all bodies exerts on the ground, -sum m a, and the shaking moment
-d/dt of the angular momentum about a fixed point (Berkof and Lowen 1969). Weight is not in them unless asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..library.joints import Pair, kind_of
from ..mechanism.names import nearest
from ..mechanism.parts import GROUND, Blueprint, Joint, PortName
from ..mechanism.port_axes import joint_axes
from .motion import Motion

if TYPE_CHECKING:
    from .solution import Solution

Array = npt.NDArray[np.float64]

SHAKING = "shaking"
SHAKING_CHANNELS = {2: ("fx", "fy", "mz", "force"), 3: ("fx", "fy", "fz", "mx", "my", "mz", "force", "moment")}
PINS = (Pair.PIN, Pair.BALL, Pair.HOOKE)
ON_AXIS = 1e-9  # of the distance to the bearing
DIRECTED = (*PINS, Pair.SLIDE)


@dataclass(frozen=True)
class Shaking:
    """Force (time, dim) and moment (time, 1 or 3) on the ground, fixed axes; the moment about the point `about`."""

    force: Array
    moment: Array
    about: tuple[float, ...]


def shaking(run: Solution, about: Any = None, weight: bool = False) -> Shaking:
    """Shaking force and moment of a run; with `weight`, the weight of all bodies too."""
    blueprint, motion = run.blueprint, run.motion
    dim = blueprint.dim
    try:
        point = np.zeros(dim) if about is None else np.array(about, dtype=float)
    except (TypeError, ValueError):
        point = np.zeros(0)
    if point.shape != (dim,) or not np.all(np.isfinite(point)):
        raise ValueError(f"about is {about!r}; expected a point of the ground, {dim} numbers (m)")
    force = np.zeros((len(run.t), dim))
    moment = np.zeros((len(run.t), 1 if dim == 2 else 3))
    gravity = np.array(blueprint.gravity) if weight else np.zeros(dim)
    for b, body in enumerate(blueprint.bodies):
        place, acceleration, turning = _inertia(motion, b, body)
        push = body.mass * (gravity - acceleration)
        force += push
        moment += _moment(place - point, push) - turning
    return Shaking(force, moment, tuple(float(x) for x in point))


def _inertia(motion: Motion, b: int, body: Any) -> tuple[Array, Array, Array]:
    """Place and acceleration of the mass centre, and the rate of the angular momentum about it."""
    arm = motion.frame[:, b] @ np.array(body.centre)
    w, dw = motion.spin[:, b], motion.spin_rate[:, b]
    place = motion.position[:, b] + arm
    if arm.shape[1] == 2:
        turned = np.stack([-arm[:, 1], arm[:, 0]], axis=1)
        return place, motion.acceleration[:, b] + dw * turned - w**2 * arm, body.inertia * dw
    xx, yy, zz, xy, xz, yz = body.inertia
    own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    R = motion.frame[:, b]
    tensor = R @ own @ np.swapaxes(R, 1, 2)
    acceleration = motion.acceleration[:, b] + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
    spun = np.einsum("tij,tj->ti", tensor, w)
    return place, acceleration, np.einsum("tij,tj->ti", tensor, dw) + np.cross(w, spun)


def _moment(arm: Array, force: Array) -> Array:
    if arm.shape[1] == 2:
        return (arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0])[:, None]
    return np.cross(arm, force)


def shaking_channel(run: Solution, name: str) -> Array:
    """`shaking.fx` and its like, about the origin."""
    found = run.shaking_about_origin
    if name == "force":
        return np.linalg.norm(found.force, axis=1)
    if name == "moment":
        return np.linalg.norm(found.moment, axis=1)
    source = found.force if name[0] == "f" else found.moment
    return source[:, 0 if name == "mz" and source.shape[1] == 1 else "xyz".index(name[1])]


# Transmission angles ---------------------------------------------------------------------------------------------


def links_at(blueprint: Blueprint, joint: Joint) -> tuple[Joint, Joint] | None:
    """The other joint of either body of a pin, where each has just one other that gives it a direction."""
    if kind_of(joint).pair not in PINS or GROUND in (joint.first.body, joint.second.body):
        return None
    found = []
    for body in (joint.first.body, joint.second.body):
        others = [j for j in blueprint.joints if j is not joint and body in (j.first.body, j.second.body)]
        if len(others) != 1 or kind_of(others[0]).pair not in DIRECTED:
            return None
        found.append(others[0])
    pairs = {kind_of(other).pair for other in found}
    # In space a follower that turns or slides, and a coupler between two balls.
    if blueprint.dim == 3 and not (pairs & {Pair.PIN, Pair.SLIDE} and pairs & {Pair.BALL, Pair.HOOKE}):
        return None
    if blueprint.dim == 3 and any(
        _on_axis(blueprint, *pair) for pair in zip((joint.first, joint.second), found, strict=True)
    ):
        return None
    return None if pairs == {Pair.SLIDE} else (found[0], found[1])


def _on_axis(blueprint: Blueprint, pin: PortName, bearing: Joint) -> bool:
    """Whether a pin lies on the axis about which its body turns, so that it moves nowhere: the joint of a shaft."""
    if kind_of(bearing).pair is not Pair.PIN:
        return False
    own = _own(bearing, pin.body)
    axis = joint_axes(blueprint, bearing)["z_i" if own is bearing.first else "z_j"]
    arm = np.subtract(blueprint.port(pin).at, blueprint.port(own).at)
    return bool(np.linalg.norm(np.cross(axis, arm)) <= ON_AXIS * np.linalg.norm(arm))


def transmission(run: Solution, joint: Joint, others: tuple[Joint, Joint] | None = None) -> Array:
    """The transmission angle at a pin, rad: between its two links, or between the rod and the normal of a slide.

    In space sin(mu) = |u . v|, u along the coupler and v the direction in which the follower lets the pin move.
    """
    found = others or links_at(run.blueprint, joint)
    if found is None:
        usable = [j.name for j in run.blueprint.joints if links_at(run.blueprint, j)]
        words = f"joint '{joint.name}' is no pin between two links that each have one other pin or slide"
        raise KeyError(f"{words}; {nearest(joint.name, usable)}")
    ports = (joint.first, joint.second)
    if run.blueprint.dim == 3:
        return _in_space(run.motion, ports, found)
    u, w = (_line(run.motion, port, other) for port, other in zip(ports, found, strict=True))
    crossed = u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0]
    return np.arctan2(np.abs(crossed), np.sum(u * w, axis=1))


def _line(motion: Motion, port: PortName, other: Joint) -> Array:
    """From a pin along its link: to the other pin, or normal to the slide."""
    if kind_of(other).pair is Pair.SLIDE:
        axis = motion.direction(other.first.body, joint_axes(motion.model.blueprint, other)["x_i"])
        return np.stack([-axis[:, 1], axis[:, 0]], axis=1)
    return motion.place(_own(other, port.body)) - motion.place(port)


def _own(joint: Joint, body: str) -> PortName:
    return joint.first if joint.first.body == body else joint.second


def _in_space(motion: Motion, ports: tuple[PortName, PortName], others: tuple[Joint, Joint]) -> Array:
    pairs = sorted(zip(ports, others, strict=True), key=lambda p: kind_of(p[1]).pair in (Pair.PIN, Pair.SLIDE))
    (port, far), (driven, bearing) = pairs[0], pairs[1]
    u = motion.place(_own(far, port.body)) - motion.place(port)
    axis = motion.direction(bearing.first.body, joint_axes(motion.model.blueprint, bearing)["z_i"])
    v = axis
    if kind_of(bearing).pair is Pair.PIN:
        v = np.cross(axis, motion.place(driven) - motion.place(_own(bearing, driven.body)))
    lengths = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
    return np.arcsin(np.clip(np.abs(np.sum(u * v, axis=1)) / lengths, 0.0, 1.0))
