"""Euler and Tait-Bryan angles about any origin (Stanescu): q = (r_O, three angles, chart), v = (r_O', angle rates).

R = R_i(a) R_j(b) R_k(c) for the sequence ijk, intrinsic; `bryan` is xyz. With a_1, a_2, a_3 the axes of the three
rotations in fixed axes and Q = [a_1 a_2 a_3]

    omega = Q beta',   omega' = Q beta'' + w0,   w0 = a_2' b' + a_3' c'
    M = [[m, -m c~ Q], [Q^T m c~, Q^T I_O Q]]
    bias = (-m (w0 x c + omega x (omega x c)),  -Q^T (I_O w0 + omega x I_O omega))

c from the origin to the mass centre, I_O about the origin, all in fixed axes: Newton-Euler, with the misprints of the
paper's F~ mended (a test derives the same from Lagrange's equations).

det Q is cos b for Tait-Bryan and sin b for proper Euler sequences. Below SWITCH the body changes to the sequence that
is farthest from its own singularity; the number of the sequence is the last coordinate of the body, so that every
sample says what its angles mean.

BODY columns: mass, centre (3), I about the mass centre (9), E (9), whether it may switch.
"""

import numpy as np
from numba import njit

from ..core.context import (
    BIAS,
    BODY,
    BODY_COLUMN,
    BODY_VECTORS,
    EXTRA,
    H_BODIES,
    H_FRESH,
    H_Q,
    H_SINGULAR,
    H_V,
    INSIDE,
    MASS,
    OK,
    OMEGA,
    RESTART,
    SINGULAR_COORDINATES,
    SPIN_JACOBIAN,
    VEC,
    VECTOR_JACOBIAN,
    VECTOR_LOCAL,
    ints,
    numbers,
    state,
    table,
    vector_at,
)

SEQUENCES = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz")
AXES = np.array([["xyz".index(c) for c in s] for s in SEQUENCES])
SWITCH = 0.25  # measure of singularity below which the sequence is changed
STOP = 0.02  # below which a run that may not change it stops: rates are then fifty times the spin


# Places in the scratch of one body: rotation, axes Q (one after the other), inertia, and vectors, all in fixed axes.
R, Q, INERTIA, W, W0, ARM, HELP, HELP2 = 0, 9, 18, 27, 30, 33, 36, 39
ANGLES, SPIN = 42, 45


@njit(**INSIDE)
def _rotate(s, axis, cosine, sine):
    """R <- R R_axis(angle), in place."""
    j = (axis + 1) % 3
    k = (axis + 2) % 3
    for i in range(3):
        u = s[R + 3 * i + j]
        v = s[R + 3 * i + k]
        s[R + 3 * i + j] = cosine * u + sine * v
        s[R + 3 * i + k] = cosine * v - sine * u


@njit(**INSIDE)
def _cross(s, a, b, out):
    """s[out] = s[a] x s[b]; out may be one of them."""
    x = s[a + 1] * s[b + 2] - s[a + 2] * s[b + 1]
    y = s[a + 2] * s[b] - s[a] * s[b + 2]
    z = s[a] * s[b + 1] - s[a + 1] * s[b]
    s[out], s[out + 1], s[out + 2] = x, y, z


@njit(**INSIDE)
def _dot(s, a, b):
    return s[a] * s[b] + s[a + 1] * s[b + 1] + s[a + 2] * s[b + 2]


@njit(**INSIDE)
def _chart(number):
    """The number of a sequence, an index: whatever somebody may have written there."""
    return int(number) if 0.0 <= number < AXES.shape[0] else 0


@njit(**INSIDE)
def _kinematics(q, v, b, s):
    """R, Q, W and W0 of body b."""
    chart = _chart(q[7 * b + 6].real)
    for i in range(9):
        s[R + i] = 1.0 if i % 4 == 0 else 0.0
    for i in range(6):
        s[W + i] = 0.0
    for n in range(3):
        axis = AXES[chart, n]
        angle = q[7 * b + 3 + n]
        rate = v[6 * b + 3 + n]
        a = Q + 3 * n
        for i in range(3):
            s[a + i] = s[R + 3 * i + axis]
        _cross(s, W, a, HELP)  # a_n' = (angular velocity so far) x a_n
        for i in range(3):
            s[W0 + i] += s[HELP + i] * rate
            s[W + i] += s[a + i] * rate
        _rotate(s, axis, np.cos(angle), np.sin(angle))


