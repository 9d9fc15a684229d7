"""What is wrong with a file, gathered while it is read, and where in it later faults of its parts belong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..mechanism.fault import Fault, Mark, TypeMark
from ..mechanism.parts import GROUND
from .nodes import Node

MAX_FAULTS = 200
# What a file may write instead of a key of the mechanism.
_INSTEAD = {
    "between": ("bodies",),
    "from_drawn": ("from",),
    "mass": ("density", "shape"),
    "inertia": ("shape",),
    "spin": ("spin_body",),
    "z": ("axis",),
    "axis": ("z",),
}


class EnoughError(Exception):
    """So many faults that nobody reads on."""


@dataclass(frozen=True)
class WrittenPart:
    """A part as a file has it: where its name stands, what follows it, and the prefix of an included file."""

    mark: Mark
    node: Node
    prefix: str

    def mark_of(self, fault: Fault) -> Mark:
        """Where the key of a fault is written, or the name in its value; the part itself where there is none."""
        mark, node = self.mark, self.node
        for key in filter(None, fault.key.split(".")):
            inner = _inside(node, key)
            if inner is None:
                break
            mark, node = inner.mark, inner
        if fault.name:
            word = re.compile(rf"(?<!\w){re.escape(self._as_written(fault.name))}(?!\w)")
            texts = (*_texts(node), *_texts(self.node))
            return next((place for text, place in texts if word.search(text)), mark)
        return mark

    def _as_written(self, name: str) -> str:
        """A name of the mechanism as the file has it, without the prefix."""
        head, dot, rest = name.partition(".")
        if head == GROUND:
            return head + dot + rest.removeprefix(self.prefix)
        return name.removeprefix(self.prefix)


def _inside(node: Node, key: str) -> Node | None:
    if isinstance(node.value, list) and key.isdigit() and int(key) < len(node.value):
        found: Node = node.value[int(key)]
        return found
    if key == "at" and isinstance(node.value, list):  # a point written as its place alone
        return node
    return next((node[name] for name in (key, *_INSTEAD.get(key, ())) if name in node), None)


def _texts(node: Node) -> Iterator[tuple[str, Mark]]:
    """Every text in a node, keys of tables too, in the order written."""
    if isinstance(node.value, dict):
        for key, item in node.items():
            yield from _texts(item)
            yield key, node.keys[key]
    elif isinstance(node.value, list):
        for item in node.value:
            yield from _texts(item)
    elif isinstance(node.value, str):
        yield node.value, node.mark


def part_of(parts: Mapping[str, WrittenPart], fault: Fault) -> WrittenPart | None:
    """What a fault is about, of the parts of a file: one of a point without a line of its own is about its body."""
    return parts.get(fault.part) or parts.get(fault.part.partition(".")[0])


@dataclass
class Faults:
    """Everything found wrong, with its place; and which keys of which parts it concerns."""

    found: list[Fault] = field(default_factory=list)
    parts: dict[str, WrittenPart] = field(default_factory=dict)  # by name, "" for the file as such
    broken: dict[str, set[str]] = field(default_factory=dict)  # by part: keys whose value could not be read
    lost: set[str] = field(default_factory=set)  # parts that could not be made at all
    in_types: set[tuple[Mark, str]] = field(default_factory=set)  # places in types of which something was told
    partial: bool = False  # a whole section was not understood, so that any name may be missing

    def add(self, fault: Fault) -> None:
        if isinstance(fault.mark, TypeMark):  # what is wrong in a type is told where it is used first
            place = (fault.mark.inside, fault.key)
            if place in self.in_types:
                return
            self.in_types.add(place)
        self.found.append(fault)
        if len(self.found) > MAX_FAULTS:
            raise EnoughError

    def mark_broken(self, part: str, key: str) -> None:
        self.broken.setdefault(part, set()).add(key)

    def is_broken(self, part: str | None, key: str) -> bool:
        return part is not None and key in self.broken.get(part, ())

    def mark_of(self, fault: Fault, start: Mark) -> Mark | None:
        """Where a fault of the mechanism belongs; None where it only follows from what was found while reading."""
        if fault.missing and (self.partial or fault.name.partition(".")[0] in self.lost):
            return None
        if fault.used and self.broken.get(fault.used):
            return None
        written = part_of(self.parts, fault)
        if written is None:
            return start
        key, broken = fault.key.partition(".")[0], self.broken.get(fault.part)
        if broken and key and (key in broken or _inside(written.node, key) is None):
            return None
        return written.mark_of(fault)

    def in_order(self) -> list[Fault]:
        """The faults in the order of the file, each sentence once."""
        once = {str(fault): fault for fault in self.found}
        return sorted(once.values(), key=lambda fault: fault.mark or Mark("", 0, 0))
