"""One step of the classical Runge-Kutta method of order 4, with projection after it."""

from numba import njit

from ..core.context import F_AFTER_STEP, F_RHS, HOT, OK, RESTART, run


@njit(**HOT)
def step(ctx, t, h, y, work):
    """One step from y, whose derivative is work[0]; y and work[0] are those of the new, projected state."""
    n = y.size
    dy = work[0]
    total = work[1]
    stage = work[2]
    slope = work[3]
    for i in range(n):
        total[i] = dy[i]
        stage[i] = y[i] + 0.5 * h * dy[i]
    for s in range(1, 4):
        status = run(ctx, F_RHS, t + (0.5 * h if s < 3 else h), stage, slope)
        if status != OK:
            return status
        weight = 2.0 if s < 3 else 1.0
        ahead = 0.5 * h if s < 2 else h
        for i in range(n):
            total[i] += weight * slope[i]
            stage[i] = y[i] + ahead * slope[i]
    for i in range(n):
        y[i] += h / 6.0 * total[i]
    status = run(ctx, F_AFTER_STEP, t + h, y, y)
    if status not in (OK, RESTART):
        return status
    return run(ctx, F_RHS, t + h, y, dy)
