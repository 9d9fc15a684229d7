"""Independent coordinates of a mechanism by name: their values, rates and second rates at many states near one.

In the plane `body.x`, `body.y` and `body.angle`; in space `body.x`, `.y`, `.z` and small rotations `body.rx`, `.ry`,
`.rz` about fixed axes, from the state looked at; in both also coordinates of points, and of joints.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...library.joints import DISPLACEMENT, kind_of
from ...mechanism.names import nearest
from ...mechanism.parts import GROUND, Blueprint, Joint
from ...mechanism.port_axes import joint_axes
from ...results.motion import cross
from ...results.solution import Solution

Array = npt.NDArray[np.float64]
Triple = tuple[Array, Array, Array]

ROTATIONS = ("rx", "ry", "rz")


@dataclass(frozen=True)
class Coordinate:
    """A coordinate and the name of its rate."""

    name: str
    rate: str

    def triple(self, near: Solution) -> Triple:
        """Value, rate and second rate at all samples; the first sample is the state looked at."""
        owner, _, rest = self.name.partition(".")
        blueprint = near.blueprint
        if owner in near.joints:
            joint = near.joints[owner]
            return _angle(near, joint) if rest == "angle" else _displacement(near, joint)
        if rest in ROTATIONS and blueprint.dim == 3:
            return _rotation(near, owner, ROTATIONS.index(rest))
        stem, _, channel = self.name.rpartition(".")
        first, second = ("spin", "spin_rate") if channel == "angle" else (f"v{channel}", f"a{channel}")
        return near[self.name], near[f"{stem}.{first}"], near[f"{stem}.{second}"]


def of_bodies(blueprint: Blueprint) -> list[Coordinate]:
    """Coordinates of all bodies, of which independent ones can be chosen."""
    turns = [("angle", "spin")] if blueprint.dim == 2 else [(c, f"{c}_rate") for c in ROTATIONS]
    rest = [*turns, *((c, f"v{c}") for c in "xyz"[: blueprint.dim])]
    return [Coordinate(f"{b.name}.{c}", f"{b.name}.{rate}") for b in blueprint.bodies for c, rate in rest]


def by_name(blueprint: Blueprint, name: str) -> Coordinate | str:
    """A coordinate, or what is wrong with its name."""
    known = {c.name: c for c in of_bodies(blueprint)}
    for body in blueprint.bodies:
        for point in body.ports:
            for axis in "xyz"[: blueprint.dim]:
                stem = f"{body.name}.{point}"
                known[f"{stem}.{axis}"] = Coordinate(f"{stem}.{axis}", f"{stem}.v{axis}")
    for joint in blueprint.joints:
        kind = kind_of(joint)
        slides = kind.speed == DISPLACEMENT
        if (blueprint.dim == 2 and not slides) or kind.turns:
            known[f"{joint.name}.angle"] = Coordinate(f"{joint.name}.angle", f"{joint.name}.speed")
        rate = f"{joint.name}.speed" if slides else f"{joint.name}.displacement_rate"
        known[f"{joint.name}.displacement"] = Coordinate(f"{joint.name}.displacement", rate)
    if name in known:
        return known[name]
    return f"'{name}' is no coordinate of the mechanism; {nearest(name, known)}"


def _rotation(near: Solution, body: str, k: int) -> Triple:
    """Rotation from the first sample, fixed axes: R = exp(a) R0, so to first order w = w0 + a' + a x w0."""
    b = near.motion.index(body)
    frames, w, dw = near.motion.frame[:, b], near.motion.spin[:, b], near.motion.spin_rate[:, b]
    a = _vector(frames @ frames[0].T)
    rate = w - w[0] + np.cross(w[0], a)
    second = dw - dw[0] + np.cross(dw[0], a) + np.cross(w[0], rate)
    return a[:, k], rate[:, k], second[:, k]


def _vector(R: Array) -> Array:
    """Rotation vectors of rotation matrices by less than half a turn."""
    s = 0.5 * np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    sine = np.linalg.norm(s, axis=1)
    angle = np.arctan2(sine, 0.5 * (np.trace(R, axis1=1, axis2=2) - 1.0))
    factor = np.where(sine > 1e-300, angle / np.where(sine > 1e-300, sine, 1.0), 1.0)
    return np.asarray(s * factor[:, None])


def _angle(near: Solution, joint: Joint) -> Triple:
    motion, dim = near.motion, near.blueprint.dim
    relative = motion.spin_of(joint.second.body) - motion.spin_of(joint.first.body)
    change = _spin_rate(near, joint.second.body) - _spin_rate(near, joint.first.body)
    value = near[f"{joint.name}.angle"]
    if dim == 2:
        return value, relative[:, 0], change[:, 0]
    z = motion.direction(joint.first.body, joint_axes(near.blueprint, joint)["z_i"])
    turning = np.cross(motion.spin_of(joint.first.body), z)
    return value, np.sum(relative * z, axis=1), np.sum(change * z + relative * turning, axis=1)


def _displacement(near: Solution, joint: Joint) -> Triple:
    motion, dim = near.motion, near.blueprint.dim
    axis = joint_axes(near.blueprint, joint)["x_i" if dim == 2 else "z_i"]
    a = motion.direction(joint.first.body, axis)
    w, dw = motion.spin_of(joint.first.body), _spin_rate(near, joint.first.body)
    da = cross(w, a)
    dda = cross(dw, a) + cross(w, da)
    d, v, acc = (n - m for m, n in zip(motion.point(joint.first), motion.point(joint.second), strict=True))
    return (
        np.sum(d * a, axis=1),
        np.sum(v * a + d * da, axis=1),
        np.sum(acc * a + 2 * v * da + d * dda, axis=1),
    )


def _spin_rate(near: Solution, body: str) -> Array:
    if body == GROUND:
        return np.zeros_like(near.motion.spin_rate[:, 0])
    return near.motion.spin_rate[:, near.motion.index(body)]
