"""TreeMemory: the arrays that evaluations of one tree write, and the table of addresses through which kernels see it.

The TreeModel itself is never written: any number of trees in use may share it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

from ..model.tree.links import TreeModel
from .kernel_cache import load_recursion, quick_accelerations


class TreeMemory:
    """Not to be shared between threads. Keeps alive what its table points to."""

    def __init__(self, model: TreeModel) -> None:
        self.recursion = load_recursion(model.blueprint.space)
        common = self.recursion.common
        constant = (common.LINKS, common.CONSTANTS, common.GRAVITY, common.PARTS)
        self.model = model
        self.arrays: dict[int, Any] = {
            field: array if field in constant else array.copy() for field, array in model.arrays.items()
        }
        self.table = common.empty_table()
        self.table[common.N_LINKS] = len(model.graph.links)
        self.table[common.N_Q], self.table[common.N_V] = model.nq, model.nv
        for field, array in self.arrays.items():
            common.enter(self.table, field, array)
        self.efforts = self.arrays[common.EFFORTS][:, 0]  # forces and torques along the joint velocities

    # Kernels with this table, each compiled when first asked for; vectors in one piece, status out.

    @cached_property
    def forward(self) -> Callable[..., int]:
        """(q, v, out): accelerations."""
        return partial(self.recursion.kernels.forward, self.table)

    @cached_property
    def inverse(self) -> Callable[..., int]:
        """(q, v, a, out): efforts."""
        return partial(self.recursion.kernels.inverse, self.table)

    @cached_property
    def rates(self) -> Callable[..., int]:
        """(q, v, out): q'."""
        return partial(self.recursion.kernels.rates, self.table)

    def quick_accelerations(self, ordinary: Any) -> Any:
        """Forward dynamics as a built-in function, or `ordinary`, which takes the same arguments."""
        return quick_accelerations(self.recursion, self.table, ordinary)
