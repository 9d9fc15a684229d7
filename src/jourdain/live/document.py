"""jd.Document: the text of a mechanism file as the one truth, and operations as the only way to change it.

What an operation changes is the smallest piece of text, so that comments, order, formulas and units survive; the text
is then read like any file. While it cannot be read, the last mechanism that could be stays. Each change is kept as the
piece that it replaced, so that undo and redo miss nothing.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..files.loading import Text, read, read_file
from ..files.saving import dumps
from ..files.text_changes import TextChangeError
from ..files.written_values import in_one_line
from ..mechanism.arguments import is_finite
from ..mechanism.builder import Mechanism
from ..mechanism.equality import equal_by
from ..mechanism.errors import FileError, JourdainError, MechanismError
from ..mechanism.fault import Fault
from ..mechanism.numbers import numbers
from ..mechanism.parts import Blueprint
from ..session.editing import Outcome
from .operations import OperationError, checked
from .parts_edits import PartsEdit
from .text_edits import TextEdit

TEXT_NAME = "<text>"
MOST_TOLD = 3  # faults in a sentence
MENDING = ("insert", "remove")  # what can be done to a text with faults


@dataclass(frozen=True)
class Change:
    """A piece of text that was replaced, and by what operation; `parts` before and after where there is no text."""

    operation: Mapping[str, Any]
    at: int
    old: str
    new: str
    parts: tuple[Mechanism, Mechanism] | None = None


class Past(NamedTuple):
    """Changes behind each other, the last first: documents that come from one another share them."""

    last: Change
    before: Past | None


class Slot(NamedTuple):
    """Where the number stands that was set last, so that a slider need not read the whole text for each value."""

    number: str
    start: int
    end: int
    path: tuple[Any, ...]


@dataclass
class OnDisk:
    """A file, and what was read from it or written to it last."""

    path: Path | None
    content: bytes | None = None


@equal_by("_text", "_mechanism", "path")
class Document:
    """A mechanism file being worked on: `apply` operations, `undo`, `redo`, `save`.

    >>> document = Document("jourdain: 1\\nbodies: {bar: {mass: 1 kg, inertia: 1}}  # one\\n")
    >>> document.apply({"do": "set", "number": "bar.mass", "value": "3 kg"}).ok
    True
    >>> document.text
    'jourdain: 1\\nbodies: {bar: {mass: 3 kg, inertia: 1}}  # one\\n'
    """

    def __init__(self, text: str, *, path: str | Path | None = None) -> None:
        """`path` is where it is saved, and where paths in it start from; it is not read."""
        if not isinstance(text, str):
            raise JourdainError(f"a document is made of text, not of {type(text).__name__}; open(path) reads a file")
        self._file = OnDisk(None if path is None else Path(path))
        self.home: Path | None = None  # where paths in it start from, if that is not where its file is
        self.version = 0  # counts changes, undone ones too
        self._byte_order_mark = False
        self._done: Past | None = None
        self._undone: Past | None = None
        self._slot: Slot | None = None
        self._quick: dict[str, float] = {}  # numbers in the text that the mechanism does not have yet
        self._text: str | None = text
        self._mechanism: Mechanism | None = None
        self.faults: tuple[Fault, ...] = ()
        self._edit: TextEdit | None = None
        self._take(text)

    @classmethod
    def open(cls, path: str | Path) -> Document:
        """A file. Faults in it are listed in `faults`."""
        path = Path(path)
        text = read_file(path)
        content = path.read_bytes()
        document = cls(text, path=path)
        document._file.content, document._byte_order_mark = content, content.startswith(b"\xef\xbb\xbf")
        return document

    @classmethod
    def of(cls, mechanism: Mechanism | Blueprint) -> Document:
        """Of a mechanism made in Python. With functions in it there is no text: it can be edited, not saved."""
        blueprint = mechanism.frozen() if isinstance(mechanism, Mechanism) else mechanism
        with contextlib.suppress(MechanismError):
            found = cls(dumps(blueprint))
            if found.mechanism is not None and not found.faults:
                return found
        parts = mechanism if isinstance(mechanism, Mechanism) else None
        if parts is None or blueprint.early_faults:
            raise MechanismError(
                blueprint.name, blueprint.early_faults or ["it has no text; give the Mechanism itself"]
            )
        document = cls.__new__(cls)
        Document.__init__(document, "jourdain: 1\n")
        document._text, document._mechanism, document.faults = None, parts, ()
        return document

    @property
    def mechanism(self) -> Mechanism | None:
        """What the text says; where it has faults, the last that could be read."""
        if self._quick:
            self._quick = {}
            self._mechanism = self._read(self.text)[0] or self._mechanism
        return self._mechanism

    @property
    def path(self) -> Path | None:
        """Its file, if it has one."""
        return self._file.path

    @property
    def text(self) -> str:
        """The text as it is; empty of a mechanism with Python functions, which has none."""
        return self._text or ""

    @property
    def has_text(self) -> bool:
        """Whether a file can say it: Python functions cannot be written down."""
        return self._text is not None

    @property
    def blueprint(self) -> Blueprint:
        """The last mechanism that could be read, frozen. Raises FileError where there was none."""
        if self.mechanism is None:
            raise FileError(self._name, list(self.faults))
        return self.mechanism.frozen()

    @property
    def _name(self) -> str:
        return TEXT_NAME if self.path is None else str(self.path)

    # Changes ---------------------------------------------------------------------------------------------------------

    def apply(self, operation: Mapping[str, Any]) -> Outcome:
        """Carry out an operation. Nothing changes where the outcome is not `ok`; its sentence says why."""
        try:
            found = checked(operation)
            return self._changed_parts(found) if self._text is None else self._changed(found)
        except (OperationError, TextChangeError) as error:
            return Outcome(False, f"nothing was changed: {error}")

    def _changed(self, operation: dict[str, Any]) -> Outcome:
        before, do = self.text, operation["do"]
        if do == "text":
            after = operation["value"]
            if not isinstance(after, str):
                raise OperationError(f"text: value is {type(after).__name__}; expected the text of a file")
            self._note(operation, before, after)
            self._take(after)
            return Outcome(True, self._told("the text was replaced"))
        if self.faults and do not in MENDING:
            told = f"the text has faults; mend them first, by text, insert or remove: {self._faults_in_short()}"
            raise OperationError(told)
        if self._edit is None:
            self._edit = TextEdit(before, None if self.faults else self.mechanism)
        after = self._edit.after(operation)
        if after == before:
            return Outcome(True, "it is so already; the text did not change")
        mechanism, faults = self._read(after)
        known = {fault.words for fault in self.faults}
        if new := [fault.words for fault in faults if fault.words not in known]:
            raise OperationError("; ".join(new[:MOST_TOLD]))
        if do == "rename" and mechanism is not None:
            self._check_renamed(operation, mechanism)
        self._note(operation, before, after)
        self._text, self._edit, self.faults, self._quick = after, None, faults, {}
        self._mechanism = mechanism or self._mechanism
        return Outcome(True, self._told(f"{_words(operation)}, in line {_line(before, after)}"))

    def _changed_parts(self, operation: dict[str, Any]) -> Outcome:
        """The same of a mechanism without text."""
        before = self.mechanism
        if before is None:
            raise OperationError("there is no mechanism")
        after = PartsEdit(before).after(operation)
        self._did(Change(operation, 0, "", "", (before, after)))
        self._mechanism = after
        return Outcome(True, _words(operation))

    def _read(self, text: str) -> tuple[Mechanism | None, tuple[Fault, ...]]:
        """What a text says, or what is wrong with it."""
        try:
            return read(Text(text, self._name, self._folder), {}), ()
        except FileError as error:
            return None, error.faults

    @property
    def _folder(self) -> Path:
        return self.home or (Path() if self.path is None else self.path.parent)

    def _check_renamed(self, operation: Mapping[str, Any], mechanism: Mechanism) -> None:
        """All numbers are as they were, but for their names."""
        before = sorted(numbers(self.blueprint).values())
        if before != sorted(numbers(mechanism.frozen()).values()):
            raise OperationError(f"rename {operation['part']}: a formula would mean something else; take another name")

    def _take(self, text: str) -> None:
        """Read a text; the last good mechanism stays where it cannot be."""
        self._text, self._edit, self._quick = text, None, {}
        mechanism, self.faults = self._read(text)
        self._mechanism = mechanism or self._mechanism

    def _note(self, operation: Mapping[str, Any], before: str, after: str) -> None:
        start, end = _differs(before, after)
        self._did(Change(operation, start, before[start : len(before) - end], after[start : len(after) - end]))

    def _did(self, change: Change) -> None:
        self._done, self._undone = Past(change, self._done), None
        self._slot = None
        self.version += 1

    def _told(self, words: str) -> str:
        return words if not self.faults else f"{words}; {self._faults_in_short()}; the last good mechanism goes on"

    def _faults_in_short(self) -> str:
        shown = "; ".join(str(fault) for fault in self.faults[:MOST_TOLD])
        more = len(self.faults) - MOST_TOLD
        return shown + (f"; and {more} more" if more > 0 else "")

    def copy(self, *, same_file: bool = False) -> Document:
        """One of its own with the same past: what is done to it does not reach this one.

        `same_file`: it is the same document at another time, and either knows what the other has saved.
        """
        other = copy(self)
        if not same_file:
            other._file = copy(self._file)
        return other

    def remember(self, number: str, path: tuple[Any, ...]) -> None:
        """The number that was just set stands alone: nothing else in the mechanism depends on it."""
        if self._done is not None and self._edit is None and not self.faults:
            found = TextEdit(self.text, self.mechanism).place(path)
            if found is not None:
                self._slot = Slot(number, *found, path)

    def with_number(self, operation: Mapping[str, Any]) -> Document | None:
        """A copy with another value of the number that was set last; None where the text must be read for it."""
        slot, value = self._slot, operation["value"]
        if slot is None or slot.number != operation["number"] or not is_finite(value):
            return None
        new, text = in_one_line(value), self.text
        other = copy(self)
        other._did(Change(operation, slot.start, text[slot.start : slot.end], new))
        other._text, other._edit = text[: slot.start] + new + text[slot.end :], None
        other._slot = slot._replace(end=slot.start + len(new))
        other._quick = {**self._quick, slot.number: float(value)}
        return other

    # Back and forth --------------------------------------------------------------------------------------------------

    @property
    def operations(self) -> tuple[Mapping[str, Any], ...]:
        """That made it what it is, without those that were undone."""
        found, past = [], self._done
        while past is not None:
            found.append(past.last.operation)
            past = past.before
        return tuple(reversed(found))

    @property
    def last(self) -> Mapping[str, Any]:
        """The operation that made it what it is; empty if none did."""
        return {} if self._done is None else self._done.last.operation

    @property
    def can_redo(self) -> bool:
        """Whether a change was taken back that could be made again."""
        return self._undone is not None

    def undo(self) -> Outcome:
        """Take the last change back."""
        if not self._done:
            return Outcome(False, "there is nothing to undo")
        change, self._done = self._done
        self._undone = Past(change, self._undone)
        self._exchange(change, change.new, change.old, 0)
        return Outcome(True, self._told(f"undone: {_words(change.operation)}"))

    def redo(self) -> Outcome:
        """Make the last change again that was taken back."""
        if not self._undone:
            return Outcome(False, "there is nothing to redo")
        change, self._undone = self._undone
        self._done = Past(change, self._done)
        self._exchange(change, change.old, change.new, 1)
        return Outcome(True, self._told(f"done again: {_words(change.operation)}"))

    def _exchange(self, change: Change, gone: str, come: str, which: int) -> None:
        self.version += 1
        self._slot, self._quick = None, {}
        if change.parts is not None:
            self._mechanism = change.parts[which]
            return
        text = self.text
        self._take(text[: change.at] + come + text[change.at + len(gone) :])

    # Files -----------------------------------------------------------------------------------------------------------

    def save(self, path: str | Path | None = None, *, overwrite: bool = False) -> Path:
        """Write the text to its file, or to another one: all of it or nothing.

        A file that is not as this document knows it is written over only with `overwrite`.
        """
        if self._text is None:
            refused = self._refusal()
            raise JourdainError(f"a mechanism with Python functions has no text that could be saved: {refused}")
        target = self.path if path is None else Path(path)
        if target is None:
            raise JourdainError("the document has no file yet; give save a path")
        known = self._file.content if self.path is not None and target == self.path else None
        if not overwrite and target.exists():
            if known is None:
                raise JourdainError(f"{target} is there already; save with overwrite=True to write over it")
            if target.read_bytes() != known:
                raise JourdainError(
                    f"{target} was changed on disk since it was read; open it again, or save with overwrite=True"
                )
        content = (b"\xef\xbb\xbf" if self._byte_order_mark else b"") + self._text.encode("utf-8")
        _write(target, content)
        self._file.path, self._file.content = target, content
        return target

    def _refusal(self) -> str:
        try:
            dumps(self.blueprint)
        except MechanismError as error:
            return "; ".join(str(fault) for fault in error.faults[:MOST_TOLD])
        return ""

    def __repr__(self) -> str:
        what = "no text" if self._text is None else f"{self.text.count(chr(10))} lines"
        faults = f", {len(self.faults)} faults" if self.faults else ""
        return f"<Document {self._name}: {what}, {len(self.operations)} changes{faults}>"


def _write(target: Path, content: bytes) -> None:
    """A file as a whole: whoever looks sees the old one or the new one."""
    temporary = ""
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            temporary = file.name
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(temporary, target.stat().st_mode & 0o777)
        else:
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
        Path(temporary).replace(target)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise JourdainError(f"{target} cannot be written: {error.strerror or error}") from None


def _differs(before: str, after: str) -> tuple[int, int]:
    """How many letters at the beginning and at the end are the same."""
    pairs = enumerate(zip(before, after, strict=False))
    start = next((k for k, (a, b) in pairs if a != b), min(len(before), len(after)))
    most = min(len(before), len(after)) - start
    end = 0
    while end < most and before[len(before) - 1 - end] == after[len(after) - 1 - end]:
        end += 1
    return start, end


def _line(before: str, after: str) -> int:
    return before.count("\n", 0, _differs(before, after)[0]) + 1


def _words(operation: Mapping[str, Any]) -> str:
    """What an operation does, in a few words."""
    do = operation["do"]
    if do == "set":
        return f"{operation['number']} is {operation['value']} now"
    if do == "choose":
        chosen = ", ".join(f"{key} {value}" for key, value in operation.items() if key != "do")
        return f"chosen: {chosen}"
    if do == "text":
        return "the text was replaced"
    part = operation["part"]
    return {
        "insert": f"{part} was inserted",
        "remove": f"{part} was removed",
        "rename": f"{part} is called {operation.get('to')} now",
        "move": f"{part} was moved to {operation.get('to')}",
    }[str(do)]
