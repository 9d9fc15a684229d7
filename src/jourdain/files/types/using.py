"""A use of a type becomes parts of the mechanism, with the name of the use before theirs and a dot between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ...equations.unit_formulas import Faulty, expression
from ...library import TYPES, all_channels
from ...library.channels import Channels
from ...library.values import constant
from ...mechanism.builder import Mechanism
from ...mechanism.fault import Fault, Mark, TypeMark, Where, about
from ...mechanism.names import nearest
from ...mechanism.parts import PLANAR, SPATIAL, Blueprint, PortName
from ...mechanism.units import Dimension, UnitError, fits, name_of, unit
from .. import type_keys as keys
from .. import vocabulary
from ..file_faults import EnoughError, WrittenPart
from ..nodes import Node
from ..scope import MISSING, Scope, shown
from .filling import chosen, ends_of, fill, inside, of_value, placement_of, use_keys
from .registry import Registry
from .strokes import draw
from .type_definition import Definition, Gap

MAX_USES = 20_000
MAX_DEPTH = 50  # of types in types
SECTIONS_OF_USES = frozenset(keys.SECTIONS.values())
CHANNELS = "channels"  # the element that reports what a type has a formula for


class Readers(NamedTuple):
    """How the reader of files reads sections, one joint, and one component of a section."""

    parts: Callable[[Scope, Mapping[str, Node], Mechanism], None]
    joint: Callable[[Scope, Mechanism, str, Node], None]
    component: Callable[[Scope, Mechanism, str, str, Node], None]


class Signal(NamedTuple):
    """A formula that was given to a use, in names of the whole mechanism, and what it was expected to be."""

    where: Where
    text: str
    gap: Gap
    mark: Mark


class End(NamedTuple):
    """Where a port of an assembly leads, and whether it may stay free."""

    point: PortName
    free: bool
    mark: Mark


@dataclass(frozen=True)
class Use:
    """One use, as it is written: for whoever saves the mechanism, or looks for its channels and ports."""

    name: str
    section: str
    type: Definition
    node: Node
    home: Registry
    is_outermost: bool
    channels: tuple[str, ...]
    ends: Mapping[str, End]  # of an assembly, by the names of its ports
    signals: tuple[Signal, ...] = ()


@dataclass
class Uses:
    """All uses of one file being read, and what is connected."""

    all: list[Use] = field(default_factory=list)
    connected: set[PortName] = field(default_factory=set)
    tables: dict[str, str] = field(default_factory=dict)  # names of tables that types bring, and of their uses


def is_type(scope: Scope, node: Node) -> bool:
    """Whether a part is of a type of one's own."""
    return "type" in node and node["type"].value in scope.types


def channel_units(scope: Scope, section: str, name: str, node: Node) -> dict[str, Dimension]:
    """Units of the channels that a use will have, for those who take them as signals."""
    type = scope.types.named(node["type"]) if "type" in node and section in SECTIONS_OF_USES else None
    if type is None:
        return {}
    models = type.variants.values() or (type,)
    return {f"{name}.{channel}": unit(text).dimension for one in models for channel, text in one.units.items()}


