"""Planar: one plane on another."""

from __future__ import annotations

from . import tree_motions as tree
from .joint_kind import ANGLE, JointKind, Relaxed
from .point_in_plane import POINT_IN_PLANE
from .rows import DIRECTION, HEIGHT, TILT, TILTS, rows

PLANAR = JointKind(
    "planar",
    "Second point kept in the plane of the first port (normal z), axes z kept parallel.",
    space=rows([*TILT, HEIGHT], DIRECTION),
    instead="use no joint at all, or make the mechanism spatial",
    coordinates=(ANGLE,),
    space_tree=tree.OVER_A_PLANE,
    anywhere=lambda draw, joint: (draw.over_plane(), draw.about_z),
    space_relaxed=(Relaxed(POINT_IN_PLANE, "a ball on a plane", TILTS),),
    axis_does="has its plane across",
)
