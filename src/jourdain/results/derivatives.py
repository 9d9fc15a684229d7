"""Sensitivity: derivatives of channels with respect to parameters, over time, by name."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..library.quantities import Quantity
from ..mechanism.equality import equal_by
from ..mechanism.names import nearest
from ..plotting.cards import Card

Array = npt.NDArray[np.float64]


@equal_by()
@dataclass(frozen=True)
class Sensitivity(Card):
    """Channels over time and their derivatives: `s["slider.x"]` is a channel, `s["slider.x", "k"]` its derivative by k.

    `values` and `d` are all of them, `parameters` the values at which they were taken. Derivatives are in the unit of
    the channel over that of the parameter, both SI.
    """

    name: str
    analysis: str
    t: Array
    parameters: Mapping[str, float]
    values: Mapping[str, Array]
    d: Mapping[tuple[str, str], Array]
    units: Mapping[str, str]
    solved_by: str
    notes: tuple[str, ...] = ()

    def __getitem__(self, key: str | tuple[str, str]) -> Array:
        known: Mapping[Any, Array] = self.values if isinstance(key, str) else self.d
        if key in known:
            return known[key]
        if isinstance(key, str):
            raise KeyError(f"no channel '{key}' was asked for; {nearest(key, self.values)}")
        names = [f"{of} by {by}" for of, by in self.d]
        raise KeyError(f"no derivative of '{key[0]}' by '{key[1]}' was asked for; {nearest(' by '.join(key), names)}")

    @property
    def final(self) -> dict[tuple[str, str], float]:
        """Derivatives at the last sample."""
        return {key: float(array[-1]) for key, array in self.d.items()}

    @property
    def relative(self) -> dict[tuple[str, str], Array]:
        """Per cent of change for each per cent of the parameter: (p / x) dx/dp; not finite where x is zero."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return {(of, by): array * self.parameters[by] / self.values[of] for (of, by), array in self.d.items()}

    def plot(self, path: str | Path | None = None) -> Any:
        """The derivatives over time, an axes each, as a matplotlib figure; bars where there is no time."""
        from ..plotting.overlays import plot_many
        from ..plotting.studies import plot_bars

        rows = {f"d({of})/d({by})": array for (of, by), array in self.d.items()}
        if self.t.size < 2:
            return plot_bars(self.name, {name: float(array[-1]) for name, array in rows.items()}, path)
        kinds = {name: Quantity("derivative", "") for name in rows}
        return plot_many(self.name, self.t, {name: [array] for name, array in rows.items()}, kinds, [""], path)

    def to_csv(self, path: str | Path) -> None:
        """`t`, the channels, then their derivatives as `d(channel)/d(parameter)`, with a header row."""
        columns = {"t": self.t, **self.values, **{f"d({of})/d({by})": array for (of, by), array in self.d.items()}}
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(np.column_stack(list(columns.values())).tolist())

    def __str__(self) -> str:
        """A table of the derivatives at the last sample."""
        when = "at rest" if self.analysis == "statics" else f"at t = {self.t[-1]:g} s"
        head = f"{self.name}, {self.analysis}: derivatives {when} ({self.solved_by})"
        names = list(self.parameters)
        rows = [["", "value", *(f"d/d {name}" for name in names)]]
        rows.append(["", "", *(f"at {value:.6g}" for value in self.parameters.values())])
        for of, values in self.values.items():
            unit = self.units[of]
            rows.append(
                [of, f"{values[-1]:.8g}{f' {unit}' if unit else ''}", *(f"{self.d[of, by][-1]:.8g}" for by in names)]
            )
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = ["  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in rows]
        return "\n".join([head, *lines, *(f"note: {note}" for note in self.notes)])

    def _words(self) -> str:
        names = list(self.parameters)
        rows = [["channel", "value", *(f"d/d {name} at {self.parameters[name]:.6g}" for name in names)]]
        for of, values in self.values.items():
            numbers = (f"{self.d[of, by][-1]:.8g}" for by in names)
            rows.append([of, f"{values[-1]:.8g} {self.units[of]}".strip(), *numbers])
        head = str(self).partition("\n")[0]
        return "\n".join([head, *("  ".join(row) for row in rows), *(f"note: {note}" for note in self.notes)])

    def _picture(self) -> Any:
        return self.plot()
