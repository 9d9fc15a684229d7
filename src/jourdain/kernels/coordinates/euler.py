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

import functools
from types import SimpleNamespace

import numpy as np
from numba import carray, njit

from .. import general
from ..context import (
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
    reals,
    state,
    table,
)

SEQUENCES = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz")
AXES = np.array([["xyz".index(c) for c in s] for s in SEQUENCES])
SWITCH = 0.25  # measure of singularity below which the sequence is changed
STOP = 0.02  # below which a run that may not change it stops: rates are then fifty times the spin


@njit(**INSIDE)
def _rotate(axis, c, s, R):
    """R <- R R_axis(angle), in place."""
    j = (axis + 1) % 3
    k = (axis + 2) % 3
    for i in range(3):
        u = R[3 * i + j]
        v = R[3 * i + k]
        R[3 * i + j] = c * u + s * v
        R[3 * i + k] = c * v - s * u


@njit(**INSIDE)
def _cross(a, b, out):
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    z = a[0] * b[1] - a[1] * b[0]
    out[0], out[1], out[2] = x, y, z


@njit(**INSIDE)
def _kinematics(q, v, b, R, Q, w, w0):
    """Rotation, axes Q (column by column), angular velocity and w0 of body b."""
    chart = int(q[7 * b + 6].real)
    for i in range(9):
        R[i] = 1.0 if i % 4 == 0 else 0.0
    for i in range(3):
        w[i] = 0.0
        w0[i] = 0.0
    for n in range(3):
        axis = AXES[chart, n]
        angle = q[7 * b + 3 + n]
        rate = v[6 * b + 3 + n]
        column = Q[3 * n : 3 * n + 3]
        for i in range(3):
            column[i] = R[3 * i + axis]
        for i in range(3):  # a_n' = (angular velocity so far) x a_n
            j = (i + 1) % 3
            k = (i + 2) % 3
            w0[i] += (w[j] * column[k] - w[k] * column[j]) * rate
        for i in range(3):
            w[i] += column[i] * rate
        _rotate(axis, np.cos(angle), np.sin(angle), R)


@njit(**INSIDE)
def _inertia_about_origin(body, b, first, R, arm, out):
    """R I R^T + m (c.c 1 - c c^T), the second part only for the inertia itself (arm non-zero)."""
    square = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2]
    m = body[b, 0]
    for i in range(3):
        for j in range(3):
            total = 0.0 * R[0]
            for r in range(3):
                for s in range(3):
                    total += R[3 * i + r] * body[b, first + 3 * r + s] * R[3 * j + s]
            out[3 * i + j] = total - m * arm[i] * arm[j]
        out[4 * i] += m * square


@njit(**INSIDE)
def _body(ctx, b, q, v, R, Q, w, w0, arm, inertia, help1, help2):
    """Everything of one body, into the context's arrays."""
    body = reals(ctx, BODY)
    vec = state(ctx, VEC, q)
    B = state(ctx, VECTOR_JACOBIAN, q)
    local = reals(ctx, VECTOR_LOCAL)
    ranges = ints(ctx, BODY_VECTORS)
    omega = state(ctx, OMEGA, q)
    turn = state(ctx, SPIN_JACOBIAN, q)
    mass = state(ctx, MASS, q)
    extra = state(ctx, EXTRA, q)
    bias = state(ctx, BIAS, q)
    _kinematics(q, v, b, R, Q, w, w0)
    for i in range(3):
        omega[3 * b + i] = w[i]
        for n in range(3):
            turn[(3 * b + i) * 6 + 3 + n] = Q[3 * n + i]
    s = arm
    for k in range(ranges[b, 0], ranges[b, 1]):
        point = local[k, 3]
        for i in range(3):
            s[i] = R[3 * i] * local[k, 0] + R[3 * i + 1] * local[k, 1] + R[3 * i + 2] * local[k, 2]
        _cross(w, s, help1)
        for i in range(3):
            vec[12 * k + i] = point * q[7 * b + i] + s[i]
            vec[12 * k + 6 + i] = point * v[6 * b + i] + help1[i]
        _cross(w, help1, help2)
        _cross(w0, s, help1)
        for i in range(3):
            vec[12 * k + 9 + i] = help1[i] + help2[i]
            for c in range(6):
                B[(3 * k + i) * 6 + c] = point if c == i else 0.0
        for n in range(3):
            _cross(Q[3 * n : 3 * n + 3], s, help1)
            for i in range(3):
                B[(3 * k + i) * 6 + 3 + n] = help1[i]

    m = body[b, 0]
    for i in range(3):
        arm[i] = R[3 * i] * body[b, 1] + R[3 * i + 1] * body[b, 2] + R[3 * i + 2] * body[b, 3]
    _inertia_about_origin(body, b, 4, R, arm, inertia)
    o = 36 * b
    for i in range(36):
        mass[o + i] = 0.0
    for i in range(3):
        mass[o + 7 * i] = m
    for n in range(3):
        _cross(Q[3 * n : 3 * n + 3], arm, help1)
        for i in range(3):
            mass[o + 6 * i + 3 + n] = m * help1[i]
            mass[o + 6 * (3 + n) + i] = m * help1[i]
    _congruent(Q, inertia, mass, o)
    # bias: forces first, then the torque about the origin, contracted with Q
    _cross(w, arm, help1)
    _cross(w, help1, help2)
    _cross(w0, arm, help1)
    for i in range(3):
        bias[6 * b + i] = -m * (help1[i] + help2[i])
        help1[i] = inertia[3 * i] * w[0] + inertia[3 * i + 1] * w[1] + inertia[3 * i + 2] * w[2]
    _cross(w, help1, help2)
    for i in range(3):
        help2[i] += inertia[3 * i] * w0[0] + inertia[3 * i + 1] * w0[1] + inertia[3 * i + 2] * w0[2]
    for n in range(3):
        bias[6 * b + 3 + n] = -(Q[3 * n] * help2[0] + Q[3 * n + 1] * help2[1] + Q[3 * n + 2] * help2[2])
    if ctx[H_SINGULAR] == 1:
        for i in range(3):
            arm[i] = 0.0
        _inertia_about_origin(body, b, 13, R, arm, inertia)
        for i in range(36):
            extra[o + i] = 0.0
        _congruent(Q, inertia, extra, o)


