"""Sentences about a whole mechanism put to the lines of the parts they speak of."""

from __future__ import annotations

import re

from .nodes import Mark
from .scope import Faults

_SUBJECT = re.compile(r"(?:[a-z][\w-]*(?: [\w-]+)*) '([^']+)'")
_POINT_NAME = re.compile(r"point name '([^']+)' of '([^']+)'")
_QUOTED = re.compile(r"'([^']+)'")
_WORD = re.compile(r"\w+")


def located(sentence: str, faults: Faults, start: Mark) -> Mark | None:
    """Where a sentence belongs; None where it only follows from what was found wrong while reading."""
    subject = _subject(sentence, faults)
    if subject is None:
        return _elsewhere(sentence, faults, start)
    if "there is no" in sentence and any(name.partition(".")[0] in faults.lost for name in _QUOTED.findall(sentence)):
        return None
    marks = faults.parts[subject]
    broken = {key for part, key in faults.broken if part == subject}
    rest = sentence[sentence.index(f"'{subject}'") + len(subject) + 2 :]
    key = next((word for word in _WORD.findall(rest) if word in marks or word in broken), "")
    if broken and (key in broken or not key):
        return None
    return marks.get(key, marks[""])


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
    if sentence.startswith("the mechanism has no bodies") and ("", "bodies") in faults.broken:
        return None
    top = faults.parts.get("", {})
    if sentence.startswith("switched off"):
        return top.get("off", start)
    if sentence.startswith("gravity"):
        return top.get("gravity", start)
    for word in re.findall(r"[\w.]+", sentence):
        name = word.partition(".")[0]
        if name in faults.parts and name:
            return faults.parts[name][""]
    return start
