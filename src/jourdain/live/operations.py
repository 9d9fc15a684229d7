"""Operations: the one vocabulary by which documents, live machines and recordings change, and what each needs.

{do: set, number: crank.mass, value: 3 kg}
{do: insert, part: joints.B, value: {type: revolute, ..}, close: ramp}
{do: remove, part: joints.B}
{do: insert, part: subsystems.b, value: {path: arm.yaml, parameters: {k: 300}}}
{do: rename, part: bodies.crank, to: arm}
{do: move, part: bodies.crank.points.B, to: [1, 0]}
{do: choose, integrator: rk4}
{do: text, value: ..}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..mechanism.errors import JourdainError
from ..mechanism.names import nearest
from ..session.preparing import CHOICES

RAMP, NOW = "ramp", "now"
# What each needs, and what it may have besides.
KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "set": (("number", "value"), ("close",)),
    "insert": (("part", "value"), ("close",)),
    "remove": (("part",), ("close",)),
    "rename": (("part", "to"), ()),
    "move": (("part", "to"), ("close",)),
    "choose": ((), CHOICES),
    "text": (("value",), ("close",)),
}
TEXTS = ("number", "part")
SECTIONS = (
    *("bodies", "assemblies", "joints", "relations", "forces", "elements", "motions", "events", "parameters"),
    "tables",
)
SUBSYSTEMS = "subsystems"
MOST = 10**7  # letters of an operation


class OperationError(JourdainError):
    """An operation that cannot be carried out; nothing was changed."""


def checked(operation: Any) -> dict[str, Any]:
    """An operation as a plain table, if it is one. Raises OperationError."""
    if not isinstance(operation, Mapping) or "do" not in operation:
        raise OperationError(f"{str(operation)[:80]!r} is no operation; expected a table such as {{do: set, ..}}")
    found = {str(key): value for key, value in operation.items()}
    do = found["do"]
    if not isinstance(do, str) or do not in KEYS:
        raise OperationError(f"there is no operation {do!r}; {nearest(do, KEYS)}")
    needed, more = KEYS[do]
    for key in needed:
        if key not in found:
            raise OperationError(f"{do}: {key} is missing")
    for key in found:
        if key not in ("do", *needed, *more):
            raise OperationError(f"{do} has no key '{key}'; {nearest(key, (*needed, *more))}")
    for key in TEXTS:
        if key in found and not isinstance(found[key], str):
            raise OperationError(f"{do}: {key} is {found[key]!r}; expected a name")
    if found.get("close", RAMP) not in (RAMP, NOW):
        raise OperationError(f"{do}: close is {found['close']!r}; expected 'ramp' or 'now'")
    try:
        text = json.dumps(found, default=lambda value: value.tolist())  # numbers and arrays of numpy
    except (TypeError, ValueError, RecursionError, AttributeError):
        raise OperationError(f"{do}: only texts, numbers, lists and tables can be written") from None
    if len(text) > MOST:
        raise OperationError(f"{do}: an operation of {len(text)} letters is too long (at most {MOST})")
    plain: dict[str, Any] = json.loads(text)
    return plain
