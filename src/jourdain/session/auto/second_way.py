"""A stretch of a run gone once more, in short projected steps of rk4: whether it is on the branch that velocities keep.

Projected rk4 with short steps holds its branch through singular positions: the equal-link slider-crank at 1 ms to 2e-10
for 10 s. Where a longer step, or a method that does not project, comes to other velocities behind such a position, it
went over to another branch there.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from ...choices import Integrator, Rk4
from ...engine.cold_start import compile_for
from ...engine.plan import Plan
from ...engine.pose import Pose
from ...engine.time_loop import TimeLoop
from ...engine.workspace import Workspace
from ...kernels.layout import returned as st

Array = npt.NDArray[np.float64]

LEAST_STEPS, MOST_STEPS = 64, 200_000  # of them
FINER = 4  # times shorter steps, which have to come to the same
CLOSER = 5  # times nearer to each other than to what is judged
AGREED = 2  # times in a row: in the noise near a position two ways come near each other by chance
NOTHING = 2e-6  # of the largest velocity: what is no velocity


def left_branch(loop: TimeLoop, t: float, y: Array, end: float, found: Array, apart: float) -> bool:
    """Whether short steps from y at t agree with each other on other velocities at `end` than those of `found`.

    Of stiff machines steps may have to be shorter still to agree, and of the shortest ones some end so near to the
    position that rounding shows; where they do not agree, or an event lies between, nothing can be said.
    """
    plan = Plan.of(loop.workspace.model).with_(numbers=loop.workspace.numbers, redundant=loop.workspace.plan.redundant)
    steps, agreed = LEAST_STEPS, 0
    before: Array | None = None
    while steps <= MOST_STEPS:
        ways = gone_again(loop, plan, t, y, np.array([end]), steps)
        true = None if ways is None else ways[0]
        if true is not None:
            off = _apart(loop, true, found, apart)
            if off <= apart:
                return False
            close = before is not None and CLOSER * _apart(loop, true, before, apart) < off
            agreed = agreed + 1 if close else 0
            if agreed == AGREED:
                return True
        before, steps = true, FINER * steps
    return False


def usual_error(loop: TimeLoop, span: float, apart: float) -> float:
    """What a method with a fixed step errs by in so many seconds from where the loop stands; 0 if it is not known."""
    plan = Plan.of(loop.workspace.model).with_(numbers=loop.workspace.numbers, redundant=loop.workspace.plan.redundant)
    own, end = loop.workspace.plan.with_(numbers=loop.workspace.numbers), np.array([loop.t + span])
    steps = FINER * max(LEAST_STEPS, round(span / loop.clock_step))
    mine = gone_again(loop, own, loop.t, loop.y, end, method=loop.integrator)
    true = gone_again(loop, plan, loop.t, loop.y, end, steps)
    return 0.0 if mine is None or true is None else _apart(loop, true[0], mine[0], apart)


def gone_again(
    loop: TimeLoop,
    plan: Plan,
    t: float,
    y: Array,
    times: Array,
    steps: int = 1,
    sharp: bool = False,
    method: Integrator | None = None,
) -> Array | None:
    """States at `times`, in so many steps of rk4 to the last, or by `method`; None where that does not lead there.

    `sharp`: joints are closed to rounding.
    """
    method = Rk4((times[-1] - t) / steps * (1.0 + 1e-9)) if method is None else method
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


def _apart(loop: TimeLoop, a: Array, b: Array, apart: float) -> float:
    """The largest difference of velocities of a body or joint, over its own velocity: others may be far faster."""
    model = loop.workspace.model
    at = model.layout.v
    scales = 1.0 / Pose(model, loop.workspace).scales()
    a, b = a[at] * scales, b[at] * scales
    largest = max(float(np.max(np.abs(a), initial=0.0)), float(np.max(np.abs(b), initial=0.0)))
    most = 0.0
    for part in model.layout.moves_of:
        size = max(float(np.max(np.abs(a[part]), initial=0.0)), float(np.max(np.abs(b[part]), initial=0.0)))
        off = float(np.max(np.abs(a[part] - b[part]), initial=0.0))
        most = max(most, off / max(size, NOTHING / apart * largest, 1e-300))
    return most
