"""The articulated body algorithm in space, and recursive Newton-Euler: dynamics of trees both ways, in O(n).

With w the angular velocity of a link and a the acceleration of its origin O, both in fixed axes, joint by joint
(Wijckmans 1992, eqs 3.17-3.26; Bae and Haug 1987):

    (w', a)_j = A (w', a)_i + B q'' + c        A = [[1, 0], [-r~, 1]],  r from O_i to O_j
    c = (w_i x w_rel, w_i x (w_i x r) + 2 w_i x v_rel)     and (z_i q1') x (z_j q2') besides, for a universal joint

B has one column for each joint velocity, (b_rot, b_lin), made of the axes X, Y, Z of the carrying port and z_j:

    revolute (Z, 0)   prismatic (0, Z)   screw (Z, h Z)   cylindrical (Z, 0) (0, Z)   universal (Z, 0) (z_j, 0)
    spherical (X, 0) (Y, 0) (Z, 0)   planar (0, X) (0, Y) (Z, 0)   free (0, X) (0, Y) (0, Z) (X, 0) (Y, 0) (Z, 0)

Inward, with M = [[J, H], [H^T, m]] of a link and all it carries, and the wrench p that it needs at zero acceleration,
one column after the other, the last one first:

    p <- p + M c;   U = M b,  D = b^T U,  u = tau - b^T p;   M <- M - U U^T / D,   p <- p + U u / D

then the parent gets A^T M A and A^T p. Outward, with (w', a) = A (w', a)_i and the first column first:

    q'' = (u - U^T (w', a)) / D,   (w', a) <- (w', a) + b q'';   and at last (w', a) <- (w', a) + c

Fixed axes throughout: a link's inertia is turned once, and articulated ones never, which costs 45 multiplications a
link instead of 150. Pins, the joints of nearly every chain, have steps of their own.
"""

from numba import njit

from ..core.context import OMEGA, VEC, ints, reals
from .forward import make_passes
from .joint_motion import (
    ACC,
    ARM,
    BIAS,
    INERTIA,
    MASS,
    MC,
    REL,
    UD,
    B,
    F,
    H,
    J,
    M,
    N,
    R,
    U,
    W,
    cross,
    place_part,
)
from .loads import make_load
from .table import (
    BODIES,
    COLUMNS,
    CONSTANTS,
    EFFORTS,
    FAST_INSIDE,
    GRAVITY,
    HAS_LOADS,
    LIFT,
    LINKS,
    LOADS,
    N_LINKS,
    OWN,
    OWNERS,
    PLACES,
    REVOLUTE,
    STATE,
)


@njit(**FAST_INSIDE)
def _times(st, j, ax, ay, az, bx, by, bz):
    """M times an acceleration: moment and force."""
    nx = st[j, J] * ax + st[j, J + 3] * ay + st[j, J + 4] * az
    ny = st[j, J + 3] * ax + st[j, J + 1] * ay + st[j, J + 5] * az
    nz = st[j, J + 4] * ax + st[j, J + 5] * ay + st[j, J + 2] * az
    nx += st[j, H] * bx + st[j, H + 1] * by + st[j, H + 2] * bz
    ny += st[j, H + 3] * bx + st[j, H + 4] * by + st[j, H + 5] * bz
    nz += st[j, H + 6] * bx + st[j, H + 7] * by + st[j, H + 8] * bz
    fx = st[j, H] * ax + st[j, H + 3] * ay + st[j, H + 6] * az
    fy = st[j, H + 1] * ax + st[j, H + 4] * ay + st[j, H + 7] * az
    fz = st[j, H + 2] * ax + st[j, H + 5] * ay + st[j, H + 8] * az
    fx += st[j, M] * bx + st[j, M + 3] * by + st[j, M + 4] * bz
    fy += st[j, M + 3] * bx + st[j, M + 1] * by + st[j, M + 5] * bz
    fz += st[j, M + 4] * bx + st[j, M + 5] * by + st[j, M + 2] * bz
    return nx, ny, nz, fx, fy, fz


