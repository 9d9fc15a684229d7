"""What the planar and the spatial recursion share: the table of a tree, joint kinds and status codes.

A tree of links is numbered parents first, from 1; row 0 of every array is the ground. The frame of a link sits at
its own port of the joint that carries it, with the axes of that port, and its velocities are those of that point in
fixed axes: so inertias and forces are referred to the link itself, and nothing grows with the distance from the fixed
origin. The table is laid out like that of context.py and read with the same functions.
"""

import numpy as np
from numba import njit

from ..core import context, direct
from ..core.context import FUSED, INSIDE, OPTIONS, ints, vector_at
from ..core.sines import BLOCK  # noqa: F401 - for who makes the arrays

FAST, FAST_INSIDE = {**OPTIONS, **FUSED}, {**INSIDE, **FUSED}

# Fields, behind those of context.py: so the time loops and whatever else lives on that table can use this one.
(
    LINKS,  # int (n + 1, 6)        parent, kind, first coordinate, first velocity, number of velocities, number
    # of links that it carries
    CONSTANTS,  # float (n + 1, ..) of each link, columns as the kernel says
    STATE,  # float (n + 1, ..)     likewise, written by every evaluation
    COLUMNS,  # float (nv, ..)      of each joint velocity, likewise; in space only
    TURNS,  # float (3, n + 1 ..)   angles that turn, their cosines and sines; rows a multiple of BLOCK long
    LOADS,  # float (n + 1, 3 or 6) applied moment at the link's origin and force, fixed axes
    EFFORTS,  # float (nv, 1)       force or torque along each joint velocity
    GRAVITY,  # float (dim, 1)      fixed axes, m/s^2
    CLOCK,  # float (1, 1)          the time, for applied forces; this and the rest only where there are any
    PLACES,  # float (n + 1, 2 dim) position and velocity of every link's origin, fixed axes
    BODIES,  # int (n + 1, 1)       body of each link
    OWNERS,  # int (nvec, 1)        link of each body vector of the absolute coordinates
    OWN,  # float (nvec, dim + 1)   its components in link axes, from the link's origin for points; 1 for points
    WINDING,  # int (nturn, 3)      place in Z of an angle that formulas unwrap, its coordinate or -1, its link or -1
    OFFSET,  # float (nturn, 1)     angle of that link in its body
    # The rest only where the tree is a coordinate set (see joint_coordinates.py and loop_closing.py). nd = 3 or 6.
    LIFT,  # float (n + 1, nd)      acceleration of every link's origin at v' = 0: angular, then linear; fixed axes
    MATRIX,  # float (n + 1, nd^2)  articulated inertia, moment and force against angular and linear acceleration
    PASSING,  # float (n + 1, 2 nd) wrench on its way inward, acceleration on its way outward
    ELIMINATED,  # float (nv, 2 nd + 2)  of each joint velocity: b, U = M b, 1 / b.U, u
    SPOTS,  # int (nspot, 2)        a row where it is carried: row, and its spot in the parent's list or -1
    SPOT_RANGES,  # int (n + 1, 5)  of each link: first spot, first that goes on inward, past-last, pair, crossing
    SPOT_PAIRS,  # int (n, 1)       place in MEETING of each pair of a link's spots
    SLOT_SPOTS,  # int (nslot bs, 1)  spot of each row of each slot of J, or -1
    SHARES,  # float (nspot, nd)    G: how a row's multiplier acts on the link
    CROSSINGS,  # float (n, 1)      b.G of each joint velocity and each row that passes it
    MEETING,  # float (n, 1)        R of rows that are carried together
    SUMS,  # float (nrow, 1)        what was subtracted from R's diagonal on the way
    PENDING,  # float (nrow, 1)     right-hand sides on their way inward
    RESPONSE,  # float (nv, 1)      -M^-1 J^T lam of the multipliers that were last solved for
    TREE_WORK,  # float (3, nd^2)   scratch
    CARRIERS,  # int (n + 1, 2)     reaction sides of the joint that carries a link: on the link, on its parent; or -1
    PORTS,  # float (n + 1, dim)    the parent's port from the parent's origin, axes of the parent link
    PARTS,  # int (npart, 4)        first and past-last link, first second angle of universal joints, TRUNK or BRANCH
    _PAST,
) = range(context.FIELD_COUNT, context.FIELD_COUNT + 34)

