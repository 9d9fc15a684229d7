"""jd.study: run a design over a machine, here or on a cluster, and keep what is done."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .. import choices as ch
from ..files.by_name import Given, or_file
from ..mechanism.arguments import asked
from ..mechanism.builder import blueprint_of
from ..mechanism.errors import ChoiceError
from ..mechanism.names import counted
from ..mechanism.taken import Seconds
from ..optional import installed
from ..results.status import SimulationWarning
from ..session.progress import Progress, StudyProgress, reporter
from .axes import FILE
from .code_version import Code
from .collected import read_items
from .design import GRID, read_design
from .executors import Spread, cluster_executor, run_here
from .folder import Folder
from .piece import Piece
from .pieces import Pieces
from .result import Study
from .subject import subject_of
from .workshop import Plan, Workshop

COLUMNS = ("variant", "t", "ok", "sentence")  # of every table
MOST_IN_TABLE = 20_000_000  # numbers that are written into the table of a folder


@or_file
@asked
def study(
    mechanism: Given,
    duration: Seconds | None = None,
    *,
    vary: Any,
    design: str = GRID,
    collect: Any = None,
    channels: Sequence[str] = (),
    into: str | Path | None = None,
    executor: Executor | None = None,
    cluster: str | None = None,
    workers: int | None = None,
    seed: int = 0,
    every: Seconds | None = None,
    times: Any = None,
    lanes: bool | None = None,
    progress: bool | Callable[[Progress], None] | None = None,
    recipe: str | None = None,
    coordinates: str | ch.Coordinates | None = None,
    treatment: str | ch.Treatment | None = None,
    stabilisation: str | ch.Stabilisation | None = None,
    integrator: str | ch.Integrator | None = None,
    step: Seconds | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    max_step: Seconds | None = None,
) -> Study:
    """Run a machine with many values, and collect numbers of each run.

    `vary` says what varies: numbers by name, choices (`integrator`), files of tables (`gas.file`). `design` is `grid`,
    `list`, `latin:500` or `sobol:512`. `collect` are numbers of a run by name, as `{"peak": "max(A.load)"}`, or
    functions of it; `channels` are kept whole. With `into` everything is kept in a folder, and the same call goes on
    where it was interrupted. `executor` is any of concurrent.futures, `cluster` the address of a Dask scheduler or
    `local`; without them `workers` threads run it here. All else is as in `simulate`.
    """
    choices: dict[str, Any] = {"recipe": recipe, "coordinates": coordinates, "treatment": treatment}
    choices |= {"stabilisation": stabilisation, "integrator": integrator}
    choices |= {"step": step, "rtol": rtol, "atol": atol, "max_step": max_step}
    plan = planned(mechanism, duration, vary, design, collect, channels, seed, every, times, lanes, choices)
    if executor is not None and cluster is not None:
        raise ChoiceError("executor and cluster are both given; keep one")
    if workers is not None and workers < 1:
        raise ChoiceError(f"workers is {workers}; expected at least 1")
    if into is not None or executor is not None or cluster is not None:
        _check_data(plan, into is not None)
    found = _Work(plan, into, workers, reporter(progress)).run(executor, cluster)
    if failed := found.failed:
        words = f"{failed} of {counted(len(found), 'variant')} did not complete; the first: {found.first_failure}"
        warnings.warn(words, SimulationWarning, stacklevel=4)
    return found


def planned(
    mechanism: Any,
    duration: Any,
    vary: Any,
    design: str,
    collect: Any,
    channels: Sequence[str],
    seed: int,
    every: Any,
    times: Any,
    lanes: bool | None,
    choices: Mapping[str, Any],
) -> Plan:
    """What a study computes, read and checked as far as that needs no run."""
    subject = subject_of(mechanism)
    found = read_design(blueprint_of(mechanism), vary, design, seed, subject.tables)
    twice = [axis.name for axis in found.axes if choices.get(axis.name) is not None]
    if twice:
        raise ChoiceError(f"'{twice[0]}' varies, and is also given once for all; keep one")
    files = {axis.name: tuple(axis.values) for axis in found.axes if axis.kind == FILE}
    names = [channels] if isinstance(channels, str) else list(channels)
    items = read_items(collect, names)
    _check_names([axis.name for axis in found.axes], [item.name for item in items])
    given = {"duration": duration, "every": every, "times": None if times is None else [float(t) for t in times]}
    kept = {key: value for key, value in choices.items() if value is not None}
    return Plan(
        subject.with_files(files) if files else subject,
        found,
        items,
        {key: value for key, value in given.items() if value is not None},
        kept,
        lanes,
    )


def _check_names(varied: Sequence[str], collected: Sequence[str]) -> None:
    """Tables have a column by each name."""
    for name in collected:
        if name in varied:
            raise ChoiceError(f"collect: '{name}' is the name of what varies; give it another, such as '{name}_found'")
    for name in (*varied, *collected):
        if name in COLUMNS:
            raise ChoiceError(f"'{name}' is a column that every table of a study has; give it another name")


def _check_data(plan: Plan, keeps: bool) -> None:
    """Whether the study can be kept and can travel as data."""
    if plan.subject.why_no_data:
        raise ChoiceError(f"{plan.subject.why_no_data}; without a folder, an executor and a cluster it runs here")
    objects = [key for key, value in plan.choices.items() if not isinstance(value, str | int | float)]
    if objects:
        where = "kept in a folder" if keeps else "sent to workers"
        words = (
            f"{objects[0]} is an object, which cannot be {where}; give its name, such as integrator='rk4', step=0.001"
        )
        raise ChoiceError(words)


class _Work:
    """One call of a study: which pieces there are, which are done, who does the others."""

    def __init__(
        self, plan: Plan, into: str | Path | None, workers: int | None, report: Callable[[Progress], None]
    ) -> None:
        self.plan, self.workers, self.report = plan, workers, report
        if into is not None and not str(into).strip():
            raise ChoiceError("into is empty; expected the name of a folder")
        self.folder = None if into is None else Folder(into)
        self.workshop = Workshop(plan, workers or os.cpu_count() or 1)
        self.begun = time.perf_counter()
        self.failed = 0
        self.there = 0  # variants that are done
        self.found = 0  # of these, those that an earlier call had done

    def run(self, executor: Executor | None, cluster: str | None) -> Study:
        with ExitStack() as stack:
            if self.folder is not None:
                stack.enter_context(self.folder.held())
            self.workshop.check()
            pieces = self._pieces()
            spans = {k: pieces.span(k) for k in range(pieces.count) if not pieces.is_done(k)}
            self.there = self.found = self.plan.design.count - sum(last - first for first, last in spans.values())
            interrupted = False
            try:
                if cluster is not None and spans:
                    executor = stack.enter_context(cluster_executor(cluster, self.workers))
                if executor is None:
                    run_here(self.workshop, spans, lambda k, piece: self._done(pieces, k, piece), self._look)
                elif spans:
                    Spread(executor, self.workshop).run(
                        spans, lambda k, piece: self._done(pieces, k, piece), self._tick
                    )
            except KeyboardInterrupt:
                interrupted = True
            finally:
                self.report(self._progress(self.there, over=True))
            found = Study(self.plan, self.workshop.grid, self.workshop.quantities, pieces, interrupted)
            if self.folder is not None and not interrupted:
                self._write_table(self.folder, found)
            return found

    def _pieces(self) -> Pieces:
        count = self.plan.design.count
        if self.folder is None:
            return Pieces(count, self.workshop.piece_size(), None)
        manifest = self._manifest()
        known = self.folder.begin(manifest)
        if known["code"][2] != manifest["code"][2]:
            words = f"pieces were computed on another processor ({known['code'][2]}): last digits may differ from here"
            warnings.warn(words, SimulationWarning, stacklevel=6)
        return Pieces(count, int(known["piece"]), self.folder)

    def _manifest(self) -> dict[str, Any]:
        plan = self.plan
        collect = [[item.name, item.text, item.function is not None] for item in plan.items]
        known = self.folder.manifest if self.folder is not None and self.folder.is_begun else {}
        return {
            "name": plan.subject.name,
            "mechanism": {**plan.subject.to_data(), "digest": plan.subject.digest},
            "design": plan.design.to_data(),
            "collect": collect,
            "times": dict(plan.times),
            "choices": dict(plan.choices),
            "lanes": plan.lanes,
            "piece": known.get("piece") or self.workshop.piece_size(),
            "grid": self.workshop.grid.tolist() if any(item.is_whole for item in plan.items) else [],
            "quantities": {name: list(kind) for name, kind in self.workshop.quantities.items()},
            "code": list(Code.here()),
        }

    def _done(self, pieces: Pieces, k: int, piece: Piece) -> None:
        pieces.add(k, piece)
        self.failed += int((~piece.ok).sum())
        self.there += piece.last - piece.first
        self._tick()

    def _look(self, look: Progress) -> None:
        """One look at a piece that is under way here."""
        self.report(self._progress(self.there + look.t))

    def _tick(self) -> None:
        self.report(self._progress(self.there))

    def _progress(self, t: float, over: bool = False) -> StudyProgress:
        seconds = time.perf_counter() - self.begun
        return StudyProgress(t, 0, self.plan.design.count, seconds, over, self.failed, self.found)

    def _write_table(self, folder: Folder, found: Study) -> None:
        """The whole as one file for other programs, where it is not too large for one."""
        size = sum(found.size_of(item.name) for item in self.plan.items)
        if size <= MOST_IN_TABLE and installed("h5py"):
            folder.write_table(found.netcdf())
