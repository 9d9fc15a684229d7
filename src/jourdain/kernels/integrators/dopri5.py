"""DOPRI5, the method of order 5(4) of Dormand and Prince: slopes, error and dense output of a step.

Its entries are in dormand_prince.py, the loop is adaptive_loop.py.

Hairer, Norsett and Wanner I, table II.5.2 and sec. II.6. The seventh slope, which only the error estimate and the dense
output use, is the first of the next step. It is taken at the projected end: that moves it by the error of the step,
so the estimate changes in a higher order only, and what the projection itself does is not in it.
"""

import numpy as np
from numba import njit

from ..core.context import (
    F_RHS,
    INSIDE,
    OK,
    run,
)
from ..core.lane_numbers import larger, moment
from .step_rows import NEW_SLOPE, RAW, SHARED_ROWS, STAGE

ORDER = 5  # of the error of a step, as it is estimated
EARLY = 0  # the slope at the closed end is part of the error
BORDER = 3.25  # of stability: Hairer's value
STAGES = 6
A = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
C = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1])
E = np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])
# Of the fourth coefficient of the dense output.
D = np.array(
    [
        -12715105075 / 11282082432,
        0,
        87487479700 / 32700410799,
        -10690763975 / 1880347072,
        701980252875 / 199316789632,
        -1453857185 / 822651844,
        69997945 / 29380423,
    ]
)
W_DENSE = STAGES  # 4 rows behind the slopes


def work_rows(n):
    return STAGES + 4 + SHARED_ROWS


@njit(**INSIDE)
def slopes(ctx, t, h, y, work):
    """All slopes of a step but that at its end, and the end before the projection in RAW."""
    rows = work.shape[0]
    raw, stage = work[rows - RAW], work[rows - STAGE]
    for s in range(1, STAGES + 1):
        into = raw if s == STAGES else stage
        for i in range(y.size):
            total = 0.0
            for j in range(s):
                total += A[s, j] * work[j, i]
            into[i] = y[i] + h * total
        if s < STAGES:
            status = run(ctx, F_RHS, moment(t + C[s] * h), into, work[s])
            if status != OK:
                return status
    return OK


@njit(**INSIDE)
def error(h, y, work, n, rtol, atol):
    """Error against the tolerance, of the component that errs most; infinite where it is not a number."""
    rows = work.shape[0]
    new, slope = work[rows - RAW], work[rows - NEW_SLOPE]
    worst = 0.0
    for i in range(n):
        total = E[STAGES] * slope[i]
        for s in range(STAGES):
            total += E[s] * work[s, i]
        worst = larger(worst, abs(h * total) / (atol + rtol * larger(abs(y[i]), abs(new[i]))))
    return worst


@njit(**INSIDE)
def border(rtol):
    return BORDER


@njit(**INSIDE)
def prepare(ctx, t, h, y, work):
    """Rows work[W_DENSE:] of the interpolating polynomial, of order 4."""
    raw, slope = work[work.shape[0] - RAW], work[work.shape[0] - NEW_SLOPE]
    for i in range(y.size):
        d = raw[i] - y[i]
        bend = h * work[0, i] - d
        total = D[STAGES] * slope[i]
        for s in range(STAGES):
            total += D[s] * work[s, i]
        work[W_DENSE, i] = d
        work[W_DENSE + 1, i] = bend
        work[W_DENSE + 2, i] = d - h * slope[i] - bend
        work[W_DENSE + 3, i] = h * total
    return OK


@njit(**INSIDE)
def between(work, x, y, out):
    """The state at a part x of the step, once its polynomial is prepared."""
    for i in range(y.size):
        last = work[W_DENSE + 2, i] + (1.0 - x) * work[W_DENSE + 3, i]
        out[i] = y[i] + x * (work[W_DENSE, i] + (1.0 - x) * (work[W_DENSE + 1, i] + x * last))
