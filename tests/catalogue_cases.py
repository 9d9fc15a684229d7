"""Every joint of the catalogue as two bodies drawn closed, for the tests of joints and of reactions.

A case gives the second port as seen from the first: a translation and a rotation in the axes of the first port, as
general as the joint allows. The equations are written out a second time, by hand, as a user would.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import jourdain as jd
from jourdain.mechanism.rotations import matrix_from_angle, matrix_from_euler

PIN = ("dot(N - M, e_x)", "dot(N - M, e_y)", "dot(N - M, e_z)")
TILT = ("dot(z_i, x_j)", "dot(z_i, y_j)")
LINE = ("dot(N - M, x_i)", "dot(N - M, y_i)")

ANY = matrix_from_euler("xyz", (0.4, -0.3, 0.7))
ABOUT_Z = matrix_from_euler("z", (0.4,))
# z_j = x_i turned about z_i: perpendicular to z_i.
SIDEWAYS = matrix_from_euler("zyz", (0.3, np.pi / 2, 0.5))
NONE = np.eye(3)


@dataclass(frozen=True)
class Case:
    """A joint of the catalogue: how many freedoms it leaves, where its ports are drawn, its equations by hand."""

    kind: str
    dim: int
    freedoms: int
    offset: tuple[float, ...]
    turn: Any
    equations: tuple[str, ...]
    length: float | None = None
    values: dict[str, float] | None = None

    def __str__(self) -> str:
        return f"{self.kind} in {'the plane' if self.dim == 2 else 'space'}"


def _space(kind: str, freedoms: int, offset: tuple[float, ...], turn: Any, *equations: str, **data: Any) -> Case:
    return Case(kind, 3, freedoms, offset, turn, equations, **data)


def _plane(kind: str, freedoms: int, offset: tuple[float, ...], angle: float, *equations: str, **data: Any) -> Case:
    return Case(kind, 2, freedoms, offset, matrix_from_angle(angle), equations, **data)


DISTANCE = "(dot(N - M, N - M) - 0.7**2) / (2 * 0.7)"

CASES = [
    _space("spherical", 3, (0, 0, 0), ANY, *PIN),
    _space("revolute", 1, (0, 0, 0), ABOUT_Z, *PIN, *TILT),
    _space("universal", 2, (0, 0, 0), SIDEWAYS, *PIN, "dot(z_i, z_j)"),
    _space("cylindrical", 2, (0, 0, 0.3), ABOUT_Z, *TILT, *LINE),
    _space("prismatic", 1, (0, 0, 0.3), NONE, *TILT, *LINE, "dot(x_i, y_j)"),
    _space("planar", 3, (0.2, -0.3, 0), ABOUT_Z, *TILT, "dot(N - M, z_i)"),
    _space("weld", 0, (0, 0, 0), NONE, *PIN, "dot(x_i, y_j)", "dot(y_i, z_j)", "dot(z_i, x_j)"),
    _space("distance", 5, (0.2, -0.3, 0.6), ANY, DISTANCE, length=0.7),
    _space("point-on-line", 4, (0, 0, 0.3), ANY, *LINE),
    _space("point-in-plane", 5, (0.2, -0.3, 0), ANY, "dot(N - M, z_i)"),
    _space("point-on-circle", 4, (0.42, -0.56, 0), ANY, "dot(N - M, z_i)", DISTANCE, values={"radius": 0.7}),
    _space("parallel", 4, (0.2, -0.3, 0.4), ABOUT_Z, *TILT),
    _space("perpendicular", 5, (0.2, -0.3, 0.4), SIDEWAYS, "dot(z_i, z_j)"),
    _plane("revolute", 1, (0, 0), 0.6, *PIN[:2]),
    _plane("prismatic", 1, (0.3, 0), 0.0, "dot(N - M, y_i)", "dot(x_j, y_i)"),
    _plane("weld", 0, (0, 0), 0.0, *PIN[:2], "dot(x_i, y_j)"),
    _plane("distance", 2, (0.42, -0.56), 0.6, DISTANCE, length=0.7),
    _plane("point-on-line", 2, (0.3, 0), 0.6, "dot(N - M, y_i)"),
    _plane("point-on-circle", 2, (0.42, -0.56), 0.6, DISTANCE, values={"radius": 0.7}),
    _plane("parallel", 2, (0.2, -0.3), 0.0, "dot(x_i, y_j)"),
    _plane("perpendicular", 2, (0.2, -0.3), np.pi / 2, "dot(x_i, x_j)"),
]

# The body's own data: nothing symmetric, the mass centre away from the origin.
_BODY: dict[int, dict[str, Any]] = {
    2: {"mass": 1.5, "inertia": 0.2, "centre": (0.1, -0.2)},
    3: {"mass": 1.5, "inertia": (0.2, 0.3, 0.25, 0.03, -0.02, 0.04), "centre": (0.1, -0.2, 0.15)},
}
TORQUE: dict[int, Any] = {2: 0.7, 3: (0.7, -0.4, 0.5)}
_PORT_AT = {2: np.array([0.3, 0.2]), 3: np.array([0.3, 0.2, -0.1])}
_PORT_FRAME = {2: matrix_from_angle(0.5), 3: matrix_from_euler("xyz", (0.5, 0.2, -0.4))}
_POSE = {2: matrix_from_angle(-0.3), 3: matrix_from_euler("xyz", (-0.3, 0.4, 0.2))}


def _port(dim: int, at: Any, frame: Any) -> dict[str, Any]:
    if dim == 2:
        return {"at": at, "angle": float(np.arctan2(frame[1, 0], frame[0, 0]))}
    return {"at": at, "x": frame[:, 0], "z": frame[:, 2]}


def _attitude(R: Any) -> dict[str, Any]:
    return {"angle": float(np.arctan2(R[1, 0], R[0, 0]))} if len(R) == 2 else {"matrix": R}


def build(case: Case, on_ground: bool, joint: dict[str, Any] | None = None) -> jd.Mechanism:
    """Body `b` joined to the ground or to a body `a`, both thrown; `joint` replaces the catalogue's one.

    The written velocities are not those that the joint allows: the assembly takes the nearest.
    """
    dim = case.dim
    m = jd.Mechanism(str(case), gravity=(0.0, 1.0, -9.81)[3 - dim :])
    at, frame = _PORT_AT[dim], _PORT_FRAME[dim]
    if on_ground:
        first = m.ground.point("P", **_port(dim, at, frame))
        origin, R = np.zeros(dim), np.eye(dim)
    else:
        origin, R = np.array([0.5, 0.1, -0.2])[:dim], _POSE[dim]
        spin: Any = 1.0 if dim == 2 else (1.0, -2.0, 0.5)
        move = {"position": origin, "velocity": (1.0, 2.0, 0.5)[:dim], "spin": spin, **_attitude(R)}
        first = m.body("a", **_BODY[dim], **move, points={"P": _port(dim, at, frame)})["P"]
    # The second port, fixed axes; then the body's pose from where the port sits on it.
    place = origin + R @ (at + frame @ np.array(case.offset, dtype=float))
    at_b, frame_b = -0.8 * _PORT_AT[dim], _PORT_FRAME[dim].T
    R_b = R @ frame @ case.turn @ frame_b.T
    spin = -1.5 if dim == 2 else (-1.5, 0.8, 2.0)
    move = {"position": place - R_b @ at_b, "velocity": (-1.0, 0.5, 1.0)[:dim], "spin": spin, **_attitude(R_b)}
    b = m.body("b", **_BODY[dim], **move, points={"Q": _port(dim, at_b, frame_b)})
    # Without it, two bodies that only keep their attitude would have no reason to strain against each other.
    m.torque("motor", on=b, torque=TORQUE[dim])
    own = {"type": case.kind, "length": case.length, "values": case.values} | (joint or {})
    m.joint(**own, name="joint", first=first, second=b["Q"])
    return m
