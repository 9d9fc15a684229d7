"""A record in other units than SI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..library.quantities import Quantity
from ..mechanism.display import Display, Units
from .record import Record

if TYPE_CHECKING:
    from ..mechanism.parts import Blueprint
    from ..plotting.shown import Poses

Array = npt.NDArray[np.float64]


class InUnits(Record):
    """A record whose channels are in chosen units, for plots, reports and tables."""

    chosen_units = True

    def __init__(self, record: Record, display: Display) -> None:
        self._record = record
        self._display = display
        self.t = record.t / display.shown("s")[0]

    @property
    def display(self) -> Display:
        return self._display

    @property
    def name(self) -> str:
        return self._record.name

    @property
    def channels(self) -> list[str]:
        return self._record.channels

    def channel(self, name: str) -> Array:
        return self._record[name] / self._display.shown(self._record.quantity(name).unit)[0]

    def __getitem__(self, name: Any) -> Array:
        return self.t if name == "t" else self.channel(name)

    def quantity(self, channel: str) -> Quantity:
        found = self._record.quantity(channel)
        return Quantity(found.name, self._display.shown(found.unit)[1])

    @property
    def metadata(self) -> dict[str, Any]:
        return self._record.metadata

    @property
    def blueprint(self) -> Blueprint:
        return self._record.blueprint

    @property
    def poses(self) -> Poses:
        return self._record.poses

    @property
    def size(self) -> float:
        return self._record.size

    @property
    def main_axis(self) -> str:
        return self._record.main_axis

    @property
    def in_si(self) -> Record:
        return self._record

    def in_units(self, units: Units = None) -> Record:
        return self

    def summary(self) -> str:
        return self._record.summary()
