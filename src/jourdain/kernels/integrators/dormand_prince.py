"""A step of an explicit method with error control, and the state inside it: entries of dop853.py and of dopri5.py.

Both have slopes, error, border, prepare and between; EARLY says whether the error is known before the end is closed.
Entries close over the module of a method, which the cache knows by its name.
"""

import numpy as np

from ..core.context import (
    H_INTERPOLANT,
    H_Q,
    H_V,
    H_WORK,
    H_Z,
    OK,
    RESTART,
    S_ATOL,
    S_ERROR,
    S_RTOL,
    S_START,
    S_STEP,
    SETTINGS,
    numbers,
    reals,
    table,
    vector_at,
)
from . import dop853, dopri5
from .step_rows import KNOWN, NOTES, close, controlled, wanted, watch_stiffness

METHODS = {"dop853": dop853, "dopri5": dopri5}


def make_attempt(name):
    method = METHODS[name]

    def attempt(t, y_, unused_, ctx_):
        """F_TRY."""
        ctx = table(ctx_)
        y = vector_at(y_, ctx[H_Q] + ctx[H_V] + ctx[H_Z])
        work = numbers(ctx, ctx[H_WORK], y)
        settings = reals(ctx, SETTINGS)
        h, rtol, atol = settings[S_STEP, 0], settings[S_RTOL, 0], settings[S_ATOL, 0]
        notes = work[work.shape[0] - NOTES]
        if notes[KNOWN] == 0.0:
            for i in range(notes.size):
                notes[i] = 0.0
            notes[KNOWN] = 1.0
        settings[S_ERROR, 0] = np.inf
        status = method.slopes(ctx, t, h, y, work)
        if status != OK:
            return status
        if method.EARLY == 1 and not wanted(ctx, method.error(h, y, work, controlled(ctx), rtol, atol)):
            return OK
        status = close(ctx, t + h, work)
        if method.EARLY == 0 and status in (OK, RESTART):
            wanted(ctx, method.error(h, y, work, controlled(ctx), rtol, atol))
        if status == OK and (method.EARLY == 1 or settings[S_ERROR, 0] <= 1.0):
            watch_stiffness(ctx, h, work, work[method.STAGES - 1], method.border(rtol))
        return status

    return attempt


def make_dense(name):
    method = METHODS[name]

    def dense(t, y_, out_, ctx_):
        """F_DENSE."""
        ctx = table(ctx_)
        n = ctx[H_Q] + ctx[H_V] + ctx[H_Z]
        y = vector_at(y_, n)
        work = numbers(ctx, ctx[H_WORK], y)
        start, h = reals(ctx, SETTINGS)[S_START, 0], reals(ctx, SETTINGS)[S_STEP, 0]
        if ctx[H_INTERPOLANT] == 0:
            status = method.prepare(ctx, start, h, y, work)
            if status != OK:
                return status
            ctx[H_INTERPOLANT] = 1
        method.between(work, (t - start) / h, y, vector_at(out_, n))
        return OK

    return dense
