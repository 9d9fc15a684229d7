"""Adams-Bashforth of order 6 with projection after each step, started by Runge-Kutta of order 6 (Pappalardo 2018).

One evaluation a step. work[0] is the newest slope, work[1:6] the five before it.

Its region of stability is small: h |lambda| < 0.11 on the real axis, and none of the imaginary axis but 0. Beyond, its
parasitic solutions grow, which change sign or nearly so from step to step. So they show in the fifth difference of the
slopes, 32 times as large as themselves, while that of a motion the steps resolve is next to nothing.
"""

import numpy as np
from numba import njit

from ..core.context import F_AFTER_STEP, H_Q, H_V, INSIDE, S_CLOSED, SETTINGS, reals, run

ORDER = 6
DIFFERENCE = np.array([1.0, -5.0, 10.0, -10.0, 5.0, -1.0])
ROUGH = 0.2  # fifth difference of the accelerations, of the largest: parasites of 1/160
# Or a sudden change of a force, which stays in the differences for six steps; then some margin.
MOST_ROUGH = 16
NOISE = 100.0  # tolerances of a closed joint: what the difference may move in a step and be called rounding
WEIGHTS = np.array([4277, -7923, 9982, -7298, 2877, -475]) / 1440.0


@njit(**INSIDE)
def step(ctx, t, h, y, work):
    """One step from y; returns the status of the projection."""
    for i in range(y.size):
        total = 0.0
        for k in range(ORDER):
            total += WEIGHTS[k] * work[k, i]
        y[i] += h * total
    return run(ctx, F_AFTER_STEP, t + h, y, y)


@njit(**INSIDE)
def rough(ctx, h, work):
    """Whether the accelerations jump from step to step instead of lying on a smooth curve."""
    largest = 0.0
    jump = 0.0
    for i in range(ctx[H_Q], ctx[H_Q] + ctx[H_V]):
        total = 0.0
        for k in range(ORDER):
            total += DIFFERENCE[k] * work[k, i]
        largest = max(largest, abs(work[0, i]), abs(work[1, i]))
        jump = max(jump, abs(total))
    return jump > ROUGH * largest and h * h * jump > NOISE * abs(reals(ctx, SETTINGS)[S_CLOSED, 0])


@njit(**INSIDE)
def shift(work):
    """Make room for a new slope in work[0]."""
    for k in range(ORDER - 1, 0, -1):
        for i in range(work.shape[1]):
            work[k, i] = work[k - 1, i]
