"""Planar coordinates `points`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...mechanism.parts import PLANAR
from .linear import LinearSet, mass_fields, skew

Array = npt.NDArray[np.float64]

_QUARTER = np.array([[0.0, -1.0], [1.0, 0.0]])


@dataclass(frozen=True, kw_only=True)
class Points(LinearSet):
    """Two own points of each body: q = (P_1, P_2), X = P_1 + a d + b d_perp with d = P_2 - P_1.

    One row a body, (d.d - L^2) / (2 L) = 0, keeps their distance (Joli, Seguy and Feng 2008).
    """

    name: ClassVar[str] = "points"
    says: ClassVar[str] = "two own points of each body, with their distance as a row"
    source: ClassVar[str] = "Joli, Seguy and Feng 2008"
    per_body: ClassVar[Mapping[str, tuple[int, int]]] = {PLANAR: (4, 4)}

    @property
    def lengths(self) -> tuple[bool, ...]:
        return (True,) * 4

    @property
    def intrinsic(self) -> tuple[str, ...]:
        return ("length of the bar",)

    @property
    def called(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        names = ("x1", "y1", "x2", "y2")
        return names, names

    def own_points(self, body: Any) -> tuple[Array, Array]:
        """The two points of a body, from its origin."""
        return _own_points(body)

    def constants(self, bodies: Sequence[Any], vectors: Sequence[Any]) -> Mapping[str, Any]:
        blocks, extras, lengths = [], [], []
        for body in bodies:
            p1, p2 = _own_points(body)
            length = float(np.linalg.norm(p2 - p1))
            lengths.append(length)
            G = _point_map(body.centre, 1.0, body)
            turn = np.hstack([-np.eye(2), np.eye(2)])  # d' ; |d'| = L |omega|
            blocks.append(body.mass * G.T @ G + body.inertia / length**2 * turn.T @ turn)
            extras.append(body.extra / length**2 * turn.T @ turn)
        B = [
            _point_map(np.array(local), point, bodies[b]) if b >= 0 else np.zeros((2, 4)) for b, local, point in vectors
        ]
        L = np.array(lengths)[:, None]
        # d.d = sum over the two components of (P_2 - P_1)^2
        forms = [(0, 2, 2), (0, 0, 0), (0, 0, 2), (0, 3, 3), (0, 1, 1), (0, 1, 3)]
        # omega = (d x d') / L^2
        spins = [(0, 2, 3), (0, 0, 1), (0, 2, 1), (0, 0, 3), (0, 3, 2), (0, 1, 0), (0, 3, 0), (0, 1, 2)]
        return {
            **mass_fields(blocks, extras),
            "VECTOR_JACOBIAN": np.array(B).reshape(len(vectors), -1),
            "FORMS": forms,
            "FORM": [1.0, 1.0, -2.0, 1.0, 1.0, -2.0],
            "FORM_SCALE": 0.5 / L,
            "FORM_CONSTANT": L**2,
            "SPIN_FORMS": spins,
            "SPIN_FORM": [1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0],
            "SPIN_SCALE": 1.0 / L**2,
        }

    def pose_in(self, position: Array, attitude: Any, frame: Array, body: Any) -> Array:
        return np.concatenate([position + frame @ (p - body.centre) for p in _own_points(body)])

    def twist_in(self, velocity: Array, spin: Any, q: Array, body: Any) -> Array:
        p1, p2 = _own_points(body)
        d = p2 - p1
        world = q[2:] - q[:2]
        frame = np.stack([world, _QUARTER @ world], 1) @ np.linalg.inv(np.stack([d, _QUARTER @ d], 1))
        turn = skew(spin, 2) @ frame
        return np.concatenate([velocity + turn @ (p - body.centre) for p in (p1, p2)])

    def pose_out(self, q: Array, bodies: Sequence[Any]) -> tuple[Array, Array, Array | None]:
        centre = np.stack([q[..., k, :] @ _point_map(b.centre, 1.0, b).T for k, b in enumerate(bodies)], -2)
        axes = [[q[..., k, :] @ _point_map(np.eye(2)[c], 0.0, b).T for c in (0, 1)] for k, b in enumerate(bodies)]
        return centre, np.stack([np.stack(pair, -1) for pair in axes], -3), None

    def twist_out(self, q: Array, v: Array, bodies: Sequence[Any]) -> tuple[Array, Array]:
        centre = np.stack([v[..., k, :] @ _point_map(b.centre, 1.0, b).T for k, b in enumerate(bodies)], -2)
        d, dd = q[..., 2:] - q[..., :2], v[..., 2:] - v[..., :2]
        spin = (d[..., 0] * dd[..., 1] - d[..., 1] * dd[..., 0]) / np.sum(d * d, -1)
        return centre, spin[..., None]


def _own_points(body: Any) -> tuple[Array, Array]:
    """The two points farthest apart among those of the body; without two, the mass centre and one beside it."""
    places = body.points
    if len(places) >= 2:
        gaps = np.linalg.norm(places[:, None] - places[None], axis=-1)
        i, j = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
        if gaps[i, j] > 1e-9 * body.arm:
            return places[min(i, j)], places[max(i, j)]
    return body.centre, body.centre + np.array([body.arm, 0.0])


def _point_map(local: Array, point: float, body: Any) -> Array:
    """B (2 x 4) of a body vector: X = (point - a) P_1 + a P_2 + b quarter (P_2 - P_1)."""
    p1, p2 = _own_points(body)
    d = p2 - p1
    rel = local - point * p1
    a, b = rel @ d / (d @ d), rel @ (_QUARTER @ d) / (d @ d)
    return np.hstack([(point - a) * np.eye(2) - b * _QUARTER, a * np.eye(2) + b * _QUARTER])
