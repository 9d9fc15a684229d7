"""Recordings of live machines, `*.jdlive`: everything that was told to one, step by step.

    magic | record | record | ..        record: length u32 | checksum u32 | JSON in UTF-8

The first record says what was live: the text, the choices, what ran it. The others are commands in their order, each
with the step at which it acts, and a hash of the state every second. What a crash or a full disk cut off is missing at
the end only. Nothing in a recording can be executed.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..mechanism.errors import JourdainError
from ..session.fingerprint import code
from ..version import __version__
from .engine import Engine

MAGIC = b"JDLIVE\r\n\x1a\n"
VERSION = 1
HEAD = struct.Struct("<II")
LONGEST = 32_000_000  # bytes of a record
MOST_BYTES = 4_000_000_000


class RecordingError(JourdainError):
    """A recording that cannot be read, or cannot be repeated."""


class Recorder:
    """Writes commands as they come."""

    def __init__(self, path: Path, engine: Engine, so_far: Sequence[Mapping[str, Any]]) -> None:
        first = engine.timelines["main"].marks[0]
        document = first.structure.document
        if not document.has_text:
            raise RecordingError("a mechanism with Python functions has no text, and cannot be recorded")
        self.path = path
        try:
            self._file = path.open("wb")
            self._file.write(MAGIC)
        except OSError as error:
            raise RecordingError(f"{path} cannot be written: {error.strerror or error}") from None
        session = first.structure.session
        place = document.path if document.home is None else document.home / "system.yaml"
        self.write(
            {
                "do": "begin",
                "version": VERSION,
                "jourdain": __version__,
                "code": code(),
                "text": document.text,
                "path": None if place is None else str(place.resolve()),
                "choices": {key: value for key, value in session.written.items() if value is not None},
                "history": engine.history,
                "step": first.structure.grid.h,
            }
        )
        for command in so_far:
            self.write(command)

    def write(self, command: Mapping[str, Any]) -> None:
        """One more record, whole on the disk before the next."""
        content = json.dumps(command, separators=(",", ":"), default=dict).encode()
        try:
            self._file.write(HEAD.pack(len(content), zlib.crc32(content)) + content)
            self._file.flush()
        except (OSError, ValueError) as error:
            raise RecordingError(f"{self.path} cannot be written on: {error}; it is whole up to here") from None

    def close(self, n: int) -> None:
        if not self._file.closed:
            self.write({"do": "end", "n": n})
            self._file.close()


class Recording(NamedTuple):
    """What a file holds, as far as it is whole."""

    begin: dict[str, Any]
    commands: list[dict[str, Any]]
    whole: bool  # it was closed properly


def read_recording(path: str | Path) -> Recording:
    """A recording up to its last whole record. Raises RecordingError."""
    path = Path(path)
    try:
        if not path.is_file():
            raise RecordingError(f"{path}: there is no such recording")
        if path.stat().st_size > MOST_BYTES:
            raise RecordingError(f"{path}: the recording is larger than {MOST_BYTES / 1e9:g} GB")
        content = path.read_bytes()
    except OSError as error:
        raise RecordingError(f"{path} cannot be read: {error.strerror or error}") from None
    if not content.startswith(MAGIC):
        raise RecordingError(f"{path}: this is no recording of a live machine, or its beginning is lost")
    records, damaged = _records(content, str(path))
    if not records:
        raise RecordingError(f"{path}: the recording ends before its first record is whole")
    first = _begun(records[0], str(path))
    for number, command in enumerate(records[1:], 2):
        _check_command(command, number, str(path))
    whole = not damaged and bool(records[1:]) and records[-1]["do"] == "end"
    return Recording(first, records[1:], whole)


def _records(content: bytes, path: str) -> tuple[list[dict[str, Any]], bool]:
    """Whole records, and whether something is left behind them. Raises RecordingError for damage inside."""
    found: list[dict[str, Any]] = []
    at = len(MAGIC)
    while at < len(content):
        if len(content) - at < HEAD.size:
            return found, True
        length, checksum = HEAD.unpack_from(content, at)
        if length > LONGEST:
            raise RecordingError(f"{path}: record {len(found) + 1} is damaged: it says to be {length} bytes long")
        body = content[at + HEAD.size : at + HEAD.size + length]
        if len(body) < length:
            return found, True
        if zlib.crc32(body) != checksum:
            raise RecordingError(f"{path}: record {len(found) + 1} is damaged: its checksum does not fit")
        try:
            record = json.loads(body)
        except (ValueError, RecursionError):
            raise RecordingError(f"{path}: record {len(found) + 1} is damaged: it cannot be read") from None
        if not isinstance(record, dict) or not isinstance(record.get("do"), str):
            raise RecordingError(f"{path}: record {len(found) + 1} says nothing that could be done")
        found.append(record)
        at += HEAD.size + length
    return found, False


def _begun(record: dict[str, Any], path: str) -> dict[str, Any]:
    wanted = {"version": int, "text": str, "choices": dict, "code": str, "step": float, "history": float}
    if record["do"] != "begin":
        raise RecordingError(f"{path}: the recording does not say what was live")
    if record.get("version") != VERSION:
        raise RecordingError(f"{path} has version {record.get('version')}; this release reads version {VERSION}")
    for key, kind in wanted.items():
        value: Any = record.get(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise RecordingError(f"{path}: the recording says nothing proper of its {key}")
        if isinstance(value, float) and not 0 < value < float("inf"):
            raise RecordingError(f"{path}: the recording says nothing proper of its {key}")
    return record


# What commands need besides their step.
COMMANDS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "apply": {"operation": dict},
    "undo": {},
    "redo": {},
    "grab": {"body": str, "point": str, "directions": list},
    "release": {"hand": int},
    "lock": {"body": str},
    "unlock": {"body": str},
    "steer": {"numbers": dict},
    "divide": {"parts": int},
    "drag": {"aims": dict},
    "seek": {},
    "take": {"branch": str},
    "hash": {"hash": str},
    "end": {},
}
MOST_STEPS = 10**9


def _check_command(command: dict[str, Any], number: int, path: str) -> None:
    do, n = command["do"], command.get("n")
    if do not in COMMANDS:
        raise RecordingError(f"{path}: record {number} does '{do[:40]}', which is unknown")
    if not isinstance(n, int) or isinstance(n, bool) or not -MOST_STEPS <= n <= MOST_STEPS:
        raise RecordingError(f"{path}: record {number} acts at step {str(n)[:40]}, which is none")
    for key, kind in COMMANDS[do].items():
        if not isinstance(command.get(key), kind):
            raise RecordingError(f"{path}: record {number} ({do}) has no proper {key}")
    items = command.get("items", 0)
    if not isinstance(items, int) or isinstance(items, bool) or items < 0:
        raise RecordingError(f"{path}: record {number} ({do}) has no proper items")
