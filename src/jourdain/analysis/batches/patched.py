"""How the kernels are asked to run many variants: workspaces, starts and numbers for `kernels/batch/one_by_one.py`."""

from __future__ import annotations

import queue
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import choices as ch
from ...assembly.close_joints import Freedom
from ...assembly.placing import placed_state
from ...assembly.prepare import Prepared
from ...assembly.tree_start import written_start, written_starts
from ...engine.cold_start import compile_for
from ...engine.kernel_cache import load_kernels
from ...engine.lanes_memory import SideBySide
from ...engine.loading import LANES, batch_driver
from ...engine.time_loop import MAX_STEPS, TimeLoop
from ...engine.workspace import Workspace
from ...kernels.layout import batch as codes
from ...kernels.layout.batch import Alone, Piece
from ...kernels.layout.loops import T_UNTIL, T_USUAL
from ...kernels.layout.status import OK
from ...model.compile import compile_mechanism
from ...model.facts import calls_python, has_events
from ...model.flat import FlatModel
from ...model.patches import Patches, agree, find_patches, is_faulty
from ...model.states import moving_vectors, to_vector
from ...session.auto.crossing import NEAR, nearness
from ...session.auto.stiffness import LARGEST, WORTH
from .variants import Variants

Array = npt.NDArray[np.float64]

CLOSED = 1e-10  # of the size, as in assemble.py
PER_LANE = 4  # variants that a lane should run one after the other
PROVED = 3  # variants that are compiled to prove that patching gives the same


@dataclass(frozen=True)
class Job:
    """Variants `first` to `last`, and what came of them."""

    first: int
    last: int
    samples: Array
    outs: Array
    found: npt.NDArray[np.int64]
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
        return [list(row) for row in zip(*(self._column(name).tolist() for name in names), strict=True)]

    @property
    def moved(self) -> Array:
        """By how much assembly changed each start at most (m, rad, m/s or rad/s)."""
        return self.ends[:, 0]

    @property
    def reached(self) -> Array:
        """s, where each ended."""
        return self.ends[:, 1]

    def _column(self, name: str) -> npt.NDArray[np.int64]:
        return self.found[:, getattr(codes, name)]


