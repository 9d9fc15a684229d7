"""Distance: a rod without mass."""

from __future__ import annotations

import math

import numpy as np

from ...equations.vectors import dot
from ...mechanism.parts import Joint
from ...mechanism.rotations import matrix_from_angle
from ...mechanism.taken import DRAWN
from .. import kinds as k
from ..kinds import optional
from .joint_kind import Array, Draw, JointError, JointKind, JointRows, Pair, Symbol
from .rows import MN, rows


def _rows(joint: Joint) -> JointRows:
    length = joint.length
    if length is None:
        raise JointError("length", "a distance joint needs a length")
    if not 0 < length < math.inf:
        raise JointError("length", f"length is {length}; expected a positive number")
    # Divided by 2 L so that the multiplier is the force in the rod, in newtons.
    return rows([((dot(MN, MN) - length * length) / (2.0 * length), "distance")])


def _anywhere(draw: Draw, joint: Joint) -> tuple[Array, Array]:
    length = joint.length or 0.0
    if draw.dim == 2:
        return matrix_from_angle(draw.rng.uniform(-np.pi, np.pi)) @ np.array([length, 0.0]), draw.about_z
    u = draw.rng.normal(size=3)
    return length * u / np.linalg.norm(u), draw.anyhow


DISTANCE = JointKind(
    "distance",
    "The distance of the two points kept: a massless rod with two ball ends.",
    plane=_rows,
    space=_rows,
    keys={"length": optional(k.POSITIVE, DRAWN, unit="m", help="left out: as drawn")},
    anywhere=_anywhere,
    pair=Pair.ROD,
    symbol=Symbol.ROD,
    written="`(MN.MN - L²) / 2L`",
)
