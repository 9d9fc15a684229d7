"""Faults of a mechanism that can be found without solving anything, all of them, in the user's names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from .names import FORMULA_CONSTANTS, RESERVED, is_identifier, nearest
from .parts import GROUND, Blueprint, Body, Component, Event, Port, PortName, SpringDamper, Torque

# Rounding in hand-written inertias (three digits) must not be called a fault of physics; a relative excess
# over this is.
TRIANGLE_SLACK = 1e-6


def faults(blueprint: Blueprint) -> list[str]:
    """Every fault, in the order a reader meets the parts; empty if there is none."""
    found = list(blueprint.early_faults)
    if not blueprint.bodies:
        found.append("the mechanism has no bodies; add at least one with m.body(...)")
    found += _not_finite("gravity", blueprint.gravity)
    found += _names(blueprint)
    for name, port in blueprint.ground.items():
        found += _port(f"point 'ground.{name}'", port)
    for body in blueprint.bodies:
        found += body_faults(body)
    for joint in blueprint.joints:
        where = f"joint '{joint.name}'"
        found += _unknown(blueprint, where, joint.first)
        found += _unknown(blueprint, where, joint.second)
        if joint.first.body == joint.second.body:
            found.append(f"{where} joins body '{joint.first.body}' to itself; a joint needs two different bodies")
        if joint.length is not None and not (math.isfinite(joint.length) and joint.length > 0):
            found.append(f"{where}: length is {joint.length}; expected a positive number")
    for force in blueprint.forces:
        if not isinstance(force, Component):  # the library of components finds its own faults
            found += _force(blueprint, force)
    for name, value in blueprint.parameters.items():
        found += _not_finite(f"parameter '{name}'", value)
    for event in blueprint.events:
        found += _targets(blueprint, event)
    parts = _switchable(blueprint)
    for name in sorted(set(blueprint.off) - set(parts)):
        found.append(f"switched off: there is no part '{name}'; {nearest(name, parts)}")
    return found


def _switchable(blueprint: Blueprint) -> list[str]:
    """What can be switched on and off: whatever puts forces on bodies or equations between them."""
    joints = [joint.name for joint in blueprint.joints]
    forces = [force.name for force in blueprint.forces]
    others = (*blueprint.relations, *blueprint.motions, *blueprint.elements)
    return [*joints, *forces, *(part.name for part in others)]


def _targets(blueprint: Blueprint, event: Event) -> Iterator[str]:
    where = f"event '{event.name}'"
    if not event.actions:
        yield f"{where} does nothing; expected stop, record, set, on, off or call"
    for action in event.actions:
        if action.kind == "set" and action.target not in blueprint.parameters:
            yield f"{where}: there is no parameter '{action.target}'; {nearest(action.target, blueprint.parameters)}"
        elif action.kind in ("on", "off") and action.target not in (parts := _switchable(blueprint)):
            what = f"there is no part '{action.target}' to switch {action.kind}"
            yield f"{where}: {what}; {nearest(action.target, parts)}"


def _names(blueprint: Blueprint) -> Iterator[str]:
    kinds: tuple[tuple[str, tuple[Any, ...]], ...] = (
        ("body", blueprint.bodies),
        ("joint", blueprint.joints),
        ("force", blueprint.forces),
        ("relation", blueprint.relations),
        ("motion", blueprint.motions),
        ("element", blueprint.elements),
        ("event", blueprint.events),
    )
    named = [(kind, part.name) for kind, parts in kinds for part in parts]
    named += [("parameter", name) for name in blueprint.parameters]
    for kind, name in named:
        if not is_identifier(name):
            yield f"{kind} name {name!r} is not an identifier; use letters, digits and underscores"
        elif name in RESERVED:
            yield f"{kind} name '{name}' is reserved ({', '.join(sorted(RESERVED))} are)"
        elif kind == "parameter" and name in FORMULA_CONSTANTS:
            yield f"parameter name '{name}' means a constant in every formula; choose another"
    for name, count in Counter(name for _, name in named).items():
        if count > 1:
            kinds_text = " and ".join(kind for kind, other in named if other == name)
            yield f"name '{name}' is used {count} times ({kinds_text}); all parts share one namespace"
    for body in (GROUND, *(b.name for b in blueprint.bodies)):
        for point in blueprint.ports_of(body):
            if not is_identifier(point):
                yield f"point name {point!r} of '{body}' is not an identifier"


def _not_finite(where: str, value: Any) -> Iterator[str]:
    if value is not None and not all(map(math.isfinite, value if isinstance(value, list | tuple) else (value,))):
        yield f"{where} is {value}; expected finite numbers"


def body_faults(body: Body) -> Iterator[str]:
    """What is wrong with one body."""
    where = f"body '{body.name}'"
    if not (math.isfinite(body.mass) and body.mass > 0):
        yield f"{where}: mass is {body.mass}; expected a positive number"
    for key in ("centre", "position", "attitude", "velocity", "spin"):
        yield from _not_finite(f"{where}: {key}", getattr(body, key))
    yield from _inertia(where, body.inertia)
    for name, port in body.ports.items():
        yield from _port(f"point '{body.name}.{name}'", port)
    for name in body.look.traces if body.look is not None else ():
        if name not in body.ports:
            yield f"{where}: traces: it has no point '{name}'; {nearest(name, body.ports)}"


def _inertia(where: str, inertia: Any) -> Iterator[str]:
    values = np.atleast_1d(np.asarray(inertia, dtype=float))
    if not np.all(np.isfinite(values)):
        yield f"{where}: inertia is {inertia}; expected finite numbers"
        return
    if values.size == 1:
        if values[0] < 0:
            yield f"{where}: inertia is {inertia}; expected zero or a positive number"
        return
    xx, yy, zz, xy, xz, yz = values
    principal = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    small, middle, large = principal
    slack = TRIANGLE_SLACK * max(abs(large), abs(small))
    if small < -slack:
        yield f"{where}: principal inertias are {_short(principal)}; expected none negative"
    elif large > small + middle + slack:
        yield (
            f"{where}: principal inertias {_short(principal)} violate the triangle inequality "
            f"({large:.6g} > {small:.6g} + {middle:.6g}); no distribution of mass has them"
        )


def _short(values: Any) -> str:
    return "(" + ", ".join(f"{v:.6g}" for v in values) + ")"


def _port(where: str, port: Port) -> Iterator[str]:
    yield from _not_finite(f"{where}: at", port.at)
    for key in ("x", "z"):
        axis = getattr(port, key)
        if axis is not None:
            yield from _not_finite(f"{where}: {key}", axis)
            if not any(axis):
                yield f"{where}: axis {key} is zero; expected a direction"
    if len(port.at) == 3 and port.x is not None and port.z is not None:
        product = sum(a * b for a, b in zip(port.x, port.z, strict=True))
        cosine = abs(product) / (math.hypot(*port.x) * math.hypot(*port.z) or 1.0)
        if cosine > 1e-9:
            yield f"{where}: axes x and z are not perpendicular (cosine {cosine:.3g})"


def _unknown(blueprint: Blueprint, where: str, port: PortName) -> Iterator[str]:
    if not blueprint.has_body(port.body):
        bodies = [GROUND, *(b.name for b in blueprint.bodies)]
        yield f"{where}: there is no body '{port.body}'; {nearest(port.body, bodies)}"
    elif port.point not in blueprint.ports_of(port.body):
        known = blueprint.ports_of(port.body)
        yield f"{where}: body '{port.body}' has no point '{port.point}'; {nearest(port.point, known)}"


def _force(blueprint: Blueprint, force: Any) -> Iterator[str]:
    if isinstance(force, SpringDamper):
        where = f"spring-damper '{force.name}'"
        for port in (force.first, force.second):
            yield from _unknown(blueprint, where, port) if isinstance(port, PortName) else _no_port(where, port)
        if force.first == force.second:
            yield f"{where} joins point '{force.first}' to itself"
        yield from _not_finite(where, (force.stiffness, force.damping, force.length))
        if force.length < 0:
            yield f"{where}: length is {force.length}; expected zero or a positive number"
    elif isinstance(force, Torque):
        where = f"torque '{force.name}'"
        bodies = [b.name for b in blueprint.bodies]
        if force.on not in bodies:
            yield f"{where}: there is no body '{force.on}'; {nearest(force.on, bodies)}"
        yield from _not_finite(where, [s for s in force.torque if isinstance(s, float)])
    else:
        where = f"force '{force.name}'"
        yield from _unknown(blueprint, where, force.on) if isinstance(force.on, PortName) else _no_port(where, force.on)
        yield from _not_finite(where, [s for s in force.vector if isinstance(s, float)])
        if getattr(force.on, "body", None) == GROUND:
            yield f"{where} acts on the ground, which does not move; name a point of a body"


def _no_port(where: str, found: Any) -> Iterator[str]:
    yield f"{where}: expected a point like crank['B'], got {found!r}"
