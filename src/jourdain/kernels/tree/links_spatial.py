"""What joint coordinates in space need to know of each link besides the recursion: inertias, weights, energies.

Everything is in fixed axes at the link's origin, moments before forces, as in loop_closing.py. links_planar.py has the
same names; joint_coordinates.py takes one of the two.
"""

from numba import njit

from ..core.context import ENERGY, INSIDE, ints, reals
from .joint_motion import (
    ARM,
    INERTIA,
    MASS,
    MC,
    B,
    R,
    W,
    cross,
)
from .loop_closing import make_closing
from .table import (
    COLUMNS,
    CONSTANTS,
    ELIMINATED,
    FAST_INSIDE,
    GRAVITY,
    HAS_LOADS,
    LIFT,
    LINKS,
    LOADS,
    MATRIX,
    N_LINKS,
    PASSING,
    PLACES,
    REVOLUTE,
    STATE,
)

# Columns of B ----------------------------------------------------------------------------------------------------


@njit(**FAST_INSIDE)
def columns(ctx):
    links = ints(ctx, LINKS)
    st = reals(ctx, STATE)
    cols = reals(ctx, COLUMNS)
    E = reals(ctx, ELIMINATED)
    for j in range(1, ctx[N_LINKS] + 1):
        l = links[j, 3]
        if links[j, 1] == REVOLUTE:  # whose column `place` does not write
            for k in range(3):
                E[l, k] = st[j, R + 3 * k + 2]
                E[l, 3 + k] = 0.0
        else:
            for c in range(l, l + links[j, 4]):
                for k in range(6):
                    E[c, k] = cols[c, B + k]


# Inertias and weights --------------------------------------------------------------------------------------------


@njit(**FAST_INSIDE)
def _turned(st, con, j):
    """Inertia about the origin (xx yy zz xy xz yz) and mass times mass centre, fixed axes."""
    xx, yy, zz = con[j, INERTIA], con[j, INERTIA + 1], con[j, INERTIA + 2]
    xy, xz, yz = con[j, INERTIA + 3], con[j, INERTIA + 4], con[j, INERTIA + 5]
    a, b, c = st[j, R], st[j, R + 1], st[j, R + 2]
    d, e, f = st[j, R + 3], st[j, R + 4], st[j, R + 5]
    g, h, k = st[j, R + 6], st[j, R + 7], st[j, R + 8]
    px, py, pz = a * xx + b * xy + c * xz, a * xy + b * yy + c * yz, a * xz + b * yz + c * zz
    jxx, jxy, jxz = px * a + py * b + pz * c, px * d + py * e + pz * f, px * g + py * h + pz * k
    px, py, pz = d * xx + e * xy + f * xz, d * xy + e * yy + f * yz, d * xz + e * yz + f * zz
    jyy, jyz = px * d + py * e + pz * f, px * g + py * h + pz * k
    px, py, pz = g * xx + h * xy + k * xz, g * xy + h * yy + k * yz, g * xz + h * yz + k * zz
    jzz = px * g + py * h + pz * k
    x, y, z = con[j, MC], con[j, MC + 1], con[j, MC + 2]
    return jxx, jyy, jzz, jxy, jxz, jyz, a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + k * z


@njit(**FAST_INSIDE)
def inertias(ctx):
    """MATRIX: each link's own."""
    con = reals(ctx, CONSTANTS)
    st = reals(ctx, STATE)
    M = reals(ctx, MATRIX)
    for j in range(1, ctx[N_LINKS] + 1):
        xx, yy, zz, xy, xz, yz, hx, hy, hz = _turned(st, con, j)
        m = con[j, MASS]
        M[j, 0], M[j, 1], M[j, 2], M[j, 3], M[j, 4], M[j, 5] = xx, xy, xz, 0.0, -hz, hy
        M[j, 6], M[j, 7], M[j, 8], M[j, 9], M[j, 10], M[j, 11] = xy, yy, yz, hz, 0.0, -hx
        M[j, 12], M[j, 13], M[j, 14], M[j, 15], M[j, 16], M[j, 17] = xz, yz, zz, -hy, hx, 0.0
        M[j, 18], M[j, 19], M[j, 20], M[j, 21], M[j, 22], M[j, 23] = 0.0, hz, -hy, m, 0.0, 0.0
        M[j, 24], M[j, 25], M[j, 26], M[j, 27], M[j, 28], M[j, 29] = -hz, 0.0, hx, 0.0, m, 0.0
        M[j, 30], M[j, 31], M[j, 32], M[j, 33], M[j, 34], M[j, 35] = hy, -hx, 0.0, 0.0, 0.0, m


