"""The way back to the constraints after a step: projections in the mass metric and in the Euclidean one, or none.

Projection works in the metric of M (+ E, see dynamics.py), so metres and radians do not mix.
"""

import numpy as np
from numba import njit

from ..core.context import (
    ENTRIES,
    F_CHART,
    F_CORRECT,
    F_FACTOR,
    F_PLACE,
    F_RETRACT,
    F_SOLVE,
    F_TIMES,
    F_UNIT_WEIGH,
    F_WEIGH,
    F_WIND,
    FLIPPED,
    FREE,
    GRADIENT,
    H_BODIES,
    H_CHARTS,
    H_FACTORED,
    H_FRESH,
    H_MATRIX_FREE,
    H_NEWTONS,
    H_NONLINEAR,
    H_Q,
    H_RECURSIVE,
    H_V,
    H_Z,
    HOT,
    INSIDE,
    NODES,
    NOT_CLOSED,
    NOT_FINITE,
    OK,
    PARTIAL,
    RESIDUAL,
    ROW_TAPES,
    S_CLOSED,
    S_EUCLIDEAN,
    S_OPEN,
    S_SIZE,
    SCRATCH,
    SETTINGS,
    SIGNS,
    SLOTS,
    UNIT_ROWS,
    VEC,
    VECTOR_LOCAL,
    WINDINGS,
    ints,
    largest,
    reals,
    run,
    state,
    table,
    vector_at,
)
from ..core.formula_parts import copy_z
from ..core.lane_numbers import choose, larger
from ..layout.tape_operations import COLUMNS

MAX_NEWTON = 12
LAST_DIGITS = 2e-15  # of the terms of a row: what rounding leaves of a gap
MOST_OPEN = 1e-4  # of the size, or rad: where rounding would leave more, Newton's method has lost its way


@njit(**INSIDE)
def is_closed(ctx, q, gap):
    """Whether rows from which Newton's method gets no farther are closed: to S_OPEN, or to the last digits of terms.

    Those of positions far from the origin are large, and so are angles after many turns.
    """
    settings = reals(ctx, SETTINGS)
    limit = settings[S_OPEN, 0]
    if gap <= limit:
        return True
    if not gap <= MOST_OPEN * max(settings[S_SIZE, 0], 1.0):
        return False
    residual = state(ctx, RESIDUAL, q)
    terms = state(ctx, SCRATCH, q)
    _size_of_terms(ctx, q, terms)
    open_by = 0.0
    for i in range(terms.size):
        open_by = larger(open_by, abs(residual[i]) - larger(LAST_DIGITS * abs(terms[i]), limit))
    return open_by <= 0.0


@njit(**INSIDE)
def _size_of_terms(ctx, q, terms):
    """Of every row, without signs: what its gradients make of its vectors, and the nodes of its formula."""
    local = reals(ctx, VECTOR_LOCAL)
    dim = local.shape[1] - 1
    vec = state(ctx, VEC, q)
    entries = ints(ctx, ENTRIES)
    gradient = state(ctx, GRADIENT, q)
    slots = ints(ctx, SLOTS)
    for i in range(terms.size):
        terms[i] = 0.0 * terms[i]
    for e in range(entries.shape[0]):
        x = 4 * dim * entries[e, 2]
        row = entries[e, 3]
        turns = _turns(ctx, q, slots[entries[e, 0], 1], dim) if entries[e, 0] >= 0 else abs(0.0 * q[0])
        for i in range(dim):
            slope = abs(gradient[dim * e + i])
            terms[row] += slope * abs(vec[x + i])
            for j in range(dim):  # what turning a little more moves
                terms[row] += turns * slope * abs(vec[x + dim + j])
    tapes = ints(ctx, ROW_TAPES)
    node = state(ctx, NODES, q)
    for k in range(tapes.shape[0]):
        most = abs(0.0 * terms[0])
        for n in range(COLUMNS * tapes[k, 0], COLUMNS * tapes[k, 1], COLUMNS):
            most = larger(most, abs(node[n] * node[n + 3]))
        terms[tapes[k, 2]] += most


@njit(**INSIDE)
def _turns(ctx, q, b, dim):
    """The largest angle among the coordinates of a body; of other coordinates that of all."""
    width = q.size // ctx[H_BODIES]
    first, last = 0, q.size
    if ctx[H_RECURSIVE] == 0 and width * ctx[H_BODIES] == q.size and width == (3 if dim == 2 else 6):
        first, last = b * width + dim, (b + 1) * width
    elif dim == 3 and ctx[H_RECURSIVE] == 0:
        return abs(0.0 * q[0])
    most = abs(0.0 * q[0])
    for i in range(first, last):
        most = larger(most, abs(q[i]))
    return most


