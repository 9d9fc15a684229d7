"""How kernels run many variants of one plan: workspaces, tables and numbers for `kernels/batch/one_by_one.py`."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..choices import FixedStep, Integrator
from ..kernels.layout import batch_records as codes
from ..kernels.layout.batch_records import Alone, Piece
from ..kernels.layout.loops import T_USUAL
from ..kernels.layout.returned import OK, PASSING_BY
from .cold_start import compile_for
from .compiled_entries import LANES, batch_driver
from .kernel_cache import load_kernels
from .lanes_memory import SideBySide
from .plan import Plan
from .time_loop import MAX_STEPS, TimeLoop
from .workspace import Workspace

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

CLOSED = 1e-10  # of the size, as in assembly/close_joints.py
PER_LANE = 4  # variants that a lane should run one after the other


@dataclass(frozen=True)
class Job:
    """Variants `first` to `last`, and what came of them."""

    first: int
    last: int
    samples: Array
    outs: Array
    found: Ints
    ends: Array

    @property
    def completed(self) -> npt.NDArray[np.bool_]:
        return np.asarray(self._column("V_STATUS") == OK)

    @property
    def unusual_start(self) -> npt.NDArray[np.bool_]:
        """Which have to be prepared by Python."""
        return np.asarray(self._column("V_STATUS") == codes.UNUSUAL_START)

    @property
    def counts(self) -> list[list[int]]:
        """Of each variant: steps, rejected steps, evaluations, full Newton steps, losses of rank."""
        names = ("V_STEPS", "V_REJECTED", "V_EVALUATIONS", "V_NEWTONS", "V_RANK_LOSSES")
        counts: list[list[int]] = self.found[:, [getattr(codes, name) for name in names]].tolist()
        return counts

    @property
    def moved(self) -> Array:
        """By how much assembly changed each start at most (m, rad, m/s or rad/s)."""
        return self.ends[:, 0]

    @property
    def reached(self) -> Array:
        """s, where each ended."""
        return self.ends[:, 1]

    def _column(self, name: str) -> Ints:
        return self.found[:, getattr(codes, name)]


@dataclass(frozen=True)
class Watch:
    """What runs are watched for, where their integrator may be changed."""

    crawling: bool = False  # steps that become short
    stiff: int = 0  # steps that stability held short, after which a run is given back; 0: never
    passing: bool = False  # rows that come near to depending on the others
    # Whether a run whose steps became short, or a row of which may vanish, may go on; it may say when to look again.
    is_plain: Callable[[TimeLoop], bool] = lambda loop: True


class _Tables(NamedTuple):
    """What every variant begins with: the template, which of its fields are renewed, places and values there."""

    template: Any
    resets: Ints
    places: Ints
    values: Array


class Driver:
    """Runs variants of a plan in any thread. Of each thread the arrays it writes are its own."""

    def __init__(self, plan: Plan, integrator: Integrator, first: Array, grid: Array, outputs: bool) -> None:
        """`first` is the state that all starts are near to."""
        self._integrator, self._first, self._grid, self._outputs = integrator, first, grid, outputs
        self._drive = batch_driver(plan)
        self._beside: SideBySide | None = None
        self._idle: queue.SimpleQueue[TimeLoop] = queue.SimpleQueue()
        self._stop = np.zeros(1, dtype=np.int64)

    def stop(self) -> None:
        """Give up what is running, in all threads."""
        self._stop[0] = 1

    @staticmethod
    def together() -> int:
        """How many variants a thread should have at least in lanes: those that wait for the last ones are lost."""
        return PER_LANE * int(load_kernels().lane_numbers.WIDTH)

    # Variants that differ in numbers at some places of the arrays ------------------------------------------------

    def share(self, plan: Plan, places: Sequence[tuple[int, int, int]], threads: int, lanes: bool) -> None:
        """Make what threads need for variants of this plan that differ at `places`: field, row, column."""
        base = plan.model
        changed = {field for field, _, _ in places}
        for _ in range(threads + 1):
            own = replace(base, fields={**base.fields, **{key: base.fields[key].copy() for key in changed}})
            self._idle.put(TimeLoop(Workspace(plan.with_(model=own)), self._integrator, self._first, self._grid[0]))
        spare = self._idle.get()
        self._template = spare.workspace
        if lanes:
            compile_for(plan, number=LANES)
            self._beside = SideBySide(self._template, spare, threads)
        arrays = self._template.arrays
        written = [key for key in arrays if not self._template.is_shared(key)]
        self._resets = np.array([(key, int(arrays[key].dtype == np.int64)) for key in written], dtype=np.int64)
        self._places = np.array(places, dtype=np.int64).reshape(-1, 3)

    def run_shared(
        self, first: int, last: int, values: Array, starts: Array, free: tuple[bool, bool], watch: Watch
    ) -> Job:
        """Close and run variants, with `values` at the places; `free`: whether poses, and motions, are not fixed."""
        loop = self._idle.get()
        try:
            plan, scales = self._plan(loop, watch, ready=False, free=free)
            tables = _Tables(self._template.ctx, self._resets, self._places, values)
            return self._run(loop, first, last, tables, starts, plan, scales, watch)
        finally:
            self._idle.put(loop)

    # A variant that was prepared on its own ------------------------------------------------------------------------

    def run_prepared(self, index: int, workspace: Workspace, y: Array, watch: Watch) -> Job:
        loop = TimeLoop(workspace, self._integrator, y, self._grid[0])
        plan, scales = self._plan(loop, watch, ready=True, free=(False, False))
        nothing = np.zeros((0, 2), dtype=np.int64), np.zeros((0, 3), dtype=np.int64), np.zeros((1, 0))
        tables = _Tables(workspace.ctx, *nothing)
        return self._run(loop, index, index + 1, tables, y[None].copy(), plan, scales, watch)

    def _run(
        self,
        loop: TimeLoop,
        first: int,
        last: int,
        tables: _Tables,
        starts: Array,
        plan: Ints,
        scales: Array,
        watch: Watch,
    ) -> Job:
        n, grid = last - first, self._grid
        samples = np.zeros((n, grid.size, starts.shape[1]))
        outs = np.full((n, grid.size if self._outputs else 0, loop.workspace.reported), np.nan)
        found = np.zeros((n, codes.V_LENGTH), dtype=np.int64)
        found[:, codes.V_STATUS] = codes.WAITING
        ends = np.zeros((n, 2))
        alone = Alone(
            loop.workspace.ctx, tables.template, tables.resets, self._first, loop.work, loop.y, loop.clock, loop.counts
        )
        given, asked = (tables.places, tables.values, starts), (plan, scales, found, ends, self._stop)
        piece = Piece(*given, grid, loop.ends_between(grid[0], grid[-1]), samples, outs, *asked)
        if self._beside is not None and len(tables.places) + len(tables.resets) > 0:
            self._beside.run(alone, piece)
        while plan[codes.P_FROM] < n:
            # Where steps became short, or a row may vanish, Python looks whether the position is nearly singular, as in
            # a single run.
            k = self._drive(alone, piece)
            plain = k < n and watch.is_plain(loop)
            plan[codes.P_FROM], plan[codes.P_RESUME] = (k, 1) if plain or k == n else (k + 1, 0)
            if k < n and found[k, codes.V_STATUS] != PASSING_BY:
                loop.clock[T_USUAL] = 0.0
        return Job(first, last, samples, outs, found, ends)

    def _plan(self, loop: TimeLoop, watch: Watch, ready: bool, free: tuple[bool, bool]) -> tuple[Ints, Array]:
        model = loop.workspace.model
        plan = np.zeros(codes.P_LENGTH, dtype=np.int64)
        scales = np.zeros(codes.R_LENGTH)
        plan[codes.P_PAUSE], plan[codes.P_MOST] = loop.pause, MAX_STEPS
        plan[codes.P_WATCH], plan[codes.P_STIFF] = int(watch.crawling), watch.stiff
        plan[codes.P_RANK] = int(watch.passing)
        plan[codes.P_READY], plan[codes.P_FREE_POSE], plan[codes.P_FREE_MOTION] = int(ready), int(free[0]), int(free[1])
        plan[codes.P_TURNS] = int(len(model.turns) > 0)
        scales[codes.R_CLOSED] = CLOSED * model.size
        if isinstance(self._integrator, FixedStep):
            scales[codes.R_STEP] = self._integrator.step_up_to(float(self._grid[-1]))
        else:
            plan[codes.P_ORDER], scales[codes.R_STEP], scales[codes.R_ATOL], scales[codes.R_LONGEST] = loop.tolerances()
        return plan, scales
