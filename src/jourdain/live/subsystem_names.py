"""Names of parts of subsystems as a system has them: `b.bar.x` is `b_bar.x` of the one mechanism that runs.

A name is read so only where it means nothing otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..mechanism.parts import GROUND, Blueprint
from ..modular.joined import names_of
from ..modular.link_names import DOTTED
from .operations import SUBSYSTEMS

SPOKEN = ("number", "part", "value", "to")


def parts_of(blueprint: Blueprint) -> frozenset[str]:
    """Everything that has a name."""
    return frozenset((*names_of(blueprint), GROUND))


def known(name: str, all_parts: Callable[[], Collection[str]]) -> str:
    """The name of a part, or of what belongs to it, as the mechanism has it; as it is where there is none."""
    if "." not in name:
        return name
    steps, parts = name.split("."), all_parts()
    if any(".".join(steps[:k]) in parts for k in range(1, len(steps) + 1)):
        return name
    heads = ("_".join(steps[:k]) for k in range(2, len(steps) + 1))
    for k, head in enumerate(heads, 2):
        if head in parts:
            return ".".join([head, *steps[k:]])
    return name


def understood(operation: Mapping[str, Any], parts: Callable[[], Collection[str]]) -> dict[str, Any]:
    """An operation in names of the mechanism. Whole texts, and subsystems, are as they are given."""
    found = dict(operation)
    part = found.get("part")
    if found.get("do") == "text" or (isinstance(part, str) and part.partition(".")[0] == SUBSYSTEMS):
        return found
    for key in SPOKEN:
        if key == "part" and isinstance(part, str):
            section, dot, rest = part.partition(".")
            found[key] = f"{section}{dot}{known(rest, parts)}"
        elif key in found:
            found[key] = _in(found[key], parts)
    return found


def _in(value: Any, parts: Callable[[], Collection[str]]) -> Any:
    if isinstance(value, str):
        return DOTTED.sub(lambda name: known(name[1], parts), value)
    if isinstance(value, Mapping):
        return {key: _in(one, parts) for key, one in value.items()}
    return [_in(one, parts) for one in value] if isinstance(value, list | tuple) else value
