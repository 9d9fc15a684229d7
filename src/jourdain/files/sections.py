"""The sections of a file, part by part, into the builder."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..equations.formula import FUNCTIONS, FormulaError
from ..equations.profiles import PROFILES
from ..equations.unit_formulas import renamed, without_units
from ..library import TYPES
from ..library import kinds as k
from ..library.forces.parts_as_components import OWN_PARTS
from ..library.geometry import split_joint, unit_along
from ..library.joints import BY_NAME, rows_of
from ..library.joints.row_rank import dependent
from ..library.kinds import Kind
from ..mechanism.builder import Mechanism
from ..mechanism.fault import Where, about, whole
from ..mechanism.names import nearest
from ..mechanism.parts import Joint, PortName
from ..mechanism.table_data import Table
from ..mechanism.units import UnitError
from . import vocabulary
from .body_section import read_body, read_points, remember_part
from .nodes import Node
from .scope import CONSTANTS, MISSING, Scope, shown
from .table_reading import Tables
from .types.using import Readers, channel_units, is_type, use

JOINT_SYMBOLS = frozenset({"M", "N", "x_i", "y_i", "z_i", "x_j", "y_j", "z_j", "e_x", "e_y", "e_z"})
PARTS = ("assemblies", "bodies", "joints", "relations", "forces", "elements", "motions", "events")


def read_tables(scope: Scope, node: Node | None, mechanism: Mechanism) -> None:
    """Tables that formulas call by name."""
    if node is None:
        return
    for name, item in scope.names(node, whole("tables")).items():
        scope.own.add(name)
        full = scope.named_table(name)
        if scope.whole:
            scope.uses.tables[full] = scope.whole
        where = about("table", full)
        remember_part(scope, full, node.keys[name], item)
        found, dimension = Tables(scope, MISSING).read(item, where, named=True)
        scope.dimensions[f"{name}()"] = dimension
        if name in FUNCTIONS or name in PROFILES:
            scope.fault(item, where, f"{where}: '{name}' is a function already; expected another name")
        elif found is MISSING:  # so that its users are not blamed
            mechanism.table(full, Table([0.0, 1.0], [0.0, 0.0], outside="extrapolate"))
        else:
            mechanism.table(full, found)


def read_parts(scope: Scope, top: Mapping[str, Node], mechanism: Mechanism) -> None:
    """Everything that has a name, and what is switched off."""
    read_tables(scope, top.get("tables"), mechanism)
    sections = {section: scope.names(top[section], whole(section)) for section in PARTS if section in top}
    for section, parts in sections.items():
        scope.own |= set(parts)
        for name, node in parts.items():
            remember_part(scope, scope.named(name), top[section].keys[name], node)
    if scope.types:
        for section, parts in sections.items():
            for name, node in parts.items():
                scope.dimensions |= channel_units(scope, section, name, node)
    if "ground" in top:
        ground = scope.table(top["ground"], whole("ground"), vocabulary.GROUND)
        read_points(scope, mechanism.ground, ground.get("points"), "ground", scope.prefix)
    for name, node in sections.get("assemblies", {}).items():
        use(scope, mechanism, "assemblies", name, node, READERS)
    for name, node in sections.get("bodies", {}).items():
        read_body(scope, mechanism, name, node)
    for name, node in sections.get("joints", {}).items():
        _joint(scope, mechanism, name, node)
    for section in ("relations", "forces", "elements", "motions"):
        for name, node in sections.get(section, {}).items():
            _component(scope, mechanism, section, name, node)
    for name, node in sections.get("events", {}).items():
        _event(scope, mechanism, name, node)
    if "off" in top:
        names = scope.value(top["off"], whole("off"), vocabulary.TOP["off"])
        for name in () if names is MISSING else names:
            mechanism.switch_off(scope.reference(name))


# Joints -------------------------------------------------------------------------------------------------------------


def _joint(scope: Scope, mechanism: Mechanism, name: str, node: Node) -> None:
    if name and is_type(scope, node):
        use(scope, mechanism, "joints", name, node, READERS)
        return
    full = scope.named(name)
    where = about("joint", full)
    kind = _type(scope, where, node, {**vocabulary.JOINTS, **vocabulary.SECTIONS["relations"]}, "joints")
    if kind is MISSING:
        scope.faults.lost.add(full)
        return
    if kind not in vocabulary.JOINTS or (kind in vocabulary.SECTIONS["relations"] and "joints" in node):
        _component(scope, mechanism, "relations", name, node)
        return
    scope.coordinates[full] = BY_NAME[kind].coordinates
    table = vocabulary.JOINTS[kind]
    keys = scope.table(node, where, {"type": None, **table}, part=full)
    values: dict[str, Any] = {}
    for key, item in keys.items():
        if key == "initial":
            values[key] = _initial(scope, where, item)
        elif key == "equations":
            values[key] = _equations(scope, where, item)
        elif key != "type":
            values[key] = scope.value(item, where.at(key), table[key], now=True)
    for key, field in table.items():
        if field.required and key not in values:
            if not scope.faults.is_broken(full, key):
                scope.fault(node, where.at(key), f"{where}: {key} is missing; expected {_expected(field)}")
            values[key] = MISSING
    ports = None if scope.faults.is_broken(full, "between") else _ports(scope, mechanism, where, node, values)
    broken = {key for key, value in values.items() if value is MISSING}
    for key in broken:
        scope.faults.mark_broken(full, key)
    if ports is None or broken & {"between", "bodies", "at", "axis", "equations"}:
        scope.faults.lost.add(full)
        return
    given = [key for key in BY_NAME[kind].keys if key in values and key != "equations"]
    defaults = {key: found.default for key, found in BY_NAME[kind].keys.items() if found.default is not None}
    numbers: dict[str, Any] = {**defaults, **{key: 1.0 if key in broken else values[key] for key in given}}
    others = ("at", "axis", "equations", "initial")
    rest: dict[str, Any] = {key: values[key] for key in others if key in values and key not in broken}
    if "equations" in rest and scope.whole:
        _check_rows(scope, where, keys["equations"], kind, rest["equations"])
    mechanism.joint(kind, full, **ports, **rest, length=numbers.pop("length", None), values=numbers)


def _check_rows(scope: Scope, where: Where, node: Node, kind: str, equations: tuple[str, ...]) -> None:
    """That the equations of a type can be those of a joint; what they are not at all is told later."""
    nowhere = PortName("", "")
    with contextlib.suppress(ValueError, TypeError, RecursionError, KeyError):
        words = dependent(rows_of(Joint("", kind, nowhere, nowhere, equations), scope.dim), scope.dim)
        if words:
            scope.fault(node, where.at("equations"), f"{where}: {words}")


def _type(scope: Scope, where: Where, node: Node, known: Mapping[str, Any], section: str) -> Any:
    if not isinstance(node.value, dict):
        return scope.wrong(node, where, "keys such as type and between")
    if "type" not in node:
        return scope.fault(node, where.at("type"), f"{where}: type is missing; {nearest('', known)}")
    found = node["type"].value
    if scope.types and scope.types.partial and isinstance(found, str) and found not in known:
        return MISSING  # it may be one of a library that could not be read
    if not isinstance(found, str) or found not in known:
        own = [one.name for one in scope.types.of_section(section)] if scope.types else []
        words = _meant(str(found), {**known, **dict.fromkeys(own)})
        return scope.fault(node["type"], where.at("type"), f"{where}: unknown type {shown(node['type'])}; {words}")
    return found


# What people call them elsewhere.
_SYNONYMS = {
    **{other: kind.name for kind in BY_NAME.values() for other in kind.also_called},
    **{other: kind.name for kind in TYPES.values() for other in kind.also_called},
}


def _meant(found: str, known: Mapping[str, Any]) -> str:
    """The types there are, and the one that was probably meant: by another name, or of another section."""
    meant = _SYNONYMS.get(found.lower())
    if meant in known:
        return f"{nearest('', known)} ('{found}' is called '{meant}' here)"
    everywhere: dict[str, Mapping[str, Any]] = {"joints": vocabulary.JOINTS, **vocabulary.SECTIONS}
    home = next((section for section, types in everywhere.items() if (meant or found) in types), None)
    words = nearest(found, known)
    return f"{words}; '{meant or found}' belongs under {home}" if home else words


def _expected(field: k.Key) -> str:
    if field.what == k.NAMES:
        return "a list of texts such as ['dot(N - M, y_i)']"
    return k.IN_FILE.get(field.what, k.EXPECTED[field.what]) + (f" ({field.unit})" if field.unit else "")


def _ports(
    scope: Scope, mechanism: Mechanism, where: Where, node: Node, values: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The two ends of a joint as the builder takes them; None where they are not there."""
    if "between" in values and "bodies" in values:
        scope.fault(node["bodies"], where.at("bodies"), f"{where}: between and bodies are both given; keep one")
        return None
    if "between" in values:
        between = values["between"]
        return None if between is MISSING else {"first": between[0], "second": between[1]}
    if "bodies" not in values:
        words = f"{where}: between is missing; expected two points like [crank.B, coupler.B]"
        scope.fault(node, where.at("between"), words)
        return None
    if values["bodies"] is MISSING:
        return None
    handles = []
    for name in values["bodies"]:
        try:
            handles.append(mechanism[name])
        except KeyError:
            bodies = ["ground", *(body.name for body in mechanism.frozen().bodies)]
            scope.fault(
                node["bodies"], where.at("bodies"), f"{where}: there is no body '{name}'; {nearest(name, bodies)}"
            )
    if "at" not in values:
        words = f"{where}: at is missing; with bodies it is the place of the joint, in fixed axes"
        scope.fault(node, where.at("at"), words)
        return None
    return {"bodies": tuple(handles)} if len(handles) == 2 else None


