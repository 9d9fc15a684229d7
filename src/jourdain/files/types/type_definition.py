"""What a type says of itself: its kind, its gaps (ports, parameters, signals), and what it consists of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...mechanism.fault import Mark, Where
from ...mechanism.names import is_identifier, nearest
from ...mechanism.units import Dimension, UnitError, unit
from .. import type_keys as keys
from ..nodes import Node
from ..scope import Scope, shown

if TYPE_CHECKING:
    from .registry import Registry

SELF = "self"  # in a type: the part that is used under its name
# Names that mean something in every formula or equation, so that no gap of a type can bear them.
TAKEN = frozenset({"M", "N", "t", "pi", "e", "ground", "energy", "violation", SELF})


@dataclass(frozen=True)
class Gap:
    """A parameter (a number) or a signal (a formula) that is given where the type is used."""

    name: str
    mark: Mark
    unit: str = ""
    default: Node | None = None
    says: str = ""
    bounds: Mapping[str, Node] = field(default_factory=dict)

    @property
    def dimension(self) -> Dimension | None:
        """What formulas take it for; without a unit it may be anything."""
        return unit(self.unit).dimension if self.unit else None

    def about(self) -> str:
        """Its unit, default and bounds, in words."""
        words = [self.unit] if self.unit else []
        words += [f"default {self.default.plain()}"] if self.default is not None else ["to be given"]
        return ", ".join([*words, *(f"{keys.BOUNDS[key]} {node.plain()}" for key, node in self.bounds.items())])


@dataclass(frozen=True)
class Definition:
    """A type; one with variants is read as its first, and has all of them in `variants`."""

    name: str
    kind: str
    node: Node
    mark: Mark
    home: Registry = field(repr=False)  # the types that it may use itself
    path: str
    folder: Path
    says: str = ""
    space: str = ""  # where it can be used, if not in both
    of: str = ""  # the built-in type of its main part
    ports: tuple[str, ...] = ()
    ends: Mapping[str, Node] = field(default_factory=dict)  # of an assembly: where its ports lead
    joints: tuple[str, ...] = ()
    joints_key: str = ""  # the key that names these
    parameters: Mapping[str, Gap] = field(default_factory=dict)
    signals: Mapping[str, Gap] = field(default_factory=dict)
    channels: Mapping[str, Node | None] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)  # of channels that say one
    symbol: Node | None = None
    variants: Mapping[str, Definition] = field(default_factory=dict)

    @property
    def section(self) -> str:
        return keys.SECTIONS[self.kind]

    @property
    def sections(self) -> dict[str, Node]:
        """The parts that it brings beside its main one."""
        return {key: node for key, node in self.node.items() if key in keys.INSIDE and key != self.joints_key}

    @property
    def body(self) -> dict[str, Node]:
        """The keys of its main part."""
        rest = {*keys.TYPE, *keys.INSIDE, self.joints_key}
        return {key: node for key, node in self.node.items() if key not in rest}


def define(scope: Scope, name: str, node: Node, home: Registry) -> Definition | None:
    """A type as it is written; None, and the faults noted, where it cannot be used."""
    where = Where("", f"types.{name}", f"type '{name}'")
    if not isinstance(node.value, dict):
        scope.wrong(node, where, "keys such as kind, ports and parameters")
        return None
    before = len(scope.faults.found)
    if "variants" not in node:
        found = _one(scope, where, name, node, home)
        return found if len(scope.faults.found) == before else None
    made: dict[str, Definition] = {}
    for variant, inner in scope.names(node["variants"], where.at("variants")).items():
        place = where.at(f"variants.{variant}")
        if not isinstance(inner.value, dict):
            scope.wrong(inner, place, "keys of the type, such as kind and equations")
        elif (one := _one(scope, place, name, _merged(node, inner), home)) is not None:
            made[variant] = one
    if not made and len(scope.faults.found) == before:
        scope.fault(node["variants"], where.at("variants"), f"{where}: variants is empty; expected at least one")
    if len(scope.faults.found) > before:
        return None
    return replace(next(iter(made.values())), node=node, mark=node.mark, variants=made)


def _merged(common: Node, variant: Node) -> Node:
    """A variant with what the type says for all of them; tables of gaps are joined."""
    found = Node({key: node for key, node in common.items() if key != "variants"}, variant.mark)
    found.keys |= common.keys
    for key, node in variant.items():
        old = found.value.get(key)
        both = old is not None and isinstance(old.value, dict) and isinstance(node.value, dict)
        if both and key in ("parameters", "signals", "channels"):
            joined = Node({**old.value, **node.value}, node.mark)
            joined.keys |= {**old.keys, **node.keys}
            found.value[key] = joined
        else:
            found.value[key] = node
        found.keys[key] = variant.keys[key]
    return found


def _one(scope: Scope, where: Where, name: str, node: Node, home: Registry) -> Definition | None:
    kind = node["kind"].value if "kind" in node else None
    if not isinstance(kind, str) or kind not in keys.SECTIONS:
        place = node.value.get("kind", node)
        found = f"is {shown(place)}" if "kind" in node else "is missing"
        scope.fault(place, where.at("kind"), f"{where}: kind {found}; {nearest(str(kind or ''), keys.SECTIONS)}")
        return None
    parameters, signals = (_gaps(scope, where, node, key) for key in ("parameters", "signals"))
    ends: dict[str, Node] = {}
    if kind == "assembly":
        ends = scope.names(node["ports"], where.at("ports")) if "ports" in node else {}
    ports = tuple(ends) if kind == "assembly" else _names(scope, where, node, "ports")
    joints_key = next((key for key in ("joints", "joint") if _names_joints(kind, node, key)), "")
    joints = _names(scope, where, node, joints_key) if joints_key else ()
    local = [*ports, *joints, *parameters, *signals]
    for one in dict.fromkeys(local):
        if not is_identifier(one) or one in TAKEN:
            scope.fault(node, where, f"{where}: '{one}' cannot be the name of a port, a parameter or a signal")
        elif local.count(one) > 1:
            scope.fault(node, where, f"{where}: '{one}' names two of its ports, parameters and signals")
    channels, units = _channels(scope, where, node)
    of = str(node["of"].value) if "of" in node else keys.DEFAULT_OF[kind]
    if of and of not in keys.built_in_types(kind):
        words = f"no built-in type of that kind; {nearest(of, keys.built_in_types(kind))}"
        place = node.value.get("of", node)
        scope.fault(place, where.at("of"), f"{where}: of is {shown(place) if 'of' in node else of}, {words}")
    return Definition(
        name=name,
        kind=kind,
        node=node,
        mark=node.mark,
        home=home,
        path=scope.path,
        folder=scope.folder,
        says=_says(scope, where, node),
        space=str(node["space"].value) if "space" in node else "",
        of=of,
        ports=ports,
        ends=ends,
        joints=joints,
        joints_key=joints_key,
        parameters=parameters,
        signals=signals,
        channels=channels,
        units=units,
        symbol=node.value.get("symbol"),
    )


def _names_joints(kind: str, node: Node, key: str) -> bool:
    return kind != "assembly" and key in node and not isinstance(node[key].value, dict)


def _names(scope: Scope, where: Where, node: Node, key: str) -> tuple[str, ...]:
    """Names of the ports, joints or channels that a key lists."""
    if key not in node:
        return ()
    if isinstance(node[key].value, str):
        return (node[key].value,)
    found = scope.value(node[key], where.at(key), keys.NAMES)
    return found if isinstance(found, tuple) else ()


def _gaps(scope: Scope, where: Where, node: Node, key: str) -> dict[str, Gap]:
    found: dict[str, Gap] = {}
    known = keys.GAP if key == "parameters" else keys.SIGNAL_GAP
    for name, item in scope.names(node[key], where.at(key)).items() if key in node else ():
        place = where.at(f"{key}.{name}")
        if not isinstance(item.value, dict):  # its default alone
            found[name] = Gap(name, item.mark, default=None if item.value is None else item)
            continue
        table = scope.table(item, place, known)
        units = ""
        try:
            units = _unit_text(table["unit"]) if "unit" in table else ""
            units = "" if units in ("1", "-") else units
            unit(units or "m")
        except UnitError as error:
            scope.fault(table["unit"], place.at("unit"), f"{place}: unit: {error}")
            units = ""
        says = _says(scope, place, table)
        bounds = {bound: table[bound] for bound in keys.BOUNDS if bound in table}
        found[name] = Gap(name, item.mark, units, table.get("default"), says, bounds)
    return found


def _says(scope: Scope, where: Where, keys_of: Node | Mapping[str, Node]) -> str:
    """What it is, in words; a number is words too."""
    if "says" not in keys_of:
        return ""
    said = keys_of["says"]
    if said.value is None or isinstance(said.value, dict | list):
        scope.fault(said, where.at("says"), f"{where}: says is {shown(said)}; expected text")
        return ""
    return " ".join(str(said.value).split())


def _unit_text(node: Node) -> str:
    if not isinstance(node.value, str | int):
        raise UnitError(f"{shown(node)} is no unit")
    return str(node.value)


def _channels(scope: Scope, where: Where, node: Node) -> tuple[dict[str, Node | None], dict[str, str]]:
    """Channels that it has: by name alone where its parts report them, with a formula, or formula and unit, else."""
    found: dict[str, Node | None] = {}
    units: dict[str, str] = {}
    for key in ("channels", "coordinates"):
        if key not in node or not isinstance(node[key].value, dict):
            found |= dict.fromkeys(_names(scope, where, node, key))
            continue
        for name, item in node[key].items():
            found[name] = item
            if not isinstance(item.value, dict):
                continue
            place = where.at(f"{key}.{name}")
            table = scope.table(item, place, keys.CHANNEL, required=("formula",))
            found[name] = table.get("formula")
            try:
                if "unit" in table:
                    unit(text := _unit_text(table["unit"]))
                    units[name] = text
            except UnitError as error:
                scope.fault(table["unit"], place.at("unit"), f"{place}: unit: {error}")
    return found, units
