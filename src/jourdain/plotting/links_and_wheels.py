"""What a drawing shows of forces between points and of things that are round: gears, pulleys, rolling discs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..library import TYPES
from ..library.geometry import split_joint
from ..library.joints import Symbol, symbol_of
from ..library.kinds import LinkSymbol
from ..library.values import Values
from ..mechanism.parts import Component, Joint, PortName, SpringDamper

if TYPE_CHECKING:
    from .scene import Scene

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class DrawnLink:
    """Something between two points, by the symbol it is drawn with."""

    name: str
    first: PortName
    second: PortName
    symbol: LinkSymbol


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


def links(scene: Scene) -> list[DrawnLink]:
    """Springs, dampers, ropes, bushings, stops and cylinders between points."""
    found = []
    for force in scene.blueprint.forces:
        if isinstance(force, SpringDamper):
            symbol = LinkSymbol(force.symbol) or (LinkSymbol.COIL if force.stiffness else LinkSymbol.DASHPOT)
            found.append(DrawnLink(force.name, force.first, force.second, symbol))
    for component in scene.blueprint.components:
        ends, symbol = component.values.get("between"), LinkSymbol(component.symbol) or TYPES[component.type].symbol
        if symbol and ends:
            found.append(DrawnLink(component.name, ends[0], ends[1], symbol))
    # A stop beside a spring would only hide it.
    taken = [{link.first, link.second} for link in found if link.symbol is not LinkSymbol.GAP]
    return [link for link in found if link.symbol is not LinkSymbol.GAP or {link.first, link.second} not in taken]


def circles(scene: Scene, k: int) -> Iterator[Circle]:
    """Rolling discs, and in the plane the pitch circles of gears, pulleys and pinions, at sample k."""
    for joint in scene.blueprint.joints:
        if symbol_of(joint) is Symbol.DISC:
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
    blueprint, kind = scene.blueprint, TYPES[relation.type]
    if kind.wheels is None:
        return
    values = Values(relation, kind, blueprint)
    first, second = (blueprint.joint(split_joint(text, blueprint.joints_by_name)[0]) for text in values.raw("joints"))
    apart = float(np.linalg.norm(scene.place(second.second, k) - scene.place(first.second, k)))
    yield from zip((first, second), kind.wheels(values, apart), strict=False)
