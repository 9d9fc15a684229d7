"""Velocities that joints without slip are made of.

Velocity constraints are written in velocities of points and axes of the two bodies only, so they hold in every
coordinate set. A body-fixed vector r of the first body moves with it as sum_k (r.a_k) a_k', a_k the axes of its port;
that needs no angular velocity. "Does not move" and "rolls" are meant relative to the first body.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...equations.formula import Formula, leaf
from ...equations.lowered import Equation
from .joint_kind import JointRows


def vector(name: str, dim: int, order: int = 0) -> Any:
    """A vector of the joint, or its velocity (order 1), as formulas."""
    return np.array([leaf(("symbol", name, k, order)) for k in range(dim)], dtype=object)


def carried(r: Any, dim: int) -> Any:
    """Velocity of the first body's material at M + r."""
    axes = [f"{a}_i" for a in "xyz"[:dim]]
    turning = sum(np.dot(r, vector(a, dim)) * vector(a, dim, 1) for a in axes)
    return vector("M", dim, 1) + turning


def slip(dim: int, direction: str) -> Formula:
    """Velocity of N against the first body, along an axis of the second."""
    MN = vector("N", dim) - vector("M", dim)
    return np.dot(vector("N", dim, 1) - carried(MN, dim), vector(direction, dim))


def formulas(*equations: Equation) -> JointRows:
    """Rows that are no sums of scalar products."""
    return JointRows((), (), formulas=equations)
