"""Runge-Kutta of order 6 in seven stages (Butcher 1964), with projection after each step; also starts `ab6`."""

import numpy as np
from numba import njit

from ..core.context import F_AFTER_STEP, F_RHS, INSIDE, OK, run

STAGES = 7
A = np.array(
    [
        [0, 0, 0, 0, 0, 0, 0],
        [1 / 3, 0, 0, 0, 0, 0, 0],
        [0, 2 / 3, 0, 0, 0, 0, 0],
        [1 / 12, 1 / 3, -1 / 12, 0, 0, 0, 0],
        [-1 / 16, 9 / 8, -3 / 16, -3 / 8, 0, 0, 0],
        [0, 9 / 8, -3 / 8, -3 / 4, 1 / 2, 0, 0],
        [9 / 44, -9 / 11, 63 / 44, 18 / 11, 0, -16 / 11, 0],
    ]
)
B = np.array([11 / 120, 0, 27 / 40, 27 / 40, -4 / 15, -4 / 15, 11 / 120])
C = np.array([0, 1 / 3, 2 / 3, 1 / 3, 1 / 2, 1 / 2, 1])


@njit(**INSIDE)
def step(ctx, t, h, y, work, first):
    """One step from y, whose derivative is work[0]; stages use work[first:]. Returns the status of the projection."""
    n = y.size
    stage = work[first]
    for s in range(1, STAGES):
        for i in range(n):
            total = A[s, 0] * work[0, i]
            for j in range(1, s):
                total += A[s, j] * work[first + j, i]
            stage[i] = y[i] + h * total
        status = run(ctx, F_RHS, t + C[s] * h, stage, work[first + s])
        if status != OK:
            return status
    for i in range(n):
        total = B[0] * work[0, i]
        for s in range(1, STAGES):
            total += B[s] * work[first + s, i]
        y[i] += h * total
    return run(ctx, F_AFTER_STEP, t + h, y, y)
