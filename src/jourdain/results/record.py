"""Record: channels over time with what is known about them. A run is one, and so is a run read back from a file.

Everything that needs no more than channels and poses is here: tables, files, plots, drawings, animations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypedDict, overload

import numpy as np
import numpy.typing as npt

from ..library.quantities import Quantity
from ..mechanism.display import Display, Units, divisor
from ..mechanism.errors import ResultsError
from ..mechanism.parts import Blueprint
from ..plotting.cards import Card
from ..plotting.shown import Poses
from . import formula_values, table_files
from .extremes import Extremum, Spectrum, extremum, spectrum
from .maxima import Maxima, maxima
from .notebook import HEIGHT, Moving

Array = npt.NDArray[np.float64]


class AnimateKeys(TypedDict, total=False):
    fps: float | None
    speed: float | None
    traces: Sequence[str]
    progress: Callable[[int, int], object] | None


class Record(Card, ABC):
    """Channels by name, and what can be made of them."""

    t: Array

    # What the two kinds of records bring -------------------------------------------------------------------------

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the mechanism."""

    @property
    @abstractmethod
    def channels(self) -> list[str]:
        """Names of all channels."""

    @abstractmethod
    def channel(self, name: str) -> Array:
        """The numbers of one channel; KeyError where there is none."""

    @abstractmethod
    def quantity(self, channel: str) -> Quantity:
        """What a channel, or a formula over channels, measures, and its unit."""

    @property
    @abstractmethod
    def metadata(self) -> dict[str, Any]:
        """Mechanism, parameters, choices, status and version, as files keep them."""

    @property
    @abstractmethod
    def blueprint(self) -> Blueprint:
        """The mechanism, for drawings."""

    @property
    @abstractmethod
    def poses(self) -> Poses:
        """Where all bodies are at all samples."""

    @property
    @abstractmethod
    def size(self) -> float:
        """A length of the mechanism, m."""

    @abstractmethod
    def summary(self) -> str:
        """A few lines a person likes to read."""

    # Values as one asks for them ----------------------------------------------------------------------------------

    def __getitem__(self, name: str | list[str] | tuple[str | list[str], str]) -> Array:
        """A channel, or a formula over channels, in SI: `run["a.x - b.x"]`; or in a unit: `run["A.angle", "deg"]`.

        A list of them gives columns.
        """
        if isinstance(name, list):
            return np.stack([self[one] for one in name], axis=-1)
        if isinstance(name, tuple):
            what, wanted = name
            if isinstance(what, list):
                return np.stack([self[one, wanted] for one in what], axis=-1)
            return self[what] / divisor(self.quantity(what).unit, wanted, what)
        if name == "t":
            return self.t
        try:
            return self.channel(name)
        except KeyError:
            if not formula_values.is_formula(name):
                raise
        return formula_values.evaluated(self, name)

    def max(self, channel: str, unit: str | None = None) -> Extremum:
        """The largest sample of a channel, with its time: `.value`, `.t`."""
        return extremum(self, channel, 1.0, unit)

    def min(self, channel: str, unit: str | None = None) -> Extremum:
        """The smallest sample, with its time."""
        return extremum(self, channel, -1.0, unit)

    def spectrum(self, channel: str) -> Spectrum:
        """The waves that a channel consists of: `.frequency` (Hz), `.amplitude`, `.phase`."""
        return spectrum(self, channel)

    @property
    def display(self) -> Display:
        """The units that its mechanism's file wants numbers shown in."""
        try:
            return Display.of(dict(self.blueprint.display))
        except ResultsError:
            return Display()

    chosen_units = False  # whether somebody chose them

    @property
    def in_si(self) -> Record:
        """The same in SI units."""
        return self

    def in_units(self, units: Units = None) -> Record:
        """The same record as it is shown: in the units of the file, and in those given, like `deg,mm,rpm`."""
        from .in_units import InUnits

        display = self.display.merged(Display.of(units))
        return InUnits(self, display) if display.units else self

    # Tables and files --------------------------------------------------------------------------------------------

    def unit(self, channel: str) -> str:
        """The unit of a channel; empty for a plain number."""
        self[channel]
        return self.quantity(channel).unit

    def to_csv(self, path: str | Path, channels: Sequence[str] | None = None, units: Units = None) -> None:
        """Write `t` and the channels (default: all) with a header row; where units are chosen they stand in it."""
        table_files.to_csv(self.in_units(units), path, channels)

    def to_json(self, path: str | Path, channels: Sequence[str] | None = None) -> None:
        """Write channels, units and metadata as JSON; what is not a number becomes null."""
        table_files.to_json(self, path, channels)

    def to_netcdf(self, path: str | Path, channels: Sequence[str] | None = None) -> None:
        """Write channels, units and metadata as NetCDF-4, which is HDF5. Needs h5py."""
        table_files.to_netcdf(self, path, channels)

    def to_hdf5(self, path: str | Path, channels: Sequence[str] | None = None) -> None:
        """Write channels, units and metadata as HDF5: the same file as `to_netcdf`. Needs h5py."""
        table_files.to_netcdf(self, path, channels)

    def save(self, path: str | Path, channels: Sequence[str] | None = None, units: Units = None) -> None:
        """Write a file of the kind that its name says: .csv, .json, .nc, .h5 or .hdf5.

        A CSV is in the units of the mechanism's file and in those given; the others, for programs, are in SI.
        """
        if table_files.table_kind(path) == ".csv":
            self.to_csv(path, channels, units)
        else:
            table_files.save_table(self, path, channels)

    def to_pandas(self, channels: Sequence[str] | None = None) -> Any:
        """A pandas DataFrame: time as index, a column for each channel, metadata in `attrs`."""
        return table_files.to_pandas(self, channels)

    def to_xarray(self, channels: Sequence[str] | None = None) -> Any:
        """An xarray Dataset: a variable for each channel over `t`, with units, and metadata in `attrs`."""
        return table_files.to_xarray(self, channels)

    # Figures of a machine ----------------------------------------------------------------------------------------

    @property
    def main_axis(self) -> str:
        """The channel by which places in the record are told: time, or what drives."""
        return "t"

    def ratio(self, output: str, against: str) -> Array:
        """One channel over another, as `rocker.spin` over `crank.spin`; not a number where the second is zero."""
        over, under = self[output], self[against]
        return np.divide(over, under, out=np.full(len(over), np.nan), where=under != 0.0)

    def maxima(self, *names: str, against: str | None = None, units: Units = None) -> Maxima:
        """Extremes of channels with where they are, mean and RMS; `print` shows a table.

        By default: efforts and powers of motions, loads of joints, the shaking force and moment. Places are told by
        `against` (default: the driver of a kinematic run, else time).
        """
        return maxima(self.in_units(units), names, against or self.main_axis)

    # Pictures ----------------------------------------------------------------------------------------------------

    def plot(
        self,
        *names: str,
        against: str | None = None,
        polar: bool = False,
        path: str | Path | None = None,
        units: Units = None,
    ) -> Any:
        """Channels over time, or `against` another channel, as a matplotlib figure; saved if `path` is given.

        The names `energy`, `violation` and that of a joint stand for all energies, violations, or its reaction; that of
        a body or a point for its place. `polar` takes `against` as the angle and the channels as the radius.
        """
        from ..plotting.figures import plot_channels

        shown = self if polar else self.in_units(units)  # the angle of a polar plot is in radians
        return plot_channels(shown, names, path, against=against, polar=polar)

    def overlay(self, *others: Record, names: Sequence[str] = (), path: str | Path | None = None) -> Any:
        """Channels of this and other records in one figure; by default those that the first plots: its energies.

        `run.overlay(other, names=["slider.x"])`
        """
        from ..plotting.overlays import plot_overlay

        return plot_overlay([self.in_units(), *(other.in_units() for other in others)], names, path)

    def plot_path(self, *points: str, path: str | Path | None = None) -> Any:
        """The paths of points (`coupler.P`) as they are seen, as a matplotlib figure; saved if `path` is given."""
        from ..plotting.bearings_and_paths import plot_path

        return plot_path(self, points, path)

    def plot_polar(self, *joints: str, axes: str = "fixed", plane: str = "xy", path: str | Path | None = None) -> Any:
        """The force of joints on their second body as a polar plot: direction and size, over the whole record.

        `axes` are `fixed`, or those of the `first` or `second` body, in which a bearing wears (in the plane); in space
        `plane` chooses the fixed plane.
        """
        from ..plotting.bearings_and_paths import plot_polar

        return plot_polar(self, joints, axes, plane, path)

    def draw(
        self, index: int | Sequence[int] = -1, path: str | Path | None = None, *, traces: Sequence[str] = ()
    ) -> Any:
        """The mechanism at one or several samples as a matplotlib figure, saved if `path` is given.

        `traces` are points (`coupler.P`) whose paths over the whole run are drawn too.
        """
        from ..plotting.figures import draw_mechanism

        return draw_mechanism(self, index, path, traces=traces)

    @overload
    def animate(
        self,
        path: str | Path,
        *,
        fps: float | None = None,
        speed: float | None = None,
        traces: Sequence[str] = (),
        progress: Callable[[int, int], object] | None = None,
    ) -> Path: ...

    @overload
    def animate(self, *, speed: float | None = None, traces: Sequence[str] = ()) -> Moving: ...

    def animate(
        self,
        path: str | Path | None = None,
        *,
        fps: float | None = None,
        speed: float | None = None,
        traces: Sequence[str] = (),
        progress: Callable[[int, int], object] | None = None,
    ) -> Path | Moving:
        """The motion as .gif, .mp4, or a page .html that needs nothing else; returns the path.

        Without a path: what plays below the cell of a notebook. At `speed` 1 a second of the run takes a second;
        without a speed a motion too fast to be followed is slowed down, and the picture says how much. `traces` are
        points whose paths are drawn. `progress` is called with (frames done, all frames).
        """
        from ..plotting.animation import animate

        if path is not None:
            return animate(self, path, fps=fps, speed=speed, traces=traces, progress=progress)
        return self.show(speed=speed, traces=traces)

    def show(self, *, speed: float | None = None, traces: Sequence[str] = (), height: int = HEIGHT) -> Moving:
        """The motion as a page that plays: below the cell of a notebook; `.open()` shows it in the browser.

        `speed` and `traces` are those of `animate`.
        """
        from ..plotting.animation import page

        return Moving(self.name, page(self, speed=speed, traces=traces), height)

    def _words(self) -> str:
        return self.summary()

    def _picture(self) -> Any:
        return self.draw()
