"""Study: what a study found, as a table over its variants; each of them can be run again."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..files import gallery
from ..library.quantities import Quantity
from ..mechanism.display import divisor
from ..mechanism.equality import equal_by
from ..mechanism.errors import ResultsError
from ..mechanism.names import counted, nearest
from ..optional import need
from ..results.many import KINDS
from ..results.solution import Solution
from ..results.table_files import TIME, write_netcdf
from ..version import __version__
from .axes import FILE, NUMBER, Axis
from .design import GRID
from .folder import FORMAT
from .pieces import NOT_DONE, Pieces
from .workshop import Plan

Array = npt.NDArray[np.float64]

SHOWN = 5  # failures that are printed


@equal_by("name", "t", "values", "sentences", "ok", "_content")
class Study:
    """Numbers of all variants: `study["peak"]`, what varied `study.values["k"]`, who came to the end `study.ok`.

    What failed is NaN, and says why in `sentences`. Variants are `study.variant(17)`, `study.lowest("peak")`.
    """

    def __init__(
        self, plan: Plan, grid: Array, quantities: Mapping[str, Quantity], pieces: Pieces, interrupted: bool = False
    ) -> None:
        self.plan, self.t, self._quantities, self._pieces = plan, grid, quantities, pieces
        self.interrupted = interrupted

    @property
    def name(self) -> str:
        return self.plan.subject.name

    @property
    def names(self) -> list[str]:
        """What was collected."""
        return [item.name for item in self.plan.items]

    @property
    def folder(self) -> Path | None:
        return None if self._pieces.folder is None else self._pieces.folder.path

    def __len__(self) -> int:
        return self.plan.design.count

    @cached_property
    def values(self) -> dict[str, Any]:
        """What varied, by name: arrays of numbers in SI, or of words."""
        return {name: np.asarray(column) for name, column in self.plan.design.columns().items()}

    def __getitem__(self, key: str | tuple[str, str]) -> Array:
        if isinstance(key, tuple):
            what, wanted = key
            return self[what] / divisor(self.quantity(what).unit, wanted, what)
        if key in self.values:
            return np.asarray(self.values[key])
        whole = {item.name: item.is_whole for item in self.plan.items}
        if key not in whole:
            raise KeyError(f"'{key}' was not collected; {nearest(key, [*whole, *self.values])}")
        found = np.full((len(self), self.t.size) if whole[key] else len(self), np.nan)
        for first, last, piece in self._pieces:
            if piece is not None:
                found[first:last] = piece.columns[key]
        return found

    def quantity(self, name: str) -> Quantity:
        """What was collected, or varied, and its unit."""
        axis = next((axis for axis in self.plan.design.axes if axis.name == name), None)
        return Quantity(name, axis.unit) if axis is not None else self._quantities.get(name, Quantity(name, ""))

    @property
    def _content(self) -> dict[str, Array]:
        return {name: self[name] for name in self.names}

    def size_of(self, name: str) -> int:
        """How many numbers it has."""
        whole = any(item.name == name and item.is_whole for item in self.plan.items)
        return len(self) * (self.t.size if whole else 1)

    @cached_property
    def ok(self) -> npt.NDArray[np.bool_]:
        """Which variants came to their end."""
        parts = [np.zeros(last - first, dtype=bool) if p is None else p.ok for first, last, p in self._pieces]
        return np.concatenate(parts)

    @cached_property
    def steps(self) -> npt.NDArray[np.int64]:
        """Of each run."""
        parts = [np.zeros(b - a, dtype=np.int64) if p is None else p.steps for a, b, p in self._pieces]
        return np.concatenate(parts)

    @cached_property
    def sentences(self) -> dict[int, str]:
        """Why variants failed, and notes on those that did not, by number."""
        found: dict[int, str] = {}
        for first, last, piece in self._pieces:
            found |= dict.fromkeys(range(first, last), NOT_DONE) if piece is None else piece.sentences
        return found

    @property
    def failed(self) -> int:
        return int((~self.ok).sum())

    @property
    def failures(self) -> list[str]:
        """A sentence for each variant that did not come to its end: number, values, and why."""
        return list(self._failures())

    @property
    def first_failure(self) -> str:
        return next(self._failures(), "")

    def _failures(self) -> Iterator[str]:
        for k in np.flatnonzero(~self.ok).tolist():
            yield f"{self.variant(k).words}: {self.sentences.get(k, '')}"

    # Variants ---------------------------------------------------------------------------------------------------

    def variant(self, index: int) -> Variant:
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no variant {index}; there are {len(self)}")
        return Variant(self, index % len(self))

    def lowest(self, name: str, count: int = 1) -> Any:
        """The variant with the smallest number of that name; of more than one a list, the smallest first."""
        return self._extreme(name, count, 1.0)

    def highest(self, name: str, count: int = 1) -> Any:
        """The variant with the largest number of that name; of more than one a list, the largest first."""
        return self._extreme(name, count, -1.0)

    def _extreme(self, name: str, count: int, sign: float) -> Any:
        column = self[name]
        if column.ndim > 1:
            raise ResultsError(f"'{name}' is a whole channel; collect a number of it, such as max({name})")
        order = np.argsort(sign * column, kind="stable")
        found = [Variant(self, k) for k in order[: max(count, 1)].tolist() if np.isfinite(column[k])]
        if not found:
            raise ResultsError(f"no variant has a number '{name}': {self.first_failure or 'all are NaN'}")
        return found[0] if count == 1 else found

    # Tables -----------------------------------------------------------------------------------------------------

    def to_pandas(self) -> Any:
        """A pandas DataFrame: a row for each variant, with what varied, what was collected, and its sentence."""
        pandas = need("pandas", "to_pandas")
        columns: dict[str, Any] = dict(self.values)
        columns |= {name: self[name] for name in self._single}
        columns |= {"ok": self.ok, "sentence": [self.sentences.get(k, "") for k in range(len(self))]}
        frame = pandas.DataFrame(columns, index=pandas.RangeIndex(len(self), name="variant"))
        frame.attrs["units"] = {name: self.quantity(name).unit for name in (*self.values, *self._single)}
        return frame

    def to_xarray(self) -> Any:
        """An xarray.Dataset: over the axes of a grid, over `variant` of other designs; whole channels also over `t`."""
        xarray = need("xarray", "to_xarray")
        axes, shape = self.plan.design.axes, self.plan.design.shape
        is_grid = self.plan.design.kind == GRID
        over = tuple(axis.name for axis in axes) if is_grid else ("variant",)
        sentences = np.array([self.sentences.get(k, "") for k in range(len(self))], dtype=object)
        variables: dict[str, Any] = {"ok": (over, self.ok.reshape(shape)), "sentence": (over, sentences.reshape(shape))}
        for name in self.names:
            column, kind = self[name], self.quantity(name)
            dimensions = over if column.ndim == 1 else (*over, "t")
            described = {"units": kind.unit or "1", "long_name": name}
            variables[name] = (dimensions, column.reshape(*shape, *column.shape[1:]), described)
        coordinates: dict[str, Any] = {"t": ("t", self.t, {"units": "s"})} if self._whole else {}
        for axis in axes:
            values = list(axis.values) if is_grid else self.values[axis.name]
            coordinates[axis.name] = (axis.name if is_grid else "variant", values, {"units": axis.unit or "1"})
        return xarray.Dataset(variables, coords=coordinates, attrs={"title": self.name})

    def to_csv(self, path: str | Path) -> None:
        """A row for each variant: what varied, what was collected (but whole channels), and its sentence."""
        if not self._single:
            words = "has a row for each variant, and only whole channels were collected; write them as .nc"
            raise ResultsError(f"'{path}': a table {words}")
        columns = [*self.values.values(), *(self[name] for name in self._single)]
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["variant", *self.values, *self._single, "ok", "sentence"])
            for k in range(len(self)):
                row = [column[k].item() for column in columns]
                writer.writerow([k, *row, int(self.ok[k]), self.sentences.get(k, "")])

    def to_netcdf(self, path: str | Path) -> None:
        """Everything over `variant`, as NetCDF-4; words that varied as their number in the attribute `words`."""
        Path(path).write_bytes(self.netcdf())

    def netcdf(self) -> bytes:
        marks = {"format": FORMAT, "title": self.name, "source": f"jourdain {__version__}"}
        listed = {"coordinates": " ".join(self.values), "design": self.plan.design.written}
        words = {axis.name: list(axis.values) for axis in self.plan.design.axes if not axis.is_numeric}
        said = json.dumps({str(k): text for k, text in self.sentences.items()}, ensure_ascii=False)
        attributes = {**marks, **listed, "words": json.dumps(words), "sentences": said}
        scales: dict[str, Any] = {"variant": (np.arange(len(self)), Quantity("number of the variant", ""))}
        scales |= {"t": (self.t, TIME)} if self._whole else {}
        known = [
            (axis.name, ("variant",), self._coded(axis), self.quantity(axis.name)) for axis in self.plan.design.axes
        ]
        known += [("ok", ("variant",), self.ok.astype(float), Quantity("completed", ""))]
        found = (
            (n, ("variant", "t") if n in self._whole else ("variant",), self[n], self.quantity(n)) for n in self.names
        )
        memory = io.BytesIO()
        write_netcdf(memory, attributes, scales, [*known, *found])
        return memory.getvalue()

    def _coded(self, axis: Axis) -> Array:
        column = self.values[axis.name]
        if axis.is_numeric:
            return np.asarray(column, dtype=float)
        places = {word: float(k) for k, word in reversed(list(enumerate(axis.values)))}
        return np.array([places[word] for word in column.tolist()])

    def save(self, path: str | Path) -> None:
        """Write a file of the kind that its name says: .csv, .nc, .h5 or .hdf5."""
        suffix = Path(path).suffix.lower()
        if suffix not in KINDS:
            raise ResultsError(f"'{path}': studies cannot be written as '{suffix}'; {nearest(suffix, KINDS)}")
        getattr(self, KINDS[suffix])(path)

    @property
    def _whole(self) -> list[str]:
        return [item.name for item in self.plan.items if item.is_whole]

    @property
    def _single(self) -> list[str]:
        return [item.name for item in self.plan.items if not item.is_whole]

    # Pictures and words -----------------------------------------------------------------------------------------

    def plot(self, *names: str, path: str | Path | None = None) -> Any:
        """What was collected over what varied, as a matplotlib figure; docs/studies.md says which picture is made."""
        from ..plotting.studies import plot_study

        chosen = names or tuple(self._single)
        if unknown := [name for name in chosen if name not in self._single]:
            raise KeyError(f"'{unknown[0]}' is no number that was collected; {nearest(unknown[0], self._single)}")
        axes = {axis.name: (self.values[axis.name], self.quantity(axis.name)) for axis in self.plan.design.axes}
        found = {name: (self[name], self.quantity(name)) for name in chosen}
        return plot_study(self.name, self.plan.design.kind, axes, found, path)

    def summary(self) -> str:
        """A few lines a person likes to read: the range of each number, and which variants have its ends."""
        design = self.plan.design
        axes = ", ".join(f"{axis.name} ({_range(axis)})" for axis in design.axes)
        lines = [f"{self.name}: {counted(len(self), 'variant')}, {design.written}, of {axes}"]
        lines.append(f"{int(self.ok.sum())} completed, {int(self.steps.sum())} steps")
        for name in self._single:
            column = self[name]
            if np.isfinite(column).any():
                unit = f" {self.quantity(name).unit}" if self.quantity(name).unit else ""
                for words, variant in (("least", self.lowest(name)), ("most", self.highest(name))):
                    lines.append(f"  {name}: {words} {column[variant.index]:.6g}{unit} in {variant.words}")
                    if variant.command:
                        lines.append(f"    {variant.command}")
        lines += list(self._failures())[:SHOWN]
        if self.failed > SHOWN:
            lines.append(f"... and {self.failed - SHOWN} more")
        if self.interrupted:
            go_on = "the same call goes on" if self.folder else "with a folder (into) it could go on"
            lines.append(f"interrupted: {int(self.ok.sum())} of {len(self)} variants are done; {go_on}")
        return "\n".join(lines)

    __str__ = summary

    def __repr__(self) -> str:
        return f"<Study of {self.name}: {len(self)} variants, {len(self) - self.failed} completed>"

    def _repr_html_(self) -> str:
        """In a notebook: the summary, and the first rows of the table."""
        from html import escape

        text = f"<pre>{escape(self.summary())}</pre>"
        return text + str(self.to_pandas().head(10).to_html()) if len(self) else text


@dataclass(frozen=True)
class Variant:
    """One variant of a study."""

    study: Study
    index: int

    @property
    def values(self) -> dict[str, Any]:
        """What it has, by name."""
        found = self.study.plan.design.at(np.array([self.index]))
        return {name: column[0] if isinstance(column, list) else float(column[0]) for name, column in found.items()}

    @property
    def collected(self) -> dict[str, Any]:
        """What was collected of its run."""
        piece = self.study._pieces.piece_of(self.index)
        if piece is None:
            return {}
        found = {name: column[self.index - piece.first] for name, column in piece.columns.items()}
        return {name: value.item() if isinstance(value, np.generic) else value for name, value in found.items()}

    @property
    def ok(self) -> bool:
        return bool(self.study.ok[self.index])

    @property
    def sentence(self) -> str:
        return self.study.sentences.get(self.index, "")

    @property
    def words(self) -> str:
        """`variant 3 (k = 200, integrator = rk4)`."""
        parts = [
            f"{name} = {value if isinstance(value, str) else f'{value:.6g}'}" for name, value in self.values.items()
        ]
        return f"variant {self.index} ({', '.join(parts)})"

    @property
    def command(self) -> str:
        """The command that runs it again; empty for a machine without a file whose study has no folder."""
        plan, folder = self.study.plan, self.study.folder
        if folder is not None:
            return f"jourdain run {shlex.quote(str(folder))} --variant {self.index}"
        kinds = {axis.name: axis.kind for axis in plan.design.axes}
        if not plan.subject.path or FILE in kinds.values() or "times" in plan.times:
            return ""
        values = self.values
        numbers = {
            **plan.subject.values,
            **plan.subject.numbers,
            **{n: v for n, v in values.items() if kinds[n] == NUMBER},
        }
        path = Path(plan.subject.path)
        words = ["jourdain", "run", path.stem if path == Path(gallery.folder(), path.name) else str(path)]
        words += [part for name, value in numbers.items() for part in ("--set", f"{name}={_written(value)}")]
        chosen = {**plan.times, **plan.choices, **{n: v for n, v in values.items() if kinds[n] != NUMBER}}
        if "max_step" in chosen or not all(isinstance(value, str | int | float) for value in chosen.values()):
            return ""
        return shlex.join([*words, *(p for name, value in chosen.items() for p in (f"--{name}", _written(value)))])

    def run(self) -> Solution:
        """Simulate it again, for everything that was not collected."""
        from .rerun import rerun

        return rerun(self.study.plan, self.values)

    def __repr__(self) -> str:
        return f"<{self.words}>"


def _written(value: Any) -> str:
    """A number with all its digits."""
    return value if isinstance(value, str) else repr(float(value))


def _range(axis: Axis) -> str:
    if not axis.is_numeric:
        return ", ".join(axis.values)
    unit = f" {axis.unit}" if axis.unit else ""
    return f"{min(axis.values):g} to {max(axis.values):g}{unit}" if len(axis) > 1 else f"{axis.values[0]:g}{unit}"
