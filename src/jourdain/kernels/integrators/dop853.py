"""DOP853: slopes, error and dense output of a step. Its entries are in dormand_prince.py, the loop is adaptive_loop.py.

Hairer, Norsett and Wanner I, sec. II.4, II.5, II.10.
"""

import numpy as np
from numba import njit

from ..core.context import (
    F_RHS,
    INSIDE,
    OK,
    run,
)
from ..core.lane_numbers import choose, larger, moment
from .dop853_table import E3, E5, EXTENDED, STAGES, A, C, D
from .step_rows import (
    NEW_SLOPE,
    RAW,
    SHARED_ROWS,
    STAGE,
    copy,
)

ORDER = 8  # of the error of a step, as it is estimated
EARLY = 1  # the error is known before the end is closed
BORDER = 6.1  # of stability: Hairer's value
# Well before that the error of fast modes, which have long decayed, is what is estimated. Where steps follow the motion
# itself, step times largest eigenvalue goes with the eighth root of the tolerance: machines that are not stiff have up
# to 1.7 at 1e-6 and 0.7 at 1e-9; half as much again is suspicious.
SUSPICIOUS_AT_ONE = 15.0
W_DENSE = EXTENDED  # 7 rows behind the slopes


def work_rows(n):
    return EXTENDED + 7 + SHARED_ROWS


@njit(**INSIDE)
def _stages(ctx, t, h, y, work, first, last):
    """Slopes work[first:last]."""
    n = y.size
    stage = work[work.shape[0] - STAGE]
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
        status = run(ctx, F_RHS, moment(t + C[s] * h), stage, work[s])
        if status != OK:
            return status
    return OK


@njit(**INSIDE)
def slopes(ctx, t, h, y, work):
    """All slopes of a step, and its end before the projection in RAW."""
    status = _stages(ctx, t, h, y, work, 1, STAGES)
    if status != OK:
        return status
    raw = work[work.shape[0] - RAW]
    for i in range(y.size):
        total = 0.0
        for s in range(STAGES):
            total += A[STAGES, s] * work[s, i]
        raw[i] = y[i] + h * total
    return OK


# Theory, eq. 11 (error).
@njit(**INSIDE)
def error(h, y, work, n, rtol, atol):
    """Error against the tolerance: 1 is the most that is accepted; infinite where it is not a number.

    The largest component counts, not the mean: on a machine of many bodies a mean hides the one that errs.
    """
    new = work[work.shape[0] - RAW]
    worst = 0.0
    for i in range(n):
        e5 = 0.0
        e3 = 0.0
        for s in range(STAGES):
            e5 += E5[s] * work[s, i].real
            e3 += E3[s] * work[s, i].real
        both = np.sqrt(e5 * e5 + 0.01 * e3 * e3)
        both = choose(both, both, 0.0 * both + 1.0)  # squares of slopes like 1e-170 are zero
        scale = atol + rtol * larger(abs(y[i]), abs(new[i]))
        worst = larger(worst, abs(h) * abs(e5) * (abs(e5) / both) / scale)
    return worst


@njit(**INSIDE)
def border(rtol):
    return min(BORDER, SUSPICIOUS_AT_ONE * rtol**0.125)


@njit(**INSIDE)
def prepare(ctx, t, h, y, work):
    """Rows work[W_DENSE:] of the interpolating polynomial."""
    raw = work[work.shape[0] - RAW]
    copy(work[work.shape[0] - NEW_SLOPE], work[STAGES])
    status = _stages(ctx, t, h, y, work, STAGES + 1, EXTENDED)
    if status != OK:
        return status
    for i in range(y.size):
        d = raw[i] - y[i]
        work[W_DENSE, i] = d
        work[W_DENSE + 1, i] = h * work[0, i] - d
        work[W_DENSE + 2, i] = 2.0 * d - h * (work[STAGES, i] + work[0, i])
        for r in range(4):
            total = 0.0
            for s in range(EXTENDED):
                total += D[r, s] * work[s, i]
            work[W_DENSE + 3 + r, i] = h * total
    return OK


@njit(**INSIDE)
def between(work, x, y, out):
    """The state at a part x of the step, once its polynomial is prepared."""
    for i in range(y.size):
        total = 0.0
        for k in range(6, -1, -1):
            total += work[W_DENSE + k, i]
            total *= x if k % 2 == 0 else 1.0 - x
        out[i] = y[i] + total
