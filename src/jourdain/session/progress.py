"""How far a run is: told on stderr when it takes longer than two seconds."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..mechanism.telling import in_notebook

SHOWN_AFTER = 2.0  # seconds
BETWEEN = 0.1  # seconds from one look to the next that is shown
WIDTH = 24


@dataclass(frozen=True)
class Progress:
    """One look at a run: simulated time `t` on the way from `start` to `end`, after `seconds` of computing."""

    t: float
    start: float
    end: float
    seconds: float
    over: bool = False

    @property
    def done(self) -> float:
        """The part that is done, 0 to 1."""
        return (self.t - self.start) / (self.end - self.start) if self.end > self.start else 1.0

    @property
    def real_time_factor(self) -> float:
        """Simulated seconds in a second."""
        return (self.t - self.start) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float:
        """At the speed so far; infinite as long as there is none."""
        return self.seconds * (1 - self.done) / self.done if self.done > 0 else float("inf")

    def __str__(self) -> str:
        full = int(WIDTH * min(max(self.done, 0.0), 1.0))
        left = "?" if self.seconds_left == float("inf") else duration(self.seconds_left)
        return (
            f"[{'#' * full}{'.' * (WIDTH - full)}] {100 * self.done:3.0f} %  t = {self.t:.4g} of {self.end:g} s  "
            f"{self.real_time_factor:.3g} x real time  {left} left"
        )


@dataclass(frozen=True)
class BatchProgress(Progress):
    """One look at a batch: `t` of `end` variants are done."""

    def __str__(self) -> str:
        full = int(WIDTH * min(max(self.done, 0.0), 1.0))
        left = "?" if self.seconds_left == float("inf") else duration(self.seconds_left)
        bar = f"[{'#' * full}{'.' * (WIDTH - full)}] {100 * self.done:3.0f} %"
        return f"{bar}  {self.t:.0f} of {self.end:.0f} variants  {left} left"


@dataclass(frozen=True)
class StudyProgress(BatchProgress):
    """One look at a study: `t` of `end` variants are done, `failed` of them did not come to their end.

    What an earlier call had done already does not count for the rate.
    """

    failed: int = 0
    found: int = 0

    @property
    def rate(self) -> float:
        """Variants in a second."""
        return (self.t - self.found) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float:
        return (self.end - self.t) / self.rate if self.rate > 0 else float("inf")

    def __str__(self) -> str:
        failed = f"  {self.failed} failed" if self.failed else ""
        return f"{super().__str__()}  {self.rate:.3g} a second{failed}"


YEAR = 365.25 * 86400.0  # s


def duration(seconds: float) -> str:
    """`7 s`, `3 min 20 s`, `2 h 05 min`, `3.4e+05 years`."""
    if seconds > YEAR:
        return f"{seconds / YEAR:.2g} years"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def reporter(progress: bool | Callable[[Progress], None] | None) -> Callable[[Progress], None]:
    """The function that a run reports to: the user's own, a bar on stderr, or one that does nothing."""
    if callable(progress):
        return progress
    notebook = in_notebook()
    if progress is False or (progress is None and not notebook and not sys.stderr.isatty()):
        return lambda look: None
    return NotebookBar() if notebook else Bar()


class Bar:
    """One line on stderr that is written over; it first appears after two seconds."""

    between: float | None = None  # as BETWEEN says

    def __init__(self) -> None:
        self._width = 0
        self._shown = 0.0

    def __call__(self, look: Progress) -> None:
        if look.over:
            if self._width:
                self._write("", self._width)
            return
        if look.seconds < SHOWN_AFTER or look.seconds < self._shown + (
            BETWEEN if self.between is None else self.between
        ):
            return
        self._shown = look.seconds
        text = str(look)
        self._write(text, self._width)
        self._width = max(self._width, len(text))

    def _write(self, text: str, width: int) -> None:
        sys.stderr.write("\r" + text.ljust(width) + ("" if text else "\r"))
        sys.stderr.flush()


class NotebookBar(Bar):
    """The same as one output of a cell, which is replaced; what goes to stderr is red there."""

    between = 0.5

    def __init__(self) -> None:
        super().__init__()
        self._output: Any = None

    def _write(self, text: str, width: int) -> None:
        display = importlib.import_module("IPython.display")
        shown = display.Pretty(text)
        if self._output is None:
            self._output = display.display(shown, display_id=True)
        else:
            self._output.update(shown)
