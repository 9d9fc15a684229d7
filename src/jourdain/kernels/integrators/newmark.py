"""One step of Newmark's trapezoidal rule as predictor and corrector, then projection (Joli et al. 2008, eq. 37).

    predict  q = q0 (+) (h v0 + h^2/4 a0),   v = v0 + h/2 a0
    correct  q = q0 (+) (h v0 + h^2/4 (a0 + a)),   v = v0 + h/2 (a0 + a)   with a at what is being corrected

The print of (37) has other factors; these are the ones whose sum is the trapezoidal rule. One evaluation a correction,
the last of which serves the next step as a0. Where forces depend on velocities, as constraints make them do, a of the
prediction is wrong by O(h): order 1 with one correction, order 2 with two. States of elements go likewise.
"""

from numba import njit

from ..core.context import (
    F_AFTER_STEP,
    F_RATES,
    F_RETRACT,
    F_RHS,
    H_FRESH,
    H_Q,
    H_V,
    INSIDE,
    OK,
    RESTART,
    S_CORRECTIONS,
    SETTINGS,
    reals,
    run,
)

# Rows of the work array: slope of y; slope at the new state; increment of q; y at the start.
W_SLOPE, W_NEW, W_INCREMENT, W_START = range(4)
WORK_ROWS = 4


@njit(**INSIDE)
def _place(ctx, t, h, y, work, part):
    """y from the start and both slopes, the new one taken with `part`."""
    nq, nv = ctx[H_Q], ctx[H_V]
    slope, new, increment, start = work[W_SLOPE], work[W_NEW], work[W_INCREMENT], work[W_START]
    for i in range(nv):
        a = slope[nq + i] + part * new[nq + i]
        increment[i] = h * start[nq + i] + 0.25 * h * h * a
        y[nq + i] = start[nq + i] + 0.5 * h * a
    for i in range(nq):
        y[i] = start[i]
    for i in range(nq + nv, y.size):
        y[i] = start[i] + 0.5 * h * (slope[i] + part * new[i])
    run(ctx, F_RETRACT, t, y, increment)


@njit(**INSIDE)
def step(ctx, t, h, y, work):
    """One step from y, whose slope is work[0]; y and work[0] are those of the new, projected state."""
    slope, new, start = work[W_SLOPE], work[W_NEW], work[W_START]
    for i in range(y.size):
        start[i] = y[i]
        new[i] = 0.0
    for correction in range(int(reals(ctx, SETTINGS)[S_CORRECTIONS, 0])):
        _place(ctx, t, h, y, work, 0.0 if correction == 0 else 1.0)
        ctx[H_FRESH] = 0
        status = run(ctx, F_RHS, t + h, y, new)
        if status != OK:
            return status
    _place(ctx, t, h, y, work, 1.0)
    status = run(ctx, F_AFTER_STEP, t + h, y, y)
    ctx[H_FRESH] = 0
    if status == RESTART:  # other coordinates, other accelerations
        return run(ctx, F_RHS, t + h, y, slope)
    if status != OK:
        return status
    for i in range(y.size):
        slope[i] = new[i]
    run(ctx, F_RATES, t + h, y, slope)
    return OK
