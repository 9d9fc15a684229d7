"""The time loop of methods with error control: dop853, dopri5, radau and bdf.

The loop is compiled once for all of them. A method is two entries: F_TRY tries a step, F_DENSE interpolates in it. The
error is estimated without what the projection after the step does, on q, v and the states of elements: works and turns
are quadratures outside the error control.

Steps know nothing of the times that are asked for. A step that was accepted stays `ahead`: y is its start, and the
state at any time inside it comes from the dense output, projected, until a time beyond its end is asked for and the
loop goes to that end. So a run depends neither on where it ends nor on who pauses it or looks at it.
"""

import math

import numpy as np
from numba import njit

from ..core.context import (
    BLURRED,
    CRAWLING,
    EVENT,
    EVENTS,
    F_AFTER_STEP,
    F_DENSE,
    F_RHS,
    F_STEP,
    F_SUBSTITUTE,
    F_TRY,
    H_FACTORED,
    H_FRESH,
    H_INTERPOLANT,
    H_KINKED,
    H_Q,
    H_SHARP,
    H_STIFF,
    H_SUBSTITUTE,
    H_V,
    H_WORK,
    H_Z,
    INSIDE,
    LOOK,
    METHOD_WORK,
    NOT_FINITE,
    NOT_SOLVED,
    OK,
    OMEGA,
    OPTIONS,
    PASSING_BY,
    PAUSED,
    RESTART,
    S_ATOL,
    S_ERROR,
    S_FACTOR,
    S_RTOL,
    S_SIZE,
    S_START,
    S_STEP,
    S_WHATEVER,
    SETTINGS,
    STEP_TOO_SMALL,
    STEP_WORK,
    STIFF,
    TOO_MANY_STEPS,
    UNTIL,
    VEC,
    VECTOR_LOCAL,
    cache_name,
    ints,
    largest,
    numbers,
    reals,
    run,
    state,
    table,
    vector_at,
)
from ..layout.loops import (
    C_BROKEN,
    C_CHANGED,
    C_CHOSEN,
    C_LOOK,
    C_RANK,
    C_REJECTED,
    C_RESTART,
    C_RETRIED,
    C_SAMPLE,
    C_SINGLE,
    C_STEPS,
    C_STIFF,
    C_TINY,
    C_WATCH,
    T_AHEAD,
    T_BLURRED,
    T_BLURRED_END,
    T_NOW,
    T_REACH,
    T_STEP,
    T_STOP,
    T_TURN,
    T_UNTIL,
    T_USUAL,
)
from .event_search import at_sample, keep, land, look
from .fixed_loop import begin
from .rank_watch import begin_margins, note_margins, passes
from .sample_rates import note_rates
from .step_rows import NEW, NEW_SLOPE, NOTES, SAMPLE, STAGE, controlled, copy

SAFETY = 0.9
SHRINK = 1.0 / 3.0
GROW = 6.0
GROW_GENTLY = 1.5  # where there are events or kinks, or every second step would be too long to see them in
REACH = 0.02  # of the machine, by which a point may move in a step where some force has a kink
FINEST = 1.0 / 64.0  # of a step too long to see events in: a kink stays one however short the step
MOST_TURN = np.pi  # of any body in a step that is searched for events, four looks a step
CRAWL = 1.0 / 30.0  # of the usual step: below that a loop that is watched gives control back
SHORTEST = 1e-14  # of the times themselves, or of
LEAST_TIME = 1.0  # s
TINY = 1e-10  # of these times: of steps like that, so many in a row mean that error control follows noise, for ever
MOST_TINY = 500
LEAST_FIRST, MOST_FIRST = 1e-10, 0.1  # s, of a first step: at rest, nothing tells how long it may be

# The loop --------------------------------------------------------------------------------------------------------