# Theory, eq. 10 (projection).
@njit(**HOT)
def newton_step(ctx, t, q, gap, closed):
    """q <- q (+) -M^-1 J^T K^-1 C with whatever factors there are, in all lanes whose gap is more than `closed`."""
    step = state(ctx, FREE, q)
    rows = state(ctx, SCRATCH, q)
    residual = state(ctx, RESIDUAL, q)
    unit = ints(ctx, UNIT_ROWS)
    for i in range(rows.size):
        rows[i] = choose(gap - closed, residual[i], 0.0 * residual[i])
    for i in range(unit.shape[0]):
        rows[unit[i, 0]] = 0.0
    for i in range(step.size):
        step[i] = 0.0
    run(ctx, F_SOLVE, t, rows, rows)
    run(ctx, F_CORRECT, t, step, rows)
    run(ctx, F_RETRACT, t, q, step)


@njit(**HOT)
def _close(ctx, t, q, v):
    """Newton's method on C(q, t) = 0. The first step reuses the factors of the last stage: C is tiny there."""
    settings = reals(ctx, SETTINGS)
    residual = state(ctx, RESIDUAL, q)
    run(ctx, F_PLACE, t, q, v)
    gap = largest(residual)
    if gap <= settings[S_CLOSED, 0]:
        return OK
    if not gap < np.inf:
        return NOT_FINITE
    if ctx[H_FACTORED] == 1 and ctx[H_MATRIX_FREE] == 0:
        newton_step(ctx, t, q, gap, settings[S_CLOSED, 0])
        run(ctx, F_PLACE, t, q, v)
        gap = largest(residual)
    for _ in range(MAX_NEWTON):
        if gap <= settings[S_CLOSED, 0]:
            return OK
        run(ctx, F_WEIGH, t, q, v)
        status = run(ctx, F_FACTOR, t, q, v)
        if status != OK:
            return status
        ctx[H_NEWTONS] += 1
        newton_step(ctx, t, q, gap, settings[S_CLOSED, 0])
        run(ctx, F_PLACE, t, q, v)
        before = gap
        gap = largest(residual)
        if gap >= 0.5 * before and is_closed(ctx, q, gap):
            return OK  # rounding stops it: as closed as it gets
    return OK if is_closed(ctx, q, gap) else NOT_CLOSED


@njit(**HOT)
def flipped(ctx, q):
    """Whether a joint is closed the wrong way round: Newton's method does not mind, the machine would."""
    signs = ints(ctx, SIGNS)
    vec = state(ctx, VEC, q)
    dim = reals(ctx, VECTOR_LOCAL).shape[1] - 1
    for k in range(signs.shape[0]):
        cosine = 0.0
        for i in range(dim):
            cosine += vec[4 * dim * signs[k, 0] + i].real * vec[4 * dim * signs[k, 1] + i].real
        if not cosine > 0.0:
            return True
    return False


@njit(**HOT)
def normalise(ctx, t, q):
    """A retraction by nothing: brings back to length one what the coordinates keep there."""
    step = state(ctx, FREE, q)
    for i in range(step.size):
        step[i] = 0.0
    run(ctx, F_RETRACT, t, q, step)


def after_step(t, y_, unused_, ctx_):
    """Project q on C = 0 and v on J v + C_t = 0, both in the mass metric; leaves fresh factors."""
    ctx = table(ctx_)
    nq, nv = ctx[H_Q], ctx[H_V]
    y = vector_at(y_, nq + nv + ctx[H_Z])
    q = y[:nq]
    v = y[nq : nq + nv]
    rows = state(ctx, SCRATCH, q)
    copy_z(ctx, y)
    ctx[H_FRESH] = 0
    if rows.size > 0:
        status = _close(ctx, t, q, v)
        if status != OK:
            return status
        if flipped(ctx, q):
            return FLIPPED
    normalise(ctx, t, q)
    if ints(ctx, WINDINGS).shape[0] > 0:
        if rows.size == 0:
            run(ctx, F_PLACE, t, q, v)
        run(ctx, F_WIND, t, y, y)
    if rows.size == 0:
        return run(ctx, F_CHART, t, y, y) if ctx[H_CHARTS] == 1 else OK
    run(ctx, F_WEIGH, t, q, v)
    status = run(ctx, F_FACTOR, t, q, v)
    if status != OK:
        return status
    ctx[H_FACTORED] = 1
    _correct_velocity(ctx, t, q, v, rows)
    status = run(ctx, F_CHART, t, y, y) if ctx[H_CHARTS] == 1 else OK
    ctx[H_FRESH] = 1 if status == OK and ctx[H_NONLINEAR] == 0 else 0  # else J depends on v
    return status


