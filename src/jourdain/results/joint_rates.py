"""Rates of the coordinates that joints leave free: angles and displacements, over the samples of a motion."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..library.geometry import ANGLE, coordinates_of
from ..mechanism.parts import Joint
from ..mechanism.port_axes import joint_axes
from .motion import Motion

Array = npt.NDArray[np.float64]


def joint_rates(motion: Motion) -> dict[str, Array]:
    """Rate of every angle (rad/s) and displacement (m/s) by channel, `A.angle`."""
    found = {}
    for joint in motion.model.blueprint.joints:
        for quantity in coordinates_of(joint):
            found[f"{joint.name}.{quantity}"] = rate(motion, joint, quantity)
    return found


def rate(motion: Motion, joint: Joint, quantity: str) -> Array:
    """Of one coordinate of a joint."""
    plane = motion.model.blueprint.dim == 2
    spin = motion.spin_of(joint.second.body) - motion.spin_of(joint.first.body)
    if quantity == ANGLE and plane:
        return spin[:, 0]
    local = joint_axes(motion.model.blueprint, joint)
    axis = motion.direction(joint.first.body, local["x_i" if plane else "z_i"])
    if quantity == ANGLE:
        return np.sum(spin * axis, axis=1)
    (M, dM, _), (N, dN, _) = motion.point(joint.first), motion.point(joint.second)
    own = motion.spin_of(joint.first.body)
    turning = np.stack([-own[:, 0] * axis[:, 1], own[:, 0] * axis[:, 0]], axis=1) if plane else np.cross(own, axis)
    return np.sum((dN - dM) * axis, axis=1) + np.sum((N - M) * turning, axis=1)