# Header: number of coordinates and velocities where context.py has them, the rest behind the fields. ABSOLUTE is the
# address of the table in absolute coordinates that knows the applied forces (see loads.py). MOVES_BODIES is 1
# if anything asks where bodies are; OPEN is 1 for a tree without rows whose forces do not depend on reactions.
N_Q, N_V = context.H_Q, context.H_V
_FIRST = context.TABLE_LENGTH + 3 * (_PAST - LINKS)
N_LINKS, HAS_LOADS, ABSOLUTE, MOVES_BODIES, OPEN = range(_FIRST, _FIRST + 5)
TABLE_LENGTH = _FIRST + 5

# Kinds of joint coordinates. Order and signs are described in docs/recursion.md.
WELD, REVOLUTE, PRISMATIC, SCREW, CYLINDRICAL, UNIVERSAL, SPHERICAL, PLANAR, FREE = range(9)

OK, WRONG_SIZE, NOT_FINITE = range(3)

# Parts of a tree (see model/tree/branches.py), and what is done to them: sums of steps.
BRANCH, TRUNK = range(2)
PLACE, INWARD, OUTWARD = 1, 2, 4


def enter(table, field, array):
    """Put an array into the table; the caller keeps it alive."""
    first = context.H_COUNT + context.F_COUNT + 3 * field
    table[first : first + 3] = array.ctypes.data, array.shape[0], array.shape[1]


def empty_table():
    return np.zeros(TABLE_LENGTH, dtype=np.int64)


@njit(**FAST_INSIDE)
def finite(x):
    total = 0.0
    for k in range(x.size):
        total += x[k]
    return OK if total - total == 0.0 else NOT_FINITE


@njit(**FAST_INSIDE)
def finite_part(ctx, out, first, last):
    """Likewise, of the joints of links from `first` up to `last`."""
    links = ints(ctx, LINKS)
    return finite(out[links[first, 3] : links[last - 1, 3] + links[last - 1, 4]])


@njit(**FAST_INSIDE)
def differentiate(ctx, q, v, out):
    """out = q': v itself, but for quaternions, which turn with an angular velocity in axes of the carrying port."""
    links = ints(ctx, LINKS)
    for j in range(1, ctx[N_LINKS] + 1):
        k = links[j, 2]
        l = links[j, 3]
        same = links[j, 4]
        if links[j, 1] == SPHERICAL:
            same = 0
        elif links[j, 1] == FREE and links[j, 4] == 6:
            same = 3
        for c in range(same):
            out[k + c] = v[l + c]
        if same != links[j, 4]:
            k += same
            l += same
            w, x, y, z = q[k], q[k + 1], q[k + 2], q[k + 3]
            a, b, c = 0.5 * v[l], 0.5 * v[l + 1], 0.5 * v[l + 2]
            out[k] = -a * x - b * y - c * z
            out[k + 1] = a * w + b * z - c * y
            out[k + 2] = b * w + c * x - a * z
            out[k + 3] = c * w + a * y - b * x


@njit(**FAST)
def rates(ctx, q, v, out):
    if q.size != ctx[N_Q] or v.size != ctx[N_V] or out.size != ctx[N_Q]:
        return WRONG_SIZE
    differentiate(ctx, q, v, out)
    return OK


def words_for(table, ordinary):
    """Self of a function for Python: the address of a tree's table, then what direct.py needs."""
    return np.concatenate([[table.ctypes.data], direct.addresses(ordinary)])


table = context.make_table(TABLE_LENGTH)


def after_step(t, y_, unused_, ctx_):
    """Entry: quaternions get the length one again, which no force depends on."""
    ctx = table(ctx_)
    y = vector_at(y_, ctx[N_Q])
    links = ints(ctx, LINKS)
    for j in range(1, ctx[N_LINKS] + 1):
        k = links[j, 2]
        if links[j, 1] == FREE:
            k += 3
        if links[j, 1] == SPHERICAL or (links[j, 1] == FREE and links[j, 4] == 6):
            size = np.sqrt(y[k] ** 2 + y[k + 1] ** 2 + y[k + 2] ** 2 + y[k + 3] ** 2)
            for c in range(4):
                y[k + c] /= size
    return context.OK
