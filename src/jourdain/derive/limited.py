"""Work that must end: SymPy is interrupted when its time is over, whatever it is doing.

On the main thread of systems that have it an alarm of the operating system ends the work; elsewhere only steps that are
known to be short are taken (`can_interrupt` says which), and the clock is asked between them.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

HURRY = 0.4  # of the budget: what is left is for what has to be done
LONGEST = 1e8  # s: what an alarm takes; more is as good as for ever


class OutOfTimeError(Exception):
    """The time is over."""


def can_interrupt() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


class Clock:
    """A budget of seconds; calling it raises when that is spent."""

    def __init__(self, budget: float) -> None:
        self._end = time.monotonic() + budget
        self._spare = HURRY * budget

    @property
    def left(self) -> float:
        return self._end - time.monotonic()

    def __call__(self) -> None:
        if self.left <= 0:
            raise OutOfTimeError

    def attempt(self, work: Callable[[Any], Any], given: Any, seconds: float) -> Any:
        """The work's answer, or what was given where it takes too long, time is short or it cannot be interrupted."""
        if self.left < self._spare or not can_interrupt():
            return given
        try:
            with alarm(min(seconds, max(self.left, 0.01))):
                return work(given)
        except OutOfTimeError:
            self()
            return given


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError in what is done here after so many seconds, where that can be; nested ones too."""
    if not can_interrupt():
        yield
        return

    def ring(*_: Any) -> None:
        raise OutOfTimeError

    begun = time.monotonic()
    before = signal.signal(signal.SIGALRM, ring)
    rest, interval = signal.setitimer(signal.ITIMER_REAL, min(seconds, LONGEST))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        if rest:
            signal.setitimer(signal.ITIMER_REAL, max(rest - (time.monotonic() - begun), 1e-3), interval)
