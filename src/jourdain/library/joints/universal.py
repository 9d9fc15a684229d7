"""Universal: two pins that cross (Hooke, Cardano)."""

from __future__ import annotations

import numpy as np

from ...mechanism.parts import Joint
from ...mechanism.rotations import matrix_from_euler
from . import tree_motions as tree
from .joint_kind import Array, Draw, JointKind, Pair, Relaxed, Symbol
from .rows import PIN, SQUARE, rows
from .spherical import SPHERICAL


def _anywhere(draw: Draw, joint: Joint) -> tuple[Array, Array]:
    second = matrix_from_euler("z", [draw.rng.uniform(-np.pi, np.pi)])
    return np.zeros(3), draw.about_z @ tree.QUARTER @ second


UNIVERSAL = JointKind(
    "universal",
    "One point shared and the pins, each port's z, kept perpendicular.",
    space=rows([*PIN, SQUARE]),
    instead="use revolute, or make the mechanism spatial",
    space_tree=tree.ABOUT_TWO_PINS,
    anywhere=_anywhere,
    pair=Pair.HOOKE,
    space_relaxed=(Relaxed(SPHERICAL, "", ("rotation about z_i x z_j",)),),
    symbol=Symbol.CROSS,
    also_called=("cardan", "hooke", "u-joint"),
    two_axes=True,
    axis_does="has its pins along",
)
