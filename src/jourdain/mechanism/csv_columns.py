"""Columns of CSV files as programs write them.

Comma, semicolon or tab between columns; with semicolons or tabs also decimal commas; a byte order mark, empty lines and
lines that begin with `#` are passed over. The first line that is left is the header, unless it consists of numbers.
"""

from __future__ import annotations

import codecs
import csv
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import fence
from .errors import TableError
from .names import nearest
from .units import UnitError, unit

MOST_ROWS = 1_000_000
MOST_BYTES = 500_000_000
_CONTROL = re.compile("[\0-\b\x0e-\x1f]")  # in no text
_HEADING = re.compile(r"^\s*(.*?)\s*(?:\(([^()]*)\)|\[([^\[\]]*)\])?\s*$")


class Columns(NamedTuple):
    """Two columns in SI, and the units that they were written in ("" where none was)."""

    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    units: tuple[str, str]


def read_columns(path: str | Path, columns: Sequence[str] | None, units: Sequence[str] | None) -> Columns:
    """Two columns of a file, by name or the first two, in SI."""
    for what, given in (("columns", columns), ("units", units)):
        if given is not None and (isinstance(given, str) or len(given) != 2 or not all(map(_is_text, given))):
            raise TableError(f"{path}: {what} is {given!r}; expected two names")
    lines = _lines(path)
    if not lines:
        raise TableError(f"{path}: there is nothing in it; expected columns of numbers")
    separator = _separator(lines)
    rows = [(number, _cells(path, number, text, separator)) for number, text in lines]
    number, head = rows[0]
    named = not all(_number(cell, separator) is not None for cell in head)
    headings = [heading(cell) for cell in head] if named else [(f"{k + 1}", "") for k in range(len(head))]
    places = _places(path, number, headings, columns)
    written = [headings[k][1] for k in places] if units is None else [str(u) for u in units]
    scales = [_scale(path, number, place, text) for place, text in zip(places, written, strict=True)]
    data = _numbers(path, rows[1:] if named else rows, len(head), places, separator)
    if len(data) < 2:
        raise TableError(f"{path}: {len(data)} rows of numbers; expected at least two")
    _check_rising(path, rows[1:] if named else rows, data[:, 0], places[0])
    return Columns(data[:, 0] * scales[0], data[:, 1] * scales[1], (written[0], written[1]))


def _lines(path: str | Path) -> list[tuple[int, str]]:
    """Lines that hold something, with their numbers."""
    if words := fence.refusal(path):
        raise TableError(f"{path}: {words}")
    try:
        if Path(path).exists() and not Path(path).is_file():  # a pipe may wait for ever, a device never end
            raise TableError(f"{path} cannot be read: it is a folder, a pipe or a device")
        size = Path(path).stat().st_size
        if size > MOST_BYTES:
            raise TableError(f"{path}: {size / 1e6:.0f} MB; a table has at most {MOST_ROWS} rows")
        text = _decoded(Path(path).read_bytes())
    except UnicodeDecodeError:
        raise TableError(f"{path} is no text, so no table") from None
    except TableError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TableError(f"{path} cannot be read: {reason}") from None
    if _CONTROL.search(text):
        raise TableError(f"{path} is no text, so no table")
    lines = [(k, line) for k, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    if len(lines) > MOST_ROWS + 1:
        raise TableError(f"{path}: {len(lines)} rows; a table has at most {MOST_ROWS}")
    return lines


def _decoded(data: bytes) -> str:
    """UTF-8, with a byte order mark or without; UTF-16 with one; what is neither is as Windows writes it."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252")


def _cells(path: str | Path, line: int, text: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([text], delimiter=separator))
    except csv.Error as error:
        raise TableError(f"{path}:{line}: {error}") from None


def _separator(lines: list[tuple[int, str]]) -> str:
    """What stands in every one of the first lines; a comma may be a decimal one where another is there."""
    first = [text for _, text in lines[:20]]
    for mark in (";", "\t", ","):
        if all(mark in text for text in first):
            return mark
    return next((mark for mark in (";", "\t") if mark in first[0]), ",")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _number(cell: str, separator: str) -> float | None:
    text = cell.strip()
    if separator != "," and text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    try:
        return float(text) if "_" not in text else None
    except ValueError:
        return None


def heading(cell: str) -> tuple[str, str]:
    """Name and unit."""
    found = _HEADING.match(cell)
    if found is None:
        return cell.strip(), ""
    return found[1], (found[2] or found[3] or "").strip()


def _places(
    path: str | Path, line: int, headings: list[tuple[str, str]], columns: Sequence[str] | None
) -> tuple[int, int]:
    names = [name for name, _ in headings]
    if columns is None:
        filled = [k for k, head in enumerate(headings) if any(head)]  # behind a last separator is no column
        if len(filled) != 2:
            words = f"{len(filled)} columns; expected two, or columns: [..] to say which"
            raise TableError(f"{path}:{line}: {words}")
        return filled[0], filled[1]
    columns = [name if name in names else heading(name)[0] for name in columns]  # with its unit, or without
    missing = [name for name in columns if name not in names]
    if missing:
        raise TableError(f"{path}:{line}: there is no column '{missing[0]}'; {nearest(str(missing[0]), names)}")
    twice = [name for name in columns if names.count(name) > 1]
    if twice:
        raise TableError(f"{path}:{line}: there are {names.count(twice[0])} columns '{twice[0]}'; expected one")
    return names.index(columns[0]), names.index(columns[1])


def _scale(path: str | Path, line: int, place: int, text: str) -> float:
    if text in ("", "-", "1"):
        return 1.0
    try:
        return float(unit(text).factor)
    except UnitError as error:
        raise TableError(f"{path}:{line}: column {place + 1}: {error}") from None


def _numbers(
    path: str | Path, rows: list[tuple[int, list[str]]], width: int, places: tuple[int, int], separator: str
) -> npt.NDArray[np.float64]:
    data = np.empty((len(rows), 2))
    for k, (line, cells) in enumerate(rows):
        if len(cells) != width:
            raise TableError(f"{path}:{line}: {len(cells)} columns; expected {width} as in the first line")
        for i, place in enumerate(places):
            found = _number(cells[place], separator)
            if found is None or not math.isfinite(found):
                words = f"column {place + 1} is '{cells[place].strip()[:40]}'; expected a finite number"
                raise TableError(f"{path}:{line}: {words}")
            data[k, i] = found
    return data


def _check_rising(path: str | Path, rows: list[tuple[int, list[str]]], x: npt.NDArray[np.float64], place: int) -> None:
    wrong = np.flatnonzero(np.diff(x) <= 0)
    if wrong.size:
        k = int(wrong[0]) + 1
        what = "stands twice" if x[k] == x[k - 1] else f"comes after {x[k - 1]:g}"
        raise TableError(f"{path}:{rows[k][0]}: column {place + 1}: {x[k]:g} {what}; expected rising numbers")
