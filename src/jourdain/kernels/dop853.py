"""DOP853 with error control, projection after each step, and dense output whose samples are projected too.

Hairer, Norsett and Wanner I, sec. II.4, II.5, II.10. The error is estimated before the projection, on q and v only:
works and turns are quadratures outside the error control; states of elements are under it like q and v.
"""

import math

import numpy as np
from numba import carray, njit

from .context import (
    BLURRED,
    CRAWLING,
    EVENT,
    EVENTS,
    F_AFTER_STEP,
    F_RHS,
    H_FRESH,
    H_Q,
    H_SHARP,
    H_STATES,
    H_V,
    H_Z,
    INSIDE,
    NOT_FINITE,
    OK,
    OMEGA,
    OPTIONS,
    PAUSED,
    RESTART,
    S_STEP,
    SETTINGS,
    STEP_TOO_SMALL,
    STEP_WORK,
    TOO_MANY_STEPS,
    ints,
    largest,
    reals,
    run,
    state,
    table,
)
from .dop853_table import E3, E5, EXTENDED, STAGES, A, C, D
from .events import at_sample, keep, land, look
from .fixed_step import C_REJECTED, C_RESTART, C_SAMPLE, C_STEPS, C_WATCH, T_NOW, T_STEP, T_STOP, T_USUAL, begin

SAFETY = 0.9
SHRINK = 1.0 / 3.0
GROW = 6.0
GROW_WITH_EVENTS = 1.5  # gently, or every second step would be too long to see them in
FINEST = 1.0 / 64.0  # of a step too long to see events in: a kink stays one however short the step
# The order of the error estimate is 7: h ~ error^(-1/8).
EXPONENT = -1.0 / 8.0
CRAWL = 1.0 / 30.0  # of the usual step: below that a loop that is watched gives control back
MOST_TURN = np.pi  # of any body in a step that is searched for events, four looks a step

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
        both = math.hypot(e5, 0.1 * e3)  # squares of slopes like 1e-170 would be 0/0
        if both != 0.0:
            scale = atol + rtol * max(abs(y[i]), abs(new[i]))
            error = abs(h) * abs(e5) * (abs(e5) / both) / scale
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


@njit(**INSIDE)
def _end(h, y, work, new):
    """The state at the end of the step, from its slopes."""
    for i in range(y.size):
        total = 0.0
        for s in range(STAGES):
            total += A[STAGES, s] * work[s, i]
        new[i] = y[i] + h * total


@njit(**INSIDE)
def _begin(ctx, y, work, times, samples, rtol, atol, longest, clock, counts):
    status = begin(ctx, y, work[0], times, samples, clock, counts)
    if status != OK:
        return status
    if not largest(work[0]) < np.inf:
        return NOT_FINITE
    if clock[T_STEP] == 0.0:
        span = max(times[times.size - 1] - times[0], 1e-6)
        n = ctx[H_Q] + ctx[H_V] + ctx[H_STATES]
        clock[T_STEP] = _first_step(ctx, times[0], y, work, n, rtol, atol, min(longest, span))
    return OK


