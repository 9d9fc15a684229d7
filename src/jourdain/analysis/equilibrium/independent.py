"""Independent coordinates of a mechanism by name: their values, rates and second rates at many states near one.

In the plane `body.x`, `body.y` and `body.angle`; in space `body.x`, `.y`, `.z` and small rotations `body.rx`, `.ry`,
`.rz` about fixed axes, from the state looked at; in both also coordinates of points, and of joints.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...library.channels import Channels
from ...mechanism.names import nearest
from ...mechanism.parts import Blueprint
from ...results.channel_values import SampleLeaves, value_of
from ...results.solution import Solution

Array = npt.NDArray[np.float64]
Triple = tuple[Array, Array, Array]

ROTATIONS = ("rx", "ry", "rz")


@dataclass(frozen=True)
class IndependentCoordinate:
    """A coordinate and the name of its rate."""

    name: str
    rate: str

    def triple(self, near: Solution) -> Triple:
        """Value, rate and second rate at all samples; the first sample is the state looked at."""
        owner, rest = near.blueprint.owner_of(self.name)
        if rest in ROTATIONS and near.blueprint.has_body(owner):
            return _rotation(near, owner, ROTATIONS.index(rest))
        channel = near.model.channels.find(self.name)
        assert channel is not None and channel.rates is not None and channel.rates.second is not None
        leaves = SampleLeaves(near)
        return value_of(near, channel, leaves), channel.rates.first(leaves), channel.rates.second(leaves)


def of_bodies(blueprint: Blueprint) -> list[IndependentCoordinate]:
    """Coordinates of all bodies, of which independent ones can be chosen."""
    turns = [("angle", "spin")] if blueprint.dim == 2 else [(c, f"{c}_rate") for c in ROTATIONS]
    rest = [*turns, *((c, f"v{c}") for c in "xyz"[: blueprint.dim])]
    return [IndependentCoordinate(f"{b.name}.{c}", f"{b.name}.{rate}") for b in blueprint.bodies for c, rate in rest]


def by_name(blueprint: Blueprint, name: str) -> IndependentCoordinate | str:
    """A coordinate, or what is wrong with its name."""
    known = {c.name: c for c in of_bodies(blueprint)}
    for channel in Channels(blueprint):
        if channel.rates is not None and channel.rates.second is not None:
            known[channel.name] = IndependentCoordinate(channel.name, channel.rates.name)
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
