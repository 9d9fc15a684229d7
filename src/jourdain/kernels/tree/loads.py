"""Applied forces as loads on the links of a tree.

They are computed by the entries that compute them for every coordinate set (applied_forces.py, formula_parts.py): a
recursion fills points, axes and angular velocities for them, and what comes back at points and bodies goes to the
origins of the links.
"""

from numba import njit

from ..core.context import (
    BODY_TORQUE,
    F_FORCES,
    F_SIGNALS,
    H_TORQUES,
    LOADED,
    SIGNALS,
    VEC,
    VECTOR_FORCE,
    Z,
    cache_name,
    ints,
    reals,
    run,
)
from .table import (
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
def _wind(ctx, q):
    """Turns that are to be told from joint coordinates, or from angles of links in the plane, once these are placed."""
    winding = ints(ctx, WINDING)
    offset = reals(ctx, OFFSET)
    turns = reals(ctx, TURNS)
    z = reals(ctx, Z)
    for k in range(winding.shape[0]):
        if winding[k, 1] >= 0:
            z[winding[k, 0], 0] = q[winding[k, 1]]
        elif winding[k, 2] >= 0:
            z[winding[k, 0], 0] = turns[0, winding[k, 2]] - offset[k, 0]


@njit(**FAST_INSIDE)
def gather(ctx, dim):
    """LOADS from forces at points and torques on bodies."""
    loads = reals(ctx, LOADS)
    places = reals(ctx, PLACES)
    owners = ints(ctx, OWNERS)
    bodies = ints(ctx, BODIES)
    loaded = ints(ctx, LOADED)
    force = reals(ctx, VECTOR_FORCE)
    vec = reals(ctx, VEC)
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
    if ctx[H_TORQUES] == 1:
        torque = reals(ctx, BODY_TORQUE)
        for j in range(1, ctx[N_LINKS] + 1):
            for c in range(spin):
                loads[j, c] += torque[bodies[j, 0], c]


@njit(**FAST_INSIDE)
def _act(ctx):
    """Forces at points, torques on bodies, powers and rates of states at the time in CLOCK, once bodies are placed."""
    t = reals(ctx, CLOCK)[0, 0]
    like = reals(ctx, STATE)[0]  # says the type of numbers, and nothing else
    if ints(ctx, SIGNALS).shape[0] > 0:
        run(ctx, F_SIGNALS, t, like, like)
    run(ctx, F_FORCES, t, like, like)


def make_load(space, dim, move, vectors):
    def load(ctx, q, v):
        """Applied forces on the links, once these are placed."""
        move(ctx, v)
        vectors(ctx)
        _wind(ctx, q)
        _act(ctx)
        gather(ctx, dim)

    return njit(**FAST_INSIDE)(cache_name(load, space))
