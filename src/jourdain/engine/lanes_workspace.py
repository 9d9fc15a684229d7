"""Workspaces whose numbers are lanes: several variants of a mechanism side by side (kernels/core/lane_numbers.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..choices.contract import Ability, Entry, Loop, Number, able
from ..choices.integrators import INTEGRATORS
from ..kernels.layout import fields as f
from .compiled_entries import LANES, address, loop
from .kernel_cache import load_kernels
from .plan import Plan
from .workspace import Workspace

Array = npt.NDArray[np.float64]

KERNELS = "jourdain.kernels.batch.in_lanes"


class LanesWorkspace:
    """Like the workspace it is made from, with every number that kernels compute with, constants too, in all lanes."""

    def __init__(self, workspace: Workspace) -> None:
        self.arrays: dict[int, Any] = {}
        self.ctx = workspace.ctx.copy()
        self.ctx[f.H_COUNT : f.H_COUNT + f.F_COUNT] = 0
        for slot, entry in lanes_entries(workspace.plan).items():
            self.ctx[f.H_COUNT + getattr(f, f"F_{slot}")] = address(entry, LANES)
        for key, array in workspace.arrays.items():
            if workspace.number_of(key) is Number.NUMBER:
                spread = aligned_lanes(*array.shape)
                spread[...] = array[:, :, None]
                self._enter(key, spread)
            else:
                self._enter(key, array.copy())

    def _enter(self, key: int, array: Any) -> None:
        self.arrays[key] = array
        first = f.FIRST_FIELD + 3 * key
        self.ctx[first : first + 3] = array.ctypes.data, array.shape[0], array.shape[1]


def aligned_lanes(rows: int, columns: int) -> Array:
    """A matrix of lanes, all zero: a cube whose last axis are the lanes, where processors want it in memory."""
    width, size = load_kernels().lane_numbers.WIDTH, load_kernels().lane_numbers.BYTES
    memory = np.zeros(rows * columns * width + width)
    start = -memory.ctypes.data % size // memory.itemsize
    return memory[start : start + rows * columns * width].reshape(rows, columns, width)


def why_not_in_lanes(plan: Plan) -> str:
    """Why variants of a mechanism cannot run side by side; empty if they can.

    Lanes differ in their numbers, not in the way through the code, and share one time.
    """
    fields = plan.model.fields
    known = ", ".join(sorted(able(INTEGRATORS, Ability.LANES)))
    reasons = {
        f"the integrator is none of {known}": Loop.LANES not in plan.loops,
        f"coordinates '{plan.coordinates}' are not made for them": Ability.LANES not in plan.coordinates.abilities,
        "the mechanism has formulas or functions of time": any(len(fields[k]) for k in (f.TAPE, f.SIGNALS)),
        "a body has no rotary inertia": plan.sizes.singular,
    }
    return "; ".join(words for words, holds in reasons.items() if holds)


def lanes_entries(plan: Plan) -> dict[str, Entry]:
    """Entries that runs in lanes call: steps are woven into their loops, a rank that is lost is not looked into."""
    plain = plan.with_(integrator=None).recipe.entries
    refused = {"DENSE_FACTOR": Entry("DENSE_FACTOR", f"{KERNELS}:refuse_dense")}
    return {slot: entry for slot, entry in plain.items() if not entry.late} | refused


def lanes_loops(plan: Plan) -> tuple[Entry, Entry]:
    """The functions that make starts ready, and that run them."""
    march = plan.loops[Loop.LANES]
    fixed = plan.integrator is not None and plan.integrator.fixed
    return Entry("READY", f"{KERNELS}:{'ready_fixed' if fixed else 'ready_adaptive'}"), march


def lanes_driver(plan: Plan) -> tuple[Any, Any]:
    """These functions, compiled."""
    ready, march = lanes_loops(plan)
    return loop(ready, LANES), loop(march, LANES)
