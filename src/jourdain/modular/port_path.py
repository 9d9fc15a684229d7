"""Where ports are between two macro points: cubics through position and velocity, rotation vectors for attitudes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..mechanism.rotations import product
from .box import PortMotion

Array = npt.NDArray[np.float64]

SMALL = 1e-8  # rad: a rotation vector whose sine is itself


def guessed(start: PortMotion, H: float) -> PortMotion:
    """The end of a step of H seconds, rates staying as they are."""
    return PortMotion(
        start.position + H * start.velocity + 0.5 * H * H * start.acceleration,
        _turned(start.attitude, H * start.spin + 0.5 * H * H * start.spin_rate),
        start.velocity + H * start.acceleration,
        start.spin + H * start.spin_rate,
        start.acceleration,
        start.spin_rate,
    )


def between(start: PortMotion, end: PortMotion, H: float, s: float) -> PortMotion:
    """The motion at the part s of a step of H seconds."""
    position, velocity = _cubic(start.position, start.velocity, end.position, end.velocity, H, s)
    turn = _turn(start.attitude, end.attitude)
    if start.attitude.ndim == 1:
        angle, spin = _cubic(np.zeros_like(turn), start.spin, turn, end.spin, H, s)
    else:
        begin, final = start.spin, _vector_rate(turn, end.spin)
        angle, rate = _cubic(np.zeros_like(turn), begin, turn, final, H, s)
        spin = _spin(angle, rate)
    rates = [a + s * (b - a) for a, b in zip(start[4:], end[4:], strict=True)]
    return PortMotion(position, _turned(start.attitude, angle), velocity, spin, rates[0], rates[1])


def _cubic(p: Array, v: Array, P: Array, V: Array, H: float, s: float) -> tuple[Array, Array]:
    """Hermite's, and its rate."""
    d = P - p
    place = p + s * H * v + s * s * (3 * d - H * (2 * v + V)) + s**3 * (H * (v + V) - 2 * d)
    rate = v + 2 * s * (3 * d / H - (2 * v + V)) + 3 * s * s * ((v + V) - 2 * d / H)
    return place, rate


def _turned(attitude: Array, vector: Array) -> Array:
    """Attitudes turned by rotation vectors in fixed axes; by angles in the plane."""
    if attitude.ndim == 1:
        return attitude + vector[:, 0]
    angle = np.linalg.norm(vector, axis=1, keepdims=True)
    over = np.where(angle > SMALL, np.sin(0.5 * angle) / np.where(angle > SMALL, angle, 1.0), 0.5)
    found = product(np.hstack([np.cos(0.5 * angle), over * vector]), attitude)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


def _turn(first: Array, second: Array) -> Array:
    """The rotation vector from one attitude to the other, fixed axes; the angle in the plane, as a column."""
    if first.ndim == 1:
        return np.asarray((second - first)[:, None])
    back = first * np.array([1.0, -1.0, -1.0, -1.0])
    q = product(second, back)
    q = np.where(q[:, :1] < 0, -q, q)
    sine = np.linalg.norm(q[:, 1:], axis=1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[:, :1])
    return np.asarray(q[:, 1:] * np.where(sine > SMALL, angle / np.where(sine > SMALL, sine, 1.0), 2.0))


def _vector_rate(vector: Array, spin: Array) -> Array:
    """Rate of a rotation vector from the spin in fixed axes: the series of the inverse of `_spin`, to fourth order."""
    once = np.cross(vector, spin)
    return np.asarray(spin - 0.5 * once + np.cross(vector, once) / 12.0)


def _spin(vector: Array, rate: Array) -> Array:
    """Spin in fixed axes of a rotation vector that changes."""
    once = np.cross(vector, rate)
    twice = np.cross(vector, once)
    return np.asarray(rate + 0.5 * once + twice / 6.0 + np.cross(vector, twice) / 24.0)
