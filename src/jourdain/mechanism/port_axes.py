"""Points and axes of ports as body vectors, completed from the drawn pose where a joint needs more than was given.

Axes that were not given are parallel to the body axes. Where only z is given and a joint needs x and y too, the
first port's x is any perpendicular and the second port's is the same direction in the drawn pose: the joint holds
the attitude of the drawing, and its angle counts from there.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from .parts import GROUND, Blueprint, Joint, Port
from .reading import drawn_matrix
from .rotations import cross, perpendicular

TINY, HUGE = 1e-280, 1e280
Array = npt.NDArray[np.float64]


def drawn_frame(blueprint: Blueprint, body: str) -> Array:
    """R_WB of the drawn pose."""
    return np.eye(blueprint.dim) if body == GROUND else drawn_matrix(blueprint.body(body))


def joint_axes(blueprint: Blueprint, joint: Joint) -> dict[str, Array]:
    """The axes x_i .. z_j in the body axes of their own body."""
    first, second = blueprint.port(joint.first), blueprint.port(joint.second)
    if blueprint.dim == 2:
        axes = {}
        for port, side in ((first, "i"), (second, "j")):
            x = np.array([1.0, 0.0]) if port.x is None else _unit(port.x)
            axes[f"x_{side}"], axes[f"y_{side}"] = x, np.array([-x[1], x[0]])
        return axes
    frame_i, frame_j = _frame(first), _frame(second)
    if frame_i is not None and frame_j is not None:
        return _named(frame_i, frame_j)
    R_i, R_j = drawn_frame(blueprint, joint.first.body), drawn_frame(blueprint, joint.second.body)
    z_i, z_j = _z(first), _z(second)
    if frame_i is None and frame_j is None:
        frame_i = _complete(z_i, perpendicular(z_i))
    if frame_i is None:
        assert frame_j is not None
        frame_i = _complete(z_i, R_i.T @ R_j @ frame_j[:, 0])
    if frame_j is None:
        frame_j = _complete(z_j, R_j.T @ R_i @ frame_i[:, 0])
    return _named(frame_i, frame_j)


def _named(frame_i: Array, frame_j: Array) -> dict[str, Array]:
    sides = (("i", frame_i), ("j", frame_j))
    return {f"{axis}_{side}": frame[:, k] for side, frame in sides for k, axis in enumerate("xyz")}


def _unit(v: object) -> Array:
    a = np.asarray(v, dtype=float)
    if not TINY < a @ a < HUGE:  # squares may be no numbers any more
        a = a / np.max(np.abs(a))
    return a / math.sqrt(a @ a)


def _z(port: Port) -> Array:
    return np.array([0.0, 0.0, 1.0]) if port.z is None else _unit(port.z)


def _frame(port: Port) -> Array | None:
    """Columns x, y, z, or None where x is left to the drawn pose."""
    if port.x is None:
        return np.eye(3) if port.z is None else None
    x = _unit(port.x)
    if port.z is not None:
        return _complete(_unit(port.z), x)
    z = np.array([0.0, 0.0, 1.0])
    if abs(x @ z) > 0.9:  # x was turned onto the default z: keep the port right-handed with the body's y
        z = np.cross(x, [0.0, 1.0, 0.0])
    return _complete(z - x * (x @ z), x)


def _complete(z: Array, x: Array) -> Array:
    """A right-handed frame with this z and the x nearest to the one given."""
    z = _unit(z)
    x = x - z * (x @ z)
    x = perpendicular(z) if x @ x < 1e-12 else _unit(x)
    return np.array([x, cross(z, x), z]).T
