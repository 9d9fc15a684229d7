"""Spatial coordinates `quaternion`: q = (mass centre, unit quaternion [w, x, y, z]), v = (v_G, omega), fixed axes.

7 coordinates, 6 velocities: q' = (v_G, omega * quaternion / 2). R_WB is computed from the normalised quaternion, so
it is a rotation at every stage of an integrator; after a step the quaternion itself is normalised (retraction).
A body vector l is s = R l; its velocity is w x s, its acceleration at v' = 0 is w x (w x s); a gradient g contracts
to (g, s x g). The mass block is (m, R I R^T) and the inertia bias -w x (R I R^T w).

BODY columns: mass, 1/mass, I (9), (I + E)^-1 (9), E (9); E is non-zero only where I is singular (see dynamics.py).
MASS_INVERSE: (R (I + E)^-1 R^T) (9); ATTITUDE: R (9).
"""

import numpy as np
from numba import njit

from ..core.context import (
    ATTITUDE,
    BODY,
    BODY_COLUMN,
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
    INSIDE,
    JACOBIAN,
    LOADED,
    MASS_INVERSE,
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


@njit(**HOT)
def _vectors(ctx, q, v):
    """Positions, arms, velocities and bias accelerations of all body vectors, fixed axes; R_WB of all bodies."""
    local = numbers(ctx, VECTOR_LOCAL, q)
    ranges = ints(ctx, BODY_VECTORS)
    vec = state(ctx, VEC, q)
    omega = state(ctx, OMEGA, q)
    frame = state(ctx, ATTITUDE, q)
    for b in range(ctx[H_BODIES]):
        o = 7 * b
        e0, e1, e2, e3 = q[o + 3], q[o + 4], q[o + 5], q[o + 6]
        n = 1.0 / (e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3)
        r00 = n * (e0 * e0 + e1 * e1 - e2 * e2 - e3 * e3)
        r11 = n * (e0 * e0 - e1 * e1 + e2 * e2 - e3 * e3)
        r22 = n * (e0 * e0 - e1 * e1 - e2 * e2 + e3 * e3)
        n *= 2.0
        r01 = n * (e1 * e2 - e0 * e3)
        r02 = n * (e1 * e3 + e0 * e2)
        r10 = n * (e1 * e2 + e0 * e3)
        r12 = n * (e2 * e3 - e0 * e1)
        r20 = n * (e1 * e3 - e0 * e2)
        r21 = n * (e2 * e3 + e0 * e1)
        f = 9 * b
        frame[f], frame[f + 1], frame[f + 2] = r00, r01, r02
        frame[f + 3], frame[f + 4], frame[f + 5] = r10, r11, r12
        frame[f + 6], frame[f + 7], frame[f + 8] = r20, r21, r22
        x, y, z = q[o], q[o + 1], q[o + 2]
        p = 6 * b
        vx, vy, vz = v[p], v[p + 1], v[p + 2]
        wx, wy, wz = v[p + 3], v[p + 4], v[p + 5]
        omega[3 * b], omega[3 * b + 1], omega[3 * b + 2] = wx, wy, wz
        for k in range(ranges[b, 0], ranges[b, 1]):
            lx, ly, lz, point = local[k, 0], local[k, 1], local[k, 2], local[k, 3]
            sx = r00 * lx + r01 * ly + r02 * lz
            sy = r10 * lx + r11 * ly + r12 * lz
            sz = r20 * lx + r21 * ly + r22 * lz
            ux = wy * sz - wz * sy
            uy = wz * sx - wx * sz
            uz = wx * sy - wy * sx
            i = 12 * k
            vec[i] = point * x + sx
            vec[i + 1] = point * y + sy
            vec[i + 2] = point * z + sz
            vec[i + 3] = sx
            vec[i + 4] = sy
            vec[i + 5] = sz
            vec[i + 6] = point * vx + ux
            vec[i + 7] = point * vy + uy
            vec[i + 8] = point * vz + uz
            vec[i + 9] = wy * uz - wz * uy
            vec[i + 10] = wz * ux - wx * uz
            vec[i + 11] = wx * uy - wy * ux


@njit(**HOT)
def contract_pins(ctx, like):
    """Rotational columns of the pins' J, -skew(s) for the second body; the others never change."""
    pin = ints(ctx, PINS)
    vec = state(ctx, VEC, like)
    J = state(ctx, JACOBIAN, like)
    for p in range(pin.shape[0]):
        for side in range(2):
            slot = pin[p, 3 + side]
            if slot >= 0:
                k = 12 * pin[p, side]
                sign = 2.0 * side - 1.0
                sx = sign * vec[k + 3]
                sy = sign * vec[k + 4]
                sz = sign * vec[k + 5]
                o = 18 * slot
                J[o + 3], J[o + 4], J[o + 5] = 0.0, sz, -sy
                J[o + 9], J[o + 10], J[o + 11] = -sz, 0.0, sx
                J[o + 15], J[o + 16], J[o + 17] = sy, -sx, 0.0


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
    for k in range(18 * ctx[H_PIN_SLOTS], J.size):
        J[k] = 0.0
    for e in range(first, entries.shape[0]):
        slot = entries[e, 0]
        if slot >= 0:
            k = entries[e, 2]
            point = local[k, 3]
            sx, sy, sz = vec[12 * k + 3], vec[12 * k + 4], vec[12 * k + 5]
            gx, gy, gz = g[3 * e], g[3 * e + 1], g[3 * e + 2]
            o = 18 * slot + 6 * entries[e, 1]
            J[o] += point * gx
            J[o + 1] += point * gy
            J[o + 2] += point * gz
            J[o + 3] += sy * gz - sz * gy
            J[o + 4] += sz * gx - sx * gz
            J[o + 5] += sx * gy - sy * gx


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
def _rotated(R, r, A, a, out, o):
    """out = R A R^T for 3 x 3 pieces of flat arrays, A symmetric."""
    for i in range(3):
        for j in range(i + 1):
            total = 0.0 * R[r]
            for k in range(3):
                inner = A[a + 3 * k] * R[r + 3 * j]
                inner += A[a + 3 * k + 1] * R[r + 3 * j + 1]
                inner += A[a + 3 * k + 2] * R[r + 3 * j + 2]
                total += R[r + 3 * i + k] * inner
            out[o + 3 * i + j] = total
            out[o + 3 * j + i] = total


@njit(**HOT)
def _weigh(ctx, like):
    body = numbers(ctx, BODY, like)
    slots = ints(ctx, SLOTS)
    frame = state(ctx, ATTITUDE, like)
    inverse = state(ctx, MASS_INVERSE, like)
    J = state(ctx, JACOBIAN, like)
    W = state(ctx, WEIGHTED, like)
    for b in range(ctx[H_BODIES]):
        _rotated(frame, 9 * b, body[b], 11, inverse, 9 * b)
    for s in range(slots.shape[0]):
        b = slots[s, 1]
        m = body[b, 1]
        f = 9 * b
        for i in range(3):
            o = 18 * s + 6 * i
            W[o] = m * J[o]
            W[o + 1] = m * J[o + 1]
            W[o + 2] = m * J[o + 2]
            jx, jy, jz = J[o + 3], J[o + 4], J[o + 5]
            W[o + 3] = inverse[f] * jx + inverse[f + 1] * jy + inverse[f + 2] * jz
            W[o + 4] = inverse[f + 3] * jx + inverse[f + 4] * jy + inverse[f + 5] * jz
            W[o + 5] = inverse[f + 6] * jx + inverse[f + 7] * jy + inverse[f + 8] * jz


def weigh(t, q_, v_, ctx_):
    ctx = table(ctx_)
    _weigh(ctx, vector_at(q_, ctx[H_Q]))
    return OK


@njit(**HOT)
def _momentum(body, frame, b, wx, wy, wz):
    """R I R^T w, fixed axes."""
    f = 9 * b
    bx = frame[f] * wx + frame[f + 3] * wy + frame[f + 6] * wz
    by = frame[f + 1] * wx + frame[f + 4] * wy + frame[f + 7] * wz
    bz = frame[f + 2] * wx + frame[f + 5] * wy + frame[f + 8] * wz
    hx = body[b, 2] * bx + body[b, 3] * by + body[b, 4] * bz
    hy = body[b, 5] * bx + body[b, 6] * by + body[b, 7] * bz
    hz = body[b, 8] * bx + body[b, 9] * by + body[b, 10] * bz
    return (
        frame[f] * hx + frame[f + 1] * hy + frame[f + 2] * hz,
        frame[f + 3] * hx + frame[f + 4] * hy + frame[f + 5] * hz,
        frame[f + 6] * hx + frame[f + 7] * hy + frame[f + 8] * hz,
    )


@njit(**HOT)
def _load(ctx, q, v):
    """free = M^-1 (applied forces - w x I w), with torques summed in the rotational part first."""
    body = numbers(ctx, BODY, q)
    gravity = numbers(ctx, GRAVITY, q)
    free = state(ctx, FREE, q)
    vec = state(ctx, VEC, q)
    frame = state(ctx, ATTITUDE, q)
    inverse = state(ctx, MASS_INVERSE, q)
    force = state(ctx, VECTOR_FORCE, q)
    loaded = ints(ctx, LOADED)
    for b in range(ctx[H_BODIES]):
        o = 6 * b
        wx, wy, wz = v[o + 3], v[o + 4], v[o + 5]
        hx, hy, hz = _momentum(body, frame, b, wx, wy, wz)
        free[o], free[o + 1], free[o + 2] = gravity[0, 0], gravity[1, 0], gravity[2, 0]
        free[o + 3] = wz * hy - wy * hz
        free[o + 4] = wx * hz - wz * hx
        free[o + 5] = wy * hx - wx * hy
    for k in range(loaded.shape[0]):
        p = loaded[k, 0]
        b = loaded[k, 1]
        if b < 0:  # the ground bears it
            continue
        fx, fy, fz = force[3 * p], force[3 * p + 1], force[3 * p + 2]
        sx, sy, sz = vec[12 * p + 3], vec[12 * p + 4], vec[12 * p + 5]
        o = 6 * b
        free[o] += body[b, 1] * fx
        free[o + 1] += body[b, 1] * fy
        free[o + 2] += body[b, 1] * fz
        free[o + 3] += sy * fz - sz * fy
        free[o + 4] += sz * fx - sx * fz
        free[o + 5] += sx * fy - sy * fx
    if ctx[H_TORQUES] == 1:
        torque = state(ctx, BODY_TORQUE, q)
        for b in range(ctx[H_BODIES]):
            for i in range(3):
                free[6 * b + 3 + i] += torque[3 * b + i]
    for b in range(ctx[H_BODIES]):
        o = 6 * b + 3
        f = 9 * b
        tx, ty, tz = free[o], free[o + 1], free[o + 2]
        free[o] = inverse[f] * tx + inverse[f + 1] * ty + inverse[f + 2] * tz
        free[o + 1] = inverse[f + 3] * tx + inverse[f + 4] * ty + inverse[f + 5] * tz
        free[o + 2] = inverse[f + 6] * tx + inverse[f + 7] * ty + inverse[f + 8] * tz


def load(t, q_, v_, ctx_):
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    run(ctx, F_FORCES, t, q, q)
    _load(ctx, q, vector_at(v_, ctx[H_V]))
    return OK


@njit(**INSIDE)
def _shift(ctx, x, out):
    """out = R (I + E)^-1 E R^T x on the rotational part."""
    body = numbers(ctx, BODY, x)
    frame = state(ctx, ATTITUDE, x)
    for b in range(ctx[H_BODIES]):
        o = 6 * b
        f = 9 * b
        out[o], out[o + 1], out[o + 2] = 0.0, 0.0, 0.0
        xx, xy, xz = x[o + 3], x[o + 4], x[o + 5]
        ux = frame[f] * xx + frame[f + 3] * xy + frame[f + 6] * xz
        uy = frame[f + 1] * xx + frame[f + 4] * xy + frame[f + 7] * xz
        uz = frame[f + 2] * xx + frame[f + 5] * xy + frame[f + 8] * xz
        ex = body[b, 20] * ux + body[b, 21] * uy + body[b, 22] * uz
        ey = body[b, 23] * ux + body[b, 24] * uy + body[b, 25] * uz
        ez = body[b, 26] * ux + body[b, 27] * uy + body[b, 28] * uz
        ux = body[b, 11] * ex + body[b, 12] * ey + body[b, 13] * ez
        uy = body[b, 14] * ex + body[b, 15] * ey + body[b, 16] * ez
        uz = body[b, 17] * ex + body[b, 18] * ey + body[b, 19] * ez
        for i in range(3):
            out[o + 3 + i] = frame[f + 3 * i] * ux + frame[f + 3 * i + 1] * uy + frame[f + 3 * i + 2] * uz


def shift(t, x_, out_, ctx_):
    ctx = table(ctx_)
    _shift(ctx, vector_at(x_, ctx[H_V]), vector_at(out_, ctx[H_V]))
    return OK


def mass(t, x_, out_, ctx_):
    """out = (m x, R (I + E) R^T w)."""
    ctx = table(ctx_)
    x = vector_at(x_, ctx[H_V])
    out = vector_at(out_, ctx[H_V])
    body = numbers(ctx, BODY, x)
    frame = state(ctx, ATTITUDE, x)
    column = state(ctx, BODY_COLUMN, x)
    for b in range(ctx[H_BODIES]):
        o = 6 * b
        f = 9 * b
        for i in range(3):
            out[o + i] = body[b, 0] * x[o + i]
            column[i] = frame[f + i] * x[o + 3] + frame[f + 3 + i] * x[o + 4] + frame[f + 6 + i] * x[o + 5]
        for i in range(3):
            column[3 + i] = 0.0
            for j in range(3):
                column[3 + i] += (body[b, 2 + 3 * i + j] + body[b, 20 + 3 * i + j]) * column[j]
        for i in range(3):
            r = f + 3 * i
            out[o + 3 + i] = frame[r] * column[3] + frame[r + 1] * column[4] + frame[r + 2] * column[5]
    return OK


@njit(**HOT)
def _rates(ctx, y, dy):
    n = ctx[H_Q]
    for b in range(ctx[H_BODIES]):
        o = 7 * b
        p = n + 6 * b
        dy[o], dy[o + 1], dy[o + 2] = y[p], y[p + 1], y[p + 2]
        wx, wy, wz = 0.5 * y[p + 3], 0.5 * y[p + 4], 0.5 * y[p + 5]
        e0, e1, e2, e3 = y[o + 3], y[o + 4], y[o + 5], y[o + 6]
        dy[o + 3] = -wx * e1 - wy * e2 - wz * e3
        dy[o + 4] = wx * e0 + wy * e3 - wz * e2
        dy[o + 5] = wy * e0 + wz * e1 - wx * e3
        dy[o + 6] = wz * e0 + wx * e2 - wy * e1


def rates(t, y_, dy_, ctx_):
    ctx = table(ctx_)
    _rates(ctx, vector_at(y_, ctx[H_Q] + ctx[H_V]), vector_at(dy_, ctx[H_Q]))
    return OK


@njit(**HOT)
def turn(q, o, delta, p):
    """The quaternion at q[o] <- exp(rotation at delta[p]) * quaternion, normalised."""
    ax, ay, az = 0.5 * delta[p], 0.5 * delta[p + 1], 0.5 * delta[p + 2]
    square = ax * ax + ay * ay + az * az
    # (cos|a|, sin|a| a/|a|) by a fraction of tan|a|/|a|, right to 1e-10 up to a turn of 1 rad; no sine, no pole.
    w = 1.0 - square * (420.0 - 15.0 * square) / 945.0
    part = 1.0 - square * (105.0 - square) / 945.0
    ax, ay, az = part * ax, part * ay, part * az
    e0, e1, e2, e3 = q[o], q[o + 1], q[o + 2], q[o + 3]
    scale = 1.0 / np.sqrt((w * w + part * part * square) * (e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3))
    q[o] = scale * (w * e0 - ax * e1 - ay * e2 - az * e3)
    q[o + 1] = scale * (w * e1 + ax * e0 + ay * e3 - az * e2)
    q[o + 2] = scale * (w * e2 + ay * e0 + az * e1 - ax * e3)
    q[o + 3] = scale * (w * e3 + az * e0 + ax * e2 - ay * e1)


@njit(**HOT)
def _retract(ctx, q, delta):
    for b in range(ctx[H_BODIES]):
        for c in range(3):
            q[7 * b + c] += delta[6 * b + c]
        turn(q, 7 * b + 3, delta, 6 * b + 3)


def retract(t, q_, delta_, ctx_):
    ctx = table(ctx_)
    _retract(ctx, vector_at(q_, ctx[H_Q]), vector_at(delta_, ctx[H_V]))
    return OK


@njit(**INSIDE)
def _energy(ctx, q, v):
    body = numbers(ctx, BODY, q)
    gravity = numbers(ctx, GRAVITY, q)
    energy = state(ctx, ENERGY, q)
    frame = state(ctx, ATTITUDE, q)
    kinetic = 0.0 * q[0]
    potential = energy[1]
    for b in range(ctx[H_BODIES]):
        m = body[b, 0]
        o = 6 * b
        wx, wy, wz = v[o + 3], v[o + 4], v[o + 5]
        hx, hy, hz = _momentum(body, frame, b, wx, wy, wz)
        kinetic += 0.5 * m * (v[o] ** 2 + v[o + 1] ** 2 + v[o + 2] ** 2) + 0.5 * (wx * hx + wy * hy + wz * hz)
        for i in range(3):
            potential -= m * gravity[i, 0] * q[7 * b + i]
    energy[0] = kinetic
    energy[1] = potential


def energy(t, q_, v_, ctx_):
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    run(ctx, F_SPRINGS, t, q, q)
    _energy(ctx, q, vector_at(v_, ctx[H_V]))
    return OK
