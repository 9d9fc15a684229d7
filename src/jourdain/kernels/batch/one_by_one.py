"""Many runs of one mechanism, one after the other, without Python between them.

A variant is the workspace as it was before anything ran (the `template`), with a few other numbers, and a start.
Its joints are closed and it runs to the end as a single run would, call for call, so that the bits are the same. What
is not plain (a start that must be searched for, an event, a singular position, a failure) is left to the caller, who
does that variant in the ordinary way.
"""

import numpy as np
from numba import njit

from ..core.context import (
    CRAWLING,
    F_AFTER_STEP,
    F_PLACE,
    H_COUNT,
    H_DENSE,
    H_EVALUATIONS,
    H_FLOATING,
    H_FRESH,
    H_NEWTONS,
    H_Q,
    H_RANK_LOSSES,
    H_V,
    INSIDE,
    LOOK,
    OK,
    OPTIONS,
    PARTIAL,
    PASSING_BY,
    PAUSED,
    RESIDUAL,
    UNTIL,
    Z,
    cache_name,
    ints,
    largest,
    reals,
    run,
    state,
)
from ..core.dynamics import sample_outputs
from ..integrators.adaptive_loop import advance_plain as advance_adaptive
from ..integrators.fixed_loop import (
    advance_ab6,
    advance_alpha,
    advance_entry,
    advance_newmark,
    advance_rk4,
    advance_rk6,
)
from ..layout import loops as layout_loops
from ..layout.batch_records import *  # noqa: F403 - Python reads them from there, kernels from here
from ..layout.batch_records import (
    GIVEN_UP,
    P_FREE_MOTION,
    P_FREE_POSE,
    P_FROM,
    P_MOST,
    P_ORDER,
    P_PAUSE,
    P_RANK,
    P_READY,
    P_RESUME,
    P_STIFF,
    P_TURNS,
    P_WATCH,
    R_ATOL,
    R_CLOSED,
    R_LONGEST,
    R_STEP,
    UNUSUAL_START,
    V_EVALUATIONS,
    V_NEWTONS,
    V_RANK_LOSSES,
    V_REJECTED,
    V_STATUS,
    V_STEPS,
    WAITING,
)
from ..layout.loops import (
    AB6,
    ALPHA,
    C_LOOK,
    C_RANK,
    C_REJECTED,
    C_SAMPLE,
    C_STEPS,
    C_STIFF,
    C_WATCH,
    NEWMARK,
    OWN,
    RK4,
    RK6,
    T_NOW,
    T_UNTIL,
)

ADAPTIVE = 0


@njit(**INSIDE)
def _renew(ctx, template, resets):
    """All memory as it was before the first run: fields `resets[k, 0]`, of integers if resets[k, 1] is 1."""
    for i in range(H_COUNT):
        ctx[i] = template[i]
    for k in range(resets.shape[0]):
        field = resets[k, 0]
        if resets[k, 1] == 1:
            kept = ints(template, field)
            whole = ints(ctx, field)
            for i in range(whole.shape[0]):
                for j in range(whole.shape[1]):
                    whole[i, j] = kept[i, j]
        else:
            numbers = reals(template, field)
            memory = reals(ctx, field)
            for i in range(memory.shape[0]):
                for j in range(memory.shape[1]):
                    memory[i, j] = numbers[i, j]


@njit(**INSIDE)
def _begin(ctx, y, start, first, t, plan, scales):
    """Close the joints from y in place, as assembly does where nothing is left for it to choose; whether that was so.

    `first` is the assembled start of the first variant: turns of joints are counted from there.
    """
    nq, nv = ctx[H_Q], ctx[H_V]
    q, v = y[:nq], y[nq : nq + nv]
    z = state(ctx, Z, y)
    for i in range(z.size):
        z[i] = y[nq + nv + i]
    ctx[H_FLOATING] = 1
    run(ctx, F_PLACE, t, q, v)
    if plan[P_FREE_POSE] == 1 and not largest(state(ctx, RESIDUAL, y)) <= scales[R_CLOSED]:
        return False
    if plan[P_FREE_MOTION] == 1 and (largest(v) > 0.0 or largest(state(ctx, PARTIAL, y)) > 0.0):
        return False
    if run(ctx, F_AFTER_STEP, t, y, y) != OK or ctx[H_DENSE] == 1 or ctx[H_RANK_LOSSES] > 0:
        return False
    run(ctx, F_PLACE, t, q, v)
    if not largest(state(ctx, RESIDUAL, y)) <= scales[R_CLOSED]:
        return False
    same = True
    for i in range(nq + nv):
        same = same and y[i] == first[i]
    if plan[P_TURNS] == 1 and not same:
        return False
    for i in range(nq + nv, y.size):
        y[i] = first[i] if plan[P_TURNS] == 1 else start[i]
    ctx[H_FLOATING] = 0
    ctx[H_FRESH] = 0
    return True


@njit(**INSIDE)
def _largest_difference(y, start, n):
    most = 0.0
    for i in range(n):
        most = max(most, abs(y[i] - start[i]))
    return most