@njit(**INSIDE)
def _first_step(ctx, t, y, work, order, rtol, atol, longest):
    """Hairer's starting step (I, sec. II.4): small enough that an explicit Euler step errs little."""
    n = controlled(ctx)
    count = max(n, 1)  # nothing to control where all is locked, in joint coordinates
    stage = work[work.shape[0] - STAGE]
    slope = work[work.shape[0] - NEW_SLOPE]
    d0 = 0.0
    d1 = 0.0
    for i in range(n):
        scale = atol + rtol * abs(y[i])
        d0 += (y[i] / scale) ** 2
        d1 += (work[0, i] / scale) ** 2
    d0 = math.sqrt(d0 / count)
    d1 = math.sqrt(d1 / count)
    h = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    # A start where all is zero but for rounding has no size: there the quotient says nothing.
    h = min(max(h, LEAST_FIRST), longest)
    for i in range(y.size):
        stage[i] = y[i] + h * work[0, i]
    status = run(ctx, F_RHS, t + h, stage, slope)
    if status != OK:
        return 1e-3 * h
    d2 = 0.0
    for i in range(n):
        d2 += ((slope[i] - work[0, i]) / (atol + rtol * abs(y[i]))) ** 2
    d2 = math.sqrt(d2 / count) / h
    most = max(d1, d2)
    h1 = max(1e-6, h * 1e-3) if most <= 1e-15 else (0.01 / most) ** (1.0 / order)
    return min(100.0 * h, h1, longest)


@njit(**INSIDE)
def _turn_time(ctx, y):
    """In which the fastest body turns by MOST_TURN, as evaluated last: a stage that failed may have any spin."""
    return MOST_TURN / max(largest(state(ctx, OMEGA, y)), 1e-300)


@njit(**INSIDE)
def _reach_time(ctx, y):
    """In which the fastest point moves by REACH of the machine, or an axis by as many radians, as evaluated last."""
    local = reals(ctx, VECTOR_LOCAL)
    dim = local.shape[1] - 1
    vec = state(ctx, VEC, y)
    size = reals(ctx, SETTINGS)[S_SIZE, 0]
    fastest = 1e-300
    for k in range(local.shape[0]):
        squares = 0.0
        for i in range(dim):
            squares += vec[4 * dim * k + 2 * dim + i] ** 2
        fastest = max(fastest, math.sqrt(squares) / (size if local[k, dim] != 0.0 else 1.0))
    return REACH / fastest


@njit(**INSIDE)
def _begin(ctx, y, work, order, rtol, atol, longest, clock):
    """What a method and its first step need, once the slope at the start is known."""
    if not largest(work[0]) < np.inf:
        return NOT_FINITE
    work[work.shape[0] - NOTES, 0] = 0.0
    if ctx[H_KINKED] == 1:
        clock[T_REACH] = _reach_time(ctx, y)
    if clock[T_STEP] == 0.0:
        clock[T_STEP] = _first_step(ctx, clock[T_NOW], y, work, order, rtol, atol, min(longest, MOST_FIRST))
    return OK


@njit(**INSIDE)
def _begin_search(ctx, y, work, clock):
    clock[T_BLURRED] = 0.0
    clock[T_BLURRED_END] = -np.inf
    status = look(ctx, clock[T_NOW], 0.0, y, work[0])
    clock[T_TURN] = _turn_time(ctx, y)
    return status


@njit(**INSIDE)
def length(clock, longest):
    """Of the next step."""
    t, until = clock[T_NOW], clock[T_UNTIL]
    h = min(clock[T_STEP], longest)
    return until - t if t + h * (1.0 + 1e-9) >= until else h


@njit(**INSIDE)
def finest_step(t):
    """The shortest step that makes sense."""
    return SHORTEST * max(abs(t), LEAST_TIME)


@njit(**INSIDE)
def end_of_step(t, h, clock):
    """t + h, or exactly T_UNTIL."""
    return t + h if h < clock[T_UNTIL] - t else clock[T_UNTIL]


@njit(**INSIDE)
def reject(clock, counts, h, proposed, error, status, finest):
    """Try again with a shorter step: OK, or why that is no use."""
    counts[C_REJECTED] += 1
    if status != OK and error <= 1.0:  # the end could not be closed
        shorter = 0.25 * h
        finest *= 1e4
    elif error < np.inf:
        shorter = h * max(SHRINK, proposed)
    else:  # a failed evaluation inside a step is answered like a large error
        shorter = 0.1 * h
    clock[T_STEP] = shorter
    if not shorter >= finest:
        if status != OK:
            return status
        return STEP_TOO_SMALL if error < np.inf else NOT_FINITE
    return OK


