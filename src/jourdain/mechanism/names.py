"""Names: which are allowed, which are taken, and the nearest one to a mistyped one."""

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Container, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T")

RESERVED = frozenset({"ground", "energy", "violation", "t"})
# Names that mean a number in every formula, so that no parameter can bear them.
FORMULA_CONSTANTS = frozenset({"e", "pi"})

_NUMBERS = re.compile(r"[\[(\s]*-?[\d.]")  # how a list of numbers begins, or of pairs of them
_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")  # all but ends of lines and tabs


def is_identifier(name: object) -> bool:
    return isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name)


def plain(text: str) -> str:
    """A text with characters that command a terminal or turn the direction of writing as escapes: `\\u001b`."""
    return _COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


LONGEST_LIST = 160  # letters of numbers in brackets that are told as they are
FIRST = 3  # of longer lists


def shortened(text: str) -> str:
    """A text in which long lists of numbers are told by their first few and how many there are."""
    if len(text) <= LONGEST_LIST:
        return text
    found, k = [], 0
    while k < len(text):
        end = _closed(text, k) if text[k] in "[(" else k
        if end - k > LONGEST_LIST and _NUMBERS.match(text, k):
            items = _items(text[k + 1 : end])
            if len(items) > 2 * FIRST:
                found.append(f"{text[k]}{', '.join(items[:FIRST])}, ... {len(items)} in all{text[end]}")
                k = end + 1
                continue
        found.append(text[k])
        k += 1
    return "".join(found)


def _closed(text: str, begin: int) -> int:
    """Where the bracket that opens at `begin` is closed; `begin` where it is not."""
    depth = 0
    for k in range(begin, len(text)):
        depth += (text[k] in "[(") - (text[k] in "])")
        if depth == 0:
            return k
    return begin


def _items(text: str) -> list[str]:
    """What stands between the commas that are in no bracket."""
    items, depth = [""], 0
    for letter in text:
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            items.append("")
        else:
            items[-1] += letter
    return [item.strip() for item in items if item.strip()]


def is_plain(text: object) -> bool:
    """Whether it is a text that can be shown anywhere."""
    return isinstance(text, str) and plain(text) == text


def nearest(name: object, known: Iterable[str]) -> str:
    """A sentence part that lists what exists, of much what the same owner has, and points at the most similar name."""
    known, name = sorted(known), str(name)
    if not known:
        return "there are none"
    same = sorted((other for other in known if other.casefold() == name.casefold()), key=lambda n: n != name.lower())
    close = same or difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    owner = name.rpartition(".")[0] + "."
    of_owner = sorted((k for k in known if k.startswith(owner)), key=lambda k: (k.count("."), k))
    listed = (of_owner or known)[:12] if len(known) > 12 else known
    shown = ", ".join(listed) + (", ..." if len(known) > len(listed) else "")
    return f"known: {shown}" + (f" (did you mean '{close[0]}'?)" if close else "")


def is_part_name(name: object) -> bool:
    """An identifier, or several with dots between: `leg3.knee` is the knee of the assembly `leg3`."""
    return isinstance(name, str) and all(map(is_identifier, name.split(".")))


def owner_and_rest(name: str, owners: Container[str]) -> tuple[str, str]:
    """A dotted name as its owner, the longest there is, and the rest; the first word and the rest where there is none.

    >>> owner_and_rest("leg3.knee.angle", {"leg3.knee"}), owner_and_rest("crank.B.x", {"crank"})
    (('leg3.knee', 'angle'), ('crank', 'B.x'))
    """
    end = len(name)
    while end > 0:
        if name[:end] in owners:
            return name[:end], name[end + 1 :]
        end = name.rfind(".", 0, end)
    first, _, rest = name.partition(".")
    return first, rest


def counted(number: int, one: str, many: str = "") -> str:
    """`1 body`, `3 bodies`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


class Named(dict[str, T]):
    """A dict by name that answers a wrong name with the nearest right one."""

    def __init__(self, kind: str, items: Mapping[str, T]) -> None:
        super().__init__(items)
        self._kind = kind

    def __missing__(self, name: str) -> T:
        known = nearest(name, self) if self else "there is none"
        raise KeyError(f"no {self._kind} '{name}'; {known}")