@njit(**INSIDE)
def start_variant(own, job, k):
    """Memory, numbers and the closed start of variant k; False if that is left to the caller."""
    ctx, y, starts, plan = own.ctx, own.y, job.starts, job.plan
    for i in range(y.size):
        y[i] = starts[k, i]
    if plan[P_READY] == 1:
        return True
    _renew(ctx, own.template, own.resets)
    places = job.places
    for i in range(places.shape[0]):
        reals(ctx, places[i, 0])[places[i, 1], places[i, 2]] = job.values[k, i]
    if not _begin(ctx, y, starts[k], own.first, job.times[0], plan, job.scales):
        return False
    job.ends[k, 0] = _largest_difference(y, starts[k], ctx[H_Q] + ctx[H_V])
    return True


begin_clock = njit(**INSIDE)(layout_loops.begin_clock)


@njit(**INSIDE)
def mark_after(marks, t):
    """The first time after t that no step passes."""
    low, high = 0, marks.size
    while low < high:
        middle = (low + high) // 2
        if marks[middle] > t:
            high = middle
        else:
            low = middle + 1
    return marks[low] if low < marks.size else np.inf


@njit(**INSIDE)
def reset(own, job, k):
    """Variant k begins at the first time from y, which is its first sample."""
    begin_clock(own.clock, own.counts, job.times[0])
    own.clock[T_UNTIL] = mark_after(job.marks, job.times[0])
    own.counts[C_WATCH] = job.plan[P_WATCH]
    own.counts[C_RANK] = job.plan[P_RANK]
    own.counts[C_STIFF] = job.plan[P_STIFF]
    own.counts[C_SAMPLE] = 1
    for i in range(own.y.size):
        job.samples[k, 0, i] = own.y[i]


@njit(**INSIDE)
def adaptive(own, job, k, pause):
    """Run variant k on with error control."""
    plan, scales = job.plan, job.scales
    tolerances = (plan[P_ORDER], scales[R_STEP], scales[R_ATOL], scales[R_LONGEST])
    progress = (own.clock, own.counts, pause, plan[P_MOST])
    return advance_adaptive(own.ctx, own.y, job.times, job.samples[k], *tolerances, *progress)


def make_drive(method):
    def drive(own, job):
        """Run variants that are WAITING, from plan[P_FROM] on.

        Fills samples, outs (not where it has no rows), found and ends. With plan[P_READY] the workspace and the start
        are ready: nothing is renewed or closed. Returns the variant that crawls, or comes near a singular position, and
        is to be looked at, to be gone on with by plan[P_RESUME]; else their number.
        """
        ctx, plan, found, times = own.ctx, job.plan, job.found, job.times
        count = job.starts.shape[0]
        for k in range(plan[P_FROM], count):
            resumed = plan[P_RESUME] == 1 and k == plan[P_FROM]
            if found[k, V_STATUS] != WAITING and not resumed:
                continue
            if job.stop[0] == 1:
                found[k, V_STATUS] = GIVEN_UP
                continue
            pause = plan[P_PAUSE]
            if not resumed:
                if not start_variant(own, job, k):
                    found[k, V_STATUS] = UNUSUAL_START
                    continue
                reset(own, job, k)
                own.work[:, :] = 0.0
                pause = 0  # like the first call of a single run
            status = PAUSED
            while status == PAUSED and job.stop[0] == 0:
                memory = (ctx, own.y, own.work, times, job.samples[k], job.scales[R_STEP])
                progress = (own.clock, own.counts, pause, plan[P_MOST])
                # A chain of constants, all but one branch gone before it is compiled. A loop that `drive` closed over
                # would be data; but the cache knows closures by what they hold, and functions have new names each time.
                if method == ADAPTIVE:
                    status = adaptive(own, job, k, pause)
                elif method == RK4:
                    status = advance_rk4(*memory, *progress)
                elif method == RK6:
                    status = advance_rk6(*memory, *progress)
                elif method == AB6:
                    status = advance_ab6(*memory, *progress)
                elif method == ALPHA:
                    status = advance_alpha(*memory, *progress)
                elif method == NEWMARK:
                    status = advance_newmark(*memory, *progress)
                elif method == OWN:
                    status = advance_entry(*memory, *progress)
                pause = plan[P_PAUSE]
                if status == UNTIL:
                    own.clock[T_UNTIL] = mark_after(job.marks, own.clock[T_NOW])
                    status = PAUSED
                if status == LOOK:  # looked at already, and found to be far from any singular position until here
                    own.counts[C_LOOK] = 0
                    status = PAUSED
            found[k, V_STEPS] = own.counts[C_STEPS]
            found[k, V_REJECTED] = own.counts[C_REJECTED]
            found[k, V_EVALUATIONS] = ctx[H_EVALUATIONS]
            found[k, V_NEWTONS] = ctx[H_NEWTONS]
            found[k, V_RANK_LOSSES] = ctx[H_RANK_LOSSES]
            found[k, V_STATUS] = GIVEN_UP if status == PAUSED else status
            job.ends[k, 1] = times[-1] if status == OK else own.clock[T_NOW]
            if status in (CRAWLING, PASSING_BY):
                return k
            if status == OK and job.outs.shape[1] > 0:
                found[k, V_STATUS] = sample_outputs(ctx, times, job.samples[k], job.outs[k])
        return count

    return njit(**OPTIONS)(cache_name(drive, method))
