"""What a batch keeps of its runs. The batch hands over each run, or many at once; the keeper takes what it wants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ...results.solution import Solution

Array = npt.NDArray[np.float64]


class Keeper(Protocol):
    """Takes channels out of runs."""

    @property
    def channels(self) -> Sequence[str]:
        """What it reads of a run."""

    def check(self, start: Solution) -> None:
        """Raise KeyError for what the machine does not have; the solution holds its start alone."""

    def together(self, own: slice, runs: Solution) -> None:
        """Take runs of the variants `own`, which stand end to end in one record."""

    def one(self, index: int, run: Solution) -> None:
        """Take the run of one variant; it may have ended early."""


@dataclass(frozen=True)
class Columns:
    """Whole channels, as arrays of variants by samples. What a run did not reach stays NaN."""

    columns: dict[str, Array]

    @classmethod
    def of(cls, channels: str | Sequence[str], count: int, samples: int) -> Columns:
        names = [channels] if isinstance(channels, str) else channels
        return cls({name: np.full((count, samples), np.nan) for name in names})

    @property
    def channels(self) -> Sequence[str]:
        return tuple(self.columns)

    def check(self, start: Solution) -> None:
        check_channels(start, self.columns)

    def together(self, own: slice, runs: Solution) -> None:
        for name, column in self.columns.items():
            column[own] = np.asarray(runs[name]).reshape(own.stop - own.start, -1)

    def one(self, index: int, run: Solution) -> None:
        for name, column in self.columns.items():
            found = run[name][: column.shape[1]]
            column[index, : len(found)] = found


def check_channels(start: Solution, names: Any) -> None:
    """Raise one KeyError with all that the machine does not have."""
    from ...results.channel_values import value

    faults = []
    for name in names:
        try:
            value(start, name)
        except KeyError as error:
            faults.append(str(error.args[0]))
    if faults:
        raise KeyError("; ".join(faults))