@njit(**INSIDE)
def _turned_inertia(s, body, b, first):
    """INERTIA = R A R^T + m (c.c 1 - c c^T), A in the columns of BODY from `first` on, c in ARM."""
    square = _dot(s, ARM, ARM)
    m = body[b, 0]
    for i in range(3):
        for j in range(3):
            total = -m * s[ARM + i] * s[ARM + j]
            for r in range(3):
                for k in range(3):
                    total += s[R + 3 * i + r] * body[b, first + 3 * r + k] * s[R + 3 * j + k]
            s[INERTIA + 3 * i + j] = total
        s[INERTIA + 4 * i] += m * square


@njit(**INSIDE)
def _congruent(s, mass, o):
    """Rotational part of mass (at o): Q^T INERTIA Q."""
    for n in range(3):
        for k in range(3):
            total = 0.0 * s[0]
            for i in range(3):
                for j in range(3):
                    total += s[Q + 3 * n + i] * s[INERTIA + 3 * i + j] * s[Q + 3 * k + j]
            mass[o + 6 * (3 + n) + 3 + k] = total


@njit(**INSIDE)
def _inertia_times(s, a, out):
    """s[out] = INERTIA s[a]."""
    for i in range(3):
        total = s[INERTIA + 3 * i] * s[a]
        total += s[INERTIA + 3 * i + 1] * s[a + 1] + s[INERTIA + 3 * i + 2] * s[a + 2]
        s[out + i] = total


@njit(**INSIDE)
def _vectors(ctx, b, q, v, s):
    """VEC and VECTOR_JACOBIAN of the body's vectors."""
    vec = state(ctx, VEC, q)
    B = state(ctx, VECTOR_JACOBIAN, q)
    local = numbers(ctx, VECTOR_LOCAL, q)
    ranges = ints(ctx, BODY_VECTORS)
    for k in range(ranges[b, 0], ranges[b, 1]):
        point = local[k, 3]
        for i in range(3):
            row = R + 3 * i
            s[ARM + i] = s[row] * local[k, 0] + s[row + 1] * local[k, 1] + s[row + 2] * local[k, 2]
        _cross(s, W, ARM, HELP)
        for i in range(3):
            vec[12 * k + i] = point * q[7 * b + i] + s[ARM + i]
            vec[12 * k + 6 + i] = point * v[6 * b + i] + s[HELP + i]
        _cross(s, W, HELP, HELP2)
        _cross(s, W0, ARM, HELP)
        for i in range(3):
            vec[12 * k + 9 + i] = s[HELP + i] + s[HELP2 + i]
            for c in range(6):
                B[(3 * k + i) * 6 + c] = point if c == i else 0.0
        for n in range(3):
            _cross(s, Q + 3 * n, ARM, HELP)
            for i in range(3):
                B[(3 * k + i) * 6 + 3 + n] = s[HELP + i]


@njit(**INSIDE)
def _inertia(ctx, b, q, s):
    """MASS, BIAS and, for singular inertias, EXTRA of the body."""
    body = numbers(ctx, BODY, q)
    mass = state(ctx, MASS, q)
    extra = state(ctx, EXTRA, q)
    bias = state(ctx, BIAS, q)
    m = body[b, 0]
    for i in range(3):
        row = R + 3 * i
        s[ARM + i] = s[row] * body[b, 1] + s[row + 1] * body[b, 2] + s[row + 2] * body[b, 3]
    _turned_inertia(s, body, b, 4)
    o = 36 * b
    for i in range(36):
        mass[o + i] = 0.0
    for i in range(3):
        mass[o + 7 * i] = m
    for n in range(3):
        _cross(s, Q + 3 * n, ARM, HELP)
        for i in range(3):
            mass[o + 6 * i + 3 + n] = m * s[HELP + i]
            mass[o + 6 * (3 + n) + i] = m * s[HELP + i]
    _congruent(s, mass, o)
    # bias: forces first, then the torque about the origin, contracted with Q
    _cross(s, W, ARM, HELP)
    _cross(s, W, HELP, HELP2)
    _cross(s, W0, ARM, HELP)
    for i in range(3):
        bias[6 * b + i] = -m * (s[HELP + i] + s[HELP2 + i])
    _inertia_times(s, W, HELP)
    _cross(s, W, HELP, HELP2)
    _inertia_times(s, W0, HELP)
    for i in range(3):
        s[HELP2 + i] += s[HELP + i]
    for n in range(3):
        bias[6 * b + 3 + n] = -_dot(s, Q + 3 * n, HELP2)
    if ctx[H_SINGULAR] == 1:
        for i in range(3):
            s[ARM + i] = 0.0
        _turned_inertia(s, body, b, 13)
        for i in range(36):
            extra[o + i] = 0.0
        _congruent(s, extra, o)