@njit(**FAST_INSIDE)
def _own(st, j, con):
    """Add a link's own inertia, turned into fixed axes, and the wrench of its own turning."""
    xx, yy, zz = con[j, INERTIA], con[j, INERTIA + 1], con[j, INERTIA + 2]
    xy, xz, yz = con[j, INERTIA + 3], con[j, INERTIA + 4], con[j, INERTIA + 5]
    a, b, c = st[j, R], st[j, R + 1], st[j, R + 2]
    d, e, f = st[j, R + 3], st[j, R + 4], st[j, R + 5]
    g, h, k = st[j, R + 6], st[j, R + 7], st[j, R + 8]
    px, py, pz = a * xx + b * xy + c * xz, a * xy + b * yy + c * yz, a * xz + b * yz + c * zz
    jxx = px * a + py * b + pz * c
    jxy = px * d + py * e + pz * f
    jxz = px * g + py * h + pz * k
    px, py, pz = d * xx + e * xy + f * xz, d * xy + e * yy + f * yz, d * xz + e * yz + f * zz
    jyy = px * d + py * e + pz * f
    jyz = px * g + py * h + pz * k
    px, py, pz = g * xx + h * xy + k * xz, g * xy + h * yy + k * yz, g * xz + h * yz + k * zz
    jzz = px * g + py * h + pz * k
    x, y, z = con[j, MC], con[j, MC + 1], con[j, MC + 2]
    hx, hy, hz = a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + k * z
    st[j, J] += jxx
    st[j, J + 1] += jyy
    st[j, J + 2] += jzz
    st[j, J + 3] += jxy
    st[j, J + 4] += jxz
    st[j, J + 5] += jyz
    st[j, H + 1] -= hz
    st[j, H + 2] += hy
    st[j, H + 3] += hz
    st[j, H + 5] -= hx
    st[j, H + 6] -= hy
    st[j, H + 7] += hx
    m = con[j, MASS]
    st[j, M] += m
    st[j, M + 1] += m
    st[j, M + 2] += m
    wx, wy, wz = st[j, W], st[j, W + 1], st[j, W + 2]
    x, y, z = jxx * wx + jxy * wy + jxz * wz, jxy * wx + jyy * wy + jyz * wz, jxz * wx + jyz * wy + jzz * wz
    nx, ny, nz = cross(wx, wy, wz, x, y, z)  # w x J w
    x, y, z = cross(wx, wy, wz, hx, hy, hz)
    fx, fy, fz = cross(wx, wy, wz, x, y, z)  # w x (w x h)
    _add_wrench(st, j, nx, ny, nz, fx, fy, fz, 1.0)


@njit(**FAST_INSIDE)
def _add_wrench(st, j, nx, ny, nz, fx, fy, fz, times):
    st[j, N] += nx * times
    st[j, N + 1] += ny * times
    st[j, N + 2] += nz * times
    st[j, F] += fx * times
    st[j, F + 1] += fy * times
    st[j, F + 2] += fz * times


@njit(**FAST_INSIDE)
def _less_loads(ctx, st, j):
    if ctx[HAS_LOADS] == 1:
        loads = reals(ctx, LOADS)
        for k in range(6):
            st[j, N + k] -= loads[j, k]


@njit(**FAST_INSIDE)
def _subtract(st, j, nx, ny, nz, fx, fy, fz, over):
    """M - U U^T / D."""
    x, y, z = nx * over, ny * over, nz * over
    st[j, J] -= nx * x
    st[j, J + 1] -= ny * y
    st[j, J + 2] -= nz * z
    st[j, J + 3] -= nx * y
    st[j, J + 4] -= nx * z
    st[j, J + 5] -= ny * z
    st[j, H] -= x * fx
    st[j, H + 1] -= x * fy
    st[j, H + 2] -= x * fz
    st[j, H + 3] -= y * fx
    st[j, H + 4] -= y * fy
    st[j, H + 5] -= y * fz
    st[j, H + 6] -= z * fx
    st[j, H + 7] -= z * fy
    st[j, H + 8] -= z * fz
    x, y, z = fx * over, fy * over, fz * over
    st[j, M] -= fx * x
    st[j, M + 1] -= fy * y
    st[j, M + 2] -= fz * z
    st[j, M + 3] -= fx * y
    st[j, M + 4] -= fx * z
    st[j, M + 5] -= fy * z


