"""check of a system: that of the one mechanism it stands for, in the names of its subsystems."""

from __future__ import annotations

import re
from typing import Any

from ..analysis.check import check as check_mechanism
from ..mechanism.equality import equal_by
from ..mechanism.errors import MechanismError
from ..plotting.cards import Card
from .joined import foreign, joined_whole, names_in_system
from .system import System
from .whole import Whole, frozen


@equal_by("_whole", "found")
class CheckedSystem(Card):
    """What `check` found of the whole; `print(found)` reads well. Numbers are those of the one mechanism."""

    def __init__(self, whole: Whole, found: Any) -> None:
        self._whole, self.found = whole, found

    def __getattr__(self, name: str) -> Any:
        if "found" not in self.__dict__:  # one that is being unpickled has nothing yet
            raise AttributeError(name)
        return getattr(self.found, name)

    def __str__(self) -> str:
        return in_names_of(self._whole, str(self.found))

    def to_dict(self) -> Any:
        """Plain numbers and texts, for JSON."""
        return _renamed(self._whole, self.found.to_dict())


def check(system: System) -> CheckedSystem:
    """Degrees of freedom, redundancy and self-stress of the whole, subsystems and joints between them together."""
    whole = frozen(system)
    if others := foreign(whole):
        words = f"subsystem '{others[0]}' is a box that nobody can look into: its freedoms are not known"
        raise MechanismError(whole.name, [f"{words}; check the mechanisms beside it one by one"])
    try:
        return CheckedSystem(whole, check_mechanism(joined_whole(whole)))
    except MechanismError as error:
        raise MechanismError(whole.name, [in_names_of(whole, str(fault)) for fault in error.faults]) from error


def in_names_of(whole: Whole, words: str) -> str:
    """A sentence on the one mechanism with the names that the system has: `tractor.frame`, not `tractor_frame`."""
    names = names_in_system(whole)
    if not names:
        return words
    known = sorted(names, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, known))})(?!\w)")
    return pattern.sub(lambda found: names[found[1]], words)


def _renamed(whole: Whole, value: Any) -> Any:
    if isinstance(value, dict):
        return {_renamed(whole, key): _renamed(whole, one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_renamed(whole, one) for one in value]
    return in_names_of(whole, value) if isinstance(value, str) else value
