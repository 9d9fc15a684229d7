"""Many variants in lanes (lane_numbers.py), each with its own steps: the loop of adaptive_loop.py, WIDTH at once.

All lanes are evaluated together; each has its own clock, its own step and its own next sample, and a lane whose variant
is done takes the next one. Decisions are those of adaptive_loop.py, made by the same functions, so that a variant takes
the steps that it takes alone. With rk4 all take the same steps, and WIDTH variants begin and end together. Whatever is
out of the ordinary (a step that cannot be closed, a rank that is lost or may be soon, steps that crawl or look stiff)
is not decided here: those variants are left WAITING for the ordinary way.
"""

import math

from numba import njit

from ..core.context import (
    F_AFTER_STEP,
    F_OUTPUTS,
    F_RHS,
    H_BLOCK,
    H_EVALUATIONS,
    H_FACTORED,
    H_FRESH,
    H_NEWTONS,
    INSIDE,
    METHOD_WORK,
    OK,
    OPTIONS,
    PAUSED,
    PIVOT,
    PIVOTS,
    RANK_LOST,
    SCALE,
    TOO_MANY_STEPS,
    cache_name,
    ints,
    numbers,
    run,
    state,
)
from ..core.lane_numbers import WIDTH, lane, lanes_over, with_lane
from ..integrators import dop853, dopri5, rk4
from ..integrators.adaptive_loop import CRAWL, GROW, SAFETY, SHRINK, end_of_step, finest_step, length, reject
from ..integrators.rank_watch import REACH, REACH_FIXED, shift_margins, vanishing
from ..integrators.step_rows import NEW, NEW_SLOPE, RAW, SAMPLE, controlled, is_stiff, restlessness
from ..layout.loops import C_RANK, C_REJECTED, C_SAMPLE, C_STEPS, C_STIFF, C_WATCH, T_NOW, T_STEP, T_USUAL
from .one_by_one import (
    P_MOST,
    P_ORDER,
    P_RANK,
    P_STIFF,
    P_WATCH,
    R_ATOL,
    R_LONGEST,
    R_STEP,
    READY,
    UNUSUAL_START,
    V_EVALUATIONS,
    V_NEWTONS,
    V_REJECTED,
    V_STATUS,
    V_STEPS,
    WAITING,
    adaptive,
    reset,
    start_variant,
)

DOP853, DOPRI5 = 853, 5
# marks[]: of each lane its variant or -1, whether its step was tried before, was good, has a sample inside, the
# evaluations and full Newton steps so far, which lanes share, and the steps that stability held short
M_VARIANT, M_RETRIED, M_GOOD, M_SAMPLED, M_EVALUATIONS, M_NEWTONS, M_STIFF, M_LENGTH = range(8)
# spans[]: of each lane the start, the length and the end of its step
X_FROM, X_LENGTH, X_END, X_COUNT = range(4)


def refuse_dense(t, q_, v_, ctx_):
    """In the place of F_DENSE_FACTOR: not in lanes."""
    return RANK_LOST


def make_ready(fixed):
    def ready(own, job, begun):
        """Close all starts and find the first steps, one by one: starts are overwritten, `begun` filled with clocks."""
        found, times, outs = job.found, job.times, job.outs
        for k in range(job.starts.shape[0]):
            if found[k, V_STATUS] != WAITING or job.stop[0] == 1:
                continue
            if not start_variant(own, job, k):
                found[k, V_STATUS] = UNUSUAL_START
                continue
            reset(own, job, k)
            if fixed == 0 and adaptive(own, job, k, 0) != PAUSED:
                continue
            own.ctx[H_FRESH] = 0
            if outs.shape[1] > 0 and run(own.ctx, F_OUTPUTS, times[0], job.samples[k, 0], outs[k, 0]) != OK:
                continue
            for i in range(own.y.size):
                job.starts[k, i] = own.y[i]
            for i in range(own.clock.size):
                begun[k, i] = own.clock[i]
            found[k, V_STATUS] = READY

    return njit(**OPTIONS)(cache_name(ready, fixed))


ready_adaptive, ready_fixed = make_ready(0), make_ready(1)


@njit(**INSIDE)
def _get(row, l, out):
    for i in range(row.size):
        out[i] = lane(row[i], l)


@njit(**INSIDE)
def _copy_lane(source, l, target, m):
    """Lane l of one row to lane m of another."""
    for i in range(target.size):
        target[i] = with_lane(target[i], m, lane(source[i], l))


