"""Equilibria and how they move with a parameter.

At rest the accelerations along all motions that the joints allow vanish: r(x, p) = 0 with x the amounts of these
motions. Then dx/dp = -(dr/dx)^-1 dr/dp, both by complex step through the kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled import choices as ch
from ..compiled.flat import Workspace
from ..compiled.kernels import load_kernels
from ..mechanism.errors import JourdainError, SimulationError
from .frozen import Outcome, check_status, complex_workspace, outputs
from .linear import Pose, rank_of
from .prepare import Prepared
from .seeds import Seed, imaginary_step

Array = npt.NDArray[Any]

FIRST, LONGEST = 0.02, 0.2  # of the size (or rad): steps downhill
NEAR = 1e-3  # steps downhill below this leave the rest to Newton's method
MOST_DOWNHILL, MOST_NEWTON = 2000, 50
DONE = 1e-13  # of the size: the last step of Newton's method
LEFT = 1e-8  # above this Newton's method has not found it


class Balance:
    """Accelerations from rest along the motions that the joints allow."""

    def __init__(self, prepared: Prepared, choices: ch.Choices, t: float) -> None:
        self.model, self.t = prepared.model, t
        self.real = prepared.workspace
        self.complex = complex_workspace(prepared, choices, None)
        self.pose = Pose(prepared.model, prepared.workspace)
        self.k = load_kernels()

    def allowed(self, y: Array) -> tuple[Array, Array]:
        """T with a motion in each column, and the matrix that gives how much of each a velocity has."""
        scales = self.pose.scales()
        J = self.pose.scaled_jacobian(self.t, y)
        free = np.linalg.svd(J)[2][rank_of(J) :].T if J.size else np.eye(scales.size)
        return scales[:, None] * free, free.T / scales

    def moved(self, workspace: Workspace, y: Array, delta: Array) -> Array:
        """Moved, closed again and at rest, in the numbers of the workspace."""
        c, nq, nv = self.k.context, self.model.nq, self.model.nv
        number = workspace[c.VEC].dtype
        y = y.astype(number)
        self.k.system.call_entry(workspace.ctx, c.F_RETRACT, self.t, y[:nq], delta.astype(number))
        check_status(self.k.system.project(workspace.ctx, self.t, y), workspace, self.t, y)
        y[nq : nq + nv] = 0.0
        return y

    def acceleration(self, workspace: Workspace, y: Array) -> Array:
        c, nq, nv = self.k.context, self.model.nq, self.model.nv
        slope = np.zeros_like(y)
        workspace.ctx[c.H_FRESH] = 0
        status = self.k.system.call_entry(workspace.ctx, c.F_RHS, self.t, y, slope)
        check_status(status, workspace, self.t, y)
        return slope[nq : nq + nv]

    def slope(self, y: Array, T: Array, amounts: Array) -> Array:
        """dr/dx: how the accelerations change along the allowed motions."""
        step = imaginary_step(1.0)
        columns = [self.moved(self.complex, y, 1j * step * motion) for motion in T.T]
        found = [amounts @ self.acceleration(self.complex, moved).imag / step for moved in columns]
        return np.array(found).T.reshape(T.shape[1], T.shape[1])


def equilibrium(balance: Balance, start: Array) -> Array:
    """A state at rest in which all forces balance, downhill from `start`, then by Newton's method."""
    y = balance.moved(balance.real, start, np.zeros(balance.model.nv))
    moving = np.abs(balance.pose.workspace[balance.k.context.PARTIAL])
    if np.max(moving, initial=0.0) > 0:
        names = sorted({row.joint for row in balance.model.rows if moving[row.row, 0] > 0})
        raise SimulationError(f"there is no equilibrium while {', '.join(names)} moves; statics needs motions at rest")
    y = _downhill(balance, y)
    size = np.inf
    for _ in range(MOST_NEWTON):
        T, amounts = balance.allowed(y)
        if T.shape[1] == 0:
            return y
        r = amounts @ balance.acceleration(balance.real, y)
        try:
            step = -np.linalg.solve(balance.slope(y, T, amounts), r)
        except np.linalg.LinAlgError:
            break
        size = float(np.max(np.abs(step))) / balance.model.size
        if not np.isfinite(size):
            break
        y = balance.moved(balance.real, y, T @ step * min(1.0, LONGEST / max(size, 1e-300)))
        if size <= DONE:
            return y
    if np.isfinite(size) and size <= LEFT:
        return y
    raise SimulationError(
        "no equilibrium was found from the start: springs and gravity hold it nowhere near, or a freedom has neither; "
        "draw the mechanism nearer to its equilibrium"
    )


def _downhill(balance: Balance, y: Array) -> Array:
    """Along the accelerations from rest, as long as they keep their direction: to the neighbourhood of a stable one."""
    T, amounts = balance.allowed(y)
    r = amounts @ balance.acceleration(balance.real, y)
    reach = FIRST * balance.model.size
    for _ in range(MOST_DOWNHILL):
        size = float(np.max(np.abs(r), initial=0.0))
        if reach < NEAR * balance.model.size or size == 0.0:
            break
        try:
            trial = balance.moved(balance.real, y, T @ r * (reach / size))
            next_T, next_amounts = balance.allowed(trial)
            a = balance.acceleration(balance.real, trial)
        except JourdainError:
            reach *= 0.5
            continue
        if (amounts @ a) @ r > 0:
            y, T, amounts, r = trial, next_T, next_amounts, next_amounts @ a
            reach = min(LONGEST * balance.model.size, 1.5 * reach)
        else:
            reach *= 0.5
    return y


def moved_equilibrium(balance: Balance, prepared: Prepared, choices: ch.Choices, seed: Seed, y: Array) -> Outcome:
    """The equilibrium y in complex numbers: it moves with the parameter of the seed."""
    workspace = complex_workspace(prepared, choices, seed)
    T, amounts = balance.allowed(y)
    held = balance.moved(workspace, y, np.zeros(balance.model.nv))
    by_parameter = amounts @ balance.acceleration(workspace, held).imag / seed.step
    x = -np.linalg.solve(balance.slope(y, T, amounts), by_parameter) if T.shape[1] else np.zeros(0)
    found = balance.moved(workspace, y, 1j * seed.step * (T @ x))[None]
    t = np.array([balance.t])
    return Outcome(t, found, outputs(workspace, t, found))
