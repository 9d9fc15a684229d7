"""How an equilibrium moves with a parameter.

At rest the accelerations along all motions that the joints allow vanish: r(x, p) = 0 with x the amounts of these
motions. Then dx/dp = -(dr/dx)^-1 dr/dp, both by complex step through the kernels. `statics` finds where.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import choices as ch
from ...assembly.prepare import Prepared
from ...engine.complex_numbers import imaginary_step
from ...engine.pose import Pose, null_space
from ...mechanism.errors import EquilibriumError, SimulationError
from ...model.states import to_vector
from ...results.resting_pose import NEUTRAL
from ..statics import statics
from .complex_run import Followed, check_status, checked_outputs, complex_pose
from .seeds import Seed

Array = npt.NDArray[Any]

MOST_NEWTON = 8  # the start is right to about 1e-9


class Balance:
    """Accelerations from rest along the motions that the joints allow."""

    def __init__(self, prepared: Prepared, choices: ch.Choices, t: float) -> None:
        self.model, self.t = prepared.model, t
        self.pose = Pose(prepared.model, prepared.workspace)
        self.complex = complex_pose(prepared, choices, None)

    def allowed(self, y: Array) -> tuple[Array, Array]:
        """T with a motion in each column, and the matrix that gives how much of each a velocity has."""
        scales = self.pose.scales()
        free = null_space(self.pose.scaled_jacobian(self.t, y))
        return scales[:, None] * free, free.T / scales

    def moved(self, pose: Pose, y: Array, delta: Array) -> Array:
        """Moved, closed again and at rest, in the numbers of the pose."""
        y = pose.retract(y.astype(pose.number), delta.astype(pose.number))
        check_status(pose.project(self.t, y), pose, self.t, y)
        y[self.model.layout.v] = 0.0
        return y

    def acceleration(self, pose: Pose, y: Array) -> Array:
        status, slope = pose.slope(self.t, y)
        check_status(status, pose, self.t, y)
        return slope[self.model.layout.v]

    def slope(self, y: Array, T: Array, amounts: Array) -> Array:
        """dr/dx: how the accelerations change along the allowed motions."""
        step = imaginary_step(1.0)
        columns = [self.moved(self.complex, y, 1j * step * motion) for motion in T.T]
        found = [amounts @ self.acceleration(self.complex, moved).imag / step for moved in columns]
        return np.array(found).T.reshape(T.shape[1], T.shape[1])

    def shift(self, y: Array, T: Array, amounts: Array, r: Array) -> Array:
        """By how much of each motion the equilibrium lies off if these accelerations are added."""
        try:
            found: Array = -np.linalg.solve(self.slope(y, T, amounts), r)
        except np.linalg.LinAlgError:
            words = "has no derivatives: it rests in a singular position"
            raise EquilibriumError(f"the equilibrium of '{self.model.blueprint.name}' {words}") from None
        return found


def equilibrium(balance: Balance, start: Array, state: Mapping[str, Any] | None) -> Array:
    """Where the mechanism rests, as `statics` finds it, in the coordinates of the model and to the last digit."""
    model = balance.model
    balance.pose.place(balance.t, start)
    moving = np.abs(balance.pose.partial())
    if np.max(moving, initial=0.0) > 0:
        names = sorted({row.joint for row, rate in zip(model.rows, moving, strict=True) if rate > 0})
        raise SimulationError(f"there is no equilibrium while {', '.join(names)} moves; statics needs motions at rest")
    rest = statics(model.blueprint, t=balance.t, state=state)
    if rest.stability == NEUTRAL:
        raise EquilibriumError(
            f"the equilibrium of '{model.blueprint.name}' has no derivatives: nothing resists {rest.direction}, so it "
            "rests anywhere; add a spring or a motion there"
        )
    y = balance.moved(balance.pose, to_vector(model, rest.state()), np.zeros(model.nv))
    last = np.inf
    for _ in range(MOST_NEWTON):
        T, amounts = balance.allowed(y)
        step = balance.shift(y, T, amounts, amounts @ balance.acceleration(balance.pose, y))
        size = float(np.max(np.abs(step), initial=0.0))
        if not size < last:  # rounding is all that is left
            break
        y, last = balance.moved(balance.pose, y, T @ step), size
    return y


def moved_equilibrium(balance: Balance, prepared: Prepared, choices: ch.Choices, seed: Seed, y: Array) -> Followed:
    """The equilibrium y in complex numbers: it moves with the parameter of the seed."""
    pose = complex_pose(prepared, choices, seed)
    T, amounts = balance.allowed(y)
    held = balance.moved(pose, y, np.zeros(balance.model.nv))
    by_parameter = amounts @ balance.acceleration(pose, held).imag / seed.step
    x = balance.shift(y, T, amounts, by_parameter)
    found = balance.moved(pose, y, 1j * seed.step * (T @ x))[None]
    t = np.array([balance.t])
    return Followed(t, found, checked_outputs(pose, t, found))
