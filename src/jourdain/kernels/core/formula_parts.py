"""What mechanisms use formulas for: functions of time, rows, forces, states of elements, reports, events.

Each entry runs the tapes of one use (see tape.py) and puts their results where the other kernels look for them.
"""

from numba import njit

from .context import (
    BODY_TORQUE,
    EFFORT_LEAVES,
    EFFORTS,
    ENERGY,
    EVENTS,
    F_ENERGY,
    F_PLACE,
    F_REACTIONS,
    F_RHS,
    GAMMA,
    GIVEN,
    GRADIENT,
    H_EVENT_LEVEL,
    H_FLOATING,
    H_FRESH,
    H_GIVEN,
    H_MOTION_STATES,
    H_Q,
    H_STATES,
    H_V,
    H_Z,
    HOT,
    INSIDE,
    LAW,
    NODES,
    OK,
    PARTIAL,
    POTENTIALS,
    POWER,
    QUANTITY,
    REPORTED,
    REPORTS,
    RESIDUAL,
    ROW_LEAVES,
    ROW_TAPES,
    SIGNAL,
    SIGNALS,
    SLOPE,
    SPRINGS,
    STATE_TAPES,
    VALUE_TAPES,
    VEC,
    VECTOR_FORCE,
    VECTOR_LOCAL,
    WINDINGS,
    Z_RATE,
    Z,
    ints,
    reals,
    run,
    state,
    table,
    vector_at,
)
from .tape import COLUMNS, differentiate, evaluate

POSITION_LEVEL, VELOCITY_LEVEL, FLOATING = 0, 1, 2
DISSIPATED, DRIVEN, STORED, OWN_POTENTIAL = 0, 1, 2, 3
WORKS = 3  # quadratures behind the states in z: dissipated, driven, stored


def signals(t, like_, unused_, ctx_):
    """Entry: functions of time with two derivatives, into SIGNAL."""
    ctx = table(ctx_)
    like = vector_at(like_, ctx[H_Q])
    todo = ints(ctx, SIGNALS)
    signal = state(ctx, SIGNAL, like)
    node = state(ctx, NODES, like)
    for k in range(todo.shape[0]):
        evaluate(ctx, t, like, todo[k, 0], todo[k, 1])
        o = COLUMNS * (todo[k, 1] - 1)
        for i in range(3):
            signal[3 * todo[k, 2] + i] = node[o + i]
    return OK


@njit(**INSIDE)
def _state_rates(ctx, t, like):
    """First derivatives of the states, and second ones along the motion, for rows that depend on states."""
    tapes = ints(ctx, STATE_TAPES)
    rate = state(ctx, Z_RATE, like)
    node = state(ctx, NODES, like)
    for order in range(2):  # the second derivative of one state may need the first of another
        for k in range(tapes.shape[0]):
            evaluate(ctx, t, like, tapes[k, 0], tapes[k, 1])
            rate[2 * tapes[k, 2] + order] = node[COLUMNS * (tapes[k, 1] - 1) + order]


# Theory, eq. 15 (tape-row), 17 (velocity-row).
def tape_rows(t, q_, v_, ctx_):
    """Entry: C, C_t, gamma and gradients of rows that are formulas."""
    ctx = table(ctx_)
    like = vector_at(q_, ctx[H_Q])
    rows = ints(ctx, ROW_TAPES)
    leaves = ints(ctx, ROW_LEAVES)
    node = state(ctx, NODES, like)
    gradient = state(ctx, GRADIENT, like)
    residual = state(ctx, RESIDUAL, like)
    partial = state(ctx, PARTIAL, like)
    gamma = state(ctx, GAMMA, like)
    dim = reals(ctx, VECTOR_LOCAL).shape[1] - 1
    if ctx[H_MOTION_STATES] == 1:
        _state_rates(ctx, t, like)
    for r in range(rows.shape[0]):
        first, last, row, level = rows[r, 0], rows[r, 1], rows[r, 2], rows[r, 3]
        evaluate(ctx, t, like, first, last)
        slope = differentiate(ctx, t, like, first, last)
        o = COLUMNS * (last - 1)
        if level == VELOCITY_LEVEL:  # value = J v + p
            residual[row] = 0.0
            gamma[row] = -node[o + 1]
            slope = node[o]
        else:
            held = level == POSITION_LEVEL or ctx[H_FLOATING] == 0
            residual[row] = node[o] if held else 0.0 * node[o]
            gamma[row] = -node[o + 2]
        for k in range(rows[r, 4], rows[r, 5]):
            n = COLUMNS * leaves[k, 0]
            gradient[dim * leaves[k, 1] + leaves[k, 2]] = node[n + 3]
            if level == VELOCITY_LEVEL:
                slope -= node[n + 3] * node[n]
        partial[row] = slope
    return OK


# Theory, eq. 19 (accounts).
@njit(**HOT)
def account(power, states, where, watts):
    """Count the power of a force."""
    if where == DRIVEN:
        power[states + 1] += watts
    elif where == DISSIPATED:
        power[states] -= watts
    elif where == STORED:
        power[states + 2] -= watts