@njit(**INSIDE)
def _search(ctx, t, h, y, work, clock, counts, finest):
    """Events in the step that was tried: OK if none; BLURRED if it must be shorter; EVENT if it must end there.

    A step that was too long to see events in is remembered until its end is reached.
    """
    rows = work.shape[0]
    clock[T_TURN] = _turn_time(ctx, y)
    keep(ctx, y, work[0])
    if t >= clock[T_BLURRED_END]:
        clock[T_BLURRED] = 0.0
    ctx[H_SHARP] = 1 if h > FINEST * clock[T_BLURRED] else 0
    status = look(ctx, t, h, work[rows - NEW], work[rows - NEW_SLOPE])
    if status == BLURRED:
        if clock[T_BLURRED] == 0.0:
            clock[T_BLURRED] = h
            clock[T_BLURRED_END] = t + h
    elif status == EVENT:
        counts[C_REJECTED] += 1
        clock[T_STOP] = t + reals(ctx, SETTINGS)[S_STEP, 0]
    elif status == NOT_SOLVED and 0.5 * h >= finest:  # in a part of the step, which has no past to begin with
        status = BLURRED
    if status == BLURRED:
        counts[C_REJECTED] += 1
        counts[C_RETRIED] = 1
        clock[T_STEP] = 0.5 * h
    return status


@njit(**INSIDE)
def _try(ctx, t, h, y, whatever):
    """A step of length h; its error is in SETTINGS. `whatever` that is, its end is wanted."""
    settings = reals(ctx, SETTINGS)
    ctx[H_FRESH] = 0
    ctx[H_INTERPOLANT] = 0
    settings[S_STEP, 0] = h
    settings[S_WHATEVER, 0] = 1.0 if whatever else 0.0
    settings[S_FACTOR, 0] = 0.0
    return run(ctx, F_TRY, t, y, y)


@njit(**INSIDE)
def _fill(ctx, y, work, times, samples, clock, counts):
    """All times up to the end of the step ahead, from the dense output, each projected: EVENT if one is an event's.

    Rows of samples that are longer than a state get rates, too.
    """
    sample, new = work[work.shape[0] - SAMPLE], work[work.shape[0] - NEW]
    last = clock[T_AHEAD]
    k = counts[C_SAMPLE]
    noted = samples.shape[1] > y.size
    while k < times.size and times[k] < last:
        status = run(ctx, F_DENSE, times[k], y, sample)
        if status != OK:
            return status
        ctx[H_FACTORED] = 0  # with factors of its own: what was looked at before must not show
        status = run(ctx, F_AFTER_STEP, times[k], sample, sample)
        ctx[H_FRESH] = 0
        if status not in (OK, RESTART):
            return status
        copy(sample, samples[k])
        if noted:
            note_rates(ctx, times[k], y, work, samples[k], status == OK)
        k += 1
        counts[C_SAMPLE] = k
    if k < times.size and (times[k] == last or (clock[T_STOP] == last and at_sample(last, times[k]))):
        copy(new, samples[k])
        clock[T_AHEAD] = times[k]
        counts[C_SAMPLE] += 1
        return EVENT if clock[T_STOP] == last else OK
    return OK


@njit(**INSIDE)
def _go_ahead(ctx, y, work, clock, counts):
    """To the end of the step ahead: EVENT if there is one, UNTIL if no step goes beyond."""
    new, slope = work[work.shape[0] - NEW], work[work.shape[0] - NEW_SLOPE]
    last = clock[T_AHEAD]
    if counts[C_CHANGED] == 1:
        work[work.shape[0] - NOTES, 0] = 0.0
        ctx[H_FRESH] = 0
        status = run(ctx, F_RHS, last, new, slope)
        if status != OK:
            return status
        counts[C_CHANGED] = 0
    copy(new, y)
    copy(slope, work[0])
    clock[T_NOW] = last
    clock[T_AHEAD] = -np.inf
    if clock[T_STOP] < np.inf:
        clock[T_STOP] = np.inf
        counts[C_RESTART] = 1
        return EVENT
    return UNTIL if last >= clock[T_UNTIL] else OK


