"""What a drawing shows of forces between points and of things that are round: gears, pulleys, rolling discs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..library import TYPES
from ..library.joints import Symbol, kind_of
from ..library.values import Values
from ..mechanism.parts import Component, Joint, PortName, SpringDamper

if TYPE_CHECKING:
    from .scene import Scene

Array = npt.NDArray[np.float64]

COIL, DASHPOT, ROPE, CYLINDER, GAP, RUBBER = "coil", "dashpot", "rope", "cylinder", "gap", "rubber"
_SYMBOLS = {
    "spring": COIL,
    "spring-damper": COIL,
    "rope": ROPE,
    "bushing": RUBBER,
    "stop": GAP,
    "hydraulic-cylinder": CYLINDER,
}


@dataclass(frozen=True)
class Link:
    """Something between two points, by the symbol it is drawn with."""

    name: str
    first: PortName
    second: PortName
    symbol: str


@dataclass(frozen=True)
class Circle:
    """A round thing: its centre and two perpendicular radii in fixed axes, which turn with its body."""

    body: str
    centre: Array
    u: Array
    v: Array
    spoke: bool

    def points(self, count: int = 73) -> Array:
        angle = np.linspace(0.0, 2 * np.pi, count)
        return self.centre + np.outer(np.cos(angle), self.u) + np.outer(np.sin(angle), self.v)


def links(scene: Scene) -> list[Link]:
    """Springs, dampers, ropes, bushings, stops and cylinders between points."""
    found = []
    for force in scene.blueprint.forces:
        if isinstance(force, SpringDamper):
            found.append(Link(force.name, force.first, force.second, COIL if force.stiffness else DASHPOT))
    for component in scene.blueprint.components:
        ends = component.values.get("between")
        if component.type in _SYMBOLS and ends:
            found.append(Link(component.name, ends[0], ends[1], _SYMBOLS[component.type]))
    # A stop beside a spring would only hide it.
    taken = [{link.first, link.second} for link in found if link.symbol != GAP]
    return [link for link in found if link.symbol != GAP or {link.first, link.second} not in taken]


def circles(scene: Scene, k: int) -> Iterator[Circle]:
    """Rolling discs, and in the plane the pitch circles of gears, pulleys and pinions, at sample k."""
    for joint in scene.blueprint.joints:
        if kind_of(joint).symbol is Symbol.DISC:
            yield _about(scene, joint, joint.values["radius"], k)
    if scene.blueprint.dim == 2:
        seen: set[tuple[str, float]] = set()
        for relation in scene.blueprint.relations:
            for joint, radius in _radii(scene, relation, k):
                if (joint.name, round(radius, 9)) not in seen:
                    seen.add((joint.name, round(radius, 9)))
                    yield _about(scene, joint, radius, k)


def _about(scene: Scene, joint: Joint, radius: float, k: int) -> Circle:
    axes = scene.axes(joint, k)
    return Circle(
        joint.second.body, scene.place(joint.second, k), radius * axes["x_j"], radius * axes["y_j"], spoke=True
    )


def _radii(scene: Scene, relation: Component, k: int) -> Iterator[tuple[Joint, float]]:
    """Joints of a relation that carry a wheel, and its radius."""
    blueprint = scene.blueprint
    if relation.type not in ("gear", "belt", "rack-and-pinion"):
        return
    values = Values(relation, TYPES[relation.type], blueprint)
    first, second = (blueprint.joint(text.partition(".")[0]) for text in values.raw("joints"))
    if relation.type == "rack-and-pinion":
        yield first, abs(values.start_of("radius"))
        return
    if relation.type == "belt":
        sizes = tuple(values.at_start(f) for f in values.numbers("radii"))
    else:
        apart = float(np.linalg.norm(scene.place(second.second, k) - scene.place(first.second, k)))
        sizes = _pitch(_ratio(values), apart)
    yield from zip((first, second), sizes, strict=False)


def _ratio(values: Values) -> float:
    if values.has("ratio"):
        return values.start_of("ratio")
    a, b = (values.at_start(f) for f in values.numbers("teeth"))
    return b / a if values.raw("internal") else -b / a


def _pitch(ratio: float, apart: float) -> tuple[float, ...]:
    """Pitch radii of two gears at a distance; none where they are on one axis or make no pair of circles."""
    size = abs(ratio)
    whole = 1 + size if ratio < 0 else abs(1 - size)
    if whole < 1e-9 or apart < 1e-9:
        return ()
    return apart / whole, size * apart / whole