@njit(**INSIDE)
def _load_numbers(ctx, y, places, values, starts, l, k):
    """Variant k takes lane l: its start and its constants."""
    for i in range(y.size):
        y[i] = with_lane(y[i], l, starts[k, i])
    for i in range(places.shape[0]):
        field = numbers(ctx, places[i, 0], y)
        row, column = places[i, 1], places[i, 2]
        field[row, column] = with_lane(field[row, column], l, values[k, i])


@njit(**INSIDE)
def _load_clock(clocks, own_clocks, counts, notes, marks, plan, l, k):
    for i in range(own_clocks.shape[1]):
        own_clocks[l, i] = clocks[k, i]
    counts[l, :] = 0
    counts[l, C_WATCH] = plan[P_WATCH]
    counts[l, C_STIFF] = plan[P_STIFF]
    counts[l, C_RANK] = plan[P_RANK]
    counts[l, C_SAMPLE] = 1
    for i in range(notes.shape[1]):
        notes[l, i] = 0.0
    for i in range(M_LENGTH):
        marks[i, l] = 0
    marks[M_VARIANT, l] = k
    marks[M_GOOD, l] = -1  # its slope is not known yet


@njit(**INSIDE)
def _leave(found, marks, l):
    """The ordinary way has to do it."""
    found[marks[M_VARIANT, l], V_STATUS] = WAITING
    marks[M_VARIANT, l] = -1


@njit(**INSIDE)
def _store(row, out, l, k, samples, outs):
    """Sample k of a variant, and what is reported there."""
    _get(row, l, samples[k])
    if outs.shape[0] > 0:
        _get(out, l, outs[k])


@njit(**INSIDE)
def _note_margins(ctx, y, margins, l):
    """As in rank_watch.py, of lane l."""
    bs = ctx[H_BLOCK]
    pivot, scale = state(ctx, PIVOT, y), state(ctx, SCALE, y)
    for p in range(ints(ctx, PIVOTS).shape[0]):
        for i in range(bs):
            x = lane(pivot[(p * bs + i) * bs + i], l) * lane(scale[p * bs + i], l)
            margins[p * bs + i, 2] = 1.0 / x if x > 0.0 else 0.0


@njit(**INSIDE)
def _begin_margins(ctx, y, margins, l):
    _note_margins(ctx, y, margins, l)
    shift_margins(margins, 0.0)


@njit(**INSIDE)
def _watch_rank(ctx, y, margins, clocks, counts, spans, marks, found):
    """Lanes in whose step a row may have vanished are left to the ordinary way."""
    for l in range(WIDTH):
        if counts[l, C_RANK] == 1 and marks[M_VARIANT, l] >= 0 and marks[M_GOOD, l] == 1:
            _note_margins(ctx, y, margins[l], l)
            h = spans[X_LENGTH, l]
            near = vanishing(margins[l], REACH * max(h, 0.9 * clocks[l, T_USUAL]))
            shift_margins(margins[l], h)
            if near:
                marks[M_GOOD, l] = 0
                _leave(found, marks, l)


def _make_try(method):
    def try_step(ctx, h, y, work, rtol, atol):
        """Slopes, end and errors of a step in all lanes; status, errors and restlessness."""
        rows = work.shape[0]
        raw, new, slope = work[rows - RAW], work[rows - NEW], work[rows - NEW_SLOPE]
        n = controlled(ctx)
        e = 0.0 * h
        ctx[H_FRESH] = 0
        status = method.slopes(ctx, 0.0, h, y, work)
        if status != OK:
            return status, e, e
        for i in range(y.size):
            new[i] = raw[i]
        if method.EARLY == 1:
            e = method.error(h, y, work, n, rtol, atol)
            for l in range(WIDTH):
                if not lane(e, l) <= 1.0:  # its end is not wanted, and may be anywhere
                    _copy_lane(y, l, new, l)
        status = run(ctx, F_AFTER_STEP, 0.0, new, new)
        if status == OK:
            status = run(ctx, F_RHS, 0.0, new, slope)
        if status != OK:
            return status, e, e
        if method.EARLY == 0:
            e = method.error(h, y, work, n, rtol, atol)
        return OK, e, restlessness(ctx, h, work, work[method.STAGES - 1], method.border(rtol))

    return njit(**INSIDE)(cache_name(try_step, method.__name__))


