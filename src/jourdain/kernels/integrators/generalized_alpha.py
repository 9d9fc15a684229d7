"""One step of generalized-alpha on the index-3 equations: M v' + J^T lam = f, C(q, t) = 0, in Lie-group form.

Chung and Hulbert 1993; on constrained systems and Lie groups Arnold and Bruls 2007, Bruls and Cardona 2010. With
a the algorithmic acceleration and x the increment of the coordinates,

    q1 = q0 (+) x,   x = h v0 + h^2 ((1/2 - b) a0 + b a1),   v1 = v0 + h ((1 - g) a0 + g a1)
    (1 - am) a1 + am a0 = (1 - af) v1' + af v0'

so that, inside a step, v' grows with x by k = (1 - am) / (b h^2 (1 - af)) and v by g / (b h). Newton's method on
(x, lam) with k M for the iteration matrix of the dynamics needs nothing but the factors of K = J M^-1 J^T:

    r = v' - free + W lam,   K dlam = k C - J r,   dx = -(r + W dlam) / k

What is left out, h^2 times stiffness and h times damping against the mass, decides how fast that converges. How fast
it was is remembered, so that most steps need one iteration. Where it is slow, the exact matrix takes over
(generalized_alpha_exact.py), which is dense; now and then the masses are tried again. Rows that hold velocities are
closed in v: C = (J v + p) / (g / (b h)). Singular masses have r = v' - (M + E)^-1 E v' - free + W lam (dynamics.py).

States of elements have an algorithmic rate w of their own and the same parameters (Bruls and Golinval 2006), so that
fast ones are damped alike:

    z1 = z0 + h ((1 - g) w0 + g w1),   (1 - am) w1 + am w0 = (1 - af) z1' + af z0'

Works and turns, which do not act back, follow the trapezoidal rule.

HHT (Hilber, Hughes and Taylor 1977) is am = 0; with am = af = 0 it is the trapezoidal rule of Newmark.
"""

import numpy as np
from numba import njit

from ..core.context import (
    ACCELERATION,
    AUTO,
    F_CORRECT,
    F_EXACT,
    F_FACTOR,
    F_LOAD,
    F_PLACE,
    F_RATES,
    F_REACTIONS,
    F_RETRACT,
    F_RHS,
    F_SHIFT,
    F_SOLVE,
    F_TIMES,
    F_WEIGH,
    F_WIND,
    FLIPPED,
    FREE,
    GAMMA,
    H_COUNT,
    H_EVALUATIONS,
    H_FACTORED,
    H_FEEDBACK,
    H_FRESH,
    H_NEWTONS,
    H_Q,
    H_SINGULAR,
    H_STATES,
    H_V,
    H_Z,
    HOT,
    INSIDE,
    LAMBDA,
    MODIFIED_ONLY,
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
    S_EXACT,
    S_GAMMA,
    S_NEWTON,
    S_OPEN,
    S_SHRINKS,
    S_STEP,
    SCRATCH,
    SETTINGS,
    TRIAL,
    UNIT_ROWS,
    WANTS_EXACT,
    WINDINGS,
    ints,
    reals,
    run,
    state,
)
from ..core.formula_parts import VELOCITY_LEVEL, copy_z
from ..treatments.projection import flipped

# Functions of the time loop that are called once: passing their arrays took 0.1 us a step.
INLINED = {"inline": "always", **INSIDE}
# Rows of the work array: slope of y; algorithmic accelerations, then rates of z where z is in y; increment x, then v';
# correction; y at the start.
W_SLOPE, W_ALGORITHMIC, W_INCREMENT, W_CHANGE, W_START = range(5)
WORK_ROWS = 5
MAX_ITERATIONS = 30
PATIENCE = 8  # iterations after which the exact matrix takes over, where the choice is ours
LOOK_BACK = 200  # steps after which the masses alone are tried again
MANY = 600  # velocities from which the exact matrix, which is dense, takes over only where nothing else helps
# A step is solved when what the corrections still lack is below this part of the first one, which is about the error
# of the method in a step; but need not be below the tolerance of a closed joint, and must be below that of an open one.
SOLVED = 1e-6
# Likewise for states, relative to themselves, or to STATE_SIZE if they are smaller.
STATE_CLOSED, STATE_OPEN, STATE_SIZE = 1e-10, 1e-8, 1e-2
LOOK_AGAIN = 16  # steps after which the speed of convergence is measured anew


