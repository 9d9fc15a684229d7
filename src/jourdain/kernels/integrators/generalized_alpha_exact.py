"""A step of generalized-alpha by Newton's method with the exact iteration matrix, for machines stiff against the step.

Unknown are the increment x, the states z of elements and the multipliers lam (see generalized_alpha.py):

    r(x, z, lam) / k = 0,   z - z1(z') = 0,   C(x, z) = 0

The matrix is made of differences, one column for positions and one for velocities of each increment, since forces may
change over much shorter ways in one than in the other. Reactions that forces depend on have columns of their own. It is
dense. Its factors are kept, also from step to step, as long as the iteration converges well with them.

Unknowns have scales, so that pivots can be compared: that of a state is its size, that of a multiplier is the one that
moves a body by one in a step.
"""

import numpy as np
from numba import njit

from ..core.context import (
    EXACT,
    EXACT_PIVOTS,
    F_CORRECT,
    F_PLACE,
    F_RETRACT,
    F_WEIGH,
    GAMMA,
    H_EVALUATIONS,
    H_FEEDBACK,
    H_Q,
    H_STATES,
    H_V,
    H_Z,
    INSIDE,
    LAMBDA,
    NOT_FINITE,
    NOT_SOLVED,
    OK,
    POWER,
    S_STEP,
    SCRATCH,
    SETTINGS,
    UNIT_ROWS,
    ints,
    largest,
    matrix_at,
    reals,
    run,
    state,
    table,
    vector_at,
)
from ..core.formula_parts import copy_z
from .generalized_alpha import (
    STATE_SIZE,
    W_CHANGE,
    W_INCREMENT,
    W_START,
    WORK_ROWS,
    enough,
    factors,
    next_state,
    residuals,
    state_rate,
)
from .newton import factor, solve

# Rows of EXACT behind the n of the factors: scales of the unknowns, residuals or correction, those of
# a column, the correction before, the step for which the matrix was made, 0 if it is to be made anew.
SCALES, RIGHT, COLUMN, BEFORE, MADE = range(5)
MORE_ROWS = 5
MAX_ITERATIONS = 60  # many, where friction turns round within a step; else a few
SLOW = 0.1  # corrections that shrink by less ask for a new matrix
SAME = 1e-6  # relative difference of steps that can share a matrix
DIFFERENCE = 1e-8  # m, rad; m/s, rad/s or of the velocity; of the scale of states and multipliers


@njit(**INSIDE)
def _evaluate(ctx, t, h, y, work, out):
    """All residuals at the increments, states and multipliers at hand."""
    nq, nv, ns = ctx[H_Q], ctx[H_V], ctx[H_STATES]
    increment, change, start = work[W_INCREMENT], work[W_CHANGE], work[W_START]
    k, c = factors(ctx, h)
    q = y[:nq]
    v = y[nq : nq + nv]
    for i in range(nq):
        q[i] = start[i]
    run(ctx, F_RETRACT, t, q, increment)
    copy_z(ctx, y)
    run(ctx, F_PLACE, t, q, v)
    run(ctx, F_WEIGH, t, q, v)
    residuals(ctx, t, q, v, increment, change, c)
    ctx[H_EVALUATIONS] += 1
    power = state(ctx, POWER, q)
    rows = state(ctx, GAMMA, q)
    unit = ints(ctx, UNIT_ROWS)
    for i in range(unit.shape[0]):
        rows[unit[i, 0]] = 0.0
    scale = reals(ctx, EXACT)[nv + ns + rows.size + SCALES]
    for i in range(nv):
        out[i] = change[i] / k
    for i in range(nv, nv + ns):
        out[i] = (y[nq + i] - next_state(ctx, h, nq + i, power[i - nv], work)) / scale[i]
    for i in range(rows.size):
        out[nv + ns + i] = rows[i]


@njit(**INSIDE)
def _weights(ctx, k, y, work):
    """Columns of the multipliers, W / k, and their scales, where F_WEIGH has been."""
    nv, ns = ctx[H_V], ctx[H_STATES]
    a = reals(ctx, EXACT)
    n = a.shape[1]
    scale = a[n + SCALES]
    change = work[W_CHANGE]
    rows = state(ctx, SCRATCH, y)
    for j in range(rows.size):
        for i in range(nv):
            change[i] = 0.0
        for i in range(rows.size):
            rows[i] = -1.0 if i == j else 0.0
        run(ctx, F_CORRECT, 0.0, change, rows)
        most = 0.0
        for i in range(nv):
            most = max(most, abs(change[i]))
        scale[nv + ns + j] = k / most if most > 0.0 else 1.0
        for i in range(nv):
            a[i, nv + ns + j] = change[i] / most if most > 0.0 else 0.0
        for i in range(nv, n):
            a[i, nv + ns + j] = 0.0
    unit = ints(ctx, UNIT_ROWS)
    for i in range(unit.shape[0]):
        u = nv + ns + unit[i, 0]
        a[u, u] = 1.0


@njit(**INSIDE)
def _add_column(ctx, t, h, y, work, j, per):
    """Column j += per times what the residuals have changed by since RIGHT."""
    a = reals(ctx, EXACT)
    n = a.shape[1]
    right, column = a[n + RIGHT], a[n + COLUMN]
    _evaluate(ctx, t, h, y, work, column)
    for i in range(n):
        a[i, j] += per * (column[i] - right[i])


