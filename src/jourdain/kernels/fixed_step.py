"""The time loop of methods with a fixed step: rk4, rk6 and ab6.

Steps divide each output interval evenly and never exceed the step asked for, so samples fall on steps.
"""

import math

from numba import njit

from . import ab6, rk4, rk6
from .context import (
    F_RHS,
    H_Q,
    H_V,
    INSIDE,
    NOT_FINITE,
    OK,
    OPTIONS,
    PAUSED,
    RESTART,
    TOO_MANY_STEPS,
    cache_name,
    largest,
    run,
)

RK4, RK6, AB6 = 4, 6, 66
WORK_ROWS = {RK4: 4, RK6: 1 + rk6.STAGES, AB6: ab6.ORDER + rk6.STAGES}

# Progress, kept between calls: counts[] and clock[].
C_SAMPLE, C_STEPS, C_REJECTED, C_SUBSTEP, C_HISTORY, C_LENGTH = range(6)
T_NOW, T_STEP, T_LENGTH = range(3)


@njit(**INSIDE)
def _multistep(ctx, t, h, y, work, clock, counts):
    """A step of ab6, or of rk6 until there are six slopes with the same step."""
    if abs(h - clock[T_STEP]) > 1e-9 * h:
        counts[C_HISTORY] = 0
    if counts[C_HISTORY] >= ab6.ORDER - 1:
        status = ab6.step(ctx, t, h, y, work)
    else:
        status = rk6.step(ctx, t, h, y, work, ab6.ORDER)
    if status == RESTART:
        counts[C_HISTORY] = -1
    elif status != OK:
        return status
    ab6.shift(work)
    counts[C_HISTORY] += 1
    return run(ctx, F_RHS, t + h, y, work[0])


def make_advance(method):
    def advance(ctx, y, work, times, samples, step, clock, counts, pause, most):
        """Run on from clock[T_NOW] through times, filling samples; gives control back after `pause` steps.

        counts[C_SAMPLE] is the next sample to fill; counts[C_SUBSTEP] the steps done inside the current interval.
        """
        n = y.size
        if counts[C_SAMPLE] == 0:
            status = run(ctx, F_RHS, times[0], y, work[0])
            if status != OK:
                return status
            for i in range(n):
                samples[0, i] = y[i]
            counts[C_SAMPLE] = 1
            clock[T_NOW] = times[0]
        budget = pause
        while counts[C_SAMPLE] < times.size:
            k = counts[C_SAMPLE]
            start = times[k - 1]
            span = times[k] - start
            # The slack keeps 0.1 / 1e-3 from becoming 101 steps.
            substeps = max(1, math.ceil(span / step * (1.0 - 1e-9)))
            h = span / substeps
            while counts[C_SUBSTEP] < substeps:
                if budget == 0:
                    return PAUSED
                if counts[C_STEPS] >= most:
                    return TOO_MANY_STEPS
                t = start + h * counts[C_SUBSTEP]
                if method == RK4:
                    status = rk4.step(ctx, t, h, y, work)
                elif method == RK6:
                    status = rk6.step(ctx, t, h, y, work, 1)
                    if status in (OK, RESTART):
                        status = run(ctx, F_RHS, t + h, y, work[0])
                else:
                    status = _multistep(ctx, t, h, y, work, clock, counts)
                clock[T_STEP] = h
                if status != OK:
                    return status
                clock[T_NOW] = t + h
                counts[C_SUBSTEP] += 1
                counts[C_STEPS] += 1
                budget -= 1
            if not largest(y[: ctx[H_Q] + ctx[H_V]]) < math.inf:
                return NOT_FINITE
            for i in range(n):
                samples[k, i] = y[i]
            clock[T_NOW] = times[k]
            counts[C_SUBSTEP] = 0
            counts[C_SAMPLE] += 1
        return OK

    return njit(**OPTIONS)(cache_name(advance, method))


advance_rk4 = make_advance(RK4)
advance_rk6 = make_advance(RK6)
advance_ab6 = make_advance(AB6)
