"""Parts under other names: of a mechanism inside a larger one. Formulas and lists of names follow."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..mechanism.builder import Mechanism
from ..mechanism.frozen import Frozen
from ..mechanism.parts import GROUND, Body, Component, Event, Force, Joint, PointForce, PortName, SpringDamper, Torque

WORD = re.compile(r"(?<![\w.·])([^\W\d][\w·]*)")


class Renaming:
    """New names of bodies and parts (`names`), of points (by their owner), of parameters (among `names` too)."""

    def __init__(self, names: Mapping[str, str], points: Mapping[PortName, PortName]) -> None:
        self.names, self.points = dict(names), dict(points)

    def text(self, words: str) -> str:
        """A formula, the name of a part, or a channel."""
        for old, new in self.points.items():
            words = re.sub(rf"(?<![\w.·]){re.escape(str(old))}(?![\w·])", str(new), words)
        return WORD.sub(lambda found: self.names.get(found[1], found[1]), words)

    def port(self, port: PortName) -> PortName:
        found = self.points.get(PortName(port.body, port.point))
        return found or PortName(self.names.get(port.body, port.body), port.point)

    def value(self, value: Any) -> Any:
        """Whatever stands in a component."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, PortName):
            return self.port(value)
        if isinstance(value, tuple | list):
            return tuple(self.value(one) for one in value)
        if isinstance(value, Mapping):
            return Frozen({key: self.value(one) for key, one in value.items()})
        return value

    def component(self, part: Component) -> Component:
        return replace(part, name=self.names.get(part.name, part.name), values=self.value(part.values))

    def body(self, body: Body) -> Body:
        return replace(body, name=self.names.get(body.name, body.name))

    def joint(self, joint: Joint) -> Joint:
        return replace(
            joint,
            name=self.names.get(joint.name, joint.name),
            first=self.port(joint.first),
            second=self.port(joint.second),
        )

    def force(self, force: Force) -> Force:
        name = self.names.get(force.name, force.name)
        if isinstance(force, Component):
            return self.component(force)
        if isinstance(force, SpringDamper):
            return replace(force, name=name, first=self.port(force.first), second=self.port(force.second))
        inputs = tuple(self.text(one) for one in force.inputs)
        if isinstance(force, PointForce):
            return replace(force, name=name, on=self.port(force.on), vector=self.value(force.vector), inputs=inputs)
        assert isinstance(force, Torque)
        on = self.names.get(force.on, force.on)
        return replace(force, name=name, on=on, torque=self.value(force.torque), inputs=inputs)

    def event(self, event: Event) -> Event:
        actions = tuple(
            replace(action, target=self.names.get(action.target, action.target), value=self.value(action.value))
            for action in event.actions
        )
        return replace(event, name=self.names.get(event.name, event.name), when=self.text(event.when), actions=actions)


def inner_parts(into: Mechanism, links: Mechanism, prefix: str) -> None:
    """Links of a system inside, under its name, among those of the outer one; the ports are there already."""
    inner = links.frozen()
    parts = (*inner.bodies, *inner.joints, *inner.forces, *inner.components)
    names = {name: f"{prefix}{name}" for name in (*(part.name for part in parts), *inner.parameters)}
    points = {PortName(GROUND, point): PortName(GROUND, f"{prefix}{point}") for point in inner.ground}
    new = Renaming(names, points)
    into._ground.update({f"{prefix}{point}": port for point, port in inner.ground.items()})
    into._joints += [new.joint(joint) for joint in inner.joints]
    into._forces += [new.force(force) for force in inner.forces]
    into._relations += [new.component(part) for part in inner.relations]
    into._motions += [new.component(part) for part in inner.motions]
    into._parameters.update({names[name]: value for name, value in inner.parameters.items()})
    into._faults += inner.early_faults
