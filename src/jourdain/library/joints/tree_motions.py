"""How joints carry links in joint coordinates: the motions that the recursion knows, each by its code.

A motion says what its coordinates and velocities are called (of a quaternion there are four and three) and, for the
place d and the turn of a link in the axes of the port that carries it,

    read(d, turn, sense)                 its coordinates; the nearest where the joint does not allow the place
    placed(q, sense, phase, lead)        d and turn from these: the inverse of `read`
    columns(port, link, sense, lead)     spin and velocity of the link's origin for each joint velocity, from the axes
                                         of the port and of the link, all in fixed axes
    turned(q)                            the turn as quaternions, (time, 4) from (time, coordinates); in space only

`sense` is -1 for a pin of the plane that is written from the link to its parent. `lead` is the advance of a screw,
metres a radian, and `phase` its advance at angle zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...kernels.layout import tree_table as codes
from ...mechanism.rotations import (
    matrix_from_angle,
    matrix_from_euler,
    matrix_from_quaternion,
    product,
    quaternion_from_matrix,
)

Array = npt.NDArray[np.float64]
Pose = tuple[Array, Array]

QUARTER = matrix_from_euler("x", [np.pi / 2])  # between the pins of a universal joint, at zero
_ANGLE, _SLIDE = ("angle",), ("displacement",)
_TURN, _SPIN = ("qw", "qx", "qy", "qz"), ("wx", "wy", "wz")
_OVER = ("x", "y", "angle")


def _unturned(q: Array) -> Array:
    one, zero = np.ones(len(q)), np.zeros(len(q))
    return np.stack([one, zero, zero, zero], -1)


@dataclass(frozen=True, eq=False)
class TreeJoint:
    """A motion of the recursion, as the head of this file says."""

    code: int
    coordinates: tuple[str, ...]
    velocities: tuple[str, ...]
    read: Callable[[Array, Array, float], list[float]]
    placed: Callable[[Sequence[float], float, float, float], Pose]
    columns: Callable[[Array, Array, float, float], list[Array]]
    turned: Callable[[Array], Array] = _unturned
    signed: bool = False  # coordinates would change sign with the direction in which the joint is written
    holds_attitude: bool = False
    at_zero: Array | None = None  # the turn with all coordinates zero, where that is not none

    @property
    def freedoms(self) -> int:
        return len(self.velocities)


def _angle(turn: Array) -> float:
    """About z, the nearest where the axes are tilted."""
    return float(np.arctan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1]))


def _about_z(angle: float) -> Array:
    return matrix_from_euler("z", [angle])


def _still(dim: int) -> Pose:
    return np.zeros(dim), np.eye(dim)


def _quaternion(turn: Array) -> list[float]:
    return [float(x) for x in quaternion_from_matrix(turn)]


def _turns(axes: Array) -> list[Array]:
    return [np.concatenate([axis, np.zeros(3)]) for axis in axes.T]


def _slides(axes: Array) -> list[Array]:
    return [np.concatenate([np.zeros(3), axis]) for axis in axes.T]


def _turned_about_z(angles: Array) -> Array:
    half, zero = 0.5 * angles, np.zeros(len(angles))
    return np.stack([np.cos(half), zero, zero, np.sin(half)], -1)


# In the plane ---------------------------------------------------------------------------------------------------


def _slide_in_plane(port: Array, k: int) -> Array:
    return np.array([0.0, *port[:, k]])


def _over_plane(q: Sequence[float], sense: float, phase: float, lead: float) -> Pose:
    return np.array(q[:2], dtype=float), matrix_from_angle(q[2])


FIXED_IN_PLANE = TreeJoint(
    codes.WELD,
    (),
    (),
    read=lambda d, turn, sense: [],
    placed=lambda q, sense, phase, lead: _still(2),
    columns=lambda port, link, sense, lead: [],
    holds_attitude=True,
)
TURNING_IN_PLANE = TreeJoint(
    codes.REVOLUTE,
    _ANGLE,
    _ANGLE,
    read=lambda d, turn, sense: [sense * _angle(turn)],
    placed=lambda q, sense, phase, lead: (np.zeros(2), matrix_from_angle(sense * q[0])),
    columns=lambda port, link, sense, lead: [np.array([sense, 0.0, 0.0])],
    signed=True,
)
SLIDING_IN_PLANE = TreeJoint(
    codes.PRISMATIC,
    _SLIDE,
    _SLIDE,
    read=lambda d, turn, sense: [float(d[0])],
    placed=lambda q, sense, phase, lead: (np.array([q[0], 0.0]), np.eye(2)),
    columns=lambda port, link, sense, lead: [_slide_in_plane(port, 0)],
    signed=True,
    holds_attitude=True,
)
FREE_IN_PLANE = TreeJoint(
    codes.FREE,
    _OVER,
    _OVER,
    read=lambda d, turn, sense: [float(d[0]), float(d[1]), _angle(turn)],
    placed=_over_plane,
    columns=lambda port, link, sense, lead: [
        _slide_in_plane(port, 0),
        _slide_in_plane(port, 1),
        np.array([sense, 0.0, 0.0]),
    ],
)

# In space -------------------------------------------------------------------------------------------------------


def _read_pins(d: Array, turn: Array, sense: float) -> list[float]:
    return [float(np.arctan2(turn[0, 2], -turn[1, 2])), float(np.arctan2(turn[2, 0], turn[2, 1]))]


def _turned_pins(q: Array) -> Array:
    quarter = np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0])
    return product(product(_turned_about_z(q[:, 0]), quarter), _turned_about_z(q[:, 1]))


def _screwed(q: Sequence[float], sense: float, phase: float, lead: float) -> Pose:
    return np.array([0.0, 0.0, phase + lead * q[0]]), _about_z(q[0])


FIXED = TreeJoint(
    codes.WELD,
    (),
    (),
    read=lambda d, turn, sense: [],
    placed=lambda q, sense, phase, lead: _still(3),
    columns=lambda port, link, sense, lead: [],
    holds_attitude=True,
)
TURNING = TreeJoint(
    codes.REVOLUTE,
    _ANGLE,
    _ANGLE,
    read=lambda d, turn, sense: [sense * _angle(turn)],
    placed=lambda q, sense, phase, lead: (np.zeros(3), _about_z(sense * q[0])),
    columns=lambda port, link, sense, lead: [_turns(port)[2]],
    turned=lambda q: _turned_about_z(q[:, 0]),
    signed=True,
)
SLIDING = TreeJoint(
    codes.PRISMATIC,
    _SLIDE,
    _SLIDE,
    read=lambda d, turn, sense: [float(d[2])],
    placed=lambda q, sense, phase, lead: (np.array([0.0, 0.0, q[0]]), np.eye(3)),
    columns=lambda port, link, sense, lead: [_slides(port)[2]],
    signed=True,
    holds_attitude=True,
)
SCREWING = TreeJoint(
    codes.SCREW,
    _ANGLE,
    _ANGLE,
    read=lambda d, turn, sense: [sense * _angle(turn)],
    placed=_screwed,
    columns=lambda port, link, sense, lead: [_turns(port)[2] + lead * _slides(port)[2]],
    turned=lambda q: _turned_about_z(q[:, 0]),
    signed=True,
)
TURNING_AND_SLIDING = TreeJoint(
    codes.CYLINDRICAL,
    _ANGLE + _SLIDE,
    _ANGLE + _SLIDE,
    read=lambda d, turn, sense: [_angle(turn), float(d[2])],
    placed=lambda q, sense, phase, lead: (np.array([0.0, 0.0, q[1]]), _about_z(q[0])),
    columns=lambda port, link, sense, lead: [_turns(port)[2], _slides(port)[2]],
    turned=lambda q: _turned_about_z(q[:, 0]),
    signed=True,
)
ABOUT_TWO_PINS = TreeJoint(
    codes.UNIVERSAL,
    ("angle_first", "angle_second"),
    ("angle_first", "angle_second"),
    read=_read_pins,
    placed=lambda q, sense, phase, lead: (np.zeros(3), _about_z(q[0]) @ QUARTER @ _about_z(q[1])),
    columns=lambda port, link, sense, lead: [_turns(port)[2], _turns(link)[2]],
    turned=_turned_pins,
    at_zero=QUARTER,
)
ABOUT_A_POINT = TreeJoint(
    codes.SPHERICAL,
    _TURN,
    _SPIN,
    read=lambda d, turn, sense: _quaternion(turn),
    placed=lambda q, sense, phase, lead: (np.zeros(3), matrix_from_quaternion(q)),
    columns=lambda port, link, sense, lead: _turns(port),
    turned=lambda q: q[:, :4],
)
OVER_A_PLANE = TreeJoint(
    codes.PLANAR,
    _OVER,
    _OVER,
    read=lambda d, turn, sense: [float(d[0]), float(d[1]), _angle(turn)],
    placed=lambda q, sense, phase, lead: (np.array([q[0], q[1], 0.0]), _about_z(q[2])),
    columns=lambda port, link, sense, lead: [*_slides(port)[:2], _turns(port)[2]],
    turned=lambda q: _turned_about_z(q[:, 2]),
    signed=True,
)
FREE = TreeJoint(
    codes.FREE,
    ("x", "y", "z", *_TURN),
    ("x", "y", "z", *_SPIN),
    read=lambda d, turn, sense: [*map(float, d), *_quaternion(turn)],
    placed=lambda q, sense, phase, lead: (np.array(q[:3]), matrix_from_quaternion(q[3:])),
    columns=lambda port, link, sense, lead: [*_slides(port), *_turns(port)],
    turned=lambda q: q[:, 3:7],
)


def free_motion(dim: int) -> TreeJoint:
    """Of a body that no joint carries."""
    return FREE_IN_PLANE if dim == 2 else FREE
