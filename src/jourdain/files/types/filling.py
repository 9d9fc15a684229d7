"""The gaps of a type where it is used: what is given for its ports, joints, parameters and signals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...mechanism.fault import TypeMark, Where
from ...mechanism.names import nearest
from ...mechanism.units import fits, name_of
from .. import type_keys as keys
from ..body_section import body_values
from ..nodes import Node
from ..parameters import number_given, read_parameters
from ..scope import MISSING, Full, Scope, expected_number, shown
from ..table_reading import is_table
from .assembly_placement import Placement, placed
from .type_definition import Definition, Gap

PLACED = ("position", "angle", "quaternion", "bryan", "euler", "matrix", "velocity", "spin")
_HARMLESS = 1.0  # stands for a value that could not be read, so that nobody is blamed for what follows


def inside(node: Node, used: Any) -> Node:
    """What a type has written, with marks that also say where the type is used."""
    value = node.value
    if isinstance(value, dict):
        value = {key: inside(item, used) for key, item in value.items()}
    elif isinstance(value, list):
        value = [inside(item, used) for item in value]
    found = Node(value, TypeMark.of(used, node.mark))
    if isinstance(value, dict):
        found.keys |= {key: TypeMark.of(used, mark) for key, mark in node.keys.items()}
        found.twice += [(key, TypeMark.of(used, mark)) for key, mark in node.twice]
    return found


def of_value(value: Any, mark: Any) -> Node:
    """A node of what is known already: names that are whole, numbers in SI."""
    if isinstance(value, list | tuple):
        return Node([of_value(item, mark) for item in value], mark)
    return Node(value, mark)


def ends_of(outer: Scope, where: Where, type: Definition, node: Node) -> dict[str, Any] | None:
    """Points and joints by the names that the type has for them; None, and the fault noted, where some are missing."""
    if type.kind == "assembly":
        return {}
    found: dict[str, Any] = {}
    ports = _points(outer, where, type, node)
    joints = _joints(outer, where, type, node)
    if ports is None or joints is None:
        return None
    found |= dict(zip(type.ports, ports, strict=True))
    found |= dict(zip(type.joints, joints, strict=True))
    return found


def end_keys(type: Definition) -> tuple[str, ...]:
    """The keys by which it is given its points and joints."""
    if type.kind == "assembly":
        return ()
    points = ("on", "between")[: 1 if len(type.ports) == 1 else 2] if type.ports else ()
    points = points if len(type.ports) == 1 else points[1:]
    return (*points, *(("joint",) if len(type.joints) == 1 else ("joints",) if type.joints else ()))


def _given(node: Node, *choices: str) -> tuple[str, Node] | None:
    return next(((key, node[key]) for key in choices if key in node), None)


def _missing(outer: Scope, where: Where, type: Definition, node: Node, names: tuple[str, ...], key: str) -> None:
    """That ports are not connected."""
    what = "port" if names[0] in type.ports else "joint"
    listed = ", ".join(f"'{name}'" for name in names)
    many = (f"{what}s", "are") if len(names) > 1 else (what, "is")
    every = type.ports if what == "port" else type.joints
    shape = f"{key}: [{', '.join(every)}]" if len(every) > 1 else f"{key}: {every[0]}"
    mark = TypeMark.of(node.mark, type.mark)
    words = f"{where}: {many[0]} {listed} of type '{type.name}' {many[1]} not connected; expected {shape}"
    outer.fault(mark, where.at(key), words)


def _points(outer: Scope, where: Where, type: Definition, node: Node) -> tuple[Any, ...] | None:
    names = type.ports
    if not names:
        return ()
    key = "on" if len(names) == 1 else "between"
    written = _written(outer, where, type, node, names, key)
    if written is None:
        return None
    item, items = written
    if len(items) > len(names):
        words = f"{where}: {key} names {len(items)} points; type '{type.name}' has {len(names)}: {', '.join(names)}"
        outer.fault(TypeMark.of(item.mark, type.mark), where.at(key), words)
        return None
    found = tuple(outer.port(one, where.at(key)) for one in items)
    return None if any(one is MISSING for one in found) else found


def _joints(outer: Scope, where: Where, type: Definition, node: Node) -> tuple[Any, ...] | None:
    names = type.joints
    if not names:
        return ()
    key = "joint" if len(names) == 1 else "joints"
    written = _written(outer, where, type, node, names, key)
    if written is None:
        return None
    item, items = written
    if len(items) > len(names) or not all(isinstance(one.value, str) for one in items):
        outer.wrong(item, where.at(key), f"{len(names)} names of joints: {', '.join(names)}")
        return None
    return tuple(Full(outer.reference(one.value)) for one in items)


def _written(
    outer: Scope, where: Where, type: Definition, node: Node, names: tuple[str, ...], key: str
) -> tuple[Node, list[Node]] | None:
    """What stands at a key, also as a list; None, with a fault, where names are missing."""
    given = _given(node, key)
    if given is None:
        _missing(outer, where, type, node, names, key)
        return None
    item = given[1]
    items = item.value if isinstance(item.value, list) else [item]
    if len(items) < len(names):
        _missing(outer, where, type, item, names[len(items) :], key)
        return None
    return item, items


def fill(outer: Scope, inner: Scope, where: Where, type: Definition, node: Node, others: Definition) -> None:
    """Parameters and signals into the scope of a use. `others` has the gaps of all variants."""
    numbers: dict[str, Node] = {}
    for name, gap in type.parameters.items():
        other = outer.given.pop(inner.named(name), None)
        if other is None and name not in node:
            continue
        place = where.at(name)
        given = node[name] if other is None else Node(number_given(other), node.mark)
        marked = Node(given.value, TypeMark.of(given.mark, gap.mark))
        value = outer.number(marked, place, gap.unit)
        numbers[name] = Node(_HARMLESS if value is MISSING else value, marked.mark)
        text = outer.formula(given, place, gap.unit) if isinstance(given.value, str) and value is not MISSING else value
        if isinstance(text, str):
            inner.links[name] = text
    defaults = Node({}, type.mark)
    for name, gap in type.parameters.items():
        written = gap.default if gap.default is not None else Node(_HARMLESS, gap.mark)
        defaults.value[name] = inside(written, node.mark)
        defaults.keys[name] = TypeMark.of(node.mark, gap.mark)
        if gap.default is None and name not in node and name not in numbers:
            unit = f" ({gap.unit})" if gap.unit else ""
            outer.fault(
                TypeMark.of(node.mark, gap.mark), where.at(name), f"{where}: {name} is missing; expected a number{unit}"
            )
    read_parameters(inner, defaults, numbers)
    for name, gap in type.parameters.items():
        _check(inner, where.at(name), gap, numbers.get(name) or defaults[name], name in numbers)
    for name, gap in type.signals.items():
        _signal(outer, inner, where.at(name), gap, node)
    other = all_gaps(others)  # of variants that are not chosen: what is given has to fit all the same
    for name in other.parameters.keys() - type.parameters.keys() - type.signals.keys():
        if name in node:
            outer.number(node[name], where.at(name), other.parameters[name].unit)
    for name in other.signals.keys() - type.signals.keys() - type.parameters.keys():
        if name in node:
            outer.formula(node[name], where.at(name), other.signals[name].unit)


def _check(inner: Scope, where: Where, gap: Gap, node: Node, given: bool) -> None:
    """Unit of a default, and bounds."""
    found = inner.dimensions.get(gap.name)
    if found is not None and gap.dimension is not None and not fits(found, gap.dimension):
        words = f"{where}: its default is {name_of(found)}; expected {name_of(gap.dimension)} ({gap.unit})"
        inner.fault(node, where, words)
    if gap.dimension is not None:
        inner.dimensions[gap.name] = gap.dimension
    value = inner.values[gap.name]
    for key, bound in gap.bounds.items():
        limit = inner.number(inside(bound, node.mark), where.at(key), gap.unit)
        if limit is MISSING:
            continue
        holds = {"above": value > limit, "at_least": value >= limit, "below": value < limit, "at_most": value <= limit}
        if not holds[key]:
            unit = f" {gap.unit}" if gap.unit else ""
            mark = TypeMark.of(node.mark, bound.mark)
            inner.fault(mark, where, f"{where} is {value:.6g}{unit}; expected {keys.BOUNDS[key]} {limit:.6g}{unit}")


def _signal(outer: Scope, inner: Scope, where: Where, gap: Gap, node: Node) -> None:
    if gap.name in node and is_table(node[gap.name]):
        words = f"{where}: a table cannot stand here; put it under 'tables' and write NAME(t), or NAME of a channel"
        outer.fault(node[gap.name], where, words)
        found: Any = 0.0
    elif gap.name in node:
        given = node[gap.name]
        found = outer.formula(Node(given.value, TypeMark.of(given.mark, gap.mark)), where, gap.unit)
    elif gap.default is not None:
        found = inner.formula(inside(gap.default, node.mark), where, gap.unit)
    else:
        expected = expected_number(gap.unit, formula=True)
        outer.fault(TypeMark.of(node.mark, gap.mark), where, f"{where} is missing; expected {expected}")
        found = 0.0
    inner.links[gap.name] = found if isinstance(found, str) else repr(0.0 if found is MISSING else float(found))
    inner.dimensions[gap.name] = gap.dimension


def placement_of(outer: Scope, where: Where, node: Node) -> Placement | None:
    """Where an assembly is put, in the axes of what it is part of."""
    written = {key: node[key] for key in PLACED if key in node}
    values = body_values(outer, where, written)
    return placed(outer.dim, {key: value for key, value in values.items() if value is not MISSING})


def use_keys(type: Definition, others: Definition) -> tuple[str, ...]:
    """All that may be written where it is used."""
    variants = ("variant",) if others.variants else ()
    placed_by = PLACED if type.kind == "assembly" else ()
    starts = ("initial",) if type.kind == "joint" else ()
    gaps = dict.fromkeys((*type.parameters, *type.signals, *all_gaps(others).parameters, *all_gaps(others).signals))
    return ("type", *variants, *end_keys(type), *placed_by, *starts, *gaps)


def all_gaps(type: Definition) -> Definition:
    """With the gaps of all its variants."""
    if not type.variants:
        return type
    models = list(type.variants.values())[::-1]
    parameters = {name: gap for one in models for name, gap in one.parameters.items()}
    signals = {name: gap for one in models for name, gap in one.signals.items()}
    return replace(type, parameters=parameters, signals=signals)


def chosen(outer: Scope, where: Where, type: Definition, node: Node) -> Definition | None:
    """The variant that is used; the first where none is named."""
    if not type.variants:
        return type
    if "variant" not in node:
        return next(iter(type.variants.values()))
    name = node["variant"].value
    if isinstance(name, str) and name in type.variants:
        return type.variants[name]
    words = f"{where}: variant is {shown(node['variant'])}; {nearest(str(name), type.variants)}"
    outer.fault(TypeMark.of(node["variant"].mark, type.mark), where.at("variant"), words)
    return None
