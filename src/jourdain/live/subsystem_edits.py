"""Subsystems of a live system, in and out: all parts under a name of their own, `b_bar`, `b_pivot`.

A live system is the one mechanism that it stands for. A subsystem comes as a file that is included with a prefix; it
goes with its entry among the included files, or, where its parts are written out, part by part.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..files import text_changes as change
from ..files.spans import LIST, MAPPING, Span, spans
from ..mechanism.names import is_identifier
from ..mechanism.parts import GROUND
from .operations import SECTIONS, SUBSYSTEMS, OperationError

KEYS = ("path", "parameters")
ROOMS: tuple[tuple[str, ...], ...] = (*((section,) for section in SECTIONS), (GROUND, "points"))


def name_of(part: str) -> str:
    """`b` of `subsystems.b`; empty if it is another part."""
    section, _, name = part.partition(".")
    return name if section == SUBSYSTEMS else ""


def inserted(text: str, root: Span, name: str, value: Any) -> str:
    """With the file of a subsystem among those that are included."""
    if not is_identifier(name):
        raise OperationError(f"insert: '{name}' cannot be a name; expected letters, digits and underscores")
    if not isinstance(value, Mapping) or "path" not in value or set(value) - set(KEYS):
        raise OperationError(f"insert {SUBSYSTEMS}.{name}: expected the path of a file, and parameters if they differ")
    if _included(root, name) is not None or _parts(root, name):
        raise OperationError(f"insert {SUBSYSTEMS}.{name}: there are parts called {name}_.. already")
    entry = {"path": value["path"], "prefix": f"{name}_"}
    entry |= {"parameters": value["parameters"]} if "parameters" in value else {}
    listed, as_json = root.at("include"), change.is_json(root, text)
    if listed is None or listed.empty:
        return change.inserted(text, root, ("include",), [entry])
    if listed.what == LIST:
        return change.item_added(text, listed, entry, as_json)
    raise OperationError(f"insert {SUBSYSTEMS}.{name}: write include as a list first")


def removed(text: str, root: Span, name: str) -> str:
    """Without a subsystem. What refers to it is another matter: the text is read and refused then."""
    found, listed = _included(root, name), root.at("include")
    if found is not None and listed is not None:
        if listed.what == LIST and len(listed.items) > 1:
            return change.item_removed(text, listed, found)
        entry = root.entry("include")
        return text if entry is None else change.removed(text, root, entry)
    if not _parts(root, name):
        raise OperationError(f"remove: there is no subsystem '{name}', for no part is called {name}_..")
    while parts := _parts(root, name):
        room, key = parts[0]
        owner = root.at(*room)
        entry = None if owner is None else owner.entry(key)
        if owner is None or entry is None:
            break
        text = change.removed(text, owner, entry)
        root = spans(text)
    return text


def _included(root: Span, name: str) -> int | None:
    """Which of the included files it is."""
    listed = root.at("include")
    items = [] if listed is None else [listed] if listed.what == MAPPING else listed.items
    prefixes = [item.at("prefix") for item in items]
    return next((k for k, p in enumerate(prefixes) if p is not None and p.value == f"{name}_"), None)


def _parts(root: Span, name: str) -> list[tuple[tuple[str, ...], str]]:
    """Parts that are written out."""
    rooms = [(room, root.at(*room)) for room in ROOMS]
    return [
        (room, entry.key)
        for room, owner in rooms
        if owner is not None
        for entry in owner.entries
        if str(entry.key).startswith(f"{name}_")
    ]