def bodies(t, q_, v_, ctx_):
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    v = vector_at(v_, ctx[H_V])
    s = state(ctx, BODY_COLUMN, q)
    omega = state(ctx, OMEGA, q)
    turn = state(ctx, SPIN_JACOBIAN, q)
    for b in range(ctx[H_BODIES]):
        _kinematics(q, v, b, s)
        for i in range(3):
            omega[3 * b + i] = s[W + i]
            for n in range(3):
                turn[(3 * b + i) * 6 + 3 + n] = s[Q + 3 * n + i]
        _vectors(ctx, b, q, v, s)
        _inertia(ctx, b, q, s)
    return OK


@njit(**INSIDE)
def _measure(s, chart):
    """|cos b| or |sin b| of the sequence at this attitude: R[i, k] is +-sin b, R[i, i] is cos b."""
    first, last = AXES[chart, 0], AXES[chart, 2]
    entry = s[R + 3 * first + last].real
    return np.sqrt(max(0.0, 1.0 - entry * entry))


@njit(**INSIDE)
def _angles(s, chart, out, o):
    """The three angles of the rotation s[R] in a sequence, into out[o:]."""
    i, j, k = AXES[chart, 0], AXES[chart, 1], AXES[chart, 2]
    sign = 1.0 if (i + 1) % 3 == j else -1.0
    if i != k:  # Tait-Bryan: R[i, k] = sign sin b
        out[o + 1] = np.arctan2(sign * s[3 * i + k], np.sqrt(s[3 * i + i] ** 2 + s[3 * i + j] ** 2))
        out[o] = np.arctan2(-sign * s[3 * j + k], s[3 * k + k])
        out[o + 2] = np.arctan2(-sign * s[3 * i + j], s[3 * i + i])
    else:  # proper Euler: R[i, i] = cos b; m is the axis not in the sequence
        m = 3 - i - j
        out[o + 1] = np.arctan2(np.sqrt(s[3 * i + j] ** 2 + s[3 * i + m] ** 2), s[3 * i + i])
        out[o] = np.arctan2(s[3 * j + i], -sign * s[3 * m + i])
        out[o + 2] = np.arctan2(s[3 * i + j], sign * s[3 * i + m])


def chart(t, y_, unused_, ctx_):
    """After a step: bodies near the singularity of their sequence change to the best one."""
    ctx = table(ctx_)
    nq, nv = ctx[H_Q], ctx[H_V]
    y = vector_at(y_, nq + nv)
    q = y[:nq]
    v = y[nq : nq + nv]
    body = numbers(ctx, BODY, q)
    s = state(ctx, BODY_COLUMN, q)
    status = OK
    for b in range(ctx[H_BODIES]):
        _kinematics(q, v, b, s)
        here = _chart(q[7 * b + 6])
        measure = _measure(s, here)
        if measure >= SWITCH:
            continue
        if body[b, 22] == 0.0:
            if measure < STOP:
                return SINGULAR_COORDINATES
            continue
        best = here
        for other in range(12):
            if _measure(s, other) > _measure(s, best) + 1e-9:
                best = other
        _angles(s, best, s, ANGLES)
        for n in range(3):
            q[7 * b + 3 + n] = s[ANGLES + n]
            s[SPIN + n] = s[W + n]
        q[7 * b + 6] = best
        _kinematics(q, v, b, s)
        for n in range(3):  # Cramer's rule: rate_n = w . (a_m x a_k) / det Q
            _cross(s, Q + 3 * ((n + 1) % 3), Q + 3 * ((n + 2) % 3), HELP)
            v[6 * b + 3 + n] = _dot(s, SPIN, HELP) / _dot(s, Q + 3 * n, HELP)
        ctx[H_FRESH] = 0
        status = RESTART
    return status
