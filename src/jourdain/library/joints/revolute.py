"""Revolute: a pin."""

from __future__ import annotations

import numpy as np

from . import tree_motions as tree
from .cylindrical import CYLINDRICAL
from .joint_kind import ANGLE, JointKind, Pair, Relaxed, Symbol
from .point_on_line import POINT_ON_LINE
from .rows import DIRECTION, PIN, PIN_IN_PLANE, TILT, TILTS, rows
from .spherical import SPHERICAL
from .universal import UNIVERSAL

REVOLUTE = JointKind(
    "revolute",
    "One point shared; in space also the axes z kept parallel: one rotation left.",
    plane=rows(PIN_IN_PLANE),
    space=rows([*PIN, *TILT], DIRECTION),
    coordinates=(ANGLE,),
    plane_tree=tree.TURNING_IN_PLANE,
    space_tree=tree.TURNING,
    anywhere=lambda draw, joint: (np.zeros(draw.dim), draw.about_z),
    pair=Pair.PIN,
    plane_relaxed=(
        Relaxed(POINT_ON_LINE, "a pin in a slot along x of the first point", ("x_i",)),
        Relaxed(POINT_ON_LINE, "a pin in a slot along y of the first point", ("y_i",)),
    ),
    space_relaxed=(
        Relaxed(CYLINDRICAL, "", ("z_i",)),
        Relaxed(SPHERICAL, "", TILTS),
        Relaxed(UNIVERSAL, "second pin along x of the second point", ("rotation about x_j",)),
        Relaxed(UNIVERSAL, "second pin along y of the second point", ("rotation about y_j",)),
        Relaxed(POINT_ON_LINE, "a ball in a tube", ("z_i", *TILTS)),
    ),
    bearing=True,
    rubs=True,
    symbol=Symbol.PIN,
    also_called=("pin", "hinge", "pivot", "rotational", "rotary"),
    axis_does="turns about",
)