def _make_fill(method):
    def fill(ctx, h, y, work, out, times, samples, outs, spans, counts, marks):
        """Samples inside the steps that were good, the next of each lane together."""
        sample = work[work.shape[0] - SAMPLE]
        prepared = False
        while True:
            x = 0.0 * h
            some = False
            for l in range(WIDTH):
                marks[M_SAMPLED, l] = 0
                k = counts[l, C_SAMPLE]
                if marks[M_GOOD, l] == 1 and k < times.size and times[k] < spans[X_END, l]:
                    x = with_lane(x, l, (times[k] - spans[X_FROM, l]) / spans[X_LENGTH, l])
                    marks[M_SAMPLED, l] = 1
                    some = True
            if not some:
                return OK
            status = OK if prepared else method.prepare(ctx, 0.0, h, y, work)
            if status != OK:
                return status
            prepared = True
            method.between(work, x, y, sample)
            ctx[H_FACTORED] = 0  # like a sample of a single run
            status = run(ctx, F_AFTER_STEP, 0.0, sample, sample)
            if status == OK and outs.shape[1] > 0:
                status = run(ctx, F_OUTPUTS, 0.0, sample, out)
            ctx[H_FRESH] = 0
            if status != OK:
                return status
            for l in range(WIDTH):
                if marks[M_SAMPLED, l] == 1:
                    k = marks[M_VARIANT, l]
                    _store(sample, out, l, counts[l, C_SAMPLE], samples[k], outs[k])
                    counts[l, C_SAMPLE] += 1

    return njit(**INSIDE)(cache_name(fill, method.__name__))


_try_dop853, _try_dopri5 = _make_try(dop853), _make_try(dopri5)
_fill_dop853, _fill_dopri5 = _make_fill(dop853), _make_fill(dopri5)


@njit(**INSIDE)
def _factor(error, order):
    """Of the next step to this one."""
    return GROW if error == 0.0 else SAFETY * error ** (-1.0 / order)


@njit(**INSIDE)
def _decide(e, order, clocks, counts, marks, spans, found, plan):
    """Which steps were good; the others are shortened, or left to the ordinary way."""
    for l in range(WIDTH):
        marks[M_GOOD, l] = 0
        if marks[M_VARIANT, l] < 0:
            continue
        t, h, error = spans[X_FROM, l], spans[X_LENGTH, l], lane(e, l)
        finest = finest_step(t)
        if not h >= finest or counts[l, C_STEPS] >= plan[P_MOST]:
            _leave(found, marks, l)
        elif error <= 1.0:
            marks[M_GOOD, l] = 1
            spans[X_END, l] = end_of_step(t, h, clocks[l])
        else:
            clock = clocks[l]
            status = reject(clock, counts[l], h, _factor(error, order), error, OK, finest)
            marks[M_RETRIED, l] = 1
            crawls = counts[l, C_WATCH] == 1 and clock[T_STEP] < CRAWL * clock[T_USUAL]
            if crawls or status != OK:
                _leave(found, marks, l)


@njit(**INSIDE)
def _go_on(ctx, y, work, out, times, samples, outs, spans, counts, marks):
    """To the ends of good steps, and the samples there."""
    rows = work.shape[0]
    new, slope = work[rows - NEW], work[rows - NEW_SLOPE]
    due = False
    for l in range(WIDTH):
        if marks[M_GOOD, l] == 1:
            _copy_lane(new, l, y, l)
            _copy_lane(slope, l, work[0], l)
            k = counts[l, C_SAMPLE]
            marks[M_SAMPLED, l] = 1 if k < times.size and times[k] == spans[X_END, l] else 0
            due = due or marks[M_SAMPLED, l] == 1
    if due and outs.shape[1] > 0:
        ctx[H_FRESH] = 0
        status = run(ctx, F_OUTPUTS, 0.0, y, out)
        if status != OK:
            return status
    for l in range(WIDTH):
        if marks[M_GOOD, l] == 1 and marks[M_SAMPLED, l] == 1:
            k = marks[M_VARIANT, l]
            _store(y, out, l, counts[l, C_SAMPLE], samples[k], outs[k])
            counts[l, C_SAMPLE] += 1
    return OK


@njit(**INSIDE)
def _grow(e, restless, order, clocks, counts, notes, marks, spans, found, l):
    """The next step of a lane whose last was good."""
    clock, h = clocks[l], spans[X_LENGTH, l]
    clock[T_NOW] = spans[X_END, l]
    counts[l, C_STEPS] += 1
    clock[T_USUAL] = max(h, 0.9 * clock[T_USUAL])
    grow = min(GROW, _factor(lane(e, l), order))
    clock[T_STEP] = h * (min(1.0, grow) if marks[M_RETRIED, l] == 1 else max(SHRINK, grow))
    marks[M_RETRIED, l] = 0
    if is_stiff(notes[l], lane(restless, l)):
        marks[M_STIFF, l] += 1
        if 0 < counts[l, C_STIFF] <= marks[M_STIFF, l]:
            _leave(found, marks, l)