def after_step_velocities(t, y_, unused_, ctx_):
    """Project v on J v + C_t = 0 in the mass metric; positions stay as they are."""
    ctx = table(ctx_)
    nq, nv = ctx[H_Q], ctx[H_V]
    y = vector_at(y_, nq + nv + ctx[H_Z])
    q = y[:nq]
    v = y[nq : nq + nv]
    rows = state(ctx, SCRATCH, q)
    copy_z(ctx, y)
    ctx[H_FRESH] = 0
    normalise(ctx, t, q)
    if rows.size > 0:
        run(ctx, F_PLACE, t, q, v)
        run(ctx, F_WEIGH, t, q, v)
        status = run(ctx, F_FACTOR, t, q, v)
        if status != OK:
            return status
        _correct_velocity(ctx, t, q, v, rows)
    return settled(ctx, t, y, q, v)


def after_step_euclidean(t, y_, unused_, ctx_):
    """The direct correction of Pappalardo and Guida 2018: q -= J^+ C until closed, then v -= J^+ (J v + C_t) once."""
    ctx = table(ctx_)
    nq, nv = ctx[H_Q], ctx[H_V]
    y = vector_at(y_, nq + nv + ctx[H_Z])
    q = y[:nq]
    v = y[nq : nq + nv]
    rows = state(ctx, SCRATCH, q)
    residual = state(ctx, RESIDUAL, q)
    settings = reals(ctx, SETTINGS)
    copy_z(ctx, y)
    ctx[H_FRESH] = 0
    ctx[H_FACTORED] = 0
    status = OK
    last = np.inf
    for k in range(MAX_NEWTON + 1):
        run(ctx, F_PLACE, t, q, v)
        run(ctx, F_UNIT_WEIGH, t, q, v)
        status = run(ctx, F_FACTOR, t, q, v)
        gap = largest(residual)
        stuck = gap >= 0.5 * last and is_closed(ctx, q, gap)
        if status != OK or gap <= settings[S_EUCLIDEAN, 0] or stuck or k == MAX_NEWTON:
            break
        ctx[H_NEWTONS] += 1
        last = gap
        newton_step(ctx, t, q, gap, settings[S_EUCLIDEAN, 0])
    if status != OK:
        return status
    if not is_closed(ctx, q, largest(residual)):
        return NOT_CLOSED
    if flipped(ctx, q):
        return FLIPPED
    _correct_velocity(ctx, t, q, v, rows)
    normalise(ctx, t, q)
    if ints(ctx, WINDINGS).shape[0] > 0:
        run(ctx, F_WIND, t, y, y)
    return run(ctx, F_CHART, t, y, y) if ctx[H_CHARTS] == 1 else OK


# Theory, eq. 10 (projection).
@njit(**HOT)
def _velocity_step(ctx, t, q, v, rows):
    """v -= W K^-1 (J v + C_t), with the factors and the metric of W; returns the largest J v + C_t there was."""
    run(ctx, F_TIMES, t, v, rows)
    partial = state(ctx, PARTIAL, q)
    unit = ints(ctx, UNIT_ROWS)
    for i in range(rows.size):
        rows[i] += partial[i]
    for i in range(unit.shape[0]):
        rows[unit[i, 0]] = 0.0
    gap = largest(rows)
    run(ctx, F_SOLVE, t, rows, rows)
    run(ctx, F_CORRECT, t, v, rows)
    return gap


@njit(**HOT)
def _correct_velocity(ctx, t, q, v, rows):
    """v on J v + C_t = 0; by Newton's method with the factors at hand where rows are not linear in v."""
    gap = _velocity_step(ctx, t, q, v, rows)
    if ctx[H_NONLINEAR] == 1:
        for _ in range(MAX_NEWTON):
            run(ctx, F_PLACE, t, q, v)
            before = gap
            gap = _velocity_step(ctx, t, q, v, rows)
            if not gap < 0.5 * before:
                return


def after_step_unprojected(t, y_, unused_, ctx_):
    """For the stabilisations `none` and `baumgarte`: nothing is projected."""
    ctx = table(ctx_)
    nq, nv = ctx[H_Q], ctx[H_V]
    y = vector_at(y_, nq + nv + ctx[H_Z])
    q = y[:nq]
    ctx[H_FRESH] = 0
    copy_z(ctx, y)
    normalise(ctx, t, q)
    return settled(ctx, t, y, q, y[nq : nq + nv])


@njit(**INSIDE)
def settled(ctx, t, y, q, v):
    """What is left to do where nothing is projected: signs of joints, turns, charts."""
    windings = ints(ctx, WINDINGS).shape[0] > 0
    if windings or ints(ctx, SIGNS).shape[0] > 0:
        run(ctx, F_PLACE, t, q, v)
        if flipped(ctx, q):
            return FLIPPED
    if windings:
        run(ctx, F_WIND, t, y, y)
    return run(ctx, F_CHART, t, y, y) if ctx[H_CHARTS] == 1 else OK
