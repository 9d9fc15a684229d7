"""Planar coordinates `angle`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...mechanism.parts import PLANAR
from ..contract import Ability
from .rate_set import TwistSet

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Angle(TwistSet):
    """Mass centre and angle of each body: q = (x, y, theta), v = q'. The default in the plane."""

    name: ClassVar[str] = "angle"
    says: ClassVar[str] = "mass centre and angle of each body"
    abilities: ClassVar[frozenset[Ability]] = frozenset({Ability.COMPLEX, Ability.LANES})
    per_body: ClassVar[Mapping[str, tuple[int, int]]] = {PLANAR: (3, 3)}
    counts_angle: ClassVar[bool] = True
    kernel: ClassVar[str] = "jourdain.kernels.coordinates.angle"

    @property
    def lengths(self) -> tuple[bool, ...]:
        return (True, True, False)

    @property
    def called(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return ("x", "y", "angle"), ("x", "y", "angle")

    def constants(self, bodies: Sequence[Any], vectors: Sequence[Any]) -> Mapping[str, Any]:
        """BODY of all bodies, and whether any is singular."""
        rows = []
        for body in bodies:
            total = body.inertia + body.extra
            rows.append([body.mass, 1.0 / body.mass, body.inertia, 1.0 / total, body.extra / total])
        return {"BODY": np.array(rows), "singular": any(body.extra > 0 for body in bodies)}

    def pose_in(self, position: Array, attitude: Any, frame: Array, body: Any) -> Array:
        return np.array([position[0], position[1], attitude])

    def twist_in(self, velocity: Array, spin: Any, q: Array, body: Any) -> Array:
        return np.array([velocity[0], velocity[1], float(np.atleast_1d(spin)[0])])

    def pose_out(self, q: Array, bodies: Sequence[Any]) -> tuple[Array, Array, Array | None]:
        """Mass centre (..., 2), rotation matrix (..., 2, 2) and angle (...) from q (..., 3)."""
        c, s = np.cos(q[..., 2]), np.sin(q[..., 2])
        return q[..., :2], np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2), q[..., 2]

    def twist_out(self, q: Array, v: Array, bodies: Sequence[Any]) -> tuple[Array, Array]:
        """Velocity of the mass centre (..., 2) and spin (..., 1)."""
        return v[..., :2], v[..., 2:3]
