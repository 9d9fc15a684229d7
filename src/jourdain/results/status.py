"""How a run ended, as a sentence, and what it cost."""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass, field
from typing import NamedTuple

from ..mechanism.renamed import told_once_more


@dataclass(frozen=True)
class Status:
    """`ok`, a sentence, and the notes and warnings collected on the way."""

    ok: bool
    sentence: str
    notes: tuple[str, ...] = field(default=())
    interrupted: bool = False  # from the keyboard

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"note: {note}" for note in self.notes)])

    def __bool__(self) -> bool:
        return self.ok

    def __contains__(self, words: str) -> bool:
        """Whether its sentence has these words: the status of a way that was compared was a text once."""
        told_once_more("the text of a status", "status.sentence", "0.1")
        return words in self.sentence


class Statistics(NamedTuple):
    """Counts of one run; `seconds` is the time spent inside the kernel's time loop."""

    steps: int
    rejected: int
    evaluations: int
    newton_steps: int  # full Newton steps in projections, beyond the one that reuses a stage's factors
    rank_losses: int  # factorisations that needed the rank-revealing way
    seconds: float
    rounds: int = 0  # of an iteration for the multipliers


class SimulationWarning(UserWarning):
    """A run ended early, or something a user should look at happened during it."""


class _Quiet:
    """Keeps SimulationWarning quiet. The filters of warnings are those of all threads: the last one puts them back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._filters: warnings.catch_warnings[None] | None = None

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._filters = warnings.catch_warnings()
                self._filters.__enter__()
                warnings.simplefilter("ignore", SimulationWarning)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._filters is not None:
                self._filters.__exit__(None, None, None)


QUIET = _Quiet()