@njit(**FAST_INSIDE)
def _hand_over(st, i, j, b):
    """The parent's M and p become those in row b with A^T M A and A^T p: its own, or the zeros of the ground."""
    x, y, z = st[j, ARM], st[j, ARM + 1], st[j, ARM + 2]
    hxx, hxy, hxz = st[j, H], st[j, H + 1], st[j, H + 2]
    hyx, hyy, hyz = st[j, H + 3], st[j, H + 4], st[j, H + 5]
    hzx, hzy, hzz = st[j, H + 6], st[j, H + 7], st[j, H + 8]
    mxx, myy, mzz = st[j, M], st[j, M + 1], st[j, M + 2]
    mxy, mxz, myz = st[j, M + 3], st[j, M + 4], st[j, M + 5]
    jxx, jyy, jzz = st[j, J], st[j, J + 1], st[j, J + 2]
    jxy, jxz, jyz = st[j, J + 3], st[j, J + 4], st[j, J + 5]
    # The compiler does not know that rows differ: all reading of j comes before the first writing to i.
    _hand_wrench(st, i, j, b)
    # G = H + r~ m
    gxx, gxy, gxz = hxx + y * mxz - z * mxy, hxy + y * myz - z * myy, hxz + y * mzz - z * myz
    gyx, gyy, gyz = hyx + z * mxx - x * mxz, hyy + z * mxy - x * myz, hyz + z * mxz - x * mzz
    gzx, gzy, gzz = hzx + x * mxy - y * mxx, hzy + x * myy - y * mxy, hzz + x * myz - y * mxz
    # J + r~ H^T - G r~
    st[i, J] = st[b, J] + jxx + y * (hxz + gxz) - z * (hxy + gxy)
    st[i, J + 1] = st[b, J + 1] + jyy + z * (hyx + gyx) - x * (hyz + gyz)
    st[i, J + 2] = st[b, J + 2] + jzz + x * (hzy + gzy) - y * (hzx + gzx)
    st[i, J + 3] = st[b, J + 3] + jxy + y * hyz - z * hyy + z * gxx - x * gxz
    st[i, J + 4] = st[b, J + 4] + jxz + y * hzz - z * hzy + x * gxy - y * gxx
    st[i, J + 5] = st[b, J + 5] + jyz + z * hzx - x * hzz + x * gyy - y * gyx
    st[i, H] = st[b, H] + gxx
    st[i, H + 1] = st[b, H + 1] + gxy
    st[i, H + 2] = st[b, H + 2] + gxz
    st[i, H + 3] = st[b, H + 3] + gyx
    st[i, H + 4] = st[b, H + 4] + gyy
    st[i, H + 5] = st[b, H + 5] + gyz
    st[i, H + 6] = st[b, H + 6] + gzx
    st[i, H + 7] = st[b, H + 7] + gzy
    st[i, H + 8] = st[b, H + 8] + gzz
    st[i, M] = st[b, M] + mxx
    st[i, M + 1] = st[b, M + 1] + myy
    st[i, M + 2] = st[b, M + 2] + mzz
    st[i, M + 3] = st[b, M + 3] + mxy
    st[i, M + 4] = st[b, M + 4] + mxz
    st[i, M + 5] = st[b, M + 5] + myz


@njit(**FAST_INSIDE)
def _hand_wrench(st, i, j, b):
    """Likewise with A^T p alone."""
    fx, fy, fz = st[j, F], st[j, F + 1], st[j, F + 2]
    nx, ny, nz = st[j, N], st[j, N + 1], st[j, N + 2]
    x, y, z = cross(st[j, ARM], st[j, ARM + 1], st[j, ARM + 2], fx, fy, fz)
    st[i, N] = st[b, N] + nx + x
    st[i, N + 1] = st[b, N + 1] + ny + y
    st[i, N + 2] = st[b, N + 2] + nz + z
    st[i, F] = st[b, F] + fx
    st[i, F + 1] = st[b, F + 1] + fy
    st[i, F + 2] = st[b, F + 2] + fz


@njit(**FAST_INSIDE)
def _keep(cols, l, nx, ny, nz, fx, fy, fz, over, u):
    """U / D and u / D, for the way outward."""
    cols[l, UD] = nx * over
    cols[l, UD + 1] = ny * over
    cols[l, UD + 2] = nz * over
    cols[l, UD + 3] = fx * over
    cols[l, UD + 4] = fy * over
    cols[l, UD + 5] = fz * over
    cols[l, U] = u


