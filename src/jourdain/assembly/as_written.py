"""Starts of variants as they are written, before joints are closed: what kernels begin with that close them themselves.

Coordinates of bodies take any start. Joint coordinates take those that the joints allow, and nothing is closed.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ..model.flat import FlatModel
from ..model.states import moving_vectors, to_vector
from .placing import placed_state
from .tree_start import written_start, written_starts

Array = npt.NDArray[np.float64]


def start_as_written(model: FlatModel) -> Array | None:
    """y of what is written; None where a tree cannot start like that."""
    if not model.set.joined:
        return to_vector(model, placed_state(model))
    found = written_start(model)
    return None if found is None else np.concatenate([*found[1:], np.zeros(model.nz)])


def start_of_all(model: FlatModel, assembled: Array) -> Array:
    """y of variants whose starts do not differ, where the model was assembled at y already."""
    return assembled if model.set.joined else to_vector(model, placed_state(model))


def motions_as_written(
    model: FlatModel, velocities: Mapping[str, tuple[Array | None, Array | None]], count: int
) -> tuple[Array, npt.NDArray[np.bool_]] | None:
    """v of many starts from the pose that is written, in rows, and which of them can be; None: look at each.

    Velocities of the origin and spins of every body in rows, None where none are written.
    """
    tree, dim = model.set.joined, model.blueprint.dim
    if tree and any(rows is None for pair in velocities.values() for rows in pair):
        return None
    none = np.zeros((count, dim)), np.zeros((count, 1 if dim == 2 else 3))
    whole = {
        name: (none[0] if velocity is None else velocity, none[1] if spin is None else spin)
        for name, (velocity, spin) in velocities.items()
    }
    if tree:
        return written_starts(model, whole)
    moving = moving_vectors(model, placed_state(model), whole)
    return None if moving is None else (moving, np.ones(count, dtype=bool))