def use(scope: Scope, mechanism: Mechanism, section: str, name: str, node: Node, read: Readers) -> None:
    """One part whose `type` is a type of one's own; faults are noted, and the name is lost to others then."""
    full = scope.named(name)
    where = about("assembly" if section == "assemblies" else section[:-1], full)
    before = len(scope.faults.found)
    type = _type(scope, where, section, node)
    one = None if type is None else chosen(scope, where, type, node)
    if type is None or one is None:
        scope.faults.lost.add(full)
        return
    scope.table(node, where, use_keys(one, type), part=full)
    ends = ends_of(scope, where, one, node)
    if ends is None:
        scope.faults.lost.add(full)
        return
    inner = _scope(scope, one, full, node)
    fill(scope, inner, where, one, node, type)
    inner.ends = ends
    if one.kind == "assembly":
        placement = placement_of(scope, where, node)
        if scope.placed is not None:
            placement = scope.placed if placement is None else scope.placed.after(placement)
        inner.placed = placement
    for key, value in inner.values.items():
        if key not in inner.links:
            mechanism.parameter(inner.named(key), value)
    scope.faults.parts[full] = WrittenPart(node.mark, node, scope.prefix)
    inner.own |= {part for item in one.sections.values() if isinstance(item.value, dict) for part in item.value}
    sections = {key: inside(item, node.mark) for key, item in one.sections.items()}
    if "tables" in sections:
        read.parts(inner, {"tables": sections.pop("tables")}, mechanism)
    if one.kind != "assembly":
        _main(scope, inner, mechanism, one, full, node, read)
    read.parts(inner, sections, mechanism)
    _channels(inner, mechanism, one, node, read)
    ends_out = _ports(scope, inner, mechanism, one, name, node)
    if one.symbol is not None:
        draw(inner, mechanism, one, node, ends | {port: end.point for port, end in ends_out.items()})
    signals = tuple(
        Signal(where.at(key), inner.links[key], gap, TypeMark.of(node[key].mark, gap.mark))
        for key, gap in one.signals.items()
        if key in node and gap.unit
    )
    outermost = not scope.open_types and not scope.prefix
    scope.uses.all.append(
        Use(full, section, type, node, scope.types, outermost, tuple(type.channels), ends_out, signals)
    )
    if len(scope.faults.found) > before:
        scope.faults.lost.add(full)


def _type(scope: Scope, where: Where, section: str, node: Node) -> Definition | None:
    if not isinstance(node.value, dict) or "type" not in node:
        known = [one.name for one in scope.types.of_section(section)]
        scope.fault(node, where.at("type"), f"{where}: type is missing; {nearest('', known)}")
        return None
    place, name = node["type"], node["type"].value
    type = scope.types.named(place)
    if type is None:
        if name not in scope.types and not scope.types.partial:  # else its own faults are told
            known = [one.name for one in scope.types.of_section(section)]
            words = f"{where}: unknown type {shown(place)}; {nearest(str(name), known)}"
            scope.fault(place, where.at("type"), words)
        return None
    sections = dict.fromkeys(one.section for one in (type, *type.variants.values()))
    if section not in sections:
        words = f"{where}: type '{name}' is a {type.kind}; it belongs under {' or '.join(sections)}"
        scope.fault(TypeMark.of(place.mark, type.mark), where.at("type"), words)
        return None
    space = PLANAR if scope.dim == 2 else SPATIAL
    if type.space not in ("", space):
        words = f"{where}: type '{name}' is {type.space}; expected one for a {space} mechanism"
        scope.fault(TypeMark.of(place.mark, type.mark), where.at("type"), words)
        return None
    if name in scope.open_types:
        circle = " -> ".join((*scope.open_types[scope.open_types.index(name) :], name))
        words = f"{where}: type '{name}' contains itself, {circle}"
        scope.fault(TypeMark.of(place.mark, type.mark), where.at("type"), words)
        return None
    if len(scope.open_types) >= MAX_DEPTH:
        words = f"{where}: more than {MAX_DEPTH} types contain each other"
        scope.fault(TypeMark.of(place.mark, type.mark), where.at("type"), words)
        return None
    if len(scope.uses.all) + len(scope.open_types) >= MAX_USES:
        scope.fault(place, where.at("type"), f"{where}: types are used more than {MAX_USES} times in this file")
        raise EnoughError  # what comes is the same again
    return type


def _scope(outer: Scope, type: Definition, full: str, node: Node) -> Scope:
    """What formulas of a type may name: its gaps and its own parts."""
    inner = Scope(outer.faults, type.path, outer.dim, f"{full}.", type.folder, hints=outer.hints)
    inner.coordinates, inner.types, inner.uses = outer.coordinates, type.home, outer.uses
    inner.given = outer.given
    inner.open_types = (*outer.open_types, type.name)
    inner.placed = outer.placed
    inner.whole = full
    return inner


