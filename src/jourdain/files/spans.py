"""Where each value of a file stands in its text, character by character, so that one of them can be changed alone.

`nodes.py` reads what a file says; this says where. Both take the same events of the same parser. A collection in block
style ends with its last value: comments and empty lines behind it belong to nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from .nodes import LOADER, plain_scalar

MAPPING, LIST, SCALAR, ALIAS = "mapping", "list", "scalar", "alias"


@dataclass
class Entry:
    """A key of a mapping and its value."""

    key: str
    start: int
    end: int
    value: Span


@dataclass
class Span:
    """A value: text[start:end], with an anchor before it where it has one."""

    what: str
    start: int
    end: int
    flow: bool = False  # in brackets
    style: str = ""  # of a scalar: how it is quoted; empty: plainly written
    value: Any = None  # of a scalar
    anchored: bool = False
    entries: list[Entry] = field(default_factory=list)
    items: list[Span] = field(default_factory=list)

    def entry(self, key: str) -> Entry | None:
        """The first entry of that key; None if there is none."""
        return next((entry for entry in self.entries if entry.key == key), None)

    def at(self, *steps: str | int) -> Span | None:
        """The value below keys and places; None where it is not written, or where an alias stands for it."""
        found: Span | None = self
        for step in steps:
            if found is None:
                return None
            if isinstance(step, int):
                found = found.items[step] if step < len(found.items) else None
            else:
                entry = found.entry(step)
                found = None if entry is None else entry.value
        return found

    @property
    def empty(self) -> bool:
        """Whether nothing is written, as behind `joints:` alone."""
        return self.what == SCALAR and self.value is None and self.start == self.end

    def scalars(self) -> Iterator[Span]:
        """All scalars inside."""
        if self.what == SCALAR:
            yield self
        for entry in self.entries:
            yield from entry.value.scalars()
        for item in self.items:
            yield from item.scalars()


def spans(text: str) -> Span:
    """The root of a text that `nodes.parse` can read."""
    stack: list[Span] = []
    waiting: list[Span | None] = []  # keys whose values come next
    root = Span(SCALAR, 0, 0)
    for event in yaml.parse(text, Loader=LOADER):
        kind = type(event)
        if kind in (yaml.MappingEndEvent, yaml.SequenceEndEvent):
            done = stack.pop()
            waiting.pop()
            done.end = event.end_mark.index if done.flow else _last(done)
            continue
        if not isinstance(event, yaml.NodeEvent):
            continue
        span = _span(event, kind)
        if stack:
            _attach(stack[-1], span, waiting)
        else:
            root = span
        if span.what in (MAPPING, LIST):
            stack.append(span)
            waiting.append(None)
    return root


def _span(event: Any, kind: type) -> Span:
    start, end = event.start_mark.index, event.end_mark.index
    if kind is yaml.AliasEvent:
        return Span(ALIAS, start, end)
    anchored = event.anchor is not None
    if kind is yaml.ScalarEvent:
        value = event.value if event.style else plain_scalar(event.value)
        return Span(SCALAR, start, end, style=event.style or "", value=value, anchored=anchored)
    what = MAPPING if kind is yaml.MappingStartEvent else LIST
    return Span(what, start, end, flow=bool(event.flow_style), anchored=anchored)


def _attach(owner: Span, span: Span, waiting: list[Span | None]) -> None:
    if owner.what == LIST:
        owner.items.append(span)
        return
    key = waiting[-1]
    if key is None:
        waiting[-1] = span
        return
    waiting[-1] = None
    name = key.value
    name = str(name).lower() if isinstance(name, bool) else str(name)
    owner.entries.append(Entry(name, key.start, key.end, span))


def _last(span: Span) -> int:
    ends = [max(entry.end + 1, entry.value.end) for entry in span.entries] + [item.end for item in span.items]
    return max(ends, default=span.end)
