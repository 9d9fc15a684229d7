"""A step of an implicit method with error control: the entry of radau.py and of bdf.py. Loop: adaptive_loop.py.

A method has `begin`, which returns what its factors belong to; `solve_step`, made by newton.py of its Jacobian, factors
and iteration; `error`; and for the length of the next step `unsolved` where there is no solution, `shrunk` where the
error is too large, else `grown`. Entries close over the module of a method, which the cache knows by its name.
"""

import numpy as np

from ..core.context import (
    H_MULTIPLIERS,
    H_Q,
    H_V,
    H_WORK,
    H_Z,
    NOT_FINITE,
    NOT_SOLVED,
    OK,
    S_ATOL,
    S_ERROR,
    S_FACTOR,
    S_RTOL,
    S_STEP,
    S_WHATEVER,
    SETTINGS,
    reals,
    table,
    vector_at,
)
from . import bdf, radau
from .newton import KNOWN, LAST_END, remember, start
from .step_rows import NOTES, STAGE, close, controlled, wanted

METHODS = {"radau": radau, "bdf": bdf}


def make_attempt(name):
    method = METHODS[name]

    def attempt(t, y_, unused_, ctx_):
        """F_TRY."""
        ctx = table(ctx_)
        y = vector_at(y_, ctx[H_Q] + ctx[H_V] + ctx[H_Z])
        rates = controlled(ctx)
        n = rates + ctx[H_MULTIPLIERS]
        work = reals(ctx, ctx[H_WORK])
        settings = reals(ctx, SETTINGS)
        h, rtol, atol = settings[S_STEP, 0], settings[S_RTOL, 0], settings[S_ATOL, 0]
        notes, spare = work[work.shape[0] - NOTES], work[work.shape[0] - STAGE]
        x, multipliers = work[method.W_START], work[method.W_MULTIPLIERS]
        settings[S_ERROR, 0] = np.inf
        status = start(ctx, t, y, x, multipliers, spare, notes[KNOWN] == 1.0, notes[LAST_END] == t)
        if status != OK:
            return status
        scale = method.begin(ctx, t, h, y, work, notes)
        status = method.solve_step(ctx, t, h, scale, work, notes, n, rates, rtol, atol)
        notes[LAST_END] = np.inf  # the rows are no longer those of the last good step
        if status == NOT_SOLVED and settings[S_WHATEVER, 0] == 0.0:
            settings[S_ERROR, 0], settings[S_FACTOR, 0] = method.unsolved(h, notes)
            return OK
        if status != OK:
            return status
        error = method.error(ctx, t, h, y, work, n, rates, rtol, atol)
        if not error < np.inf:
            return NOT_FINITE
        if not wanted(ctx, error):
            settings[S_FACTOR, 0] = method.shrunk(ctx, work, notes, error, rates, rtol, atol)
            return OK
        settings[S_FACTOR, 0] = method.grown(ctx, h, work, notes, error, rates, rtol, atol)
        notes[LAST_END] = t + h
        status = close(ctx, t + h, work)
        remember(ctx, multipliers)
        return status

    return attempt
