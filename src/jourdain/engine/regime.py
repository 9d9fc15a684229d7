"""A regime: what a run was computed with over a stretch of it, so that one can look at its samples again.

Events switch rows on and off and change numbers, and so do users of a session. A sample alone does not tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels.layout import fields as f
from ..kernels.layout.returned import OK
from .plan import Plan
from .pose import Pose
from .workspace import Workspace

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Regime:
    """A plan, and the numbers of the mechanism as they were."""

    plan: Plan
    parameters: Array
    own: Mapping[int, Any]  # constants of the mechanism that were changed, by field

    @classmethod
    def of(cls, workspace: Workspace) -> Regime:
        return cls(workspace.plan.observing, *workspace.held_numbers())

    def holds(self, workspace: Workspace) -> bool:
        """Whether a workspace has the same plan and numbers."""
        parameters, own = workspace.held_numbers()
        return (
            self.plan == workspace.plan.observing
            and bool(np.array_equal(parameters, self.parameters))
            and self.own.keys() == own.keys()
            and all(np.array_equal(own[key], array) for key, array in self.own.items())
        )

    def pose(self) -> Pose:
        """In memory of its own."""
        workspace = Workspace(self.plan)
        workspace.hold_numbers(self.parameters, self.own)
        return Pose(self.plan.model, workspace)


def multipliers(pose: Pose, t: float, y: Array) -> Array:
    """By row of the model, begun with no guess; not numbers where accelerations cannot be found."""
    rows = [row.row for row in pose.model.rows]
    status, _ = pose.outputs(np.array([t]), y[None])
    return np.array(pose.workspace[f.LAMBDA][rows, 0]) if status == OK else np.full(len(rows), np.nan)
