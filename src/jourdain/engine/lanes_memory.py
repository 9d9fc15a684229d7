"""Pieces of a batch in vector lanes: workspaces and memory for `kernels/batch/in_lanes.py`."""

from __future__ import annotations

import queue
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .kernel_cache import load_kernels
from .lanes_workspace import LanesWorkspace, aligned_lanes, lanes_driver
from .time_loop import TimeLoop
from .workspace import Workspace

Array = npt.NDArray[np.float64]


class _Memory(NamedTuple):
    """What one thread writes."""

    workspace: LanesWorkspace
    state: Array
    row: Array
    work: Array  # of rk4
    clocks: Array
    counts: npt.NDArray[np.int64]
    notes: Array
    marks: npt.NDArray[np.int64]
    spans: Array


class SideBySide:
    """Runs variants of a mechanism that can be run in lanes (`can_run_in_lanes`)."""

    def __init__(self, template: Workspace, loop: TimeLoop, threads: int) -> None:
        k = load_kernels()
        kernels, width = k.method("batch.in_lanes"), k.lane_numbers.WIDTH
        self._ready, self._march = lanes_driver(template.plan)
        self._fixed = template.plan.integrator is not None and template.plan.integrator.fixed
        self._many = k.method("batch.one_by_one")
        self._idle: queue.SimpleQueue[_Memory] = queue.SimpleQueue()
        for _ in range(threads):
            self._idle.put(
                _Memory(
                    LanesWorkspace(template),
                    aligned_lanes(1, loop.y.size),
                    aligned_lanes(1, loop.workspace.reported),
                    aligned_lanes(*loop.work.shape),
                    np.zeros((width, loop.clock.size)),
                    np.zeros((width, loop.counts.size), dtype=np.int64),
                    np.zeros((width, 3)),
                    np.zeros((kernels.M_LENGTH, width), dtype=np.int64),
                    np.zeros((kernels.X_COUNT, width)),
                )
            )

    def run(self, loop: TimeLoop, tables: Any, starts: Array, first: Array, grid: Array, job: Any, stop: Any) -> None:
        """Run what is WAITING; what goes out of the ordinary is WAITING afterwards."""
        samples, outs, plan, scales, found, ends = job
        template, resets, places, values = tables
        closed, clocks = starts.copy(), np.zeros((len(starts), loop.clock.size))
        where = (places, values, closed)
        before = (loop.workspace.ctx, template, resets, *where, first, grid, samples, outs, plan, scales, found, ends)
        self._ready(*before, clocks, loop.y, loop.clock, loop.counts, stop)
        own = self._idle.get()
        try:
            job = (grid, samples, outs, plan, scales)
            if self._fixed:
                given = (own.workspace.ctx, own.state, own.row, own.work, *where, *job)
                self._march(*given, own.marks, found, ends, stop)
            else:
                memory = (own.clocks, own.counts, own.notes, own.marks, own.spans)
                given = (own.workspace.ctx, own.state, own.row, *where, clocks, *job)
                self._march(*given, *memory, found, ends, stop)
        finally:
            self._idle.put(own)
        status = found[:, self._many.V_STATUS]
        status[status == self._many.READY] = self._many.WAITING
