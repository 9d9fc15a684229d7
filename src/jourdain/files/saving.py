"""A Mechanism to a file that describes the same: numbers in SI, formulas as text. What only Python has is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import yaml

from ..library import TYPES
from ..library import kinds as k
from ..library.forces.parts_as_components import as_component
from ..mechanism.arguments import asked
from ..mechanism.builder import Mechanism, blueprint_of
from ..mechanism.errors import JourdainError
from ..mechanism.fault import Fault
from ..mechanism.machine import Machine, or_machine
from ..mechanism.parts import PLANAR, Blueprint, Body, Component, Event, Joint, Look, Port, PortName, Shape
from ..mechanism.solids import SIZES
from ..mechanism.table_data import REFUSE, Table
from .nodes import plain_scalar
from .types.kept_uses import with_real_names, without_uses
from .vocabulary import DEFAULT_TYPES, DRAWN, FROM, PYTHON_ONLY, VERSION

DIRECTIONS = {1: "rising", -1: "falling", 0: "both"}


@or_machine
@asked
def save(mechanism: Mechanism | Blueprint | Machine[Any, Any, Any, Any], path: str | Path) -> Path:
    """Write a mechanism to a file, JSON where the name ends in `.json`, YAML otherwise."""
    path = Path(path)
    text = dumps(cast(Mechanism, mechanism), "json" if path.suffix == ".json" else "yaml")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise JourdainError(f"{path} cannot be written: {error.strerror or error}") from None
    return path


def dumps(mechanism: Mechanism | Blueprint, form: str = "yaml") -> str:
    """The text of the file."""
    blueprint = blueprint_of(mechanism)
    tree = as_tree(blueprint)
    if form == "json":
        return json.dumps(tree, indent=2, ensure_ascii=False) + "\n"
    return yaml.dump(tree, Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True, default_flow_style=None)


def as_tree(blueprint: Blueprint) -> dict[str, Any]:
    """The mechanism as a file holds it. Raises MechanismError with all that a file cannot hold."""
    refused = [*blueprint.early_faults, *_refused(blueprint)]
    if refused:
        raise blueprint.refused(refused)
    tree: dict[str, Any] = {"jourdain": VERSION, "name": blueprint.name, "description": blueprint.description}
    tree |= {"space": blueprint.space, "gravity": _plain(blueprint.gravity)}
    tree["parameters"] = {name: _plain(value) for name, value in blueprint.parameters.items()}
    tree["tables"] = {name: _table(table) for name, table in blueprint.tables.items()}
    tree["ground"] = {"points": _points(blueprint.ground)} if blueprint.ground else {}
    tree["bodies"] = {body.name: _body(body, blueprint.space == PLANAR) for body in blueprint.bodies}
    tree["joints"] = {joint.name: _joint(joint) for joint in blueprint.joints}
    forces = [force if isinstance(force, Component) else as_component(force) for force in blueprint.forces]
    sections = {"relations": blueprint.relations, "forces": forces, "elements": blueprint.elements}
    for section, parts in {**sections, "motions": blueprint.motions}.items():
        tree[section] = {part.name: _component(section, part) for part in parts}
    tree["events"] = {event.name: _event(event) for event in blueprint.events}
    tree["off"] = sorted(blueprint.off)
    tree["simulate"] = _plain(blueprint.defaults)
    tree["display"] = dict(blueprint.display)
    kept = blueprint.written.kept(blueprint) if blueprint.written is not None else {}
    if blueprint.other_names:
        tree = with_real_names(tree, blueprint, kept)
    tree = without_uses(tree, blueprint, kept) if kept else tree
    return {key: value for key, value in tree.items() if value not in ({}, [], "")}


# What a file cannot hold ----------------------------------------------------------------------------------------------


def _refused(blueprint: Blueprint) -> Iterator[Fault]:
    advice = "which a file cannot hold; write it as a formula"
    for joint in blueprint.joints:
        if not all(isinstance(equation, str) for equation in joint.equations):
            words = f"equations are Python expressions, {advice.replace('a formula', 'text')}"
            yield Fault(joint.name, "equations", f"joint '{joint.name}': {words}")
    forces = [force if isinstance(force, Component) else as_component(force) for force in blueprint.forces]
    for part in (*blueprint.relations, *blueprint.motions, *blueprint.elements, *forces):
        for key, value in part.values.items():
            if what := _python(value):
                yield Fault(part.name, key, f"{part.type} '{part.name}': {key} is {what}, {advice}")
    for event in blueprint.events:
        if any(action.kind == "call" for action in event.actions):
            words = f"event '{event.name}': call is a Python function, which a file cannot hold"
            yield Fault(event.name, "call", words)
    for key, value in blueprint.defaults.items():
        if what := _python(value):
            yield Fault("", f"simulate.{key}", f"default '{key}' is {what}, which a file cannot hold; write its name")


def _python(value: Any) -> str:
    """What a value is that only Python has; nothing for what a file can hold."""
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, list | tuple):
        return next((what for item in value if (what := _python(item))), "")
    if value is None or isinstance(value, str | bool | int | float | PortName | Table):
        return ""
    return "a Python function" if callable(value) else f"a Python object ({type(value).__name__})"


# Parts ----------------------------------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """Numbers, texts, lists and tables only; whole numbers without a point."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, PortName):
        return str(value)
    if isinstance(value, Table):
        return {"table": _table(value)}
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 1e15 else float(value)
    return value


