"""The file of a system: subsystems by path, joints between their ports, and how to run it.

    subsystems:
      tractor: {path: tractor.yaml, parameters: {k: 300}, simulate: {integrator: rk4, step: 1e-3}}
    joints:
      hitch: {type: spherical, between: [tractor.frame.H, trailer.tongue.H]}
    simulate: {duration: 10 s, coupling: extended, macro_step: 10 ms}

Everything but `subsystems` reads as in the file of a mechanism: units, formulas, faults with line and column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from ..files import vocabulary
from ..files.file_faults import MAX_FAULTS, EnoughError, Faults, WrittenPart
from ..files.loading import read_file
from ..files.nodes import Node, UnreadableError, parse
from ..files.parameters import declare, read_parameters
from ..files.saving import as_tree, dumps
from ..files.scope import MISSING, Scope, shown
from ..files.sections import read_parts
from ..files.vocabulary import FileKey
from ..library import kinds as k
from ..library.mechanism_faults import joint_entries
from ..mechanism.errors import ChoiceError, FileError, JourdainError, MechanismError
from ..mechanism.fault import Mark, Where, about, whole
from ..mechanism.names import nearest
from ..mechanism.parts import PLANAR
from .system import DOT, POINT, System
from .whole import dotted, frozen

SECTIONS = ("ground", "joints", "relations", "forces", "motions")
SUBSYSTEM = ("path", "ports", "parameters", "simulate", "fmu", "step")
RUN: dict[str, FileKey] = {
    **vocabulary.SIMULATE,
    "coupling": FileKey(vocabulary.TEXT, required=False),
    "macro_step": FileKey(k.POSITIVE, required=False, unit="s"),
    "threads": FileKey(k.POSITIVE, required=False),
}
TOP = ("jourdain", "name", "description", "space", "gravity", "parameters", "subsystems", "simulate", *SECTIONS)


def is_system(text: str, path: str) -> bool:
    """Whether a text is the file of a system."""
    if "subsystems" not in text:
        return False
    try:
        root = parse(text, path)
    except UnreadableError:
        return False
    return "subsystems" in root


def load_system(text: str, path: str, folder: Path, values: Mapping[str, Any]) -> System:
    """Raises FileError with all faults of the file, each with its line and column."""
    faults = Faults()
    try:
        system = _system(parse(text, path), path, folder, values, faults)
        if not faults.found:
            _check(system, faults, Mark(path, 1, 1))
    except UnreadableError as error:
        raise FileError(path, [error.fault]) from None
    except EnoughError:
        raise FileError(path, [*faults.in_order()[:MAX_FAULTS], "... and more; mend these first"]) from None
    if faults.found:
        raise FileError(path, faults.in_order())
    system.path = path
    return system


def _system(root: Node, path: str, folder: Path, values: Mapping[str, Any], faults: Faults) -> System:
    scope = Scope(faults, path)
    top = scope.table(root, Where("", "", "the file"), TOP, part="")
    faults.parts[""] = WrittenPart(Mark(path, 1, 1), root, "")
    system = System(_text(scope, top, "name", Path(path).stem))
    system.description = _text(scope, top, "description", "").strip()
    read_parameters(scope, top.get("parameters"), values)
    for name, node in scope.names(top["subsystems"], whole("subsystems")).items():
        _subsystem(scope, system, name, node, folder)
    if not system.boxes:
        return system
    space = next(iter(system.boxes.values())).space
    scope.dim = 2 if space == PLANAR else 3
    declare(scope, system.links)
    for section in SECTIONS:
        if section in top:
            _ports(scope, system, top[section])
    read_parts(scope, {key: top[key] for key in SECTIONS if key in top}, system.links)
    system.defaults = _defaults(scope, top.get("simulate"))
    return system


def _text(scope: Scope, top: Mapping[str, Node], key: str, default: str) -> str:
    if key not in top or isinstance(top[key].value, str):
        return str(top[key].value) if key in top else default
    scope.wrong(top[key], whole(key), "text")
    return default


def _subsystem(scope: Scope, system: System, name: str, node: Node, folder: Path) -> None:
    where = about("subsystem", name)
    keys = scope.table(node, where, SUBSYSTEM)
    if "fmu" in keys:
        scope.fault(keys["fmu"], where.at("fmu"), f"{where}: FMUs cannot be read yet; give path: of a mechanism")
        return
    if "path" not in keys or not isinstance(keys["path"].value, str):
        scope.fault(node, where.at("path"), f"{where}: path is missing; expected that of a mechanism file")
        return
    choices = {}
    for key, value in (
        scope.table(keys["simulate"], where.at("simulate"), vocabulary.SIMULATE).items() if ("simulate" in keys) else ()
    ):
        read = scope.value(value, where.at(key), vocabulary.SIMULATE[key], now=True)
        if read is not MISSING and key not in ("duration", "every"):
            choices[key] = read
    parameters = keys["parameters"].plain() if "parameters" in keys else None
    ports = keys["ports"].plain() if "ports" in keys else None
    target = folder / keys["path"].value
    try:
        if is_system(read_file(target), str(target)):
            system.subsystem(name, load_system(read_file(target), str(target), target.parent, parameters or {}))
        else:
            system.subsystem(name, target, ports, parameters, **choices)
    except FileError as error:
        for fault in error.faults:
            scope.faults.add(fault if fault.mark is not None else where.fault(str(fault)).at(keys["path"].mark))
    except (ChoiceError, MechanismError) as error:
        words = "; ".join(map(str, error.faults)) if isinstance(error, MechanismError) else str(error)
        scope.fault(node, where, words)


def _ports(scope: Scope, system: System, node: Node) -> None:
    """Ports as they are written become those of the links, in place."""
    for one in _strings(node):
        owner = one.value.partition(".")[0]
        box = next((b for b in system.boxes if one.value.startswith(f"{b}.")), None)
        if box is None and owner in {b.partition(".")[0] for b in system.boxes} and "." in one.value:
            box = owner
        if box is None or " " in one.value:
            continue
        try:
            port = system.port(one.value)
        except MechanismError as error:
            scope.fault(one, whole("joints"), str(error.faults[0]))
            port = system.port(_any_port(system, box))
        one.value = f"{port.body}.{port.point}"


def _any_port(system: System, box: str) -> str:
    found = next(b for b in system.boxes.values() if b.name == box or b.name.startswith(f"{box}."))
    return f"{found.name}.{found.ports[0]}"


def _strings(node: Node) -> Iterator[Node]:
    if isinstance(node.value, str):
        yield node
    for inner in (
        node.value.values() if isinstance(node.value, dict) else node.value if (isinstance(node.value, list)) else ()
    ):
        yield from _strings(inner)


def _defaults(scope: Scope, node: Node | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if node is None:
        return found
    where = whole("simulate")
    for key, value in scope.table(node, where, RUN).items():
        if key == "macro_step" and value.value == "auto":
            found[key] = "auto"
            continue
        read = scope.value(value, where.at(key), RUN[key], now=True)
        if read is not MISSING and RUN[key].what == k.POSITIVE and not read > 0:
            read = scope.fault(value, where.at(key), f"simulate: {key} is {read:g}; expected a positive number")
        if read is not MISSING:
            found[key] = int(read) if key == "threads" else read
    names = ("extended", "uzawa", "explicit")
    if found.get("coupling", "extended") not in names:
        words = f"simulate: unknown coupling {shown(node['coupling'])}; {nearest(found['coupling'], names)}"
        scope.fault(node["coupling"], where.at("coupling"), words)
    return found


def _check(system: System, faults: Faults, start: Mark) -> None:
    try:
        frozen(system)
        joint_entries(system.links.frozen())
    except MechanismError as error:
        for fault in error.faults:
            mark = faults.mark_of(fault, start) or start
            faults.add(fault.__class__(fault.part, fault.key, dotted(fault.words)).at(mark))


# Writing --------------------------------------------------------------------------------------------------------------


def save(system: System, path: str | Path) -> Path:
    """Write a system to a file, and the mechanisms of its subsystems to files beside it: `NAME-tractor.yaml`."""
    frozen(system)
    path = Path(path)
    if nested := [name for name in system.boxes if "." in name]:
        raise JourdainError(f"subsystem '{nested[0]}' is part of a system inside; save that one to a file of its own")
    tree = as_tree(system.links.frozen())
    boxes: dict[str, Any] = {}
    texts: dict[Path, str] = {}
    for name, box in system.boxes.items():
        if box.blueprint is None:
            raise JourdainError(f"subsystem '{name}' is a box in Python, which a file cannot hold")
        beside = path.with_name(f"{path.stem}-{name}.yaml")
        texts[beside] = dumps(box.blueprint)
        boxes[name] = {"path": beside.name}
        if set(box.ports) != {f"{b.name}.{p}" for b in box.blueprint.bodies for p in b.ports}:
            boxes[name]["ports"] = list(box.ports)
        if box.choices:
            wrong = [key for key, value in box.choices.items() if not isinstance(value, str | int | float)]
            if wrong:
                raise JourdainError(f"subsystem '{name}': {wrong[0]} is an object of Python; give it by name")
            boxes[name]["simulate"] = dict(box.choices)
    found = {"jourdain": vocabulary.VERSION, "name": system.name, "description": system.description}
    found |= {"space": system.links.space, "subsystems": boxes}
    found |= {key: _written(value) for key, value in tree.items() if key in ("parameters", *SECTIONS)}
    found["simulate"] = dict(system.defaults)
    text = yaml.safe_dump(
        {key: value for key, value in found.items() if value not in ({}, "")},
        sort_keys=False,
        width=120,
        allow_unicode=True,
        default_flow_style=None,
    )
    try:
        for beside, content in texts.items():
            beside.write_text(content, encoding="utf-8")
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise JourdainError(f"{path} cannot be written: {error.strerror or error}") from None
    return path


def _written(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _written(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_written(one) for one in value]
    if isinstance(value, str) and DOT in value:
        return value.replace(f".{POINT}", "").replace(DOT, ".")
    return value


__all__ = ["is_system", "load_system", "save"]
