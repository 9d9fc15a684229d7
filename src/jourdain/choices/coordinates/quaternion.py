"""Spatial coordinates `quaternion`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...mechanism.parts import SPATIAL
from ..contract import Ability
from .rate_set import TwistSet

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Quaternion(TwistSet):
    """Mass centre and unit quaternion of each body, v its velocity and angular velocity. The default in space."""

    name: ClassVar[str] = "quaternion"
    says: ClassVar[str] = "mass centre and unit quaternion of each body, with angular velocities: 7 and 6"
    abilities: ClassVar[frozenset[Ability]] = frozenset({Ability.COMPLEX, Ability.LANES})
    per_body: ClassVar[Mapping[str, tuple[int, int]]] = {SPATIAL: (7, 6)}
    kernel: ClassVar[str] = "jourdain.kernels.coordinates.quaternion"

    @property
    def lengths(self) -> tuple[bool, ...]:
        return (True, True, True, False, False, False)

    @property
    def called(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return ("x", "y", "z", "qw", "qx", "qy", "qz"), ("x", "y", "z", "wx", "wy", "wz")

    def constants(self, bodies: Sequence[Any], vectors: Sequence[Any]) -> Mapping[str, Any]:
        """BODY of all bodies, and whether any is singular."""
        rows = []
        for body in bodies:
            inverse = np.linalg.inv(body.inertia + body.extra)
            rows.append([body.mass, 1.0 / body.mass, *body.inertia.ravel(), *inverse.ravel(), *body.extra.ravel()])
        return {"BODY": np.array(rows), "singular": any(np.any(body.extra) for body in bodies)}

    def pose_in(self, position: Array, attitude: Any, frame: Array, body: Any) -> Array:
        return np.concatenate([position, attitude])

    def twist_in(self, velocity: Array, spin: Any, q: Array, body: Any) -> Array:
        return np.concatenate([velocity, spin])

    def pose_out(self, q: Array, bodies: Sequence[Any]) -> tuple[Array, Array, Array | None]:
        """Mass centre (..., 3), rotation matrix (..., 3, 3) and quaternion (..., 4) from q (..., 7)."""
        return q[..., :3], rotation(q[..., 3:]), q[..., 3:]

    def twist_out(self, q: Array, v: Array, bodies: Sequence[Any]) -> tuple[Array, Array]:
        """Velocity of the mass centre (..., 3) and angular velocity (..., 3), fixed axes."""
        return v[..., :3], v[..., 3:]


def rotation(p: Array) -> Array:
    """R (..., 3, 3) of quaternions (..., 4), quadratic in them."""
    w, x, y, z = np.moveaxis(p, -1, 0)
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.stack([np.stack(row, -1) for row in rows], -2)