@njit(**FAST_INSIDE)
def weights(ctx):
    """PASSING: the wrench that each link needs at LIFT and what PASSING has for acceleration, less what is applied."""
    con = reals(ctx, CONSTANTS)
    st = reals(ctx, STATE)
    lift = reals(ctx, LIFT)
    gravity = reals(ctx, GRAVITY)
    loads = reals(ctx, LOADS)
    p = reals(ctx, PASSING)
    for j in range(1, ctx[N_LINKS] + 1):
        xx, yy, zz, xy, xz, yz, hx, hy, hz = _turned(st, con, j)
        m = con[j, MASS]
        wx, wy, wz = st[j, W], st[j, W + 1], st[j, W + 2]
        dx, dy, dz = lift[j, 0] + p[j, 6], lift[j, 1] + p[j, 7], lift[j, 2] + p[j, 8]
        ax = lift[j, 3] - gravity[0, 0] + p[j, 9]
        ay = lift[j, 4] - gravity[1, 0] + p[j, 10]
        az = lift[j, 5] - gravity[2, 0] + p[j, 11]
        x, y, z = xx * wx + xy * wy + xz * wz, xy * wx + yy * wy + yz * wz, xz * wx + yz * wy + zz * wz
        nx, ny, nz = cross(wx, wy, wz, x, y, z)
        x, y, z = cross(hx, hy, hz, ax, ay, az)
        p[j, 0] = nx + x + xx * dx + xy * dy + xz * dz
        p[j, 1] = ny + y + xy * dx + yy * dy + yz * dz
        p[j, 2] = nz + z + xz * dx + yz * dy + zz * dz
        x, y, z = cross(wx, wy, wz, hx, hy, hz)
        nx, ny, nz = cross(wx, wy, wz, x, y, z)
        x, y, z = cross(dx, dy, dz, hx, hy, hz)
        p[j, 3] = m * ax + nx + x
        p[j, 4] = m * ay + ny + y
        p[j, 5] = m * az + nz + z
        if ctx[HAS_LOADS] == 1:
            for k in range(6):
                p[j, k] -= loads[j, k]


# Energies --------------------------------------------------------------------------------------------------------


@njit(**FAST_INSIDE)
def energies(ctx):
    """Kinetic energy and that of gravity, to what springs have left in ENERGY."""
    con = reals(ctx, CONSTANTS)
    st = reals(ctx, STATE)
    places = reals(ctx, PLACES)
    gravity = reals(ctx, GRAVITY)
    energy = reals(ctx, ENERGY)
    kinetic = 0.0
    potential = energy[1, 0]
    for j in range(1, ctx[N_LINKS] + 1):
        xx, yy, zz, xy, xz, yz, hx, hy, hz = _turned(st, con, j)
        m = con[j, MASS]
        wx, wy, wz = st[j, W], st[j, W + 1], st[j, W + 2]
        vx, vy, vz = places[j, 3], places[j, 4], places[j, 5]
        turning = xx * wx * wx + yy * wy * wy + zz * wz * wz
        turning += 2.0 * (xy * wx * wy + xz * wx * wz + yz * wy * wz)
        x, y, z = cross(wx, wy, wz, hx, hy, hz)
        kinetic += 0.5 * (m * (vx * vx + vy * vy + vz * vz) + turning) + vx * x + vy * y + vz * z
        potential -= gravity[0, 0] * (m * places[j, 0] + hx)
        potential -= gravity[1, 0] * (m * places[j, 1] + hy)
        potential -= gravity[2, 0] * (m * places[j, 2] + hz)
    energy[0, 0] = kinetic
    energy[1, 0] = potential


# For reactions and results ---------------------------------------------------------------------------------------


@njit(**INSIDE)
def transmit(ctx, j, i, mine, other, port, passing):
    """Add the wrench that the joint carrying link j transmits, at its port there and at the parent's port."""
    st = reals(ctx, STATE)
    for k in range(3):
        mine[k] += passing[3 + k]
        other[k] -= passing[3 + k]
    # From the parent's port to the link's, both from the parent's origin.
    x, y, z = st[j, ARM], st[j, ARM + 1], st[j, ARM + 2]
    for k in range(3):
        x -= st[i, R + k] * port[k]
        y -= st[i, R + 3 + k] * port[k]
        z -= st[i, R + 6 + k] * port[k]
    fx, fy, fz = passing[3], passing[4], passing[5]
    for k in range(3):
        mine[3 + k] += passing[k]
        other[3 + k] -= passing[k]
    other[3] -= y * fz - z * fy
    other[4] -= z * fx - x * fz
    other[5] -= x * fy - y * fx


@njit(**FAST_INSIDE)
def write(ctx, out):
    """By link: place, velocity, acceleration of the origin (3 each), axes (9), spin, its rate."""
    st = reals(ctx, STATE)
    places = reals(ctx, PLACES)
    lift = reals(ctx, LIFT)
    A = reals(ctx, PASSING)
    for j in range(1, ctx[N_LINKS] + 1):
        for c in range(3):
            out[j - 1, c] = places[j, c]
            out[j - 1, 3 + c] = places[j, 3 + c]
            out[j - 1, 6 + c] = lift[j, 3 + c] + A[j, 9 + c]
            out[j - 1, 18 + c] = st[j, W + c]
            out[j - 1, 21 + c] = lift[j, c] + A[j, 6 + c]
        for c in range(9):
            out[j - 1, 9 + c] = st[j, R + c]


# Closed loops ----------------------------------------------------------------------------------------------------


factor, solve, twists, gather = make_closing("spatial", 3, 3, ARM)
