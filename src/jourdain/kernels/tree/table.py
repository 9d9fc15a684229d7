"""What the planar and the spatial recursion share: the table of a tree, joint kinds and status codes.

A tree of links is numbered parents first, from 1; row 0 of every array is the ground. The frame of a link sits at
its own port of the joint that carries it, with the axes of that port, and its velocities are those of that point in
fixed axes: so inertias and forces are referred to the link itself, and nothing grows with the distance from the fixed
origin. The table is laid out like that of context.py and read with the same functions.
"""

import numpy as np
from numba import njit

from ..core import context, direct
from ..core.context import FUSED, INSIDE, OPTIONS, ints
from ..layout.tree_table import *  # noqa: F403 - kernels of trees take all their words from here
from ..layout.tree_table import FREE, LINKS, N_LINKS, N_Q, N_V, SPHERICAL, TABLE_LENGTH

FAST, FAST_INSIDE = {**OPTIONS, **FUSED}, {**INSIDE, **FUSED}

OK, WRONG_SIZE, NOT_FINITE = range(3)

# What is done to parts of a tree: sums of steps.
PLACE, INWARD, OUTWARD = 1, 2, 4


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
