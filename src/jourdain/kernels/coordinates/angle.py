"""Planar coordinates `angle`: q = (x, y, theta) of the mass centre, v = q' = (x', y', theta').

The mass matrix is constant and diagonal and there is no inertia bias. A body vector with components l in body axes
is s = R(theta) l; its velocity is w s_perp (plus that of the mass centre for points), its acceleration at q'' = 0 is
-w^2 s, and a gradient g contracts to (g, s x g).

BODY columns: mass, 1/mass, inertia, 1/(inertia + eps), eps / (inertia + eps); eps is non-zero only where the
inertia is zero (see dynamics.py). ATTITUDE: angles, cosines and sines of all bodies, each filled up to whole blocks.
"""

from numba import njit

from ..core.context import (
    ATTITUDE,
    BODY,
    BODY_TORQUE,
    BODY_VECTORS,
    ENERGY,
    ENTRIES,
    F_FORCES,
    F_ROWS,
    F_SIGNALS,
    F_SPRINGS,
    FREE,
    GRADIENT,
    GRAVITY,
    H_BODIES,
    H_PIN_ENTRIES,
    H_PIN_SLOTS,
    H_Q,
    H_TORQUES,
    H_V,
    HOT,
    JACOBIAN,
    LOADED,
    OK,
    OMEGA,
    PINS,
    SIGNALS,
    SLOTS,
    VEC,
    VECTOR_FORCE,
    VECTOR_LOCAL,
    WEIGHTED,
    ints,
    numbers,
    run,
    state,
    table,
    vector_at,
)
from ..core.sines import sines_and_cosines
from ..layout.tree_table import BLOCK as AT_ONCE


# Theory, eq. 2 (vectors).
@njit(**HOT)
def _vectors(ctx, q, v):
    """Positions, arms, velocities and bias accelerations of all body vectors, fixed axes."""
    local = numbers(ctx, VECTOR_LOCAL, q)
    ranges = ints(ctx, BODY_VECTORS)
    vec = state(ctx, VEC, q)
    omega = state(ctx, OMEGA, q)
    whole = state(ctx, ATTITUDE, q)
    n = (ctx[H_BODIES] + AT_ONCE - 1) // AT_ONCE * AT_ONCE
    angles, cosines, sines = whole[:n], whole[n : 2 * n], whole[2 * n : 3 * n]
    for b in range(ctx[H_BODIES]):
        angles[b] = q[3 * b + 2]
    sines_and_cosines(angles, cosines, sines)
    for b in range(ctx[H_BODIES]):
        x = q[3 * b]
        y = q[3 * b + 1]
        vx = v[3 * b]
        vy = v[3 * b + 1]
        w = v[3 * b + 2]
        c = cosines[b]
        s = sines[b]
        omega[b] = w
        for k in range(ranges[b, 0], ranges[b, 1]):
            lx = local[k, 0]
            ly = local[k, 1]
            point = local[k, 2]
            sx = c * lx - s * ly
            sy = s * lx + c * ly
            o = 8 * k
            vec[o] = point * x + sx
            vec[o + 1] = point * y + sy
            vec[o + 2] = sx
            vec[o + 3] = sy
            vec[o + 4] = point * vx - w * sy
            vec[o + 5] = point * vy + w * sx
            vec[o + 6] = -w * w * sx
            vec[o + 7] = -w * w * sy


@njit(**HOT)
def contract_pins(ctx, like):
    """Third column of the pins' J: the first two never change."""
    pin = ints(ctx, PINS)
    vec = state(ctx, VEC, like)
    J = state(ctx, JACOBIAN, like)
    for p in range(pin.shape[0]):
        i = pin[p, 3]
        if i >= 0:
            M = 8 * pin[p, 0]
            J[6 * i + 2] = vec[M + 3]
            J[6 * i + 5] = -vec[M + 2]
        j = pin[p, 4]
        if j >= 0:
            N = 8 * pin[p, 1]
            J[6 * j + 2] = -vec[N + 3]
            J[6 * j + 5] = vec[N + 2]


# Theory, eq. 5 (contraction).
@njit(**HOT)
def contract(ctx, like):
    """J from the gradients of all rows that are no pins."""
    entries = ints(ctx, ENTRIES)
    first = ctx[H_PIN_ENTRIES]
    if entries.shape[0] == first:
        return
    local = numbers(ctx, VECTOR_LOCAL, like)
    vec = state(ctx, VEC, like)
    g = state(ctx, GRADIENT, like)
    J = state(ctx, JACOBIAN, like)
    for k in range(6 * ctx[H_PIN_SLOTS], J.size):
        J[k] = 0.0
    for e in range(first, entries.shape[0]):
        slot = entries[e, 0]
        if slot >= 0:
            k = entries[e, 2]
            point = local[k, 2]
            o = 6 * slot + 3 * entries[e, 1]
            J[o] += point * g[2 * e]
            J[o + 1] += point * g[2 * e + 1]
            J[o + 2] += vec[8 * k + 2] * g[2 * e + 1] - vec[8 * k + 3] * g[2 * e]


