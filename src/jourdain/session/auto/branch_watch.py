"""Whether a run whose method cannot be sure of it went on along its own branch through a singular position.

Where bars of a loop lie in line two motions cross, and the machine goes on along the one on which velocities do not
jump. Short steps with projection and exact multipliers do so by themselves, `auto` with the help of crossing.py. Other
ways iterate for the multipliers, reduce the equations, let joints drift or choose long steps, and may turn into the
other branch with lengths and energy as they should be; steps of a fixed length may end too near to the position. So
such runs are looked at: the sooner a singular position can be reached, the oftener; those that project, where the time
loop sees a row vanish ahead. On the way into one the state is noted, and behind it the stretch is gone once more in
short projected steps of rk4, in the same coordinates. If velocities differ by more than a method's errors, the run goes
back to where it was noted and stops, with the names of the joints.
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
from .row_choice import RowChoice
from .second_way import left_branch, usual_error

Array = npt.NDArray[np.float64]

LEAD = 4.0  # steps of error control before a singular position at which the state is noted
LEAD_FIXED = 40.0  # of a fixed step
CLOSE, EARLY = 0.05, 10.0  # and the sine of the smallest angle below which so many times earlier
SOON = 0.3  # of the time to the next singular position, if it went on like this: until the next look
MOST_FIXED, FEW = 100, 4  # steps between two looks, fixed and of error control: a machine at rest may soon be fast
NEAR, AWAY = 0.5, 24.0  # of that sine, and fixed steps to the position: nearer than both, it is noted
LEAST_LATER = 8  # fixed steps until the next look from farther away
FADING = 0.9  # from look to look, of the usual step
WRONG = 0.2  # of a velocity: what velocities differ by on another branch, and not by errors of a method
JUMPED = 10.0, 1e-5  # times rtol, and at least: likewise, of methods with error control that project
ERRORS = 30.0  # of fixed steps that project: times what they err by in as long a stretch behind, and at least that
BEHIND = 0.5  # of that sine where the state was noted: the position is passed
LATEST = 4.0  # times the time to the position where it was noted, after which it is judged in any case
RARER, RAREST = 4, 32  # of the steps since, and at most: between two looks, where error control crawls away from one
# How a run may end that went wrong in a singular position.
IN_DOUBT = {st.LEFT_BRANCH, st.STEP_TOO_SMALL, st.NOT_CLOSED, st.NOT_SOLVED, st.NO_CONVERGENCE, st.RANK_LOST}


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
    """Looks at a loop between its steps: always, or only where it is told to. It changes nothing before it stops it."""

    changes_methods = False

    def __init__(self, loop: TimeLoop, always: bool, rows: RowChoice) -> None:
        self._loop, self._rows = loop, rows
        self._seen = loop.t, 0
        self._usual = 0.0  # s, a step
        self._noted: Noted | None = None
        self._noted_at = 0  # steps tried by then
        self._reading: tuple[Workspace, Pose] | None = None  # memory of its own, for a workspace of the loop
        self.joints: tuple[str, ...] = ()  # of the position at which the branch was left
        self.left_at = np.nan  # s, about when
        self.active = always and any(not row.dropped for row in loop.workspace.model.rows)
        self.at_times = not always
        loop.look_at = int(self.active)

    def begin(self) -> int:
        return st.PAUSED

    def forget(self) -> None:
        """The loop stands somewhere else."""
        self._noted, self._usual = None, 0.0
        self._seen = self._loop.t, self._loop.tried

    def told(self) -> int:
        """The step ahead, or one of the next, may go through a singular position."""
        loop = self._loop
        if loop.t < self._seen[0]:
            self._noted = None
        self._seen = loop.t, loop.tried
        if self._noted is not None:
            loop.look_at = loop.tried + FEW
            return st.PAUSED
        here = self._independence(loop.y)
        fixed = isinstance(loop.integrator, FixedStep)
        rate = self._rate(here, loop.clock_step if fixed else loop.ahead - loop.t)
        later = steps_away(here, rate, loop.clock_step) if fixed else 0
        if later:
            loop.look_at = loop.tried + later
        elif not self._rows.renewed():
            self._note(here, rate)
        return st.PAUSED

    def look(self) -> int:
        loop = self._loop
        (t, tried), self._seen = self._seen, (loop.t, loop.tried)
        if loop.t < t:  # a session went back
            self._noted, self._usual = None, 0.0
        if self.at_times and self._noted is None:  # from here on the loop tells by itself
            loop.look_at = 0
            return st.PAUSED
        step = self._usual = self._step((loop.t - t) / max(loop.tried - tried, 1))
        here = self._independence(loop.y)
        rate = self._rate(here, step)
        if self._noted is not None:
            return self._past(here, rate)
        left = here / abs(rate) if rate else np.inf
        lead = LEAD_FIXED if isinstance(loop.integrator, FixedStep) else LEAD
        if rate < 0.0 and left < lead * step * (EARLY if here < CLOSE else 1.0):
            if self._rows.renewed():
                loop.look_at = loop.tried + 1
            else:
                self._note(here, rate)
        else:
            between = SOON * left / step if step > 0.0 else 1.0
            most = MOST_FIXED if isinstance(loop.integrator, FixedStep) else FEW
            loop.look_at = loop.tried + int(np.clip(between, 1, most))
        return st.PAUSED

    def take_back(self, times: Array) -> None:
        """The run stops on its way through a position: what lies behind where the state was noted is worth nothing."""
        loop, noted, self._noted = self._loop, self._noted, None
        if noted is None or noted.t > loop.t:
            return
        loop.begin_anew(noted.t, noted.y)
        loop.filled_up_to(min(loop.filled, int(np.searchsorted(times, noted.t, side="right"))) - 1)

    def _note(self, here: float, rate: float) -> None:
        loop = self._loop
        self._noted = Noted(loop.t, loop.y.copy(), here, here / abs(rate) if rate else np.inf)
        self._noted_at = loop.tried
        loop.look_at = loop.tried + 1

    def _rate(self, here: float, step: float) -> float:
        """Of the smallest angle, as the machine moves now."""
        if not step > 0.0:
            return 0.0
        v = self._loop.y[self._loop.workspace.model.layout.v]
        return (self._independence(self._pose().retract(self._loop.y, 0.1 * step * v)) - here) / (0.1 * step)

    def _step(self, mean: float) -> float:
        """The usual one: near a singular position steps of error control become tiny."""
        method = self._loop.integrator
        return method.step if isinstance(method, FixedStep) else max(mean, FADING * self._usual)

    def _wrong(self) -> float:
        if not self.at_times:
            return WRONG
        rtol = getattr(self._loop.integrator, "rtol", 0.0)
        return float(np.clip(JUMPED[0] * rtol, JUMPED[1], WRONG))

    def _went_wrong(self, noted: Noted) -> bool:
        """Whether what stands behind the position differs from the right way by more than the method errs elsewhere."""
        loop, least = self._loop, self._wrong()
        if not left_branch(loop, noted.t, noted.y, loop.t, loop.y, least):
            return False
        if not self.at_times or not isinstance(loop.integrator, FixedStep):
            return True
        apart = min(ERRORS * usual_error(loop, loop.t - noted.t, least), WRONG)
        return apart <= least or left_branch(loop, noted.t, noted.y, loop.t, loop.y, apart)

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
        soon = 1 if isinstance(loop.integrator, FixedStep) and not self.at_times else FEW
        loop.look_at = loop.tried + max(soon, min((loop.tried - self._noted_at) // RARER, RAREST))
        if rate < 0.0 and here < CLOSE and self._rows.renewed():  # no position of the machine
            self._noted = None
            return st.PAUSED
        gone = loop.t - noted.t
        if gone > 0.0 and ((rate > 0.0 and here > BEHIND * noted.here) or gone > LATEST * noted.left):
            if self._went_wrong(noted):
                self.joints = row_independence(self._pose(), noted.t, noted.y, names=True).joints
                self.left_at = noted.t + noted.left
                return st.LEFT_BRANCH
            self._noted = None
            if self.at_times:
                loop.look_at = 0
        return st.PAUSED


def steps_away(here: float, rate: float, step: float) -> int:
    """After how many fixed steps to look again at a position that is far yet; 0: it is at hand."""
    left = here / -rate if rate < 0.0 else np.inf
    if here < NEAR and left < AWAY * step:
        return 0
    return int(np.clip(SOON * left / step, LEAST_LATER, MOST_FIXED))
