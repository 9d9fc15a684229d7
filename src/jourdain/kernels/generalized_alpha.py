"""One step of generalized-alpha on the index-3 equations: M v' + J^T lam = f, C(q, t) = 0, in Lie-group form.

Chung and Hulbert 1993; on constrained systems and Lie groups Arnold and Bruls 2007, Bruls and Cardona 2010. With
a the algorithmic acceleration and x the increment of the coordinates,

    q1 = q0 (+) x,   x = h v0 + h^2 ((1/2 - b) a0 + b a1),   v1 = v0 + h ((1 - g) a0 + g a1)
    (1 - am) a1 + am a0 = (1 - af) v1' + af v0'

so that, inside a step, v' grows with x by k = (1 - am) / (b h^2 (1 - af)) and v by g / (b h). Newton's method on
(x, lam) with k M for the iteration matrix of the dynamics needs nothing but the factors of K = J M^-1 J^T:

    r = v' - free + W lam,   K dlam = k C - J r,   dx = -(r + W dlam) / k

What is left out, h^2 times stiffness and h times damping against the mass, decides how fast that converges: a stiff
machine needs another integrator, and hears of it. How fast it was is remembered, so that most steps need one iteration.
Rows that hold velocities are closed in v: C = (J v + p) / (g / (b h)).

HHT (Hilber, Hughes and Taylor 1977) is am = 0; with am = af = 0 it is the trapezoidal rule of Newmark.
"""

import numpy as np
from numba import njit

from .context import (
    F_CORRECT,
    F_FACTOR,
    F_LOAD,
    F_PLACE,
    F_RATES,
    F_REACTIONS,
    F_RETRACT,
    F_SOLVE,
    F_TIMES,
    F_WEIGH,
    FLIPPED,
    FREE,
    GAMMA,
    H_EVALUATIONS,
    H_FACTORED,
    H_FEEDBACK,
    H_FRESH,
    H_NEWTONS,
    H_Q,
    H_STATES,
    H_V,
    H_Z,
    INSIDE,
    LAMBDA,
    NOT_FINITE,
    NOT_SOLVED,
    OK,
    PARTIAL,
    POWER,
    RESIDUAL,
    ROW_TAPES,
    S_AF,
    S_AM,
    S_BETA,
    S_CLOSED,
    S_GAMMA,
    S_SHRINKS,
    SCRATCH,
    SETTINGS,
    UNIT_ROWS,
    ints,
    reals,
    run,
    state,
)
from .formulas import VELOCITY_LEVEL, copy_z
from .projection import flipped

# Rows of the work array: slope of y; algorithmic acceleration; increment x, then v'; correction; y at the start.
W_SLOPE, W_ALGORITHMIC, W_INCREMENT, W_CHANGE, W_START = range(5)
WORK_ROWS = 5
MAX_ITERATIONS = 30
# A step is solved when what the corrections still lack is below this part of the first one, which is about the error
# of the method in a step; or below the tolerance of a closed joint.
SOLVED = 1e-6
LOOK_AGAIN = 16  # steps after which the speed of convergence is measured anew


@njit(**INSIDE)
def _constraint_errors(ctx, q, v, per_increment, rows):
    """C of each row; of rows that hold velocities their error in v, as an increment."""
    residual = state(ctx, RESIDUAL, q)
    for i in range(rows.size):
        rows[i] = residual[i]
    tapes = ints(ctx, ROW_TAPES)
    if tapes.shape[0] > 0:
        rate = state(ctx, SCRATCH, q)
        partial = state(ctx, PARTIAL, q)
        run(ctx, F_TIMES, 0.0, v, rate)
        for k in range(tapes.shape[0]):
            if tapes[k, 3] == VELOCITY_LEVEL:
                i = tapes[k, 2]
                rows[i] = (rate[i] + partial[i]) / per_increment


