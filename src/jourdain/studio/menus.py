"""What can be done with a part, or with two points, and why something cannot: tried on a copy of the document."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..library.forces.spring_damper import SPRING_DAMPER
from ..library.joints import KINDS
from ..live.document import Document
from ..mechanism.parts import GROUND, Blueprint

ROW = dict[str, Any]
CUT = {"joints": "Cut", "points": "Remove the point"}


def of_part(document: Document, path: str) -> list[ROW]:
    """Rows for one part, by its path in the file: `joints.C`."""
    steps = path.split(".")
    words = CUT.get("points" if "points" in steps else steps[0], "Remove")
    rows = [_tried(document, words, {"do": "remove", "part": path})]
    renamed = _tried(document, "Rename", {"do": "rename", "part": path, "to": free_name(document, steps[-1] + "_new")})
    return [*rows, {**renamed, "asks": "to"}]


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
