"""Applied forces as loads on the links of a tree.

They are computed by the entries that compute them for every coordinate set (applied_forces.py, formula_parts.py), on a
table in absolute coordinates of its own: a recursion fills points, axes and angular velocities there, and what comes
back at points and bodies goes to the origins of the links. Angles that formulas use are unwrapped by the joint
coordinates.
"""

from numba import njit

from ..core import context, direct
from ..core.context import ints, reals, run
from .table import (
    ABSOLUTE,
    BODIES,
    CLOCK,
    FAST_INSIDE,
    LOADS,
    N_LINKS,
    OFFSET,
    OWNERS,
    PLACES,
    STATE,
    TURNS,
    WINDING,
)


@njit(**FAST_INSIDE)
def _wind(ctx, absolute, q):
    """Turns: joint coordinates, or angles of links in the plane."""
    winding = ints(ctx, WINDING)
    offset = reals(ctx, OFFSET)
    turns = reals(ctx, TURNS)
    z = reals(absolute, context.Z)
    for k in range(winding.shape[0]):
        if winding[k, 1] >= 0:
            z[winding[k, 0], 0] = q[winding[k, 1]]
        elif winding[k, 2] >= 0:
            z[winding[k, 0], 0] = turns[0, winding[k, 2]] - offset[k, 0]


@njit(**FAST_INSIDE)
def gather(ctx, absolute, dim):
    """LOADS from forces at points and torques on bodies, as the other table has them."""
    loads = reals(ctx, LOADS)
    places = reals(ctx, PLACES)
    owners = ints(ctx, OWNERS)
    bodies = ints(ctx, BODIES)
    loaded = ints(absolute, context.LOADED)
    force = reals(absolute, context.VECTOR_FORCE)
    vec = reals(absolute, context.VEC)
    spin = 1 if dim == 2 else 3
    for j in range(loads.shape[0]):
        for c in range(loads.shape[1]):
            loads[j, c] = 0.0
    for k in range(loaded.shape[0]):
        p = loaded[k, 0]
        if loaded[k, 1] < 0:  # the ground bears it
            continue
        j = owners[p, 0]
        for c in range(dim):
            loads[j, spin + c] += force[p, c]
        x = vec[p, 0] - places[j, 0]
        y = vec[p, 1] - places[j, 1]
        if dim == 2:
            loads[j, 0] += x * force[p, 1] - y * force[p, 0]
        else:
            z = vec[p, 2] - places[j, 2]
            loads[j, 0] += y * force[p, 2] - z * force[p, 1]
            loads[j, 1] += z * force[p, 0] - x * force[p, 2]
            loads[j, 2] += x * force[p, 1] - y * force[p, 0]
    if absolute[context.H_TORQUES] == 1:
        torque = reals(absolute, context.BODY_TORQUE)
        for j in range(1, ctx[N_LINKS] + 1):
            for c in range(spin):
                loads[j, c] += torque[bodies[j, 0], c]


@njit(**FAST_INSIDE)
def _apply_forces(ctx, q, dim):
    """Fill LOADS, once points, axes and angular velocities are in the absolute table."""
    absolute = direct.ints_at(ctx[ABSOLUTE], context.TABLE_LENGTH)
    t = reals(ctx, CLOCK)[0, 0]
    like = reals(ctx, STATE)[0]  # says the type of numbers, and nothing else
    _wind(ctx, absolute, q)
    if ints(absolute, context.SIGNALS).shape[0] > 0:
        run(absolute, context.F_SIGNALS, t, like, like)
    run(absolute, context.F_FORCES, t, like, like)
    gather(ctx, absolute, dim)


def make_load(space, dim, carry, vectors):
    def load(ctx, q, v):
        """Applied forces on the links, once these are placed."""
        absolute = direct.ints_at(ctx[ABSOLUTE], context.TABLE_LENGTH)
        carry(ctx, v, reals(ctx, PLACES))
        vectors(ctx, reals(absolute, context.VEC), reals(absolute, context.OMEGA))
        _apply_forces(ctx, q, dim)

    return njit(**FAST_INSIDE)(context.cache_name(load, space))
