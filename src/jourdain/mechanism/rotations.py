"""Rotations in and out of the ways people write them.

A matrix R_WB takes body axes to fixed axes: columns are the body's axes. Quaternions are (w, x, y, z).
Euler sequences are intrinsic, in the order written: `xyz` is R_x R_y R_z (Bryan angles).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .ties import largest, smallest

Array = npt.NDArray[np.float64]

NO_TURN = 1e-12  # a component of a unit vector that is smaller is rounding


def matrix_from_angle(angle: float) -> Array:
    """Planar rotation as a 2 x 2 matrix."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def matrix_from_quaternion(quaternion: Sequence[float]) -> Array:
    """Rotation of the normalised quaternion."""
    w, x, y, z = map(float, quaternion)
    size = math.sqrt(w * w + x * x + y * y + z * z) or math.nan
    w, x, y, z = w / size, x / size, y / size, z / size
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def product(a: Any, b: Any) -> Array:
    """Hamilton's product of quaternions, row by row."""
    w, x, y, z = np.moveaxis(np.asarray(a), -1, 0)
    s, i, j, k = np.moveaxis(np.asarray(b), -1, 0)
    return np.stack(
        [
            w * s - x * i - y * j - z * k,
            w * i + x * s + y * k - z * j,
            w * j - x * k + y * s + z * i,
            w * k + x * j - y * i + z * s,
        ],
        -1,
    )


def quaternion_from_matrix(R: Array) -> Array:
    """Quaternion with the largest component computed first (Shepperd 1978): no loss near half turns."""
    R = np.asarray(R, dtype=float)
    trace = np.trace(R)
    squares = np.array([trace, R[0, 0], R[1, 1], R[2, 2]])
    k = largest(squares)
    q = np.empty(4)
    if k == 0:
        q[0] = 1 + trace
        q[1:] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    else:
        i = k - 1
        j, m = (i + 1) % 3, (i + 2) % 3
        q[0] = R[m, j] - R[j, m]
        q[1 + i] = 1 + R[i, i] - R[j, j] - R[m, m]
        q[1 + j] = R[i, j] + R[j, i]
        q[1 + m] = R[i, m] + R[m, i]
    q /= np.linalg.norm(q)
    # After half a turn the sign of w is rounding; the component computed first is positive then.
    return q if q[0] >= -NO_TURN else -q


def matrix_from_euler(sequence: str, angles: Sequence[float]) -> Array:
    """Intrinsic rotations about the axes named by `sequence`, in that order."""
    R = np.eye(3)
    for axis, angle in zip(sequence, angles, strict=True):
        c, s = math.cos(angle), math.sin(angle)
        i = "xyz".index(axis)
        j, k = (i + 1) % 3, (i + 2) % 3
        turn = np.eye(3)
        turn[j, j], turn[j, k], turn[k, j], turn[k, k] = c, -s, s, c
        R = R @ turn
    return R


def perpendicular(z: Array) -> Array:
    """A unit vector perpendicular to z, the same one each time."""
    e = np.zeros(3)
    e[smallest(np.abs(z), floor=NO_TURN)] = 1.0
    x = cross(e, z)
    return x / np.linalg.norm(x)


def cross(a: Array, b: Array) -> Array:
    """a x b of two vectors: `np.cross`, made for many, takes twenty times as long for one."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def swung(spins: Array, arms: Array) -> Array:
    """w x r, row by row; in the plane a spin is one number, in an array of its own."""
    if arms.shape[-1] == 2:
        return spins * np.stack([-arms[..., 1], arms[..., 0]], -1)
    return np.cross(spins, arms)


def rotation_of(vector: Array) -> Array:
    """The rotation about a vector by its length."""
    angle = float(np.linalg.norm(vector))
    x, y, z = vector / angle if angle > 0 else (1.0, 0.0, 0.0)
    return matrix_from_quaternion((np.cos(angle / 2), *(np.sin(angle / 2) * np.array([x, y, z]))))


def rotation_vector(R: Array) -> Array:
    """The axis of a rotation times its angle, which is at most half a turn."""
    q = quaternion_from_matrix(R)
    v = q[1:] if q[0] >= 0 else -q[1:]
    size = float(np.linalg.norm(v))
    return np.asarray(2 * math.atan2(size, abs(q[0])) / size * v if size > 0 else 2 * v)
