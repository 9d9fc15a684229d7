"""What the page draws and lists: forms of bodies, symbols of joints, the tree of parts with their numbers.

The page gets it whole whenever the structure of the machine changes; between, there are only snapshots.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..files import type_keys, vocabulary
from ..files.loading import FromFile
from ..files.types.filling import all_gaps
from ..files.types.registry import shipped
from ..library import TYPES
from ..library.joints import KINDS, symbol_of
from ..library.joints.joint_kind import ON_RAILS
from ..live.document import Document
from ..live.look import Look, rotations
from ..live.operations import OperationError
from ..live.text_edits import TextEdit
from ..mechanism.numbers import get, known
from ..mechanism.parts import GROUND, Blueprint, PortName
from ..mechanism.reading import UNITS_OF
from ..plotting.page import page_data
from ..plotting.scene import Scene

ROOMS = ("bodies", "joints", "forces", "motions", "relations", "elements", "events")
ROOM = {2: 0.3, 3: 0.1}  # of the extent, on every side: where a machine may go
MOST_LETTERS = 40  # of a number as it is written in the text
RAIL = 0.25  # of the machine's size: how far a rail reaches beyond where the slider is


class _Poses:
    """One moment as the drawing wants it."""

    def __init__(self, look: Look, blueprint: Blueprint) -> None:
        self.position, self.frame = look.places[None], rotations(look.attitudes)[None]
        self._names = {body.name: k for k, body in enumerate(blueprint.bodies)}
        self._blueprint = blueprint

    def index(self, body: str) -> int:
        return self._names[body]

    def place(self, port: PortName) -> Any:
        at = np.array(self._blueprint.port(port).at, dtype=float)
        if port.body == GROUND:
            return at[None]
        b = self._names[port.body]
        return self.position[:, b] + self.frame[:, b] @ at


class _Moment:
    """What a drawing asks of a run, of one moment."""

    def __init__(self, look: Look, blueprint: Blueprint, live: Any) -> None:
        self.t, self.blueprint, self.name = np.array([look.frame.t]), blueprint, blueprint.name
        self.size, self.poses = look.size, _Poses(look, blueprint)
        self._live = live

    def __getitem__(self, channel: str) -> Any:
        return np.array([self._live[channel]])


def scene_of(look: Look, live: Any) -> dict[str, Any]:
    """Everything that is drawn but where bodies are."""
    blueprint = look.document.blueprint
    found = page_data(Scene(_Moment(look, blueprint, live), 0), 1.0)
    for body in found["bodies"]:
        del body["position"], body["attitude"]
    channels = set(live.channels)
    dim = blueprint.dim
    room = ROOM[dim] * max(high - low for low, high in zip(found["low"], found["high"], strict=True))
    found["low"] = [x - room for x in found["low"]]
    found["high"] = [x + room for x in found["high"]]
    for joint, entry in zip(blueprint.joints, found["joints"], strict=True):
        names = [f"{joint.name}.f{c}" for c in "xyz"[:dim]]
        entry["force"] = names if all(name in channels for name in names) else []
        entry["words"] = joint.type
        if symbol_of(joint) in ON_RAILS and "travel" in entry:
            low, high = entry["travel"]
            entry["travel"] = [low - RAIL * look.size, high + RAIL * look.size]
    for link in found["links"]:
        stretch = f"{link['name']}.stretch"
        link["stretch"] = stretch if stretch in channels else ""
    found["points"] = [
        {"name": f"{owner}.{name}", "body": number, "at": [float(x) for x in port.at]}
        for number, owner, ports in _owners(blueprint)
        for name, port in ports.items()
    ]
    for key in ("start", "step", "frames", "speed"):
        del found[key]
    return found


def _owners(blueprint: Blueprint) -> Iterator[tuple[int, str, Any]]:
    yield -1, GROUND, blueprint.ground
    for k, body in enumerate(blueprint.bodies):
        yield k, body.name, body.ports


def tree_of(document: Document) -> list[dict[str, Any]]:
    """Sections with their parts, and of each part the numbers that can be changed, as the text has them."""
    blueprint, numbers = document.blueprint, _numbers(document)
    own = numbers.pop("", {})
    parameters = [_part("parameters", name, "", {"value": own[name]}) for name in blueprint.parameters if name in own]
    for part in parameters:
        part["numbers"][0]["name"] = part["name"]
    ground = _part("ground", GROUND, "", numbers.get(GROUND, {}))
    ground["points"] = list(blueprint.ground)
    world = _part("", "gravity", "", numbers.get("gravity", {}))["numbers"]
    ground["numbers"] += [{**row, "key": row["name"], "unit": UNITS_OF["gravity"]} for row in world]
    found: list[dict[str, Any]] = [
        {"section": "parameters", "parts": parameters},
        {"section": "ground", "parts": [ground]},
    ]
    for room in ROOMS:
        parts = []
        for one in getattr(blueprint, room):
            entry = _part(room, one.name, getattr(one, "type", ""), numbers.get(one.name, {}))
            if room == "bodies":
                entry["points"] = list(one.ports)
            if room == "joints":
                entry["between"] = [str(one.first), str(one.second)]
            parts.append(entry)
        found.append({"section": room, "parts": parts})
    for name, line in _lines(document):
        for section in found:
            for part in section["parts"]:
                if part["name"] == name:
                    part["line"] = line
    return [section for section in found if section["parts"]]


def words_of(document: Document) -> list[str]:
    """What may be written in the text: keys, types, and names of the document's own."""
    found = {*vocabulary.TOP, *vocabulary.BODY, *TYPES, *(kind.name for kind in KINDS)}
    found |= {*type_keys.TYPE, *type_keys.GAP, *type_keys.SECTIONS, *shipped(), "variant", "self"}
    if document.mechanism is not None:
        found |= set(known(document.blueprint))
        written = document.blueprint.written
        for name, type in {} if written is None else written.home.types.items():
            found |= {name, *type.variants, *type.ports, *type.joints, *type.channels}
            found |= {*all_gaps(type).parameters, *all_gaps(type).signals}
    return sorted(found)


