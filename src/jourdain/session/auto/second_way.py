"""A stretch of a run gone once more, in short projected steps of rk4: whether it is on the branch that velocities keep.

Projected rk4 with short steps holds its branch through singular positions: the equal-link slider-crank at 1 ms to 2e-10
for 10 s. Where a longer step, or a method that does not project, comes to other velocities behind such a position, it
went over to another branch there.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from ...choices import Rk4
from ...engine.cold_start import compile_for
from ...engine.plan import Plan
from ...engine.pose import Pose
from ...engine.time_loop import TimeLoop
from ...engine.workspace import Workspace
from ...kernels.layout import returned as st

Array = npt.NDArray[np.float64]

LONGEST = 1e-3  # s, of the steps of rk4
LEAST_STEPS, MOST_STEPS = 64, 200_000  # of them
FINER = 4  # times shorter steps, which have to come to the same
APART = 0.01  # of a velocity: what two ways differ by on different branches, and not by errors of a method
NOTHING = 1e-5  # of the largest velocity: what is no velocity


def left_branch(loop: TimeLoop, t: float, y: Array, end: float, found: Array, apart: float = APART) -> bool:
    """Whether short steps from y at t agree with each other on other velocities at `end` than those of `found`.

    Of stiff machines steps may have to be shorter still to agree; where they do not, or an event lies between, nothing
    can be said.
    """
    plan = Plan.of(loop.workspace.model).with_(numbers=loop.workspace.numbers, redundant=loop.workspace.plan.redundant)
    steps = max(LEAST_STEPS, int(np.ceil((end - t) / LONGEST)))
    before: Array | None = None
    while steps <= MOST_STEPS:
        ways = gone_again(loop, plan, t, y, np.array([end]), steps)
        true = None if ways is None else ways[0]
        if true is not None and not _differ(loop, true, found, apart):
            return False
        if true is not None and before is not None and not _differ(loop, true, before, apart):
            return True
        before, steps = true, FINER * steps
    return False


def gone_again(
    loop: TimeLoop, plan: Plan, t: float, y: Array, times: Array, steps: int, sharp: bool = False
) -> Array | None:
    """States at `times`, in so many steps to the last of them; None where short steps do not lead there.

    `sharp`: joints are closed to rounding.
    """
    method = Rk4((times[-1] - t) / steps * (1.0 + 1e-9))
    happened: list[float] = []
    samples = np.zeros((times.size, y.size))
    with loop.not_counted():
        whole = plan.with_(integrator=method)
        compile_for(whole)
        again = TimeLoop(Workspace(whole), method, y, t)
        again.choose_steps(sharp)
        again.on_event = partial(_keep, happened)
        closed = Pose(plan.model, again.workspace).project(t, again.y) in (st.OK, st.RESTART)
        arrived = closed and again.go(times, samples) == st.OK and not happened
    return samples if arrived and np.all(np.isfinite(samples)) else None


def _keep(happened: list[float], t: float, fired: tuple[int, ...]) -> bool:
    happened.append(t)
    return True


def _differ(loop: TimeLoop, true: Array, found: Array, apart: float) -> bool:
    """Of any body or joint on its own: others may be far faster."""
    model = loop.workspace.model
    at = model.layout.v
    scales = 1.0 / Pose(model, loop.workspace).scales()
    a, b = true[at] * scales, found[at] * scales
    largest = max(float(np.max(np.abs(a), initial=0.0)), float(np.max(np.abs(b), initial=0.0)))
    for part in model.layout.moves_of:
        size = max(float(np.max(np.abs(a[part]), initial=0.0)), float(np.max(np.abs(b[part]), initial=0.0)))
        if float(np.max(np.abs(a[part] - b[part]), initial=0.0)) > max(apart * size, NOTHING * largest):
            return True
    return False
