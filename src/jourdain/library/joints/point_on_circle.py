"""Point on circle: a bead on a ring, a pin in a round slot."""

from __future__ import annotations

import numpy as np

from ...equations.vectors import dot
from ...mechanism.parts import Joint
from .. import kinds as k
from ..kinds import Key
from .joint_kind import Array, Draw, JointKind, JointRows, Symbol, positive_of_joint
from .rows import HEIGHT, MN, rows


def _in_plane(joint: Joint) -> JointRows:
    """On the circle about M. Divided by 2 R so that the multiplier is the force across it, in newtons."""
    radius = positive_of_joint(joint, "radius")
    return rows([((dot(MN, MN) - radius * radius) / (2.0 * radius), "distance from the centre")])


def _in_space(joint: Joint) -> JointRows:
    """The same circle, in the plane through M with normal z_i."""
    circle = _in_plane(joint)
    return rows([HEIGHT, (circle.equations[0], circle.meanings[0])])


def _anywhere(draw: Draw, joint: Joint) -> tuple[Array, Array]:
    angle, radius = draw.rng.uniform(-np.pi, np.pi), joint.values["radius"]
    place = np.zeros(draw.dim)
    place[:2] = radius * np.cos(angle), radius * np.sin(angle)
    return place, draw.anyhow


POINT_ON_CIRCLE = JointKind(
    "point-on-circle",
    "The second point kept on the circle of `radius` about the first, in space in the plane with normal z.",
    plane=_in_plane,
    space=_in_space,
    keys={"radius": Key(k.POSITIVE, unit="m")},
    anywhere=_anywhere,
    symbol=Symbol.TOUCH,
    written="`(MN.MN - R²) / 2R`; in space also `MN.z_i`",
)
