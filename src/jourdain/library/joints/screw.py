"""Screw: a nut on a thread."""

from __future__ import annotations

import math
from dataclasses import replace

from ...equations.formula import leaf
from ...equations.lowered import Equation
from ...mechanism.parts import Joint
from .. import kinds as k
from ..kinds import Key
from . import tree_motions as tree
from .cylindrical import CYLINDRICAL
from .joint_kind import ANGLE, DISPLACEMENT, JointKind, JointRows, Symbol, number_of_joint


def _rows(joint: Joint) -> JointRows:
    """Cylindrical, and the displacement grows by `pitch` metres a turn, counted from the assembled pose."""
    pitch = number_of_joint(joint, "pitch", "metres a turn, not zero", lambda value: value != 0)
    advance = leaf(f"{joint.name}.displacement") - pitch / (2 * math.pi) * leaf(f"{joint.name}.angle")
    sleeve = CYLINDRICAL.space
    assert isinstance(sleeve, JointRows)
    return replace(sleeve, formulas=(Equation(advance, "advance along the thread", floating=True),))


SCREW = JointKind(
    "screw",
    "A nut on a thread, `pitch` metres a turn.",
    space=_rows,
    instead="couple a revolute and a prismatic joint instead",
    keys={"pitch": Key(k.NUMBER, unit="m/turn", help="metres a turn; negative: left-handed")},
    coordinates=(ANGLE, DISPLACEMENT),
    space_tree=tree.SCREWING,
    anywhere=lambda draw, joint: (draw.along(), draw.about_z),
    symbol=Symbol.SLEEVE,
    does="cylindrical, and the displacement follows the angle by `pitch=`",
)
