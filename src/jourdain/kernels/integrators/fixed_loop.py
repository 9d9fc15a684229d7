"""The time loop of methods with a fixed step: rk4, rk6, ab6, newmark, generalized-alpha with hht, and users' own.

Steps divide each output interval evenly and never exceed the step asked for, so samples fall on steps. An event cuts a
step short; what it leaves of the interval is divided anew.
"""

import math

from numba import njit

from ..core.context import (
    EVENT,
    EVENTS,
    F_RHS,
    F_STEP,
    H_FRESH,
    H_Q,
    H_STATES,
    H_V,
    H_Z,
    INSIDE,
    LOOK,
    MARGINS,
    NOT_FINITE,
    NOT_SOLVED,
    OK,
    OPTIONS,
    PASSING_BY,
    PAUSED,
    RESTART,
    S_STEP,
    SETTINGS,
    STEP_WORK,
    TOO_MANY_STEPS,
    UNSTABLE,
    WANTS_EXACT,
    cache_name,
    ints,
    largest,
    reals,
    run,
    table,
    vector_at,
)
from ..layout.loops import *  # noqa: F403 - Python reads them from there, kernels from here
from ..layout.loops import (
    AB6,
    ALPHA,
    C_BROKEN,
    C_CHANGED,
    C_HISTORY,
    C_LOOK,
    C_RANK,
    C_REJECTED,
    C_RESTART,
    C_RETRIED,
    C_ROUGH,
    C_SAMPLE,
    C_SINGLE,
    C_STEPS,
    C_SUBSTEP,
    C_TINY,
    NEWMARK,
    OWN,
    RK4,
    RK6,
    T_AHEAD,
    T_FROM,
    T_NOW,
    T_STEP,
    T_STOP,
)
from . import ab6, generalized_alpha, newmark, rk4, rk6
from .event_search import at_sample, keep, land, look
from .rank_watch import REACH_FIXED, begin_margins, note_margins, shift_margins, vanishing

WORK_ROWS = {
    RK4: 4,
    RK6: 1 + rk6.STAGES,
    AB6: ab6.ORDER + rk6.STAGES,
    ALPHA: generalized_alpha.WORK_ROWS,
    NEWMARK: newmark.WORK_ROWS,
}


@njit(**INSIDE)
def begin(ctx, y, slope, clock, counts):
    """At the start, or to go on from a state at clock[T_NOW] that the caller may have changed, and ctx with it."""
    t = clock[T_NOW]
    ctx[H_FRESH] = 0
    status = run(ctx, F_RHS, t, y, slope)
    if status != OK:
        return status
    clock[T_FROM] = t
    clock[T_STOP] = math.inf
    clock[T_AHEAD] = -math.inf
    counts[C_SUBSTEP] = 0
    counts[C_HISTORY] = 0
    counts[C_ROUGH] = 0
    counts[C_RESTART] = 0
    counts[C_RETRIED] = 0
    counts[C_BROKEN] = 0
    counts[C_CHANGED] = 0
    counts[C_SINGLE] = 0
    counts[C_TINY] = 0
    return OK


@njit(**INSIDE)
def _stop(ctx, t, y, times, samples, clock, counts):
    """Go to the event that was found in the step from t, and fill the sample there if there is one."""
    now = t + land(ctx, y)
    k = counts[C_SAMPLE]
    if at_sample(now, times[k]):
        now = times[k]
        for i in range(y.size):
            samples[k, i] = y[i]
        counts[C_SAMPLE] += 1
    clock[T_NOW] = now
    counts[C_RESTART] = 1
    return EVENT


@njit(**INSIDE)
def _multistep(ctx, t, h, y, work, clock, counts):
    """A step of ab6, or of rk6 until there are six slopes with the same step."""
    if abs(h - clock[T_STEP]) > 1e-9 * h:
        counts[C_HISTORY] = 0
    if counts[C_HISTORY] >= ab6.ORDER - 1:
        counts[C_ROUGH] = counts[C_ROUGH] + 1 if ab6.rough(ctx, h, work) else 0
        if counts[C_ROUGH] >= ab6.MOST_ROUGH:
            return UNSTABLE
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


@njit(**INSIDE)
def _own(ctx, t, h, y, slope, events):
    """A step of F_STEP by its address; the search for events wants the slope at its end."""
    reals(ctx, SETTINGS)[S_STEP, 0] = h
    status = run(ctx, F_STEP, t, y, y)
    if status == RESTART:
        status = OK
    return run(ctx, F_RHS, t + h, y, slope) if status == OK and events > 0 else status


