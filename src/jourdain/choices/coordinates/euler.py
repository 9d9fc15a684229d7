"""Spatial coordinates by Euler and Tait-Bryan angles: `bryan` and the other sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...mechanism.parts import SPATIAL
from ..contract import Entry
from .rate_set import RateSet

Array = npt.NDArray[np.float64]

KERNEL = "jourdain.kernels.coordinates.euler"
SEQUENCES = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz")
AXES = np.array([["xyz".index(c) for c in s] for s in SEQUENCES])
SWITCH = 0.25  # measure of singularity below which the sequence is changed


@dataclass(frozen=True, kw_only=True)
class Euler(RateSet):
    """Origin and three angles of each body, R = R_i(a) R_j(b) R_k(c) for the sequence ijk, intrinsic; xyz is `bryan`.

    The last coordinate of a body is the number of its sequence: near its singularity it changes to the one that is
    farthest from its own, or stops if it is `fixed` (Stanescu).
    """

    says: ClassVar[str] = "origin and three angles of each body; near a singularity it changes the sequence"
    source: ClassVar[str] = "Stanescu"
    per_body: ClassVar[Mapping[str, tuple[int, int]]] = {SPATIAL: (7, 6)}
    from_origin: ClassVar[bool] = True
    charts: ClassVar[bool] = True

    sequence: str = "xyz"
    fixed: bool = False

    @property
    def name(self) -> str:  # type: ignore[override]
        return ("bryan" if self.sequence == "xyz" else f"euler-{self.sequence}") + ("-fixed" if self.fixed else "")

    @property
    def lengths(self) -> tuple[bool, ...]:
        return (True, True, True, False, False, False)

    @property
    def shown(self) -> bool:
        return self.sequence == "xyz"

    @property
    def called(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Of angles by their place in the sequence."""
        names = ("x", "y", "z", "angle_1", "angle_2", "angle_3")
        return (*names, "sequence"), names

    def wrong(self) -> str | None:
        if self.sequence in SEQUENCES:
            return None
        return f"sequence is {self.sequence!r}; expected one of {', '.join(SEQUENCES)}"

    def valid(self, q: Array) -> str | None:
        charts = q.reshape(-1, self.nq)[:, -1]
        known = np.isin(charts, np.arange(len(SEQUENCES)))
        if np.all(known):
            return None
        return f"the sequence of a body is number {charts[~known][0]:g}; there are {len(SEQUENCES)}, counted from 0"

    def bodies_entry(self) -> Entry:
        return Entry("BODIES", f"{KERNEL}:bodies")

    def chart_entry(self) -> Entry:
        return Entry("CHART", f"{KERNEL}:chart")

    def constants(self, bodies: Sequence[Any], vectors: Sequence[Any]) -> Mapping[str, Any]:
        """BODY: mass, centre, I about the mass centre, what is added to it, whether the sequence may change."""
        may = 0.0 if self.fixed else 1.0
        rows = [[b.mass, *b.centre, *b.inertia.ravel(), *b.extra.ravel(), may] for b in bodies]
        return {"BODY": np.array(rows), "singular": any(np.any(b.extra) for b in bodies)}

    def pose_in(self, position: Array, attitude: Any, frame: Array, body: Any) -> Array:
        chosen = SEQUENCES.index(self.sequence)
        if not self.fixed and _measure(frame, chosen) < SWITCH:
            chosen = max(range(len(SEQUENCES)), key=lambda n: _measure(frame, n))
        return np.concatenate([position - frame @ body.centre, _angles(frame, chosen), [chosen]])

    def twist_in(self, velocity: Array, spin: Any, q: Array, body: Any) -> Array:
        R, Q = _frames(q[None])
        rates = np.linalg.lstsq(Q[0], np.asarray(spin), rcond=None)[0]
        return np.concatenate([velocity - np.cross(spin, R[0] @ body.centre), rates])

    def pose_out(self, q: Array, bodies: Sequence[Any]) -> tuple[Array, Array, Array | None]:
        R, _ = _frames(q)
        return q[..., :3] + np.einsum("...bij,bj->...bi", R, _centres(bodies)), R, None

    def twist_out(self, q: Array, v: Array, bodies: Sequence[Any]) -> tuple[Array, Array]:
        R, Q = _frames(q)
        w = np.einsum("...ij,...j->...i", Q, v[..., 3:])
        arm = np.einsum("...bij,bj->...bi", R, _centres(bodies))
        return v[..., :3] + np.cross(w, arm), w

    def acceleration_out(self, q: Array, v: Array, a: Array, bodies: Sequence[Any]) -> tuple[Array, Array]:
        R, Q = _frames(q)
        rates = v[..., 3:]
        w = Q[..., 0] * rates[..., :1]
        w0 = np.cross(w, Q[..., 1]) * rates[..., 1:2]
        w = w + Q[..., 1] * rates[..., 1:2]
        w0 = w0 + np.cross(w, Q[..., 2]) * rates[..., 2:3]
        w = w + Q[..., 2] * rates[..., 2:3]
        dw = np.einsum("...ij,...j->...i", Q, a[..., 3:]) + w0
        arm = np.einsum("...bij,bj->...bi", R, _centres(bodies))
        return a[..., :3] + np.cross(dw, arm) + np.cross(w, np.cross(w, arm)), dw


