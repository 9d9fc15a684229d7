"""Applied forces of a mechanism on its tree: the table in absolute coordinates that computes them, and who is where.

See kernels/tree/loads.py, which fills and reads these arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..mechanism.errors import MechanismError
from ..model.compile import compile_mechanism
from ..model.flat import FlatModel
from ..model.tree.links import TreeModel
from ..model.tree.tree_arrays import carried_vectors
from .callbacks import raise_errors
from .cold_start import compile_for
from .kernel_cache import load_recursion
from .plan import Plan
from .tree_memory import TreeMemory
from .workspace import Workspace


class AppliedForces:
    """Makes a tree's kernels apply the forces of its mechanism. Keeps alive what the table of the tree points to."""

    def __init__(self, memory: TreeMemory) -> None:
        model = memory.model
        blueprint = model.blueprint
        flat = compile_mechanism(blueprint, None)
        if flat.flags["FEEDBACK"] or flat.flags["ACCELERATIONS"]:
            words = "some force depends on reactions or accelerations, which joint coordinates cannot give it"
            raise MechanismError(blueprint.name, [f"{words}; use simulate or rhs"])
        plan = Plan.of(flat)
        compile_for(plan)
        self._workspace = Workspace(plan)
        common = load_recursion(blueprint.space).common
        self._arrays = _arrays(common, model, flat)
        self._clock = self._arrays[common.CLOCK]
        for field, array in self._arrays.items():
            common.enter(memory.table, field, array)
        memory.table[common.ABSOLUTE] = self._workspace.ctx.ctypes.data
        memory.table[common.HAS_LOADS] = 1

    def at(self, t: float) -> None:
        """The time for the next evaluation."""
        self._clock[0, 0] = t

    def check(self, t: float) -> None:
        """Raise what a user's function has raised."""
        raise_errors(self._workspace.callbacks, f"near t = {t:g} s ")


def _arrays(common: Any, model: TreeModel, flat: FlatModel) -> dict[int, Any]:
    winding, offset = _winding(model, flat)
    return {
        **carried_vectors(model, flat.fields),
        common.WINDING: np.array(winding, dtype=np.int64).reshape(-1, 3),
        common.OFFSET: np.array(offset, dtype=float).reshape(-1, 1),
    }


def _winding(model: TreeModel, flat: FlatModel) -> tuple[list[tuple[int, int, int]], list[float]]:
    """For each turn its place in z, its coordinate or the link whose angle it is, and the angle of that in its body."""
    coordinates = {name: k for k, name in enumerate(model.coordinates)}
    links = {link.body: j for j, link in enumerate(model.graph.links)}
    winding, offset = [], []
    for name in flat.turns:
        link = links.get(name, -2)
        axes = model.axes[link] if link >= 0 else np.eye(2)
        place = flat.layout.turn(name) - flat.layout.z.start
        winding.append((place, coordinates.get(f"{name}.angle", -1) if link < 0 else -1, link + 1))
        offset.append(float(np.arctan2(axes[1, 0], axes[0, 0])))
    return winding, offset
