"""Many runs of one mechanism, one after the other, without Python between them.

A variant is the workspace as it was before anything ran (the `template`), with a few other numbers, and a start.
Its joints are closed and it runs to the end as a single run would, call for call, so that the bits are the same. What
is not plain (a start that must be searched for, an event, a singular position, a failure) is left to the caller, who
does that variant in the ordinary way.
"""

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
    OK,
    OPTIONS,
    PARTIAL,
    PAUSED,
    RESIDUAL,
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
from ..layout.loops import (
    AB6,
    ALPHA,
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

# What becomes of a variant beside the status of its run.
UNUSUAL_START = -1  # left to the caller before it ran
GIVEN_UP = -2  # the caller wants to stop
WAITING = -3  # nothing yet
READY = -4  # its start is closed (see in_lanes.py)

# plan[]: P_MOST is of steps
P_ORDER, P_PAUSE, P_MOST, P_WATCH, P_STIFF, P_READY, P_FREE_POSE, P_FREE_MOTION, P_TURNS, P_FROM, P_RESUME, P_LENGTH = (
    range(12)
)
# scales[]: step of fixed methods or rtol; atol; longest step; what counts as closed, m; what no step passes, s
R_STEP, R_ATOL, R_LONGEST, R_CLOSED, R_UNTIL, R_LENGTH = range(6)
# found[]: of each variant
V_STATUS, V_STEPS, V_REJECTED, V_EVALUATIONS, V_NEWTONS, V_RANK_LOSSES, V_LENGTH = range(7)


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
def start_variant(ctx, template, resets, places, values, starts, k, first, t, y, plan, scales, ends):
    """Memory, numbers and the closed start of variant k; False if that is left to the caller."""
    for i in range(y.size):
        y[i] = starts[k, i]
    if plan[P_READY] == 1:
        return True
    _renew(ctx, template, resets)
    for i in range(places.shape[0]):
        reals(ctx, places[i, 0])[places[i, 1], places[i, 2]] = values[k, i]
    if not _begin(ctx, y, starts[k], first, t, plan, scales):
        return False
    ends[k, 0] = _largest_difference(y, starts[k], ctx[H_Q] + ctx[H_V])
    return True


begin_clock = njit(**INSIDE)(layout_loops.begin_clock)


@njit(**INSIDE)
def reset(plan, scales, t, y, sample, clock, counts):
    """A run that begins at t from y, which is its first sample."""
    begin_clock(clock, counts, t)
    clock[T_UNTIL] = scales[R_UNTIL]
    counts[C_WATCH] = plan[P_WATCH]
    counts[C_STIFF] = plan[P_STIFF]
    counts[C_SAMPLE] = 1
    for i in range(y.size):
        sample[i] = y[i]


def make_drive(method):
    def drive(
        ctx,
        template,
        resets,
        places,
        values,
        starts,
        first,
        times,
        samples,
        outs,
        plan,
        scales,
        work,
        found,
        ends,
        y,
        clock,
        counts,
        stop,
    ):
        """Run variants that are WAITING, from plan[P_FROM] on, with `values` at `places` (field, row, column).

        Fills samples, outs (not where it has no rows), found, and ends: how far assembly moved the start, the time
        reached. With plan[P_READY] the workspace and the start are ready: nothing is renewed or closed. Returns the
        variant that crawls and is to be looked at, to be gone on with by plan[P_RESUME]; else their number.
        """
        for k in range(plan[P_FROM], starts.shape[0]):
            resumed = plan[P_RESUME] == 1 and k == plan[P_FROM]
            if found[k, V_STATUS] != WAITING and not resumed:
                continue
            if stop[0] == 1:
                found[k, V_STATUS] = GIVEN_UP
                continue
            pause = plan[P_PAUSE]
            if not resumed:
                if not start_variant(
                    ctx, template, resets, places, values, starts, k, first, times[0], y, plan, scales, ends
                ):
                    found[k, V_STATUS] = UNUSUAL_START
                    continue
                reset(plan, scales, times[0], y, samples[k, 0], clock, counts)
                work[:, :] = 0.0
                pause = 0  # like the first call of a single run
            status = PAUSED
            while status == PAUSED and stop[0] == 0:
                if method == ADAPTIVE:
                    status = advance_adaptive(
                        ctx,
                        y,
                        times,
                        samples[k],
                        plan[P_ORDER],
                        scales[R_STEP],
                        scales[R_ATOL],
                        scales[R_LONGEST],
                        clock,
                        counts,
                        pause,
                        plan[P_MOST],
                    )
                elif method == RK4:
                    status = advance_rk4(
                        ctx, y, work, times, samples[k], scales[R_STEP], clock, counts, pause, plan[P_MOST]
                    )
                elif method == RK6:
                    status = advance_rk6(
                        ctx, y, work, times, samples[k], scales[R_STEP], clock, counts, pause, plan[P_MOST]
                    )
                elif method == AB6:
                    status = advance_ab6(
                        ctx, y, work, times, samples[k], scales[R_STEP], clock, counts, pause, plan[P_MOST]
                    )
                elif method == ALPHA:
                    status = advance_alpha(
                        ctx, y, work, times, samples[k], scales[R_STEP], clock, counts, pause, plan[P_MOST]
                    )
                elif method == NEWMARK:
                    status = advance_newmark(
                        ctx, y, work, times, samples[k], scales[R_STEP], clock, counts, pause, plan[P_MOST]
                    )
                elif method == OWN:
                    status = advance_entry(
                        ctx, y, work, times, samples[k], scales[R_STEP], clock, counts, pause, plan[P_MOST]
                    )
                pause = plan[P_PAUSE]
            found[k, V_STEPS] = counts[C_STEPS]
            found[k, V_REJECTED] = counts[C_REJECTED]
            found[k, V_EVALUATIONS] = ctx[H_EVALUATIONS]
            found[k, V_NEWTONS] = ctx[H_NEWTONS]
            found[k, V_RANK_LOSSES] = ctx[H_RANK_LOSSES]
            found[k, V_STATUS] = GIVEN_UP if status == PAUSED else status
            ends[k, 1] = times[-1] if status == OK else clock[T_NOW]
            if status == CRAWLING:
                return k
            if status == OK and outs.shape[1] > 0:
                found[k, V_STATUS] = sample_outputs(ctx, times, samples[k], outs[k])
        return starts.shape[0]

    return njit(**OPTIONS)(cache_name(drive, method))
