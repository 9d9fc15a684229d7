"""Channels: what can be read of a mechanism, by name. Each is defined once, in the file of its family here.

`Channels(blueprint)` finds a definition by name and lists all there are. What is then done with a definition is the
business of others: see `definition.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ...mechanism.frozen import Frozen
from ...mechanism.names import owner_and_rest
from ...mechanism.parts import GROUND, Blueprint, SpringDamper
from ..quantities import TIME, Quantity, ratio
from . import attitude, body, component, energy, joint, point, shaking, solver, springs, violation
from .definition import Channel, RowWise

__all__ = ["Channel", "Channels", "RowWise", "unnamed"]


class Channels:
    """The channels of a mechanism, made when asked for, owner by owner.

    `states` and `reports` are those of its components: (owner, name), and full names; `measured` is what their kinds
    say of the quantities of both, by owner and name.
    """

    def __init__(
        self,
        blueprint: Blueprint,
        states: Iterable[tuple[str, str]] = (),
        reports: Iterable[str] = (),
        measured: Mapping[str, Mapping[str, Quantity]] = Frozen({}),
    ) -> None:
        self.blueprint = blueprint
        self._components = list(component.channels(states, reports, measured))
        self._bodies = {part.name: part for part in reversed(blueprint.bodies)}
        self._joints = {part.name: part for part in reversed(blueprint.joints)}
        self._springs = {f.name: f for f in blueprint.forces if isinstance(f, SpringDamper)}
        self._owners = {GROUND, *self._bodies, *self._joints, *self._springs, *measured}
        self._reporting = {self._split(channel.name)[0] for channel in self._components}
        self._known: dict[str, dict[str, Channel]] = {}
        # Of all but components they follow from the blueprint alone: made once for everybody who asks.
        self._shared: dict[str, dict[str, Channel]] = blueprint.derived.setdefault("channels", {})

    def __getstate__(self) -> dict[str, Any]:
        """Definitions are functions, which cannot be pickled and are made again when asked for."""
        return {**self.__dict__, "_known": {}, "_shared": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._shared = self.blueprint.derived.setdefault("channels", {})

    def find(self, name: str) -> Channel | None:
        """The channel of that name, if there is one."""
        name = self.blueprint.full_name(name)
        owner, rest = self._split(name)
        found = self._kept(owner, self._made).get(name)
        if found is None and rest.startswith("euler_") and owner in self._bodies and self.blueprint.dim == 3:
            return {channel.name: channel for channel in attitude.euler(owner)}.get(name)
        if found is None and owner == solver.OWNER:
            return {channel.name: channel for channel in solver.channels()}.get(name)
        return self._kept(f"{owner}.", self._of_points).get(name) if found is None and "." in rest else found

    def _split(self, name: str) -> tuple[str, str]:
        return owner_and_rest(name, self._owners)

    def of(self, owner: str) -> dict[str, Channel]:
        """The channels of a body, the ground, a joint, a spring, a component, or of `energy` and its like."""
        return self._kept(owner, self._made) | self._kept(f"{owner}.", self._of_points)

    def _kept(self, key: str, made: Callable[[str], Iterable[Channel]]) -> dict[str, Channel]:
        """What an owner has, or with a point behind its name its points: few of the many are ever asked for."""
        owner = key.removesuffix(".")
        known = self._known if owner in self._reporting else self._shared
        if key not in known:
            known[key] = {channel.name: channel for channel in made(owner)}
        return known[key]

    def __iter__(self) -> Iterator[Channel]:
        """All, in the order in which results list them; of the ground none, for it does not move."""
        for part in (*self._in_order(self.blueprint.bodies), *self._in_order(self.blueprint.joints), *self._springs):
            yield from self.of(part).values()
        other = self.blueprint.other_name
        yield from (one._replace(name=other(one.name)) for one in self._components)
        for whole in (shaking.OWNER, energy.OWNER, violation.OWNER):
            if not self._taken(whole):
                yield from self.of(whole).values()

    @staticmethod
    def _in_order(parts: Iterable[object]) -> list[str]:
        return [part.name for part in parts]  # type: ignore[attr-defined]

    def _made(self, owner: str) -> Iterator[Channel]:
        dim = self.blueprint.dim
        if owner in self._bodies:
            yield from body.channels(owner, dim)
        if owner in self._joints:
            yield from joint.channels(self.blueprint, self._joints[owner])
        if owner in self._springs:
            yield from springs.channels(self.blueprint, self._springs[owner])
        yield from (channel for channel in self._components if self._split(channel.name)[0] == owner)
        if owner in (shaking.OWNER, energy.OWNER, violation.OWNER) and not self._taken(owner):
            yield from {
                shaking.OWNER: lambda: shaking.channels(self.blueprint),
                energy.OWNER: energy.channels,
                violation.OWNER: violation.channels,
            }[owner]()

    def _of_points(self, owner: str) -> Iterator[Channel]:
        if owner in self._bodies or owner == GROUND:
            for name, port in self.blueprint.ports_of(owner).items():
                yield from point.channels(owner, name, port)

    def _taken(self, name: str) -> bool:
        """Whether a part of the mechanism has this name, so that its channels are meant."""
        parts = (*self.blueprint.forces, *self.blueprint.components)
        return name in self._bodies or name in self._joints or any(part.name == name for part in parts)

    def quantity(self, name: str) -> Quantity:
        """What a channel measures that exists, or one over another."""
        if "/" in name:
            over, under = (self.quantity(part.strip()) for part in name.split("/", 1))
            return ratio(over, under)
        found = self.find(name)
        if found is None:
            return unnamed(name)
        return found.quantity


def unnamed(name: str) -> Quantity:
    """The quantity of a channel of which only the name is known, as in a CSV: energies, violations, else a number."""
    owner, _, rest = name.partition(".")
    if name == "t":
        return TIME
    known = [*energy.channels(), *violation.channels()] if owner in (energy.OWNER, violation.OWNER) else []
    for channel in known:
        if channel.name == name:
            return channel.quantity
    return Quantity(rest.rpartition(".")[2] if rest else name, "")