def _initial(scope: Scope, where: Where, node: Node) -> Any:
    where = where.at("initial")
    keys = scope.table(node, where, vocabulary.INITIAL)
    found = {k: scope.number(item, where.at(k), vocabulary.INITIAL[k].unit) for k, item in keys.items()}
    return MISSING if any(value is MISSING for value in found.values()) else found


def _equations(scope: Scope, where: Where, node: Node) -> Any:
    """Equations of a joint, with units and parameters as numbers."""
    texts = scope.value(node, where.at("equations"), k.Key(k.NAMES))
    if texts is MISSING:
        return MISSING

    def worth(name: str) -> str:
        free = name in scope.values and name not in JOINT_SYMBOLS and name not in CONSTANTS
        return repr(scope.values[name]) if free else name

    try:
        return tuple(renamed(without_units(text)[0], worth) for text in texts)
    except (FormulaError, UnitError) as error:
        return scope.fault(node, where.at("equations"), f"{where}: equations: {error}")


# Components ---------------------------------------------------------------------------------------------------------


def _component(scope: Scope, mechanism: Mechanism, section: str, name: str, node: Node) -> None:
    if name and is_type(scope, node):
        use(scope, mechanism, section, name, node, READERS)
        return
    known = vocabulary.SECTIONS[section]
    full = scope.named(name)
    where = about(section[:-1], full)
    kind = vocabulary.DEFAULT_TYPES.get(section)
    if kind is None or (isinstance(node.value, dict) and "type" in node):
        kind = _type(scope, where, node, known, section)
    if kind is MISSING:
        scope.faults.lost.add(full)
        return
    where = about(kind, full)
    values = _component_values(scope, where, full, known[kind], node)
    missing = [key for key, k_ in known[kind].keys.items() if k_.required and key not in values]
    if kind in OWN_PARTS and missing:
        unsaid = [key for key in missing if not scope.faults.is_broken(full, key)]
        for key in unsaid:
            expected = known[kind].keys[key].expected(scope.dim).file
            scope.fault(node, where.at(key), f"{where}: {key} is missing; expected {expected}")
        scope.faults.lost.add(full)
        return
    if kind in OWN_PARTS:
        getattr(mechanism, kind.replace("-", "_"))(full, *values.pop("between", ()), **values)
    else:
        mechanism.component(section, kind, full, **values)