@njit(**FAST_INSIDE)
def _pin(st, cols, j, l, tau):
    """Eliminate a pin: b = (Z, 0)."""
    zx, zy, zz = st[j, R + 2], st[j, R + 5], st[j, R + 8]
    nx = st[j, J] * zx + st[j, J + 3] * zy + st[j, J + 4] * zz
    ny = st[j, J + 3] * zx + st[j, J + 1] * zy + st[j, J + 5] * zz
    nz = st[j, J + 4] * zx + st[j, J + 5] * zy + st[j, J + 2] * zz
    over = 1.0 / (zx * nx + zy * ny + zz * nz)
    fx = st[j, H] * zx + st[j, H + 3] * zy + st[j, H + 6] * zz
    fy = st[j, H + 1] * zx + st[j, H + 4] * zy + st[j, H + 7] * zz
    fz = st[j, H + 2] * zx + st[j, H + 5] * zy + st[j, H + 8] * zz
    u = (tau - zx * st[j, N] - zy * st[j, N + 1] - zz * st[j, N + 2]) * over
    _subtract(st, j, nx, ny, nz, fx, fy, fz, over)
    _add_wrench(st, j, nx, ny, nz, fx, fy, fz, u)
    _keep(cols, l, nx, ny, nz, fx, fy, fz, over, u)


@njit(**FAST_INSIDE)
def _any_column(st, cols, j, l, tau):
    """Eliminate one column of B."""
    ax, ay, az = cols[l, B], cols[l, B + 1], cols[l, B + 2]
    bx, by, bz = cols[l, B + 3], cols[l, B + 4], cols[l, B + 5]
    nx, ny, nz, fx, fy, fz = _times(st, j, ax, ay, az, bx, by, bz)
    over = 1.0 / (ax * nx + ay * ny + az * nz + bx * fx + by * fy + bz * fz)
    u = tau - ax * st[j, N] - ay * st[j, N + 1] - az * st[j, N + 2]
    u = (u - bx * st[j, F] - by * st[j, F + 1] - bz * st[j, F + 2]) * over
    _subtract(st, j, nx, ny, nz, fx, fy, fz, over)
    _add_wrench(st, j, nx, ny, nz, fx, fy, fz, u)
    _keep(cols, l, nx, ny, nz, fx, fy, fz, over, u)


@njit(**FAST_INSIDE, forceinline=True)
def inward_part(ctx, first, last):
    """Articulated inertias and wrenches; leaves U / D and u / D of every column in COLUMNS.

    Of links from `first` up to `last`; what the first hands to a link of another part stays in its row.
    """
    links = ints(ctx, LINKS)
    con = reals(ctx, CONSTANTS)
    st = reals(ctx, STATE)
    cols = reals(ctx, COLUMNS)
    tau = reals(ctx, EFFORTS)
    for j in range(last - 1, first - 1, -1):
        i = links[j, 0]
        l = links[j, 3]
        _own(st, j, con)
        _less_loads(ctx, st, j)
        b = BIAS
        nx, ny, nz, fx, fy, fz = _times(
            st, j, st[j, b], st[j, b + 1], st[j, b + 2], st[j, b + 3], st[j, b + 4], st[j, b + 5]
        )
        _add_wrench(st, j, nx, ny, nz, fx, fy, fz, 1.0)
        if links[j, 1] == REVOLUTE:
            _pin(st, cols, j, l, tau[l, 0])
        else:
            for c in range(l + links[j, 4] - 1, l - 1, -1):
                _any_column(st, cols, j, c, tau[c, 0])
        if i >= first:
            _hand_over(st, i, j, 0 if links[i, 5] == 1 else i)
        elif i > 0:
            _hand_over(st, j, j, 0)


@njit(**FAST_INSIDE)
def join(ctx, j):
    """Add to a junction what the first link of a part left for it."""
    st = reals(ctx, STATE)
    i = ints(ctx, LINKS)[j, 0]
    if i > 0:
        for column in range(J, F + 3):
            st[i, column] += st[j, column]


@njit(**FAST_INSIDE)
def _carried(st, i, j):
    """A (w', a)_i."""
    wx, wy, wz = st[i, ACC], st[i, ACC + 1], st[i, ACC + 2]
    x, y, z = cross(wx, wy, wz, st[j, ARM], st[j, ARM + 1], st[j, ARM + 2])
    return wx, wy, wz, st[i, ACC + 3] + x, st[i, ACC + 4] + y, st[i, ACC + 5] + z


