"""The folder of a study: a manifest of what is computed, and the pieces that are done, each whole or not there.

manifest.json         mechanism, choices, design, what is collected, versions
pieces/000012.npz     variants of piece 12
results.nc            everything as one table, when it is complete
lock                  held by the process that works here
"""

from __future__ import annotations

import difflib
import errno
import json
import os
import socket
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..mechanism.errors import StudyError
from .piece import Piece

FORMAT, FORMAT_VERSION = "jourdain study", 1
MANIFEST, PIECES, LOCK, TABLE = "manifest.json", "pieces", "lock", "results.nc"
UNFINISHED = ".unfinished"


class Folder:
    """The folder of one study."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def is_begun(self) -> bool:
        return (self.path / MANIFEST).exists()

    @property
    def manifest(self) -> dict[str, Any]:
        """What is computed here. StudyError where this is no folder of a study."""
        try:
            found = json.loads((self.path / MANIFEST).read_text(encoding="utf-8"))
        except OSError as error:
            raise StudyError(f"'{self.path}' is no folder of a study: {error.strerror or error} ({MANIFEST})") from None
        except ValueError:
            raise StudyError(f"'{self.path / MANIFEST}' is damaged: it is not JSON") from None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise StudyError(f"'{self.path}' is no folder of a study: its {MANIFEST} is of something else")
        if found["version"] > FORMAT_VERSION:
            raise StudyError(f"'{self.path}' was written by a later version of jourdain ({found['code'][0]})")
        return found

    def begin(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """Make the folder, or see that it is of this very study; returns the manifest that it has then."""
        whole = {"format": FORMAT, "version": FORMAT_VERSION, **manifest}
        if self.is_begun:
            known = self.manifest
            if changed := list(_changes(known, json.loads(json.dumps(whole)))):
                words = "; ".join(changed)
                raise StudyError(f"'{self.path}' holds another study: {words}. Take another folder, or change it back")
            return known
        self._made(self.path / PIECES)
        self._write(self.path / MANIFEST, json.dumps(whole, indent=1, ensure_ascii=True).encode())
        return whole

    @contextmanager
    def held(self) -> Iterator[None]:
        """Only one process works in a folder; others are told who does."""
        if not self.is_begun and self.path.exists() and not self._is_empty():
            raise StudyError(f"'{self.path}' is there already, and is no folder of a study; take another name")
        self._made(self.path)
        file = (self.path / LOCK).open("a+", encoding="utf-8")
        try:
            if not _locked(file):
                file.seek(0)
                who = file.read().strip() or "another process"
                raise StudyError(f"{who} is working on '{self.path}'; wait for it, or take another folder")
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}")
            file.flush()
            yield
        finally:
            file.close()

    def done(self, count: int) -> list[bool]:
        """Which of so many pieces are there."""
        try:
            names = set(os.listdir(self.path / PIECES))
        except OSError:
            names = set()
        return [_name(k) in names for k in range(count)]

    def read(self, k: int) -> Piece | None:
        """A piece; None if it is not there, or damaged."""
        try:
            return Piece.from_bytes((self.path / PIECES / _name(k)).read_bytes())
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None

    def write(self, k: int, piece: Piece) -> None:
        self._write(self.path / PIECES / _name(k), piece.to_bytes())

    def write_table(self, content: bytes) -> None:
        self._write(self.path / TABLE, content)

    def _is_empty(self) -> bool:
        """Apart from what a study leaves that was stopped at its very beginning."""
        if not self.path.is_dir():
            return False
        own = (LOCK, PIECES, MANIFEST + UNFINISHED)
        return all(p.name in own for p in self.path.iterdir()) and not any(self.path.glob(f"{PIECES}/*"))

    def _made(self, path: Path) -> None:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StudyError(f"the folder '{path}' cannot be made: {error.strerror or error}") from None

    def _write(self, path: Path, content: bytes) -> None:
        """All or nothing, also when the computer goes down."""
        unfinished = path.with_name(path.name + UNFINISHED)
        try:
            with unfinished.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(path)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            why = "the disk is full" if full else error.strerror or str(error)
            words = f"'{path}' cannot be written: {why}. What is done stays in '{self.path}'; the same command goes on"
            raise StudyError(words) from None


def _name(k: int) -> str:
    return f"{k:06d}.npz"


def _locked(file: Any) -> bool:
    """Take the lock of an open file; the system lets it go when the process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        locking = getattr(msvcrt, "locking")  # noqa: B009  (known to type checkers on Windows alone)
        try:
            locking(file.fileno(), getattr(msvcrt, "LK_NBLCK"), 1)  # noqa: B009
        except OSError:
            return False
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


# What changed -----------------------------------------------------------------------------------------------------


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Sentences on all in which two studies differ, but for the processor."""
    yield from _texts_changed(old["mechanism"], new["mechanism"])
    yield from _axes_changed(old["design"], new["design"])
    for key, words in (("collect", "what is collected"), ("times", "the times"), ("choices", "the choices")):
        if old[key] != new[key]:
            yield f"{words} changed from {_short(old[key])} to {_short(new[key])}"
    for place, words in enumerate(("it was begun with jourdain {}, this is {}", "the kernels, or Numba, are others")):
        if old["code"][place] != new["code"][place]:
            yield words.format(old["code"][place], new["code"][place])


def _texts_changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted({*old["texts"], *new["texts"]}):
        a, b = old["texts"].get(name), new["texts"].get(name)
        if a is None or b is None:
            yield f"the mechanism {'no longer reads' if b is None else 'now reads'} {name}"
        elif a != b:
            yield f"the mechanism changed: {_line_changed(name, a, b)}"
    for key, words in (("values", "parameters"), ("numbers", "numbers")):
        if old.get(key, {}) != new.get(key, {}):
            yield f"{words} changed from {_short(old.get(key, {}))} to {_short(new.get(key, {}))}"


def _line_changed(name: str, old: str, new: str) -> str:
    a, b = old.splitlines(), new.splitlines()
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(a=a, b=b, autojunk=False).get_opcodes():
        if tag != "equal":
            was = a[i1].strip() if i1 < i2 else "nothing"
            now = b[j1].strip() if j1 < j2 else "nothing"
            return f"{name}, line {j1 + 1}: '{_short(was)}' became '{_short(now)}'"
    return f"{name}: ends of lines"


def _axes_changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for key in ("kind", "count", "seed"):
        if old[key] != new[key]:
            yield f"the {'design' if key == 'kind' else key} changed from {old[key]} to {new[key]}"
    a, b = ({axis["name"]: axis for axis in design["axes"]} for design in (old, new))
    for name in sorted({*a, *b}):
        if name not in a or name not in b:
            yield f"'{name}' {'varies now' if name in b else 'varies no longer'}"
        elif a[name] != b[name]:
            yield f"the values of '{name}' changed"
    if list(a) != list(b) and sorted(a) == sorted(b):
        yield "what varies is in another order"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."