@njit(**INSIDE)
def _congruent(Q, A, mass, o):
    """Rotational part of mass (at o): Q^T A Q."""
    for n in range(3):
        for k in range(3):
            total = 0.0 * Q[0]
            for i in range(3):
                for j in range(3):
                    total += Q[3 * n + i] * A[3 * i + j] * Q[3 * k + j]
            mass[o + 6 * (3 + n) + 3 + k] = total


def bodies(t, q_, v_, ctx_):
    ctx = table(ctx_)
    q = carray(q_, (ctx[H_Q],))
    v = carray(v_, (ctx[H_V],))
    scratch = state(ctx, BODY_COLUMN, q)
    R, Q, inertia = scratch[:9], scratch[9:18], scratch[18:27]
    w, w0, arm, help1, help2 = scratch[27:30], scratch[30:33], scratch[33:36], scratch[36:39], scratch[39:42]
    for b in range(ctx[H_BODIES]):
        _body(ctx, b, q, v, R, Q, w, w0, arm, inertia, help1, help2)
    return OK


@njit(**INSIDE)
def _measure(R, chart):
    """|cos b| or |sin b| of the sequence at this attitude: R[i, k] is +-sin b, R[i, i] is cos b."""
    first, last = AXES[chart, 0], AXES[chart, 2]
    entry = R[3 * first + last].real
    return np.sqrt(max(0.0, 1.0 - entry * entry))


@njit(**INSIDE)
def _angles(R, chart, out):
    """The three angles of a rotation in a sequence."""
    i, j, k = AXES[chart, 0], AXES[chart, 1], AXES[chart, 2]
    sign = 1.0 if (i + 1) % 3 == j else -1.0
    if i != k:  # Tait-Bryan: R[i, k] = sign sin b
        out[1] = np.arctan2(sign * R[3 * i + k], np.sqrt(R[3 * i + i] ** 2 + R[3 * i + j] ** 2))
        out[0] = np.arctan2(-sign * R[3 * j + k], R[3 * k + k])
        out[2] = np.arctan2(-sign * R[3 * i + j], R[3 * i + i])
    else:  # proper Euler: R[i, i] = cos b; m is the axis not in the sequence
        m = 3 - i - j
        out[1] = np.arctan2(np.sqrt(R[3 * i + j] ** 2 + R[3 * i + m] ** 2), R[3 * i + i])
        out[0] = np.arctan2(R[3 * j + i], -sign * R[3 * m + i])
        out[2] = np.arctan2(R[3 * i + j], sign * R[3 * i + m])


def chart(t, y_, unused_, ctx_):
    """After a step: bodies near the singularity of their sequence change to the best one."""
    ctx = table(ctx_)
    nq, nv = ctx[H_Q], ctx[H_V]
    y = carray(y_, (nq + nv,))
    q = y[:nq]
    v = y[nq : nq + nv]
    body = reals(ctx, BODY)
    R, Q = np.zeros(9), np.zeros(9)
    w, w0 = np.zeros(3), np.zeros(3)
    status = OK
    for b in range(ctx[H_BODIES]):
        _kinematics(q, v, b, R, Q, w, w0)
        here = int(q[7 * b + 6])
        measure = _measure(R, here)
        if measure >= SWITCH:
            continue
        if body[b, 22] == 0.0:
            if measure < STOP:
                return SINGULAR_COORDINATES
            continue
        best = here
        for other in range(12):
            if _measure(R, other) > _measure(R, best) + 1e-9:
                best = other
        angles = np.zeros(3)
        _angles(R, best, angles)
        for n in range(3):
            q[7 * b + 3 + n] = angles[n]
        q[7 * b + 6] = best
        target = w.copy()
        _kinematics(q, v, b, R, Q, w, w0)
        rates = np.linalg.solve(Q.reshape(3, 3).T.copy(), target)
        for n in range(3):
            v[6 * b + 3 + n] = rates[n]
        ctx[H_FRESH] = 0
        status = RESTART
    return status


