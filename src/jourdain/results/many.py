"""Many: what a batch of runs found, by channel and by variant."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..library.channels import unnamed
from ..library.quantities import Quantity
from ..mechanism.display import divisor
from ..mechanism.equality import equal_by
from ..mechanism.errors import ResultsError
from ..mechanism.names import counted, nearest
from ..optional import need
from ..plotting.cards import Card
from ..version import __version__
from .solution import Solution
from .status import Statistics, Status
from .table_files import TIME, write_netcdf

Array = npt.NDArray[np.float64]

MOST_DRAWN = 200  # variants in the picture of a notebook
SHOWN = 5  # failures that are printed
KINDS = {".csv": "to_csv", ".nc": "to_netcdf", ".h5": "to_netcdf", ".hdf5": "to_netcdf"}
FORMAT, FORMAT_VERSION = "jourdain batch", 1  # the marks of a NetCDF file


@equal_by()
@dataclass(frozen=True)
class One:
    """One variant of which only chosen channels were kept: `one["crank.angle"]` over `one.t`."""

    values: dict[str, Any]
    t: Array
    status: Status
    statistics: Statistics
    columns: Mapping[str, Array] = field(repr=False)

    def __getitem__(self, channel: str) -> Array:
        if channel == "t":
            return self.t
        if channel not in self.columns:
            raise KeyError(f"'{channel}' was not kept; {nearest(channel, self.columns)}")
        return self.columns[channel]


@equal_by("name", "t", "values", "statuses", "_content")
@dataclass(frozen=True)
class Many(Card):
    """Runs of all variants. `many["crank.angle"]` is (variants, samples); `many[3]` is one run.

    What a variant did not reach is NaN. `values` are the numbers that were varied, by key; `statuses` say how each run
    ended, and `ok` which came to their end.
    """

    name: str
    t: Array
    values: Mapping[str, Array]
    statuses: tuple[Status, ...]
    statistics: tuple[Statistics, ...]
    seconds: float  # from the call to the result
    words: Callable[[int], str] = field(repr=False)  # a variant with its values
    solution: Callable[[int], Solution] | None = field(repr=False)  # None where only channels were kept
    columns: dict[str, Array] = field(repr=False)  # channels as far as they are known already
    stacked: Callable[[str], Array | None] = field(repr=False, default=lambda name: None)
    quantity: Callable[[str], Quantity] = field(repr=False, default=unnamed)  # what a channel measures, and its unit

    @property
    def ok(self) -> npt.NDArray[np.bool_]:
        return np.array([status.ok for status in self.statuses], dtype=bool)

    @property
    def channels(self) -> list[str]:
        """Names of all channels that there are."""
        return list(self.columns) if self.solution is None else self.solution(0).channels

    @property
    def failures(self) -> list[str]:
        """A sentence for each variant that did not come to its end: number, values, and why."""
        return [f"{self.words(k)}: {status.sentence}" for k, status in enumerate(self.statuses) if not status.ok]

    @property
    def _content(self) -> Any:
        """All that there is of the runs, to be compared."""
        if self.solution is None:
            return self.columns
        return [self[k] if status.ok else None for k, status in enumerate(self.statuses)]

    def __len__(self) -> int:
        return len(self.statuses)

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key: str | int | tuple[str, str]) -> Any:
        if isinstance(key, tuple):
            what, wanted = key
            return self[what] / divisor(self.quantity(what).unit, wanted, what)
        if not isinstance(key, str):
            return self._variant(int(key))
        if key == "t":
            return self.t
        if key not in self.columns:
            if self.solution is None:
                raise KeyError(f"'{key}' was not kept; {nearest(key, self.columns)}")
            found = self.stacked(key)
            self.columns[key] = self._gathered(key) if found is None else found
        return self.columns[key]

    def values_of(self, index: int) -> dict[str, Any]:
        """The numbers of one variant, by key."""
        return {key: column[index].tolist() for key, column in self.values.items()}

    def _variant(self, index: int) -> Any:
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no variant {index}; there are {len(self)}")
        index %= len(self)
        if self.solution is not None:
            return self.solution(index)
        kept = {name: column[index] for name, column in self.columns.items()}
        return One(self.values_of(index), self.t, self.statuses[index], self.statistics[index], kept)

    def to_pandas(self, channels: Sequence[str] | None = None) -> Any:
        """A pandas DataFrame: a row for each variant and time, columns for what was varied and for the channels."""
        pandas = need("pandas", "to_pandas")
        names = list(self.channels if channels is None else [channels] if isinstance(channels, str) else channels)
        index = pandas.MultiIndex.from_product([range(len(self)), self.t], names=["variant", "t"])
        varied = {key: column for key, column in self.values.items() if np.ndim(column) == 1}
        columns: dict[str, Any] = {key: np.repeat(column, self.t.size) for key, column in varied.items()}
        columns |= {name: np.asarray(self[name]).ravel() for name in names}
        frame = pandas.DataFrame(columns, index=index)
        frame.attrs["units"] = {name: self.quantity(name).unit for name in names}
        return frame

    def plot(self, *names: str, path: str | Path | None = None) -> Any:
        """Channels of all variants over time, a line for each, as a matplotlib figure; saved if `path` is given."""
        from ..plotting.overlays import plot_many

        labels = [self.words(k) for k in range(len(self))]
        kinds = {name: self.quantity(name) for name in names}
        return plot_many(self.name, self.t, {name: self[name] for name in names}, kinds, labels, path)

    def _gathered(self, channel: str) -> Array:
        found = np.full((len(self), self.t.size), np.nan)
        for k in range(len(self)):
            part = self._variant(k)[channel] if self.statistics[k].steps or self.statuses[k].ok else ()
            found[k, : len(part)] = part[: self.t.size]
        return found

    def to_csv(self, path: str | Path, channels: Sequence[str] | None = None) -> None:
        """A table with a row for each sample of each variant: its number, the values varied, t, channels."""
        names = self._chosen(channels)
        columns = [self[name] for name in names]
        varied = self._varied(names)
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["variant", *varied, "t", *names])
            for k in range(len(self)):
                fixed = [k, *(float(column[k]) for column in varied.values())]
                rows = np.stack([self.t, *(column[k] for column in columns)], axis=1)
                writer.writerows([*fixed, *row] for row in rows.tolist())

    def to_netcdf(self, path: str | Path, channels: Sequence[str] | None = None) -> None:
        """Channels over `variant` and `t`, and the values varied over `variant`, as NetCDF-4. Needs h5py."""
        names = self._chosen(channels)
        marks = {"format": FORMAT, "version": FORMAT_VERSION, "title": self.name, "source": f"jourdain {__version__}"}
        scales = {"variant": (np.arange(len(self)), Quantity("number of the variant", "")), "t": (self.t, TIME)}
        # xarray takes what `coordinates` lists as coordinates (CF conventions).
        varied = self._varied(names)
        listed = {"coordinates": " ".join(varied), "failures": json.dumps(self.failures, ensure_ascii=False)}
        values = [(key, ("variant",), column, Quantity("varied", "")) for key, column in varied.items()]
        kept = ((name, ("variant", "t"), self[name], self.quantity(name)) for name in names)
        write_netcdf(path, {**marks, **listed}, scales, [*values, *kept])

    def save(self, path: str | Path, channels: Sequence[str] | None = None) -> None:
        """Write a file of the kind that its name says: .csv, .nc, .h5 or .hdf5."""
        suffix = Path(path).suffix.lower()
        if suffix not in KINDS:
            raise ResultsError(f"'{path}': batches cannot be written as '{suffix}'; {nearest(suffix, KINDS)}")
        getattr(self, KINDS[suffix])(path, channels)

    def to_xarray(self, channels: Sequence[str] | None = None) -> Any:
        """An xarray.Dataset over `variant` and `t`, with the values varied as coordinates of `variant`."""
        xarray = need("xarray", "to_xarray")
        names = self._chosen(channels)
        variables = {}
        for name in names:
            kind = self.quantity(name)
            variables[name] = (("variant", "t"), self[name], {"units": kind.unit or "1", "long_name": kind.name})
        coordinates = {key: ("variant", column) for key, column in self._varied(names).items()}
        known = {"t": ("t", self.t, {"units": "s", "long_name": "time"}), "variant": np.arange(len(self))}
        return xarray.Dataset(variables, coords={**known, **coordinates}, attrs={"title": self.name})

    def _varied(self, channels: Sequence[str]) -> dict[str, Array]:
        """The values varied as columns, vectors by component; those that bear the name of a channel are told apart."""
        found: dict[str, Array] = {}
        for key, column in self.values.items():
            parts = {key: column} if column.ndim == 1 else _components(key, column)
            found |= {f"varied.{name}" if name in channels else name: part for name, part in parts.items()}
        return found

    def _chosen(self, channels: Sequence[str] | None) -> list[str]:
        return self.channels if channels is None else list(dict.fromkeys(channels))

    def __str__(self) -> str:
        good = int(np.sum(self.ok))
        steps = sum(s.steps for s in self.statistics)
        lines = [
            f"{self.name}: {counted(len(self), 'variant')} of {', '.join(self.values) or 'states'}; "
            f"{self.t[0]:g} to {self.t[-1]:g} s, {counted(self.t.size, 'sample')}",
            f"{good} completed; {steps} steps in {self.seconds:.3g} s",
        ]
        lines += self.failures[:SHOWN]
        if len(self) - good > SHOWN:
            lines.append(f"... and {len(self) - good - SHOWN} more")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Many of {self.name}: {len(self)} variants, {int(np.sum(self.ok))} completed>"

    def _words(self) -> str:
        """With the first variants, a line each."""
        keys = [key for key, column in self.values.items() if np.ndim(column) == 1]
        rows = [["variant", *keys, "status"]]
        for k in range(min(len(self), SHOWN)):
            rows.append([str(k), *(f"{self.values[key][k]:.6g}" for key in keys), self.statuses[k].sentence])
        return "\n".join([*str(self).splitlines()[:2], *("  ".join(row) for row in rows)])

    def _picture(self) -> Any:
        names = self.channels
        name = next((name for name in ("energy.kinetic", "energy.total") if name in names), names[0])
        return self.plot(name) if len(self) <= MOST_DRAWN else None


def _components(key: str, column: Array) -> dict[str, Array]:
    count = column.shape[1]
    axes = "xyz"[:count] if count <= 3 else [str(k) for k in range(count)]
    return {f"{key}.{axis}": part for axis, part in zip(axes, column.T, strict=True)}
