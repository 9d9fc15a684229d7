"""The time loop of methods with error control: dop853, dopri5, radau and bdf.

The loop is compiled once for all of them. A method is two entries: F_TRY tries a step, F_DENSE interpolates in it. The
error is estimated without what the projection after the step does, on q, v and the states of elements: works and turns
are quadratures outside the error control. Samples of the dense output are projected too.

Row 0 of a method's work array is the slope at the start of the step. Rows that the loop shares with it are counted
from the end, before those of events.py.
"""

import math

import numpy as np
from numba import njit

from .context import (
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
    H_FRESH,
    H_INTERPOLANT,
    H_Q,
    H_SHARP,
    H_STATES,
    H_STIFF,
    H_SUBSTITUTE,
    H_V,
    H_WORK,
    H_Z,
    INSIDE,
    METHOD_WORK,
    NOT_FINITE,
    NOT_SOLVED,
    OK,
    OMEGA,
    OPTIONS,
    PAUSED,
    RESTART,
    S_ATOL,
    S_ERROR,
    S_FACTOR,
    S_RTOL,
    S_START,
    S_STEP,
    S_WHATEVER,
    SETTINGS,
    STEP_TOO_SMALL,
    STEP_WORK,
    STIFF,
    TOO_MANY_STEPS,
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
from .events import KEPT_ROWS, at_sample, keep, land, look
from .fixed_step import (
    C_REJECTED,
    C_RESTART,
    C_SAMPLE,
    C_STEPS,
    C_STIFF,
    C_WATCH,
    T_BLURRED,
    T_BLURRED_END,
    T_NOW,
    T_STEP,
    T_STOP,
    T_TURN,
    T_USUAL,
    begin,
)

SAFETY = 0.9
SHRINK = 1.0 / 3.0
GROW = 6.0
GROW_WITH_EVENTS = 1.5  # gently, or every second step would be too long to see them in
FINEST = 1.0 / 64.0  # of a step too long to see events in: a kink stays one however short the step
MOST_TURN = np.pi  # of any body in a step that is searched for events, four looks a step
CRAWL = 1.0 / 30.0  # of the usual step: below that a loop that is watched gives control back
SHORTEST = 1e-14  # of the times themselves

# Shared rows, counted from the end.
NEW = KEPT_ROWS + 1  # the end of the step, projected
RAW = KEPT_ROWS + 2  # before the projection
NEW_SLOPE = KEPT_ROWS + 3  # there, or where the projection changed coordinates, at RAW
SAMPLE = KEPT_ROWS + 4
NOTES = KEPT_ROWS + 5  # what a method remembers; NOTES[0] = 0: nothing, everything begins anew
STAGE = KEPT_ROWS + 6  # scratch: where the right-hand side is evaluated
SHARED_ROWS = 6

# NOTES of explicit methods. Hairer and Wanner II, sec. IV.2: a step is limited by stability if the difference of two
# slopes at its end, over that of the states they belong to, times h, is at the border of the stability region. So many
# of such steps in a row, without so many others between, and the machine is stiff.
KNOWN, SUSPICIOUS, CALM = 0, 1, 2
STIFF_AFTER = 15
CALM_AFTER = 6


@njit(**INSIDE)
def copy(source, target):
    """Slices in numba cost seconds of compile time; a loop costs none. Work rows may be longer than y."""
    for i in range(min(source.size, target.size)):
        target[i] = source[i]


@njit(**INSIDE)
def controlled(ctx):
    """How many numbers of y are under error control."""
    return ctx[H_Q] + ctx[H_V] + ctx[H_STATES]


# For the methods -------------------------------------------------------------------------------------------------


@njit(**INSIDE)
def wanted(ctx, error):
    """Note the error of the step that was tried; whether its end is wanted."""
    settings = reals(ctx, SETTINGS)
    settings[S_ERROR, 0] = error
    # A step to an event is part of one that was good enough.
    return error <= 1.0 or (settings[S_WHATEVER, 0] == 1.0 and error < np.inf)


@njit(**INSIDE)
def close(ctx, t, work):
    """From the end of a step in RAW to NEW and NEW_SLOPE; RESTART if the coordinates changed there."""
    rows = work.shape[0]
    raw, new, slope = work[rows - RAW], work[rows - NEW], work[rows - NEW_SLOPE]
    copy(raw, new)
    status = run(ctx, F_AFTER_STEP, t, new, new)
    if status == RESTART:  # the dense output needs the slope in the old coordinates
        ctx[H_FRESH] = 0
        status = run(ctx, F_RHS, t, raw, slope)
        return RESTART if status == OK else status
    return status if status != OK else run(ctx, F_RHS, t, new, slope)


@njit(**INSIDE)
def restlessness(ctx, h, work, last, border):
    """Above zero if the slope `last`, of the state in STAGE at the end of the step, is far from that of the end."""
    rows = work.shape[0]
    new, slope, stage = work[rows - NEW], work[rows - NEW_SLOPE], work[rows - STAGE]
    slopes = 0.0
    states = 0.0
    for i in range(controlled(ctx)):
        slopes += (slope[i].real - last[i].real) ** 2
        states += (new[i].real - stage[i].real) ** 2
    return h * h * slopes - border * border * states


@njit(**INSIDE)
def is_stiff(notes, restless):
    """Whether there have been many restless steps, this one included, and few others between."""
    if restless > 0.0:
        notes[CALM] = 0.0
        notes[SUSPICIOUS] += 1.0
        return notes[SUSPICIOUS].real >= STIFF_AFTER
    if notes[SUSPICIOUS].real > 0.0:
        notes[CALM] += 1.0
        if notes[CALM].real >= CALM_AFTER:
            notes[SUSPICIOUS] = 0.0
    return False


@njit(**INSIDE)
def watch_stiffness(ctx, h, work, last, border):
    if is_stiff(work[work.shape[0] - NOTES], restlessness(ctx, h, work, last, border)):
        ctx[H_STIFF] += 1


# The loop --------------------------------------------------------------------------------------------------------


@njit(**INSIDE)
def _first_step(ctx, t, y, work, order, rtol, atol, longest):
    """Hairer's starting step (I, sec. II.4): small enough that an explicit Euler step errs little."""
    n = controlled(ctx)
    stage = work[work.shape[0] - STAGE]
    slope = work[work.shape[0] - NEW_SLOPE]
    d0 = 0.0
    d1 = 0.0
    for i in range(n):
        scale = atol + rtol * abs(y[i])
        d0 += (y[i] / scale) ** 2
        d1 += (work[0, i] / scale) ** 2
    d0 = math.sqrt(d0 / n)
    d1 = math.sqrt(d1 / n)
    h = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    # A start where all is zero but for rounding has no size: there the quotient says nothing.
    h = min(max(h, 1e-10 * longest), longest)
    for i in range(y.size):
        stage[i] = y[i] + h * work[0, i]
    status = run(ctx, F_RHS, t + h, stage, slope)
    if status != OK:
        return 1e-3 * h
    d2 = 0.0
    for i in range(n):
        d2 += ((slope[i] - work[0, i]) / (atol + rtol * abs(y[i]))) ** 2
    d2 = math.sqrt(d2 / n) / h
    most = max(d1, d2)
    h1 = max(1e-6, h * 1e-3) if most <= 1e-15 else (0.01 / most) ** (1.0 / order)
    return min(100.0 * h, h1, longest)


@njit(**INSIDE)
def _turn_time(ctx, y):
    """In which the fastest body turns by MOST_TURN, as evaluated last: a stage that failed may have any spin."""
    return MOST_TURN / max(largest(state(ctx, OMEGA, y)), 1e-300)


@njit(**INSIDE)
def _begin(ctx, y, work, times, order, rtol, atol, longest, clock):
    """What a method and its first step need, once the slope at the start is known."""
    if not largest(work[0]) < np.inf:
        return NOT_FINITE
    work[work.shape[0] - NOTES, 0] = 0.0
    if clock[T_STEP] == 0.0:
        span = max(times[times.size - 1] - times[0], 1e-6)
        clock[T_STEP] = _first_step(ctx, clock[T_NOW], y, work, order, rtol, atol, min(longest, span))
    return OK


@njit(**INSIDE)
def _begin_search(ctx, y, work, clock):
    clock[T_BLURRED] = 0.0
    clock[T_BLURRED_END] = -np.inf
    status = look(ctx, clock[T_NOW], 0.0, y, work[0])
    clock[T_TURN] = _turn_time(ctx, y)
    return status


@njit(**INSIDE)
def length(clock, longest, end):
    """Of the next step."""
    t = clock[T_NOW]
    h = min(clock[T_STEP], longest)
    return end - t if t + h * (1.0 + 1e-9) >= end else h


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
def _search(ctx, t, h, y, work, clock, counts):
    """Events in the step that was tried: OK if none; BLURRED if it must be shorter; EVENT if it must end there.

    A step that was too long to see events in is remembered until its end is reached.
    """
    rows = work.shape[0]
    keep(ctx, y, work[0])
    if t >= clock[T_BLURRED_END]:
        clock[T_BLURRED] = 0.0
    ctx[H_SHARP] = 1 if h > FINEST * clock[T_BLURRED] else 0
    status = look(ctx, t, h, work[rows - NEW], work[rows - NEW_SLOPE])
    if status == BLURRED:
        counts[C_REJECTED] += 1
        clock[T_STEP] = 0.5 * h
        if clock[T_BLURRED] == 0.0:
            clock[T_BLURRED] = h
            clock[T_BLURRED_END] = t + h
    elif status == EVENT:
        counts[C_REJECTED] += 1
        clock[T_STOP] = t + reals(ctx, SETTINGS)[S_STEP, 0]
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
def _fill(ctx, last, y, work, times, samples, counts):
    """All samples strictly inside the step, from the dense output, each projected."""
    sample = work[work.shape[0] - SAMPLE]
    k = counts[C_SAMPLE]
    while k < times.size and times[k] < last:
        status = run(ctx, F_DENSE, times[k], y, sample)
        if status != OK:
            return status
        status = run(ctx, F_AFTER_STEP, times[k], sample, sample)
        ctx[H_FRESH] = 0
        if status not in (OK, RESTART):
            return status
        copy(sample, samples[k])
        k += 1
    counts[C_SAMPLE] = k
    return OK


@njit(**INSIDE)
def _accept(ctx, last, changed, y, work, times, samples, clock, counts):
    """Go to the end of the step, at `last`, and fill the samples on the way and there."""
    new, slope = work[work.shape[0] - NEW], work[work.shape[0] - NEW_SLOPE]
    if times[counts[C_SAMPLE]] < last:
        status = _fill(ctx, last, y, work, times, samples, counts)
        if status != OK:
            return status
    if changed:
        work[work.shape[0] - NOTES, 0] = 0.0
        ctx[H_FRESH] = 0
        status = run(ctx, F_RHS, last, new, slope)
        if status != OK:
            return status
    copy(new, y)
    copy(slope, work[0])
    clock[T_NOW] = last
    counts[C_STEPS] += 1
    k = counts[C_SAMPLE]
    if k < times.size and (times[k] == last or (clock[T_STOP] == last and at_sample(last, times[k]))):
        copy(y, samples[k])
        clock[T_NOW] = times[k]
        counts[C_SAMPLE] += 1
    return OK


@njit(**INSIDE)
def _stop(ctx, t, y, work, times, samples, clock, counts):
    """To an event, and to the samples before it, by the steps that found it.

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
    copy(y, new)
    settings[S_STEP, 0] = last - t
    status = run(ctx, F_STEP, t, new, new)
    if status not in (OK, RESTART):
        return status
    land(ctx, new)
    ctx[H_FRESH] = 0
    status = run(ctx, F_RHS, last, new, slope)
    if status == OK:
        status = _accept(ctx, last, status == RESTART, y, work, times, samples, clock, counts)
    clock[T_STOP] = np.inf
    counts[C_RESTART] = 1
    return EVENT if status == OK else status


@njit(**INSIDE)
def _go_to_event(ctx, t, y, work, times, samples, clock, counts):
    """A step to the event ahead, at clock[T_STOP]: EVENT, or why it cannot be taken."""
    settings = reals(ctx, SETTINGS)
    h = clock[T_STOP] - t
    status = NOT_SOLVED
    if ctx[H_SUBSTITUTE] == 0:
        status = _try(ctx, t, h, y, True)
    if status == NOT_SOLVED:
        return _stop(ctx, t, y, work, times, samples, clock, counts)
    if status not in (OK, RESTART) or not settings[S_ERROR, 0] < np.inf:
        counts[C_REJECTED] += 1
        return status if status != OK else NOT_FINITE
    land(ctx, work[work.shape[0] - NEW])
    settings[S_START, 0] = t
    settings[S_STEP, 0] = h
    status = _accept(ctx, clock[T_STOP], status == RESTART, y, work, times, samples, clock, counts)
    if status != OK:
        return status
    clock[T_STOP] = np.inf
    counts[C_RESTART] = 1
    return EVENT


def make_advance(searching):
    """The loop with the search for events, if there are any, or without, which compiles in two thirds of the time."""

    def advance(ctx, y, times, samples, order, rtol, atol, longest, clock, counts, pause, most):
        """Run on from clock[T_NOW] through times, filling samples; gives control back after `pause` steps.

        `order` is that of the error of a step, which goes like h^order. At an event it returns EVENT; the next call
        goes on from there, with whatever y it finds.
        """
        work = reals(ctx, METHOD_WORK)
        settings = reals(ctx, SETTINGS)
        events = ints(ctx, EVENTS).shape[0]
        ctx[H_WORK] = METHOD_WORK
        settings[S_RTOL, 0], settings[S_ATOL, 0] = rtol, atol
        if counts[C_SAMPLE] == 0 or counts[C_RESTART] == 1:
            status = begin(ctx, y, work[0], times, samples, clock, counts)
            if searching and events > 0 and status == OK:
                status = _begin_search(ctx, y, work, clock)
            if status == OK:
                status = _begin(ctx, y, work, times, order, rtol, atol, longest, clock)
            if status != OK:
                return status
        end = times[times.size - 1]
        budget = pause
        retried, broken = False, False  # this step was tried before; numbers were no longer finite there
        while counts[C_SAMPLE] < times.size:
            if budget == 0:
                return PAUSED
            if counts[C_STEPS] >= most:
                return TOO_MANY_STEPS
            budget -= 1
            t = clock[T_NOW]
            if searching and clock[T_STOP] < np.inf:
                return _go_to_event(ctx, t, y, work, times, samples, clock, counts)
            most_now = longest
            if searching and events > 0:  # a body that turns steadily makes long steps, in which they could hide
                most_now = min(longest, clock[T_TURN])
            h = length(clock, most_now, end)
            finest = SHORTEST * max(abs(t), abs(end))
            if not h >= finest:
                return NOT_FINITE if broken else STEP_TOO_SMALL
            status = _try(ctx, t, h, y, False)
            error = settings[S_ERROR, 0]
            proposed = settings[S_FACTOR, 0]
            if proposed == 0.0:
                proposed = GROW if error == 0.0 else SAFETY * error ** (-1.0 / order)
            changed = status == RESTART
            if not error <= 1.0 or status not in (OK, RESTART):
                status = reject(clock, counts, h, proposed, error, status, finest)
                retried = True
                broken = broken or not error < np.inf
                if status == STEP_TOO_SMALL and broken:
                    status = NOT_FINITE
                if counts[C_WATCH] == 1 and clock[T_STEP] < CRAWL * clock[T_USUAL]:
                    return CRAWLING
                if status != OK:
                    return status
                continue
            if searching and events > 0:
                clock[T_TURN] = _turn_time(ctx, y)
                status = _search(ctx, t, h, y, work, clock, counts)
                if status == NOT_SOLVED and 0.5 * h >= finest:  # in a part of the step, which has no past to begin with
                    counts[C_REJECTED] += 1
                    clock[T_STEP] = 0.5 * h
                    retried = True
                    continue
                if status in (BLURRED, EVENT):
                    retried = retried or status == BLURRED
                    continue
                if status != OK:
                    return status
            settings[S_START, 0] = t
            settings[S_STEP, 0] = h
            last = t + h if h < end - t else end
            status = _accept(ctx, last, changed, y, work, times, samples, clock, counts)
            if status != OK:
                return status
            clock[T_USUAL] = max(h, 0.9 * clock[T_USUAL])
            grow = min(GROW if events == 0 else GROW_WITH_EVENTS, proposed)
            clock[T_STEP] = h * (min(1.0, grow) if retried else max(SHRINK, grow))
            retried, broken = False, False
            if counts[C_STIFF] == 1 and ctx[H_STIFF] > 0:
                return STIFF
        return OK

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
    clock[T_NOW], clock[T_STOP] = times[0], np.inf
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
        status = _accept(ctx, ends[k], status == RESTART, y, work, times, samples, clock, counts)
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
