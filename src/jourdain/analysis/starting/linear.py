"""Constraints of a model at one state as dense matrices: for analyses of a single pose, not for stepping."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...compiled.flat import FlatModel, Workspace
from ...compiled.kernels import load_kernels
from ...compiled.states import body_motion
from ...mechanism.errors import MechanismError
from ...mechanism.parts import GROUND
from ...mechanism.ties import settled

Array = npt.NDArray[np.float64]

# Singular values of the scaled Jacobian below this, relative to the largest, count as zero. Redundant rows give
# 1e-15 on a closed mechanism; a pose 1e-2 away from a singular one gives about 1e-2.
RANK_TOLERANCE = 1e-8
ROUNDING = 1e-12
SHIFTS = ("displacement", "x", "y", "z")  # joint velocities in m/s


class Pose:
    """Evaluates constraints at a state y of a model, row by row as in `model.rows` (no padding)."""

    def __init__(self, model: FlatModel, workspace: Workspace | None = None) -> None:
        self.model = model
        self.workspace = workspace or Workspace(model)
        self._k = load_kernels()
        self._c = self._k.context
        self._set = model.set
        self._rows = np.array([row.row for row in model.rows], dtype=np.int64)
        floating = {row for row, _ in model.floating}
        self._velocity = np.array([row.velocity for row in model.rows], dtype=bool)
        self._floating = np.array([row.row in floating for row in model.rows], dtype=bool)

    def place(self, t: float, y: Array) -> None:
        nq, nv = self.model.nq, self.model.nv
        self._q = y[:nq].copy()
        self.workspace[self._c.Z][:, 0] = y[nq + nv :]
        self._k.system.call_entry(self.workspace.ctx, self._c.F_PLACE, t, self._q, y[nq : nq + nv].copy())

    def residual(self, t: float, y: Array) -> Array:
        self.place(t, y)
        return np.array(self.workspace[self._c.RESIDUAL][self._rows, 0])

    def jacobian(self, t: float, y: Array) -> Array:
        """J with the row of every equation that is not dropped; dropped rows are zero."""
        self.place(t, y)
        J = self.dense(self.workspace[self._c.JACOBIAN])
        lost = np.flatnonzero(~np.all(np.isfinite(J), axis=1))
        if lost.size:  # LAPACK would search for ever
            rows = (self.model.rows[k] for k in lost)
            names = ", ".join(dict.fromkeys(f"'{row.joint}' ({row.meaning})" for row in rows))
            words = (
                "cannot be evaluated in this pose: check the attitudes of its bodies; a rolling disc must not lie flat"
            )
            raise MechanismError(self.model.blueprint.name, [f"{names} {words}"])
        return J

    def position_jacobian(self, t: float, y: Array) -> Array:
        """J with zero rows where no position is held: of velocity constraints, and of phases not yet decided."""
        free = self._velocity | (self._floating & bool(self.workspace.ctx[self._c.H_FLOATING]))
        return np.where(free[:, None], 0.0, self.jacobian(t, y))

    def rate(self, t: float, y: Array) -> Array:
        """J v + C_t of every equation."""
        J = self.jacobian(t, y)
        partial = self.workspace[self._c.PARTIAL][self._rows, 0]
        return J @ y[self.model.nq : self.model.nq + self.model.nv] + partial

    def dense(self, slots: Any) -> Array:
        """A slot array as a matrix; of joint coordinates J as last placed."""
        if self.model.tree is not None:
            return self._by_columns()[self._rows]
        nv = self._set.NV
        block = self._set.BLOCK
        J = np.zeros((self.model.padded, self.model.nv), dtype=slots.dtype)
        table = self.model.fields[self._c.SLOTS]
        for (b, body), values in zip(table, slots.reshape(-1, block, nv), strict=True):
            J[b * block : (b + 1) * block, body * nv : (body + 1) * nv] += values
        return J[self._rows]

    def _by_columns(self) -> Array:
        """J in joint velocities, one at a time."""
        J = np.zeros((self.model.padded, self.model.nv))
        unit, rows = np.zeros(self.model.nv), np.zeros(self.model.padded)
        for l in range(self.model.nv):
            unit[l] = 1.0
            self._k.system.call_entry(self.workspace.ctx, self._c.F_TIMES, 0.0, unit, rows)
            J[:, l] = rows
            unit[l] = 0.0
        return J

    def scales(self) -> Array:
        """Column scales that make lengths and rotations comparable: rotations count with the mechanism's size."""
        if self.model.tree is not None:
            shifts = [name.rpartition(".")[2] in SHIFTS for name in self.model.tree.velocities]
            return np.where(shifts, 1.0, 1.0 / self.model.size)
        one = np.where(self._set.LENGTHS, 1.0, 1.0 / self.model.size)
        return np.tile(one, self.model.bodies)

    def scaled_jacobian(self, t: float, y: Array) -> Array:
        """J with columns scaled and rows of length one (zero rows stay zero)."""
        J = self.jacobian(t, y) * self.scales()
        norms = np.linalg.norm(J, axis=1, keepdims=True)
        nothing = ROUNDING * self._row_sizes()[:, None]  # a row that no joint velocity moves is zero but for rounding
        return np.where(norms > nothing, J / np.where(norms > 0, norms, 1.0), 0.0)

    def _row_sizes(self) -> Array:
        """Of joint coordinates: how large the rows are in velocities of bodies; else zero."""
        sizes = np.zeros(self.model.padded)
        if self.model.tree is not None:
            block, lengths = self._set.BLOCK, np.where(self._set.LENGTHS, 1.0, 1.0 / self.model.size)
            slots = np.abs(self.workspace[self._c.JACOBIAN].reshape(-1, block, self._set.NV) * lengths).max(axis=2)
            for (b, _), values in zip(self.model.fields[self._c.SLOTS], slots, strict=True):
                rows = slice(b * block, (b + 1) * block)
                sizes[rows] = np.maximum(sizes[rows], values)
        return sizes[self._rows]

    def reactions(self, lam: Array) -> Array:
        """Wrenches (joint, side, component) that multipliers `lam` (by row of the model) exert at this pose."""
        dim = self.model.blueprint.dim
        width = 3 if dim == 2 else 6
        padded = np.zeros(self.model.padded)
        padded[self._rows] = lam
        out = np.zeros(2 * len(self.model.blueprint.joints) * width)
        self._k.system.joint_wrenches(self.workspace.ctx, padded, out, dim)
        return out.reshape(-1, 2, width)

    def retract(self, y: Array, delta: Array) -> Array:
        """y with its coordinates moved by delta (a vector of velocities times one second)."""
        q = y[: self.model.nq].copy()
        self._k.system.call_entry(self.workspace.ctx, self._c.F_RETRACT, 0.0, q, np.ascontiguousarray(delta))
        return np.concatenate([q, y[self.model.nq :]])

    def frames(self) -> dict[str, Array]:
        """R_WB of every body and the ground at the state last placed."""
        y = np.concatenate([self._q, np.zeros(self.model.length - self.model.nq)])
        R = body_motion(self.model, y[None], np.zeros((1, self.model.nv)))[1][0]
        names = [body.name for body in self.model.blueprint.bodies]
        return {**dict(zip(names, R, strict=True)), GROUND: np.eye(self.model.blueprint.dim)}

    def vector(self, index: int) -> Array:
        """World direction or position of a body vector, as last placed."""
        dim = self.model.blueprint.dim
        return np.array(self.workspace[self._c.VEC][index, :dim])


def rank_of(J: Array, tolerance: float = RANK_TOLERANCE) -> int:
    """Rank of a scaled Jacobian."""
    if J.size == 0:
        return 0
    singular = np.linalg.svd(J, compute_uv=False)
    return int(np.sum(singular > tolerance * singular[0])) if singular[0] > 0 else 0


def null_space(A: Array) -> Array:
    """Orthonormal columns that A sends to zero, the same ones whatever rounding made of A."""
    if A.shape[0] == 0:
        return np.eye(A.shape[1])
    norms = np.linalg.norm(A, axis=1, keepdims=True)
    _, s, Vt = np.linalg.svd(A / np.where(norms > 0, norms, 1.0), full_matrices=True)
    rank = int(np.sum(s > RANK_TOLERANCE * s[0])) if s.size and s[0] > 0 else 0
    return settled(Vt[rank:].T)
