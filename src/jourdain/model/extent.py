"""How large a mechanism is: what lengths, gaps and turns are measured by.

A mechanism counts as a whole, as it is drawn. But a part that no joint connects to another, and that is drawn far away,
says nothing about how large the other is; nor does a body that is drawn far from where its joints will bring it. Where
the drawing is that much larger than what it shows, each part counts by itself, and what is drawn far off by the lengths
of its bodies.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..mechanism.fault import Fault
from ..mechanism.parts import GROUND, Blueprint, PortName
from ..mechanism.reading import drawn_matrix

Array = npt.NDArray[np.float64]

FAR = 1e4  # sizes: a drawing so much larger than a part of it, or than the lengths of its bodies, is no measure of them


@dataclass(frozen=True)
class Extent:
    """In metres. Joints are closed relative to the size; rounding of positions goes with the reach."""

    size: float  # of the mechanism, or of its smallest part that joints hold together
    reach: float  # of that from the fixed origin
    of_bodies: tuple[float, ...]  # the size of the part that each body belongs to

    @property
    def uniform(self) -> bool:
        return all(size == self.size for size in self.of_bodies)


@dataclass(frozen=True)
class _Part:
    bodies: tuple[int, ...]
    joined: bool
    size: float  # 0: nothing has a length
    reach: float


def extent_of(blueprint: Blueprint) -> Extent:
    """The extent of a mechanism as it is drawn, part by part where parts lie far apart."""
    places = _places(blueprint)
    ground = [np.array(p.at) for p in blueprint.ground.values()]
    everything = [*ground, *(place for of_body in places for place in of_body)]
    with np.errstate(over="ignore"):
        drawn, reach = _spread(everything)
    if not math.isfinite(drawn):
        raise blueprint.refused([_too_far(blueprint)])
    whole = max(drawn, *(_arm(blueprint, k) for k in range(len(blueprint.bodies))), 0.0)
    parts = [_part(blueprint, bodies, places) for bodies in _joined(blueprint)]
    measured = [part for part in parts if part.joined and part.size > 0] or [part for part in parts if part.size > 0]
    smallest = min(measured, key=lambda part: part.size, default=None)
    if smallest is None or whole <= FAR * smallest.size:
        size = whole if whole > 0 else 1.0
        return Extent(size, reach, (size,) * len(blueprint.bodies))
    sizes = {b: part.size if part.size > 0 else smallest.size for part in parts for b in part.bodies}
    return Extent(smallest.size, smallest.reach, tuple(sizes[b] for b in range(len(blueprint.bodies))))


def _places(blueprint: Blueprint) -> list[list[Array]]:
    """Mass centre and points of every body, as drawn."""
    found = []
    for body in blueprint.bodies:
        origin = np.array(body.position or (0.0,) * blueprint.dim)
        R = drawn_matrix(body)
        found.append([origin + R @ np.array(p) for p in (body.centre, *(port.at for port in body.ports.values()))])
    return found


def _arm(blueprint: Blueprint, k: int) -> float:
    """How far the points of a body are from its mass centre."""
    body = blueprint.bodies[k]
    return max((math.dist(port.at, body.centre) for port in body.ports.values()), default=0.0)


def _spread(places: list[Array]) -> tuple[float, float]:
    """The largest distance of places from their middle, and from the origin."""
    apart = np.linalg.norm(np.array(places) - np.mean(places, axis=0), axis=1)
    return float(np.max(apart)), float(np.max(np.linalg.norm(places, axis=1)))


def _part(blueprint: Blueprint, bodies: tuple[int, ...], places: list[list[Array]]) -> _Part:
    names = {blueprint.bodies[b].name for b in bodies}
    joints = [joint for joint in blueprint.joints if {joint.first.body, joint.second.body} & names]
    held = {port for joint in joints for port in (joint.first, joint.second) if port.body == GROUND}
    ground = [np.array(blueprint.port(port).at) for port in held]
    drawn, reach = _spread([*ground, *(place for b in bodies for place in places[b])])
    lengths = sum(_arm(blueprint, b) for b in bodies) + (_spread(ground)[0] if ground else 0.0)
    lengths += sum(joint.length or 0.0 for joint in joints)
    if lengths == 0.0 or drawn <= FAR * lengths:
        return _Part(bodies, bool(joints), max(drawn, *(_arm(blueprint, b) for b in bodies)), reach)
    return _Part(bodies, bool(joints), lengths, lengths + _spread(ground)[1] if ground else reach)


def _joined(blueprint: Blueprint) -> list[tuple[int, ...]]:
    """Bodies that joints, relations and motions connect otherwise than by the ground."""
    number = {body.name: k for k, body in enumerate(blueprint.bodies)}
    group = list(range(len(number)))

    def root(k: int) -> int:
        while group[k] != k:
            k = group[k]
        return k

    ties = [{joint.first.body, joint.second.body} for joint in blueprint.joints]
    ties += [_named(blueprint, part.values.values()) for part in (*blueprint.relations, *blueprint.motions)]
    for tie in ties:
        bodies = sorted(number[name] for name in tie if name in number)
        for b in bodies[1:]:
            group[root(b)] = root(bodies[0])
    found: dict[int, list[int]] = {}
    for k in range(len(group)):
        found.setdefault(root(k), []).append(k)
    return [tuple(bodies) for bodies in found.values()]


def _named(blueprint: Blueprint, values: Iterable[object]) -> set[str]:
    """Bodies that values of a part name, themselves or by joints."""
    found: set[str] = set()
    for value in values:
        if isinstance(value, PortName):
            found.add(value.body)
        elif isinstance(value, str):
            joint = blueprint.joints_by_name.get(value)
            found |= {value} if joint is None else {joint.first.body, joint.second.body}
        elif isinstance(value, tuple | list):
            found |= _named(blueprint, value)
        elif isinstance(value, Mapping):
            found |= _named(blueprint, value.values())
    return found


def _too_far(blueprint: Blueprint) -> Fault:
    """The part whose own numbers are the largest: a body by its position, a point of a body or of the ground."""

    def largest(of: Iterable[float]) -> float:
        return max(map(abs, of), default=0.0)

    found = [(largest(port.at), f"{GROUND}.{name}", "") for name, port in blueprint.ground.items()]
    for body in blueprint.bodies:
        found.append((largest(body.position or ()), body.name, "position"))
        found.append((largest(body.centre), body.name, "centre"))
        found += [(largest(port.at), f"{body.name}.{name}", "") for name, port in body.ports.items()]
    far, part, key = max(found)
    what = f"body '{part}'" if key else f"point '{part}'"
    return Fault(part, key, f"{what} is drawn too far away to be measured ({far:.2g} m); draw it nearer")