def _table(table: Table) -> dict[str, Any]:
    written = {"over": table.over, "kind": table.kind, "periodic": table.period}
    found: dict[str, Any] = {
        "points": [[_plain(float(v)) for v in pair] for pair in zip(table.x, table.y, strict=True)]
    }
    found |= {key: _plain(value) for key, value in written.items() if value is not None}
    return found | ({"outside": table.outside} if table.outside != REFUSE else {})


def _body(body: Body, planar: bool) -> dict[str, Any]:
    attitude = "angle" if planar else "quaternion"
    written: dict[str, Any] = {"mass": body.mass, "inertia": getattr(body.inertia, "tensor", body.inertia)}
    written |= {"centre": body.centre} if any(body.centre) else {}
    written |= {"position": body.position, attitude: body.attitude, "velocity": body.velocity, "spin": body.spin}
    found = {key: _plain(value) for key, value in written.items() if value is not None}
    found |= {"points": _points(body.ports)} if body.ports else {}
    look = _look(body.look) if body.look is not None else {}
    return found | ({"look": look} if look else {})


def _points(ports: Mapping[str, Port]) -> dict[str, Any]:
    return {name: _port(port) for name, port in ports.items()}


def _port(port: Port) -> Any:
    at = _plain(port.at)
    if port.x is None and port.z is None:
        return at
    if len(port.at) == 2:
        return {"at": at, "angle": _angle(port.x)}
    axes = {"x": port.x, "z": port.z}
    return {"at": at, **{key: _plain(axis) for key, axis in axes.items() if axis is not None}}


def _angle(x: Any) -> Any:
    return _plain(math.atan2(x[1], x[0]))


def _look(look: Look) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if look.shapes:
        found["shapes"] = [_shape(shape) for shape in look.shapes]
    if look.colour is not None:
        found["colour"] = look.colour
    if look.traces:
        found["traces"] = list(look.traces)
    if look.strokes:
        found["strokes"] = _plain(look.strokes)
    return found | ({"hidden": True} if look.hidden else {})


def _shape(shape: Shape) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if shape.kind == "outline":
        found["outline"] = _plain(shape.corners)
    else:
        least = SIZES[shape.kind][1]
        sizes = list(shape.size)
        while len(sizes) > least and sizes[-1] == 0.0:
            sizes.pop()
        found[shape.kind] = _plain(sizes)
    if any(shape.at):
        found["at"] = _plain(shape.at)
    if shape.axis is not None:
        found |= {"angle": _angle(shape.axis)} if len(shape.axis) == 2 else {"axis": _plain(shape.axis)}
    return found


def _joint(joint: Joint) -> dict[str, Any]:
    found: dict[str, Any] = {"type": joint.type, "between": [str(joint.first), str(joint.second)]}
    if joint.equations:
        found["equations"] = list(joint.equations)
    if joint.length is not None:
        found["length"] = _plain(joint.length)
    found |= _plain(joint.values)
    return found | ({"initial": _plain(joint.initial)} if joint.initial else {})


def _component(section: str, part: Component) -> dict[str, Any]:
    found: dict[str, Any] = {} if DEFAULT_TYPES.get(section) == part.type else {"type": part.type}
    keys = TYPES[part.type].keys if part.type in TYPES else {}
    for key, value in part.values.items():
        # Inputs go with functions; without one they mean nothing. Those of an element are formulas.
        idle = key in PYTHON_ONLY and (key not in keys or keys[key].what != k.FORMULAS)
        if value is None or idle:
            continue
        if key == "from_drawn":
            found |= {FROM: DRAWN} if value else {}
        elif isinstance(value, Table) and key in keys and keys[key].what == k.TABLE:
            found[key] = _table(value)
        else:
            found[key] = _plain(value)
    for key, value in found.items():  # in the plane, where one number is enough
        if key in keys and keys[key].size == "turns" and isinstance(value, list) and len(value) == 1:
            found[key] = value[0]
    return found


def _event(event: Event) -> dict[str, Any]:
    kinds = {action.kind for action in event.actions}
    found: dict[str, Any] = {"when": event.when}
    found |= {"direction": DIRECTIONS[event.direction]} if event.direction != 1 else {}
    found |= {"stop": True} if "stop" in kinds else {}
    found |= {"record": False} if "record" not in kinds else {}
    settings = {action.target: _plain(action.value) for action in event.actions if action.kind == "set"}
    found |= {"set": settings} if settings else {}
    for kind in ("on", "off"):
        targets = [action.target for action in event.actions if action.kind == kind]
        found |= {kind: targets} if targets else {}
    return found


class _Dumper(yaml.SafeDumper):
    """Quotes texts that this format would read as something else, and repeats instead of referring."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> Any:
    style = '"' if not isinstance(plain_scalar(text), str) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _real(dumper: yaml.SafeDumper, value: float) -> Any:
    mantissa, e, exponent = repr(value).partition("e")
    # The dumper is of YAML 1.1, which wants a point before an exponent.
    point = ".0" if e and "." not in mantissa else ""
    return dumper.represent_scalar("tag:yaml.org,2002:float", mantissa + point + e + exponent)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(float, _real)