@njit(**INSIDE)
def _iterate(ctx, t, q, v, increment, change, k, c):
    """One Newton step on (x, lam) with the factors at hand; returns the largest correction of x."""
    nv = ctx[H_V]
    free = state(ctx, FREE, q)
    lam = state(ctx, LAMBDA, q)
    rows = state(ctx, GAMMA, q)
    work = state(ctx, SCRATCH, q)
    unit = ints(ctx, UNIT_ROWS)
    if ctx[H_FEEDBACK] == 1:
        run(ctx, F_REACTIONS, t, q, v)
    run(ctx, F_LOAD, t, q, v)
    _constraint_errors(ctx, q, v, c, rows)
    for i in range(nv):
        change[i] = increment[nv + i] - free[i]
    for i in range(lam.size):
        work[i] = -lam[i]
    run(ctx, F_CORRECT, t, change, work)
    run(ctx, F_TIMES, t, change, work)
    for i in range(lam.size):
        rows[i] = k * rows[i] - work[i]
    for i in range(unit.shape[0]):
        rows[unit[i, 0]] = 0.0
    run(ctx, F_SOLVE, t, rows, rows)
    for i in range(lam.size):
        lam[i] += rows[i]
        work[i] = -rows[i]
    run(ctx, F_CORRECT, t, change, work)
    most = 0.0
    for i in range(nv):
        dx = -change[i] / k
        increment[i] += dx
        v[i] += c * dx
        increment[nv + i] += k * dx
        if not abs(dx) <= most:
            most = abs(dx) if dx == dx else np.inf
    return most


@njit(**INSIDE)
def step(ctx, t, h, y, work):
    """One step from y; work[W_SLOPE] and work[W_ALGORITHMIC] belong to y, before and after."""
    settings = reals(ctx, SETTINGS)
    am, af, b, g = settings[S_AM, 0], settings[S_AF, 0], settings[S_BETA, 0], settings[S_GAMMA, 0]
    nq, nv, nz = ctx[H_Q], ctx[H_V], ctx[H_Z]
    slope, a, increment = work[W_SLOPE], work[W_ALGORITHMIC], work[W_INCREMENT]
    change, start = work[W_CHANGE], work[W_START]
    k = (1.0 - am) / (b * h * h * (1.0 - af))
    c = g / (b * h)
    q = y[:nq]
    v = y[nq : nq + nv]
    power = state(ctx, POWER, y)
    for i in range(y.size):
        start[i] = y[i]
    for i in range(nv):  # a first guess: v' stays
        a1 = (slope[nq + i] - am * a[i]) / (1.0 - am)
        increment[i] = h * v[i] + h * h * ((0.5 - b) * a[i] + b * a1)
        increment[nv + i] = slope[nq + i]
        v[i] += h * ((1.0 - g) * a[i] + g * a1)
    for i in range(nz):
        y[nq + nv + i] += h * slope[nq + nv + i]
    enough = settings[S_CLOSED, 0]
    last = np.inf
    solved = False
    ctx[H_FRESH] = 0
    for iteration in range(MAX_ITERATIONS):
        for i in range(nq):
            q[i] = start[i]
        run(ctx, F_RETRACT, t, q, increment)
        if solved:
            break
        copy_z(ctx, y)
        run(ctx, F_PLACE, t + h, q, v)
        run(ctx, F_WEIGH, t + h, q, v)
        if iteration % 8 == 0:
            status = run(ctx, F_FACTOR, t + h, q, v)
            if status != OK:
                return status
            ctx[H_FACTORED] = 1
        most = _iterate(ctx, t + h, q, v, increment, change, k, c)
        ctx[H_EVALUATIONS] += 1
        if not most < np.inf:
            return NOT_FINITE
        for i in range(nz):
            y[nq + nv + i] = start[nq + nv + i] + 0.5 * h * (slope[nq + nv + i] + power[i])
        if iteration == 0:
            enough = max(enough, SOLVED * most)
        else:
            settings[S_SHRINKS, 0] = max(most / last, 1e-6)
        shrinks = settings[S_SHRINKS, 0]
        lacking = most * shrinks / (1.0 - shrinks) if 0.0 < shrinks < 0.5 else np.inf
        solved = most <= enough or (lacking <= enough and (iteration > 0 or ctx[H_NEWTONS] % LOOK_AGAIN != 0))
        last = most
    if not solved:
        return NOT_SOLVED
    if flipped(ctx, q):
        return FLIPPED
    ctx[H_NEWTONS] += 1
    lam = state(ctx, LAMBDA, y)
    partial = state(ctx, PARTIAL, y)
    for i in range(nv):
        rate = increment[nv + i]
        a[i] = ((1.0 - af) * rate + af * slope[nq + i] - am * a[i]) / (1.0 - am)
        slope[nq + i] = rate
    for i in range(nz):
        slope[nq + nv + i] = power[i]
    driven = 0.0
    for i in range(lam.size):
        driven += lam[i] * partial[i]
    slope[nq + nv + ctx[H_STATES] + 1] += driven
    run(ctx, F_RATES, t + h, y, slope)
    return OK
