"""Adams-Bashforth of order 6 with projection after each step, started by Runge-Kutta of order 6 (Pappalardo 2018).

One evaluation a step. work[0] is the newest slope, work[1:6] the five before it.
"""

import numpy as np
from numba import njit

from .context import F_AFTER_STEP, INSIDE, run

ORDER = 6
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
def shift(work):
    """Make room for a new slope in work[0]."""
    for k in range(ORDER - 1, 0, -1):
        work[k] = work[k - 1]
