"""What is wrong with a file, gathered while it is read, with the places that later sentences are put to."""

from __future__ import annotations

from dataclasses import dataclass, field

from .nodes import Mark, Node

MAX_FAULTS = 200


class EnoughError(Exception):
    """So many faults that nobody reads on."""


@dataclass
class Faults:
    """Everything found wrong, with its place; and which keys of which parts it concerns."""

    found: list[tuple[Mark, str]] = field(default_factory=list)
    parts: dict[str, dict[str, Mark]] = field(default_factory=dict)  # by part: marks of its keys, "" of itself
    nodes: dict[str, tuple[Node, str]] = field(default_factory=dict)  # by part: what is written, and its prefix
    broken: dict[str, set[str]] = field(default_factory=dict)  # by part: keys whose value could not be read
    lost: set[str] = field(default_factory=set)  # parts that could not be made at all
    partial: bool = False  # a whole section was not understood, so that any name may be missing

    def add(self, mark: Mark, words: str) -> None:
        self.found.append((mark, words))
        if len(self.found) > MAX_FAULTS:
            raise EnoughError

    def mark_broken(self, part: str, key: str) -> None:
        self.broken.setdefault(part, set()).add(key)

    def is_broken(self, part: str | None, key: str) -> bool:
        return part is not None and key in self.broken.get(part, ())

    def lines(self) -> list[str]:
        """The faults in the order of the file, each once."""
        ordered = sorted(dict.fromkeys(self.found), key=lambda fault: fault[0])
        return [f"{mark}: {words}" for mark, words in ordered]
