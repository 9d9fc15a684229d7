"""Weld."""

from __future__ import annotations

import numpy as np

from ...equations.vectors import dot, x_j, y_i, z_i, z_j
from . import tree_motions as tree
from .joint_kind import JointKind, Relaxed, Symbol
from .revolute import REVOLUTE
from .rows import ALIGNED, DIRECTION, PIN, PIN_IN_PLANE, TURN, TURN_IN_PLANE, rows

WELD = JointKind(
    "weld",
    "Nothing left free.",
    plane=rows([*PIN_IN_PLANE, TURN_IN_PLANE], ALIGNED),
    space=rows(
        [*PIN, TURN, (dot(y_i, z_j), "rotation about x_i"), (dot(z_i, x_j), "rotation about y_i")],
        ALIGNED,
        ("y_i", "y_j"),
        DIRECTION,
    ),
    plane_tree=tree.FIXED_IN_PLANE,
    space_tree=tree.FIXED,
    anywhere=lambda draw, joint: (np.zeros(draw.dim), np.eye(draw.dim)),
    plane_relaxed=(Relaxed(REVOLUTE, "", ("rotation",)),),
    space_relaxed=(Relaxed(REVOLUTE, "about z of the first point", ("rotation about z_i",)),),
    symbol=Symbol.SQUARE,
    also_called=("fixed", "rigid", "bolt"),
)