def _main(
    outer: Scope, inner: Scope, mechanism: Mechanism, type: Definition, full: str, node: Node, read: Readers
) -> None:
    """The part that bears the name of the use."""
    known = vocabulary.JOINTS[type.of] if type.kind == "joint" else vocabulary.component_keys(TYPES[type.of])
    made = Node({"type": Node(type.of, TypeMark.of(node.mark, type.mark))}, TypeMark.of(node.mark, type.mark))
    for key, item in type.body.items():
        made.value[key] = inside(item, node.mark)
        made.keys[key] = TypeMark.of(node.mark, type.node.keys.get(key, item.mark))
    points, joints = [inner.ends[name] for name in type.ports], [inner.ends[name] for name in type.joints]
    for key, values in (("between", points), ("on", points), ("joints", joints), ("joint", joints)):
        single = key in ("on", "joint")
        if key in made or key not in known or len(values) != (1 if single else 2):
            continue
        mark = node[key].mark if key in node else node.mark
        made.value[key] = of_value(values[0] if single else values, mark)
        made.keys[key] = node.keys.get(key, node.mark)
    if "initial" in node:
        where = about("joint", full).at("initial")
        starts = node["initial"].value if isinstance(node["initial"].value, dict) else {}
        units = {key: field.unit for key, field in vocabulary.INITIAL.items()}
        found = {key: outer.number(item, where.at(key), units.get(key, "")) for key, item in starts.items()}
        made.value["initial"] = Node(
            {key: Node(value, starts[key].mark) for key, value in found.items() if value is not MISSING},
            node["initial"].mark,
        )
        made.value["initial"].keys |= node["initial"].keys
        made.keys["initial"] = node.keys["initial"]
    merged = Node({**node.value, **made.value}, node.mark)
    merged.keys |= {**node.keys, **made.keys}
    inner.faults.parts[full] = WrittenPart(TypeMark.of(node.mark, type.mark), merged, inner.prefix)
    if type.kind == "joint":
        read.joint(inner, mechanism, "", made)
    else:
        read.component(inner, mechanism, type.section, "", made)


def _channels(inner: Scope, mechanism: Mechanism, type: Definition, node: Node, read: Readers) -> None:
    """An element that reports what the type has formulas for, under the name of the use."""
    formulas = {name: item for name, item in type.channels.items() if item is not None and item.value is not None}
    if not formulas:
        return
    outputs = Node({name: inside(item, node.mark) for name, item in formulas.items()}, node.mark)
    outputs.keys |= {name: TypeMark.of(node.mark, item.mark) for name, item in formulas.items()}
    units = Node({name: Node(text, node.mark) for name, text in type.units.items() if name in formulas}, node.mark)
    units.keys |= dict.fromkeys(units.value, node.mark)
    element = Node({"type": Node("element", node.mark), "outputs": outputs}, node.mark)
    if units.value:
        element.value["units"] = units
    element.keys |= dict.fromkeys(element.value, node.mark)
    inner.faults.parts[inner.named(CHANNELS)] = WrittenPart(node.mark, element, inner.prefix)
    read.component(inner, mechanism, "elements", CHANNELS, element)
    for name in formulas:
        mechanism.other_names[f"{inner.whole}.{name}"] = f"{inner.named(CHANNELS)}.{name}"


def _ports(outer: Scope, inner: Scope, mechanism: Mechanism, type: Definition, name: str, node: Node) -> dict[str, End]:
    """Ports of an assembly under its name."""
    found_ends: dict[str, End] = {}
    for port, item in type.ends.items():
        place = inside(item, node.mark)
        where = Where(inner.whole, f"ports.{port}", f"assembly '{inner.whole}': port '{port}'")
        may_stay_free = False
        if isinstance(place.value, dict):
            table = inner.table(place, where, ("at", "free"), required=("at",))
            may_stay_free = "free" in table and table["free"].value is True
            if "at" not in table:
                continue
            place = table["at"]
        found = inner.port(place, where)
        if found is MISSING:
            continue
        inner.uses.connected.discard(found)
        ground = "ground." if found.body == "ground" else ""
        outer.aliases[f"{name}.{port}"] = ground + str(found).removeprefix(ground + outer.prefix)
        mechanism.other_names[f"{inner.whole}.{port}"] = str(found)
        found_ends[port] = End(found, may_stay_free, place.mark)
    return found_ends


