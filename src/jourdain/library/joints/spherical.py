"""Spherical: a ball."""

from __future__ import annotations

import numpy as np

from . import tree_motions as tree
from .joint_kind import JointKind, Pair, Relaxed, Symbol
from .point_on_line import POINT_ON_LINE
from .rows import PIN, rows

SPHERICAL = JointKind(
    "spherical",
    "One point shared, all rotations free.",
    space=rows(PIN),
    instead="use revolute, or make the mechanism spatial",
    space_tree=tree.ABOUT_A_POINT,
    anywhere=lambda draw, joint: (np.zeros(3), draw.anyhow),
    pair=Pair.BALL,
    space_relaxed=(Relaxed(POINT_ON_LINE, "a ball in a tube along z of the first point", ("z_i",)),),
    bearing=True,
    symbol=Symbol.BALL,
    also_called=("ball", "socket", "ball-joint", "ball-and-socket"),
)