@njit(**INSIDE)
def restart(ctx, work):
    """Algorithmic accelerations and rates are those of the slope."""
    for i in range(ctx[H_V]):
        work[W_ALGORITHMIC, i] = work[W_SLOPE, ctx[H_Q] + i]
    for i in range(ctx[H_Q] + ctx[H_V], work.shape[1]):
        work[W_ALGORITHMIC, i] = work[W_SLOPE, i]


@njit(**INLINED)
def factors(ctx, h):
    """How v' and v grow with x."""
    settings = reals(ctx, SETTINGS)
    b = settings[S_BETA, 0]
    k = (1.0 - settings[S_AM, 0]) / (b * h * h * (1.0 - settings[S_AF, 0]))
    return k, settings[S_GAMMA, 0] / (b * h)


@njit(**HOT)
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


@njit(**HOT)
def residuals(ctx, t, q, v, increment, change, c):
    """change = v' - free + W lam, and C in GAMMA, where F_PLACE and F_WEIGH have been."""
    nv = ctx[H_V]
    free = state(ctx, FREE, q)
    lam = state(ctx, LAMBDA, q)
    work = state(ctx, SCRATCH, q)
    if ctx[H_FEEDBACK] == 1:
        acc = state(ctx, ACCELERATION, q)
        for i in range(nv):
            acc[i] = increment[nv + i]
        run(ctx, F_REACTIONS, t, q, v)
    run(ctx, F_LOAD, t, q, v)
    _constraint_errors(ctx, q, v, c, state(ctx, GAMMA, q))
    for i in range(nv):
        change[i] = increment[nv + i] - free[i]
    if ctx[H_SINGULAR] == 1:
        trial = state(ctx, TRIAL, q)
        run(ctx, F_SHIFT, t, increment[nv:], trial)
        for i in range(nv):
            change[i] -= trial[i]
    for i in range(lam.size):
        work[i] = -lam[i]
    run(ctx, F_CORRECT, t, change, work)


@njit(**INLINED)
def _iterate(ctx, t, q, v, increment, change, k, c):
    """One Newton step on (x, lam) with the factors at hand; returns the largest correction of x."""
    nv = ctx[H_V]
    lam = state(ctx, LAMBDA, q)
    rows = state(ctx, GAMMA, q)
    work = state(ctx, SCRATCH, q)
    unit = ints(ctx, UNIT_ROWS)
    residuals(ctx, t, q, v, increment, change, c)
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
    part = -1.0 / k
    for i in range(nv):
        dx = part * change[i]
        increment[i] += dx
        v[i] += c * dx
        increment[nv + i] += k * dx
        if not abs(dx) <= most:
            most = abs(dx) if dx == dx else np.inf
    return most


@njit(**HOT)
def _blend(ctx):
    """Parts of an algorithmic acceleration or rate: of the true one, of that of the step before, and of itself."""
    settings = reals(ctx, SETTINGS)
    am, af = settings[S_AM, 0], settings[S_AF, 0]
    return (1.0 - af) / (1.0 - am), af / (1.0 - am), -am / (1.0 - am)


@njit(**HOT)
def next_state(ctx, h, place, rate, work):
    """The state at y[place] at the end of the step, if its rate is `rate` there."""
    g = reals(ctx, SETTINGS)[S_GAMMA, 0]
    new, old, own = _blend(ctx)
    w = work[W_ALGORITHMIC, place]
    return work[W_START, place] + h * ((1.0 - g) * w + g * (new * rate + old * work[W_SLOPE, place] + own * w))


@njit(**HOT)
def state_rate(ctx, h, place, z, work):
    """The other way round: the rate that goes with z."""
    new, _, _ = _blend(ctx)
    return (z - next_state(ctx, h, place, 0.0, work)) / (h * reals(ctx, SETTINGS)[S_GAMMA, 0] * new)


@njit(**INLINED)
def integrate_works(ctx, h, y, work):
    """What does not act back, with the powers at hand."""
    first = ctx[H_Q] + ctx[H_V]
    power = state(ctx, POWER, y)
    for i in range(ctx[H_STATES], ctx[H_Z]):
        y[first + i] = work[W_START, first + i] + 0.5 * h * (work[W_SLOPE, first + i] + power[i])


