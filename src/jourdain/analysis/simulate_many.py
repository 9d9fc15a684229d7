"""simulate_many: one mechanism with many values of its numbers or many starts, on all cores.

The mechanism is compiled once. Variants that differ in parameters, springs, masses and starts run without Python from
closing the joints to the last sample (`kernels/batch/one_by_one.py`); others are compiled or assembled each on its own
and then handed to the same loop. What is out of the ordinary in a run (an event, a function in plain Python, a passage
through a singular position, a failure) is done again by `simulate`, so a variant always ends as it would alone.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..assembly.prepare import prepare
from ..assembly.redundancy import Redundancy
from ..engine.batch import Job
from ..engine.lanes_workspace import why_not_in_lanes
from ..engine.plan import Plan
from ..files.by_name import Given, or_file
from ..library import all_channels
from ..library.channels import RowWise
from ..mechanism.arguments import asked
from ..mechanism.errors import ChoiceError, JourdainError, SimulationError
from ..mechanism.names import counted, nearest
from ..mechanism.parts import Blueprint
from ..mechanism.taken import Seconds
from ..model.compile import compile_mechanism
from ..model.flat import FlatModel
from ..results.many import Many
from ..results.solution import Energy, Solution
from ..results.status import QUIET, SimulationWarning, Statistics, Status
from ..session.notes import DRIFT, IMBALANCE, contradicted, drift_notes, imbalance_notes
from ..session.progress import BatchProgress, Progress, reporter
from ..session.session import Session
from .batches.keeping import Columns, Keeper
from .batches.patched import Batch, is_plain, patches_for, runs_alone
from .batches.variants import Build, Variants, read_variants
from .simulate import simulate, time_grid

Array = npt.NDArray[np.float64]

KEEPS = ("all", "end")
PIECE_SECONDS = 0.05  # of work handed to a thread at once: short enough to stop soon and to share fairly
MOST_IN_PIECE = 64
LANES_FROM = 200  # variants, from which compiling for vector lanes, once on a machine, pays for itself
MOVED = 1e-9  # of the size: assembly that moved a start by more is told


@or_file
@asked
def simulate_many(
    mechanism: Given | Build,
    duration: Seconds | None = None,
    variants: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    *,
    every: Seconds | None = None,
    times: Sequence[float] | Array | None = None,
    keep: str = "all",
    channels: Sequence[str] | None = None,
    recipe: str | None = None,
    coordinates: str | ch.Coordinates | None = None,
    treatment: str | ch.Treatment | None = None,
    stabilisation: str | ch.Stabilisation | None = None,
    integrator: str | ch.Integrator | None = None,
    step: Seconds | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    max_step: Seconds | None = None,
    threads: int | None = None,
    lanes: bool | None = None,
    progress: bool | Callable[[Progress], None] | None = None,
) -> Many:
    """Simulate one mechanism with many values: `simulate_many(m, 5.0, {"k": [100, 200], "crank.mass": [1, 2]})`.

    Keys of `variants` are parameters, or numbers of the mechanism by name (`crank.spin`, `spring.stiffness`,
    `crank.position.x`); each has a value for every variant, or one for all. `state` varies the start, as states of
    runs give it. Instead of a mechanism a function may be given that makes one of a dict of values. `keep="end"` keeps
    start and end only; `channels` keeps these alone. All else is as in `simulate`. A variant that fails does not stop
    the others: see `statuses`. `lanes` runs several variants side by side in each core; it is chosen for large batches
    that can.
    """
    begun = time.perf_counter()
    found = read_variants(mechanism, {} if variants is None else variants).folded()
    base = found.base
    written: dict[str, Any] = {"recipe": recipe, "coordinates": coordinates, "treatment": treatment}
    written |= {"stabilisation": stabilisation, "integrator": integrator}
    written |= {"step": step, "rtol": rtol, "atol": atol, "max_step": max_step}
    written = ch.with_defaults(written, base.defaults)
    choices = ch.resolve(base.space, **written)
    if keep not in KEEPS:
        raise ChoiceError(f"keep is {keep!r}; {nearest(str(keep), KEEPS)}")
    if threads is not None:
        ch.checked_positive("threads", threads)
    if lanes not in (None, True, False):
        raise ChoiceError(f"lanes is {lanes!r}; expected True, False or None")
    grid = grid_of(base, duration, every, times, keep)
    count = int(threads or os.cpu_count() or 1)
    keeper = None if channels is None else Columns.of(channels, found.count, grid.size)
    runner = Runner(found, choices, grid, written, keeper, count, lanes, reporter(progress))
    runner.run()
    many = runner.result(time.perf_counter() - begun, {} if keeper is None else keeper.columns)
    failed = many.failures
    if failed:
        words = f"{len(failed)} of {counted(len(many), 'variant')} did not complete; the first: {failed[0]}"
        warnings.warn(words, SimulationWarning, stacklevel=4)
    return many


def grid_of(base: Blueprint, duration: Any, every: Any, times: Any, keep: str) -> Array:
    if times is None:
        duration = base.defaults.get("duration") if duration is None else duration
        every = base.defaults.get("every") if every is None and keep == "all" else every
    if keep == "end":
        if every is not None:
            raise ChoiceError("keep='end' keeps the end alone; every does nothing beside it")
        every = duration if times is None else None
    grid = time_grid(duration, every, times)
    return grid[[0, -1]] if keep == "end" and grid.size > 2 else grid


class _Shared(NamedTuple):
    """What results need of what was prepared for all."""

    model: FlatModel
    redundancy: Redundancy


class Runner:
    """Takes the variants through, each by the quickest way that gives what `simulate` would."""

    def __init__(
        self,
        variants: Variants,
        choices: ch.Choices,
        grid: Array,
        written: dict[str, Any],
        keeper: Keeper | None,
        threads: int,
        lanes: bool | None,
        report: Callable[[Progress], None],
    ) -> None:
        self.choices, self.grid, self.written = choices, grid, written
        self.threads, self.lanes, self.report = threads, lanes, report
        self.prepared: Any = None  # Prepared; of results that were copied, what they need of it
        self.batch: Batch | None = None
        self.patches: Any = None
        self.shared = False  # whether kernels take variants from their numbers to the last sample
        self._begin(variants, keeper)

    def _begin(self, variants: Variants, keeper: Keeper | None) -> None:
        n = variants.count
        self.variants, self.keeper = variants, keeper
        self.begun = time.perf_counter()
        self.done = 0
        self.statuses: list[Status | None] = [None] * n
        self.statistics = [Statistics(0, 0, 0, 0, 0, 0.0)] * n
        self.kept: list[tuple[Array, Array] | Solution | None] = [None] * n
        self.models: dict[int, tuple[FlatModel, Redundancy]] = {}  # of those that were prepared on their own
        self.left: list[int] = []  # to be prepared each on its own
        self.unpatched: set[int] = set()  # of these, those whose numbers could not even be found
        self.ordinary: list[int] = []  # to be done by `simulate`

    def like(self, variants: Variants, keeper: Keeper | None) -> Runner:
        """A runner of other values of the same keys, which shares what was prepared. Not beside one that is running."""
        other = object.__new__(Runner)  # not a copy, which would leave behind what is to be shared
        other.__dict__ |= self.__dict__
        other._begin(variants, keeper)
        if self.batch is not None and self.shared:
            other.batch = self.batch.of(variants)
        return other

    def __getstate__(self) -> dict[str, Any]:
        """What results are read from; threads, kernels and their memory stay behind."""
        shared = None if self.prepared is None else _Shared(self.prepared.model, self.prepared.redundancy)
        dropped = {"batch": None, "patches": None, "report": None, "waiting": None, "keeper": None}
        return {**self.__dict__, **dropped, "prepared": shared}

    def run(self) -> None:
        try:
            self.prepare(self.variants.count)
            self.go()
        except KeyboardInterrupt:
            self._told_interrupted()
        self.report(self._progress(over=True))

    def go(self) -> None:
        """Run all variants. KeyboardInterrupt comes through."""
        if self.prepared is None or not runs_alone(self.prepared.model):
            self.ordinary = list(range(self.variants.count))
        else:
            self._run_batch()
        for index in self.ordinary:
            self._simulate(index)

    # The base ------------------------------------------------------------------------------------------------------

    def prepare(self, count: int) -> None:
        """What all share, for so many variants in all.

        Nothing where not even the base can be prepared: then each says for itself why.
        """
        v, c = self.variants, self.choices
        try:
            state = v.state(0)
            base = v.base if v.paths is not None else v.blueprint(0)
            self.prepared = prepare(base, c.set, state, float(self.grid[0]), c.treatment, c.integrator)
        except JourdainError:
            return
        if self.keeper is not None:
            p = self.prepared
            outs = np.zeros((1, p.workspace.reported))
            self.keeper.check(self._solution_of(p.model, p.redundancy, p.assembly.y[None], outs))
        self.patches = patches_for(v, self.prepared.model, c)
        turning = bool(self.prepared.model.turns) and bool(v.states)
        self.shared = self.patches is not None and is_plain(self.prepared, c) and not turning
        lanes = self._in_lanes(self.prepared.plan, count)
        self.batch = Batch(self.prepared, c, self.grid, self.threads, outputs=True, lanes=lanes)
        if self.shared:
            self.batch.share(self.patches, v)

    def _in_lanes(self, plan: Plan, count: int) -> bool:
        """Whether variants run side by side: if asked for, or if they can and are many."""
        if self.lanes is False or (self.lanes is None and count < LANES_FROM):
            return False
        why_not = why_not_in_lanes(plan)
        if not why_not and not self.shared:
            why_not = "variants need Python on their way (lengths or poses that vary, events, redundant equations)"
        if why_not and self.lanes:
            words = f"lanes=True, but this batch cannot run in vector lanes: {why_not}; leave lanes out"
            raise ChoiceError(words)
        return not why_not

    # Batches -------------------------------------------------------------------------------------------------------

    def _run_batch(self) -> None:
        if self.batch is None:
            return
        with ThreadPoolExecutor(self.threads, thread_name_prefix="jourdain") as pool:
            self.waiting: set[Future[Job]] = set()
            try:
                alone = self._run_shared(pool) if self.shared else list(range(self.variants.count))
                for index in alone:
                    self._prepare_and_run(pool, index)
                    self._collect(2 * self.threads)
                self._collect(0)
            except KeyboardInterrupt:
                self.batch.stop()
                raise

    def _run_shared(self, pool: ThreadPoolExecutor) -> list[int]:
        """Run what the kernels can do by themselves; returns what they left, to be prepared by Python."""
        batch = self.batch
        if batch is None:
            return []
        count = self.variants.count
        least = min(batch.together, -(-count // self.threads))
        most = max(least, min(2 * least + MOST_IN_PIECE, 1 + count // (4 * self.threads)))
        first, piece = 0, least
        began = time.perf_counter()
        while first < count:
            last = min(first + piece, count)
            values, starts, unpatched = batch.numbers(first, last)
            self.left += unpatched
            self.unpatched.update(unpatched)
            self.waiting.add(pool.submit(batch.run_shared, first, last, values, starts))
            # Two in line for each thread: then none waits while the next numbers are being made.
            self._collect(2 * self.threads)
            if self.done:
                each = (time.perf_counter() - began) * self.threads / self.done
                piece = int(np.clip(PIECE_SECONDS / each, least, most))
            first = last
        self._collect(0)
        return self.left

    def _prepare_and_run(self, pool: ThreadPoolExecutor, index: int) -> None:
        """Compile, assemble and analyse one variant; its run goes to a thread."""
        v, c = self.variants, self.choices
        self.unpatched.discard(index)  # what comes back from now on counts
        try:
            blueprint = v.blueprint(index)
            model = self.patches.patched(blueprint) if self.patches is not None else None
            model = compile_mechanism(blueprint, c.set) if model is None else model
            if not runs_alone(model):
                self.ordinary.append(index)
                return
            same = self.prepared is not None and model.flags == self.prepared.model.flags
            start = float(self.grid[0])
            prepared = prepare(
                blueprint, c.set, v.state(index), start, c.treatment, c.integrator, model if same else None
            )
        except JourdainError as error:
            self._failed(index, str(error))
            return
        self.models[index] = prepared.model, prepared.redundancy
        if self.batch is not None:
            self.waiting.add(pool.submit(self.batch.run_prepared, index, prepared))

    def _collect(self, most: int) -> None:
        """Take in what is done, until at most so many pieces are waiting."""
        while len(self.waiting) > most:
            done, self.waiting = wait(self.waiting, timeout=0.1, return_when=FIRST_COMPLETED)
            for future in done:
                self._take(future.result())
            self.report(self._progress())

    def _take(self, job: Job) -> None:
        """What came of a piece. Of a thousand variants nearly all are ordinary: those go in by whole slices."""
        done = job.completed & np.isfinite(job.outs).all(axis=(1, 2))
        plain = ~self._noteworthy(job) & self._stayed(job)
        ends = {end: Status(True, f"completed to t = {end:g} s") for end in set(job.reached.tolist())}
        indices = range(job.first, job.last)
        counts = [Statistics._make((*row, 0.0, 0)) for row in job.counts]
        statuses = [ends[end] for end in job.reached.tolist()]
        own = slice(job.first, job.last)
        if (done & plain).all() and self.unpatched.isdisjoint(indices) and self._kept_together(own, job):
            self.statistics[own], self.statuses[own] = counts, statuses
            self.done += len(indices)
            return
        unusual = job.unusual_start
        for i, index in enumerate(indices):
            if index in self.unpatched:
                continue
            if unusual[i]:
                self.left.append(index)
            elif not done[i]:
                self.ordinary.append(index)
            else:
                self.statistics[index], self.statuses[index] = counts[i], statuses[i]
                if not plain[i]:
                    self._look_closer(index, job, i)
                self._keep(index, job.samples[i], job.outs[i])

    def _noteworthy(self, job: Job) -> npt.NDArray[np.bool_]:
        """Which runs are worth a closer look at drift, energy and redundant equations; those are few."""
        model = self._model(job.first)[0]
        with np.errstate(invalid="ignore"):
            energy = Energy.of(model, job.samples, job.outs)
            total, potential = energy.total, energy.potential
            off = np.max(np.abs(total - total[:, :1]), axis=1)
            parts = (energy.kinetic, potential - potential[:, :1], energy.dissipated, energy.driven)
            scale = np.max([np.max(np.abs(part), axis=1) for part in parts], axis=0)
            apart = np.max(job.outs[:, :, model.outputs.position_error], axis=1)
        odd = ~(off <= IMBALANCE * scale) | ~(apart <= DRIFT * model.size)
        return odd | bool(self._model(job.first)[1].dropped)

    def _stayed(self, job: Job) -> npt.NDArray[np.bool_]:
        """Which starts were hardly changed by assembly."""
        return np.asarray(job.moved <= MOVED * max(1.0, self._model(job.first)[0].size))

    def _look_closer(self, index: int, job: Job, i: int) -> None:
        samples, outs = job.samples[i], job.outs[i]
        model, redundancy = self._model(index)
        moved, status = float(job.moved[i]), self.statuses[index] or Status(True, "")
        if moved > MOVED * max(1.0, model.size):
            words = f"assembly changed the start by up to {moved:.3g} (m, rad, m/s or rad/s) to close the joints"
            status = replace(status, notes=(words,))
        status = contradicted(model, redundancy, self.choices, status, self.grid, samples, outs)
        run = self._solution(index, samples, outs)
        notes = (*status.notes, *drift_notes(run), *imbalance_notes(run, Session))
        self.statuses[index] = replace(status, notes=notes)

    def _kept_together(self, own: slice, job: Job) -> bool:
        """Keep a whole piece at once, if nothing of it has to be looked at by itself."""
        if self.keeper is None:
            self.kept[own] = zip(job.samples, job.outs, strict=True)
            return True
        if not self._is_of_the_base(own) or not all(map(self._is_row_wise, self.keeper.channels)):
            return False
        self.keeper.together(own, self._end_to_end(job.samples, job.outs))
        return True

    def _keep(self, index: int, samples: Array, outs: Array) -> None:
        if self.keeper is None:
            self.kept[index] = samples, outs
        elif self.keeper.channels:
            self.keeper.one(index, self._solution(index, samples, outs))
        self.done += 1

    # The ordinary way ----------------------------------------------------------------------------------------------

    def _simulate(self, index: int) -> None:
        v = self.variants
        self.report(self._progress())
        try:
            with QUIET:
                how = {"times": self.grid, "state": v.state(index), "progress": False, **self.written}
                run = simulate(replace(v.blueprint(index), defaults={}), **how)
        except JourdainError as error:
            self._failed(index, str(error))
            return
        self.statuses[index], self.statistics[index] = run.status, run.statistics
        if run.status.interrupted:
            raise KeyboardInterrupt
        if self.keeper is None:
            self.kept[index] = run
        else:
            self.keeper.one(index, run)
        self.done += 1

    def _failed(self, index: int, words: str) -> None:
        self.statuses[index] = Status(False, " ".join(words.split()))
        self.done += 1

    def _told_interrupted(self) -> None:
        words = Status(False, "interrupted before it was done; variants that were done are kept", interrupted=True)
        self.statuses = [words if status is None or status.interrupted else status for status in self.statuses]

    def _progress(self, over: bool = False) -> Progress:
        """Variants take the place of time: so many of so many."""
        return BatchProgress(self.done, 0, self.variants.count, time.perf_counter() - self.begun, over)

    # Results -------------------------------------------------------------------------------------------------------

    def _model(self, index: int) -> tuple[FlatModel, Redundancy]:
        """Of a variant that ran in the batch; its blueprint is that of the base where it was not needed."""
        if index in self.models or self.prepared is None:
            return self.models[index]
        return self.prepared.model, self.prepared.redundancy

    def _solution(self, index: int, samples: Array, outs: Array) -> Solution:
        model, redundancy = self._model(index)
        if index not in self.models:
            model = replace(model, blueprint=self.variants.blueprint(index))
        return self._solution_of(model, redundancy, samples, outs, index)

    def _solution_of(
        self, model: FlatModel, redundancy: Redundancy, samples: Array, outs: Array, index: int | None = None
    ) -> Solution:
        status = None if index is None else self.statuses[index]
        known = Statistics(0, 0, 0, 0, 0, 0.0) if index is None else self.statistics[index]
        return Solution(model, self.choices, self.grid[: len(samples)], samples, outs, status, known, redundancy)

    def _one(self, index: int) -> Solution:
        kept = self.kept[index]
        if isinstance(kept, Solution):
            return kept
        if kept is None:
            status = self.statuses[index]
            raise SimulationError(f"{self.variants.words(index)}: {'' if status is None else status.sentence}")
        return self._solution(index, *kept)

    def _stacked(self, name: str) -> Array | None:
        """A channel of all variants at once, where rows of samples do not depend on each other; else None."""
        whole = [kept for kept in self.kept if isinstance(kept, tuple)]
        own = slice(0, len(self.kept))
        if not self._is_of_the_base(own) or len(whole) < len(self.kept) or not self._is_row_wise(name):
            return None
        samples, outs = (np.stack(parts) for parts in zip(*whole, strict=True))
        return np.array(self._end_to_end(samples, outs)[name]).reshape(len(whole), self.grid.size)

    def _is_of_the_base(self, own: slice) -> bool:
        """Whether channels of these variants can be read with the model of the base."""
        alone = any(index in self.models for index in range(own.start, own.stop))
        return self.prepared is not None and not alone and not self.variants.states

    def _end_to_end(self, samples: Array, outs: Array) -> Solution:
        """Runs of many variants as one record, one after the other."""
        n = len(samples)
        if self.prepared is None:
            raise AssertionError("nothing was prepared")
        model, redundancy = self.prepared.model, self.prepared.redundancy
        t, rows, outs = np.tile(self.grid, n), samples.reshape(-1, samples.shape[2]), outs.reshape(-1, outs.shape[2])
        return Solution(model, self.choices, t, rows, outs, None, None, redundancy)

    def _is_row_wise(self, name: str) -> bool:
        if name == "t":
            return True
        channel = all_channels(self.variants.base).find(name)
        if channel is None or channel.row_wise is RowWise.WITH_TURNS:
            return channel is not None and self.choices.set.counts_angle
        return channel.row_wise is RowWise.YES

    def result(self, seconds: float, columns: dict[str, Array]) -> Many:
        statuses = tuple(Status(False, "not done") if status is None else status for status in self.statuses)
        return Many(
            name=self.variants.base.name,
            t=self.grid,
            values=self.variants.values,
            statuses=statuses,
            statistics=tuple(self.statistics),
            seconds=seconds,
            words=self.variants.words,
            solution=None if self.keeper is not None else self._one,
            columns=columns,
            stacked=self._stacked,
            quantity=all_channels(self.variants.base).quantity,
        )
