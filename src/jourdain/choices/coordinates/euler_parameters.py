"""Coordinates `euler-parameters`, in the plane and in space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...mechanism.parts import PLANAR, SPATIAL
from ..contract import Ability, Entry
from .quaternion import rotation
from .rate_set import RateSet

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class EulerParameters(RateSet):
    """Mass centre and Euler parameters in Lagrange form, v = q': (x, y, cos(theta/2), sin(theta/2)), or (r, p).

    One row a body keeps |p| = 1.
    """

    name: ClassVar[str] = "euler-parameters"
    says: ClassVar[str] = "mass centre and Euler parameters of each body in Lagrange form, with their length as a row"
    abilities: ClassVar[frozenset[Ability]] = frozenset({Ability.COMPLEX})
    per_body: ClassVar[Mapping[str, tuple[int, int]]] = {PLANAR: (4, 4), SPATIAL: (7, 7)}

    @property
    def lengths(self) -> tuple[bool, ...]:
        return (*(True,) * self.dim, *(False,) * (self.nv - self.dim))

    @property
    def intrinsic(self) -> tuple[str, ...]:
        return ("|p| = 1",)

    @property
    def called(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        names = (*"xyz"[: self.dim], *(f"p{k}" for k in range(self.nv - self.dim)))
        return names, names

    def row_weight(self, body: Any) -> float:
        """The mean of its moments of inertia, so that the block stays as well conditioned as they are."""
        inertia, extra = np.atleast_2d(body.inertia), np.atleast_2d(body.extra)
        if self.dim == 2 and body.extra != 0.0:
            return 0.0  # without inertia E alone fills the block: w would couple nothing
        return float(np.trace(inertia + extra)) / len(inertia)

    def bodies_entry(self) -> Entry:
        which = PLANAR if self.dim == 2 else SPATIAL
        return Entry("BODIES", f"jourdain.kernels.coordinates.euler_parameters:{which}_bodies")

    def constants(self, bodies: Sequence[Any], vectors: Sequence[Any]) -> Mapping[str, Any]:
        """BODY: mass, inertia, what is added to it, and w of the body's own row."""
        rows = []
        for body in bodies:
            inertia, extra = np.atleast_2d(body.inertia), np.atleast_2d(body.extra)
            rows.append([body.mass, *inertia.ravel(), *extra.ravel(), self.row_weight(body)])
        return {"BODY": np.array(rows), "singular": any(np.any(body.extra) for body in bodies)}

    def pose_in(self, position: Array, attitude: Any, frame: Array, body: Any) -> Array:
        if self.dim == 2:
            return np.array([*position, np.cos(0.5 * attitude), np.sin(0.5 * attitude)])
        return np.concatenate([position, attitude])

    def twist_in(self, velocity: Array, spin: Any, q: Array, body: Any) -> Array:
        if self.dim == 2:
            w = 0.5 * float(np.atleast_1d(spin)[0])
            return np.array([*velocity, -w * q[3], w * q[2]])
        return np.concatenate([velocity, 0.5 * _e_matrix(q[3:]).T @ np.asarray(spin)])

    def pose_out(self, q: Array, bodies: Sequence[Any]) -> tuple[Array, Array, Array | None]:
        if self.dim == 3:
            return q[..., :3], rotation(q[..., 3:]), q[..., 3:]
        p0, p1 = q[..., 2], q[..., 3]
        c, s = p0**2 - p1**2, 2 * p0 * p1
        return q[..., :2], np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2), None

    def twist_out(self, q: Array, v: Array, bodies: Sequence[Any]) -> tuple[Array, Array]:
        """Also for accelerations: E(p') p' = 0, so 2 E p'' is the angular acceleration; in the plane likewise."""
        if self.dim == 2:
            return v[..., :2], 2 * (q[..., 2] * v[..., 3] - q[..., 3] * v[..., 2])[..., None]
        return v[..., :3], 2 * np.einsum("...ij,...j->...i", _e_matrix(q[..., 3:]), v[..., 3:])


def _e_matrix(p: Array) -> Array:
    p0, p1, p2, p3 = np.moveaxis(p, -1, 0)
    rows = [[-p1, p0, -p3, p2], [-p2, p3, p0, -p1], [-p3, -p2, p1, p0]]
    return np.stack([np.stack(row, -1) for row in rows], -2)
