"""Equilibria around which forces vanish faster than displacements, as those of a cubic spring.

There is no stiffness that could say how small a force is none: forces there are compared with those a little way off.
And Newton's method comes nearer by a constant part a step only; but where the force along its own direction changes
sign, an equilibrium lies between, and halving the way finds it to the last digit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .balance import BALANCED, ROUGH, Forces, Search
from .manifold import Manifold

Array = npt.NDArray[np.float64]

AROUND = 0.01  # of the size: how far off the forces are that the remaining one is compared with
CLOSEST, FARTHEST = 1e-10, 1e-4  # of the size: how far off the force may change sign
MOST_HALVINGS = 200


def sharpen(manifold: Manifold, search: Search) -> None:
    """On from where Newton's method ended: halve the way, direction by direction, as long as that leads anywhere."""
    search.around = 0.0
    for _ in range(2 * manifold.model.nv):
        forces = Forces(manifold, search)
        if search.within(BALANCED) or not 0.0 < search.residual < np.inf:
            return
        along = np.concatenate([forces.r / search.residual, np.zeros(len(forces.s))])
        unit = manifold.model.size / forces.reach(along)
        beside = [abs(force) for side in (1, -1) if (force := _force(forces, along, side * AROUND * unit)) is not None]
        search.around = max(search.around, min(beside, default=0.0))
        found = _between(forces, along, unit)
        if found is None:
            return
        before = search.residual
        search.y = manifold.unwound(found)
        Forces(manifold, search)
        search.steps += 1
        if not search.residual < ROUGH * before:  # the rest is of other directions, and not smaller than it was
            return


def _force(forces: Forces, along: Array, s: float) -> float | None:
    """Along the direction, after a step s in it; None where there is none."""
    found = forces.after(s * along)
    if found is None or not np.all(np.isfinite(found[0])):
        return None
    return float(found[0] @ along[: forces.freedoms])


def _between(forces: Forces, along: Array, unit: float) -> Array | None:
    """The state nearby where the force along a direction vanishes; None if it does not change sign, or jumps there."""
    most = forces.search.residual
    ahead = CLOSEST
    while ahead <= FARTHEST:
        for end in (ahead * unit, -ahead * unit):
            force = _force(forces, along, end)
            if force is not None and force <= 0.0:
                return _halved(forces, along, end, max(most, -force))
        ahead *= 4.0
    return None


def _halved(forces: Forces, along: Array, end: float, most: float) -> Array | None:
    """Between no step, where the force is positive, and a step to the end, where it is not."""
    start, middle, best, least = 0.0, end, end, np.inf
    for _ in range(MOST_HALVINGS):
        force = _force(forces, along, middle)
        if force is None:
            return None
        if abs(force) < least:
            best, least = middle, abs(force)
        start, end = (middle, end) if force > 0.0 else (start, middle)
        middle = 0.5 * (start + end)
        if force == 0.0 or middle in (start, end):
            break
    return forces.moved(best * along) if least <= ROUGH * most else None
