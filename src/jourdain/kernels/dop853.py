"""DOP853 with error control, projection after each step, and dense output whose samples are projected too.

Hairer, Norsett and Wanner I, sec. II.4, II.5, II.10. The error is estimated before the projection, on q and v only:
works and turns are quadratures outside the error control.
"""

import math

import numpy as np
from numba import njit

from .context import (
    F_AFTER_STEP,
    F_RHS,
    H_FRESH,
    H_Q,
    H_V,
    INSIDE,
    NOT_FINITE,
    OK,
    OPTIONS,
    PAUSED,
    RESTART,
    STEP_TOO_SMALL,
    TOO_MANY_STEPS,
    largest,
    run,
)
from .dop853_table import E3, E5, EXTENDED, STAGES, A, C, D
from .fixed_step import C_REJECTED, C_SAMPLE, C_STEPS, T_NOW, T_STEP

SAFETY = 0.9
SHRINK = 1.0 / 3.0
GROW = 6.0
# The order of the error estimate is 7: h ~ error^(-1/8).
EXPONENT = -1.0 / 8.0

# Rows of the work array behind the EXTENDED slopes.
W_STAGE = EXTENDED
W_NEW = EXTENDED + 1
W_SAMPLE = EXTENDED + 2
W_DENSE = EXTENDED + 3  # 7 rows
W_END = W_DENSE + 7
WORK_ROWS = W_END + 1


@njit(**INSIDE)
def _copy(source, target):
    """Slices in numba cost seconds of compile time; a loop costs none."""
    for i in range(source.size):
        target[i] = source[i]


@njit(**INSIDE)
def _stages(ctx, t, h, y, work, first, last):
    """Slopes work[first:last] and, for the step itself, the new state work[W_NEW]."""
    n = y.size
    stage = work[W_STAGE]
    for s in range(first, last):
        for i in range(n):
            stage[i] = 0.0
        for j in range(s):
            a = A[s, j] * h
            if a != 0.0:
                slope = work[j]
                for i in range(n):
                    stage[i] += a * slope[i]
        for i in range(n):
            stage[i] += y[i]
        status = run(ctx, F_RHS, t + C[s] * h, stage, work[s])
        if status != OK:
            return status
    return OK


@njit(**INSIDE)
def _error(h, y, new, work, n, rtol, atol):
    """Error against the tolerance: 1 is the most that is accepted.

    The largest component counts, not the mean: on a machine of many bodies a mean hides the one that errs.
    """
    worst = 0.0
    for i in range(n):
        e5 = 0.0
        e3 = 0.0
        for s in range(STAGES):
            e5 += E5[s] * work[s, i]
            e3 += E3[s] * work[s, i]
        if e5 != 0.0 or e3 != 0.0:
            scale = atol + rtol * max(abs(y[i]), abs(new[i]))
            error = abs(h) * e5 * e5 / (scale * math.sqrt(e5 * e5 + 0.01 * e3 * e3))
            if not error < np.inf:
                return np.inf
            worst = max(worst, error)
    return worst


@njit(**INSIDE)
def _dense(h, y, new, work):
    """Rows work[W_DENSE:] of the interpolating polynomial; `new` is the state before projection."""
    for i in range(y.size):
        d = new[i] - y[i]
        work[W_DENSE, i] = d
        work[W_DENSE + 1, i] = h * work[0, i] - d
        work[W_DENSE + 2, i] = 2.0 * d - h * (work[STAGES, i] + work[0, i])
        for r in range(4):
            total = 0.0
            for s in range(EXTENDED):
                total += D[r, s] * work[s, i]
            work[W_DENSE + 3 + r, i] = h * total


@njit(**INSIDE)
def _interpolate(y, work, x, out):
    for i in range(y.size):
        total = 0.0
        for k in range(6, -1, -1):
            total += work[W_DENSE + k, i]
            total *= x if k % 2 == 0 else 1.0 - x
        out[i] = y[i] + total


@njit(**INSIDE)
def _first_step(ctx, t, y, work, n, rtol, atol, longest):
    """Hairer's starting step: small enough that an explicit Euler step errs little."""
    d0 = 0.0
    d1 = 0.0
    for i in range(n):
        scale = atol + rtol * abs(y[i])
        d0 += (y[i] / scale) ** 2
        d1 += (work[0, i] / scale) ** 2
    d0 = math.sqrt(d0 / n)
    d1 = math.sqrt(d1 / n)
    h = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h = min(h, longest)
    stage = work[W_STAGE]
    for i in range(y.size):
        stage[i] = y[i] + h * work[0, i]
    status = run(ctx, F_RHS, t + h, stage, work[1])
    if status != OK:
        return 1e-3 * h
    d2 = 0.0
    for i in range(n):
        d2 += ((work[1, i] - work[0, i]) / (atol + rtol * abs(y[i]))) ** 2
    d2 = math.sqrt(d2 / n) / h
    most = max(d1, d2)
    h1 = max(1e-6, h * 1e-3) if most <= 1e-15 else (0.01 / most) ** 0.125
    return min(100.0 * h, h1, longest)