def _lines(document: Document) -> Iterator[tuple[str, int]]:
    source = None if document.mechanism is None else document.mechanism.source
    if isinstance(source, FromFile):
        yield from ((name, part.mark.line) for name, part in source.parts.items() if name)


def _part(section: str, name: str, kind: str, numbers: dict[str, Any]) -> dict[str, Any]:
    rows = [{"name": f"{name}.{key}", "key": key, "unit": _unit(key), **entry} for key, entry in numbers.items()]
    path = name if section == "ground" else f"{section}.{name}"
    return {"name": name, "path": path, "type": kind, "numbers": rows}


def _unit(key: str) -> str:
    """In SI, of what everything has one; a coordinate of a point is a length."""
    words = key.split(".")
    known_units = (UNITS_OF[word] for word in reversed(words) if word in UNITS_OF)
    return next(known_units, "m" if len(words) == 2 and words[1] in ("x", "y", "z") else "")


def _numbers(document: Document) -> dict[str, dict[str, Any]]:
    """By part, then by key: value in SI, and how it is written; of parameters the part is empty."""
    blueprint = document.blueprint
    text = None
    if document.has_text and not document.faults:
        try:
            text = TextEdit(document.text, document.mechanism)
        except OperationError:
            text = None
    found: dict[str, dict[str, Any]] = {}
    seen: set[tuple[Any, ...]] = set()
    for name, paths in known(blueprint).items():
        value = get(blueprint, paths[0])
        if len(paths) > 1 or paths[0] in seen or not isinstance(value, int | float) or isinstance(value, bool):
            continue
        seen.add(paths[0])
        place = text.place(paths[0]) if text is not None else None
        written = document.text[slice(*place)].strip() if place is not None else ""
        entry = {"value": float(value), "written": written if 0 < len(written) <= MOST_LETTERS else f"{value:.6g}"}
        part, key = ("", name) if name in blueprint.parameters else blueprint.owner_of(name)
        found.setdefault(part if key else "", {})[key or name] = entry
    return found