def _component_values(scope: Scope, where: Where, full: str, kind: Kind, node: Node) -> dict[str, Any]:
    keys = vocabulary.component_keys(kind)
    known = {"type": None, **keys} | ({vocabulary.FROM: None} if "from_drawn" in keys else {})
    values: dict[str, Any] = {}
    for key, item in scope.table(node, where, known, part=full).items():
        if key == vocabulary.FROM:
            if item.value == vocabulary.DRAWN:
                values["from_drawn"] = True
            else:
                scope.wrong(item, where.at("from"), f"'{vocabulary.DRAWN}', the assembled pose")
            continue
        if key == "type":
            continue
        local = tuple(_local(kind, key, node))
        expected = replace(keys[key], unit=unit_along(keys[key].unit, _quantity(scope, node)))
        value = scope.value(item, where.at(key), expected, local, now=False)
        if value is MISSING:
            scope.faults.mark_broken(full, key)
        else:
            values[key] = value
    return values


def _quantity(scope: Scope, node: Node) -> str:
    """Of the coordinate of the joint that a component names, where it names one."""
    text = node["joint"].value if "joint" in node else None
    if not isinstance(text, str):
        return ""
    name, quantity = split_joint(scope.reference(text), scope.coordinates)
    return quantity or next(iter(scope.coordinates.get(name, ())), "")


def _local(kind: Kind, key: str, node: Node) -> Iterator[str]:
    """Names that mean something inside a formula of this key only."""
    yield from kind.keys[key].local
    if key in ("rates", "outputs") or kind.keys[key].states:
        for other in ("states", "inputs", "outputs"):
            if other in node and isinstance(node[other].value, dict):
                yield from node[other].value


# Events -------------------------------------------------------------------------------------------------------------


def _event(scope: Scope, mechanism: Mechanism, name: str, node: Node) -> None:
    full = scope.named(name)
    where = about("event", full)
    keys = scope.table(node, where, vocabulary.EVENT, required=("when",), part=full)
    values: dict[str, Any] = {}
    for key, item in keys.items():
        if key == "set":
            settings = scope.names(item, where.at("set"))
            set_to = {n: Where(full, f"set.{n}", f"{where}: set {n}") for n in settings}
            found = {scope.reference(n): scope.formula(v, set_to[n]) for n, v in settings.items()}
            values[key] = {target: value for target, value in found.items() if value is not MISSING}
        elif key in ("on", "off"):
            names = scope.value(item, where.at(key), vocabulary.EVENT[key])
            values[key] = () if names is MISSING else tuple(scope.reference(target) for target in names)
        else:
            values[key] = scope.value(item, where.at(key), vocabulary.EVENT[key])
    if "when" not in values or any(value is MISSING for value in values.values()):
        scope.faults.lost.add(full)
        return
    mechanism.event(full, values.pop("when"), **values)


READERS = Readers(read_parts, _joint, _component)
