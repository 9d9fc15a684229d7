"""Equations in which multipliers are unknowns of a step, for the implicit methods: x = [y | multipliers].

The stabilised equations of index 2 (Gear, Gupta and Leimkuhler 1985), x = [y | lam | mu]:

    q' = N(q) (v - M^-1 J^T mu),   M v' = Q - J^T lam,   0 = J v + C_t,   0 = C(q, t)

mu vanishes in the solution; it is what lets positions and velocities both be closed. Rows that hold velocities have
no C, and no mu. The equations of index 1 (Marquis-Favre 2006, eq. 23), x = [y | lam]:

    q' = N(q) v,   M v' = Q - J^T lam,   0 = J v' - gamma

with gamma as Baumgarte's stabilisation makes it. Stiff springs and dampers whose direction turns, x = [y | p]:

    q' = N(q) v,   M v' = Q(p) - J^T lam,   0 = F(q, v) - p

p the forces of springs and efforts, F their laws. Simplified Newton iteration on y alone converges only for steps below
about 1 / sqrt(r w), where r is the rate of the damper and w the rate at which its direction turns: the large force that
a wrong velocity causes acts in an old direction. With the forces as unknowns that bound is 1 / w (Lubich 1993).
 Multipliers have no rates: entries give what must vanish in their
place. Rows that are padded or dropped have the equation 0 = lam.

No matrix is factored here, and forces that depend on reactions just take those of lam. Two things need an acceleration
first: singular mass blocks (see dynamics.py) and formulas of accelerations. There, the unknown is what lam is on top of
lam_a, the multipliers of the right-hand side, whose acceleration is a: v' = a - M^-1 J^T (lam - lam_a). Multipliers
have no past, so in steps and stages that is the same, where masses are regular.
"""

from numba import njit

from ..core.context import (
    F_BAUMGARTE,
    F_CORRECT,
    F_LOAD,
    F_PLACE,
    F_RATES,
    F_REACTIONS,
    F_RHS,
    F_TIMES,
    F_WEIGH,
    FREE,
    GAMMA,
    GIVEN,
    H_BAUMGARTE,
    H_EVALUATIONS,
    H_FEEDBACK,
    H_FRESH,
    H_GIVEN,
    H_MULTIPLIERS,
    H_Q,
    H_ROWS,
    H_STATES,
    H_V,
    H_Z,
    INSIDE,
    LAMBDA,
    LAW,
    OK,
    PARTIAL,
    POWER,
    RESIDUAL,
    ROW_TAPES,
    SCRATCH,
    SLOPE,
    UNIT_ROWS,
    ints,
    run,
    state,
    table,
    vector_at,
)
from ..core.formula_parts import VELOCITY_LEVEL, copy_z
from ..integrators.newton import on_top


@njit(**INSIDE)
def _slopes(ctx, t, x, out):
    """y' under the multipliers lam that stand behind y."""
    nq, nv, nz = ctx[H_Q], ctx[H_V], ctx[H_Z]
    ny = nq + nv + nz
    q = x[:nq]
    v = x[nq : nq + nv]
    lam = state(ctx, LAMBDA, x)
    slope = out[nq : nq + nv]
    ctx[H_FRESH] = 0
    if on_top(ctx):
        status = run(ctx, F_RHS, t, x, out)
        run(ctx, F_CORRECT, t, slope, x[ny : ny + ctx[H_ROWS]])
        return status
    copy_z(ctx, x)
    run(ctx, F_PLACE, t, q, v)
    if ctx[H_BAUMGARTE] == 1:
        run(ctx, F_BAUMGARTE, t, q, v)
    run(ctx, F_WEIGH, t, q, v)
    for i in range(lam.size):
        lam[i] = x[ny + i]
    if ctx[H_FEEDBACK] == 1:
        run(ctx, F_REACTIONS, t, q, v)
    run(ctx, F_LOAD, t, q, v)
    ctx[H_EVALUATIONS] += 1
    free = state(ctx, FREE, x)
    power = state(ctx, POWER, x)
    partial = state(ctx, PARTIAL, x)
    for i in range(nv):
        slope[i] = free[i]
    run(ctx, F_CORRECT, t, slope, lam)
    run(ctx, F_RATES, t, x, out)
    for i in range(nz):
        out[nq + nv + i] = power[i]
    for i in range(lam.size):  # power of moving constraints, as in dynamics.py
        out[nq + nv + ctx[H_STATES] + 1] += lam[i] * partial[i]
    return OK


