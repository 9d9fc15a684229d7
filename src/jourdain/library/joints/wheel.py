"""Wheel: no side slip."""

from __future__ import annotations

from ...equations.lowered import Equation
from .joint_kind import JointKind, JointRows, Symbol
from .moving_points import formulas, slip


def _rows(dim: int, axle: str) -> JointRows:
    return formulas(Equation(slip(dim, axle), f"sliding along the axle {axle}", velocity=True))


WHEEL = JointKind(
    "wheel",
    "The second port's point does not move along its axle, y in the plane and z in space.",
    plane=_rows(2, "y_j"),
    space=_rows(3, "z_j"),
    symbol=Symbol.TYRE,
    does="N does not move along its axle: y in the plane, z in space",
)