@njit(**INSIDE)
def _single_steps(ctx, t, y, work, times, samples, clock, counts):
    """To an event, and to the times before it, by the steps that found it: OK if all times lie before.

    For methods that need a history, and where the last step, which has one, cannot be solved.
    """
    settings = reals(ctx, SETTINGS)
    new, slope = work[work.shape[0] - NEW], work[work.shape[0] - NEW_SLOPE]
    last = clock[T_STOP]
    while counts[C_SAMPLE] < times.size and times[counts[C_SAMPLE]] < last:
        sample = samples[counts[C_SAMPLE]]
        copy(y, sample)
        settings[S_STEP, 0] = times[counts[C_SAMPLE]] - t
        status = run(ctx, F_STEP, t, sample, sample)
        if status not in (OK, RESTART):
            return status
        counts[C_SAMPLE] += 1
    if counts[C_SAMPLE] == times.size:
        return OK
    settings[S_STEP, 0] = last - t
    land(ctx, new)
    ctx[H_FRESH] = 0
    status = run(ctx, F_RHS, last, new, slope)
    if status != OK:
        return status
    counts[C_SINGLE] = 0
    counts[C_STEPS] += 1
    clock[T_AHEAD] = last
    return _fill(ctx, y, work, times, samples, clock, counts)


@njit(**INSIDE)
def _try_event(ctx, t, y, work, clock, counts):
    """A step to the event at clock[T_STOP], to be ahead: OK, or why it cannot be taken."""
    settings = reals(ctx, SETTINGS)
    h = clock[T_STOP] - t
    status = NOT_SOLVED
    if ctx[H_SUBSTITUTE] == 0:
        status = _try(ctx, t, h, y, True)
    if status == NOT_SOLVED:
        counts[C_SINGLE] = 1
        return OK
    if status not in (OK, RESTART) or not settings[S_ERROR, 0] < np.inf:
        counts[C_REJECTED] += 1
        return status if status != OK else NOT_FINITE
    land(ctx, work[work.shape[0] - NEW])
    settings[S_START, 0] = t
    settings[S_STEP, 0] = h
    counts[C_CHANGED] = int(status == RESTART)
    counts[C_STEPS] += 1
    clock[T_AHEAD] = clock[T_STOP]
    return OK


@njit(**INSIDE)
def _to_event(ctx, t, y, work, times, samples, clock, counts):
    """On to the event at clock[T_STOP], found before: OK to go on, EVENT there, or why it cannot be reached."""
    if counts[C_SINGLE] == 0:
        return _try_event(ctx, t, y, work, clock, counts)
    status = _single_steps(ctx, t, y, work, times, samples, clock, counts)
    return _go_ahead(ctx, y, work, clock, counts) if status == EVENT else status


@njit(**INSIDE)
def _through(ctx, y, work, times, samples, clock, counts):
    """Through the step ahead, and to its end: OK too if all times are filled before, and it stays ahead."""
    status = _fill(ctx, y, work, times, samples, clock, counts)
    if status == EVENT or (status == OK and counts[C_SAMPLE] < times.size):
        status = _go_ahead(ctx, y, work, clock, counts)
    return status


@njit(**INSIDE)
def _asked_back(ctx, counts, budget, most):
    """Why control goes back to the caller before the next step, or OK."""
    if counts[C_LOOK] > 0 and counts[C_STEPS] + counts[C_REJECTED] >= counts[C_LOOK]:
        return LOOK
    if 0 < counts[C_STIFF] <= ctx[H_STIFF]:
        return STIFF
    if budget == 0:
        return PAUSED
    return TOO_MANY_STEPS if counts[C_STEPS] >= most else OK