@njit(**INSIDE)
def _make(ctx, t, h, y, work):
    """The matrix at the increments, states and multipliers at hand, factored; False if it is singular."""
    nq, nv, ns = ctx[H_Q], ctx[H_V], ctx[H_STATES]
    k, c = factors(ctx, h)
    a = reals(ctx, EXACT)
    n = a.shape[1]
    scale = a[n + SCALES]
    increment = work[W_INCREMENT]
    lam = state(ctx, LAMBDA, y)
    for i in range(nv + ns):
        scale[i] = max(abs(work[W_START, nq + i]), STATE_SIZE) if i >= nv else 1.0
    _evaluate(ctx, t, h, y, work, a[n + RIGHT])
    _weights(ctx, k, y, work)
    for i in range(n):
        for j in range(nv + ns):
            a[i, j] = 0.0
    for j in range(nv):
        x, rate, speed = increment[j], increment[nv + j], y[nq + j]
        increment[j] = x + DIFFERENCE
        d = increment[j] - x
        increment[nv + j] = rate + k * d
        _add_column(ctx, t, h, y, work, j, 1.0 / d)
        increment[j], increment[nv + j] = x, rate
        y[nq + j] = speed + DIFFERENCE * max(1.0, abs(speed))
        _add_column(ctx, t, h, y, work, j, c / (y[nq + j] - speed))
        y[nq + j] = speed
    for j in range(nv, nv + ns):
        z = y[nq + j]
        y[nq + j] = z + DIFFERENCE * scale[j]
        _add_column(ctx, t, h, y, work, j, scale[j] / (y[nq + j] - z))
        y[nq + j] = z
    for j in range(lam.size if ctx[H_FEEDBACK] == 1 else 0):
        u = nv + ns + j
        if a[u, u] == 0.0:
            before = lam[j]
            lam[j] = before + DIFFERENCE * scale[u]
            for i in range(n):
                a[i, u] = 0.0
            _add_column(ctx, t, h, y, work, u, scale[u] / (lam[j] - before))
            lam[j] = before
    return factor(a, 0, n, ints(ctx, EXACT_PIVOTS)[0])


@njit(**INSIDE)
def _move(ctx, h, y, work, direction, part):
    """Part of a Newton step."""
    nq, nv, ns = ctx[H_Q], ctx[H_V], ctx[H_STATES]
    k, c = factors(ctx, h)
    a = reals(ctx, EXACT)
    scale = a[a.shape[1] + SCALES]
    increment = work[W_INCREMENT]
    lam = state(ctx, LAMBDA, y)
    for i in range(direction.size):
        change = part * scale[i] * direction[i]
        if i < nv:
            increment[i] += change
            increment[nv + i] += k * change
            y[nq + i] += c * change
        elif i < nv + ns:
            y[nq + i] += change
        else:
            lam[i - nv - ns] += change


@njit(**INSIDE)
def _newton(ctx, t, h, y, work):
    """Newton's method: OK, NOT_SOLVED or NOT_FINITE.

    Corrections by the same matrix must become smaller (Deuflhard's natural test). Where they do not, the last one was
    too long, and half of it is taken back; or it came from an old matrix, and all of it is.
    """
    nv, ns = ctx[H_V], ctx[H_STATES]
    a = reals(ctx, EXACT)
    n = a.shape[1]
    right, before, made_for = a[n + RIGHT], a[n + BEFORE], a[n + MADE]
    most_x, most_z = 0.0, 0.0  # corrections that are enough
    part = 0.0  # of the last correction, that is not taken back
    last = 0.0  # its size; 0: not to be compared with
    fresh = False  # whether the matrix was made where it began
    for iteration in range(MAX_ITERATIONS):
        made = abs(made_for[0] - h) > SAME * h
        if made:
            if not _make(ctx, t, h, y, work):
                return NOT_SOLVED
            made_for[0] = h
            last = 0.0
        _evaluate(ctx, t, h, y, work, right)
        solve(a, 0, n, ints(ctx, EXACT_PIVOTS)[0], right)
        most, moved = largest(right[:nv]), largest(right[nv : nv + ns])
        if part == 0.0:
            most_x, most_z = enough(ctx, most, moved)
        lacks = max(most / most_x, moved / most_z)
        if last > 0.0 and lacks > 1.0 and not lacks < last:
            back = 0.5 * part if fresh else part
            _move(ctx, h, y, work, before, back)
            part -= back
            if part == 0.0:
                made_for[0] = 0.0
            continue
        if not lacks < np.inf:
            made_for[0] = 0.0
            return NOT_FINITE if iteration == 0 else NOT_SOLVED
        shrinks = lacks / last if last > 0.0 else 0.0
        solved = lacks <= 1.0 or (0.0 < shrinks < 0.5 and lacks * shrinks / (1.0 - shrinks) <= 1.0)
        if shrinks > SLOW:
            made_for[0] = 0.0
            if not solved:
                continue
        _move(ctx, h, y, work, right, -1.0)
        if solved:
            return OK
        for i in range(n):
            before[i] = right[i]
        part, last, fresh = 1.0, lacks, made
    made_for[0] = 0.0
    return NOT_SOLVED


def solve_step(t, y_, work_, ctx_):
    """Entry: the step of length SETTINGS[S_STEP] that ends at t, from the guess in y and in work."""
    ctx = table(ctx_)
    nq, n = ctx[H_Q], ctx[H_Q] + ctx[H_V] + ctx[H_Z]
    y = vector_at(y_, n)
    work = matrix_at(work_, WORK_ROWS, n)
    h = reals(ctx, SETTINGS)[S_STEP, 0]
    status = _newton(ctx, t, h, y, work)
    power = state(ctx, POWER, y)
    first = nq + ctx[H_V]
    for i in range(ctx[H_STATES]):  # the rates at hand are those before the last correction
        power[i] = state_rate(ctx, h, first + i, y[first + i], work)
    for i in range(nq):
        y[i] = work[W_START, i]
    run(ctx, F_RETRACT, t, y, work[W_INCREMENT])
    return status
