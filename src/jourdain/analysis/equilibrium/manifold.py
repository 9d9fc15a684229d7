"""Closed poses around one pose at one time: ways to move along the joints, masses, accelerations, outputs.

For analyses of a single state (statics, linearisation): dense matrices, in the default coordinates, whose velocities
are those of the mass centre and the spin of each body in fixed axes, so that small displacements have the same
components.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...compiled import choices as ch
from ...compiled.callbacks import raise_errors
from ...compiled.choices import DEFAULT_COORDINATES
from ...compiled.flat import FlatModel, Workspace
from ...compiled.kernels import load_kernels
from ...compiled.states import recounted
from ...compiled.stopped import stopped_at
from ...mechanism.errors import JourdainError, MechanismError, SimulationError
from ...mechanism.parts import Blueprint
from ...results.solution import Solution
from ...results.status import Statistics, Status
from ..running.sentences import failure
from ..starting.assemble import close_by_least_squares, set_parameters
from ..starting.linear import Pose, null_space, rank_of
from ..starting.prepare import Prepared, parameters, prepare
from ..starting.redundancy import Redundancy

Array = npt.NDArray[np.float64]

NEARLY = 1e-6  # singular values so small are none: an equilibrium in a singular position is found to 1e-8 or so
OPEN = 1e-10  # of the size: joints that are further apart are not closed


class Manifold:
    """Closed states of a model at time t: closed to the last digit, so that differences of them are smooth."""

    def __init__(self, model: FlatModel, workspace: Workspace, redundancy: Redundancy, t: float) -> None:
        self.model = model
        self.workspace = workspace
        self.redundancy = redundancy
        self.t = t
        self.pose = Pose(model, workspace)
        self._k = load_kernels()
        self._c = self._k.context
        workspace[self._c.SETTINGS][self._c.S_CLOSED, 0] = 0.0  # until rounding stops it
        turns = 1 if model.blueprint.dim == 2 else 3
        shape = (model.bodies, turns, turns)
        self._masses = np.array([data.mass for data in model.body_data])
        self._inertia = np.array([data.inertia for data in model.body_data]).reshape(shape)
        self._extra = np.array([data.extra for data in model.body_data]).reshape(shape)

    # What bodies weigh ---------------------------------------------------------------------------------------------

    def mass(self, y: Array, extra: bool = False) -> Array:
        """The mass matrix; with `extra`, and what makes it regular for bodies without inertia."""
        model = self.model
        nvb, dim = model.nv // model.bodies, model.blueprint.dim
        M = np.zeros((model.nv, model.nv))
        turned = self._turned_inertia(y, self._inertia + self._extra if extra else self._inertia)
        for b in range(model.bodies):
            o = b * nvb
            M[range(o, o + dim), range(o, o + dim)] = self._masses[b]
            M[o + dim : o + nvb, o + dim : o + nvb] = turned[b]
        return M

    def weighed(self, y: Array, x: Array) -> Array:
        """M x, body by body."""
        dim = self.model.blueprint.dim
        parts = x.reshape(self.model.bodies, -1)
        turned = np.einsum("bij,bj->bi", self._turned_inertia(y, self._inertia), parts[:, dim:])
        return np.hstack([self._masses[:, None] * parts[:, :dim], turned]).ravel()

    def _turned_inertia(self, y: Array, inertia: Array) -> Array:
        """Inertias (body, 1 or 3, 1 or 3) in fixed axes."""
        model = self.model
        if model.blueprint.dim == 2:
            return inertia
        _, frames, _ = model.set.pose_out(y[: model.nq].reshape(model.bodies, -1), model.body_data)
        return np.asarray(frames @ inertia @ frames.transpose(0, 2, 1))

    def basis(self, y: Array, positions: bool = False) -> Array:
        """Displacements that the joints allow, (nv, freedoms), orthonormal in the mass metric.

        With `positions` those that keep positions closed, whatever velocity constraints say.
        """
        J = self.pose.position_jacobian(self.t, y) if positions else self.pose.jacobian(self.t, y)
        L = np.linalg.cholesky(self.mass(y, extra=True))
        return np.asarray(np.linalg.solve(L.T, null_space(np.linalg.solve(L, J.T).T)))

    def is_singular(self, y: Array) -> bool:
        """Whether the joints leave more freedom there than elsewhere, as far as can be told."""
        rank = rank_of(self.pose.scaled_jacobian(self.t, y), NEARLY)
        return self.model.nv - rank > self.redundancy.freedoms

    def reach(self, delta: Array) -> float:
        """How far a displacement moves the mechanism: the largest of any body, angles by the mechanism's size."""
        return float(np.max(np.abs(delta) / self.pose.scales(), initial=0.0))

    # Moving --------------------------------------------------------------------------------------------------------

    def moved(self, y: Array, delta: Array, velocity: Array | None = None, states: Array | None = None) -> Array | None:
        """The closed state near y moved by delta, with a velocity (default: at rest); None where there is none."""
        model = self.model
        found = self.pose.retract(y, delta)
        first = model.nq + model.nv
        if states is not None:
            found[first : first + len(model.states)] = states
        found[model.nq : first] = 0.0 if velocity is None else velocity
        status = self._k.system.project(self.workspace.ctx, self.t, found)
        self.workspace.ctx[self._c.H_FRESH] = 0
        if status not in (self._c.OK, self._c.RESTART) or not np.all(np.isfinite(found)):
            return None
        if velocity is None:
            found[model.nq : first] = 0.0
        return found

    def unwound(self, y: Array) -> Array:
        """y with its turns counted again, after a move of less than half a turn."""
        return recounted(self.model, y, y)

    # Answers of the kernels ----------------------------------------------------------------------------------------

    def slope(self, y: Array) -> tuple[Array, Array]:
        """Accelerations, and rates of the states of elements."""
        y = np.ascontiguousarray(y)
        dy = np.zeros_like(y)
        ctx, model = self.workspace.ctx, self.model
        ctx[self._c.H_FRESH] = 0
        self._check(self._k.system.call_entry(ctx, self._c.F_RHS, self.t, y, dy), y)
        first = model.nq + model.nv
        return dy[model.nq : first], dy[first : first + len(model.states)]

    def load(self) -> float:
        """The size of all forces on bodies as of the last `slope`, over the roots of their masses; cancels nothing."""
        c, w, model = self._c, self.workspace, self.model
        forces = np.linalg.norm(w[c.VECTOR_FORCE], axis=1)
        bodies = self._masses * float(np.linalg.norm(model.blueprint.gravity))
        loaded = model.fields[c.LOADED]
        np.add.at(bodies, loaded[loaded[:, 1] >= 0, 1], forces[loaded[loaded[:, 1] >= 0, 0]])
        turning = np.max(self._inertia + self._extra, axis=(1, 2))
        couples = np.linalg.norm(w[c.BODY_TORQUE], axis=1)
        laws = float(np.max(np.abs(w[c.LAW]), initial=0.0))  # springs that pull against each other on one point
        total = np.sum(bodies**2 / self._masses) + np.sum(couples**2 / turning) + laws**2 / np.sum(self._masses)
        return float(np.sqrt(total))

    def outputs(self, samples: Array) -> Array:
        """What the kernels report at some states."""
        w = self.workspace
        out = np.full((len(samples), w.reported), np.nan)
        times = np.full(len(samples), self.t)
        self._check(self._k.system.sample_outputs(w.ctx, times, np.ascontiguousarray(samples), out), samples[0])
        return out

    def reported(self, y: Array) -> Array | None:
        """What the kernels report at one state; None where they cannot."""
        try:
            return np.asarray(self.outputs(y[None])[0])
        except SimulationError:
            raise
        except JourdainError:
            return None

    def solution(self, samples: Array, notes: tuple[str, ...] = (), out: Array | None = None) -> Solution:
        """All channels of some states, as if they were the samples of a run."""
        samples = np.atleast_2d(samples)
        out = self.outputs(samples) if out is None else out
        times = np.full(len(samples), self.t)
        done = Status(True, f"at t = {self.t:g} s", notes)
        choices = ch.resolve(self.model.blueprint.space)
        counts = Statistics(0, 0, len(samples), 0, 0, 0.0)
        return Solution(self.model, choices, times, samples, out, done, counts, self.redundancy)

    def _check(self, status: int, y: Array) -> None:
        raise_errors(self.model.keepalive)
        if status != self._c.OK:
            words = failure(status, self.t, self.model, self.workspace, y).partition(": ")[2]
            raise JourdainError(f"at t = {self.t:g} s {words}")

    def set(self, name: str, value: float) -> None:
        """Give a parameter of formulas a value."""
        set_parameters(self.workspace, {name: value})

    def parameter(self, name: str) -> float:
        return parameters(self.workspace)[name]


def manifold_at(
    blueprint: Blueprint, state: Any = None, t: float = 0.0, *, stopped: bool
) -> tuple[Manifold, Array, Prepared]:
    """The mechanism closed at time t from a state (default: as drawn), with its clock stopped or not."""
    coordinates = DEFAULT_COORDINATES[blueprint.space]
    drawn = state is None and any(motion.values.get("from_drawn") for motion in blueprint.motions)
    prepared = prepare(blueprint, coordinates, state, 0.0 if drawn else t)
    model = stopped_at(prepared.model, t) if stopped else prepared.model
    workspace = Workspace(model)
    set_parameters(workspace, parameters(prepared.workspace))
    manifold = Manifold(model, workspace, prepared.redundancy, t)
    y = prepared.assembly.y
    if drawn and t != 0.0:
        y = close_by_least_squares(manifold.pose, t, y)
        gap = float(np.max(np.abs(manifold.pose.residual(t, y)), initial=0.0))
        if gap > OPEN * model.size:
            words = f"the joints cannot be closed at t = {t:g} s from the drawn pose: {gap:.3g} (m or rad) remain"
            raise MechanismError(blueprint.name, [words])
    return manifold, y, prepared
