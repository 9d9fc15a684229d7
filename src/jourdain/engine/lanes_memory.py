"""Pieces of a batch in vector lanes: workspaces and memory for `kernels/batch/in_lanes.py`."""

from __future__ import annotations

import queue
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels.layout import fields as f
from ..kernels.layout.batch_records import READY, V_STATUS, WAITING, Alone, Lanes, Piece
from .kernel_cache import load_kernels
from .lanes_workspace import LanesWorkspace, aligned_lanes, lanes_driver
from .time_loop import TimeLoop
from .workspace import Workspace

Array = npt.NDArray[np.float64]


class _Memory(NamedTuple):
    """What one thread writes; the workspace keeps alive what the table of `lanes` points to."""

    workspace: LanesWorkspace
    lanes: Lanes


class SideBySide:
    """Runs variants of a mechanism that can be run in lanes (`can_run_in_lanes`)."""

    def __init__(self, template: Workspace, loop: TimeLoop, threads: int) -> None:
        k = load_kernels()
        kernels, width = k.method("batch.in_lanes"), k.lane_numbers.WIDTH
        self._ready, self._march = lanes_driver(template.plan)
        self._idle: queue.SimpleQueue[_Memory] = queue.SimpleQueue()
        for _ in range(threads):
            workspace = LanesWorkspace(template)
            lanes = Lanes(
                ctx=workspace.ctx,
                state=aligned_lanes(1, loop.y.size),
                row=aligned_lanes(1, loop.workspace.reported),
                work=aligned_lanes(*loop.work.shape),
                begun=np.zeros((0, loop.clock.size)),
                clocks=np.zeros((width, loop.clock.size)),
                counts=np.zeros((width, loop.counts.size), dtype=np.int64),
                notes=np.zeros((width, 3)),
                marks=np.zeros((kernels.M_LENGTH, width), dtype=np.int64),
                spans=np.zeros((kernels.X_COUNT, width)),
                margins=np.zeros((width, *template[f.MARGINS].shape)),
            )
            self._idle.put(_Memory(workspace, lanes))

    def run(self, alone: Alone, job: Piece) -> None:
        """Run what is WAITING; what goes out of the ordinary is WAITING afterwards."""
        closed, begun = job._replace(starts=job.starts.copy()), np.zeros((len(job.starts), alone.clock.size))
        self._ready(alone, closed, begun)
        own = self._idle.get()
        try:
            self._march(own.lanes._replace(begun=begun), closed)
        finally:
            self._idle.put(own)
        status = job.found[:, V_STATUS]
        status[status == READY] = WAITING
