"""What can be done with a part, two points or a section, and why something cannot: tried on a copy of the document.

A row has a `label`, and `operation`, which is applied; or `ask`, another ask with what it needs; or `why` it cannot be.
`asks` is the key of the operation that the user fills in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..library.forces.spring_damper import SPRING_DAMPER
from ..library.joints import KINDS
from ..live.document import Document
from ..mechanism.parts import GROUND, Blueprint, Joint
from ..plotting.tempo import rounded_down

ROW = dict[str, Any]
CUT = {"joints": "Cut", "points": "Remove the point"}
DRIVEN = {"revolute": "1 rad/s", "prismatic": "0.1 m/s"}  # joints that a motion can drive, and how fast at first


def of_part(document: Document, path: str, locked: Sequence[str] = ()) -> list[ROW]:
    """Rows for one part, by its path in the file: `joints.C`, `bodies.crank`, `bodies.crank.points.B`."""
    steps = path.split(".")
    point = len(steps) > 2 and steps[-2] == "points"
    words = CUT.get("points" if point else steps[0], "Remove")
    name = path.removeprefix(f"{steps[0]}.")
    more: list[ROW] = []
    if point:
        where = path.removeprefix("bodies.").replace(".points.", ".")
        if steps[0] != GROUND:
            more.append(_load(document, "Pull with a constant force", "force", "on", where, "vector"))
    elif steps[0] == "bodies":
        held = name in locked
        ask = {"ask": "unlock" if held else "lock", "body": name}
        more.append(
            {"label": "Let it move again" if held else "Lock it where it is", "operation": None, "ask": ask, "why": ""}
        )
        more.append(_new_point(document, path, name))
        more.append(_load(document, "Turn with a constant torque", "torque", "on", name, "torque"))
    elif path == GROUND:
        more.append(_new_point(document, path, GROUND))
    elif steps[0] == "joints" and (joint := _joint(document.blueprint, name)) is not None:
        more.append(_driven(document, joint))
    if path == GROUND:
        return more
    removed = _tried(document, words, {"do": "remove", "part": path})
    renaming = {"do": "rename", "part": path, "to": free_name(document, f"{steps[-1]}_new")}
    renamed = {**_tried(document, "Rename", renaming), "asks": "to"}
    return [removed, *more, renamed] if steps[0] == "joints" else [*more, renamed, removed]


def of_points(document: Document, first: str, second: str) -> list[ROW]:
    """Rows for two points, `crank.B` and `coupler.B`: joints and a spring between them."""
    blueprint = document.blueprint
    rows = []
    if first.rpartition(".")[0] == second.rpartition(".")[0]:
        return [{"label": "Join", "operation": None, "why": "both points are on the same body; choose another one"}]
    for kind in KINDS:
        if kind.keys or (kind.plane if blueprint.dim == 2 else kind.space) is None:
            continue
        value: ROW = {"type": kind.name, "between": [first, second]}
        part = f"joints.{free_name(document, 'J1')}"
        rows.append(_tried(document, kind.name, {"do": "insert", "part": part, "value": value}))
    spring: ROW = {"type": SPRING_DAMPER.name, "between": [first, second], "stiffness": "100 N/m", "damping": "1 N s/m"}
    spring["length"] = _apart(blueprint, first, second)
    part = f"forces.{free_name(document, 'spring1')}"
    rows.append(_tried(document, SPRING_DAMPER.name, {"do": "insert", "part": part, "value": spring}))
    return rows


def of_section(document: Document, section: str, size: float, place: Sequence[float]) -> list[ROW]:
    """Rows for what can be put into a section: bodies of a size, at a place where there is room."""
    if section == "bodies":
        return _bodies(document, size, place)
    if section == "parameters":
        operation = {"do": "insert", "part": f"parameters.{free_name(document, 'p1')}", "value": 1}
        return [{**_tried(document, "A parameter", operation), "asks": "part"}]
    if section == "motions":
        drivable = [joint for joint in document.blueprint.joints if joint.type in DRIVEN]
        if not drivable:
            return [{"label": "A motion", "operation": None, "why": "there is no revolute or prismatic joint to drive"}]
        return [_driven(document, joint) for joint in drivable]
    why = "choose a part, and then two points of it and of another one, under 'Join a point'"
    return [{"label": f"Put into {section}", "operation": None, "why": why}]


def _bodies(document: Document, size: float, place: Sequence[float]) -> list[ROW]:
    """A rod, a plate and a disc, each with points where one would look for them."""
    flat = document.blueprint.dim == 2
    length, zero = rounded_down(size), [0.0] * (len(place) - 1)
    half, wide = length / 2, length / 10
    ends = {"A": [-half, *zero], "B": [half, *zero]}
    kinds = {
        "rod": ({"box": [length, wide] if flat else [length, wide, wide]}, ends),
        "plate": ({"box": [length, half] if flat else [length, half, wide]}, {"M": [0.0, *zero], **ends}),
        "disc": ({"disc": [half, wide]}, {"M": [0.0, *zero], "P": [half, *zero]}),
    }
    rows = []
    for name, (shape, points) in kinds.items():
        value = {"mass": "1 kg", "shape": shape, "position": [float(f"{x:.4g}") for x in place], "points": points}
        part = f"bodies.{free_name(document, f'{name}1')}"
        rows.append(_tried(document, f"A {name}, {length:g} m", {"do": "insert", "part": part, "value": value}))
    return rows


def _new_point(document: Document, path: str, owner: str) -> ROW:
    names, k = document.blueprint.ports_of(owner), 1
    while f"P{k}" in names:
        k += 1
    operation = {"do": "insert", "part": f"{path}.points.P{k}", "value": [0.0] * document.blueprint.dim}
    return _tried(document, "Add a point at its origin", operation)


def _load(document: Document, label: str, kind: str, key: str, on: str, value: str) -> ROW:
    flat = document.blueprint.dim == 2
    size: Any = [10.0, *[0.0] * (document.blueprint.dim - 1)]
    size = 10.0 if kind == "torque" and flat else size
    part = f"forces.{free_name(document, f'{kind}1')}"
    return _tried(document, label, {"do": "insert", "part": part, "value": {"type": kind, key: on, value: size}})


def _joint(blueprint: Blueprint, name: str) -> Joint | None:
    return next((joint for joint in blueprint.joints if joint.name == name), None)


def _driven(document: Document, joint: Joint) -> ROW:
    speed = DRIVEN.get(joint.type)
    if speed is None:
        why = f"'{joint.name}' is {joint.type}; a motor drives what is revolute or prismatic"
        return {"label": "Drive it by a motor", "operation": None, "why": why}
    part = f"motions.{free_name(document, 'motor1')}"
    operation = {"do": "insert", "part": part, "value": {"joint": joint.name, "speed": speed}}
    return _tried(document, f"Drive {joint.name} at {speed}", operation)


def _tried(document: Document, label: str, operation: ROW) -> ROW:
    outcome = document.copy().apply(operation)
    return {"label": label, "operation": operation, "why": "" if outcome.ok else outcome.sentence}


def _apart(blueprint: Blueprint, first: str, second: str) -> float:
    """As drawn, m; a round number."""
    places = []
    for text in (first, second):
        owner, _, point = text.rpartition(".")
        at = np.array(blueprint.ports_of(owner)[point].at, dtype=float)
        if owner != GROUND:
            at = at + np.array(blueprint.body(owner).position or np.zeros(blueprint.dim), dtype=float)
        places.append(at)
    return float(f"{max(float(np.linalg.norm(places[1] - places[0])), 1e-3):.3g}")


def free_name(document: Document, name: str) -> str:
    """A name that nothing bears yet, beginning with this one."""
    blueprint = document.blueprint
    rooms = (blueprint.bodies, blueprint.joints, blueprint.components, blueprint.forces)
    taken = {part.name for room in rooms for part in room} | set(blueprint.parameters)
    stem, k = name.rstrip("0123456789"), 1
    found = name
    while found in taken:
        k += 1
        found = f"{stem}{k}"
    return found