@njit(**OPTIONS)
def advance(ctx, y, work, times, samples, rtol, atol, longest, clock, counts, pause, most):
    """Run on from clock[T_NOW] through times, filling samples; gives control back after `pause` steps.

    At an event it returns EVENT; the next call goes on from there, with whatever y it finds.
    """
    n = ctx[H_Q] + ctx[H_V] + ctx[H_STATES]
    new = work[W_NEW]
    stage = work[W_STAGE]
    if counts[C_SAMPLE] == 0 or counts[C_RESTART] == 1:
        status = _begin(ctx, y, work, times, samples, rtol, atol, longest, clock, counts)
        if status != OK:
            return status
    events = ints(ctx, EVENTS).shape[0]
    end = times[times.size - 1]
    budget = pause
    retried = False
    blur_step = 0.0  # a step that was too long to see events in, until its end is reached
    blur_end = -np.inf
    most_growth = GROW if events == 0 else GROW_WITH_EVENTS
    while counts[C_SAMPLE] < times.size:
        if budget == 0:
            return PAUSED
        if counts[C_STEPS] >= most:
            return TOO_MANY_STEPS
        budget -= 1
        t = clock[T_NOW]
        stopping = clock[T_STOP] < np.inf
        h = min(clock[T_STEP], longest)
        if events > 0:  # a body that turns steadily makes long steps, in which events would come and go unseen
            h = min(h, MOST_TURN / max(largest(state(ctx, OMEGA, y)), 1e-300))
        if stopping:
            h = clock[T_STOP] - t
        elif t + h * (1.0 + 1e-9) >= end:
            h = end - t
        if not (h >= 1e-14 * max(abs(t), abs(end)) or stopping):
            return STEP_TOO_SMALL
        ctx[H_FRESH] = 0
        # A failed evaluation inside a step is answered with a shorter step, like a large error.
        status = _stages(ctx, t, h, y, work, 1, STAGES)
        error = np.inf
        if status == OK:
            _end(h, y, work, new)
            error = _error(h, y, new, work, n, rtol, atol)
        # A step to an event is part of one that was good enough.
        if not (error <= 1.0 or (stopping and error < np.inf)):
            counts[C_REJECTED] += 1
            shrink = SAFETY * error**EXPONENT if error < np.inf else 0.1
            clock[T_STEP] = h * max(SHRINK if error < np.inf else 0.1, shrink)
            retried = True
            if counts[C_WATCH] == 1 and clock[T_STEP] < CRAWL * clock[T_USUAL] and not stopping:
                return CRAWLING
            if stopping or not clock[T_STEP] >= 1e-14 * max(abs(t), abs(end)):
                if status != OK:
                    return status
                return STEP_TOO_SMALL if error < np.inf else NOT_FINITE
            continue
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
            if counts[C_WATCH] == 1 and clock[T_STEP] < CRAWL * clock[T_USUAL] and not stopping:
                return CRAWLING
            if stopping or clock[T_STEP] < 1e-10 * max(abs(t), abs(end)):
                return status
            continue
        if events > 0 and not stopping:
            keep(ctx, y, work[0])
            if t >= blur_end:
                blur_step = 0.0
            ctx[H_SHARP] = 1 if h > FINEST * blur_step else 0
            status = look(ctx, t, h, new, work[STAGES])
            if status == BLURRED:
                counts[C_REJECTED] += 1
                clock[T_STEP] = 0.5 * h
                retried = True
                if blur_step == 0.0:
                    blur_step = h
                    blur_end = t + h
                continue
            if status == EVENT:  # the step must be done again, and end there
                clock[T_STOP] = t + reals(ctx, SETTINGS)[S_STEP, 0]
                counts[C_REJECTED] += 1
                continue
            if status != OK:
                return status
        last = t + h if h < end - t else end
        if stopping:
            last = clock[T_STOP]
            land(ctx, new)
        status = _accept(ctx, t, h, last, changed, y, work, times, samples, clock, counts)
        if status != OK:
            return status
        if stopping:
            clock[T_STOP] = np.inf
            counts[C_RESTART] = 1
            return EVENT
        clock[T_USUAL] = max(h, 0.9 * clock[T_USUAL])
        grow = most_growth if error == 0.0 else min(most_growth, SAFETY * error**EXPONENT)
        clock[T_STEP] = h * (min(1.0, grow) if retried else max(SHRINK, grow))
        retried = False
    return OK


@njit(**INSIDE)
def _accept(ctx, t, h, last, changed, y, work, times, samples, clock, counts):
    """Go to the end of the step, at `last`, and fill the samples on the way and there."""
    new = work[W_NEW]
    if times[counts[C_SAMPLE]] < last:
        status = _fill(ctx, t, h, last, y, work[W_STAGE], work, times, samples, counts)
        if status != OK:
            return status
    if changed:
        status = run(ctx, F_RHS, t + h, new, work[STAGES])
        if status != OK:
            return status
    _copy(new, y)
    _copy(work[STAGES], work[0])
    clock[T_NOW] = last
    counts[C_STEPS] += 1
    k = counts[C_SAMPLE]
    if k < times.size and (times[k] == last or (clock[T_STOP] == last and at_sample(last, times[k]))):
        _copy(y, samples[k])
        clock[T_NOW] = times[k]
        counts[C_SAMPLE] += 1
    return OK


@njit(**INSIDE)
def _fill(ctx, t, h, last, y, end, work, times, samples, counts):
    """All samples strictly inside the step, from the dense output, each projected."""
    sample = work[W_SAMPLE]
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


def step(t, y_, unused_, ctx_):
    """F_STEP: one step without error control, for the search of events."""
    ctx = table(ctx_)
    y = carray(y_, (ctx[H_Q] + ctx[H_V] + ctx[H_Z],))
    work = reals(ctx, STEP_WORK)
    new = work[W_NEW]
    h = reals(ctx, SETTINGS)[S_STEP, 0]
    ctx[H_FRESH] = 0
    status = run(ctx, F_RHS, t, y, work[0])
    if status == OK:
        status = _stages(ctx, t, h, y, work, 1, STAGES)
    if status != OK:
        return status
    _end(h, y, work, new)
    _copy(new, y)
    return run(ctx, F_AFTER_STEP, t + h, y, y)
