"""Which redundant equations bear no load: chosen anew where those that are kept come to depend on each other.

In a loop with more equations than it needs some are left out, so that the others are independent. As the loop turns,
these may come to depend on each other while all together keep their rank: of a ball in a loop that is held in one
direction besides, the equation along x may go at first, and has to come back when that direction was turned. That is no
singular position of the machine. So where one seems to be ahead, the equations to be left out are chosen anew at the
pose of that moment, and the run goes on with them, if those that are kept are farther from depending on each other.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ...assembly.prepare import rows_chosen_anew
from ...engine.cold_start import compile_for
from ...engine.plan import Plan
from ...engine.pose import Pose
from ...engine.row_independence import row_independence
from ...engine.time_loop import TimeLoop
from ...engine.workspace import Workspace

Array = npt.NDArray[np.float64]

BETTER = 3.0  # times the sine of the smallest angle between a row that is kept and the others


class RowChoice:
    """Puts other equations into a loop, if they are better than those it has."""

    def __init__(self, loop: TimeLoop) -> None:
        self._loop = loop
        self.before: Callable[[], None] = lambda: None  # called before anything changes
        self.put: Callable[[Workspace], None] = lambda workspace: None  # told what takes the place of the one before

    def renewed(self) -> bool:
        """Whether other equations were left out from here on."""
        loop = self._loop
        if not any(row.dropped for row in loop.workspace.model.rows):
            return False
        self.before()
        t, y = loop.t, loop.y
        with loop.not_counted():
            other = rows_chosen_anew(loop.workspace, t, y)
        if other is None or _least(other, t, y) < BETTER * _least(loop.workspace, t, y):
            return False
        self.use(other)
        loop.begin_anew()
        return True

    def use(self, workspace: Workspace) -> None:
        """Go on with these equations."""
        with self._loop.not_counted():
            compile_for(workspace.plan)
        self.put(workspace)
        self._loop.exchange(workspace)


def _least(workspace: Workspace, t: float, y: Array) -> float:
    plan = Plan.of(workspace.model).with_(numbers=workspace.numbers)
    compile_for(plan)
    return row_independence(Pose(workspace.model, Workspace(plan)), t, y).least