@njit(**INSIDE)
def _finish(end, counts, marks, found, ends, l):
    k = marks[M_VARIANT, l]
    if k < 0:  # just left
        return
    found[k, V_STATUS] = OK
    found[k, V_STEPS] = counts[l, C_STEPS]
    found[k, V_REJECTED] = counts[l, C_REJECTED]
    found[k, V_EVALUATIONS] = marks[M_EVALUATIONS, l]
    found[k, V_NEWTONS] = marks[M_NEWTONS, l]
    ends[k, 1] = end
    marks[M_VARIANT, l] = -1


def make_march(method):
    def march(own, job):
        """Run all variants that are READY; those that were not finished are WAITING afterwards."""
        ctx, marks, spans, own_clocks, counts, notes = own.ctx, own.marks, own.spans, own.clocks, own.counts, own.notes
        times, samples, outs, plan, scales, found = job.times, job.samples, job.outs, job.plan, job.scales, job.found
        y = lanes_over(own.state)[0]
        out = lanes_over(own.row)[0]
        work = numbers(ctx, METHOD_WORK, y)
        slope = work[work.shape[0] - NEW_SLOPE]
        order, rtol, atol, longest = plan[P_ORDER], scales[R_STEP], scales[R_ATOL], scales[R_LONGEST]
        following = 0
        for l in range(WIDTH):
            marks[M_VARIANT, l] = -1
        while True:
            # Lanes without a variant take the next, or else do as another one does: numbers there must be numbers.
            busy, fresh = -1, False  # some slope is not known yet
            for l in range(WIDTH):
                while marks[M_VARIANT, l] < 0 and following < job.starts.shape[0]:
                    if found[following, V_STATUS] == READY and job.stop[0] == 0:
                        _load_numbers(ctx, y, job.places, job.values, job.starts, l, following)
                        _load_clock(own.begun, own_clocks, counts, notes, marks, plan, l, following)
                        fresh = True
                    following += 1
                if marks[M_VARIANT, l] >= 0:
                    busy = l
            if busy < 0 or job.stop[0] == 1:
                break
            for l in range(WIDTH):
                if marks[M_VARIANT, l] < 0:
                    _copy_lane(y, busy, y, l)
                    marks[M_GOOD, l] = -1
                    fresh = True
            evaluations, newtons = ctx[H_EVALUATIONS], ctx[H_NEWTONS]
            status = OK
            if fresh:
                ctx[H_FRESH] = 0
                status = run(ctx, F_RHS, 0.0, y, slope)
                for l in range(WIDTH):
                    if marks[M_GOOD, l] == -1:
                        _copy_lane(slope, l, work[0], l)
                        _begin_margins(ctx, y, own.margins[l], l)
            h = 0.0 * y[0]
            for l in range(WIDTH):
                spans[X_FROM, l] = own_clocks[l, T_NOW]
                spans[X_LENGTH, l] = length(own_clocks[l], longest) if marks[M_VARIANT, l] >= 0 else 0.0
                h = with_lane(h, l, spans[X_LENGTH, l])
            e, restless = h, h
            if status == OK and method == DOP853:
                status, e, restless = _try_dop853(ctx, h, y, work, rtol, atol)
            elif status == OK:
                status, e, restless = _try_dopri5(ctx, h, y, work, rtol, atol)
            if status == OK:
                _decide(e, order, own_clocks, counts, marks, spans, found, plan)
                _watch_rank(ctx, y, own.margins, own_clocks, counts, spans, marks, found)
                if method == DOP853:
                    status = _fill_dop853(ctx, h, y, work, out, times, samples, outs, spans, counts, marks)
                else:
                    status = _fill_dopri5(ctx, h, y, work, out, times, samples, outs, spans, counts, marks)
            if status == OK:
                status = _go_on(ctx, y, work, out, times, samples, outs, spans, counts, marks)
            for l in range(WIDTH):
                if marks[M_VARIANT, l] >= 0:
                    marks[M_EVALUATIONS, l] += ctx[H_EVALUATIONS] - evaluations
                    marks[M_NEWTONS, l] += ctx[H_NEWTONS] - newtons
                    if status != OK:
                        _leave(found, marks, l)
                    elif marks[M_GOOD, l] == 1:
                        _grow(e, restless, order, own_clocks, counts, notes, marks, spans, found, l)
                        if counts[l, C_SAMPLE] == times.size:
                            _finish(times[times.size - 1], counts, marks, found, job.ends, l)
        for l in range(WIDTH):
            if marks[M_VARIANT, l] >= 0:
                _leave(found, marks, l)

    return njit(**OPTIONS)(cache_name(march, method))