def place(t, q_, v_, ctx_):
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    v = vector_at(v_, ctx[H_V])
    if ints(ctx, SIGNALS).shape[0] > 0:
        run(ctx, F_SIGNALS, t, q, v)
    _vectors(ctx, q, v)
    run(ctx, F_ROWS, t, q, v)
    contract_pins(ctx, q)
    contract(ctx, q)
    return OK


@njit(**HOT)
def _weigh(ctx, like):
    body = numbers(ctx, BODY, like)
    slots = ints(ctx, SLOTS)
    J = state(ctx, JACOBIAN, like)
    W = state(ctx, WEIGHTED, like)
    for s in range(slots.shape[0]):
        b = slots[s, 1]
        m = body[b, 1]
        i = body[b, 3]
        o = 6 * s
        W[o] = m * J[o]
        W[o + 1] = m * J[o + 1]
        W[o + 2] = i * J[o + 2]
        W[o + 3] = m * J[o + 3]
        W[o + 4] = m * J[o + 4]
        W[o + 5] = i * J[o + 5]


def weigh(t, q_, v_, ctx_):
    ctx = table(ctx_)
    _weigh(ctx, vector_at(q_, ctx[H_Q]))
    return OK


@njit(**HOT)
def _load(ctx, q):
    body = numbers(ctx, BODY, q)
    gravity = numbers(ctx, GRAVITY, q)
    free = state(ctx, FREE, q)
    vec = state(ctx, VEC, q)
    force = state(ctx, VECTOR_FORCE, q)
    loaded = ints(ctx, LOADED)
    for b in range(ctx[H_BODIES]):
        free[3 * b] = gravity[0, 0]
        free[3 * b + 1] = gravity[1, 0]
        free[3 * b + 2] = 0.0
    for k in range(loaded.shape[0]):
        p = loaded[k, 0]
        b = loaded[k, 1]
        if b < 0:  # the ground bears it
            continue
        fx = force[2 * p]
        fy = force[2 * p + 1]
        free[3 * b] += body[b, 1] * fx
        free[3 * b + 1] += body[b, 1] * fy
        free[3 * b + 2] += body[b, 3] * (vec[8 * p + 2] * fy - vec[8 * p + 3] * fx)
    if ctx[H_TORQUES] == 1:
        torque = state(ctx, BODY_TORQUE, q)
        for b in range(ctx[H_BODIES]):
            free[3 * b + 2] += body[b, 3] * torque[b]


def load(t, q_, v_, ctx_):
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    run(ctx, F_FORCES, t, q, q)
    _load(ctx, q)
    return OK


def shift(t, x_, out_, ctx_):
    ctx = table(ctx_)
    x = vector_at(x_, ctx[H_V])
    out = vector_at(out_, ctx[H_V])
    body = numbers(ctx, BODY, x)
    for b in range(ctx[H_BODIES]):
        out[3 * b] = 0.0
        out[3 * b + 1] = 0.0
        out[3 * b + 2] = body[b, 4] * x[3 * b + 2]
    return OK


def mass(t, x_, out_, ctx_):
    ctx = table(ctx_)
    x = vector_at(x_, ctx[H_V])
    out = vector_at(out_, ctx[H_V])
    body = numbers(ctx, BODY, x)
    for b in range(ctx[H_BODIES]):
        out[3 * b] = body[b, 0] * x[3 * b]
        out[3 * b + 1] = body[b, 0] * x[3 * b + 1]
        out[3 * b + 2] = x[3 * b + 2] / body[b, 3]
    return OK


def rates(t, y_, dy_, ctx_):
    ctx = table(ctx_)
    n = ctx[H_Q]
    y = vector_at(y_, 2 * n)
    dy = vector_at(dy_, n)
    for i in range(n):
        dy[i] = y[n + i]
    return OK


def retract(t, q_, delta_, ctx_):
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    delta = vector_at(delta_, ctx[H_V])
    for i in range(ctx[H_Q]):
        q[i] += delta[i]
    return OK


@njit(**HOT)
def _energy(ctx, q, v):
    body = numbers(ctx, BODY, q)
    gravity = numbers(ctx, GRAVITY, q)
    energy = state(ctx, ENERGY, q)
    kinetic = 0.0 * q[0]
    potential = energy[1]
    for b in range(ctx[H_BODIES]):
        m = body[b, 0]
        kinetic += 0.5 * m * (v[3 * b] ** 2 + v[3 * b + 1] ** 2) + 0.5 * body[b, 2] * v[3 * b + 2] ** 2
        potential -= m * (gravity[0, 0] * q[3 * b] + gravity[1, 0] * q[3 * b + 1])
    energy[0] = kinetic
    energy[1] = potential


def energy(t, q_, v_, ctx_):
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    run(ctx, F_SPRINGS, t, q, q)
    _energy(ctx, q, vector_at(v_, ctx[H_V]))
    return OK
