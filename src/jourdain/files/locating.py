"""Sentences about a whole mechanism put to the lines of the parts they speak of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .faults import Faults
from .nodes import Mark, Node

_SUBJECT = re.compile(r"(?:[a-z][\w-]*(?: [\w-]+)*) '([^']+)'")
_POINT_NAME = re.compile(r"point name '([^']+)' of '([^']+)'")
_QUOTED = re.compile(r"'([^']+)'")
_KEY = re.compile(r"(?: has an unknown key '(\w+)'|: (\w+))")
_USES_JOINT = re.compile(r"joint '(\w+)' is a [\w-]+ joint, which has")
# Sentences that name something that is written wrongly within the part, or that should be there.
_NAMES = ("there is no", "has no point", "unknown name", "has no channel", "which has no")
# Which key a sentence is about that names none, by a word in it.
_ABOUT = (
    ("joint in the plane", ("type",)),
    ("to itself", ("between", "bodies")),
    ("body", ("between", "bodies", "on")),
    ("point", ("between", "on", "point")),
    ("joint", ("joint", "joints")),
    ("equation", ("equations",)),
)
# What the builder says of Python, in the words of a file.
_WORDS = (
    ("add at least one with m.body(...)", "add at least one under bodies"),
    ("numbers, formulas or functions", "numbers or formulas"),
    ("a number, a formula or a function", "a number or a formula"),
    ("a number, a formula, a function of t or a table of pairs", "a number, a formula or a table of pairs"),
    ("crank['B']", "crank.B"),
    ("True or False", "true or false"),
    ("{'box': (1, 0.2)}", "{box: [1, 0.2]}"),
)


def in_words_of_files(sentence: str) -> str:
    for python, words in _WORDS:
        sentence = sentence.replace(python, words)
    return sentence


def consequences_dropped(sentences: Sequence[str]) -> Iterator[str]:
    """Without those that blame a part for the wrong type of a joint that is at fault itself."""
    blamed = {found[1] for sentence in sentences if (found := re.match(r"joint '(\w+)'", sentence))}
    for sentence in sentences:
        used = _USES_JOINT.search(sentence)
        if used is None or used[1] not in blamed:
            yield sentence


def located(sentence: str, faults: Faults, start: Mark) -> Mark | None:
    """Where a sentence belongs; None where it only follows from what was found wrong while reading."""
    subject = _subject(sentence, faults)
    missing = "there is no" in sentence or "has no bodies" in sentence
    if missing and (faults.partial or any(name.partition(".")[0] in faults.lost for name in _QUOTED.findall(sentence))):
        return None
    if (used := _USES_JOINT.search(sentence)) and faults.broken.get(used[1]):
        return None
    if subject is None:
        return _elsewhere(sentence, faults, start)
    marks = faults.parts[subject]
    broken = faults.broken.get(subject, set())
    rest = sentence.partition(f"'{subject}'")[2] or sentence
    found = _KEY.match(rest)
    key = (found[1] or found[2]) if found else ""
    if broken and (key in broken or key not in marks):
        return None
    if any(words in rest for words in _NAMES) and (place := _leaf(faults, subject, rest)):
        return place
    return marks[key] if key and key in marks else _about(rest, marks)


def _about(rest: str, marks: dict[str, Mark]) -> Mark:
    for name in _QUOTED.findall(rest):
        if name in marks:
            return marks[name]
    for word, keys in _ABOUT:
        if word in rest:
            for key in keys:
                if key in marks:
                    return marks[key]
    return marks[""]


def _leaf(faults: Faults, subject: str, rest: str) -> Mark | None:
    """Where one of the names that a sentence quotes is written, the last quoted one first: it is the narrowest."""
    if subject not in faults.nodes:
        return None
    node, prefix = faults.nodes[subject]
    told = rest.partition("known:")[0]
    for name in reversed(_QUOTED.findall(told)):
        word = re.compile(rf"(?<!\w){re.escape(name.removeprefix(prefix))}(?!\w)")
        for text, mark in _texts(node):
            if word.search(text):
                return mark
    return None


def _texts(node: Node) -> Iterator[tuple[str, Mark]]:
    """Every text below a node, keys of tables too, in the order written."""
    if isinstance(node.value, dict):
        for key, item in node.items():
            yield from _texts(item)
            yield key, node.keys[key]
    elif isinstance(node.value, list):
        for item in node.value:
            yield from _texts(item)
    elif isinstance(node.value, str):
        yield node.value, node.mark


def _subject(sentence: str, faults: Faults) -> str | None:
    """The part that a sentence begins with."""
    found = _POINT_NAME.match(sentence)
    if found is not None:
        return next((name for name in (f"{found[2]}.{found[1]}", found[2]) if name in faults.parts), None)
    found = _SUBJECT.match(sentence)
    if found is not None and found[1] in faults.parts:
        return found[1]
    first = _QUOTED.match(sentence)
    return first[1] if first is not None and first[1] in faults.parts else None


def _elsewhere(sentence: str, faults: Faults, start: Mark) -> Mark | None:
    """A sentence about no part: about the file, or about names within it."""
    top = faults.parts.get("", {})
    if sentence.startswith("switched off"):
        return top.get("off", start)
    if sentence.startswith("gravity"):
        return top.get("gravity", start)
    for word in re.findall(r"[\w.]+", sentence):
        name = word.partition(".")[0]
        if name and name in faults.parts:
            return faults.parts[name][""]
    return start