def patches_for(variants: Variants, model: FlatModel, choices: ch.Choices) -> Patches | None:
    """How to come from the model of the base to those of the variants, proved on a few; None: by compiling each."""
    if variants.paths is None:
        return None
    patches = find_patches(model, variants.changed)
    if patches is None:
        return None
    for k in {0, variants.count // 2, variants.count - 1, *range(min(variants.count, PROVED - 2))}:
        blueprint = variants.blueprint(k)
        patched = patches.patched(blueprint)
        if patched is not None and not agree(patched, compile_mechanism(blueprint, choices.coordinates)):
            return None
    return patches


def is_plain(prepared: Prepared, choices: ch.Choices) -> bool:
    """Whether the kernels can do everything, from closing the joints to the end."""
    model = prepared.model
    driven = any(m.values.get("angle") is not None for m in model.blueprint.motions)
    started = any(joint.initial for joint in model.blueprint.joints)
    full = not prepared.redundancy.dropped and prepared.redundancy.rank == prepared.redundancy.equations
    open_tree = choices.treatment == ch.Recursion() and not model.rows
    own = open_tree or choices.treatment in (ch.Kkt(), ch.Index3())
    return own and full and not (driven or started or model.floating) and runs_alone(model)


def runs_alone(model: FlatModel) -> bool:
    """Whether a run needs nothing of Python on its way: no events, no functions in plain Python."""
    return not calls_python(model) and not has_events(model)


def _start(model: FlatModel) -> Array | None:
    """What is written, before joints are closed; None where a tree cannot start like that."""
    if not model.set.joined:
        return to_vector(model, placed_state(model))
    found = written_start(replace(model.tree, blueprint=model.blueprint))
    return None if found is None else np.concatenate([*found[1:], np.zeros(model.nz)])


class Batch:
    """Runs pieces of the variants in any thread. Of each thread the arrays it writes are its own."""

    def __init__(
        self, prepared: Prepared, choices: ch.Choices, grid: Array, threads: int, outputs: bool, lanes: bool
    ) -> None:
        self._choices, self._grid = choices, grid
        self._lanes = lanes
        self._beside: SideBySide | None = None
        self._drive = batch_driver(prepared.plan)
        self._outputs = outputs
        self._first = prepared.assembly.y
        self.stop = np.zeros(1, dtype=np.int64)
        self._threads = threads
        self._prepared = prepared
        self._idle: queue.SimpleQueue[TimeLoop] = queue.SimpleQueue()

    @property
    def together(self) -> int:
        """How many variants a thread should have at least: lanes that wait for the last ones are lost."""
        return PER_LANE * load_kernels().lane_numbers.WIDTH if self._lanes else 1

    # Variants that differ in patched numbers only --------------------------------------------------------------

    def share(self, patches: Patches, variants: Variants) -> None:
        """Make what threads need, and the numbers of all variants."""
        self._patches, self._variants = patches, variants
        changed = {field for field, _, _ in patches.places}
        base = patches.model
        plan = self._prepared.plan.with_(model=base, numbers={})
        for _ in range(self._threads + 1):
            own = replace(base, fields={**base.fields, **{f: base.fields[f].copy() for f in changed}})
            workspace = Workspace(plan.with_(model=own))
            self._idle.put(TimeLoop(workspace, self._choices.integrator, self._first, self._grid[0]))
        spare = self._idle.get()
        self._template = spare.workspace
        if self._lanes:
            compile_for(plan, number=LANES)
            self._beside = SideBySide(self._template, spare, self._threads)
        arrays = self._template.arrays
        written = [key for key in arrays if not self._template.is_shared(key)]
        self._resets = np.array([(key, int(arrays[key].dtype == np.int64)) for key in written], dtype=np.int64)
        self._places = np.array(patches.places, dtype=np.int64).reshape(-1, 3)
        free = Freedom.of(base)
        self._free = (int(np.any(free.pose)), int(np.any(free.motion)))
        self._drawn = self._first if base.set.joined else to_vector(base, placed_state(base))

    def numbers(self, first: int, last: int) -> tuple[Array, Array, list[int]]:
        """Values at the places, starts, and which variants cannot be patched."""
        values = np.zeros((last - first, len(self._places)))
        starts = np.tile(self._drawn, (last - first, 1))
        left: list[int] = []
        found = None if self._variants.states or self._patches.bodies else self._starts(first, last)
        if found is not None:  # copies alone: whole columns at once
            starts[:, self._patches.model.layout.motion], fits = found
            left += (first + np.flatnonzero(~fits)).tolist()
            for k, (path, _) in enumerate(self._patches.copied):
                values[:, k] = self._variants.column(path)[first:last]
                left += (first + np.flatnonzero(is_faulty(path, values[:, k]))).tolist()
            return values, starts, sorted(set(left))
        for k in range(first, last):
            blueprint = self._variants.blueprint(k)
            model = self._patches.patched(blueprint)
            if model is None:
                left.append(k)
                continue
            fields, rows, columns = self._places.T
            values[k - first] = [model.fields[f][i, j] for f, i, j in zip(fields, rows, columns, strict=True)]
            state = self._variants.state(k)
            if state is not None:
                starts[k - first] = to_vector(model, state)
            elif self._patches.starts:
                start = _start(model)
                if start is None:
                    left.append(k)
                else:
                    starts[k - first] = start
        return values, starts, left

    def _starts(self, first: int, last: int) -> tuple[Array, npt.NDArray[np.bool_]] | None:
        """[q | v] of variants that start from one pose, and which of them can; None: each has to be looked at."""
        base = self._patches.model
        if not self._patches.starts:
            return np.tile(self._drawn[base.layout.motion], (last - first, 1)), np.ones(last - first, dtype=bool)
        velocities = {}
        for index, body in enumerate(base.blueprint.bodies):
            pair = []
            for name, written in (("velocity", body.velocity), ("spin", body.spin)):
                rows = self._rows(("bodies", index, name), written, first, last)
                if rows is None and base.set.joined:
                    return None
                width = 1 if name == "spin" and base.blueprint.dim == 2 else base.blueprint.dim
                pair.append(np.zeros((last - first, width)) if rows is None else rows)
            velocities[body.name] = (pair[0], pair[1])
        if base.set.joined:
            found = written_starts(base.tree, velocities)
        else:
            moving = moving_vectors(base, placed_state(base), velocities)
            found = None if moving is None else (moving, np.ones(last - first, dtype=bool))
        if found is None:
            return None
        q = np.tile(self._drawn[base.layout.q], (last - first, 1))
        return np.hstack([q, found[0]]), found[1]

    def _rows(self, path: tuple[Any, ...], written: Any, first: int, last: int) -> Array | None:
        """A vector of every variant, in rows; None if it is written for none."""
        changed = [p for p in self._variants.changed if p[:3] == path]
        if path in changed:
            return np.asarray(self._variants.column(path)[first:last], dtype=float).reshape(last - first, -1)
        if written is None:
            return None
        rows = np.tile(np.atleast_1d(np.asarray(written, dtype=float)), (last - first, 1))
        for place in changed:
            rows[:, place[3]] = self._variants.column(place)[first:last]
        return rows

    def run_shared(self, first: int, last: int, values: Array, starts: Array) -> Job:
        """Close and run variants; called in a thread."""
        loop = self._idle.get()
        try:
            free = (0, 0) if self._variants.states else self._free
            plan, scales = self._plan(loop, ready=False, free=free)
            tables = (self._template.ctx, self._resets, self._places, values)
            return self._run(loop, first, last, tables, starts, plan, scales)
        finally:
            self._idle.put(loop)

    # Variants that were prepared each on its own -----------------------------------------------------------------

    def run_prepared(self, index: int, prepared: Prepared) -> Job:
        loop = TimeLoop(prepared.workspace, self._choices.integrator, prepared.assembly.y, self._grid[0])
        plan, scales = self._plan(loop, ready=True, free=(0, 0))
        nothing = np.zeros((0, 2), dtype=np.int64), np.zeros((0, 3), dtype=np.int64), np.zeros((1, 0))
        tables = (loop.workspace.ctx, *nothing)
        return self._run(loop, index, index + 1, tables, prepared.assembly.y[None].copy(), plan, scales)

    def _run(self, loop: TimeLoop, first: int, last: int, tables: Any, starts: Array, plan: Any, scales: Array) -> Job:
        n, grid = last - first, self._grid
        samples = np.zeros((n, grid.size, starts.shape[1]))
        outs = np.full((n, grid.size if self._outputs else 0, loop.workspace.reported), np.nan)
        found = np.zeros((n, codes.V_LENGTH), dtype=np.int64)
        found[:, codes.V_STATUS] = codes.WAITING
        ends = np.zeros((n, 2))
        template, resets, places, values = tables
        ctx, first_start = loop.workspace.ctx, self._first
        alone = Alone(ctx, template, resets, first_start, loop.work, loop.y, loop.clock, loop.counts)
        job = Piece(places, values, starts, grid, samples, outs, plan, scales, found, ends, self.stop)
        if self._beside is not None and len(places) + len(resets) > 0:
            self._beside.run(alone, job)
        while plan[codes.P_FROM] < n:
            # Where steps became short, Python looks whether the position is nearly singular, as in a single run.
            k = self._drive(alone, job)
            plain = k < n and nearness(loop) > NEAR
            plan[codes.P_FROM], plan[codes.P_RESUME] = (k, 1) if plain or k == n else (k + 1, 0)
            loop.clock[T_USUAL] = 0.0
        return Job(first, last, samples, outs, found, ends)

    def _plan(self, loop: TimeLoop, ready: bool, free: tuple[int, int]) -> tuple[npt.NDArray[np.int64], Array]:
        i, model = self._choices.integrator, loop.workspace.model
        plan = np.zeros(codes.P_LENGTH, dtype=np.int64)
        scales = np.zeros(codes.R_LENGTH)
        plan[codes.P_PAUSE], plan[codes.P_MOST], plan[codes.P_WATCH] = loop.pause, MAX_STEPS, int(self._choices.free)
        plan[codes.P_READY], plan[codes.P_FREE_POSE], plan[codes.P_FREE_MOTION] = int(ready), *free
        plan[codes.P_TURNS] = int(len(model.turns) > 0)
        plan[codes.P_STIFF] = WORTH if self._choices.free and model.length <= LARGEST else 0
        scales[codes.R_UNTIL] = loop.clock[T_UNTIL]
        scales[codes.R_CLOSED] = CLOSED * model.size
        if isinstance(i, ch.FixedStep):
            scales[codes.R_STEP] = i.step
        else:
            plan[codes.P_ORDER], scales[codes.R_STEP], scales[codes.R_ATOL], scales[codes.R_LONGEST] = loop.tolerances()
        return plan, scales
