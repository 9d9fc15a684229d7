"""The same machine told otherwise: rotated, renamed, its joints in another order, one revolute written out.

Times must not depend on such things: nothing may be quick only for the machines of the benchmarks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from jourdain.mechanism.parts import GROUND, Blueprint, Port, PortName
from jourdain.mechanism.rotations import matrix_from_angle, matrix_from_quaternion, quaternion_from_matrix

ANGLE = 0.7
AXIS = np.array([0.36, 0.48, 0.8])
PINS = {
    2: ("dot(N - M, e_x)", "dot(N - M, e_y)"),
    3: (*(f"dot(N - M, e_{k})" for k in "xyz"), "dot(z_i, x_j)", "dot(z_i, y_j)"),
}


def rotation(dim: int) -> np.ndarray:
    if dim == 2:
        return np.array(matrix_from_angle(ANGLE))
    return np.array(matrix_from_quaternion([math.cos(ANGLE / 2), *(math.sin(ANGLE / 2) * AXIS)]))


def _vector(R: np.ndarray, v: Any) -> Any:
    return None if v is None else tuple(float(x) for x in R @ np.array(v, dtype=float))


def rotated(b: Blueprint) -> Blueprint:
    R = rotation(b.dim)
    bodies = []
    for body in b.bodies:
        attitude, spin = body.attitude, body.spin
        if b.dim == 2:
            attitude = None if attitude is None else attitude + ANGLE
        else:
            turned = R @ matrix_from_quaternion(attitude) if attitude is not None else None
            attitude = None if turned is None else tuple(float(x) for x in quaternion_from_matrix(turned))
            spin = _vector(R, spin)
        moved = {"position": _vector(R, body.position), "velocity": _vector(R, body.velocity)}
        bodies.append(replace(body, attitude=attitude, spin=spin, **moved))
    ground = {name: _turned(R, port) for name, port in b.ground.items()}
    return replace(b, bodies=tuple(bodies), ground=ground, gravity=_vector(R, b.gravity))


def _turned(R: np.ndarray, port: Port) -> Port:
    """A port of the ground: axes that are left out are parallel to the fixed ones, or follow from the axis given."""
    x, z = port.x, port.z
    if len(R) == 2:
        return Port(_vector(R, port.at), x=_vector(R, x or (1.0, 0.0)))
    if x is None and z is None:
        x, z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    elif z is None:
        z = (0.0, 0.0, 1.0)
    return Port(_vector(R, port.at), x=_vector(R, x), z=_vector(R, z))


def other_name(name: str) -> str:
    return name if name == GROUND else f"part_{name}_x"


def renamed(b: Blueprint) -> Blueprint:
    other = other_name

    def port(value: Any) -> Any:
        return PortName(other(value.body), value.point) if isinstance(value, PortName) else value

    def part(p: Any) -> Any:
        changed = {f.name: port(getattr(p, f.name)) for f in fields(p)}
        if isinstance(changed.get("on"), str):
            changed["on"] = other(changed["on"])
        return replace(p, **{**changed, "name": other(p.name)})

    return replace(
        b,
        bodies=tuple(replace(body, name=other(body.name)) for body in b.bodies),
        joints=tuple(part(j) for j in b.joints),
        forces=tuple(part(f) for f in b.forces),
    )


def reordered(b: Blueprint) -> Blueprint:
    order = np.random.default_rng(0).permutation(len(b.joints))
    return replace(b, joints=tuple(b.joints[k] for k in order))


def with_custom_joint(b: Blueprint) -> Blueprint:
    """A revolute written out, or a spherical joint where there is none."""
    types = [j.type for j in b.joints]
    place = types.index("revolute" if "revolute" in types else "spherical")
    rows = PINS[b.dim] if types[place] == "revolute" else PINS[b.dim][:3]
    custom = replace(b.joints[place], type="custom", equations=rows)
    return replace(b, joints=(*b.joints[:place], custom, *b.joints[place + 1 :]))


TOLD: dict[str, Callable[[Blueprint], Blueprint]] = {
    "rotated": rotated,
    "renamed": renamed,
    "joints in another order": reordered,
    "one revolute as a custom joint": with_custom_joint,
}
