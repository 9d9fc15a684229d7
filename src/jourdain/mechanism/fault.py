"""A fault as data: which part it is about, which of its keys, and the sentence for the user."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from .names import LONGEST_LIST, shortened


class Mark(NamedTuple):
    """A place in a file; lines and columns count from 1."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


class TypeMark(Mark):
    """A place where a type is used, which is its path, line and column; `inside` is a place in the type itself."""

    inside: Mark

    @classmethod
    def of(cls, used: Mark, inside: Mark) -> TypeMark:
        """Of both, the outermost use and the innermost type where types use each other."""
        found = cls(*used)
        found.inside = inside.inside if isinstance(inside, TypeMark) else inside
        return found

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column} (type at {self.inside})"


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong. `str(fault)` is the sentence, behind its place where it was found in a file.

    `part` names a body, joint, force, ... or a point (`crank.B`), as the mechanism has them; it is empty where the
    fault is about the whole mechanism. `key` is what was written wrongly or is missing in it, with dots inside a value
    (`initial.angle`); it is empty where it is the part as such.

    >>> fault = Fault("crank", "mass", "body 'crank': mass is -3.0; expected a positive number")
    >>> fault.key, str(fault), "expected a positive" in fault
    ('mass', "body 'crank': mass is -3.0; expected a positive number", True)
    """

    part: str
    key: str
    words: str
    name: str = ""  # that is written inside the value and is wrong there
    missing: bool = False  # nothing has that name: the fault goes with whatever hid the part that bears it
    used: str = ""  # a joint that is not what is needed here: the fault goes with those of that joint itself
    in_file: str = ""  # the sentence as users of files know things, where the words of Python are others
    mark: Mark | None = None

    def __post_init__(self) -> None:
        if len(self.words) > LONGEST_LIST:
            object.__setattr__(self, "words", shortened(self.words))

    def __str__(self) -> str:
        return self.words if self.mark is None else f"{self.mark}: {self.words}"

    def __contains__(self, text: str) -> bool:
        """Whether the sentence has these words in it."""
        return text in str(self)

    def at(self, mark: Mark) -> Fault:
        """The same at its place in a file, in the words of files."""
        return replace(self, words=self.in_file or self.words, in_file="", mark=mark)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: part, key and words, and of a file also path, line and column."""
        place: dict[str, Any] = {} if self.mark is None else self.mark._asdict()
        if isinstance(self.mark, TypeMark):
            place["type_at"] = self.mark.inside._asdict()
        return {"part": self.part, "key": self.key, "words": self.words, **place}


class Expected(NamedTuple):
    """What should have been written, as Python has it and as a file has it."""

    python: str
    file: str


class Where(NamedTuple):
    """What a value belongs to, and how sentences call it: `body 'crank': mass`."""

    part: str
    key: str
    said: str

    def __str__(self) -> str:
        return self.said

    def __format__(self, spec: str) -> str:
        return format(self.said, spec)

    def at(self, key: str) -> Where:
        """One of its keys."""
        return Where(self.part, f"{self.key}.{key}" if self.key else key, f"{self.said}: {key}")

    def fault(self, words: str, expected: Expected | None = None, **more: Any) -> Fault:
        """A fault of this part and key. What was `expected` ends the sentence."""
        if expected is None:
            return Fault(self.part, self.key, words, **more)
        said, in_file = (f"{words}; expected {text}" for text in expected)
        return Fault(self.part, self.key, said, in_file=in_file if expected.file != expected.python else "", **more)

    def key_fault(self, key: str, words: str, **more: Any) -> Fault:
        """A fault of one of its keys, in a sentence that begins with the part."""
        return self.at(key).fault(f"{self}: {words}", **more)


def about(kind: str, name: str) -> Where:
    """A part by its kind and name."""
    return Where(name, "", f"{kind} '{name}'")


def whole(key: str) -> Where:
    """A key of the mechanism itself, such as gravity."""
    return Where("", key, key)