@njit(**FAST_INSIDE)
def _settle(st, j, wx, wy, wz, ax, ay, az):
    """Add c and store."""
    st[j, ACC] = wx + st[j, BIAS]
    st[j, ACC + 1] = wy + st[j, BIAS + 1]
    st[j, ACC + 2] = wz + st[j, BIAS + 2]
    st[j, ACC + 3] = ax + st[j, BIAS + 3]
    st[j, ACC + 4] = ay + st[j, BIAS + 4]
    st[j, ACC + 5] = az + st[j, BIAS + 5]


@njit(**FAST_INSIDE)
def ready(ctx):
    """Gravity is an acceleration of the ground upwards."""
    st = reals(ctx, STATE)
    gravity = reals(ctx, GRAVITY)
    for k in range(3):
        st[0, ACC + k] = 0.0
        st[0, ACC + 3 + k] = -gravity[k, 0]


@njit(**FAST_INSIDE, forceinline=True)
def outward_part(ctx, out, first, last):
    """Accelerations of joints and links, of links from `first` up to `last`."""
    links = ints(ctx, LINKS)
    st = reals(ctx, STATE)
    cols = reals(ctx, COLUMNS)
    for j in range(first, last):
        k = links[j, 3]
        wx, wy, wz, ax, ay, az = _carried(st, links[j, 0], j)
        if links[j, 1] == REVOLUTE:
            l = k
            a = cols[l, U] - cols[l, UD] * wx - cols[l, UD + 1] * wy - cols[l, UD + 2] * wz
            a = a - cols[l, UD + 3] * ax - cols[l, UD + 4] * ay - cols[l, UD + 5] * az
            out[l] = a
            wx += a * st[j, R + 2]
            wy += a * st[j, R + 5]
            wz += a * st[j, R + 8]
        else:
            for l in range(k, k + links[j, 4]):
                a = cols[l, U] - cols[l, UD] * wx - cols[l, UD + 1] * wy - cols[l, UD + 2] * wz
                a = a - cols[l, UD + 3] * ax - cols[l, UD + 4] * ay - cols[l, UD + 5] * az
                out[l] = a
                wx += a * cols[l, B]
                wy += a * cols[l, B + 1]
                wz += a * cols[l, B + 2]
                ax += a * cols[l, B + 3]
                ay += a * cols[l, B + 4]
                az += a * cols[l, B + 5]
        _settle(st, j, wx, wy, wz, ax, ay, az)


@njit(**FAST_INSIDE)
def efforts(ctx, a, out):
    """Recursive Newton-Euler: out = efforts that give all joints, once placed and loaded, the accelerations a.

    Leaves what each joint transmits in N and F.
    """
    links = ints(ctx, LINKS)
    st = reals(ctx, STATE)
    cols = reals(ctx, COLUMNS)
    con = reals(ctx, CONSTANTS)
    for j in range(1, ctx[N_LINKS] + 1):
        first = links[j, 3]
        wx, wy, wz, ax, ay, az = _carried(st, links[j, 0], j)
        if links[j, 1] == REVOLUTE:
            _axis_of_pin(st, cols, j, first)
        for l in range(first, first + links[j, 4]):
            wx += a[l] * cols[l, B]
            wy += a[l] * cols[l, B + 1]
            wz += a[l] * cols[l, B + 2]
            ax += a[l] * cols[l, B + 3]
            ay += a[l] * cols[l, B + 4]
            az += a[l] * cols[l, B + 5]
        _settle(st, j, wx, wy, wz, ax, ay, az)
        for column in range(J, F + 3):
            st[j, column] = 0.0
        _own(st, j, con)
        _less_loads(ctx, st, j)
        c = ACC
        nx, ny, nz, fx, fy, fz = _times(
            st, j, st[j, c], st[j, c + 1], st[j, c + 2], st[j, c + 3], st[j, c + 4], st[j, c + 5]
        )
        _add_wrench(st, j, nx, ny, nz, fx, fy, fz, 1.0)
    for j in range(ctx[N_LINKS], 0, -1):
        first = links[j, 3]
        for l in range(first, first + links[j, 4]):
            out[l] = 0.0
            for k in range(6):
                out[l] += cols[l, B + k] * st[j, N + k]
        if links[j, 0] > 0:
            _hand_wrench(st, links[j, 0], j, links[j, 0])


