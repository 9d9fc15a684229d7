"""The one mechanism that a system stands for: every part under the name of its subsystem, `tractor_frame`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..mechanism.errors import MechanismError
from ..mechanism.fault import Fault
from ..mechanism.frozen import Frozen
from ..mechanism.parts import GROUND, Blueprint, Body, Component, Event, Force, Joint, PortName
from .inner_names import Renaming
from .link_names import DOT, POINT, dotted
from .port_names import port_name
from .system import System
from .whole import Whole, frozen


def joined(system: System) -> Blueprint:
    """Raises MechanismError where a subsystem is no mechanism of ours."""
    return joined_whole(frozen(system))


def foreign(whole: Whole) -> list[str]:
    """Subsystems that are boxes of somebody else's."""
    return [box.name for box in whole.boxes if box.blueprint is None]


def joined_whole(whole: Whole) -> Blueprint:
    if others := foreign(whole):
        words = f"subsystem '{others[0]}' is no mechanism of ours, so that the system is not one mechanism either"
        raise MechanismError(whole.name, [Fault("", "", words)])
    inner = names_inside(whole)
    ground, parts, numbers = dict(whole.links.ground), Parts(), dict(whole.links.parameters)
    for box in whole.boxes:
        b = box.blueprint
        assert b is not None
        points = {PortName(GROUND, p): PortName(GROUND, inner[box.name][f"{GROUND}.{p}"]) for p in b.ground}
        new = Renaming(inner[box.name], points)
        ground |= {points[PortName(GROUND, p)].point: port for p, port in b.ground.items()}
        parts.add(b, new)
        numbers |= {inner[box.name][name]: value for name, value in b.parameters.items()}
    links = whole.links
    ports = {}
    for body, (box_name, port) in whole.ports.items():
        at = port_name(port)
        ports[PortName(body, POINT)] = PortName(inner[box_name][at.body], at.point)
    bodies = {body.body: at.body for body, at in ports.items()}
    ports |= {PortName(GROUND, p): PortName(GROUND, underscored(p)) for p in links.ground if DOT in p}
    outer = Renaming({**{name: underscored(name) for name in names_of(links)}, **bodies}, ports)
    parts.add(links, outer, bodies=False)
    return Blueprint(
        whole.name,
        whole.space,
        whole.gravity or (0.0,) * links.dim,
        {underscored(name): port for name, port in ground.items()},
        tuple(parts.bodies),
        tuple(parts.joints),
        tuple(parts.forces),
        relations=tuple(parts.relations),
        motions=tuple(parts.motions),
        elements=tuple(parts.elements),
        events=tuple(parts.events),
        parameters=Frozen({underscored(name): value for name, value in numbers.items()}),
        off=frozenset(parts.off),
    )


def drawn_whole(whole: Whole) -> Blueprint:
    """The same with the names that the system has, `tractor.frame`: for pictures, which ask a run by them."""
    b, parts = joined_whole(whole), Parts()
    names = names_in_system(whole)
    parts.add(b, Renaming(names, {}))
    return replace(
        b,
        bodies=tuple(parts.bodies),
        joints=tuple(parts.joints),
        forces=tuple(parts.forces),
        relations=tuple(parts.relations),
        motions=tuple(parts.motions),
        elements=tuple(parts.elements),
        events=tuple(parts.events),
        parameters=Frozen({names.get(name, name): value for name, value in b.parameters.items()}),
        off=frozenset(parts.off),
    )


def names_in_system(whole: Whole) -> dict[str, str]:
    """What the parts of the one mechanism are called in the system."""
    found = {new: f"{box}.{old}" for box, own in names_inside(whole).items() for old, new in own.items()}
    links = whole.links
    nested = [part.name for part in (*links.joints, *links.forces, *links.components) if DOT in part.name]
    return found | {underscored(part): dotted(part) for part in nested}


class Parts:
    """Of several mechanisms, one after the other."""

    def __init__(self) -> None:
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        self.forces: list[Force] = []
        self.relations: list[Component] = []
        self.motions: list[Component] = []
        self.elements: list[Component] = []
        self.events: list[Event] = []
        self.off: list[str] = []

    def add(self, b: Blueprint, new: Renaming, bodies: bool = True) -> None:
        self.bodies += [new.body(body) for body in b.bodies] if bodies else []
        self.joints += [new.joint(joint) for joint in b.joints]
        self.forces += [new.force(force) for force in b.forces]
        self.relations += [new.component(part) for part in b.relations]
        self.motions += [new.component(part) for part in b.motions]
        self.elements += [new.component(part) for part in b.elements]
        self.events += [new.event(event) for event in b.events]
        self.off += [new.names.get(name, name) for name in b.off]


def underscored(name: str) -> str:
    """A name with dots as an identifier."""
    return name.replace(DOT, "_").replace(".", "_")


def names_of(b: Blueprint) -> list[str]:
    """Of all parts and parameters."""
    parts: Iterable[object] = (*b.bodies, *b.joints, *b.forces, *b.components, *b.events)
    return [*(part.name for part in parts), *b.parameters]  # type: ignore[attr-defined]


def names_inside(whole: Whole) -> dict[str, dict[str, str]]:
    """By subsystem: the name in the whole of every part in it, and of points of its ground as `ground.A`."""
    taken = {underscored(name) for name in (*names_of(whole.links), *whole.links.ground)}
    found: dict[str, dict[str, str]] = {}
    for box in whole.boxes:
        own: dict[str, str] = {}
        if box.blueprint is not None:
            b = box.blueprint
            for name in dict.fromkeys([*names_of(b), *(f"{GROUND}.{point}" for point in b.ground)]):
                new = f"{underscored(box.name)}_{name.rpartition('.')[2]}"
                while new in taken:
                    new += "_"
                taken.add(new)
                own[name] = new
        found[box.name] = own
    return found
