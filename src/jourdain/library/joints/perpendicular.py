"""Perpendicular axes."""

from __future__ import annotations

from ...equations.vectors import dot, x_i, x_j
from .joint_kind import JointKind
from .rows import SQUARE, rows

PERPENDICULAR = JointKind(
    "perpendicular",
    "Axes z (space) or x (plane) kept perpendicular; points free.",
    plane=rows([(dot(x_i, x_j), "rotation")]),
    space=rows([SQUARE]),
)