@njit(**FAST_INSIDE)
def _axis_of_pin(st, cols, j, l):
    """The column of B that `place` does not write for pins."""
    for k in range(3):
        cols[l, B + k] = st[j, R + 3 * k + 2]
        cols[l, B + 3 + k] = 0.0


# Bodies --------------------------------------------------------------------------------------------------------------


@njit(**FAST_INSIDE)
def move(ctx, v):
    """PLACES and LIFT of all links, once they are placed."""
    links = ints(ctx, LINKS)
    st = reals(ctx, STATE)
    places = reals(ctx, PLACES)
    lift = reals(ctx, LIFT)
    for j in range(1, ctx[N_LINKS] + 1):
        i = links[j, 0]
        rx, ry, rz = st[j, ARM], st[j, ARM + 1], st[j, ARM + 2]
        x, y, z = cross(st[i, W], st[i, W + 1], st[i, W + 2], rx, ry, rz)
        places[j, 0] = places[i, 0] + rx
        places[j, 1] = places[i, 1] + ry
        places[j, 2] = places[i, 2] + rz
        places[j, 3] = places[i, 3] + x
        places[j, 4] = places[i, 4] + y
        places[j, 5] = places[i, 5] + z
        if links[j, 1] != REVOLUTE:
            for k in range(3):
                places[j, 3 + k] += st[j, REL + 3 + k]
        x, y, z = cross(lift[i, 0], lift[i, 1], lift[i, 2], rx, ry, rz)
        for k in range(3):
            lift[j, k] = lift[i, k] + st[j, BIAS + k]
        lift[j, 3] = lift[i, 3] + x + st[j, BIAS + 3]
        lift[j, 4] = lift[i, 4] + y + st[j, BIAS + 4]
        lift[j, 5] = lift[i, 5] + z + st[j, BIAS + 5]


@njit(**FAST_INSIDE)
def vectors(ctx):
    """VEC and OMEGA, from PLACES and LIFT. Arms are from the link's origin, so that J is of twists there."""
    st = reals(ctx, STATE)
    places = reals(ctx, PLACES)
    lift = reals(ctx, LIFT)
    owners = ints(ctx, OWNERS)
    own = reals(ctx, OWN)
    bodies = ints(ctx, BODIES)
    vec = reals(ctx, VEC)
    omega = reals(ctx, OMEGA)
    for k in range(owners.shape[0]):
        j = owners[k, 0]
        x, y, z, point = own[k, 0], own[k, 1], own[k, 2], own[k, 3]
        sx = st[j, R] * x + st[j, R + 1] * y + st[j, R + 2] * z
        sy = st[j, R + 3] * x + st[j, R + 4] * y + st[j, R + 5] * z
        sz = st[j, R + 6] * x + st[j, R + 7] * y + st[j, R + 8] * z
        wx, wy, wz = st[j, W], st[j, W + 1], st[j, W + 2]
        ux, uy, uz = cross(wx, wy, wz, sx, sy, sz)
        ax, ay, az = cross(wx, wy, wz, ux, uy, uz)
        x, y, z = cross(lift[j, 0], lift[j, 1], lift[j, 2], sx, sy, sz)
        vec[k, 0] = point * places[j, 0] + sx
        vec[k, 1] = point * places[j, 1] + sy
        vec[k, 2] = point * places[j, 2] + sz
        vec[k, 3], vec[k, 4], vec[k, 5] = sx, sy, sz
        vec[k, 6] = point * places[j, 3] + ux
        vec[k, 7] = point * places[j, 4] + uy
        vec[k, 8] = point * places[j, 5] + uz
        vec[k, 9] = point * lift[j, 3] + ax + x
        vec[k, 10] = point * lift[j, 4] + ay + y
        vec[k, 11] = point * lift[j, 5] + az + z
    for j in range(1, ctx[N_LINKS] + 1):
        for c in range(3):
            omega[bodies[j, 0], c] = st[j, W + c]


load = make_load("spatial", 3, move, vectors)
place, inward, outward, advance, trunk, evaluate = make_passes(
    "spatial", ready, place_part, inward_part, outward_part, join, load
)
