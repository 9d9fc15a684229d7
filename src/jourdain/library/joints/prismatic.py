"""Prismatic: a slide."""

from __future__ import annotations

import numpy as np

from ...equations.vectors import dot, x_j, y_i
from . import tree_motions as tree
from .cylindrical import CYLINDRICAL
from .joint_kind import DISPLACEMENT, JointKind, Pair, Relaxed, Symbol
from .point_on_line import POINT_ON_LINE
from .rows import ACROSS, ALIGNED, DIRECTION, LINE, TILT, TURN, rows

PRISMATIC = JointKind(
    "prismatic",
    "Sliding along the first port's x (plane) or z (space), no rotation.",
    plane=rows([ACROSS, (dot(x_j, y_i), "rotation")], ALIGNED),
    space=rows([*TILT, *LINE, TURN], DIRECTION, ALIGNED),
    coordinates=(DISPLACEMENT,),
    speed=DISPLACEMENT,
    plane_tree=tree.SLIDING_IN_PLANE,
    space_tree=tree.SLIDING,
    anywhere=lambda draw, joint: (draw.along(), np.eye(draw.dim)),
    pair=Pair.SLIDE,
    plane_relaxed=(Relaxed(POINT_ON_LINE, "a pin in a slot", ("rotation",)),),
    space_relaxed=(Relaxed(CYLINDRICAL, "", ("rotation about z_i",)),),
    rubs=True,
    guided=True,
    symbol=Symbol.BLOCK,
    also_called=("slider", "slide", "sliding", "translational", "linear"),
    axis_does="slides along",
)