@njit(**INSIDE)
def _retry(clock, counts, h, proposed, error, status, finest):
    """Answer a step that failed or errs too much: OK to try a shorter one, or why that is no use."""
    if status not in (OK, RESTART):
        counts[C_BROKEN] = status
    elif not error < np.inf:
        counts[C_BROKEN] = NOT_FINITE
    status = reject(clock, counts, h, proposed, error, status, finest)
    counts[C_RETRIED] = 1
    if counts[C_WATCH] == 1 and clock[T_STEP] < CRAWL * clock[T_USUAL]:
        return CRAWLING
    return counts[C_BROKEN] if status == STEP_TOO_SMALL and counts[C_BROKEN] > 0 else status


@njit(**INSIDE)
def _accept(ctx, t, h, grow, clock, counts):
    """The step that was tried is ahead now, the next one longer by `grow`: OK, unless there is no end of tiny steps."""
    settings = reals(ctx, SETTINGS)
    settings[S_START, 0] = t
    settings[S_STEP, 0] = h
    counts[C_STEPS] += 1
    clock[T_AHEAD] = end_of_step(t, h, clock)
    clock[T_USUAL] = max(h, 0.9 * clock[T_USUAL])
    clock[T_STEP] = h * (min(1.0, grow) if counts[C_RETRIED] == 1 else max(SHRINK, grow))
    counts[C_RETRIED] = counts[C_BROKEN] = 0
    counts[C_TINY] = counts[C_TINY] + 1 if h < TINY * max(abs(t), LEAST_TIME) else 0
    return STEP_TOO_SMALL if counts[C_TINY] >= MOST_TINY else OK


def make_advance(searching):
    """The loop with the search for events, if there are any, or without, which compiles in two thirds of the time."""

    def advance(ctx, y, times, samples, order, rtol, atol, longest, clock, counts, pause, most):
        """Run on from clock[T_NOW] through times, filling samples; gives control back after `pause` steps.

        `order` is that of the error of a step, which goes like h^order. At an event it returns EVENT; the next call
        goes on from there, with whatever y it finds. OK: all times are filled, and a step may be ahead.
        """
        work = reals(ctx, METHOD_WORK)
        settings = reals(ctx, SETTINGS)
        events = ints(ctx, EVENTS).shape[0]
        most_growth = GROW_GENTLY if events > 0 or ctx[H_KINKED] == 1 else GROW
        ctx[H_WORK] = METHOD_WORK
        settings[S_RTOL, 0], settings[S_ATOL, 0] = rtol, atol
        if counts[C_RESTART] == 1:
            status = begin(ctx, y, work[0], clock, counts)
            if searching and events > 0 and status == OK:
                status = _begin_search(ctx, y, work, clock)
            if status == OK:
                status = _begin(ctx, y, work, order, rtol, atol, longest, clock)
            if status != OK:
                counts[C_RESTART] = 1
                return status
            if counts[C_RANK] == 1:
                begin_margins(ctx, y)
        budget = pause
        status = OK
        while status == OK and counts[C_SAMPLE] < times.size:
            if clock[T_AHEAD] > -np.inf:
                status = _through(ctx, y, work, times, samples, clock, counts)
                if status != OK or clock[T_AHEAD] > -np.inf:
                    return status
            status = _asked_back(ctx, counts, budget, most)
            if status != OK:
                return status
            budget -= 1
            t = clock[T_NOW]
            if searching and clock[T_STOP] < np.inf:
                status = _to_event(ctx, t, y, work, times, samples, clock, counts)
                continue
            most_now = longest
            if searching and events > 0:  # a body that turns steadily makes long steps, in which they could hide
                most_now = min(most_now, clock[T_TURN])
            if ctx[H_KINKED] == 1:
                most_now = min(most_now, clock[T_REACH])
            h = length(clock, most_now)
            finest = finest_step(t)
            if not h >= finest:
                return counts[C_BROKEN] if counts[C_BROKEN] > 0 else STEP_TOO_SMALL
            chosen = counts[C_CHOSEN] == 1
            status = _try(ctx, t, h, y, chosen)
            error = settings[S_ERROR, 0]
            proposed = settings[S_FACTOR, 0]
            if chosen and error < np.inf:
                error = proposed = 1.0
            if proposed == 0.0:
                proposed = GROW if error == 0.0 else SAFETY * error ** (-1.0 / order)
            counts[C_CHANGED] = int(status == RESTART)
            if not error <= 1.0 or status not in (OK, RESTART):
                status = _retry(clock, counts, h, proposed, error, status, finest)
                continue
            if ctx[H_KINKED] == 1:
                clock[T_REACH] = _reach_time(ctx, y)
            if counts[C_RANK] == 1:
                note_margins(ctx, y)
            if searching and events > 0:
                status = _search(ctx, t, h, y, work, clock, counts, finest)
                if status in (BLURRED, EVENT):
                    status = OK
                    continue
                if status != OK:
                    return status
            status = _accept(ctx, t, h, min(most_growth, proposed), clock, counts)
            if counts[C_RANK] == 1 and passes(ctx, h, clock[T_USUAL]) and status == OK and not chosen:
                status = PASSING_BY
        return status

    return njit(**OPTIONS)(cache_name(advance, searching))


