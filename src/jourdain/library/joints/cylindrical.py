"""Cylindrical: a sleeve on a shaft."""

from __future__ import annotations

from . import tree_motions as tree
from .joint_kind import ANGLE, DISPLACEMENT, JointKind, Relaxed, Symbol
from .point_on_line import POINT_ON_LINE
from .rows import DIRECTION, LINE, TILT, TILTS, rows

CYLINDRICAL = JointKind(
    "cylindrical",
    "Axes z kept on one line: one rotation and one translation left.",
    space=rows([*TILT, *LINE], DIRECTION),
    instead="use prismatic, or make the mechanism spatial",
    coordinates=(ANGLE, DISPLACEMENT),
    space_tree=tree.TURNING_AND_SLIDING,
    anywhere=lambda draw, joint: (draw.along(), draw.about_z),
    space_relaxed=(Relaxed(POINT_ON_LINE, "a ball in a tube", TILTS),),
    bearing=True,
    rubs=True,
    symbol=Symbol.SLEEVE,
    axis_does="turns about",
)