@njit(**INLINED)
def _integrate_states(ctx, h, y, work):
    """States with the rates at hand; returns the largest relative change."""
    first = ctx[H_Q] + ctx[H_V]
    power = state(ctx, POWER, y)
    moved = 0.0
    for i in range(ctx[H_STATES]):
        z = next_state(ctx, h, first + i, power[i], work)
        change = abs(z - y[first + i]) / max(abs(work[W_START, first + i]), STATE_SIZE)
        if not change <= moved:
            moved = change if change == change else np.inf
        y[first + i] = z
    return moved


@njit(**HOT)
def enough(ctx, most, moved):
    """Corrections of x and of states that need no further ones, from the first ones."""
    settings = reals(ctx, SETTINGS)
    x = max(settings[S_CLOSED, 0], min(SOLVED * most, settings[S_OPEN, 0]))
    return x, max(STATE_CLOSED, min(SOLVED * moved, STATE_OPEN))


@njit(**INLINED)
def _guess(ctx, h, y, work):
    """y at the start into W_START; a first guess of its end: v' stays."""
    settings = reals(ctx, SETTINGS)
    am, b, g = settings[S_AM, 0], settings[S_BETA, 0], settings[S_GAMMA, 0]
    nq, nv = ctx[H_Q], ctx[H_V]
    slope, a, increment, start = work[W_SLOPE], work[W_ALGORITHMIC], work[W_INCREMENT], work[W_START]
    for i in range(y.size):
        start[i] = y[i]
    part = 1.0 / (1.0 - am)
    for i in range(nv):
        a1 = part * (slope[nq + i] - am * a[i])
        increment[i] = h * y[nq + i] + h * h * ((0.5 - b) * a[i] + b * a1)
        increment[nv + i] = slope[nq + i]
        y[nq + i] += h * ((1.0 - g) * a[i] + g * a1)
    for i in range(nq + nv, y.size):
        y[i] += h * slope[i]


@njit(**INSIDE)
def _guess_again(ctx, h, y, work):
    """Another guess, from W_START: x = h v, and states stay. For steps much longer than what v' changes in."""
    settings = reals(ctx, SETTINGS)
    b, g = settings[S_BETA, 0], settings[S_GAMMA, 0]
    nq, nv = ctx[H_Q], ctx[H_V]
    new, old, own = _blend(ctx)
    increment = work[W_INCREMENT]
    for i in range(y.size):
        y[i] = work[W_START, i]
    for i in range(nv):
        a0 = work[W_ALGORITHMIC, i]
        a1 = (1.0 - 0.5 / b) * a0
        increment[i] = h * y[nq + i]
        increment[nv + i] = (a1 - old * work[W_SLOPE, nq + i] - own * a0) / new
        y[nq + i] += h * ((1.0 - g) * a0 + g * a1)


@njit(**INLINED)
def _modified(ctx, t, h, y, work, most_iterations):
    """The step that ends at t, from the guess in y, with k M for the iteration matrix."""
    settings = reals(ctx, SETTINGS)
    nq, nv = ctx[H_Q], ctx[H_V]
    increment, change, start = work[W_INCREMENT], work[W_CHANGE], work[W_START]
    k, c = factors(ctx, h)
    q = y[:nq]
    v = y[nq : nq + nv]
    most_x, most_z = 0.0, 0.0  # corrections that are enough
    last = np.inf
    solved = False
    for iteration in range(most_iterations):
        for i in range(nq):
            q[i] = start[i]
        run(ctx, F_RETRACT, t, q, increment)
        if solved:
            return OK
        copy_z(ctx, y)
        run(ctx, F_PLACE, t, q, v)
        run(ctx, F_WEIGH, t, q, v)
        if iteration % 8 == 0:
            status = run(ctx, F_FACTOR, t, q, v)
            if status != OK:
                return status
            ctx[H_FACTORED] = 1
        most = _iterate(ctx, t, q, v, increment, change, k, c)
        ctx[H_EVALUATIONS] += 1
        moved = _integrate_states(ctx, h, y, work)
        if not max(most, moved) < np.inf:
            return NOT_FINITE
        if iteration == 0:
            most_x, most_z = enough(ctx, most, moved)
        lacks = max(most / most_x, moved / most_z)
        if iteration > 0:
            settings[S_SHRINKS, 0] = max(lacks / last, 1e-6)
        shrinks = settings[S_SHRINKS, 0]
        lacking = lacks * shrinks / (1.0 - shrinks) if 0.0 < shrinks < 0.5 else np.inf
        solved = lacks <= 1.0 or (lacking <= 1.0 and (iteration > 0 or ctx[H_NEWTONS] % LOOK_AGAIN != 0))
        last = lacks
    return NOT_SOLVED