advance, advance_plain = make_advance(True), make_advance(False)


@njit(**OPTIONS)
def follow(ctx, y, ends, times, samples, clock, counts):
    """Steps to the times `ends`, whatever their errors, in the number type of y; fills samples like `advance`.

    So the steps of a run whose error control has found them are taken once more, as constants, for derivatives.
    """
    work = numbers(ctx, METHOD_WORK, y)
    settings = reals(ctx, SETTINGS)
    ctx[H_WORK] = METHOD_WORK
    ctx[H_FRESH] = 0
    settings[S_RTOL, 0], settings[S_ATOL, 0], settings[S_WHATEVER, 0] = 1.0, 1.0, 1.0
    work[work.shape[0] - NOTES, 0] = 0.0
    clock[T_NOW], clock[T_STOP], clock[T_UNTIL] = times[0], np.inf, np.inf
    status = run(ctx, F_RHS, times[0], y, work[0])
    if status != OK:
        return status
    copy(y, samples[0])
    counts[C_SAMPLE] = 1
    for k in range(ends.size):
        t = clock[T_NOW]
        ctx[H_FRESH] = 0
        ctx[H_INTERPOLANT] = 0
        settings[S_STEP, 0] = ends[k] - t
        status = run(ctx, F_TRY, t, y, y)
        if status not in (OK, RESTART):
            return status
        if not settings[S_ERROR, 0] < np.inf:
            return NOT_FINITE
        settings[S_START, 0] = t
        counts[C_CHANGED] = int(status == RESTART)
        clock[T_AHEAD] = ends[k]
        status = _fill(ctx, y, work, times, samples, clock, counts)
        if status == OK:
            status = _go_ahead(ctx, y, work, clock, counts)
        if status != OK:
            return status
    return OK


def step(t, y_, unused_, ctx_):
    """F_STEP: one step without error control, for the search of events."""
    ctx = table(ctx_)
    y = vector_at(y_, ctx[H_Q] + ctx[H_V] + ctx[H_Z])
    work = reals(ctx, STEP_WORK)
    settings = reals(ctx, SETTINGS)
    h = settings[S_STEP, 0]
    ctx[H_FRESH] = 0
    status = run(ctx, F_RHS, t, y, work[0])
    if status != OK:
        return status
    ctx[H_WORK] = STEP_WORK
    work[work.shape[0] - NOTES, 0] = 0.0
    settings[S_WHATEVER, 0] = 1.0
    status = run(ctx, F_SUBSTITUTE if ctx[H_SUBSTITUTE] == 1 else F_TRY, t, y, y)
    settings[S_WHATEVER, 0] = 0.0
    settings[S_STEP, 0] = h
    ctx[H_WORK] = METHOD_WORK
    if settings[S_ERROR, 0] == np.inf and status == OK:
        status = NOT_FINITE
    if status in (OK, RESTART):
        copy(work[work.shape[0] - NEW], y)
    return status
