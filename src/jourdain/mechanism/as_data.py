"""A builder as data: equal to another that holds the same, fit to be pickled and copied, and parts go out again."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import Any, Self

from .equality import same
from .errors import ChoiceError
from .names import counted, nearest
from .parts import Blueprint, told_by

ROOMS = ("bodies", "joints", "forces", "relations", "motions", "elements", "events")  # lists of a builder


class AsData(ABC):
    """What has a frozen form, and lists of parts."""

    _parameters: dict[str, float]
    _tables: dict[str, Any]
    _place: dict[str, int]
    _off: set[str]

    @abstractmethod
    def frozen(self) -> Blueprint:
        """As it stands now."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AsData) and same(self.frozen(), other.frozen())  # where NaN equals NaN

    __hash__ = object.__hash__  # one that is being built is itself, whatever it holds

    def __repr__(self) -> str:
        b = self.frozen()
        rooms = {"joint": b.joints, "force": b.forces, "relation": b.relations, "motion": b.motions}
        counts = [counted(len(parts), word) for word, parts in (*rooms.items(), ("element", b.elements)) if parts]
        return f"<Mechanism '{b.name}', {b.space}: {', '.join([counted(len(b.bodies), 'body', 'bodies'), *counts])}>"

    def __str__(self) -> str:
        """Bodies, joints, freedoms and the rest, a line each."""
        return str(told_by("words_of")(self.frozen()))

    def _repr_html_(self) -> str:
        return str(told_by("html_of")(self.frozen()))

    def __getstate__(self) -> dict[str, Any]:
        self.frozen().__getstate__()  # which names what cannot be pickled
        return self.__dict__

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Another builder, to be changed by itself; functions of Python go with it as they are."""
        other = object.__new__(type(self))
        memo[id(self)] = other
        other.__dict__ |= copy.deepcopy(self.__dict__, memo)
        return other

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # its handles and lists would be those of the first otherwise

    def remove(self, name: str) -> None:
        """Take a part out again, by its name: a joint, a force, a motion, an event, a parameter, a body without joints.

        What still names it is told when the mechanism is used.
        """
        if name in self._parameters or name in self._tables:
            self._parameters.pop(name, None)
            self._tables.pop(name, None)
            return
        rooms = {room: getattr(self, f"_{room}") for room in ROOMS}
        found = [(room, part) for room, parts in rooms.items() for part in parts if part.name == name]
        if not found:
            known = [part.name for parts in rooms.values() for part in parts] + [*self._parameters, *self._tables]
            raise ChoiceError(f"there is no part '{name}' to remove; {nearest(name, known)}")
        room, part = found[0]
        if room == "bodies":
            held = [j.name for j in rooms["joints"] if name in (j.first.body, j.second.body)]
            if held:
                raise ChoiceError(
                    f"body '{name}' is held by {', '.join(held)}; remove {'them' if held[1:] else 'it'} first"
                )
            self._place.clear()
        rooms[room].remove(part)
        self._off.discard(name)
        self._place.update({body.name: k for k, body in enumerate(rooms["bodies"])})