def euler_sets() -> tuple[Euler, ...]:
    """`bryan` and the other sequences; those ending in `-fixed` stop at a singularity instead of changing."""
    return tuple(Euler(sequence=s, fixed=fixed, space=SPATIAL) for fixed in (False, True) for s in SEQUENCES)


def _measure(frame: Array, chart: int) -> float:
    """|cos b| or |sin b| of the sequence at this attitude: R[i, k] is +-sin b, R[i, i] is cos b."""
    entry = frame[AXES[chart, 0], AXES[chart, 2]]
    return float(np.sqrt(max(0.0, 1.0 - entry * entry)))


def _angles(frame: Array, chart: int) -> Array:
    """The three angles of a rotation in a sequence."""
    i, j, k = AXES[chart]
    sign = 1.0 if (i + 1) % 3 == j else -1.0
    if i != k:  # Tait-Bryan: R[i, k] = sign sin b
        return np.array(
            [
                np.arctan2(-sign * frame[j, k], frame[k, k]),
                np.arctan2(sign * frame[i, k], np.sqrt(frame[i, i] ** 2 + frame[i, j] ** 2)),
                np.arctan2(-sign * frame[i, j], frame[i, i]),
            ]
        )
    m = 3 - i - j  # proper Euler: R[i, i] = cos b; m is the axis not in the sequence
    return np.array(
        [
            np.arctan2(frame[j, i], -sign * frame[m, i]),
            np.arctan2(np.sqrt(frame[i, j] ** 2 + frame[i, m] ** 2), frame[i, i]),
            np.arctan2(frame[i, j], sign * frame[i, m]),
        ]
    )


def _turn(axis: int, angle: Array) -> Array:
    """Rotation matrices (..., 3, 3) about a fixed axis."""
    c, s = np.cos(angle), np.sin(angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R = np.zeros((*np.shape(angle), 3, 3), dtype=c.dtype)
    R[..., axis, axis] = 1.0
    R[..., j, j], R[..., j, k], R[..., k, j], R[..., k, k] = c, -s, s, c
    return R


def _frames(q: Array) -> tuple[Array, Array]:
    """R and the axes Q (columns) for every entry of q, whatever its chart; q may be complex."""
    flat = q.reshape(-1, 7)
    R, Q = np.zeros((len(flat), 3, 3), dtype=q.dtype), np.zeros((len(flat), 3, 3), dtype=q.dtype)
    charts = flat[:, 6].real.astype(int)
    for number in np.unique(charts):
        chosen = charts == number
        frame = np.broadcast_to(np.eye(3), (int(chosen.sum()), 3, 3))
        for n, axis in enumerate(AXES[number]):
            Q[chosen, :, n] = frame[:, :, axis]
            frame = frame @ _turn(axis, flat[chosen, 3 + n])
        R[chosen] = frame
    return R.reshape(*q.shape[:-1], 3, 3), Q.reshape(*q.shape[:-1], 3, 3)


def _centres(bodies: Sequence[Any]) -> Array:
    return np.array([body.centre for body in bodies])
