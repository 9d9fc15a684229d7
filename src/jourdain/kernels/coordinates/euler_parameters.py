"""Euler parameters in Lagrange form, in the plane (x, y, cos(theta/2), sin(theta/2)) and in space (r, p), v = q'.

R(p) is used unnormalised, quadratic in p; one intrinsic row p.p - 1 = 0 keeps it a rotation. With w_body = 2 G p'

    T = 2 p'^T G^T J G p',   M_pp = 4 G^T J G,   bias = -8 G'^T J G p'

M_pp is singular along p. It is cured inside the body by its own intrinsic row (gradient 2 p, right-hand side -2 p'.p'):
M + w (2p)(2p)^T and bias + w 2p (-2 p'.p') leave v' and the multipliers of the joints unchanged. The plane is the
special case p = (p0, 0, 0, p1), J = Izz.

BODY columns: mass, inertia (1 or 9), E (1 or 9), w.
"""

from numba import njit

from ..core.context import (
    BIAS,
    BODY,
    BODY_COLUMN,
    BODY_VECTORS,
    EXTRA,
    GAMMA,
    H_BODIES,
    H_Q,
    H_SINGULAR,
    H_V,
    INSIDE,
    JACOBIAN,
    MASS,
    OK,
    OMEGA,
    RESIDUAL,
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

# Plane -----------------------------------------------------------------------------------------------------------


def planar_bodies(t, q_, v_, ctx_):
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    v = vector_at(v_, ctx[H_V])
    vec = state(ctx, VEC, q)
    B = state(ctx, VECTOR_JACOBIAN, q)
    local = numbers(ctx, VECTOR_LOCAL, q)
    ranges = ints(ctx, BODY_VECTORS)
    body = numbers(ctx, BODY, q)
    mass = state(ctx, MASS, q)
    extra = state(ctx, EXTRA, q)
    bias = state(ctx, BIAS, q)
    residual = state(ctx, RESIDUAL, q)
    gamma = state(ctx, GAMMA, q)
    J = state(ctx, JACOBIAN, q)
    omega = state(ctx, OMEGA, q)
    turn = state(ctx, SPIN_JACOBIAN, q)
    for b in range(ctx[H_BODIES]):
        o = 4 * b
        p0, p1 = q[o + 2], q[o + 3]
        d0, d1 = v[o + 2], v[o + 3]
        c, s = p0 * p0 - p1 * p1, 2.0 * p0 * p1
        dc, ds = 2.0 * (p0 * d0 - p1 * d1), 2.0 * (p0 * d1 + p1 * d0)
        ddc, dds = 2.0 * (d0 * d0 - d1 * d1), 4.0 * d0 * d1
        for k in range(ranges[b, 0], ranges[b, 1]):
            lx, ly, point = local[k, 0], local[k, 1], local[k, 2]
            i = 8 * k
            vec[i] = point * q[o] + c * lx - s * ly
            vec[i + 1] = point * q[o + 1] + s * lx + c * ly
            vec[i + 4] = point * v[o] + dc * lx - ds * ly
            vec[i + 5] = point * v[o + 1] + ds * lx + dc * ly
            vec[i + 6] = ddc * lx - dds * ly
            vec[i + 7] = dds * lx + ddc * ly
            B[i], B[i + 1], B[i + 4], B[i + 5] = point, 0.0, 0.0, point
            B[i + 2], B[i + 3] = 2.0 * (p0 * lx - p1 * ly), 2.0 * (-p1 * lx - p0 * ly)
            B[i + 6], B[i + 7] = 2.0 * (p1 * lx + p0 * ly), 2.0 * (p0 * lx - p1 * ly)
        spin = p0 * d1 - p1 * d0
        omega[b] = 2.0 * spin
        turn[o + 2], turn[o + 3] = -2.0 * p1, 2.0 * p0
        inertia, w = body[b, 1], body[b, 3]
        m = 16 * b
        mass[m], mass[m + 5] = body[b, 0], body[b, 0]
        mass[m + 10] = 4.0 * inertia * p1 * p1 + 4.0 * w * p0 * p0
        mass[m + 11] = 4.0 * (w - inertia) * p0 * p1
        mass[m + 14] = mass[m + 11]
        mass[m + 15] = 4.0 * inertia * p0 * p0 + 4.0 * w * p1 * p1
        extra[m + 10], extra[m + 15] = 4.0 * body[b, 2], 4.0 * body[b, 2]
        square = d0 * d0 + d1 * d1
        bias[o + 2] = 8.0 * inertia * spin * d1 - 4.0 * w * p0 * square
        bias[o + 3] = -8.0 * inertia * spin * d0 - 4.0 * w * p1 * square
        residual[2 * b] = p0 * p0 + p1 * p1 - 1.0
        gamma[2 * b] = -2.0 * square
        J[8 * b + 2], J[8 * b + 3] = 2.0 * p0, 2.0 * p1
    return OK


# Space -----------------------------------------------------------------------------------------------------------


@njit(**INSIDE)
def _g_times(p0, p1, p2, p3, d0, d1, d2, d3):
    """G(p) d: half the angular velocity in body axes when d = p'."""
    return (
        -p1 * d0 + p0 * d1 + p3 * d2 - p2 * d3,
        -p2 * d0 - p3 * d1 + p0 * d2 + p1 * d3,
        -p3 * d0 + p2 * d1 - p1 * d2 + p0 * d3,
    )


@njit(**INSIDE)
def _rotated(p0, px, py, pz, lx, ly, lz):
    """R(p) l, unnormalised: (p0^2 - |p|^2) l + 2 p (p.l) + 2 p0 p x l."""
    c = p0 * p0 - px * px - py * py - pz * pz
    d = 2.0 * (px * lx + py * ly + pz * lz)
    e = 2.0 * p0
    return (
        c * lx + d * px + e * (py * lz - pz * ly),
        c * ly + d * py + e * (pz * lx - px * lz),
        c * lz + d * pz + e * (px * ly - py * lx),
    )


@njit(**INSIDE)
def _vector_jacobian(B, k, point, p0, px, py, pz, lx, ly, lz):
    """dX/dv (3 x 7) of one vector: identity for points, then 2 (p0 l + p x l) and the columns of p."""
    o = 21 * k
    for i in range(21):
        B[o + i] = 0.0
    B[o], B[o + 8], B[o + 16] = point, point, point
    B[o + 3] = 2.0 * (p0 * lx + py * lz - pz * ly)
    B[o + 10] = 2.0 * (p0 * ly + pz * lx - px * lz)
    B[o + 17] = 2.0 * (p0 * lz + px * ly - py * lx)
    d = px * lx + py * ly + pz * lz
    # column j: 2 (-p_j l + e_j (p.l) + p l_j + p0 e_j x l)
    B[o + 4] = 2.0 * (-px * lx + d + px * lx)
    B[o + 11] = 2.0 * (-px * ly + py * lx - p0 * lz)
    B[o + 18] = 2.0 * (-px * lz + pz * lx + p0 * ly)
    B[o + 5] = 2.0 * (-py * lx + px * ly + p0 * lz)
    B[o + 12] = 2.0 * (-py * ly + d + py * ly)
    B[o + 19] = 2.0 * (-py * lz + pz * ly - p0 * lx)
    B[o + 6] = 2.0 * (-pz * lx + px * lz - p0 * ly)
    B[o + 13] = 2.0 * (-pz * ly + py * lz + p0 * lx)
    B[o + 20] = 2.0 * (-pz * lz + d + pz * lz)


@njit(**INSIDE)
def _spatial_vectors(ctx, q, v):
    vec = state(ctx, VEC, q)
    B = state(ctx, VECTOR_JACOBIAN, q)
    local = numbers(ctx, VECTOR_LOCAL, q)
    ranges = ints(ctx, BODY_VECTORS)
    for b in range(ctx[H_BODIES]):
        o = 7 * b
        p0, px, py, pz = q[o + 3], q[o + 4], q[o + 5], q[o + 6]
        d0, dx, dy, dz = v[o + 3], v[o + 4], v[o + 5], v[o + 6]
        for k in range(ranges[b, 0], ranges[b, 1]):
            lx, ly, lz, point = local[k, 0], local[k, 1], local[k, 2], local[k, 3]
            _vector_jacobian(B, k, point, p0, px, py, pz, lx, ly, lz)
            s = _rotated(p0, px, py, pz, lx, ly, lz)
            a = _rotated(d0, dx, dy, dz, lx, ly, lz)  # R is quadratic in p: R'' at p'' = 0 is 2 R(p')
            for i in range(3):
                vec[12 * k + i] = point * q[o + i] + s[i]
                j = 21 * k + 7 * i
                rate = B[j + 3] * d0 + B[j + 4] * dx + B[j + 5] * dy + B[j + 6] * dz
                vec[12 * k + 6 + i] = point * v[o + i] + rate
                vec[12 * k + 9 + i] = 2.0 * a[i]


@njit(**INSIDE)
def _fill_g(g, p0, p1, p2, p3):
    """G(p) (3 x 4) and behind it E(p): angular velocity 2 G p' in body axes, 2 E p' in fixed axes."""
    g[0], g[1], g[2], g[3] = -p1, p0, p3, -p2
    g[4], g[5], g[6], g[7] = -p2, -p3, p0, p1
    g[8], g[9], g[10], g[11] = -p3, p2, -p1, p0
    g[12], g[13], g[14], g[15] = -p1, p0, -p3, p2
    g[16], g[17], g[18], g[19] = -p2, p3, p0, -p1
    g[20], g[21], g[22], g[23] = -p3, -p2, p1, p0


@njit(**INSIDE)
def _add_g_square(mass, m, body, b, first, g):
    """mass_pp += 4 G^T A G for the 3 x 3 matrix A in the columns of BODY from `first` on."""
    for i in range(4):
        for j in range(4):
            total = 0.0 * g[0]
            for r in range(3):
                for s in range(3):
                    total += g[4 * r + i] * body[b, first + 3 * r + s] * g[4 * s + j]
            mass[m + 7 * (3 + i) + 3 + j] += 4.0 * total


@njit(**INSIDE)
def _spatial_inertia(ctx, q, v):
    body = numbers(ctx, BODY, q)
    mass = state(ctx, MASS, q)
    extra = state(ctx, EXTRA, q)
    bias = state(ctx, BIAS, q)
    omega = state(ctx, OMEGA, q)
    turn = state(ctx, SPIN_JACOBIAN, q)
    residual = state(ctx, RESIDUAL, q)
    gamma = state(ctx, GAMMA, q)
    J = state(ctx, JACOBIAN, q)
    g = state(ctx, BODY_COLUMN, q)
    for b in range(ctx[H_BODIES]):
        o = 7 * b
        p0, p1, p2, p3 = q[o + 3], q[o + 4], q[o + 5], q[o + 6]
        d0, d1, d2, d3 = v[o + 3], v[o + 4], v[o + 5], v[o + 6]
        square = d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
        w = body[b, 19]
        m = 49 * b
        _fill_g(g, p0, p1, p2, p3)
        for i in range(49):
            mass[m + i] = 0.0
        for i in range(3):
            mass[m + 8 * i] = body[b, 0]
        _add_g_square(mass, m, body, b, 1, g)
        for i in range(4):
            for j in range(4):
                mass[m + 7 * (3 + i) + 3 + j] += 4.0 * w * q[o + 3 + i] * q[o + 3 + j]
        if ctx[H_SINGULAR] == 1:
            for i in range(49):
                extra[m + i] = 0.0
            _add_g_square(extra, m, body, b, 10, g)
        gx, gy, gz = _g_times(p0, p1, p2, p3, d0, d1, d2, d3)
        hx = body[b, 1] * gx + body[b, 2] * gy + body[b, 3] * gz
        hy = body[b, 4] * gx + body[b, 5] * gy + body[b, 6] * gz
        hz = body[b, 7] * gx + body[b, 8] * gy + body[b, 9] * gz
        # -8 G(p')^T J G p' - 4 w p (p'.p')
        bias[o + 3] = -8.0 * (-d1 * hx - d2 * hy - d3 * hz) - 4.0 * w * p0 * square
        bias[o + 4] = -8.0 * (d0 * hx - d3 * hy + d2 * hz) - 4.0 * w * p1 * square
        bias[o + 5] = -8.0 * (d3 * hx + d0 * hy - d1 * hz) - 4.0 * w * p2 * square
        bias[o + 6] = -8.0 * (-d2 * hx + d1 * hy + d0 * hz) - 4.0 * w * p3 * square
        for i in range(3):
            omega[3 * b + i] = 0.0
            for j in range(4):
                turn[(3 * b + i) * 7 + 3 + j] = 2.0 * g[12 + 4 * i + j]
                omega[3 * b + i] += 2.0 * g[12 + 4 * i + j] * v[o + 3 + j]
        residual[3 * b] = p0 * p0 + p1 * p1 + p2 * p2 + p3 * p3 - 1.0
        gamma[3 * b] = -2.0 * square
        for i in range(4):
            J[21 * b + 3 + i] = 2.0 * q[o + 3 + i]


def spatial_bodies(t, q_, v_, ctx_):
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    v = vector_at(v_, ctx[H_V])
    _spatial_vectors(ctx, q, v)
    _spatial_inertia(ctx, q, v)
    return OK
