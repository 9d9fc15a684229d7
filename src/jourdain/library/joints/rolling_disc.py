"""Rolling disc: touches a line or a plane without slip."""

from __future__ import annotations

import numpy as np

from ...equations.formula import apply
from ...equations.lowered import Equation
from ...mechanism.parts import Joint
from .. import kinds as k
from ..kinds import Key
from .joint_kind import JointKind, JointRows, Symbol, positive_of_joint
from .moving_points import carried, formulas, vector


def _in_plane(joint: Joint) -> JointRows:
    """A disc with centre N touches the line through M along x_i."""
    r = positive_of_joint(joint, "radius")
    MN = vector("N", 2) - vector("M", 2)
    x, y = vector("x_i", 2), vector("y_i", 2)
    x_j, dx_j = vector("x_j", 2), vector("x_j", 2, 1)
    spin = x_j[0] * dx_j[1] - x_j[1] * dx_j[0]
    slip = np.dot(vector("N", 2, 1) - carried(MN - r * y, 2), x) + r * spin
    return formulas(
        Equation(np.dot(MN, y) - r, "height of the centre"),
        Equation(slip, "slip along x_i", velocity=True),
    )


def _in_space(joint: Joint) -> JointRows:
    """A disc with centre N touches the plane through M with normal z_i.

    The lowest point of the rim is at a = -r (n - (n.d) d) / s from the centre, s = sqrt(1 - (n.d)^2). w_j x a needs
    w_j x n; n in the disc's own axes is sum (n.e_k) e_k, which turns as sum (n.e_k) e_k'.
    """
    r = positive_of_joint(joint, "radius")
    MN = vector("N", 3) - vector("M", 3)
    n, d, x_j, y_j = (vector(name, 3) for name in ("z_i", "z_j", "x_j", "y_j"))
    cosine = np.dot(n, d)
    s = apply("sqrt", 1 - cosine**2)
    arm = -(r / s) * (n - cosine * d)
    turned = -(r / s) * (np.dot(n, x_j) * vector("x_j", 3, 1) + np.dot(n, y_j) * vector("y_j", 3, 1))
    slip = vector("N", 3, 1) + turned - carried(MN + arm, 3)
    return formulas(
        Equation(np.dot(MN, n) - r * s, "height of the centre"),
        *(Equation(np.dot(slip, vector(a, 3)), f"slip along {a}", velocity=True) for a in ("x_i", "y_i")),
    )


ROLLING_DISC = JointKind(
    "rolling-disc",
    "A disc about the second port, its z the disc's axis, rolls on the plane through the first port, normal z.",
    plane=_in_plane,
    space=_in_space,
    keys={"radius": Key(k.POSITIVE, unit="m")},
    symbol=Symbol.DISC,
    does="a disc of `radius=` about N rolls on the line or plane through M",
)
