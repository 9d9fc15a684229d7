"""Where ports are between two macro points: quintics through position, velocity and acceleration; of attitudes,
through rotation vectors."""

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
    begin, final = (start.position, start.velocity, start.acceleration), (end.position, end.velocity, end.acceleration)
    position, velocity = _quintic(*begin, *final, H, s)
    turn = _turn(start.attitude, end.attitude)
    nothing = np.zeros_like(turn)
    if start.attitude.ndim == 1:
        angle, spin = _quintic(nothing, start.spin, start.spin_rate, turn, end.spin, end.spin_rate, H, s)
    else:
        rates = _vector_rates(turn, end.spin, end.spin_rate)
        angle, rate = _quintic(nothing, start.spin, start.spin_rate, turn, *rates, H, s)
        spin = _spin(angle, rate)
    accelerations = [a + s * (b - a) for a, b in zip(start[4:], end[4:], strict=True)]
    return PortMotion(position, _turned(start.attitude, angle), velocity, spin, *accelerations)


def _quintic(p: Array, v: Array, a: Array, P: Array, V: Array, A: Array, H: float, s: float) -> tuple[Array, Array]:
    """Hermite's, and its rate."""
    d, e, g = P - p - H * v - 0.5 * H * H * a, H * (V - v) - H * H * a, H * H * (A - a)
    c3, c4, c5 = 10 * d - 4 * e + 0.5 * g, -15 * d + 7 * e - g, 6 * d - 3 * e + 0.5 * g
    place = p + s * H * v + 0.5 * (s * H) ** 2 * a + s**3 * (c3 + s * (c4 + s * c5))
    rate = v + s * H * a + s * s / H * (3 * c3 + s * (4 * c4 + 5 * s * c5))
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


def _vector_rates(vector: Array, spin: Array, spin_rate: Array) -> tuple[Array, Array]:
    """First and second rate of a rotation vector from the spin in fixed axes: the series of the inverse of `_spin`."""
    once = np.cross(vector, spin)
    twice = np.cross(vector, once)
    rate = spin - 0.5 * once + twice / 12.0 - np.cross(vector, np.cross(vector, twice)) / 720.0
    on, over = np.cross(rate, spin), np.cross(vector, spin_rate)
    more = np.cross(rate, once) + np.cross(vector, on + over)
    return np.asarray(rate), np.asarray(spin_rate - 0.5 * (on + over) + more / 12.0)


def _spin(vector: Array, rate: Array) -> Array:
    """Spin in fixed axes of a rotation vector that changes."""
    once = np.cross(vector, rate)
    twice = np.cross(vector, once)
    return np.asarray(rate + 0.5 * once + twice / 6.0 + np.cross(vector, twice) / 24.0)