def make_tape_forces(dim):
    # Theory, eq. 18 (effort).
    def tape_forces(t, q_, v_, ctx_):
        """Entry: rates of states into POWER, magnitudes into SIGNAL, efforts into VECTOR_FORCE and BODY_TORQUE."""
        ctx = table(ctx_)
        like = vector_at(q_, ctx[H_Q])
        node = state(ctx, NODES, like)
        power = state(ctx, POWER, like)
        signal = state(ctx, SIGNAL, like)
        efforts = ints(ctx, EFFORTS)
        leaves = ints(ctx, EFFORT_LEAVES)
        quantity = state(ctx, QUANTITY, like)
        for k in range(efforts.shape[0]):
            evaluate(ctx, t, like, efforts[k, 0], efforts[k, 1])
            differentiate(ctx, t, like, efforts[k, 0], efforts[k, 1])
            o = COLUMNS * (efforts[k, 1] - 1)
            quantity[2 * k] = node[o]
            quantity[2 * k + 1] = node[o + 1]
        values = ints(ctx, VALUE_TAPES)
        for k in range(values.shape[0]):
            evaluate(ctx, t, like, values[k, 0], values[k, 1])
            signal[3 * values[k, 2]] = node[COLUMNS * (values[k, 1] - 1)]
        states = ints(ctx, STATE_TAPES)
        for k in range(states.shape[0]):
            evaluate(ctx, t, like, states[k, 0], states[k, 1])
            power[states[k, 2]] = node[COLUMNS * (states[k, 1] - 1)]

        vec = state(ctx, VEC, like)
        force = state(ctx, VECTOR_FORCE, like)
        torque = state(ctx, BODY_TORQUE, like)
        given = state(ctx, GIVEN, like)
        law = state(ctx, LAW, like)
        springs = ints(ctx, SPRINGS).shape[0]
        for k in range(efforts.shape[0]):
            magnitude = signal[3 * efforts[k, 2]]
            law[springs + k] = magnitude
            if ctx[H_GIVEN] == 1:
                magnitude = given[springs + k]
            account(power, ctx[H_STATES], efforts[k, 3], magnitude * quantity[2 * k + 1])
            for l in range(efforts[k, 4], efforts[k, 5]):
                v, i, b = leaves[l, 1], leaves[l, 2], leaves[l, 3]
                g = magnitude * node[COLUMNS * leaves[l, 0] + 3]
                if b < 0:
                    force[v * dim + i] += g
                elif dim == 2:  # a gradient g e_i of an axis u is the couple u x g e_i
                    torque[b] += vec[8 * v] * g if i == 1 else -vec[8 * v + 1] * g
                else:
                    j = (i + 1) % 3
                    m = (i + 2) % 3
                    torque[3 * b + m] -= vec[12 * v + j] * g
                    torque[3 * b + j] += vec[12 * v + m] * g
        return OK

    return tape_forces


def tape_values(t, q_, v_, ctx_):
    """Entry: potential energies are added to ENERGY[1]."""
    ctx = table(ctx_)
    like = vector_at(q_, ctx[H_Q])
    node = state(ctx, NODES, like)
    energy = state(ctx, ENERGY, like)
    potentials = ints(ctx, POTENTIALS)
    for k in range(potentials.shape[0]):
        evaluate(ctx, t, like, potentials[k, 0], potentials[k, 1])
        energy[1] += node[COLUMNS * (potentials[k, 1] - 1)]
    return OK


@njit(**INSIDE)
def report(ctx, t, like):
    """Reported quantities into REPORTED: last of all, for they may depend on reactions and on the whole energy."""
    node = state(ctx, NODES, like)
    reports = ints(ctx, REPORTS)
    reported = state(ctx, REPORTED, like)
    for k in range(reports.shape[0]):
        evaluate(ctx, t, like, reports[k, 0], reports[k, 1])
        reported[k] = node[COLUMNS * (reports[k, 1] - 1)]


# Theory, eq. 16 (winding).
def wind(t, y_, unused_, ctx_):
    """Entry: turns, counted by integration, are set to the angles themselves, so that nothing piles up."""
    ctx = table(ctx_)
    n = ctx[H_Q] + ctx[H_V]
    y = vector_at(y_, n + ctx[H_Z])
    node = state(ctx, NODES, y)
    windings = ints(ctx, WINDINGS)
    for k in range(windings.shape[0]):
        evaluate(ctx, t, y, windings[k, 0], windings[k, 1])
        y[n + windings[k, 2]] = node[COLUMNS * (windings[k, 1] - 1)]
    return OK


def events(t, y_, values_, ctx_):
    """Entry: the values whose zeros are events."""
    ctx = table(ctx_)
    nq, nv, nz = ctx[H_Q], ctx[H_V], ctx[H_Z]
    y = vector_at(y_, nq + nv + nz)
    tapes = ints(ctx, EVENTS)
    values = vector_at(values_, tapes.shape[0])
    node = state(ctx, NODES, y)
    q = y[:nq]
    v = y[nq : nq + nv]
    ctx[H_FRESH] = 0
    if ctx[H_EVENT_LEVEL] > 0:
        status = run(ctx, F_RHS, t, y, state(ctx, SLOPE, y))
        if status != OK:
            return status
        run(ctx, F_REACTIONS, t, q, v)
        run(ctx, F_ENERGY, t, q, v)
    else:
        copy_z(ctx, y)
        run(ctx, F_PLACE, t, q, v)
    for k in range(tapes.shape[0]):
        evaluate(ctx, t, y, tapes[k, 0], tapes[k, 1])
        values[k] = node[COLUMNS * (tapes[k, 1] - 1)]
    return OK


@njit(**HOT)
def copy_z(ctx, y):
    """Formulas read states and turns from Z."""
    z = state(ctx, Z, y)
    n = ctx[H_Q] + ctx[H_V]
    for k in range(z.size):
        z[k] = y[n + k]
