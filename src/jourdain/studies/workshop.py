"""Runs pieces of a study in this process. What all variants share is prepared once and kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..analysis.batches.variants import Variants, read_variants
from ..analysis.simulate_many import Runner, grid_of
from ..library.quantities import Quantity
from ..mechanism.builder import blueprint_of
from ..mechanism.errors import ChoiceError, JourdainError
from ..results.status import Status
from ..session.progress import Progress
from .axes import CHOICE, FILE, MEASURED, NAMED, NUMBER
from .collected import Collector, Item
from .design import Design
from .piece import Piece
from .subject import Subject

Array = npt.NDArray[np.float64]
Look = Callable[[Progress], None]

SAMPLES = 64  # variants of a study by which it is decided how all of them are run
TRIED = 3  # variants by which the work in a study is estimated
# Estimates in s, on a computer of 2020: they decide how a study is cut, so they must never be measured.
EVALUATION, VARIANT = 1.5e-6, 2e-5
PIECE_SECONDS = 2.0
LEAST_PIECES, MOST_PIECES, LEAST_IN_PIECE = 300, 2000, 512


@dataclass(frozen=True)
class Plan:
    """All that says what a study computes; it can travel, but for functions of Python among the items."""

    subject: Subject
    design: Design
    items: tuple[Item, ...]
    times: Mapping[str, Any]  # duration, every, times, as given
    choices: Mapping[str, Any]  # as given, without what is None
    lanes: bool | None = None


@dataclass
class _Pilot:
    """What variants with the same words (choices and files) share."""

    variants: Variants  # some of them
    runner: Runner


class Workshop:
    """Runs variants of a plan. Not for two threads at once."""

    def __init__(self, plan: Plan, threads: int) -> None:
        self.plan, self.threads = plan, threads
        design = plan.design
        self.numeric = [axis.name for axis in design.axes if axis.kind == NUMBER]
        self.files = [axis.name for axis in design.axes if axis.kind == FILE]
        self.chosen = [axis.name for axis in design.axes if axis.kind == CHOICE]
        base = blueprint_of(plan.subject.mechanism)
        times = plan.times
        self.grid = grid_of(base, times.get("duration"), times.get("every"), times.get("times"), "all")
        self.quantities: dict[str, Quantity] = {}
        self._pilots: dict[str, _Pilot | str] = {}  # by words; a text says why there is none

    def check(self) -> None:
        """Find faults of the user's in choices, channels and numbers before the first piece. Raises ChoiceError."""
        found = self._samples(np.arange(self.plan.design.count))
        pilots = [self._pilot(words) for words, _ in self._groups(found)]
        whys = [pilot for pilot in pilots if isinstance(pilot, str)]
        misspelt = [why for why in whys if why.startswith("unknown ")]
        if misspelt or len(whys) == len(pilots):
            raise ChoiceError((misspelt or whys)[0])
        if not self.quantities:  # not even the machine as written can be put together: perhaps its variants can
            tried = [self.run(int(index), int(index) + 1) for index in found[:: max(1, SAMPLES // TRIED)]]
            if not any(piece.ok.any() for piece in tried):
                raise ChoiceError(next(iter(tried[0].sentences.values()), "no variant can be run"))
            self.quantities = {item.name: Quantity(item.name, "") for item in self.plan.items}

    def piece_size(self) -> int:
        """How many variants make a piece, by the design alone: the same on every computer."""
        count = self.plan.design.count
        tried = self._samples(np.arange(count))[:: max(1, SAMPLES // TRIED)]
        evaluations = [self._evaluations(int(index)) for index in tried]
        bodies = len(blueprint_of(self.plan.subject.mechanism).bodies)
        each = VARIANT + EVALUATION * (1 + bodies) * float(np.mean(evaluations))
        most = max(count / LEAST_PIECES, LEAST_IN_PIECE)
        return max(1, int(np.clip(PIECE_SECONDS / each, min(count / MOST_PIECES, most), most)))

    def run(self, first: int, last: int, report: Look = lambda look: None) -> Piece:
        """Run variants `first` to before `last`."""
        n = last - first
        shapes = self.shapes
        columns = {name: np.full((n, *shape), np.nan) for name, shape in shapes.items()}
        ok, steps = np.zeros(n, dtype=bool), np.zeros(n, dtype=np.int64)
        sentences: dict[int, str] = {}
        for words, rows in self._groups(np.arange(first, last)):
            pilot = self._pilot(words)
            if isinstance(pilot, str):
                sentences |= dict.fromkeys(rows.tolist(), pilot)
                continue
            collector, runner = self._go(pilot, rows, report, self.plan.items)
            own = rows - first
            for name, column in collector.found.items():
                columns[name][own] = column
            steps[own] = [known.steps for known in runner.statistics]
            for k, status in enumerate(runner.statuses):
                fault = collector.faults.get(k)
                ok[own[k]] = status is not None and status.ok and not fault
                if said := fault or _sentence(status):
                    sentences[int(rows[k])] = said
        return Piece(first, last, columns, ok, steps, dict(sorted(sentences.items())))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of one variant, by name."""
        return {item.name: (self.grid.size,) if item.is_whole else () for item in self.plan.items}

    # Inside -----------------------------------------------------------------------------------------------------

    def _go(
        self, pilot: _Pilot, rows: npt.NDArray[Any], report: Look, items: tuple[Item, ...]
    ) -> tuple[Collector, Runner]:
        values = self._values(rows)
        collector = Collector(items, self.grid, len(rows), pilot.variants.base, values)
        runner = pilot.runner.like(pilot.variants.of(values, len(rows)), collector)
        runner.report = report
        runner.go()
        return collector, runner

    def _values(self, rows: npt.NDArray[Any]) -> dict[str, Array]:
        columns = self.plan.design.at(rows)
        return {name: np.asarray(columns[name], dtype=float) for name in self.numeric}

    def _groups(self, rows: npt.NDArray[Any]) -> list[tuple[str, npt.NDArray[Any]]]:
        """Variants by their words, each group in order."""
        named = [*self.files, *self.chosen]
        if not named:
            return [("{}", rows)]
        columns = self.plan.design.at(rows)
        groups: dict[str, list[int]] = {}
        for k, row in enumerate(rows.tolist()):
            words = {name: _plain(columns[name][k]) for name in named}
            groups.setdefault(json.dumps(words), []).append(row)
        return [(words, np.array(group)) for words, group in groups.items()]

    @staticmethod
    def _samples(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Some of them, evenly, with the first and the last."""
        if len(rows) <= SAMPLES:
            return rows
        return rows[np.linspace(0, len(rows) - 1, SAMPLES).astype(int)]

    def _pilot(self, words: str) -> _Pilot | str:
        if words not in self._pilots:
            try:
                self._pilots[words] = self._made(json.loads(words))
            except JourdainError as error:
                self._pilots[words] = " ".join(str(error).split())
        return self._pilots[words]

    def _made(self, words: dict[str, Any]) -> _Pilot:
        plan = self.plan
        machine = plan.subject.of({name: words[name] for name in self.files})
        rows = self._samples(np.arange(plan.design.count))
        values = self._values(rows)
        base = blueprint_of(machine)
        if values:
            variants = read_variants(machine, values).folded()
        else:
            variants = Variants(base, {}, (), len(rows), {}, None)
        written = {**dict.fromkeys((*NAMED, *MEASURED)), **plan.choices, **{name: words[name] for name in self.chosen}}
        written = ch.with_defaults(written, base.defaults)
        choices = ch.resolve(base.space, **written)
        collector = Collector(plan.items, self.grid, len(rows), variants.base, values)
        runner = Runner(variants, choices, self.grid, written, collector, self.threads, plan.lanes, lambda look: None)
        runner.prepare(plan.design.count)
        self.quantities = collector.quantities or self.quantities
        return _Pilot(variants, runner)

    def _evaluations(self, index: int) -> int:
        rows = np.array([index])
        words, _ = self._groups(rows)[0]
        pilot = self._pilot(words)
        if isinstance(pilot, str):
            return 0
        return self._go(pilot, rows, lambda look: None, ())[1].statistics[0].evaluations


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, float | np.floating) else value


def _sentence(status: Status | None) -> str:
    """What is to be said of a variant: why it failed, or its notes."""
    if status is None:
        return "not done"
    return "; ".join(status.notes) if status.ok else status.sentence
