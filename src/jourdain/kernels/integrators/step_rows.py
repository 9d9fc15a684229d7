"""What methods with error control share with their loop (adaptive_loop.py): rows of memory, and what is done with them.

Row 0 of a method's work array is the slope at the start of the step. Rows that the loop shares with it are counted
from the end, before those of event_search.py.
"""

import numpy as np
from numba import njit

from ..core.context import (
    F_AFTER_STEP,
    F_RHS,
    H_FRESH,
    H_Q,
    H_STATES,
    H_STIFF,
    H_V,
    INSIDE,
    NOTES_ROW,
    OK,
    RESTART,
    S_ERROR,
    S_WHATEVER,
    SETTINGS,
    reals,
    run,
)
from .event_search import KEPT_ROWS

# Shared rows, counted from the end.
NEW = KEPT_ROWS + 1  # the end of the step, projected
RAW = KEPT_ROWS + 2  # before the projection
NEW_SLOPE = KEPT_ROWS + 3  # there, or where the projection changed coordinates, at RAW
SAMPLE = KEPT_ROWS + 4
NOTES = NOTES_ROW  # what a method remembers; NOTES[0] = 0: nothing, everything begins anew
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
