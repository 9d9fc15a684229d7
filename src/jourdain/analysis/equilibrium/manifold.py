"""Closed poses around one pose at one time: ways to move along the joints, masses, accelerations, outputs.

For analyses of a single state (statics, linearisation): dense matrices, in the default coordinates, whose velocities
are those of the mass centre and the spin of each body in fixed axes, so that small displacements have the same
components.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ... import choices as ch
from ...assembly.close_joints import close_by_least_squares
from ...assembly.prepare import Prepared, prepare
from ...assembly.redundancy import Redundancy
from ...assembly.sentences import failure
from ...engine.body_states import recounted
from ...engine.callbacks import raise_errors
from ...engine.plan import Plan
from ...engine.pose import Pose, null_space, rank_of
from ...engine.workspace import Workspace
from ...kernels.layout.returned import OK
from ...mechanism.errors import JourdainError, SimulationError
from ...mechanism.parts import Blueprint
from ...model.flat import FlatModel
from ...model.states import body_poses
from ...model.stopped_clock import stopped_at
from ...results.solution import Solution
from ...results.status import Statistics, Status

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
        self.pose.close_to_rounding()
        turns = 1 if model.blueprint.dim == 2 else 3
        shape = (model.bodies, turns, turns)
        self._masses = np.array([data.mass for data in model.body_data])
        self._inertia = np.array([data.inertia for data in model.body_data]).reshape(shape)
        self._extra = np.array([data.extra for data in model.body_data]).reshape(shape)

    # What bodies weigh ---------------------------------------------------------------------------------------------

    def mass(self, y: Array, extra: bool = False) -> Array:
        """The mass matrix; with `extra`, and what makes it regular for bodies without inertia."""
        model = self.model
        dim = model.blueprint.dim
        M = np.zeros((model.nv, model.nv))
        turned = self._turned_inertia(y, self._inertia + self._extra if extra else self._inertia)
        for b, part in enumerate(model.layout.moves_of):
            block = M[part, part]
            block[range(dim), range(dim)] = self._masses[b]
            block[dim:, dim:] = turned[b]
        return M

    def weighed(self, y: Array, x: Array) -> Array:
        """M x, body by body."""
        dim = self.model.blueprint.dim
        parts = self.model.layout.moves_by_body(x)
        turned = np.einsum("bij,bj->bi", self._turned_inertia(y, self._inertia), parts[:, dim:])
        return np.hstack([self._masses[:, None] * parts[:, :dim], turned]).ravel()

    def _turned_inertia(self, y: Array, inertia: Array) -> Array:
        """Inertias (body, 1 or 3, 1 or 3) in fixed axes."""
        model = self.model
        if model.blueprint.dim == 2:
            return inertia
        _, frames, _ = body_poses(model, y)
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
        at = self.model.layout
        found = self.pose.retract(y, delta)
        if states is not None:
            found[at.states] = states
        found[at.v] = 0.0 if velocity is None else velocity
        status = self.pose.project(self.t, found)
        self.pose.forget()
        if status != OK or not np.all(np.isfinite(found)):
            return None
        if velocity is None:
            found[at.v] = 0.0
        return found

    def unwound(self, y: Array) -> Array:
        """y with its turns counted again, after a move of less than half a turn."""
        return recounted(self.model, y, y)

    # Answers of the kernels ----------------------------------------------------------------------------------------

    def slope(self, y: Array) -> tuple[Array, Array]:
        """Accelerations, and rates of the states of elements."""
        status, dy = self.pose.slope(self.t, y)
        self._check(status, y)
        return dy[self.model.layout.v], dy[self.model.layout.states]

    def load(self) -> float:
        """The size of all forces on bodies as of the last `slope`, over the roots of their masses; cancels nothing."""
        bodies, couples, laws = self.pose.forces()  # of laws: springs may pull against each other on one point
        turning = np.max(self._inertia + self._extra, axis=(1, 2))
        total = np.sum(bodies**2 / self._masses) + np.sum(couples**2 / turning) + laws**2 / np.sum(self._masses)
        return float(np.sqrt(total))

    def outputs(self, samples: Array) -> Array:
        """What the kernels report at some states."""
        status, out = self.pose.outputs(np.full(len(samples), self.t), samples)
        self._check(status, samples[0])
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
        raise_errors(self.workspace.callbacks)
        if status != OK:
            words = failure(status, self.t, self.model, self.workspace, y).partition(": ")[2]
            raise JourdainError(f"at t = {self.t:g} s {words}")

    def set(self, name: str, value: float) -> None:
        """Give a parameter of formulas a value."""
        self.workspace.set_numbers({name: value})

    def parameter(self, name: str) -> float:
        return self.workspace.numbers[name]


def manifold_at(
    blueprint: Blueprint, state: Any = None, t: float = 0.0, *, stopped: bool
) -> tuple[Manifold, Array, Prepared]:
    """The mechanism closed at time t from a state (default: as drawn), with its clock stopped or not."""
    coordinates = ch.DEFAULT_COORDINATES[blueprint.space]
    drawn = state is None and any(motion.values.get("from_drawn") for motion in blueprint.motions)
    prepared = prepare(blueprint, coordinates, state, 0.0 if drawn else t)
    model = stopped_at(prepared.model, t) if stopped else prepared.model
    workspace = Workspace(Plan.of(model).with_(numbers=prepared.workspace.numbers))
    manifold = Manifold(model, workspace, prepared.redundancy, t)
    y = prepared.assembly.y
    if drawn and t != 0.0:
        y = close_by_least_squares(manifold.pose, t, y)
        gap = float(np.max(np.abs(manifold.pose.residual(t, y)), initial=0.0))
        if gap > OPEN * model.size:
            words = f"the joints cannot be closed at t = {t:g} s from the drawn pose: {gap:.3g} (m or rad) remain"
            raise blueprint.refused([words])
    return manifold, y, prepared
