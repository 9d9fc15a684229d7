"""Joints that close while the machine runs: an open one holds the gap that it finds, and lets it vanish.

Equations C = 0 become C - C0 sigma(t) = 0 with sigma = 1 - 10 x^3 + 15 x^4 - 6 x^5 over the time of the ramp: the gap
has no jump of velocity or acceleration at either end. Gaps of attitude vanish as a rotation vector: the axes of the
second port, turned by what is left of it, stand in the equations instead, for products of axes are flat at a right
angle and close the wrong way round beyond. All of it is text of a `custom` joint.
"""

from __future__ import annotations

from dataclasses import replace
from math import acos, atan2, cos, pi, sin, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.pose import Pose
from ..library.joints import BY_NAME
from ..library.joints.custom import CUSTOM
from ..library.joints.joint_kind import JointRows
from ..mechanism.frozen import Frozen
from ..mechanism.parts import Blueprint, Joint
from ..mechanism.port_axes import joint_axes
from .operations import OperationError

Array = npt.NDArray[np.float64]

SECONDS = 0.3
NAMES = {"OM": "M", "ON": "N", "MN": "(N - M)"}
ANGULAR = ("rotation", "angle")  # words of rows in rad


def ramped(blueprint: Blueprint, pose: Pose, joint: Joint, start: float, seconds: float) -> Joint:
    """The joint as one that closes from the state at which `pose` stands. Raises OperationError."""
    rows = _rows(blueprint, joint)
    frames, axes = pose.frames(), joint_axes(blueprint, joint)
    here = {name: frames[(joint.first if name[-1] == "i" else joint.second).body] @ axis for name, axis in axes.items()}
    sigma = _sigma(start, seconds)
    turned = {**NAMES, **_turned(blueprint.dim, rows, here, sigma)}
    gaps = [gap for row, gap in zip(pose.model.rows, pose.gaps(), strict=True) if row.joint == joint.name]
    equations = []
    for equation, meaning, gap in zip(rows.equations, rows.meanings, gaps, strict=True):
        if not equation.free.constant or not all(c.constant for c in equation.products.values()):
            raise OperationError(f"'{joint.name}' depends on time; insert it where it is closed")
        terms = [f"{c.value!r}*dot({turned.get(a, a)}, {turned.get(b, b)})" for (a, b), c in equation.products.items()]
        held = 0.0 if any(word in meaning for word in ANGULAR) else float(gap)
        equations.append(f"{' + '.join(terms)} + {equation.free.value!r} - {held!r}*{sigma}")
    nothing: Any = Frozen({})
    return replace(joint, type=CUSTOM.name, equations=tuple(equations), length=None, values=nothing, initial=nothing)


def _rows(blueprint: Blueprint, joint: Joint) -> JointRows:
    kind = BY_NAME[joint.type]
    found = kind.rows(blueprint.dim)
    rows = found(joint) if callable(found) else found
    if rows is None or rows.formulas:
        raise OperationError(f"'{joint.name}' ({joint.type}) cannot close slowly; insert it where it is closed")
    return rows


def _sigma(start: float, seconds: float) -> str:
    x = f"((t - {start!r})/{seconds!r})"
    return f"(1 - 10*{x}**3 + 15*{x}**4 - 6*{x}**5)"


def _turned(dim: int, rows: JointRows, here: dict[str, Array], sigma: str) -> dict[str, str]:
    """Axes of the second port with what is left of the turn, as text."""
    words = [meaning for meaning in rows.meanings if any(word in meaning for word in ANGULAR)]
    if not words:
        return {}
    if dim == 2:
        x, y, other = here["x_i"], here["y_i"], here["x_j"]
        angle = repr(atan2(float(y @ other), float(x @ other)) + _quarter(rows))
        c, s = f"cos({angle}*{sigma})", f"sin({angle}*{sigma})"
        return {"x_j": f"({c}*x_j - {s}*y_j)", "y_j": f"({s}*x_j + {c}*y_j)"}
    j = np.array([here[f"{axis}_j"] for axis in "xyz"]).T
    i = np.array([here[f"{axis}_i"] for axis in "xyz"]).T
    if len(words) >= 3:
        axis, angle_ = _rotation_vector(j.T @ i)
    elif len(words) == 2:
        axis, angle_ = _towards(j.T @ i[:, 2])
    else:  # axes that shall be square
        axis, angle_ = _towards(j.T @ i[:, 2])
        angle_ -= pi / 2
    return _rodrigues(axis, angle_, sigma)


def _quarter(rows: JointRows) -> float:
    """Of joints that hold two axes square to each other."""
    pairs = {pair for equation in rows.equations for pair in equation.products}
    return pi / 2 if ("x_i", "x_j") in pairs else 0.0


def _towards(z: Array) -> tuple[Array, float]:
    """Axis and angle that turn e_z to a direction."""
    angle = atan2(sqrt(float(z[0] ** 2 + z[1] ** 2)), float(z[2]))
    across = np.array([-z[1], z[0], 0.0])
    size = float(np.linalg.norm(across))
    return (across / size if size > 0 else np.array([1.0, 0.0, 0.0])), angle


def _rotation_vector(R: Array) -> tuple[Array, float]:
    """Axis and angle of a rotation."""
    angle = acos(min(1.0, max(-1.0, (float(np.trace(R)) - 1.0) / 2.0)))
    axis = np.linalg.eigh(R + R.T)[1][:, -1]
    skew = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    angle = atan2(float(np.linalg.norm(skew)) / 2.0, cos(angle)) if abs(sin(angle)) < 1e-3 else angle
    return (axis if float(axis @ skew) >= 0 else -axis), angle


def _rodrigues(axis: Array, angle: float, sigma: str) -> dict[str, str]:
    """The axes of the second port turned by `angle` sigma about an axis given in them."""
    u = [float(x) for x in axis]
    c, s = f"cos({angle!r}*{sigma})", f"sin({angle!r}*{sigma})"
    K = [[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]]
    found = {}
    for k, name in enumerate("xyz"):
        parts = []
        for m, other in enumerate("xyz"):
            one = 1.0 if m == k else 0.0
            outer = u[m] * u[k]
            # R = c 1 + s K + (1 - c) u u^T
            parts.append(f"({one - outer!r}*{c} + {K[m][k]!r}*{s} + {outer!r})*{other}_j")
        found[f"{name}_j"] = f"({' + '.join(parts)})"
    return found