march_dop853 = make_march(DOP853)
march_dopri5 = make_march(DOPRI5)


@njit(**INSIDE)
def _sample(ctx, y, out, t, j, samples, outs, marks, found):
    """Sample j of all lanes; a lane whose numbers are none is left."""
    status = OK
    if outs.shape[1] > 0:
        ctx[H_FRESH] = 0
        status = run(ctx, F_OUTPUTS, t, y, out)
    for l in range(WIDTH):
        k = marks[M_VARIANT, l]
        if k < 0:
            continue
        _store(y, out, l, j, samples[k], outs[k])
        for i in range(controlled(ctx)):
            if not abs(samples[k, j, i]) < math.inf:
                _leave(found, marks, l)
                break
    return status


@njit(**INSIDE)
def _leave_near(own, found, h):
    """Lanes in which a row may vanish within some steps are left to the ordinary way."""
    for l in range(WIDTH):
        if own.marks[M_VARIANT, l] >= 0 and vanishing(own.margins[l], REACH_FIXED * h):
            _leave(found, own.marks, l)


@njit(**INSIDE)
def _together(own, job, y, work, out):
    """All lanes from the first to the last time with steps of rk4, as fixed_loop.py divides them; status and steps."""
    ctx, times, step, most = own.ctx, job.times, job.scales[R_STEP], job.plan[P_MOST]
    done = 0
    ctx[H_FRESH] = 0
    status = run(ctx, F_RHS, times[0], y, work[0])
    watching = job.plan[P_RANK] == 1
    for l in range(WIDTH):
        _begin_margins(ctx, y, own.margins[l], l)
    for j in range(1, times.size):
        span = times[j] - times[j - 1]
        substeps = max(1, math.ceil(span / step * (1.0 - 1e-9)))
        h = span / substeps
        for s in range(substeps):
            if status != OK or done >= most or job.stop[0] == 1:
                return TOO_MANY_STEPS if status == OK else status, done
            if watching:
                _leave_near(own, job.found, h)
            status = rk4.step(ctx, times[j - 1] + h * s, h, y, work)
            done += 1
            if watching:
                for l in range(WIDTH):
                    _note_margins(ctx, y, own.margins[l], l)
                    shift_margins(own.margins[l], h)
        if status == OK:
            status = _sample(ctx, y, out, times[j], j, job.samples, job.outs, own.marks, job.found)
    return status, done


@njit(**OPTIONS)
def march_rk4(own, job):
    """Run all variants that are READY; those that were not finished are WAITING afterwards."""
    ctx, marks, found = own.ctx, own.marks, job.found
    y = lanes_over(own.state)[0]
    out = lanes_over(own.row)[0]
    work = lanes_over(own.work)
    following = 0
    while job.stop[0] == 0:
        first = -1
        for l in range(WIDTH):
            marks[M_VARIANT, l] = -1
            while marks[M_VARIANT, l] < 0 and following < job.starts.shape[0]:
                if found[following, V_STATUS] == READY:
                    marks[M_VARIANT, l] = following
                    first = following if first < 0 else first
                following += 1
        if first < 0:
            return
        for l in range(WIDTH):  # those without a variant do as the first one does
            k = marks[M_VARIANT, l]
            _load_numbers(ctx, y, job.places, job.values, job.starts, l, k if k >= 0 else first)
        evaluations, newtons = ctx[H_EVALUATIONS], ctx[H_NEWTONS]
        status, done = _together(own, job, y, work, out)
        for l in range(WIDTH):
            k = marks[M_VARIANT, l]
            if k >= 0 and status != OK:
                _leave(found, marks, l)
            elif k >= 0:
                found[k, V_STATUS] = OK
                found[k, V_STEPS] = done
                found[k, V_EVALUATIONS] = ctx[H_EVALUATIONS] - evaluations
                found[k, V_NEWTONS] = ctx[H_NEWTONS] - newtons
                job.ends[k, 1] = job.times[job.times.size - 1]
