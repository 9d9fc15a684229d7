"""A system as it is run: boxes with the ports that are joined, and the links between them, checked."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from ..mechanism.errors import MechanismError
from ..mechanism.fault import Fault
from ..mechanism.frozen import Frozen
from ..mechanism.names import plain
from ..mechanism.parts import PLANAR, Blueprint, Body, PointForce, Port, PortName, Torque
from .box import PortMotion, width_of
from .link_names import POINT, dotted
from .port_names import PREFIX, port_name
from .system import Subsystem, System


@dataclass(frozen=True)
class Whole:
    """What a session of a system begins with."""

    name: str
    space: str
    gravity: tuple[float, ...] | None
    boxes: tuple[Subsystem, ...]
    links: Blueprint  # bodies are ports, box by box
    ports: dict[str, tuple[str, str]]  # box and port of each body of the links

    @property
    def degree(self) -> int:
        """Of the polynomials of time that wrenches on ports are: directions of pins alone do not turn (step.py)."""
        pins = ("revolute", "spherical") if self.space == PLANAR else ("spherical",)
        plain = not self.links.forces and not self.links.components
        return 2 if plain and all(joint.type in pins for joint in self.links.joints) else 3

    def ports_of(self, box: str) -> list[str]:
        """The ports of a box that something is joined to, in the order of the links."""
        return [port for owner, port in self.ports.values() if owner == box]


def frozen(system: System) -> Whole:
    """The system as it stands now; raises MechanismError with everything that is wrong with it."""
    links = system.links.frozen()
    faults = [*links.early_faults, *_faults(system, links)]
    if faults:
        raise MechanismError(system.name, [Fault(f.part, f.key, dotted(plain(f.words))) for f in faults])
    used = _used(links) | {body for body, (owner, _) in system.joined_ports.items() if system.boxes[owner].box}
    boxes = tuple(system.boxes.values())
    order = [
        body for box in boxes for body, (owner, _) in system.joined_ports.items() if owner == box.name and body in used
    ]
    ports = {body: system.joined_ports[body] for body in order}
    by_name = {body.name: body for body in links.bodies}
    bodies = tuple(_drawn(by_name[body], system.boxes[ports[body][0]], ports[body][1]) for body in order)
    gravity = next((box.gravity for box in boxes if box.gravity is not None), None)
    links = replace(links, bodies=bodies, gravity=(0.0,) * links.dim, early_faults=())
    return Whole(system.name, links.space, gravity, boxes, links, ports)


def _used(links: Blueprint) -> set[str]:
    """Bodies of the links that something acts on, or depends on."""
    found: set[str] = set()
    names = {body.name for body in links.bodies}
    for joint in links.joints:
        found |= {joint.first.body, joint.second.body}
    for value in _values([vars(force) for force in links.forces] + [vars(part) for part in links.components]):
        text = getattr(value, "body", value)
        if isinstance(text, str):
            found.update(re.findall(r"[\w·]+", text))
    return found & names


def _values(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [one for inner in value.values() for one in _values(inner)]
    if isinstance(value, list | tuple):
        return [one for inner in value for one in _values(inner)]
    return [value]


def _faults(system: System, links: Blueprint) -> list[Fault]:
    found = []
    if not system.boxes:
        found.append(Fault("", "subsystems", "the system has no subsystems; add some with subsystem(...)"))
    if not (links.joints or links.forces or links.components) and len(system.boxes) > 1:
        words = "nothing joins the subsystems; add a joint between ports like tractor['frame.H']"
        found.append(Fault("", "joints", words))
    for joint in links.joints:
        owners = [system.joined_ports.get(port.body, ("", ""))[0] for port in (joint.first, joint.second)]
        if owners[0] == owners[1] and owners[0]:
            words = f"joint '{joint.name}' joins subsystem '{owners[0]}' to itself; write it in that mechanism"
            found.append(Fault(joint.name, "between", words))
    first = {name.partition(".")[0] for name in system.boxes}
    for part in (*links.joints, *links.forces, *links.components):
        if part.name in first:
            words = f"'{part.name}' is the name of a subsystem and of what is between subsystems; rename one of them"
            found.append(Fault(part.name, "", words))
    known: dict[tuple[float, ...], str] = {}
    for box in system.boxes.values():
        if box.gravity is not None:
            known.setdefault(tuple(map(float, box.gravity)), box.name)
    if len(known) > 1:
        words = " and ".join(f"{list(g)} in '{name}'" for g, name in known.items())
        found.append(Fault("", "gravity", f"gravity differs: {words}; give all subsystems the same"))
    return found


def _drawn(body: Body, box: Subsystem, port: str) -> Body:
    """The body of the links for a port: drawn so that joints find the axes that they would in one mechanism."""
    if box.blueprint is None:
        return body
    name = port_name(port)
    owner, at = box.blueprint.body(name.body), box.blueprint.port(name)
    zero = (0.0,) * box.blueprint.dim
    return replace(body, ports={POINT: Port(zero, at.x, at.z)}, attitude=owner.attitude)


def with_start(whole: Whole, motion: PortMotion) -> tuple[Blueprint, list[str]]:
    """The links where the ports are at the start, with loads on them whose parameters are named.

    Attitudes that nobody wrote are those of the start.
    """
    dim, width = whole.links.dim, width_of(whole.space)
    bodies: list[Body] = []
    forces: list[PointForce | Torque] = []
    names: list[str] = []
    for k, body in enumerate(whole.links.bodies):
        attitude: Any = body.attitude
        if attitude is None:
            found = motion.attitude[k]
            attitude = float(found) if dim == 2 else tuple(map(float, found))
        position = tuple(map(float, motion.position[k]))
        bodies.append(replace(body, position=position, attitude=attitude))
        own = [f"{PREFIX}_{k}_{c}" for c in range(width)]
        names += own
        forces.append(PointForce(f"{PREFIX}_{k}_force", PortName(body.name, POINT), tuple(own[:dim])))
        forces.append(Torque(f"{PREFIX}_{k}_torque", body.name, tuple(own[dim:])))
    numbers = Frozen({**whole.links.parameters, **dict.fromkeys(names, 0.0)})
    links = replace(whole.links, bodies=tuple(bodies), forces=(*whole.links.forces, *forces), parameters=numbers)
    return links, names
