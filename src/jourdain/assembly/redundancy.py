"""Rank, redundant equations, self-stress and which reactions are unique: one analysis that serves everywhere.

The self-stress space is the null space of J^T: multipliers that load the joints and move nothing. A reaction is
unique if and only if it has no part in that space (Wojtyra 2005). The rank is taken at the closed pose and at poses
nearby on the constraint manifold: rows that depend on each other only at the start mark a singular position, and
dropping one of them would lose a constraint.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..engine.pose import Pose, null_space, rank_of
from ..engine.row_independence import told_apart
from ..library.channels.joint import WRENCH
from ..mechanism.names import counted
from ..mechanism.port_axes import joint_axes
from ..mechanism.ties import independent, settled
from ..model.compile import MAX_DENSE_ROWS
from ..model.flat import FlatModel, Row
from .close_joints import ahead, close_by_least_squares

Array = npt.NDArray[np.float64]

PROBE_DISTANCE = 1e-2  # of the mechanism's size
PROBES = 6  # directions tried for two closed poses nearby
PROBE_CLOSED = 1e-12  # of the size: off the manifold by more, redundant rows seem independent
# A wrench component below this part of the largest in the same self-stress counts as zero.
UNIQUE_TOLERANCE = 1e-7


@dataclass(frozen=True)
class Redundancy:
    """Equations against rank, by joint. Wrenches are on the second body, at its port, in axes of the first port."""

    equations: int
    rank: int  # on the constraint manifold around the pose
    rank_here: int  # at the pose itself; smaller at a singular position
    freedoms: int
    dropped: tuple[Row, ...]  # one choice of equations that could be left out
    self_stress: tuple[dict[str, Array], ...]  # basis: wrench by joint
    unique: dict[str, dict[str, bool]]  # by joint and component

    @property
    def singular(self) -> bool:
        return self.rank_here < self.rank

    def __str__(self) -> str:
        lines = [f"{self.equations} equations of rank {self.rank}, {counted(self.freedoms, 'degree')} of freedom"]
        if self.singular:
            lines.append(f"singular position: the rank is {self.rank_here} just here")
        if self.dropped:
            words = ", ".join(f"{row.joint} ({row.meaning})" for row in self.dropped)
            lines.append(f"{len(self.dropped)} redundant equations, for example: {words}")
        for k, stress in enumerate(self.self_stress):
            lines.append(f"self-stress {k + 1} (force and moment on the second body, axes of the first port):")
            lines += [f"  {joint}: {_wrench(wrench)}" for joint, wrench in stress.items()]
        if self.self_stress:
            for joint, components in self.unique.items():
                yes = [name for name, unique in components.items() if unique]
                no = [name for name, unique in components.items() if not unique]
                words = f"unique {', '.join(yes) or 'none'}; not unique {', '.join(no) or 'none'}"
                lines.append(f"reaction of {joint}: {words}")
        return "\n".join(lines)


def _wrench(wrench: Array) -> str:
    names = WRENCH[2 if wrench.size == 3 else 3]
    return ", ".join(f"{n} {w:+.3g}" for n, w in zip(names, wrench, strict=True) if abs(w) > 1e-12) or "none"


def analyse(model: FlatModel, pose: Pose, y: Array, t: float = 0.0) -> Redundancy:
    """Rank and self-stress of a model without dropped rows, at the closed state y."""
    n = len(model.rows)
    if n == 0 or n > MAX_DENSE_ROWS:
        return _assumed_full(model)
    J = pose.scaled_jacobian(t, y)
    here = rank_of(J)
    if here == n:
        return _assumed_full(model)
    rank, best = here, y
    for probe in _nearby(pose, y, J, t):
        J_probe = pose.scaled_jacobian(t, probe)
        if rank_of(J_probe) > rank:
            rank, best = rank_of(J_probe), probe
    dropped = tuple(model.rows[k] for k in redundant_rows(model, told_apart(pose, t, best), rank))
    pose.place(t, y)
    basis = _self_stress(pose, pose.jacobian(t, y) * pose.scales(), n - here)
    frames = _port_frames(model, pose) if basis else []
    wrenches = [_in_port_axes(model, frames, pose.reactions(lam)) for lam in basis]
    return Redundancy(n, rank, here, model.nv - rank, dropped, tuple(wrenches), _unique(model, wrenches))


def redundant_rows(model: FlatModel, J: Array, rank: int) -> list[int]:
    """Rows that depend on the others, by rows that tell them apart; intrinsic rows of the coordinates are always kept.

    Velocity constraints go before positions: a position that only its velocity holds would drift. Of rows that could
    be left out equally well the last declared is.
    """
    kept = [k for k, row in enumerate(model.rows) if row.intrinsic]
    dropped: list[int] = []
    moving = any(row.velocity for row in model.rows)
    for velocity in (False, True) if moving else (False,):
        rest = [k for k, row in enumerate(model.rows) if not row.intrinsic and row.velocity == velocity]
        basis, _ = np.linalg.qr(J[kept].T)
        free = J[rest] - J[rest] @ basis @ basis.T
        count = (rank if velocity or not moving else rank_of(J[kept + rest])) - len(kept)
        chosen = independent(free, count)
        kept += [rest[k] for k in chosen]
        dropped += [k for j, k in enumerate(rest) if j not in chosen]
    return sorted(dropped)


def _assumed_full(model: FlatModel) -> Redundancy:
    n = len(model.rows)
    return Redundancy(n, n, n, model.nv - n, (), (), _unique(model, []))


def _nearby(pose: Pose, y: Array, J: Array, t: float) -> list[Array]:
    """Two closed poses a little away, along directions that the constraints allow."""
    free = null_space(J).T
    if not len(free):
        return []
    rng = np.random.default_rng(0)
    step = PROBE_DISTANCE * pose.model.size
    found: list[Array] = []
    directions = [rng.normal(size=len(free)) @ free for _ in range(PROBES)]
    directions = [direction / np.linalg.norm(direction) for direction in directions]
    for direction in directions:
        probe = ahead(pose, y, t, direction, step)
        if np.all(np.abs(pose.residual(t, probe)) <= PROBE_CLOSED * pose.row_sizes + pose.rounding()):
            found.append(probe)
        if len(found) == 2:
            break
    # Where no motion leads anywhere, a row less would be one: the rank beside the pose then counts.
    return found or [close_by_least_squares(pose, t, pose.retract(y, pose.scales() * d * step)) for d in directions[:2]]


def _self_stress(pose: Pose, J: Array, count: int) -> list[Array]:
    """Basis of null(J^T), `count` vectors over the rows."""
    U, _, _ = np.linalg.svd(J, full_matrices=True)
    basis = settled(U[:, len(U) - count :])
    return [np.where(np.abs(u) > 1e-12, u, 0.0) for u in basis.T] if count else []


def _port_frames(model: FlatModel, pose: Pose) -> list[Array]:
    """Attitude of the first port of each joint."""
    blueprint, frames = model.blueprint, pose.frames()
    found = []
    for joint in blueprint.joints:
        axes = joint_axes(blueprint, joint)
        found.append(frames[joint.first.body] @ np.stack([axes[f"{a}_i"] for a in "xyz"[: blueprint.dim]], axis=1))
    return found


def _in_port_axes(model: FlatModel, frames: list[Array], wrenches: Array) -> dict[str, Array]:
    """Wrench on each joint's second body, turned from fixed axes into those of the first port."""
    found = {}
    dim = model.blueprint.dim
    for joint, R, sides in zip(model.blueprint.joints, frames, wrenches, strict=True):
        w = sides[1]
        turned = [R.T @ w[:dim], w[dim:] if dim == 2 else R.T @ w[dim:]]
        found[joint.name] = np.concatenate(turned)
    return found


def _unique(model: FlatModel, wrenches: list[dict[str, Array]]) -> dict[str, dict[str, bool]]:
    names = WRENCH[model.blueprint.dim]
    unique = {}
    sizes = [max((np.max(np.abs(x)) for x in w.values()), default=0.0) or 1.0 for w in wrenches]
    for joint in model.blueprint.joints:
        parts = [np.abs(w[joint.name]) / size for w, size in zip(wrenches, sizes, strict=True)]
        most = np.max(parts, axis=0) if parts else np.zeros(len(names))
        unique[joint.name] = {n: bool(m <= UNIQUE_TOLERANCE) for n, m in zip(names, most, strict=True)}
    return unique
