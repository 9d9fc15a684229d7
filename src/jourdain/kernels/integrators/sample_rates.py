"""Rates of the continuous solution, behind the states of samples.

A step that went over something short has a dense output that knows nothing of it, and a sample there shows forces that
the motion does not follow: whoever compares these rates with accelerations sees it (session/followed.py).
"""

import numpy as np
from numba import njit

from ..core.context import F_DENSE, H_Q, H_V, INSIDE, S_STEP, SETTINGS, reals, run
from .step_rows import NEW, NEW_SLOPE, SAMPLE

BESIDE = 1e-3  # of a step, to each side, between which rates are found


@njit(**INSIDE)
def note_rates(ctx, t, y, work, row, comparable):
    """Behind the state in a row of samples: the rates of velocities that the dense output has at t, how fast they are
    at the ends of the step, and its length.

    Slopes at the ends count as what they make of a velocity in the step. `comparable`: the sample is in the coordinates
    of the step; otherwise there is no length.
    """
    rows, after, first, nv = work.shape[0], y.size, ctx[H_Q], ctx[H_V]
    h = reals(ctx, SETTINGS)[S_STEP, 0]
    scratch, new, slope = work[rows - SAMPLE], work[rows - NEW], work[rows - NEW_SLOPE]
    for i in range(nv):
        j = first + i
        row[after + nv + i] = max(abs(y[j]), abs(new[j]), h * abs(work[0, j]), h * abs(slope[j]))
    row[after + 2 * nv] = h if comparable else np.nan
    for k in range(2):
        run(ctx, F_DENSE, t + (2 * k - 1) * BESIDE * h, y, scratch)
        for i in range(nv):
            before = row[after + i] if k == 1 else 0.0
            row[after + i] = before + (2 * k - 1) * scratch[first + i] / (2.0 * BESIDE * h)
