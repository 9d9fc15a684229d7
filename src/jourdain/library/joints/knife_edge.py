"""Knife edge: a skate."""

from __future__ import annotations

from ...equations.lowered import Equation
from .joint_kind import JointKind, JointRows, Symbol
from .moving_points import formulas, slip


def _rows(dim: int) -> JointRows:
    return formulas(Equation(slip(dim, "y_j"), "sliding along y_j", velocity=True))


KNIFE_EDGE = JointKind(
    "knife-edge",
    "The second port's point does not move along that port's y.",
    plane=_rows(2),
    space=_rows(3),
    symbol=Symbol.BLADE,
    does="N does not move along y of the second point",
)
