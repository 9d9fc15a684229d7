"""Ctrl-C while something works that must not be broken off in the middle."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """An interrupt from the keyboard waits until the block is done; a second one does not.

    Compilers call back into Python, where an exception is printed and lost, and are left in pieces if one passes
    through them. So an interrupt is only noted meanwhile, and handled after the block as it would have been.
    """
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield  # signals come to the main thread only; and nobody wants this one
        return
    noted: list[FrameType | None] = []

    def note(number: int, frame: FrameType | None) -> None:
        if noted:
            usual(number, frame)
        noted.append(frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if noted:
            usual(signal.SIGINT, noted[0])
