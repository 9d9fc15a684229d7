"""What a study collects of each run: numbers (`peak=max(A.load)`), whole channels, or what a Python function finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..equations.formula import Formula, FormulaError
from ..equations.unit_formulas import Faulty, dimension_of
from ..library.quantities import Quantity
from ..library.values import constant
from ..mechanism.errors import ChoiceError
from ..mechanism.numbers import get, path_of
from ..mechanism.parts import Blueprint
from ..mechanism.units import UnitError, unit
from ..results.formula_values import computed, named_unit
from ..results.solution import Solution
from .reductions import NAMES, Reduction, placeholder, without_reductions

Array = npt.NDArray[np.float64]
Function = Callable[[Solution], float]


@dataclass(frozen=True)
class Item:
    """One thing that is collected. Without reductions and without a function it is a whole channel."""

    name: str
    text: str  # as written; of a function its name
    reductions: tuple[Reduction, ...] = ()
    outer: Formula | None = None  # over placeholders and numbers of the machine
    function: Function | None = None

    @property
    def is_whole(self) -> bool:
        return not self.reductions and self.function is None

    @property
    def numbers(self) -> list[str]:
        """Numbers of the machine in its formula."""
        own = {placeholder(k) for k in range(len(self.reductions))}
        return [str(name) for name in (() if self.outer is None else self.outer.quantities()) if str(name) not in own]


def read_items(written: Any, channels: Sequence[str] = ()) -> tuple[Item, ...]:
    """What a user wrote: texts `name=formula`, a mapping of formulas and functions by name; all faults at once."""
    faults: list[str] = []
    items: list[Item] = []
    for name, what in [*_pairs(written), *((channel, channel) for channel in channels)]:
        if any(item.name == name for item in items):
            faults.append(f"'{name}' is given twice")
            continue
        try:
            items.append(_item(name, what))
        except ChoiceError as error:
            faults.append(str(error))
    if not items and not faults:
        faults.append("nothing is collected; expected numbers of the run by name, such as {'peak': 'max(A.load)'}")
    if faults:
        raise ChoiceError("collect: " + "; ".join(faults))
    return tuple(items)


def _pairs(written: Any) -> list[tuple[str, Any]]:
    if isinstance(written, Mapping):
        return [(str(name), what) for name, what in written.items()]
    one = isinstance(written, str) or callable(written)
    if not one and written is not None and not isinstance(written, Iterable):
        raise ChoiceError(
            f"collect is {written!r}; expected formulas or functions by name, as {{'peak': 'max(A.load)'}}"
        )
    found = []
    for text in [written] if one else list(written or ()):
        if callable(text):
            found.append((getattr(text, "__name__", "function"), text))
            continue
        name, equals, formula = (part.strip() for part in str(text).partition("="))
        found.append((name, formula) if equals and name.isidentifier() else (str(text).strip(), str(text).strip()))
    return found


def _item(name: str, what: Any) -> Item:
    if callable(what):
        return Item(name, getattr(what, "__name__", "function"), function=what)
    if not isinstance(what, str) or not what:
        raise ChoiceError(f"'{name}' is {what!r}; expected a formula such as 'max(A.load)', or a function of the run")
    outer, reductions = without_reductions(what)
    if not reductions:
        return Item(name, what)
    try:
        return Item(name, what, tuple(reductions), constant(outer))
    except Faulty as error:
        raise ChoiceError(f"'{name}': '{what}' cannot be read: {error}") from None


@dataclass
class Collector:
    """Takes what is wanted out of the runs of one piece (analysis/batches/keeping.py, `Keeper`)."""

    items: tuple[Item, ...]
    grid: Array
    count: int
    base: Blueprint
    values: Mapping[str, Array]  # numbers that vary, a row for each run
    found: dict[str, Array] = field(init=False)
    faults: dict[int, str] = field(init=False, default_factory=dict)  # of functions, by run
    quantities: dict[str, Quantity] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        shapes = {item.name: (self.count, self.grid.size) if item.is_whole else (self.count,) for item in self.items}
        self.found = {name: np.full(shape, np.nan) for name, shape in shapes.items()}

    @property
    def channels(self) -> Sequence[str]:
        """All names that formulas read. A function may read anything, and is called for each run by itself."""
        names: dict[str, None] = {}
        for item in self.items:
            if item.function is not None or any(reduction.is_of_event for reduction in item.reductions):
                names["any"] = None
            for text in [item.text] if item.is_whole else [r.what for r in item.reductions if not r.is_of_event]:
                names |= dict.fromkeys(_leaves(text))
        return tuple(names)

    def check(self, start: Solution) -> None:
        faults = []
        for item in self.items:
            try:
                self.quantities[item.name] = self._checked(item, start)
            except KeyError as error:
                faults.append(f"'{item.name}': {error.args[0]}")
            except ChoiceError as error:
                faults.append(f"'{item.name}': {error}")
        if faults:
            raise ChoiceError("collect: " + "; ".join(faults))

    def together(self, own: slice, runs: Solution) -> None:
        n = own.stop - own.start
        for item in self.items:
            if item.is_whole:
                self.found[item.name][own] = np.asarray(runs[item.text]).reshape(n, -1)
                continue
            rows = [r.of_rows(np.asarray(runs[r.what]).reshape(n, -1), self.grid) for r in item.reductions]
            numbers = {name: self._number(name, own) for name in item.numbers}
            self.found[item.name][own] = _formula(item, rows, numbers)

    def one(self, index: int, run: Solution) -> None:
        complete = run.status is None or run.status.ok
        own = slice(index, index + 1)
        for item in self.items:
            if item.is_whole:
                samples = run[item.text][: self.grid.size]
                self.found[item.name][index, : len(samples)] = samples
            elif complete and item.function is not None:
                self._call(item, item.function, index, run)
            elif complete:
                rows = [np.array([reduction.of_run(run)]) for reduction in item.reductions]
                numbers = {name: self._number(name, own) for name in item.numbers}
                self.found[item.name][own] = _formula(item, rows, numbers)

    def _call(self, item: Item, function: Function, index: int, run: Solution) -> None:
        try:
            self.found[item.name][index] = float(function(run))
        except Exception as error:  # noqa: BLE001  (a user's function may raise anything; it is told)
            self.faults[index] = f"'{item.name}' could not be collected: {type(error).__name__}: {error}"

    def _number(self, name: str, own: slice) -> Any:
        """A number of the machine, of each run where it varies."""
        if name in self.values:
            return self.values[name][own]
        return float(get(self.base, path_of(self.base, name)))

    def _checked(self, item: Item, start: Solution) -> Quantity:
        if item.function is not None:
            return Quantity(item.name, "")
        if item.is_whole:
            start[item.text]
            return start.quantity(item.text)
        measured = [reduction.check(start, self.grid) for reduction in item.reductions]
        for name in item.numbers:
            if name not in self.values:
                self._check_number(name, item, start)
        if item.outer is not None and item.outer.op == "leaf":
            return Quantity(item.name, measured[0].unit)
        return Quantity(item.name, _unit(item, measured))

    def _check_number(self, name: str, item: Item, start: Solution) -> None:
        try:
            path_of(self.base, name)
        except KeyError as error:
            if start.model.channels.find(name) is None:
                raise ChoiceError(f"{error.args[0]}; numbers of a run are {', '.join(NAMES)}") from None
            words = f"'{name}' has a value at each sample; take one number of it, such as max({name}) or final({name})"
            raise ChoiceError(words if item.reductions else str(error)) from None


def _formula(item: Item, rows: Sequence[Array], numbers: Mapping[str, Any]) -> Any:
    """The formula around reductions, for all runs at once."""
    known = {**{placeholder(k): row for k, row in enumerate(rows)}, **numbers}
    return rows[0] if item.outer is None else computed(item.outer, 0.0, known.__getitem__)


def _leaves(text: str) -> list[str]:
    """Channels and numbers in a formula; of what is none, the text itself, about which the run knows more."""
    try:
        return [str(name) for name in constant(text).quantities()] or [text]
    except Faulty:
        return [text]


def _unit(item: Item, measured: Sequence[Quantity]) -> str:
    """The unit of a formula over reductions, where it follows."""
    outer, _ = without_reductions(item.text)
    dimensions = {}
    for k, what in enumerate(measured):
        try:
            dimensions[placeholder(k)] = unit(what.unit).dimension if what.unit else None
        except UnitError:
            dimensions[placeholder(k)] = None
    try:
        dimension = dimension_of(outer, dimensions)
    except (FormulaError, UnitError) as error:
        raise ChoiceError(f"'{item.text}': {error}") from None
    fitting = [what.unit for k, what in enumerate(measured) if dimensions[placeholder(k)] == dimension]
    return named_unit(dimension, fitting)
