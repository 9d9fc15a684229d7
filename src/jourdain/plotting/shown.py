"""What pictures need to know of what they show: poses by body, channels by name. No more, so that they know no run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..library.quantities import Quantity
from ..mechanism.parts import Blueprint, PortName

Array = npt.NDArray[np.float64]


class Poses(Protocol):
    """Where bodies are: arrays (time, body, ...), fixed axes, of the body's origin."""

    @property
    def position(self) -> Array: ...

    @property
    def frame(self) -> Array: ...

    def index(self, body: str) -> int: ...

    def place(self, port: PortName) -> Array: ...


class Shown(Protocol):
    """What is drawn: a run, a run read back, or the frames of an animation."""

    t: Array

    @property
    def name(self) -> str: ...

    @property
    def blueprint(self) -> Blueprint: ...

    @property
    def size(self) -> float: ...

    @property
    def poses(self) -> Poses: ...

    def __getitem__(self, name: str) -> Array: ...


class Plotted(Shown, Protocol):
    """What curves are made of: all channels with their quantities, and the one that places are told by."""

    @property
    def channels(self) -> list[str]: ...

    @property
    def main_axis(self) -> str: ...

    @property
    def in_si(self) -> Shown: ...

    def quantity(self, channel: str) -> Quantity: ...


class Compared(Protocol):
    """Ways to run one mechanism, each with its choices by name, its time (`seconds`) and its `error`."""

    @property
    def mechanism(self) -> str: ...

    @property
    def duration(self) -> float: ...

    @property
    def ways(self) -> Iterable[Any]: ...
