"""Workspaces whose numbers are lanes: several variants of a mechanism side by side (kernels/lanes.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .flat import FlatModel, Workspace, compiled_entry, needed_entries, variant_of
from .kernels import load_kernels, own_cache

Array = npt.NDArray[np.float64]

METHODS = ("dop853", "dopri5", "rk4")  # with loops in lanes


class LanesWorkspace:
    """Like the workspace it is made from, with every number that kernels compute with, constants too, in all lanes."""

    def __init__(self, workspace: Workspace) -> None:
        k = load_kernels()
        c, model = k.context, workspace.model
        self.arrays: dict[int, Any] = {}
        self.ctx = workspace.ctx.copy()
        self.ctx[c.H_COUNT : c.H_COUNT + c.F_COUNT] = 0
        for function in lanes_entries(model):
            variant = variant_of(function, "projection", workspace.integrator)
            entry = compiled_entry(model.blueprint.space, model.coordinates, function, "lanes", variant)
            self.ctx[c.H_COUNT + function] = entry.address
        plain = set(range(c.SETTINGS, c.SIGNAL)) - {c.PARAMETERS, c.METHOD_WORK}
        for key, array in workspace.arrays.items():
            if array.dtype != np.float64 or key in plain:
                self._enter(key, array.copy())
            else:
                spread = aligned_lanes(*array.shape)
                spread[...] = array[:, :, None]
                self._enter(key, spread)

    def _enter(self, key: int, array: Any) -> None:
        c = load_kernels().context
        self.arrays[key] = array
        base = c.H_COUNT + c.F_COUNT + 3 * key
        self.ctx[base : base + 3] = array.ctypes.data, array.shape[0], array.shape[1]


def aligned_lanes(rows: int, columns: int) -> Array:
    """A matrix of lanes, all zero: a cube whose last axis are the lanes, where processors want it in memory."""
    width, size = load_kernels().lanes.WIDTH, load_kernels().lanes.BYTES
    memory = np.zeros(rows * columns * width + width)
    start = -memory.ctypes.data % size // memory.itemsize
    return memory[start : start + rows * columns * width].reshape(rows, columns, width)


def why_not_in_lanes(model: FlatModel, integrator: str) -> str:
    """Why variants of a mechanism cannot run side by side; empty if they can.

    Lanes differ in their numbers, not in the way through the code, and share one time.
    """
    c = load_kernels().context
    reasons = {
        f"the integrator is none of {', '.join(METHODS)}": integrator not in METHODS,
        f"coordinates {model.coordinates!r} are not made for them": model.tree is not None or model.set.GENERAL,
        "the mechanism has formulas or functions of time": any(len(model.fields[f]) for f in (c.TAPE, c.SIGNALS)),
        "a body has no rotary inertia": bool(model.header[c.H_SINGULAR]),
    }
    return "; ".join(words for words, holds in reasons.items() if holds)


def lanes_entries(model: FlatModel) -> list[int]:
    """Entries that runs in lanes call."""
    return [f for f in needed_entries(model) if f != load_kernels().context.F_DENSE_SOLVE]


def lanes_driver(integrator: str) -> tuple[Any, Any]:
    """The compiled functions that make starts ready, and that run them."""
    from numba import float64, int64

    kernels = load_kernels().method("side_by_side")
    fixed = integrator == "rk4"
    ready, march = kernels.ready_fixed if fixed else kernels.ready_adaptive, getattr(kernels, f"march_{integrator}")
    vector, matrix, cube = float64[::1], float64[:, ::1], float64[:, :, ::1]
    integers, table = int64[::1], int64[:, ::1]
    many = (table, matrix, matrix)  # places, values, starts
    job = (vector, cube, cube, integers, vector)  # times, samples, outs, plan, scales
    with own_cache():
        if not ready.signatures:
            before = (integers, integers, table, *many, vector, *job, table, matrix)
            ready.compile((*before, matrix, vector, vector, integers, integers))
        if not march.signatures and fixed:
            march.compile((integers, cube, cube, cube, *many, *job, table, table, matrix, integers))
        elif not march.signatures:
            own = (matrix, table, matrix, table, matrix)
            march.compile((integers, cube, cube, *many, matrix, *job, *own, table, matrix, integers))
    return ready, march
