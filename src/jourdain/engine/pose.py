"""A model at one state at a time: what kernels find there, by name, as arrays that analyses compute with.

Constraints and their Jacobian as dense matrices, closing, slopes, outputs, energies; for analyses of single poses, not
for stepping. Everything is asked in the workspace given, whose memory it changes: factors, warm starts, counts. The
numbers of a workspace may be complex; then so are states and answers.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels.layout import fields as f
from ..kernels.layout import returned
from ..mechanism.fault import Fault
from ..mechanism.parts import GROUND
from ..mechanism.ties import settled
from ..model.flat import FlatModel
from .body_states import body_motion
from .kernel_cache import load_kernels
from .plan import Plan
from .workspace import Workspace

Array = npt.NDArray[Any]

# Singular values of the scaled Jacobian below this, relative to the largest, count as zero. Redundant rows give
# 1e-15 on a closed mechanism; a pose 1e-2 away from a singular one gives about 1e-2.
RANK_TOLERANCE = 1e-8
ROUNDING = 1e-12
LAST_DIGITS = 2e-15  # of the terms of an equation


def _again(model: FlatModel, plan: Plan, number: type) -> Pose:
    """One that was pickled, with memory of its own."""
    return Pose(model, Workspace(plan, number))


class Pose:
    """Evaluates a model at states y; rows are those of `model.rows` (no padding)."""

    def __init__(self, model: FlatModel, workspace: Workspace | None = None) -> None:
        self.model = model
        self.workspace = workspace or Workspace(Plan.of(model))
        self._system = load_kernels().dynamics
        self._set = model.set
        self._rows = np.array([row.row for row in model.rows], dtype=np.int64)
        floating = {row for row, _ in model.floating}
        self._velocity = np.array([row.velocity for row in model.rows], dtype=bool)
        self._floating = np.array([row.row in floating for row in model.rows], dtype=bool)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.model, self.workspace.plan, self.number.type)

    def _run(self, entry: int, t: float, a: Array, b: Array) -> int:
        return int(self._system.call_entry(self.workspace.ctx, entry, t, a, b))

    @property
    def number(self) -> np.dtype[Any]:
        """The type of its numbers: real, or complex."""
        found: np.dtype[Any] = self.workspace[f.VEC].dtype
        return found

    # Where it is -----------------------------------------------------------------------------------------------------

    def place(self, t: float, y: Array) -> None:
        at = self.model.layout
        self._q = y[at.q].copy()
        self.workspace[f.Z][:, 0] = y[at.z]
        self._run(f.F_PLACE, t, self._q, y[at.v].copy())

    def frames(self) -> dict[str, Array]:
        """R_WB of every body and the ground at the state last placed."""
        y = np.concatenate([self._q, np.zeros(self.model.length - self.model.nq)])
        R = body_motion(self.model, y[None], np.zeros((1, self.model.nv)))[1][0]
        names = [body.name for body in self.model.blueprint.bodies]
        return {**dict(zip(names, R, strict=True)), GROUND: np.eye(self.model.blueprint.dim)}

    def vector(self, index: int) -> Array:
        """World direction or position of a body vector, as last placed."""
        dim = self.model.blueprint.dim
        return np.array(self.workspace[f.VEC][index, :dim])

    def retract(self, y: Array, delta: Array) -> Array:
        """y with its coordinates moved by delta (a vector of velocities times one second)."""
        moved = y.copy()
        self._run(f.F_RETRACT, 0.0, moved[self.model.layout.q], np.ascontiguousarray(delta))
        return moved

    def wind(self, t: float, y: Array) -> None:
        """Turns of y counted on to its coordinates, in place."""
        if len(self.model.fields[f.WINDINGS]):
            self.place(t, y)
            self._run(f.F_WIND, t, y, y)

    # Constraints -----------------------------------------------------------------------------------------------------

    def residual(self, t: float, y: Array) -> Array:
        """C of every equation."""
        self.place(t, y)
        return self.gaps()

    def speeds(self, t: float, y: Array) -> Array:
        """J v + C_t of every equation: what opens it, at the state last placed, which is y's."""
        rows = np.zeros(self.model.padded, dtype=y.dtype)
        self._run(f.F_TIMES, t, y[self.model.layout.v].copy(), rows)
        return np.asarray(rows[self._rows]) + self.partial()

    def gaps(self) -> Array:
        """C of every equation as kernels left it."""
        return np.array(self.workspace[f.RESIDUAL][self._rows, 0])

    def partial(self) -> Array:
        """C_t of every equation as last placed."""
        return np.array(self.workspace[f.PARTIAL][self._rows, 0])

    def right_sides(self) -> Array:
        """gamma of every equation as last placed: J v' = gamma."""
        return np.array(self.workspace[f.GAMMA][self._rows, 0])

    def exert(self, t: float, y: Array) -> None:
        """Applied forces at the state last placed, which is y's."""
        self._run(f.F_FORCES, t, self._q, y[self.model.layout.v].copy())

    def phases(self, t: float, y: Array) -> dict[str, float]:
        """What floating rows would hold here, by the parameter that says it."""
        self.place(t, y)
        residual = self.workspace[f.RESIDUAL][:, 0]
        return {name: float(residual[row]) for row, name in self.model.floating}

    @property
    def floating(self) -> bool:
        """Whether floating rows hold nothing yet, as in assembly."""
        return bool(self.workspace.ctx[f.H_FLOATING])

    @floating.setter
    def floating(self, yes: bool) -> None:
        self.workspace.ctx[f.H_FLOATING] = int(yes)

    def jacobian(self, t: float, y: Array) -> Array:
        """J with the row of every equation that is not dropped; dropped rows are zero."""
        self.place(t, y)
        J = self.jacobian_here()
        lost = np.flatnonzero(~np.all(np.isfinite(J), axis=1))
        if lost.size:  # LAPACK would search for ever
            raise self.model.blueprint.refused([self.not_finite(lost)])
        return J

    def not_finite(self, lost: npt.NDArray[np.intp]) -> Fault:
        """What is said of equations that have no value or no derivative here."""
        rows = [self.model.rows[k] for k in lost]
        names = ", ".join(dict.fromkeys(f"'{row.joint}' ({row.meaning})" for row in rows))
        words = "cannot be evaluated at these places and velocities: a formula or its derivative is not finite there"
        return Fault(rows[0].joint, "", f"{names} {words}; a rolling disc must not lie flat")

    def jacobian_here(self) -> Array:
        """J as kernels left it."""
        return self._set.jacobian(self)

    @property
    def slots(self) -> Array:
        """J by blocks of rows and bodies, as kernels left it."""
        return np.asarray(self.workspace[f.JACOBIAN])

    def position_jacobian(self, t: float, y: Array) -> Array:
        """J with zero rows where no position is held: of velocity constraints, and of phases not yet decided."""
        free = self._velocity | (self._floating & self.floating)
        return np.where(free[:, None], 0.0, self.jacobian(t, y))

    def rate(self, t: float, y: Array) -> Array:
        """J v + C_t of every equation."""
        return self.jacobian(t, y) @ y[self.model.layout.v] + self.partial()

    @cached_property
    def _slot_places(self) -> npt.NDArray[np.int64]:
        """Where each number of the kernel's slots stands in the padded J, laid out in one row."""
        block, nv, moves = self._set.block, self.model.nv, self.model.layout.moves_of
        found = [np.zeros(0, dtype=np.int64)]
        for b, body in self.model.fields[f.SLOTS]:
            rows, columns = np.arange(b * block, (b + 1) * block), np.arange(moves[body].start, moves[body].stop)
            found.append((rows[:, None] * nv + columns).ravel())
        return np.concatenate(found)

    def dense(self, slots: Array) -> Array:
        """An array of slots as a matrix."""
        shape, numbers = (self.model.padded, self.model.nv), slots.ravel()
        parts = [numbers.real, numbers.imag] if np.iscomplexobj(slots) else [numbers]
        flat = [np.bincount(self._slot_places, part, shape[0] * shape[1]) for part in parts]
        J = flat[0] if len(flat) == 1 else flat[0] + 1j * flat[1]
        return np.asarray(J.reshape(shape)[self._rows])

    def by_columns(self) -> Array:
        """J in joint velocities, one at a time."""
        J = np.zeros((self.model.padded, self.model.nv))
        unit, rows = np.zeros(self.model.nv), np.zeros(self.model.padded)
        for l in range(self.model.nv):
            unit[l] = 1.0
            self._run(f.F_TIMES, 0.0, unit, rows)
            J[:, l] = rows
            unit[l] = 0.0
        return J[self._rows]

    def scales(self) -> Array:
        """Column scales that make lengths and rotations comparable: rotations count with the mechanism's size."""
        return np.where(self._set.lengths_of(self.model), 1.0, 1.0 / self._sizes)

    @cached_property
    def _sizes(self) -> Array:
        """Of the part of the mechanism that each velocity is of."""
        at, bodies = self.model.layout, self.model.blueprint.bodies
        own = {body.name: size for body, size in zip(bodies, self.model.body_sizes, strict=True)}
        lengths = (np.full(part.stop - part.start, own[name]) for name, part in zip(at.owners, at.v_of, strict=True))
        return np.concatenate([np.zeros(0), *lengths])

    @cached_property
    def row_sizes(self) -> Array:
        """Of the part of the mechanism that each equation is of: what its gap is measured by."""
        model, block = self.model, self._set.block
        if self._set.joined:  # slots are of links there; all is assembled in coordinates of bodies before
            return np.full(len(self._rows), max(model.body_sizes, default=model.size))
        sizes = np.zeros(model.padded)
        for b, body in model.fields[f.SLOTS]:
            rows = slice(b * block, (b + 1) * block)
            sizes[rows] = np.maximum(sizes[rows], model.body_sizes[body])
        return np.where(sizes > 0, sizes, model.size)[self._rows]

    def rounding(self) -> Array:
        """Of the gap of each equation at the state last placed: what the last digits of its vectors make of it."""
        w, entries, dim = self.workspace, self.model.fields[f.ENTRIES], self.model.blueprint.dim
        total = np.zeros(self.model.padded)
        with np.errstate(invalid="ignore"):  # of an equation without a derivative here
            terms = np.abs(w[f.GRADIENT].reshape(-1, dim) * w[f.VEC][entries[:, 2], :dim])
        np.add.at(total, entries[:, 3], np.sum(terms, axis=1))
        return LAST_DIGITS * total[self._rows]

    def scaled_jacobian(self, t: float, y: Array) -> Array:
        """J with columns scaled and rows of length one (zero rows stay zero)."""
        J = self.jacobian(t, y) * self.scales()
        norms = np.linalg.norm(J, axis=1, keepdims=True)
        nothing = ROUNDING * self._set.row_sizes(self)[:, None]
        return np.where(norms > nothing, J / np.where(norms > 0, norms, 1.0), 0.0)

    def largest_in_rows(self, scales: Array) -> Array:
        """The largest entry of every row in velocities of bodies, times the scales of these."""
        sizes, block = np.zeros(self.model.padded), self._set.block
        slots = np.abs(self.slots.reshape(-1, block, self._set.nv) * scales).max(axis=2)
        for (b, _), values in zip(self.model.fields[f.SLOTS], slots, strict=True):
            rows = slice(b * block, (b + 1) * block)
            sizes[rows] = np.maximum(sizes[rows], values)
        return sizes[self._rows]

    def reactions(self, lam: Array) -> Array:
        """Wrenches (joint, side, component) that multipliers `lam` (by row of the model) exert at this pose."""
        places = self.model.outputs
        padded = np.zeros(self.model.padded)
        padded[self._rows] = lam
        out = np.zeros(places.wrenches.stop - places.wrenches.start)
        self._system.joint_wrenches(self.workspace.ctx, padded, out, self.model.blueprint.dim)
        return out.reshape(-1, 2, places.wrench_length)

    @property
    def values(self) -> Array:
        """Parameters and phases, in the order of the model."""
        return np.asarray(self.workspace[f.PARAMETERS])

    def set_numbers(self, values: Array) -> None:
        """Parameters and phases, in the order of the model."""
        self.workspace[f.PARAMETERS][...] = values

    # Closing ---------------------------------------------------------------------------------------------------------

    def project(self, t: float, y: Array) -> int:
        """Close positions and velocities of y in place, as after a step. OK, or why not."""
        found = int(self._system.project(self.workspace.ctx, t, y))
        return int(returned.OK) if found == returned.RESTART else found

    def impulse(self, t: float, y: Array) -> tuple[Array, Array, Array]:
        """s = J v + C_t, C_t, and L with K L = s, row by row: v - M^-1 J^T L is what the rows allow."""
        self.place(t, y)
        rows = np.zeros(self.model.padded)
        self._run(f.F_TIMES, t, y[self.model.layout.v].copy(), rows)
        partial = self.workspace[f.PARTIAL][:, 0].copy()
        rows += partial
        rows[self.model.fields[f.UNIT_ROWS][:, 0]] = 0.0
        s = rows.copy()
        self._run(f.F_WEIGH, t, self._q, self._q)
        if self._run(f.F_FACTOR, t, self._q, self._q) != returned.OK:
            rows[:] = 0.0
        else:
            self._run(f.F_SOLVE, t, rows, rows)
        self.forget(whole=True)
        return s[self._rows], partial[self._rows], rows[self._rows]

    def forget(self, whole: bool = False) -> None:
        """What was factored belongs to another state; `whole`: nor was anything ever factored."""
        self.workspace.ctx[f.H_FRESH] = 0
        if whole:
            self.workspace.ctx[f.H_FACTORED] = 0

    def close_to_rounding(self) -> None:
        """From now on projection is content only where rounding stops it."""
        self.workspace[f.SETTINGS][f.S_CLOSED, 0] = 0.0

    def badly_closed(self, t: float, y: Array, smallest: float) -> int | None:
        """Of joint coordinates: a link whose loops hold it too, so that rows cannot all be solved there; None: none."""
        settings, ctx = self.workspace[f.SETTINGS], self.workspace.ctx
        usual = settings[f.S_PIVOT, 0]
        settings[f.S_PIVOT, 0] = smallest
        self.place(t, y)
        q = y[self.model.layout.q].copy()
        ctx[f.H_PROBING] = 1
        found = self._run(f.F_FACTOR, t, q, q)
        ctx[f.H_PROBING] = 0
        ctx[f.H_FACTORED] = 0
        settings[f.S_PIVOT, 0] = usual
        return int(ctx[f.H_RANK]) if found == returned.RANK_LOST else None

    # Moving ----------------------------------------------------------------------------------------------------------

    def slope(self, t: float, y: Array, reuse: bool = False) -> tuple[int, Array]:
        """A status, and y'. `reuse` the factors of a projection that ended at this very y."""
        if not reuse:
            self.forget()
        y = np.ascontiguousarray(y)
        dy = np.zeros_like(y)
        return self._run(f.F_RHS, t, y, dy), dy

    def rates(self, t: float, y: Array) -> Array:
        """q' of y, which is kinematics alone."""
        dy = np.zeros_like(y)
        self._run(f.F_RATES, t, np.ascontiguousarray(y), dy)
        return np.asarray(dy[self.model.layout.q])

    def event_values(self, t: float, y: Array) -> Array | None:
        """Of all event functions; None if some depend on reactions or accelerations, which are not sharp everywhere."""
        if self.workspace.ctx[f.H_EVENT_LEVEL] > 0:
            return None
        found = np.zeros(len(self.model.fields[f.EVENTS]))
        return found if self.events(t, y, found) == returned.OK else None

    def events(self, t: float, y: Array, found: Array) -> int:
        """A status, and all event functions in place."""
        return self._run(f.F_EVENTS, t, np.ascontiguousarray(y), found)

    def refine(self, t: float, a: Array) -> None:
        """Accelerations in place once more by the constraints alone, with the factors at hand."""
        rows = np.empty(self.model.padded)
        if rows.size == 0:
            return
        self._run(f.F_TIMES, t, a, rows)
        rows -= self.workspace[f.GAMMA][:, 0]
        rows[self.model.fields[f.UNIT_ROWS][:, 0]] = 0.0
        self._run(f.F_SOLVE, t, rows, rows)
        self._run(f.F_CORRECT, t, a, rows)

    def outputs(self, t: Array, samples: Array, out: Array | None = None) -> tuple[int, Array]:
        """A status, and what is reported at samples, as `model.outputs` lays it out; nan from where one failed on."""
        if out is None:
            out = np.full((len(samples), self.model.outputs.length), np.nan, dtype=samples.dtype)
        found = self._system.sample_outputs(self.workspace.ctx, t, np.ascontiguousarray(samples), out)
        return int(found), out

    def kinetic(self, t: float, y: Array) -> float:
        """J."""
        self.place(t, y)
        self._run(f.F_ENERGY, t, self._q, y[self.model.layout.v].copy())
        return float(self.workspace[f.ENERGY][0, 0])

    def forces(self) -> tuple[Array, Array, float]:
        """As of the last slope, without signs: on each body (N), couples on each (N m), the largest of any law.

        Forces at the points of a body are added without regard to their directions.
        """
        model, w = self.model, self.workspace
        at_points = np.linalg.norm(w[f.VECTOR_FORCE], axis=1)
        loaded = model.fields[f.LOADED]
        loaded = loaded[loaded[:, 1] >= 0]
        weight = float(np.linalg.norm(model.blueprint.gravity))
        on_bodies = np.array([data.mass for data in model.body_data]) * weight
        np.add.at(on_bodies, loaded[:, 1], at_points[loaded[:, 0]])
        couples = np.linalg.norm(w[f.BODY_TORQUE], axis=1)
        return on_bodies, couples, float(np.max(np.abs(w[f.LAW]), initial=0.0))


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
    _, s, Vt = np.linalg.svd(_with_unit_rows(A), full_matrices=True)
    return settled(Vt[_rank(s) :].T)


def nullity_of(A: Array) -> int:
    """How many columns `null_space` has."""
    if A.shape[0] == 0:
        return int(A.shape[1])
    return int(A.shape[1]) - _rank(np.linalg.svd(_with_unit_rows(A), compute_uv=False))


def _with_unit_rows(A: Array) -> Array:
    norms = np.linalg.norm(A, axis=1, keepdims=True)
    return np.asarray(A / np.where(norms > 0, norms, 1.0))


def _rank(s: Array) -> int:
    return int(np.sum(s > RANK_TOLERANCE * s[0])) if s.size and s[0] > 0 else 0