@njit(**INSIDE)
def _exact(ctx, t, h, y, work):
    """The step from t with the exact matrix; from another guess if the first does not do."""
    settings = reals(ctx, SETTINGS)
    settings[S_STEP, 0] = h
    settings[S_EXACT, 0] = max(settings[S_EXACT, 0] - 1.0, 0.0)
    _guess(ctx, h, y, work)
    status = run(ctx, F_EXACT, t + h, y, work)
    if status not in (NOT_SOLVED, NOT_FINITE):
        return status
    _reset(ctx, t, y, work)
    _guess_again(ctx, h, y, work)
    return run(ctx, F_EXACT, t + h, y, work)


@njit(**INSIDE)
def _reset(ctx, t, y, work):
    """y and multipliers, which may be anything by now, as they were at the start."""
    for i in range(y.size):
        y[i] = work[W_START, i]
    run(ctx, F_RHS, t, y, work[W_CHANGE])


@njit(**INLINED)
def _solve(ctx, t, h, y, work):
    """The equations of a step from t, with the iteration matrix that was chosen or that serves."""
    settings = reals(ctx, SETTINGS)
    newton = settings[S_NEWTON, 0]
    if newton == MODIFIED_ONLY or (newton == AUTO and settings[S_EXACT, 0] == 0.0):
        _guess(ctx, h, y, work)
        patient = newton == MODIFIED_ONLY or ctx[H_V] > MANY
        status = _modified(ctx, t + h, h, y, work, MAX_ITERATIONS if patient else PATIENCE)
        if newton == MODIFIED_ONLY or status not in (NOT_SOLVED, NOT_FINITE):
            return status
        _reset(ctx, t, y, work)
        settings[S_EXACT, 0] = LOOK_BACK
        settings[S_SHRINKS, 0] = 0.0
    return _exact(ctx, t, h, y, work) if ctx[H_COUNT + F_EXACT] != 0 else WANTS_EXACT


@njit(**HOT)
def step(ctx, t, h, y, work):
    """One step from y; work[W_SLOPE] and work[W_ALGORITHMIC] belong to y, before and after."""
    nq, nv = ctx[H_Q], ctx[H_V]
    slope, a, increment = work[W_SLOPE], work[W_ALGORITHMIC], work[W_INCREMENT]
    ctx[H_FRESH] = 0
    status = _solve(ctx, t, h, y, work)
    if status != OK:
        return status
    if flipped(ctx, y):
        return FLIPPED
    ctx[H_NEWTONS] += 1
    integrate_works(ctx, h, y, work)
    power = state(ctx, POWER, y)
    lam = state(ctx, LAMBDA, y)
    partial = state(ctx, PARTIAL, y)
    new, old, own = _blend(ctx)
    for i in range(nv):
        a[i] = new * increment[nv + i] + old * slope[nq + i] + own * a[i]
        slope[nq + i] = increment[nv + i]
    for i in range(nq + nv, nq + nv + ctx[H_STATES]):
        a[i] = new * power[i - nq - nv] + old * slope[i] + own * a[i]
    for i in range(ctx[H_Z]):
        slope[nq + nv + i] = power[i]
    driven = 0.0
    for i in range(lam.size):
        driven += lam[i] * partial[i]
    place = nq + nv + ctx[H_STATES] + 1
    slope[place] += driven
    y[place] += 0.5 * h * driven  # the powers at hand are without that of moving constraints
    if ints(ctx, WINDINGS).shape[0] > 0:
        copy_z(ctx, y)
        run(ctx, F_WIND, t + h, y, y)
    run(ctx, F_RATES, t + h, y, slope)
    return OK
