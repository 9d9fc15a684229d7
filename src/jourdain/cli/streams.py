"""Standard output and error as commands write to them: names of strangers' files may not command the terminal."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from ..mechanism.names import plain


class UnwrittenError(Exception):
    """Standard output takes no more; the text says why."""


class Shown:
    """A stream that writes control characters out as escapes, and so what its encoding does not have.

    A return at either end of a text is let through: lines that tell of progress are written over with it.
    """

    def __init__(self, stream: TextIO, needed: bool) -> None:
        self._stream, self._needed = stream, needed
        self._encoding = getattr(stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        inner = text.strip("\r")
        begin = text[: len(text) - len(text.lstrip("\r"))]
        end = text[len(begin) + len(inner) :]
        shown = plain(inner).encode(self._encoding, "backslashreplace").decode(self._encoding)
        with self._told():
            self._stream.write(begin + shown + end)
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        with self._told():
            self._stream.flush()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """What cannot be written to stdout is told on stderr; what cannot be told there is told nowhere."""
        try:
            yield
        except BrokenPipeError:
            if self._needed:
                raise
        except OSError as error:
            if self._needed:
                raise UnwrittenError(f"cannot write to standard output: {error.strerror or error}") from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def shown() -> Iterator[None]:
    """Both streams that way while a command runs; where one is closed, what goes there goes nowhere."""
    before = sys.stdout, sys.stderr
    for name in ("stdin", "stdout", "stderr"):  # in this order, so that each gets its own number again
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: SIM115
    inner = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Shown(inner[0], True), Shown(inner[1], False)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = (new if old is None else old for new, old in zip(inner, before, strict=True))


def abandon_output() -> None:
    """Nothing more goes to stdout: Python would complain again when it flushes it at its end."""
    with contextlib.suppress(OSError, ValueError):  # a test's has no number
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
