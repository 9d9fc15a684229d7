"""The file of a system: subsystems by path, joints between their ports, and how to run it.

    subsystems:
      tractor: {path: tractor.yaml, parameters: {k: 300}, simulate: {integrator: rk4, step: 1e-3}}
    joints:
      hitch: {type: spherical, between: [tractor.frame.H, trailer.tongue.H]}
    simulate: {duration: 10 s, coupling: extended, macro_step: 10 ms}

Everything but `subsystems` reads as in the file of a mechanism: units, formulas, faults with line and column.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from ..files.system_keys import AUTO, COUPLINGS, RUN, SECTIONS, SUBSYSTEM, TOP
from ..library import kinds as k
from ..library.mechanism_faults import joint_entries
from ..mechanism.errors import ChoiceError, FileError, JourdainError, MechanismError
from ..mechanism.fault import Mark, Where, about, whole
from ..mechanism.names import nearest
from ..mechanism.parts import PLANAR
from .link_names import DOT, ON_BODY, POINT, dotted, linked
from .system import System
from .whole import frozen

NOT_YET = ("fmu", "step")  # of subsystems


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
    _said_again(scope, system, top)
    declare(scope, system.links)
    for section in SECTIONS:
        if section in top:
            _ports(scope, system, top[section])
    read_parts(scope, {key: top[key] for key in SECTIONS if key in top}, system.links)
    system.defaults = _defaults(scope, top.get("simulate"))
    return system


def _said_again(scope: Scope, system: System, top: Mapping[str, Node]) -> None:
    """`space` and `gravity` are those of the subsystems: here they can only say the same."""
    box = next(iter(system.boxes.values()))
    if "space" in top and top["space"].value != box.space:
        words = f"space is {shown(top['space'])}, and subsystem '{box.name}' is {box.space}"
        scope.fault(top["space"], whole("space"), words)
    if "gravity" not in top:
        return
    read = scope.value(top["gravity"], whole("gravity"), vocabulary.TOP["gravity"], now=True)
    for box in system.boxes.values():
        if read is not MISSING and box.gravity is not None and tuple(read) != tuple(map(float, box.gravity)):
            words = f"gravity is {list(read)}, and in subsystem '{box.name}' {list(box.gravity)}; write it there"
            scope.fault(top["gravity"], whole("gravity"), words)


def _text(scope: Scope, top: Mapping[str, Node], key: str, default: str) -> str:
    if key not in top or isinstance(top[key].value, str):
        return str(top[key].value) if key in top else default
    scope.wrong(top[key], whole(key), "text")
    return default


def _subsystem(scope: Scope, system: System, name: str, node: Node, folder: Path) -> None:
    where = about("subsystem", name)
    keys = scope.table(node, where, (*SUBSYSTEM, *NOT_YET))
    if "fmu" in keys:
        scope.fault(keys["fmu"], where.at("fmu"), f"{where}: FMUs cannot be read yet; give path: of a mechanism")
        return
    if "step" in keys:
        words = f"{where}: step goes with fmu:; of a mechanism write simulate: {{step: ..}}"
        scope.fault(keys["step"], where.at("step"), words)
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
    """Ports as they are written, also in formulas, become those of the links, in place."""
    kind = node.value.get("type") if isinstance(node.value, dict) else None
    for key, inner in _inside(node):
        if not isinstance(inner.value, str):
            _ports(scope, system, inner)
            continue
        try:
            inner.value = linked(system, inner.value)
        except MechanismError as error:
            scope.fault(inner, whole("joints"), str(error.faults[0]))
            first = next(iter(system.boxes.values()))
            inner.value = str(system.port(f"{first.name}.{first.ports[0]}")) if first.ports else inner.value
        if kind is not None and key == ON_BODY.get(str(kind.value)):
            inner.value = inner.value.removesuffix(f".{POINT}")


def _inside(node: Node) -> list[tuple[str, Node]]:
    if isinstance(node.value, dict):
        return list(node.value.items())
    return [("", one) for one in node.value] if isinstance(node.value, list) else []


def _defaults(scope: Scope, node: Node | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if node is None:
        return found
    where = whole("simulate")
    for key, value in scope.table(node, where, RUN).items():
        if key == "macro_step" and value.value == AUTO:
            found[key] = AUTO
            continue
        read = scope.value(value, where.at(key), RUN[key], now=True)
        if read is not MISSING and RUN[key].what == k.POSITIVE and not read > 0:
            read = scope.fault(value, where.at(key), f"simulate: {key} is {read:g}; expected a positive number")
        if key == "threads" and read is not MISSING and read != int(read):
            read = scope.fault(value, where.at(key), f"simulate: threads is {read:g}; expected a whole number")
        if read is not MISSING:
            found[key] = int(read) if key == "threads" else read
    if found.get("coupling", COUPLINGS[0]) not in COUPLINGS:
        words = f"simulate: unknown coupling {shown(node['coupling'])}; {nearest(found['coupling'], COUPLINGS)}"
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
    """Write a system to a file, and what is in it to files beside it: `NAME-tractor.yaml`."""
    frozen(system)
    path = Path(path)
    texts = _texts(system, path)
    try:
        for target, content in reversed(texts.items()):
            target.write_text(content, encoding="utf-8")
    except OSError as error:
        raise JourdainError(f"{path} cannot be written: {error.strerror or error}") from None
    return path


def _texts(system: System, path: Path) -> dict[Path, str]:
    """Of the file of a system and of all files beside it."""
    boxes: dict[str, Any] = {}
    texts: dict[Path, str] = {path: ""}
    for name in system.inner:
        beside = path.with_name(f"{path.stem}-{name}.yaml")
        texts |= _texts(system.inner[name], beside)
        boxes[name] = {"path": beside.name}
    for name, box in system.boxes.items():
        if name.partition(".")[0] in system.inner:
            continue
        if "." in name:
            words = f"system '{name.partition('.')[0]}' in it was changed; save that one to a file of its own"
            raise JourdainError(f"subsystem '{name}' is part of a system inside: {words}")
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
    tree = as_tree(system.links.frozen())
    found |= {key: _written(_own(value)) for key, value in tree.items() if key in ("parameters", *SECTIONS)}
    found["simulate"] = dict(system.defaults)
    texts[path] = yaml.safe_dump(
        {key: value for key, value in found.items() if value not in ({}, "")},
        sort_keys=False,
        width=120,
        allow_unicode=True,
        default_flow_style=None,
    )
    return texts


def _own(section: Any) -> Any:
    """What is not of systems inside: these have files of their own."""
    if not isinstance(section, dict):
        return section
    kept = {name: part for name, part in section.items() if DOT not in name}
    if "points" in kept:
        kept["points"] = {name: port for name, port in kept["points"].items() if DOT not in name}
    return {} if kept == {"points": {}} else kept


def _written(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _written(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_written(one) for one in value]
    return dotted(value) if isinstance(value, str) else value


__all__ = ["is_system", "load_system", "save"]