def port_faults(scope: Scope, blueprint: Blueprint) -> None:
    """Of ports of assemblies that lead nowhere, or that nothing is joined to."""
    for one in scope.uses.all:
        where = Where(one.name, "", f"assembly '{one.name}'")
        for port, end in one.ends.items():
            body, point = end.point.body, end.point.point
            if not blueprint.has_body(body) or point not in blueprint.ports_of(body):
                if not scope.faults.lost & {one.name, body}:
                    words = f"{where}: port '{port}' leads to '{end.point}', and there is no such point in the type"
                    scope.fault(end.mark, where, words)
            elif not end.free and end.point not in scope.uses.connected:
                scope.fault(end.mark, where, _unjoined(one, port))


def unjoined(uses: Iterable[Use], blueprint: Blueprint) -> Iterator[Fault]:
    """Faults of ports that no part of a mechanism is joined to, but those of the assembly itself."""
    joined: dict[PortName, list[str]] = {}
    for part in (*blueprint.joints, *blueprint.forces, *blueprint.relations, *blueprint.motions, *blueprint.elements):
        for point in _points_in([*vars(part).values(), *getattr(part, "values", {}).values()]):
            joined.setdefault(point, []).append(part.name)
    for one in uses:
        for port, end in one.ends.items():
            if end.free or any(not name.startswith(f"{one.name}.") for name in joined.get(end.point, ())):
                continue
            yield Where(one.name, "", f"assembly '{one.name}'").fault(_unjoined(one, port)).at(end.mark)


def _points_in(values: Iterable[object]) -> Iterator[PortName]:
    for value in values:
        if isinstance(value, PortName):
            yield value
        elif isinstance(value, tuple | list):
            yield from (item for item in value if isinstance(item, PortName))


def _unjoined(one: Use, port: str) -> str:
    words = f"assembly '{one.name}': nothing is joined to its port '{port}'; join something to {one.name}.{port}"
    return f"{words}, or let the type say {port}: {{at: .., free: true}}"


def misfits(uses: Iterable[Use], blueprint: Blueprint) -> Iterator[Fault]:
    """Faults of uses that are seen once all channels are known."""
    known = all_channels(blueprint) if any(one.channels or one.signals for one in uses) else None
    if known is not None:
        yield from _unsaid_channels(uses, known)
        yield from _unlike_signals(uses, known)


def _unlike_signals(uses: Iterable[Use], channels: Channels) -> Iterator[Fault]:
    """Of signals over channels that measure something else than the type expects."""

    def dimension(name: str) -> Dimension | None:
        found = channels.find(name) if "." in name else None
        try:
            return unit(found.quantity.unit).dimension if found is not None and found.quantity.unit else None
        except UnitError:  # words like `m or rad`
            return None

    for where, text, gap, mark in (signal for one in uses for signal in one.signals):
        try:
            names = {name: dimension(name) for name in map(str, constant(text).quantities())}
            found = expression(text, names).dimension
        except (*Faulty, UnitError):
            continue  # which is told of the part that it is filled into
        if found is not None and gap.dimension is not None and not fits(found, gap.dimension):
            words = f"{where} is '{text}', {name_of(found)}; expected {name_of(gap.dimension)} ({gap.unit})"
            yield where.fault(words).at(mark)


def _unsaid_channels(uses: Iterable[Use], channels: Channels) -> Iterator[Fault]:
    """Of uses that do not have a channel that their type lists."""
    for one in uses:
        where = about(one.section[:-1] if one.section != "assemblies" else "assembly", one.name)
        for channel in one.channels:
            if channels.find(f"{one.name}.{channel}") is None:
                variant = f"variant '{one.node['variant'].value}' of " if "variant" in one.node else ""
                words = (
                    f"{where}: {variant}type '{one.type.name}' lists the channel '{channel}', and has none of that name"
                )
                yield where.fault(f"{words}; give it a formula").at(TypeMark.of(one.node.mark, one.type.mark))
