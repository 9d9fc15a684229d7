"""Where channels stand that are single numbers of a state, or of what is reported there, by their `kept` keys.

    ("pose" | "twist", body, name)   of a body whose coordinates are these numbers
    ("state", element, name)   ("work", "dissipated" | "driven" | "stored")
    ("energy", "kinetic" | "potential")   ("violation", "position" | "velocity" | "baumgarte" | "position_norm" ...)
    ("spring", name, 0 for its length and 1 for its pull)   ("report", channel)   ("wrench", joint, side, component)

A controller reads a channel in every frame of a session; making a Solution of it took a thousand times as long.
"""

from __future__ import annotations

from typing import Any

from .flat import FlatModel
from .formula_tables import switched

STATE, OUTPUT = 0, 1
Place = tuple[int, int]  # STATE or OUTPUT, and which number of it

# What stands in q and v of a body, by coordinate set, if its origin is its mass centre.
POSES = {"angle": ("x", "y", "angle"), "quaternion": ("x", "y", "z", "qw", "qx", "qy", "qz")}
TWISTS = {"angle": ("vx", "vy", "spin"), "quaternion": ("vx", "vy", "vz", "wx", "wy", "wz")}
ROTATIONS = ("angle", "spin", "qw", "qx", "qy", "qz", "wx", "wy", "wz")  # wherever the origin is


def place_of(model: FlatModel, key: tuple[Any, ...] | None) -> Place | None:
    """Where a number stands; None if it must be computed."""
    if key is None:
        return None
    kind, *rest = key
    if kind in ("pose", "twist"):
        return _of_body(model, kind, *rest)
    if kind == "state":
        return STATE, model.layout.state(*rest)
    if kind == "work":
        return STATE, model.layout.work(*rest)
    return _reported(model, kind, *rest)


def _of_body(model: FlatModel, kind: str, body: str, name: str) -> Place | None:
    names = (POSES if kind == "pose" else TWISTS).get(model.coordinates, ())
    if name not in names:
        return None
    b = model.layout.owners.index(body)
    if name not in ROTATIONS and any(model.body_data[b].centre):
        return None
    slices = model.layout.q_of if kind == "pose" else model.layout.v_of
    return STATE, slices[b].start + names.index(name)


def _reported(model: FlatModel, kind: str, *rest: Any) -> Place | None:
    out = model.outputs
    if kind == "spring":
        name, which = rest
        if which == 1 and name in switched(model.blueprint):
            return None  # the kernel knows it without strength, for events switch it
        return OUTPUT, out.springs.start + 2 * out.spring_names.index(name) + which
    if kind == "report":
        return OUTPUT, out.report(*rest)
    if kind == "wrench":
        joint, side, component = rest
        return OUTPUT, out.wrench(joint, side).start + component
    places = {
        ("energy", "kinetic"): out.kinetic,
        ("energy", "potential"): out.potential,
        ("violation", "position"): out.position_error,
        ("violation", "velocity"): out.velocity_error,
        ("violation", "baumgarte"): out.strain,
        ("violation", "position_norm"): out.position_norm,
        ("violation", "velocity_norm"): out.velocity_norm,
        ("@solver", "rounds"): out.rounds,
    }
    return OUTPUT, places[kind, rest[0]]
