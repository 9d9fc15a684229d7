"""Other names in a text: a part, a point or a parameter, and everything that refers to it, formulas included.

A name counts where it begins a dotted word or stands alone, in values that are references or formulas; not in texts for
people, not as a unit behind a number, not as a function, not where a formula has a meaning of its own for it (`length`
of a spring, `x_i` of a joint).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from ..equations.unit_formulas import unit_places
from ..library import kinds as k
from ..library.kinds import Key
from . import vocabulary
from .scope import CONSTANTS
from .sections import JOINT_SYMBOLS
from .spans import Entry, Span
from .text_changes import TextChangeError, is_json, renamed

SILENT = (k.WORD, k.FLAG, k.COUNT, vocabulary.TEXT, vocabulary.SEQUENCE)
_ANCHOR = re.compile(r"&\S+\s+")
_WORD = re.compile(r"(?<![\w.])([^\W\d]\w*)(?:\.([^\W\d]\w*))?(\s*\()?")


class Place(NamedTuple):
    """A scalar that may hold names, and those that mean something else there."""

    span: Span
    local: Collection[str]


def with_name(text: str, root: Span, steps: tuple[str, ...], new: str) -> str:
    """With another name of what stands there: `("bodies", "crank")`, `("bodies", "crank", "points", "B")`."""
    owner = root.at(*steps[:-1])
    entry = None if owner is None else owner.entry(steps[-1])
    if owner is None or entry is None:
        raise TextChangeError(f"there is no {'.'.join(steps)} in the text")
    if owner.entry(new) is not None:
        raise TextChangeError(f"there is a '{new}' already in {'.'.join(steps[:-1])}")
    point = steps[-2] == "points"
    old = (steps[1] if steps[0] == "bodies" else steps[0], steps[-1]) if point else (steps[-1],)
    changes = [(entry.start, entry.end, renamed_key(text, root, entry, new))]
    for place in _places(root):
        changes += _called(text, place, old[0], new) if steps[0] == "tables" else _inside(text, place, old, new)
    if point and steps[0] == "bodies":
        changes += _traces(root.at("bodies", steps[1], "look", "traces"), steps[-1], new)
    if steps[0] == "parameters":
        changes += list(_set_by_events(text, root, steps[-1], new))
    for start, end, word in sorted(changes, reverse=True):
        text = text[:start] + word + text[end:]
    return text


def renamed_key(text: str, root: Span, entry: Entry, new: str) -> str:
    """The key as it is written then, quotes included."""
    changed = renamed(text, entry, new, is_json(root, text))
    return changed[entry.start : entry.end + len(changed) - len(text)]


def _inside(text: str, place: Place, old: tuple[str, ...], new: str) -> Iterator[tuple[int, int, str]]:
    """Where a name stands in a scalar, and what is written instead."""
    raw = text[place.span.start : place.span.end]
    anchor = _ANCHOR.match(raw) if place.span.anchored else None
    units = unit_places(raw)
    for found in _WORD.finditer(raw, anchor.end() if anchor else 0):
        whole = found[1] if len(old) == 1 else f"{found[1]}.{found[2]}"
        if whole != ".".join(old) or (len(old) == 1 and (old[0] in place.local or (found[3] and not found[2]))):
            continue
        if any(start <= found.start() < end for start, end in units):
            continue
        if len(old) == 1 and not found[2] and new in (*place.local, *CONSTANTS):
            raise TextChangeError(f"'{new}' means something else in '{raw}'; take another name")
        group = len(old)
        start, end = (place.span.start + at for at in found.span(group))
        yield start, end, new


def _called(text: str, place: Place, old: str, new: str) -> Iterator[tuple[int, int, str]]:
    """Where a table stands in a formula: like a function."""
    start = place.span.start
    for found in _WORD.finditer(text[start : place.span.end]):
        if found[1] == old and found[3] and not found[2]:
            yield start + found.start(1), start + found.end(1), new


def _traces(span: Span | None, old: str, new: str) -> list[tuple[int, int, str]]:
    if span is None:
        return []
    return [(one.start, one.end, new) for one in span.scalars() if one.value == old]


def _set_by_events(text: str, root: Span, old: str, new: str) -> Iterator[tuple[int, int, str]]:
    events = root.at("events")
    for event in [] if events is None else events.entries:
        settings = event.value.at("set")
        for entry in [] if settings is None else settings.entries:
            if entry.key == old:
                yield entry.start, entry.end, renamed_key(text, root, entry, new)


# Where names may stand ------------------------------------------------------------------------------------------------


def _places(root: Span) -> Iterator[Place]:
    """All scalars that are references or formulas."""
    for entry in root.entries:
        known = vocabulary.TOP.get(entry.key)
        if (known is not None and known.what in SILENT) or entry.key in ("types", "library"):
            continue  # types have names of their own
        if entry.key in ("joints", *vocabulary.SECTIONS):
            for part in entry.value.entries:
                yield from _of_part(entry.key, part.value)
        elif entry.key == "assemblies":
            for part in entry.value.entries:
                inner = [own.value for own in part.value.entries if own.key != "type"]
                yield from (Place(one, ()) for span in inner for one in span.scalars())
        elif entry.key == "include":
            for one in entry.value.items or [entry.value]:
                yield from (Place(s, ()) for s in _scalars(one.at("parameters")))
        elif known is not None and known.table:
            parts = entry.value.entries if known.what == vocabulary.NAMED else [entry]
            for part in parts:
                yield from _of_table(part.value, known.table)
        else:
            yield from (Place(span, ()) for span in entry.value.scalars())


def _scalars(span: Span | None) -> Iterator[Span]:
    if span is not None:
        yield from span.scalars()


def _of_table(span: Span, table: Mapping[str, Any]) -> Iterator[Place]:
    for entry in span.entries:
        key = table.get(entry.key)
        if entry.key == "traces" or (key is not None and key.what in SILENT):
            continue
        inner = getattr(key, "table", None)
        if inner and key is not None and key.what == vocabulary.TABLE_OF:
            yield from _of_table(entry.value, inner)
        else:
            yield from (Place(one, ()) for one in entry.value.scalars())


def _of_part(section: str, part: Span) -> Iterator[Place]:
    written = part.at("type")
    kind = vocabulary.DEFAULT_TYPES.get(section, "") if written is None else str(written.value)
    keys: Mapping[str, Key] = {}
    joint = section == "joints" and kind in vocabulary.JOINTS
    if joint:
        keys = vocabulary.JOINTS[kind]
    elif component := next((kinds[kind] for kinds in vocabulary.SECTIONS.values() if kind in kinds), None):
        keys = component.keys
    for entry in part.entries:
        key = keys.get(entry.key)
        if entry.key in ("type", vocabulary.FROM) or (key is not None and key.what in SILENT):
            continue
        local: set[str] = set(key.local) if key is not None else set()
        if entry.key == "equations" and joint:
            local |= JOINT_SYMBOLS
        if entry.key in ("rates", "outputs"):
            for other in ("states", "inputs", "outputs"):
                own = part.at(other)
                local |= {one.key for one in own.entries} if own is not None else set()
        yield from (Place(one, local) for one in entry.value.scalars())
