"""`jd.Type`: a type in Python, and the way in which `m.part` uses one."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...mechanism.builder import Mechanism
from ...mechanism.errors import FileError
from ...mechanism.fault import Fault, Mark, TypeMark
from ...mechanism.handles import BodyHandle
from ...mechanism.parts import Blueprint, PortName
from ...mechanism.taken import PartValue
from ..file_faults import EnoughError, Faults
from ..nodes import Node
from ..scope import Scope
from ..sections import READERS
from .filling import end_keys
from .kept_uses import Written, parts_by_use
from .registry import Registry, read_library, shipped
from .type_definition import Definition, define
from .using import Uses, use

PACKAGE = str(Path(__file__).resolve().parents[2])


def caller() -> Mark:
    """The line of the program that called us from outside."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return Mark(frame.f_code.co_filename, frame.f_lineno, 1)


class Type:
    """A component of one's own, with the keys that a file has under `types`.

    >>> pin = Type("arc-pin", kind="joint", ports=["slot", "pin"], parameters={"radius": {"unit": "m", "above": 0}},
    ...            equations=["(dot(N - M, N - M) - radius**2)/(2*radius)"])
    >>> pin.ports, pin.parameters["radius"]
    (('slot', 'pin'), 'm, to be given, more than 0')

    `Type.library("mine.yaml")` gives those of a file by name, `Type.library("machine-parts")` those that are shipped.
    Types that a type is made of are given as `uses=[..]`.
    """

    definition: Definition

    def __init__(self, name: str, /, *, uses: Sequence[Type] = (), **keys: PartValue) -> None:
        mark, faults = caller(), Faults()
        registry = Registry()
        for one in uses:
            registry.types |= one.definition.home.types
            registry.places |= one.definition.home.places
        node = _node(keys, mark)
        found = define(Scope(faults, mark.path, folder=Path(mark.path).parent), name, node, registry)
        if found is None or faults.found:
            raise FileError(mark.path, faults.in_order())
        registry.types[name] = found
        registry.places[name] = mark
        self.definition = found

    @classmethod
    def of(cls, definition: Definition) -> Type:
        """One that was read from a file."""
        made = cls.__new__(cls)
        made.definition = definition
        return made

    @classmethod
    def library(cls, path: str | Path) -> dict[str, Type]:
        """The types of a file, or of a library that is shipped, by name. Raises FileError."""
        return {name: cls.of(one) for name, one in library(path).types.items()}

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def kind(self) -> str:
        return self.definition.kind

    @property
    def says(self) -> str:
        return self.definition.says

    @property
    def ports(self) -> tuple[str, ...]:
        """Names of its points, or of its joints where it is given joints."""
        return self.definition.ports or self.definition.joints

    @property
    def parameters(self) -> Mapping[str, str]:
        """Names, each with unit, default and bounds in words."""
        return {name: gap.about() for name, gap in self.definition.parameters.items()}

    @property
    def variants(self) -> tuple[str, ...]:
        return tuple(self.definition.variants)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and self._said() == other._said()

    def __hash__(self) -> int:
        return hash(self.name)

    def _said(self) -> tuple[str, str, Any]:
        return self.name, self.kind, self.definition.node.plain()

    def __repr__(self) -> str:
        return f"<type {self.name}>"

    def place(self, mechanism: Mechanism, name: str, ports: Sequence[Any], given: Mapping[str, Any]) -> list[Fault]:
        """Its parts into a mechanism, under a name; and what is wrong with that."""
        mark, faults = caller(), Faults()
        blueprint = mechanism.frozen()
        scope = Scope(faults, mark.path, blueprint.dim)
        scope.values = dict(blueprint.parameters)
        scope.dimensions = dict.fromkeys([*blueprint.parameters, *(f"{table}()" for table in blueprint.tables)])
        scope.coordinates = {joint.name: ("angle", "displacement") for joint in blueprint.joints}
        scope.types, scope.uses = self.definition.home, Uses()
        node = _node({"type": self.name, **self._ends(ports), **given}, mark)
        with suppress(EnoughError):
            use(scope, mechanism, _section(self.definition, node), name, node, READERS)
        _remember(mechanism, scope.uses, blueprint)
        return faults.in_order()

    def _ends(self, ports: Sequence[Any]) -> dict[str, Any]:
        """Points first, then joints, by the keys that a file has for them."""
        keys = end_keys(self.definition)
        points = len(self.definition.ports) if len(keys) > 1 else len(ports)
        given = dict(zip(keys or ("between",), (ports[:points], ports[points:]), strict=False))
        single = ("on", "joint")
        return {key: some[0] if key in single and len(some) == 1 else list(some) for key, some in given.items() if some}


def _section(definition: Definition, node: Node) -> str:
    """Where a use stands: by its variant, if one is named."""
    name = str(node["variant"].value) if "variant" in node else ""
    return definition.variants[name].section if name in definition.variants else definition.section


def _node(value: Any, mark: Mark) -> Node:
    """Plain values as a file would hold them; points and bodies stay what they are."""
    if isinstance(value, Mapping):
        found = Node({str(key): _node(item, mark) for key, item in value.items()}, mark)
        found.keys |= dict.fromkeys(found.value, mark)
        return found
    if isinstance(value, BodyHandle):
        return Node(value.name, mark)
    if value is None or isinstance(value, str | bool | int | PortName):
        return Node(value, mark)
    if isinstance(value, Sequence) or hasattr(value, "tolist"):
        items = value.tolist() if hasattr(value, "tolist") else value
        return Node([_node(item, mark) for item in items], mark) if isinstance(items, Sequence) else Node(items, mark)
    return Node(float(value) if isinstance(value, float) else value, mark)


def _remember(mechanism: Mechanism, uses: Uses, start: Blueprint) -> None:
    """How it was written, for whoever saves the mechanism; what a symbol drew on parts of others is theirs."""
    before: Written = mechanism.written or Written({}, {}, {})
    own = {**before.uses, **{one.name: one for one in uses.all if one.is_outermost}}
    tables = {**before.tables, **uses.tables}
    found = parts_by_use(mechanism.frozen(), own, tables, start)
    parts = {**before.parts, **{name: {**before.parts.get(name, {}), **new} for name, new in found.items()}}
    mechanism.written = replace(before, uses=own, parts=parts, tables=tables, placed=(*before.placed, *uses.all))


def library(path: str | Path) -> Registry:
    """The types of a file. Raises FileError."""
    from ..loading import open_included  # which reads sections, and these types

    faults = Faults()
    text = str(path)
    node = Node(text if text in shipped() else str(Path(text).name), Mark(text, 1, 1))
    scope = Scope(faults, text, folder=Path(text).parent)
    try:
        found = read_library(scope, node, open_included)
    except EnoughError:
        found = Registry()
    if faults.found:
        marks = [fault.mark for fault in faults.found]
        inside = [m.inside if isinstance(m, TypeMark) else m for m in marks]
        raise FileError(text, [f.at(m) if m else f for f, m in zip(faults.found, inside, strict=True)])
    return found
