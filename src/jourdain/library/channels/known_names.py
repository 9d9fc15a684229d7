"""Which names formulas may use: parameters and channels, each with its level."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...mechanism.names import nearest, owner_and_rest
from ...mechanism.parts import GROUND, Blueprint
from ..levels import LEVELS, PARAMETER, POSITION, RESULT, VELOCITY
from . import Channels

ANY = "*"  # stands for the channels of a component whose own faults hide them: whoever uses them is not to blame


class Known(Mapping[str, str]):
    """Every name and its level; in place of a level, why nothing can depend on it. Looked up owner by owner."""

    def __init__(self, blueprint: Blueprint, results: Iterable[str] = ()) -> None:
        self._channels = Channels(blueprint)
        self.blueprint = blueprint
        self._more = {**dict.fromkeys(blueprint.parameters, PARAMETER), **dict.fromkeys(results, RESULT)}

    def __getitem__(self, name: str) -> str:
        name = self.blueprint.full_name(name)
        if name in self._more:
            return self._more[name]
        found = self._channels.find(name)
        if found is None:
            raise KeyError(name)
        return found.refused or found.level

    def __iter__(self) -> Iterator[str]:
        yield from (name for name in self._more if not self.is_channel(name))
        yield from (channel.name for channel in self._channels)
        yield from self._channels.of(GROUND)
        yield from (self.blueprint.other_name(name) for name in self._more if self.is_channel(name))

    def is_channel(self, name: str) -> bool:
        return "." in name and name not in self.blueprint.parameters

    def __len__(self) -> int:
        return sum(1 for _ in self)


def level_of(key: Any, known: Mapping[str, str]) -> str | None:
    """The level of a leaf's quantity; None where there is no such thing."""
    if isinstance(key, tuple):
        return VELOCITY if key[-1] == 1 else POSITION
    return known.get(key)


class Refusal(NamedTuple):
    """Why a name cannot stand in a formula, and whether that is because nothing has it."""

    words: str
    name: str
    missing: bool = False


def unusable(key: Any, known: Mapping[str, str], allowed: Iterable[str], local: Iterable[str] = ()) -> Refusal | None:
    """Why a leaf cannot stand here; None if it can. Names in `local` are offered beside the parameters."""
    kind = level_of(key, known)
    if kind is None:
        owners = known.blueprint.owners if isinstance(known, Known) else ()
        owner, rest = owner_and_rest(str(key), owners)
        if f"{owner}.{ANY}" in known:
            return None
        dot = "." in str(key)
        usable = [name for name in known if known.get(name) in LEVELS and ("." in name) == dot]
        siblings = [name for name in usable if dot and owner_and_rest(name, owners)[0] == owner]
        if siblings:
            known_here = nearest(rest, (name.removeprefix(f"{owner}.") for name in siblings))
            return Refusal(f"'{owner}' has no channel '{rest}'; {known_here}", str(key))
        what = "parameter" if not dot else "body, joint or component"
        names = {owner_and_rest(name, owners)[0] for name in usable}
        names = names if dot else {*names, *local}
        return Refusal(f"there is no {what} '{owner}'; {nearest(owner, names)}", str(key), missing=True)
    if kind in allowed:
        return None
    if kind not in LEVELS:
        return Refusal(f"'{key}': {kind}", str(key))
    words = ", ".join([*(LEVELS[level][1] for level in allowed), "t"])
    return Refusal(f"'{key}' is {LEVELS[kind][0]}, which cannot stand here; allowed: {words}", str(key))