@njit(**OPTIONS)
def advance(ctx, y, work, times, samples, rtol, atol, longest, clock, counts, pause, most):
    """Run on from clock[T_NOW] through times, filling samples; gives control back after `pause` steps."""
    n = ctx[H_Q] + ctx[H_V]
    new = work[W_NEW]
    sample = work[W_SAMPLE]
    if counts[C_SAMPLE] == 0:
        status = run(ctx, F_RHS, times[0], y, work[0])
        if status != OK:
            return status
        if not largest(work[0]) < np.inf:
            return NOT_FINITE
        _copy(y, samples[0])
        counts[C_SAMPLE] = 1
        clock[T_NOW] = times[0]
        if clock[T_STEP] == 0.0:
            span = max(times[times.size - 1] - times[0], 1e-6)
            clock[T_STEP] = _first_step(ctx, times[0], y, work, n, rtol, atol, min(longest, span))
    end = times[times.size - 1]
    budget = pause
    retried = False
    while counts[C_SAMPLE] < times.size:
        if budget == 0:
            return PAUSED
        if counts[C_STEPS] >= most:
            return TOO_MANY_STEPS
        budget -= 1
        t = clock[T_NOW]
        h = min(clock[T_STEP], longest)
        if t + h * (1.0 + 1e-9) >= end:
            h = end - t
        if not h >= 1e-14 * max(abs(t), abs(end)):
            return STEP_TOO_SMALL
        ctx[H_FRESH] = 0
        # A failed evaluation inside a step is answered with a shorter step, like a large error.
        status = _stages(ctx, t, h, y, work, 1, STAGES)
        error = np.inf
        if status == OK:
            for i in range(y.size):
                total = 0.0
                for s in range(STAGES):
                    total += A[STAGES, s] * work[s, i]
                new[i] = y[i] + h * total
            error = _error(h, y, new, work, n, rtol, atol)
        if not error <= 1.0:
            counts[C_REJECTED] += 1
            shrink = SAFETY * error**EXPONENT if error < np.inf else 0.1
            clock[T_STEP] = h * max(SHRINK if error < np.inf else 0.1, shrink)
            retried = True
            if not clock[T_STEP] >= 1e-14 * max(abs(t), abs(end)):
                if status != OK:
                    return status
                return STEP_TOO_SMALL if error < np.inf else NOT_FINITE
            continue
        stage = work[W_STAGE]
        _copy(new, stage)  # the unprojected end, for the dense output
        status = run(ctx, F_AFTER_STEP, t + h, new, new)
        changed = status == RESTART  # new coordinates: the dense output needs the slope in the old ones
        if changed:
            status = run(ctx, F_RHS, t + h, stage, work[STAGES])
        elif status == OK:
            status = run(ctx, F_RHS, t + h, new, work[STAGES])
        if status != OK:
            counts[C_REJECTED] += 1
            clock[T_STEP] = 0.25 * h
            retried = True
            if clock[T_STEP] < 1e-10 * max(abs(t), abs(end)):
                return status
            continue
        last = t + h if h < end - t else end
        k = counts[C_SAMPLE]
        if times[k] < last:
            status = _fill(ctx, t, h, last, y, stage, work, times, samples, sample, counts)
            if status != OK:
                return status
        if changed:
            status = run(ctx, F_RHS, t + h, new, work[STAGES])
            if status != OK:
                return status
        grow = GROW if error == 0.0 else min(GROW, SAFETY * error**EXPONENT)
        clock[T_STEP] = h * (min(1.0, grow) if retried else max(SHRINK, grow))
        retried = False
        _copy(new, y)
        _copy(work[STAGES], work[0])
        clock[T_NOW] = last
        counts[C_STEPS] += 1
        if counts[C_SAMPLE] < times.size and times[counts[C_SAMPLE]] == last:
            _copy(y, samples[counts[C_SAMPLE]])
            counts[C_SAMPLE] += 1
    return OK


@njit(**INSIDE)
def _fill(ctx, t, h, last, y, end, work, times, samples, sample, counts):
    """All samples strictly inside the step, from the dense output, each projected."""
    new = work[W_END]
    _copy(end, new)  # the extra stages overwrite W_STAGE
    status = _stages(ctx, t, h, y, work, STAGES + 1, EXTENDED)
    if status != OK:
        return status
    _dense(h, y, new, work)
    k = counts[C_SAMPLE]
    while k < times.size and times[k] < last:
        _interpolate(y, work, (times[k] - t) / h, sample)
        status = run(ctx, F_AFTER_STEP, times[k], sample, sample)
        ctx[H_FRESH] = 0
        if status not in (OK, RESTART):
            return status
        _copy(sample, samples[k])
        k += 1
    counts[C_SAMPLE] = k
    return OK
