"""Joints that are no sums of scalar products: knife edge, wheel, rolling disc, screw.

Velocity constraints are written in velocities of points and axes of the two bodies only, so they hold in every
coordinate set. A body-fixed vector r of the first body moves with it as sum_k (r.a_k) a_k', a_k the axes of its port;
that needs no angular velocity. "Does not move" and "rolls" are meant relative to the first body.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..equations.formula import Formula, apply, leaf
from ..equations.lowered import Equation


def _vector(name: str, dim: int, order: int = 0) -> Any:
    """A vector of the joint, or its velocity (order 1), as formulas."""
    return np.array([leaf(("symbol", name, k, order)) for k in range(dim)], dtype=object)


def _carried(r: Any, dim: int) -> Any:
    """Velocity of the first body's material at M + r."""
    axes = [f"{a}_i" for a in "xyz"[:dim]]
    turning = sum(np.dot(r, _vector(a, dim)) * _vector(a, dim, 1) for a in axes)
    return _vector("M", dim, 1) + turning


def _slip(dim: int, direction: str) -> Formula:
    """Velocity of N against the first body, along an axis of the second."""
    MN = _vector("N", dim) - _vector("M", dim)
    return np.dot(_vector("N", dim, 1) - _carried(MN, dim), _vector(direction, dim))


def knife_edge(dim: int) -> tuple[Equation, ...]:
    """The second port's point does not move along that port's y."""
    return (Equation(_slip(dim, "y_j"), "sliding along y_j", velocity=True),)


def wheel(dim: int) -> tuple[Equation, ...]:
    """No side slip: the second port's point does not move along its axle, z in space and y in the plane."""
    axle = "y_j" if dim == 2 else "z_j"
    return (Equation(_slip(dim, axle), f"sliding along the axle {axle}", velocity=True),)


def rolling_disc(dim: int, radius: float) -> tuple[Equation, ...]:
    """A disc with centre N touches the plane through M with normal z_i (in 2-D the line along x_i) without slip."""
    return _rolling_in_plane(radius) if dim == 2 else _rolling_in_space(radius)


def _rolling_in_plane(r: float) -> tuple[Equation, ...]:
    MN = _vector("N", 2) - _vector("M", 2)
    x, y = _vector("x_i", 2), _vector("y_i", 2)
    x_j, dx_j = _vector("x_j", 2), _vector("x_j", 2, 1)
    spin = x_j[0] * dx_j[1] - x_j[1] * dx_j[0]
    slip = np.dot(_vector("N", 2, 1) - _carried(MN - r * y, 2), x) + r * spin
    return (
        Equation(np.dot(MN, y) - r, "height of the centre"),
        Equation(slip, "slip along x_i", velocity=True),
    )


def _rolling_in_space(r: float) -> tuple[Equation, ...]:
    """The lowest point of the rim is at a = -r (n - (n.d) d) / s from the centre, s = sqrt(1 - (n.d)^2).

    w_j x a needs w_j x n; n in the disc's own axes is sum (n.e_k) e_k, which turns as sum (n.e_k) e_k'.
    """
    MN = _vector("N", 3) - _vector("M", 3)
    n, d, x_j, y_j = (_vector(name, 3) for name in ("z_i", "z_j", "x_j", "y_j"))
    cosine = np.dot(n, d)
    s = apply("sqrt", 1 - cosine**2)
    arm = -(r / s) * (n - cosine * d)
    turned = -(r / s) * (np.dot(n, x_j) * _vector("x_j", 3, 1) + np.dot(n, y_j) * _vector("y_j", 3, 1))
    slip = _vector("N", 3, 1) + turned - _carried(MN + arm, 3)
    return (
        Equation(np.dot(MN, n) - r * s, "height of the centre"),
        *(Equation(np.dot(slip, _vector(a, 3)), f"slip along {a}", velocity=True) for a in ("x_i", "y_i")),
    )


def screw(name: str, pitch: float) -> tuple[Equation, ...]:
    """The displacement grows by `pitch` metres a turn, counted from the assembled pose."""
    advance = leaf(f"{name}.displacement") - pitch / (2 * math.pi) * leaf(f"{name}.angle")
    return (Equation(advance, "advance along the thread", floating=True),)