def stabilised(t, x_, out_, ctx_):
    """F_DAE of the stabilisation `ggl`: y' | J v + C_t | C."""
    ctx = table(ctx_)
    nq, nv, rows = ctx[H_Q], ctx[H_V], ctx[H_ROWS]
    ny = nq + nv + ctx[H_Z]
    x = vector_at(x_, ny + ctx[H_MULTIPLIERS])
    out = vector_at(out_, ny + ctx[H_MULTIPLIERS])
    status = _slopes(ctx, t, x, out)
    if status != OK:
        return status
    partial = state(ctx, PARTIAL, x)
    residual = state(ctx, RESIDUAL, x)
    rates = state(ctx, SCRATCH, x)
    moved = state(ctx, SLOPE, x)
    for i in range(nq + nv):
        moved[i] = x[i]
    for i in range(rows):
        rates[i] = x[ny + rows + i]
    run(ctx, F_CORRECT, t, moved[nq : nq + nv], rates)
    run(ctx, F_RATES, t, moved, out)
    run(ctx, F_TIMES, t, x[nq : nq + nv], rates)
    for i in range(rows):
        out[ny + i] = rates[i] + partial[i]
        out[ny + rows + i] = residual[i]
    tapes = ints(ctx, ROW_TAPES)
    for k in range(tapes.shape[0]):
        if tapes[k, 3] == VELOCITY_LEVEL:
            i = ny + rows + tapes[k, 2]
            out[i] = x[i]
    unit = ints(ctx, UNIT_ROWS)
    for k in range(unit.shape[0]):
        for i in (ny + unit[k, 0], ny + rows + unit[k, 0]):
            out[i] = x[i]
    return OK


def given_forces(t, x_, out_, ctx_):
    """F_DAE of methods with `forces=True`: y' | F - p."""
    ctx = table(ctx_)
    ny = ctx[H_Q] + ctx[H_V] + ctx[H_Z]
    n = ctx[H_MULTIPLIERS]
    x = vector_at(x_, ny + n)
    out = vector_at(out_, ny + n)
    given = state(ctx, GIVEN, x)
    law = state(ctx, LAW, x)
    for i in range(n):
        given[i] = x[ny + i]
    ctx[H_GIVEN] = 1
    status = run(ctx, F_RHS, t, x, out)
    ctx[H_GIVEN] = 0
    for i in range(n):
        out[ny + i] = law[i] - x[ny + i]
    return status


def index_one(t, x_, out_, ctx_):
    """F_DAE of methods with `multipliers=True`: y' | J v' - gamma."""
    ctx = table(ctx_)
    nq, nv, rows = ctx[H_Q], ctx[H_V], ctx[H_ROWS]
    ny = nq + nv + ctx[H_Z]
    x = vector_at(x_, ny + rows)
    out = vector_at(out_, ny + rows)
    status = _slopes(ctx, t, x, out)
    if status != OK:
        return status
    gamma = state(ctx, GAMMA, x)
    rates = state(ctx, SCRATCH, x)
    run(ctx, F_TIMES, t, out[nq : nq + nv], rates)
    for i in range(rows):  # what a lacks of J a = gamma is rounding, which differences would take for a slope
        out[ny + i] = x[ny + i] if on_top(ctx) else rates[i] - gamma[i]
    unit = ints(ctx, UNIT_ROWS)
    for k in range(unit.shape[0]):
        out[ny + unit[k, 0]] = x[ny + unit[k, 0]]
    return OK
