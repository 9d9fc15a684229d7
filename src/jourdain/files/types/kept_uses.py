"""How parts that types stand for were written, so that a saved mechanism has its types again.

Uses are written as they were while their parts are what the reader made of them. If one was changed since, all parts
are written out one by one, under their names with dots: what is saved is always what is simulated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from ...mechanism.errors import ChoiceError
from ...mechanism.fault import Fault
from ...mechanism.names import nearest, owner_and_rest
from ...mechanism.parts import Blueprint, PortName
from ..nodes import Node
from .filling import all_gaps
from .registry import Registry, names_inside, shipped
from .type_definition import Definition
from .using import Use, Uses, misfits, unjoined

Parts = Mapping[tuple[str, str], Any]  # by section and name
_DOTTED = re.compile(r"(?<![\w.])[^\W\d]\w*(?:\.[^\W\d]\w*)+")
ROOMS = ("bodies", "joints", "forces", "relations", "motions", "elements", "events")


@dataclass(frozen=True)
class Written:
    """The uses of types in a mechanism, and the parts that were made of each."""

    uses: Mapping[str, Use]
    parts: Mapping[str, Parts]  # by use; of none: the parameters of the file
    tables: Mapping[str, str]  # the use that brought a table
    all: tuple[Use, ...] = ()  # those inside others too
    home: Registry = field(default_factory=Registry, repr=False)  # the types that the file has
    placed: tuple[Use, ...] = ()  # by a program: whether their ports are joined to anything is seen at its end

    def faults(self, blueprint: Blueprint) -> Iterator[Fault]:
        """What is wrong with uses that no file was read for."""
        return unjoined(self.placed, blueprint)

    def late_faults(self, blueprint: Blueprint) -> Iterator[Fault]:
        """The same of what is seen once all else is right."""
        return misfits(self.placed, blueprint)

    def gives(self, name: str) -> bool:
        """Whether a use gives its type a parameter of that whole name."""
        owner, rest = owner_and_rest(name, self.uses)
        return owner in self.uses and rest in all_gaps(self.uses[owner].type).parameters

    def type(self, name: str) -> Any:
        """A type of the file, to be used in Python. Raises ChoiceError where there is none."""
        from .python_type import Type  # which remembers uses in turn

        if name not in self.home.types:
            raise ChoiceError(f"there is no type '{name}' in the file; {nearest(name, self.home.types)}")
        return Type.of(self.home.types[name])

    def kept(self, blueprint: Blueprint) -> dict[str, Use]:
        """All uses, if their parts and the parameters of the file are as they were; else none."""
        now = parts_by_use(blueprint, self.uses, self.tables)
        rest = now.pop("")
        known = self.parts[""]
        if {"": {key: rest.get(key) for key in known}, **now} != self.parts:
            return {}
        types: dict[str, Definition] = {}
        needed = [one for use in self.uses.values() for one in _needed(use.type)]
        unlike = any(types.setdefault(one.name, one).node is not one.node for one in needed)
        return {} if unlike else dict(self.uses)


def written(blueprint: Blueprint, uses: Uses, home: Registry) -> Written | None:
    """What is to be remembered of a file that was read."""
    outermost = {use.name: use for use in uses.all if use.is_outermost}
    parts = parts_by_use(blueprint, outermost, uses.tables)
    if not uses.all and not home.types:
        return None
    return Written(outermost, parts, dict(uses.tables), tuple(uses.all), home)


def parts_by_use(
    blueprint: Blueprint, uses: Mapping[str, Use], tables: Mapping[str, str], before: Blueprint | None = None
) -> dict[str, dict[tuple[str, str], Any]]:
    """All parts that belong to uses, or those that `before` does not have; under no name parameters of none."""
    found: dict[str, dict[tuple[str, str], Any]] = {"": {}}
    for section, name, part in _all(blueprint) if before is None else _new(blueprint, before):
        owner = owner_and_rest(tables.get(name, name) if section == "tables" else name, uses)[0]
        if owner in uses:
            found.setdefault(owner, {})[section, name] = part
        elif section == "parameters":
            found[""][section, name] = part
    return found


def _all(blueprint: Blueprint) -> Iterator[tuple[str, str, Any]]:
    for room in ROOMS:
        yield from ((room, part.name, part) for part in getattr(blueprint, room))
    for section, parts in _by_name(blueprint):
        yield from ((section, name, part) for name, part in parts.items())


def _by_name(blueprint: Blueprint) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    return ("ground", blueprint.ground), ("parameters", blueprint.parameters), ("tables", blueprint.tables)


def _new(blueprint: Blueprint, before: Blueprint) -> Iterator[tuple[str, str, Any]]:
    """What is not the very same part in the same place; a program adds parts one by one, and they may be many."""
    for room in ROOMS:
        pairs = zip_longest(getattr(blueprint, room), getattr(before, room))
        yield from ((room, part.name, part) for part, old in pairs if part is not old and part is not None)
    for (section, parts), (_, old) in zip(_by_name(blueprint), _by_name(before), strict=True):
        own = section == "parameters"
        yield from (
            (section, name, part) for name, part in parts.items() if name not in old or (own and "." not in name)
        )


def with_real_names(value: Any, blueprint: Blueprint, kept: Mapping[str, Use]) -> Any:
    """A tree with names by which types report, and of their ports, as those of parts: but of uses that are kept."""
    if isinstance(value, Mapping):
        return {key: with_real_names(item, blueprint, kept) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [with_real_names(item, blueprint, kept) for item in value]
    if not isinstance(value, str):
        return value

    def real(found: re.Match[str]) -> str:
        name = found[0]
        return name if owner_and_rest(name, kept)[0] in kept else blueprint.full_name(name)

    return _DOTTED.sub(real, value)


def without_uses(tree: dict[str, Any], blueprint: Blueprint, kept: Mapping[str, Use]) -> dict[str, Any]:
    """The tree of a file with uses of types in place of the parts that they stand for."""
    found = dict(tree)
    rooms = {**{room: (room,) for room in (*ROOMS, "parameters", "tables")}, "ground": ("ground", "points")}
    tables = blueprint.written.tables
    for section, path in rooms.items():
        parts = found.get(path[0], {}) if len(path) == 1 else found.get("ground", {}).get("points", {})
        rest: dict[str, Any] = {}
        for name, part in parts.items():
            owner = owner_and_rest(tables.get(name, name) if section == "tables" else name, kept)[0]
            if owner not in kept:
                rest[name] = part
            elif kept[owner].section == section:  # where it stood among the others
                rest[owner] = with_real_names(_plain(kept[owner].node), blueprint, kept)
        if len(path) == 2:
            found["ground"] = {"points": rest} if rest else {}
        else:
            found[section] = rest
    for use in kept.values():
        found[use.section] = {**found.get(use.section, {})}
        found[use.section].setdefault(use.name, with_real_names(_plain(use.node), blueprint, kept))
    types: dict[str, Any] = {}
    libraries: list[str] = []
    for one in (one for use in kept.values() for one in _needed(use.type)):
        library = next((name for name, path in shipped().items() if one.folder == path.parent), None)
        if library is None:
            types[one.name] = one.node.plain()
        elif library not in libraries:
            libraries.append(library)
    order = ("jourdain", "name", "description", "space", "gravity", "parameters", "tables")
    head = {key: found.pop(key) for key in order if key in found}
    library_key = {"library": libraries[0] if len(libraries) == 1 else libraries} if libraries else {}
    return {**head, **library_key, **({"types": types} if types else {}), **found}


def _plain(node: Node) -> Any:
    """What is written at a use; points that Python gave by name."""
    if isinstance(node.value, dict):
        return {key: _plain(item) for key, item in node.value.items()}
    if isinstance(node.value, list):
        return [_plain(item) for item in node.value]
    return str(node.value) if isinstance(node.value, PortName) else node.value


def _needed(type: Definition) -> Iterator[Definition]:
    """A type and those that it is made of."""
    seen: set[int] = set()

    def visit(one: Definition) -> Iterator[Definition]:
        if id(one) in seen:
            return
        seen.add(id(one))
        yield one
        for name in dict.fromkeys(name for name, _ in names_inside(one.node)):
            if name in one.home.types:
                yield from visit(one.home.types[name])

    yield from visit(type)
