"""Which names formulas may use: parameters and channels, each with the kind of thing it is.

Where a name may stand depends on its kind: a position equation takes positions, a force also velocities, reactions and
accelerations (which are then iterated), an event anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ...mechanism.names import nearest
from ...mechanism.parts import GROUND, Blueprint, SpringDamper

PARAMETER, POSITION, VELOCITY, ACCELERATION = "parameter", "position", "velocity", "acceleration"
REACTION, RESULT, ENERGY = "reaction", "result", "energy"
ANY = "*"  # stands for the channels of a component whose own faults hide them: whoever uses them is not to blame
OF_FORCE = (PARAMETER, POSITION, VELOCITY, ACCELERATION, REACTION, RESULT)
OF_EVENT = (*OF_FORCE, ENERGY)
OF_POSITION = (PARAMETER, POSITION, RESULT)
OF_VELOCITY = (PARAMETER, POSITION, VELOCITY, RESULT)
OF_TIME = (PARAMETER, RESULT)
_ARTICLE = {ACCELERATION: "an acceleration", REACTION: "a reaction force", ENERGY: "an energy"}
_ENERGIES = ("kinetic", "potential", "dissipated", "driven", "total")

_BODY: dict[int, dict[str, tuple[str, ...]]] = {
    2: {POSITION: ("x", "y", "angle"), VELOCITY: ("vx", "vy", "spin"), ACCELERATION: ("ax", "ay", "spin_rate")},
    3: {
        POSITION: ("x", "y", "z", "qw", "qx", "qy", "qz"),
        VELOCITY: ("vx", "vy", "vz", "wx", "wy", "wz"),
        ACCELERATION: ("ax", "ay", "az", "wx_rate", "wy_rate", "wz_rate"),
    },
}
_WRENCH = {2: ("fx", "fy", "mz"), 3: ("fx", "fy", "fz", "mx", "my", "mz")}


def quantities(blueprint: Blueprint, results: Iterable[str] = ()) -> dict[str, str]:
    """Every name and its kind. `results` are the channels of components, by full name."""
    dim = blueprint.dim
    found = dict.fromkeys(blueprint.parameters, PARAMETER)
    for body in blueprint.bodies:
        for kind, channels in _BODY[dim].items():
            found |= {f"{body.name}.{c}": kind for c in channels}
            points = [f"{c}" for c in channels if c[-1] in "xyz" and c[0] not in "qw"]
            found |= {f"{body.name}.{p}.{c}": kind for p in body.ports for c in points}
    for p in blueprint.ground:
        for kind, prefix in ((POSITION, ""), (VELOCITY, "v"), (ACCELERATION, "a")):
            found |= {f"{GROUND}.{p}.{prefix}{c}": kind for c in "xyz"[:dim]}
    for joint in blueprint.joints:
        found |= {f"{joint.name}.angle": POSITION, f"{joint.name}.displacement": POSITION}
        found[f"{joint.name}.speed"] = VELOCITY
        found |= {f"{joint.name}.{c}": REACTION for c in _WRENCH[dim]}
        found |= {f"{joint.name}.on_first.{c}": REACTION for c in _WRENCH[dim]}
    for force in blueprint.forces:
        if isinstance(force, SpringDamper):
            found |= {f"{force.name}.length": POSITION, f"{force.name}.force": VELOCITY}
    found |= {f"energy.{name}": ENERGY for name in _ENERGIES}
    return {**found, **dict.fromkeys(results, RESULT)}


def kind_of(key: Any, known: Mapping[str, str]) -> str | None:
    """The kind of a leaf's quantity; None where there is no such thing."""
    if isinstance(key, tuple):
        return VELOCITY if key[-1] == 1 else POSITION
    return known.get(key)


class Refusal(NamedTuple):
    """Why a name cannot stand in a formula, and whether that is because nothing has it."""

    words: str
    name: str
    missing: bool = False


def unusable(key: Any, known: Mapping[str, str], allowed: Iterable[str], local: Iterable[str] = ()) -> Refusal | None:
    """Why a leaf cannot stand here; None if it can. Names in `local` are offered beside the parameters."""
    kind = kind_of(key, known)
    if kind is None:
        owner, dot, rest = str(key).partition(".")
        if f"{owner}.{ANY}" in known:
            return None
        siblings = {name.partition(".")[2]: name for name in known if dot and name.partition(".")[0] == owner}
        if siblings:
            return Refusal(f"'{owner}' has no channel '{rest}'; {nearest(rest, siblings)}", str(key))
        what = "parameter" if not dot else "body, joint or component"
        names = {name.partition(".")[0] for name in known if ("." in name) == bool(dot)}
        names = names if dot else {*names, *local}
        return Refusal(f"there is no {what} '{owner}'; {nearest(owner, names)}", str(key), missing=True)
    if kind in allowed:
        return None
    words = f"'{key}' is {_ARTICLE.get(kind, f'a {kind}')}, which cannot stand here; allowed: {_words(allowed)}"
    return Refusal(words, str(key))


def _words(kinds: Iterable[str]) -> str:
    names = {PARAMETER: "parameters", POSITION: "positions", VELOCITY: "velocities", REACTION: "reaction forces"}
    names |= {RESULT: "channels of components", ACCELERATION: "accelerations", ENERGY: "energies"}
    return ", ".join([*(names[kind] for kind in kinds), "t"])
