"""Whether a run that does not project its joints went on along its own branch through a singular position.

Where bars of a loop lie in line two motions cross, and the machine goes on along the one on which velocities do not
jump. Methods that project, with exact multipliers, do so by themselves or with the help of crossing.py. Others, which
iterate for the multipliers, reduce the equations or let joints drift, may turn into the other branch with lengths and
energy as they should be. So such runs are looked at: the sooner a singular position can be reached, the oftener. On
the way into one the state is noted, and behind it the stretch is gone once more in short projected steps of rk4, in
the same coordinates. If velocities differ by more than a method's errors, the run stops, with the names of the joints.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...choices import Choices, FixedStep
from ...engine.cold_start import compile_for
from ...engine.plan import Plan
from ...engine.pose import Pose
from ...engine.row_independence import row_independence
from ...engine.time_loop import TimeLoop
from ...engine.workspace import Workspace
from ...kernels.layout import returned as st
from .second_way import left_branch

Array = npt.NDArray[np.float64]

LEAD = 4.0  # steps of error control before a singular position at which the state is noted
LEAD_FIXED = 40.0  # of a fixed step
CLOSE = 0.05  # the sine of the smallest angle between a row and the others at which it is noted in any case
SOON = 0.3  # of the time to the next singular position, if it went on like this: until the next look
MOST_FIXED, FEW = 100, 4  # steps between two looks, fixed and of error control: a machine at rest may soon be fast
FADING = 0.9  # from look to look, of the usual step
WRONG = 0.2  # of a velocity: what velocities differ by on another branch, and not by errors of a method
BEHIND = 0.5  # of that sine where the state was noted: the position is passed
LATEST = 4.0  # times the time to the position where it was noted, after which it is judged in any case


class Noted(NamedTuple):
    """A state on the way into a singular position."""

    t: float
    y: Array
    here: float  # sine of the smallest angle between a row and the others
    left: float  # s, to the position


def needs_watching(choices: Choices) -> bool:
    """Whether the method could leave its branch without noticing."""
    treatment = choices.treatment
    held = treatment.direct and treatment.stabilisation.name in ("projection", "euclidean")
    return not held or getattr(choices.integrator, "multipliers", False)


class BranchWatch:
    """Looks at a loop between its steps, and changes nothing."""

    def __init__(self, loop: TimeLoop) -> None:
        self._loop = loop
        self._seen = loop.t, 0
        self._usual = 0.0  # s, a step
        self._noted: Noted | None = None
        self._reading: tuple[Workspace, Pose] | None = None  # memory of its own, for a workspace of the loop
        self.joints: tuple[str, ...] = ()  # of the position at which the branch was left
        self.left_at = np.nan  # s, about when
        self.active = any(not row.dropped for row in loop.workspace.model.rows)
        loop.look_at = int(self.active)

    def begin(self) -> int:
        return st.PAUSED

    def look(self) -> int:
        loop = self._loop
        (t, tried), self._seen = self._seen, (loop.t, loop.tried)
        if loop.t < t:  # a session went back
            self._noted, self._usual = None, 0.0
        step = self._usual = self._step((loop.t - t) / max(loop.tried - tried, 1))
        rate = 0.0
        here = self._independence(loop.y)
        if step > 0.0:
            v = loop.y[loop.workspace.model.layout.v]
            rate = (self._independence(self._pose().retract(loop.y, 0.1 * step * v)) - here) / (0.1 * step)
        left = here / abs(rate) if rate else np.inf
        if self._noted is not None:
            return self._past(here, rate)
        lead = LEAD_FIXED if isinstance(loop.integrator, FixedStep) else LEAD
        if rate < 0.0 and (left < lead * step or here < CLOSE):
            self._noted = Noted(loop.t, loop.y.copy(), here, left)
            loop.look_at = loop.tried + 1
        else:
            between = SOON * left / step if step > 0.0 else 1.0
            most = MOST_FIXED if isinstance(loop.integrator, FixedStep) else FEW
            loop.look_at = loop.tried + int(np.clip(between, 1, most))
        return st.PAUSED

    def _step(self, mean: float) -> float:
        """The usual one: near a singular position steps of error control become tiny."""
        method = self._loop.integrator
        return method.step if isinstance(method, FixedStep) else max(mean, FADING * self._usual)

    def _pose(self) -> Pose:
        workspace = self._loop.workspace
        if self._reading is None or self._reading[0] is not workspace:
            plan = Plan.of(workspace.model).with_(numbers=workspace.numbers, redundant=workspace.plan.redundant)
            compile_for(plan)
            self._reading = workspace, Pose(workspace.model, Workspace(plan))
        return self._reading[1]

    def _independence(self, y: Array) -> float:
        return row_independence(self._pose(), self._loop.t, y).least

    def _past(self, here: float, rate: float) -> int:
        """On the way through a position, or behind it, or turned back before."""
        noted, loop = self._noted, self._loop
        assert noted is not None
        loop.look_at = loop.tried + (1 if isinstance(loop.integrator, FixedStep) else FEW)
        gone = loop.t - noted.t
        if gone > 0.0 and ((rate > 0.0 and here > BEHIND * noted.here) or gone > LATEST * noted.left):
            self._noted = None
            if left_branch(loop, noted.t, noted.y, loop.t, loop.y, WRONG):
                self.joints = row_independence(self._pose(), noted.t, noted.y, names=True).joints
                self.left_at = noted.t + noted.left
                return st.LEFT_BRANCH
        return st.PAUSED
