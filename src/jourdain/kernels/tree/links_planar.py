"""What joint coordinates in the plane need to know of each link besides the recursion: inertias, weights, energies.

Everything is in fixed axes at the link's origin, moments before forces, as in loop_closing.py. links_spatial.py has the
same names; joint_coordinates.py takes one of the two.
"""

from numba import njit

from ..core.context import ENERGY, INSIDE, ints, reals
from .articulated_planar import (
    ARM,
    INERTIA,
    MASS,
    MCX,
    MCY,
    SENSE,
    C,
    S,
    W,
)
from .loop_closing import make_closing
from .table import (
    CONSTANTS,
    ELIMINATED,
    FAST_INSIDE,
    FREE,
    GRAVITY,
    HAS_LOADS,
    LIFT,
    LINKS,
    LOADS,
    MATRIX,
    N_LINKS,
    PASSING,
    PLACES,
    PRISMATIC,
    REVOLUTE,
    STATE,
    TURNS,
)

# Columns of B ----------------------------------------------------------------------------------------------------


@njit(**FAST_INSIDE)
def columns(ctx):
    links = ints(ctx, LINKS)
    st = reals(ctx, STATE)
    con = reals(ctx, CONSTANTS)
    E = reals(ctx, ELIMINATED)
    for j in range(1, ctx[N_LINKS] + 1):
        l = links[j, 3]
        for k in range(l, l + links[j, 4]):
            E[k, 0], E[k, 1], E[k, 2] = 0.0, 0.0, 0.0
        if links[j, 1] == REVOLUTE:
            E[l, 0] = con[j, SENSE]
        elif links[j, 1] == PRISMATIC:
            E[l, 1] = st[j, C]
            E[l, 2] = st[j, S]
        elif links[j, 1] == FREE:
            E[l, 1] = 1.0
            E[l + 1, 2] = 1.0
            E[l + 2, 0] = 1.0


# Inertias and weights --------------------------------------------------------------------------------------------


@njit(**FAST_INSIDE)
def inertias(ctx):
    """MATRIX: each link's own."""
    con = reals(ctx, CONSTANTS)
    st = reals(ctx, STATE)
    M = reals(ctx, MATRIX)
    for j in range(1, ctx[N_LINKS] + 1):
        c, s, m = st[j, C], st[j, S], con[j, MASS]
        hx = c * con[j, MCX] - s * con[j, MCY]
        hy = s * con[j, MCX] + c * con[j, MCY]
        M[j, 0], M[j, 1], M[j, 2] = con[j, INERTIA], -hy, hx
        M[j, 3], M[j, 4], M[j, 5] = -hy, m, 0.0
        M[j, 6], M[j, 7], M[j, 8] = hx, 0.0, m


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
        c, s, m = st[j, C], st[j, S], con[j, MASS]
        hx = c * con[j, MCX] - s * con[j, MCY]
        hy = s * con[j, MCX] + c * con[j, MCY]
        w2 = st[j, W] * st[j, W]
        dw = p[j, 3]
        ax = lift[j, 1] - gravity[0, 0] + p[j, 4]
        ay = lift[j, 2] - gravity[1, 0] + p[j, 5]
        p[j, 0] = con[j, INERTIA] * dw + hx * ay - hy * ax
        p[j, 1] = m * ax - hy * dw - w2 * hx
        p[j, 2] = m * ay + hx * dw - w2 * hy
        if ctx[HAS_LOADS] == 1:
            for k in range(3):
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
        c, s, m, w = st[j, C], st[j, S], con[j, MASS], st[j, W]
        hx = c * con[j, MCX] - s * con[j, MCY]
        hy = s * con[j, MCX] + c * con[j, MCY]
        vx, vy = places[j, 2], places[j, 3]
        kinetic += 0.5 * (m * (vx * vx + vy * vy) + con[j, INERTIA] * w * w) + w * (hx * vy - hy * vx)
        potential -= gravity[0, 0] * (m * places[j, 0] + hx) + gravity[1, 0] * (m * places[j, 1] + hy)
    energy[0, 0] = kinetic
    energy[1, 0] = potential


# For reactions and results ---------------------------------------------------------------------------------------


@njit(**INSIDE)
def transmit(ctx, j, i, mine, other, port, passing):
    """Add the wrench that the joint carrying link j transmits, at its port there and at the parent's port."""
    st = reals(ctx, STATE)
    for k in range(2):
        mine[k] += passing[1 + k]
        other[k] -= passing[1 + k]
    # From the parent's port to the link's, both from the parent's origin.
    c, s = (st[i, C], st[i, S]) if i > 0 else (1.0, 0.0)
    x = st[j, ARM] - (c * port[0] - s * port[1])
    y = st[j, ARM + 1] - (s * port[0] + c * port[1])
    mine[2] += passing[0]
    other[2] -= passing[0] + x * passing[2] - y * passing[1]


@njit(**FAST_INSIDE)
def write(ctx, out):
    """By link: place, velocity, acceleration of the origin (2 each), angle, spin, its rate."""
    st = reals(ctx, STATE)
    places = reals(ctx, PLACES)
    lift = reals(ctx, LIFT)
    turns = reals(ctx, TURNS)
    A = reals(ctx, PASSING)
    for j in range(1, ctx[N_LINKS] + 1):
        for c in range(2):
            out[j - 1, c] = places[j, c]
            out[j - 1, 2 + c] = places[j, 2 + c]
            out[j - 1, 4 + c] = lift[j, 1 + c] + A[j, 4 + c]
        out[j - 1, 6] = turns[0, j]
        out[j - 1, 7] = st[j, W]
        out[j - 1, 8] = A[j, 3]


# Closed loops ----------------------------------------------------------------------------------------------------


factor, solve, twists, gather = make_closing("planar", 2, 1, ARM)