# Poses in and out ------------------------------------------------------------------------------------------------


def _turn(axis, angle):
    """Rotation matrices (..., 3, 3) about a fixed axis."""
    c, s = np.cos(angle), np.sin(angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R = np.zeros((*np.shape(angle), 3, 3))
    R[..., axis, axis] = 1.0
    R[..., j, j], R[..., j, k], R[..., k, j], R[..., k, k] = c, -s, s, c
    return R


def _frames(q):
    """R and the axes Q (columns) for every entry of q, whatever its chart."""
    flat = q.reshape(-1, 7)
    R, Q = np.zeros((len(flat), 3, 3)), np.zeros((len(flat), 3, 3))
    for number in np.unique(flat[:, 6].astype(int)):
        chosen = flat[:, 6].astype(int) == number
        frame = np.broadcast_to(np.eye(3), (int(chosen.sum()), 3, 3))
        for n, axis in enumerate(AXES[number]):
            Q[chosen, :, n] = frame[:, :, axis]
            frame = frame @ _turn(axis, flat[chosen, 3 + n])
        R[chosen] = frame
    return R.reshape(*q.shape[:-1], 3, 3), Q.reshape(*q.shape[:-1], 3, 3)


def _centres(bodies_):
    return np.array([body.centre for body in bodies_])


def pose_out(q, bodies_):
    R, _ = _frames(q)
    return q[..., :3] + np.einsum("...bij,bj->...bi", R, _centres(bodies_)), R, None


def twist_out(q, v, bodies_):
    R, Q = _frames(q)
    w = np.einsum("...ij,...j->...i", Q, v[..., 3:])
    arm = np.einsum("...bij,bj->...bi", R, _centres(bodies_))
    return v[..., :3] + np.cross(w, arm), w


def acceleration_out(q, v, a, bodies_):
    R, Q = _frames(q)
    rates = v[..., 3:]
    w = Q[..., 0] * rates[..., :1]
    w0 = np.cross(w, Q[..., 1]) * rates[..., 1:2]
    w = w + Q[..., 1] * rates[..., 1:2]
    w0 = w0 + np.cross(w, Q[..., 2]) * rates[..., 2:3]
    w = w + Q[..., 2] * rates[..., 2:3]
    dw = np.einsum("...ij,...j->...i", Q, a[..., 3:]) + w0
    arm = np.einsum("...bij,bj->...bi", R, _centres(bodies_))
    return a[..., :3] + np.cross(dw, arm) + np.cross(w, np.cross(w, arm)), dw


def _angles_of(R, number):
    out = np.zeros(3)
    _angles.py_func(R.ravel(), number, out)
    return out


def make_set(sequence, switch=True):
    """The set of one sequence; `switch=False` stops a run near the singularity instead of changing the sequence."""
    number = SEQUENCES.index(sequence)

    def constants(bodies_, vectors):
        rows = [[b.mass, *b.centre, *b.inertia.ravel(), *b.extra.ravel(), 1.0 if switch else 0.0] for b in bodies_]
        return {"BODY": np.array(rows), "singular": any(np.any(b.extra) for b in bodies_)}

    def pose_in(position, attitude, frame, body):
        chosen = number
        if switch and _measure.py_func(frame.ravel(), number) < SWITCH:
            chosen = max(range(12), key=lambda n: _measure.py_func(frame.ravel(), n))
        return np.concatenate([position - frame @ body.centre, _angles_of(frame, chosen), [chosen]])

    def twist_in(velocity, spin, q, body):
        R, Q = _frames(q[None])
        rates = np.linalg.lstsq(Q[0], np.asarray(spin), rcond=None)[0]
        return np.concatenate([velocity - np.cross(spin, R[0] @ body.centre), rates])

    return SimpleNamespace(
        NAME=("bryan" if sequence == "xyz" else f"euler-{sequence}") + ("" if switch else "-fixed"),
        DIM=3,
        BLOCK=3,
        NQ=7,
        NV=6,
        INTRINSIC=(),
        LENGTHS=(True, True, True, False, False, False),
        FROM_ORIGIN=True,
        GENERAL=True,
        CHARTS=True,
        HAS_ANGLE=False,
        bodies=bodies,
        chart=chart,
        place=general.make_place(3, 6, 3, 0),
        weigh=general.make_weigh(6, 3, 0),
        load=general.make_load(3, 6),
        shift=general.make_shift(6),
        rates=general.make_rates(7, 6),
        retract=general.make_retract(7, 6),
        energy=general.make_energy(3, 6),
        constants=constants,
        pose_in=pose_in,
        twist_in=twist_in,
        pose_out=pose_out,
        twist_out=twist_out,
        acceleration_out=acceleration_out,
    )


def __getattr__(name):
    """`euler.zxz`, `euler.zxz_fixed` ...: one set for each sequence, made when asked for."""
    sequence, _, fixed = name.partition("_")
    if sequence not in SEQUENCES or fixed not in ("", "fixed"):
        raise AttributeError(name)
    return _made(sequence, fixed == "")


_made = functools.cache(make_set)
