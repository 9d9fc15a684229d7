"""Classical Runge-Kutta of order 4 with a fixed step and projection after each step.

Steps divide each output interval evenly and never exceed the step asked for, so samples fall on steps.
"""

import math

from numba import njit

from .context import (
    F_AFTER_STEP,
    F_RHS,
    H_Q,
    H_V,
    INSIDE,
    NOT_FINITE,
    OK,
    OPTIONS,
    PAUSED,
    TOO_MANY_STEPS,
    largest,
    run,
)

# Progress, kept between calls: counts[] and clock[].
C_SAMPLE, C_STEPS, C_REJECTED, C_SUBSTEP, C_LENGTH = range(5)
T_NOW, T_STEP, T_ERROR, T_LENGTH = range(4)


@njit(**INSIDE)
def _step(ctx, t, h, y, work):
    """One step from y, whose derivative is work[0]; y and work[0] are those of the new, projected state."""
    n = y.size
    dy = work[0]
    total = work[1]
    stage = work[2]
    slope = work[3]
    for i in range(n):
        total[i] = dy[i]
        stage[i] = y[i] + 0.5 * h * dy[i]
    for s in range(1, 4):
        status = run(ctx, F_RHS, t + (0.5 * h if s < 3 else h), stage, slope)
        if status != OK:
            return status
        weight = 2.0 if s < 3 else 1.0
        ahead = 0.5 * h if s < 2 else h
        for i in range(n):
            total[i] += weight * slope[i]
            stage[i] = y[i] + ahead * slope[i]
    for i in range(n):
        y[i] += h / 6.0 * total[i]
    status = run(ctx, F_AFTER_STEP, t + h, y, y)
    if status != OK:
        return status
    return run(ctx, F_RHS, t + h, y, dy)


@njit(**OPTIONS)
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
            status = _step(ctx, t, h, y, work)
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
