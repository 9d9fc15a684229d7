"""The smallest changes of a text that change one value, key or entry: everything else stays as it was written.

Each function takes the text and where things stand in it (spans.py) and returns the text as it is then. What cannot be
done this way is refused: a value with an anchor is that of others too.
"""

from __future__ import annotations

import re
from typing import Any

from . import written_values as values
from .spans import ALIAS, LIST, MAPPING, Entry, Span

_END_OF_LINE = re.compile(r"\r\n|\n|\r|\Z")
_COMMA = re.compile(r"[ \t]*,")


class TextChangeError(ValueError):
    """Why a text cannot be changed in this way."""


def line_end_of(text: str) -> str:
    """What ends its lines."""
    found = re.search(r"\r\n|\n|\r", text)
    return found[0] if found else "\n"


def is_json(root: Span, text: str) -> bool:
    """Whether a text is JSON: all of it in brackets, keys in quotes."""
    return root.flow and bool(root.entries) and text[root.entries[0].start] == '"'


def replaced(text: str, old: Span, value: Any, as_json: bool) -> str:
    """With another value there."""
    if old.anchored:
        raise TextChangeError("other values refer to it by its anchor (&); change the text itself")
    new = values.scalar(value, as_json)
    before = ""
    if old.empty and text[old.start - 1 : old.start] not in (" ", "["):
        before = " "
    if old.style in ("|", ">"):  # it ends with its last line
        new += line_end_of(text) if text[old.start : old.end].endswith(("\n", "\r")) else ""
    if old.what in (MAPPING, LIST) and not old.flow:  # behind the key again
        raise TextChangeError("its values stand in lines of their own; change them one by one, or the text itself")
    return text[: old.start] + before + new + text[old.end :]


def renamed(text: str, entry: Entry, name: str, as_json: bool) -> str:
    """With another key."""
    return text[: entry.start] + (f'"{name}"' if as_json else name) + text[entry.end :]


# Insertion ------------------------------------------------------------------------------------------------------------


def inserted(text: str, root: Span, steps: tuple[str, ...], value: Any) -> str:
    """With one more entry; mappings on the way that are not there yet come with it."""
    owner, deepest = root, 0
    for step in steps[:-1]:
        found = owner.entry(step)
        if found is None or found.value.empty:
            break
        if found.value.what == ALIAS:
            raise TextChangeError(f"'{step}' is written elsewhere, and stands here by an alias (*); change the text")
        if found.value.what != MAPPING:
            raise TextChangeError(f"'{step}' holds no names, but a value")
        owner, deepest = found.value, deepest + 1
    rest = steps[deepest:]
    for step in reversed(rest[1:]):
        value = {step: value}
    if owner.anchored and owner is not root:
        raise TextChangeError("other values refer to it by its anchor (&); change the text itself")
    known = owner.entry(rest[0])
    if known is None:
        return _appended(text, owner, rest[0], value, is_json(root, text))
    if len(rest) == 1:
        raise TextChangeError(f"'{'.'.join(steps)}' is there already; remove it first, or set its numbers")
    return _filled(text, owner, known, value, is_json(root, text))


def _appended(text: str, owner: Span, key: str, value: Any, as_json: bool) -> str:
    if owner.flow:
        one = values.in_one_line({key: value}, as_json)[1:-1]
        if not owner.entries:
            inside = text.index("{", owner.start) + 1
            return text[:inside] + one + text[inside:]
        end = owner.entries[-1].value.end
        end = max(end, owner.entries[-1].end)
        return text[:end] + ", " + one + text[end:]
    if not owner.entries:
        raise TextChangeError("there is nothing to put it to")
    indent = _column(text, owner.entries[0].start)
    place = _line_after(text, owner.end)
    return _new_lines(text, place, " " * indent, values.entry(key, value, indent, line_end_of(text)))


def _filled(text: str, owner: Span, known: Entry, value: Any, as_json: bool) -> str:
    """A key with nothing behind it gets its first entries."""
    if owner.flow:
        return replaced(text, known.value, value, as_json)
    indent = _column(text, known.start) + 2
    lines = line_end_of(text).join(
        (" " * indent if n else "") + values.entry(name, item, indent, line_end_of(text))
        for n, (name, item) in enumerate(value.items())
    )
    return _new_lines(text, _line_after(text, known.end), " " * indent, lines)


def _new_lines(text: str, place: int, indent: str, lines: str) -> str:
    end = line_end_of(text)
    before = end if place and text[place - 1] not in "\r\n" else ""
    return text[:place] + before + indent + lines + (end if not before else "") + text[place:]


def _column(text: str, place: int) -> int:
    line = max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1
    return place - line


def _line_after(text: str, place: int) -> int:
    """Where the next line begins after what ends at a place; a comment behind it is of its line."""
    if place and text[place - 1] in "\r\n":
        return place
    found = _END_OF_LINE.search(text, place)
    return found.end() if found else len(text)


# Removal --------------------------------------------------------------------------------------------------------------


def removed(text: str, owner: Span, entry: Entry) -> str:
    """Without an entry. Comments in lines of their own stay."""
    if any(span.anchored for span in (entry.value, *_inside(entry.value))):
        raise TextChangeError("other values may refer to it by its anchor (&); change the text itself")
    if owner.flow:
        return _without_flow(text, owner, entry)
    line = entry.start - _column(text, entry.start)
    start = line if not text[line : entry.start].strip() else entry.start
    place = _line_after(text, max(entry.end + 1, entry.value.end))
    if start != line:  # behind the dash of a list
        raise TextChangeError("it stands in a list; change the text itself")
    return text[:start] + text[place:]


def _inside(span: Span) -> list[Span]:
    below = [entry.value for entry in span.entries] + span.items
    return below + [inner for one in below for inner in _inside(one)]


def _without_flow(text: str, owner: Span, entry: Entry) -> str:
    number, end = owner.entries.index(entry), max(entry.end, entry.value.end)
    comma = _COMMA.match(text, end)
    if comma is not None:
        rest = comma.end()
        while text[rest : rest + 1] in (" ", "\t"):
            rest += 1
        return text[: entry.start] + text[rest:]
    if number == 0:
        return text[: entry.start] + text[end:]
    before = max(owner.entries[number - 1].end, owner.entries[number - 1].value.end)
    comma = _COMMA.match(text, before)
    kept = text[comma.end() if comma else before : entry.start]
    return text[:before] + (kept if "#" in kept else "") + text[end:]


# Lists ----------------------------------------------------------------------------------------------------------------


def item_added(text: str, owner: Span, value: Any, as_json: bool) -> str:
    """With one more item at the end of a list."""
    one = values.in_one_line(value, as_json)
    if not owner.items:
        inside = text.index("[", owner.start) + 1
        return text[:inside] + one + text[inside:]
    last = owner.items[-1]
    if owner.flow:
        return text[: last.end] + ", " + one + text[last.end :]
    first = owner.items[0].start
    indent = text[first - _column(text, first) : first]
    return _new_lines(text, _line_after(text, last.end), indent, one)


def item_removed(text: str, owner: Span, number: int) -> str:
    """Without an item of a list that has others."""
    item = owner.items[number]
    if not owner.flow:
        return text[: item.start - _column(text, item.start)] + text[_line_after(text, item.end) :]
    if number:
        return text[: owner.items[number - 1].end] + text[item.end :]
    return text[: item.start] + text[owner.items[1].start :]
