"""The machine of a study as data: the texts of all files it is made of, so that it can be kept and can travel.

Nothing is pickled: what runs on another computer is the same text, read there again.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from ..files import saving
from ..files.loading import FromFile, Text, read, text_of
from ..files.spans import Span, spans
from ..files.text_changes import is_json, replaced
from ..mechanism import fence
from ..mechanism.builder import Mechanism
from ..mechanism.errors import ChoiceError, JourdainError, MechanismError
from ..mechanism.parts import Blueprint
from ..mechanism.thawing import with_numbers

MAIN = "mechanism.yaml"  # the name of a text that has none


@dataclass(frozen=True)
class Subject:
    """A machine and the files it is read from: `texts` by name, and `main` the one that names the others."""

    mechanism: Mechanism | Blueprint
    texts: Mapping[str, str] = field(default_factory=dict)
    main: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)  # parameters of the file that were given other values
    numbers: Mapping[str, Any] = field(default_factory=dict)  # such as `crank.mass` that were given other values
    path: str = ""  # of the file, for commands; empty where there is none
    why_no_data: str = ""  # why it cannot be kept and cannot travel

    @property
    def name(self) -> str:
        return self.mechanism.name

    @property
    def tables(self) -> tuple[str, ...]:
        """Names such as `gas.file` of what its main file reads from tables in files."""
        return tuple(self._places())

    def of(self, files: Mapping[str, str]) -> Mechanism | Blueprint:
        """The machine with other files at some tables."""
        if not files:
            return self.mechanism
        text, places = self.texts[self.main], self._places()
        for name in sorted(files, key=lambda name: -places[name].start):  # from the end, so that places stay true
            text = replaced(text, places[name], files[name], is_json(spans(self.texts[self.main]), text))
        return self._read({**self.texts, self.main: text})

    def with_files(self, files: Mapping[str, tuple[str, ...]]) -> Subject:
        """The same with the texts of tables that variants name, each of them read once to see that it can be."""
        texts = dict(self.texts)
        for name, paths in files.items():
            for path in paths:
                there = str(PurePosixPath(self.main).parent / path)
                texts[os.path.normpath(there)] = _bytes_as_text(Path(self.path).parent / path, name)
        found = replace(self, texts=texts)
        for name, paths in files.items():
            for path in paths:
                found.of({name: path})
        return found

    def to_data(self) -> dict[str, Any]:
        if self.why_no_data:
            raise ChoiceError(self.why_no_data)
        numbers = {"numbers": dict(self.numbers)} if self.numbers else {}
        return {"main": self.main, "texts": dict(self.texts), "values": dict(self.values), "path": self.path} | numbers

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Subject:
        numbers = data.get("numbers", {})
        subject = cls(Mechanism(), data["texts"], data["main"], data["values"], numbers, data["path"])
        return replace(subject, mechanism=subject._read(subject.texts))

    @property
    def digest(self) -> str:
        """Of all texts and values."""
        whole = hashlib.blake2b(digest_size=16)
        for part in (*sorted(self.texts.items()), *sorted(self.values.items()), *sorted(self.numbers.items())):
            whole.update(repr(part).encode("utf-8", "surrogateescape"))
        return whole.hexdigest()

    def _read(self, texts: Mapping[str, str]) -> Mechanism:
        """A machine read from texts alone; its numbers are all there then, and no file is asked for again."""
        if list(texts) == [self.main]:
            return self._changed(read(Text(texts[self.main], self.main, Path()), self.values))
        with tempfile.TemporaryDirectory(prefix="jourdain-") as folder:
            for name, text in texts.items():
                place = Path(folder, name)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(text.encode("utf-8", "surrogateescape"))
            found = read(Path(folder, self.main), self.values)
            if isinstance(found.source, FromFile):  # parameters may be read again when the folder is gone
                found.source = _ReadAgain(self, texts)
            return self._changed(found)

    def _changed(self, found: Mechanism) -> Mechanism:
        return with_numbers(found, self.numbers) if self.numbers else found

    def _places(self) -> dict[str, Span]:
        return dict(_files_in(spans(self.texts[self.main]), "")) if self.main else {}


@dataclass(frozen=True, eq=False)
class _ReadAgain:
    """Reads a machine of several texts with other values of its parameters."""

    subject: Subject
    texts: Mapping[str, str]

    def __call__(self, values: Mapping[str, Any], /) -> Blueprint:
        s = self.subject
        return replace(s, values={**s.values, **values})._read(self.texts).frozen()

    def with_numbers(self, numbers: Mapping[str, Any], /) -> _ReadAgain:
        return _ReadAgain(replace(self.subject, numbers={**self.subject.numbers, **numbers}), self.texts)

    def mark_of(self, fault: Any, /) -> None:
        return None


def subject_of(mechanism: Mechanism | Blueprint) -> Subject:
    """The machine with all its texts, from its files or, where it has none, as `jd.save` writes it."""
    blueprint = mechanism.frozen() if isinstance(mechanism, Mechanism) else mechanism
    source = blueprint.source
    if isinstance(source, FromFile):
        with fence.watched() as paths:
            same = source({}) == blueprint
        if same:
            return _of_files(mechanism, source, paths)
    try:
        return Subject(mechanism, {MAIN: saving.dumps(blueprint)}, MAIN)
    except MechanismError as error:
        words = (
            f"this machine cannot be kept in a file, nor travel to other processes: {'; '.join(map(str, error.faults))}"
        )
        return Subject(mechanism, why_no_data=words)


def _of_files(mechanism: Mechanism | Blueprint, source: FromFile, paths: set[Path]) -> Subject:
    main = text_of(source.source)
    folder = Path(main.folder).resolve()
    inside = not isinstance(source.source, Text) and Path(main.path).is_file()
    own = Path(main.path).resolve() if inside else folder / MAIN
    others = sorted({path.resolve() for path in paths} - {own})
    root = Path(os.path.commonpath([folder, *(path.parent for path in others)]))
    texts = {own.relative_to(root).as_posix(): main.text}
    texts |= {path.relative_to(root).as_posix(): _bytes_as_text(path, path.name) for path in others}
    why = ""
    if whole := next((path for path in others if str(path) in "".join(texts.values())), None):
        why = f"a file is named by its whole path, {whole}, which other computers may not have; write it relative"
    where = str(main.path) if inside else ""
    return Subject(mechanism, texts, next(iter(texts)), dict(source.values), dict(source.numbers), where, why)


def _bytes_as_text(path: Path, name: str) -> str:
    """What is in a file, with whatever bytes."""
    if words := fence.refusal(path):
        raise JourdainError(f"{name}: {path}: {words}")
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise ChoiceError(f"{name}: '{path}' cannot be read: {error.strerror or error}") from None


def _files_in(span: Span, name: str) -> list[tuple[str, Span]]:
    """`file` of each table, by the name of the part or table that it is written at."""
    found = []
    for entry in span.entries:
        if entry.key == "file" and entry.value.value is not None and name:
            found.append((f"{name}.file", entry.value))
        elif name and entry.key in ("table",):
            found += _files_in(entry.value, name)
        elif name:
            found += [(f"{name}.{entry.key}.file", place) for _, place in _files_in(entry.value, name)]
        else:
            for part in entry.value.entries:
                found += _files_in(part.value, part.key)
    return found
