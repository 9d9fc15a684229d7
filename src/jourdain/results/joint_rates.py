"""Rates of the coordinates that joints leave free: angles and displacements, over the samples of a motion."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..library.joints import kind_of
from .body_motion import Motion
from .channel_values import MotionLeaves

Array = npt.NDArray[np.float64]


def joint_rates(motion: Motion) -> dict[str, Array]:
    """Rate of every angle (rad/s) and displacement (m/s) by channel, `A.angle`."""
    channels, leaves = motion.model.channels, MotionLeaves(motion)
    found = {}
    for joint in motion.model.blueprint.joints:
        for quantity in kind_of(joint).coordinates:
            channel = channels.of(joint.name)[f"{joint.name}.{quantity}"]
            if channel.rates is not None:
                found[channel.name] = channel.rates.first(leaves)
    return found
