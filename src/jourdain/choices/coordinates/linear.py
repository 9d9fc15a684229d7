"""Coordinates in which body vectors are linear: what `natural` and `points` have in common.

    X = B q,   X' = B v,   M constant; rows are quadratic forms s (sum c q_i q_j - d), spins bilinear ones.

So these sets are data for one kernel (kernels/coordinates/linear.py).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..contract import Ability, Entry
from .rate_set import RateSet

Array = npt.NDArray[np.float64]


class LinearSet(RateSet):
    """Vectors from the body's origin, constant mass blocks."""

    abilities: ClassVar[frozenset[Ability]] = frozenset({Ability.COMPLEX})
    from_origin: ClassVar[bool] = True
    constant_mass: ClassVar[bool] = True

    def bodies_entry(self) -> Entry:
        args = (self.dim, self.nv, self.block, len(self.intrinsic))
        return Entry("BODIES", "jourdain.kernels.coordinates.linear:make_bodies", args)


def mass_fields(blocks: list[Any], extras: list[Any]) -> dict[str, Any]:
    """MASS, EXTRA and the constant inverse."""
    mass, extra = np.array(blocks), np.array(extras)
    n = len(mass)
    return {
        "MASS": mass.reshape(n, -1),
        "EXTRA": extra.reshape(n, -1),
        "MASS_INVERSE": np.linalg.inv(mass + extra).reshape(n, -1),
        "singular": bool(np.any(extra)),
    }


def skew(w: Any, dim: int) -> Array:
    """w x, as a matrix."""
    if dim == 2:
        w = float(np.atleast_1d(w)[0])
        return np.array([[0.0, -w], [w, 0.0]])
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
