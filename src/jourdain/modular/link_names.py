"""Names with dots, as users write them, and as the mechanism of the links between the boxes has them.

`tractor.frame.H` is a port: in the links it is the point P of a body of its own, `tractor·frame·H`. Its channels are
`tractor.frame.H.vx`; parts of a system inside are `arm.hinge`. What else a subsystem has stays inside.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..mechanism.names import nearest
from ..mechanism.parts import PortName

if TYPE_CHECKING:
    from .system import System

DOT = "·"  # stands for a dot inside a name of the links: an identifier may have it, no user writes it
POINT = "P"  # of every port in the links

DOTTED = re.compile(r"(?<![\w.·])([^\W\d]\w*(?:\.[^\W\d]\w*)+)")
OF_POINT = ("x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az", "angle")  # channels of points; others are of bodies
# Kinds that take a body where others take a point, and under which key.
ON_BODY = {"torque": "on", "follower_torque": "on", "follower-torque": "on"}


def dotted(words: str) -> str:
    """A sentence with the names that users know."""
    return re.sub(rf"({DOT}\w+)\.{POINT}(?!\w)", r"\1", words).replace(DOT, ".")


def linked(system: System, words: str) -> str:
    """A formula or a name with the names of the links. Ports that it names are joined from then on."""
    return DOTTED.sub(lambda found: _one(system, found[1]), words)


def linked_values(system: System, kind: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a part: texts in names of the links, ports as bodies where the kind takes a body."""
    found = {key: _value(system, value) for key, value in keys.items()}
    key = ON_BODY.get(kind, "")
    if isinstance(found.get(key), PortName):
        found[key] = system.links[found[key].body]
    return found


def _value(system: System, value: Any) -> Any:
    if isinstance(value, str):
        return linked(system, value)
    if type(value) in (list, tuple):
        return type(value)(_value(system, one) for one in value)
    if type(value) is dict:
        return {key: _value(system, one) for key, one in value.items()}
    return value


def _one(system: System, name: str) -> str:
    parts = name.split(".")
    if not any(box.partition(".")[0] == parts[0] for box in system.boxes):
        return name
    for k in range(len(parts), 1, -1):
        head, rest = ".".join(parts[:k]), parts[k:]
        inner = head.replace(".", DOT)
        if system.has_link(inner):
            return ".".join([inner, *rest])
        if system.has_port(head):
            port = system.port(head)
            at_point = [POINT] if not rest or rest[0] in OF_POINT else []
            return ".".join([port.body, *at_point, *rest])
    box = next((box for box in system.boxes.values() if name.startswith(f"{box.name}.")), None)
    if box is None:
        known = [f"{one.name}.{port}" for one in system.boxes.values() for port in one.ports]
        raise system.refused(f"there is no port '{name}'; {nearest(name, known)}")
    inner = name.removeprefix(f"{box.name}.")
    words = f"subsystem '{box.name}' has no port '{inner}', and what else it has stays inside"
    raise system.refused(f"{words}; {nearest(inner, box.ports)}")
