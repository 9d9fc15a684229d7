"""Parallel axes."""

from __future__ import annotations

from .joint_kind import JointKind
from .rows import ALIGNED, DIRECTION, TILT, TURN_IN_PLANE, rows

PARALLEL = JointKind(
    "parallel",
    "Axes z (space) or x (plane) kept parallel; points free.",
    plane=rows([TURN_IN_PLANE], ALIGNED),
    space=rows(TILT, DIRECTION),
)