def make_advance(method):
    def advance(ctx, y, work, times, samples, step, clock, counts, pause, most):
        """Run on from clock[T_NOW] through times, filling samples; gives control back after `pause` steps.

        counts[C_SAMPLE] is the next sample to fill; counts[C_SUBSTEP] the steps done since clock[T_FROM]. At an event
        it returns EVENT; the next call goes on from there, with whatever y it finds.
        """
        n = y.size
        events = ints(ctx, EVENTS).shape[0]
        if counts[C_RESTART] == 1:
            status = begin(ctx, y, work[0], clock, counts)
            if status == OK and events > 0:
                status = look(ctx, clock[T_NOW], 0.0, y, work[0])
            if status != OK:
                counts[C_RESTART] = 1
                return status
            if method == ALPHA:
                generalized_alpha.restart(ctx, work)
            if counts[C_RANK] == 1:
                begin_margins(ctx, y)
        budget = pause
        while counts[C_SAMPLE] < times.size:
            k = counts[C_SAMPLE]
            start = clock[T_FROM]
            span = times[k] - start
            # The slack keeps 0.1 / 1e-3 from becoming 101 steps.
            substeps = max(1, math.ceil(span / step * (1.0 - 1e-9)))
            h = span / substeps
            while counts[C_SUBSTEP] < substeps:
                if counts[C_LOOK] > 0 and counts[C_STEPS] + counts[C_REJECTED] >= counts[C_LOOK]:
                    return LOOK
                watching = counts[C_RANK] == 1 and counts[C_LOOK] == 0
                if watching and vanishing(reals(ctx, MARGINS), REACH_FIXED * h):
                    return PASSING_BY
                if budget == 0:
                    return PAUSED
                if counts[C_STEPS] >= most:
                    return TOO_MANY_STEPS
                t = start + h * counts[C_SUBSTEP]
                if events > 0:
                    keep(ctx, y, work[0])
                if method == RK4:
                    status = rk4.step(ctx, t, h, y, work)
                elif method == ALPHA:
                    status = generalized_alpha.step(ctx, t, h, y, work)
                elif method == NEWMARK:
                    status = newmark.step(ctx, t, h, y, work)
                elif method == RK6:
                    status = rk6.step(ctx, t, h, y, work, 1)
                    if status in (OK, RESTART):
                        status = run(ctx, F_RHS, t + h, y, work[0])
                elif method == OWN:
                    status = _own(ctx, t, h, y, work[0], events)
                else:
                    status = _multistep(ctx, t, h, y, work, clock, counts)
                clock[T_STEP] = h
                if status == OK and events > 0:
                    status = look(ctx, t, h, y, work[0])
                if status == EVENT:
                    counts[C_STEPS] += 1
                    return _stop(ctx, t, y, times, samples, clock, counts)
                if status != OK:
                    return status
                clock[T_NOW] = t + h
                counts[C_SUBSTEP] += 1
                counts[C_STEPS] += 1
                budget -= 1
                if counts[C_RANK] == 1:
                    note_margins(ctx, y)
                    shift_margins(reals(ctx, MARGINS), h)
            if not largest(y[: ctx[H_Q] + ctx[H_V] + ctx[H_STATES]]) < math.inf:
                return NOT_FINITE
            for i in range(n):
                samples[k, i] = y[i]
            clock[T_NOW] = times[k]
            clock[T_FROM] = times[k]
            counts[C_SUBSTEP] = 0
            counts[C_SAMPLE] += 1
        return OK

    return njit(**OPTIONS)(cache_name(advance, method))


advance_rk4 = make_advance(RK4)
advance_rk6 = make_advance(RK6)
advance_ab6 = make_advance(AB6)
advance_alpha = make_advance(ALPHA)
advance_newmark = make_advance(NEWMARK)
advance_entry = make_advance(OWN)


def make_follow(method):
    def follow(ctx, y, work, times, samples, step, clock, counts):
        """Like `advance`, without events, in the number type of y: for derivatives by complex step."""
        n = y.size
        ctx[H_FRESH] = 0
        status = run(ctx, F_RHS, times[0], y, work[0])
        for k in range(times.size):
            span = times[k] - times[k - 1] if k > 0 else 0.0
            substeps = math.ceil(span / step * (1.0 - 1e-9)) if k > 0 else 0
            for s in range(substeps):
                h = span / substeps
                t = times[k - 1] + h * s
                if method == RK4:
                    status = rk4.step(ctx, t, h, y, work)
                elif method == RK6:
                    status = rk6.step(ctx, t, h, y, work, 1)
                    if status in (OK, RESTART):
                        status = run(ctx, F_RHS, t + h, y, work[0])
                else:
                    status = _multistep(ctx, t, h, y, work, clock, counts)
                clock[T_STEP] = h
                clock[T_NOW] = t + h
                if status != OK:
                    return status
            for i in range(n):
                samples[k, i] = y[i]
        return status

    return njit(**OPTIONS)(cache_name(follow, method))


follow_rk4 = make_follow(RK4)
follow_rk6 = make_follow(RK6)
follow_ab6 = make_follow(AB6)


def make_step(method):
    """F_STEP, for the search of events; ab6 uses that of rk6, which also starts it after the event."""

    def step(t, y_, unused_, ctx_):
        ctx = table(ctx_)
        y = vector_at(y_, ctx[H_Q] + ctx[H_V] + ctx[H_Z])
        work = reals(ctx, STEP_WORK)
        h = reals(ctx, SETTINGS)[S_STEP, 0]
        ctx[H_FRESH] = 0
        status = run(ctx, F_RHS, t, y, work[0])
        if status != OK:
            return status
        if method == NEWMARK:
            return newmark.step(ctx, t, h, y, work)
        if method == ALPHA:
            generalized_alpha.restart(ctx, work)
            status = generalized_alpha.step(ctx, t, h, y, work)
            return NOT_SOLVED if status == WANTS_EXACT else status
        return rk4.step(ctx, t, h, y, work) if method == RK4 else rk6.step(ctx, t, h, y, work, 1)

    return step
