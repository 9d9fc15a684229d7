"""A fence: folders below which files may be read. Without one, which is the rule, any file may.

A program that opens documents of strangers puts one up for its whole process, or for a thread. Whoever opens a file
that a document names asks here first; links are followed before the place is judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_folders: tuple[Path, ...] | None = None
_own: ContextVar[tuple[Path, ...] | None] = ContextVar("own", default=None)  # of a thread
_asked: ContextVar[set[Path] | None] = ContextVar("asked", default=None)


def put_up(folders: Iterable[Path] | None) -> None:
    """From here on only files below these folders may be read; None: any file."""
    global _folders
    _folders = None if folders is None else tuple(folder.resolve() for folder in folders)


def put_up_here(folders: Iterable[Path]) -> None:
    """The same for this thread alone, inside the program of somebody who reads what they like."""
    _own.set(tuple(folder.resolve() for folder in folders))


def refusal(path: Path | str) -> str:
    """Why a file may not be read; empty if it may."""
    noted = _asked.get()
    if noted is not None:
        noted.add(Path(path))
    folders = _folders if _own.get() is None else _own.get()
    if folders is None:
        return ""
    try:
        whole = Path(path).resolve()
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, links in a circle
        return "the file cannot be read: it has no place"
    if any(whole.is_relative_to(folder) for folder in folders):
        return ""
    return "the file lies outside the folder that was opened, and may not be read"


@contextmanager
def watched() -> Iterator[set[Path]]:
    """Gather the files that are asked for inside, so that all a mechanism is made of can be taken along."""
    found: set[Path] = set()
    token = _asked.set(found)
    try:
        yield found
    finally:
        _asked.reset(token)
