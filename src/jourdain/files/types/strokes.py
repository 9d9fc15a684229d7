"""The drawing symbol of a type: strokes in axes of its ports, drawn on the bodies that these are points of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...library import kinds as k
from ...library.joints import Symbol
from ...library.joints.joint_kind import ON_RAILS
from ...library.kinds import LinkSymbol
from ...mechanism import rotations
from ...mechanism.builder import Mechanism
from ...mechanism.fault import Where, about
from ...mechanism.names import nearest
from ...mechanism.parts import GROUND, Component, Look, Port, PortName, SpringDamper, Vector
from ..nodes import Node
from ..scope import MISSING, Scope, shown
from .filling import inside
from .type_definition import Definition

PLACE = k.Key(k.NUMBER, size="dim", unit="m")
# A disc needs a radius, a rail a displacement, a rope a stretch, which parts of other kinds do not have.
OF_JOINTS = tuple(one.value for one in Symbol if one not in (*ON_RAILS, Symbol.DISC))
OF_LINKS = tuple(one.value for one in LinkSymbol if one not in (LinkSymbol.NONE, LinkSymbol.ROPE))


def draw(scope: Scope, mechanism: Mechanism, type: Definition, node: Node, ends: Mapping[str, PortName | str]) -> None:
    """Strokes on bodies; those at points of the ground, which is not drawn so, are left out."""
    where = about("type", type.name).at("symbol")
    symbol = inside(type.symbol, node.mark) if type.symbol is not None else Node({}, node.mark)
    if isinstance(symbol.value, str):
        _by_name(scope, mechanism, type, where, symbol)
        return
    if not isinstance(symbol.value, dict):
        scope.wrong(symbol, where, "the name of a symbol, or strokes by port, such as {pin: [[[0, 0], [10 mm, 0]]]}")
        return
    for name, lines in symbol.items():
        port = ends.get(name)
        if not isinstance(port, PortName):
            words = f"{where}: there is no port '{name}'; {nearest(name, type.ports)}"
            scope.fault(lines, where.at(name), words)
            continue
        if not isinstance(lines.value, list):
            scope.wrong(lines, where.at(name), "a list of strokes, each a list of places")
            continue
        strokes = [_stroke(scope, where.at(name), line) for line in lines.value]
        if port.body != GROUND and all(stroke is not MISSING for stroke in strokes):
            _add(mechanism, port, strokes)


def _by_name(scope: Scope, mechanism: Mechanism, type: Definition, where: Where, symbol: Node) -> None:
    """One of the built-in symbols on the joint, or between the points of the force or element."""
    known = OF_JOINTS if type.kind == "joint" else OF_LINKS if type.ports and type.kind in ("force", "element") else ()
    if symbol.value not in known:
        words = f"is {shown(symbol)}; " + (
            nearest(symbol.value, known) if known else f"a {type.kind} has none by name; expected strokes by port"
        )
        scope.fault(symbol, where, f"{where}: {words}")
        return
    named, full = str(symbol.value), scope.whole
    mechanism._joints[:] = [replace(one, symbol=named) if one.name == full else one for one in mechanism._joints]
    mechanism._elements[:] = [replace(one, symbol=named) if one.name == full else one for one in mechanism._elements]
    mechanism._forces[:] = [
        replace(one, symbol=named) if one.name == full and isinstance(one, SpringDamper | Component) else one
        for one in mechanism._forces
    ]


def _stroke(scope: Scope, where: Any, line: Node) -> Any:
    if not isinstance(line.value, list) or len(line.value) < 2:
        return scope.wrong(line, where, "a stroke of two or more places")
    found = [scope.value(place, where, PLACE, now=True) for place in line.value]
    return MISSING if any(place is MISSING for place in found) else found


def _add(mechanism: Mechanism, port: PortName, strokes: list[list[Vector]]) -> None:
    place = mechanism._place.get(port.body)
    body = None if place is None else mechanism._bodies[place]
    if body is None or place is None or port.point not in body.ports:
        return  # which is told elsewhere
    own = body.ports[port.point]
    R = _axes(own)
    moved = tuple(
        tuple(tuple(float(x) for x in np.array(own.at) + R @ np.array(p)) for p in stroke) for stroke in strokes
    )
    look = body.look or Look()
    mechanism._bodies[place] = replace(body, look=replace(look, strokes=(*look.strokes, *moved)))


def _axes(port: Port) -> Any:
    """The port's axes in columns; what is not written is that of the body, or any that fits."""
    if len(port.at) == 2:
        x, y = port.x or (1.0, 0.0)
        return np.array([[x, -y], [y, x]])
    if port.z is None and port.x is None:
        return np.eye(3)
    if port.z is None:
        x_axis = np.array(port.x) / np.linalg.norm(port.x or 1.0)
        z_axis = rotations.perpendicular(x_axis)
    else:
        z_axis = np.array(port.z) / np.linalg.norm(port.z)
        x_axis = rotations.perpendicular(z_axis) if port.x is None else np.array(port.x) / np.linalg.norm(port.x)
    return np.column_stack([x_axis, rotations.cross(z_axis, x_axis), z_axis])
