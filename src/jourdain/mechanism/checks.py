"""Faults of a mechanism that can be found without solving anything, all of them, in the user's names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from .fault import Fault, Where, about, whole
from .names import FORMULA_CONSTANTS, RESERVED, is_identifier, is_part_name, is_plain, nearest
from .parts import GROUND, Blueprint, Body, Component, Event, Port, PortName, SpringDamper, Torque

# Rounding in hand-written inertias (three digits) must not be called a fault of physics; a relative excess
# over this is.
TRIANGLE_SLACK = 1e-6
# How a body is added, in Python and in a file.
_BODIES = ("with m.body(...)", "under bodies")


def faults(blueprint: Blueprint) -> list[Fault]:
    """Every fault, in the order a reader meets the parts; empty if there is none."""
    found = list(blueprint.early_faults)
    if blueprint.written is not None and not found:
        found += blueprint.written.faults(blueprint)
    for key in ("name", "description"):
        if not is_plain(text := getattr(blueprint, key)):
            expected = "text without control characters" if isinstance(text, str) else "text"
            found.append(Fault("", key, f"{key} is {text!r}; expected {expected}"))
    if not blueprint.bodies:
        words, file_words = (f"the mechanism has no bodies; add at least one {how}" for how in _BODIES)
        found.append(Fault("", "bodies", words, missing=True, in_file=file_words))
    found += _not_finite(whole("gravity"), blueprint.gravity)
    found += _names(blueprint)
    for name, port in blueprint.ground.items():
        found += _port(about("point", f"{GROUND}.{name}"), port)
    for body in blueprint.bodies:
        found += body_faults(body)
    for joint in blueprint.joints:
        where = about("joint", joint.name)
        found += _unknown(blueprint, where, "between", joint.first)
        found += _unknown(blueprint, where, "between", joint.second)
        if joint.first.body == joint.second.body:
            words = f"{where} joins body '{joint.first.body}' to itself; a joint needs two different bodies"
            found.append(where.at("between").fault(words))
    for force in blueprint.forces:
        if not isinstance(force, Component):  # the library of components finds its own faults
            found += _force(blueprint, force)
    for name, value in blueprint.parameters.items():
        found += _not_finite(about("parameter", name), value)
    for event in blueprint.events:
        found += _targets(blueprint, event)
    parts = _switchable(blueprint)
    for name in sorted(set(blueprint.off) - set(parts)):
        words = f"switched off: there is no part '{name}'; {nearest(name, parts)}"
        found.append(Fault("", "off", words, name=name, missing=True))
    return found


def _switchable(blueprint: Blueprint) -> list[str]:
    """What can be switched on and off: whatever puts forces on bodies or equations between them."""
    joints = [joint.name for joint in blueprint.joints]
    forces = [force.name for force in blueprint.forces]
    others = (*blueprint.relations, *blueprint.motions, *blueprint.elements)
    return [*joints, *forces, *(part.name for part in others)]


def _targets(blueprint: Blueprint, event: Event) -> Iterator[Fault]:
    where = about("event", event.name)
    if not event.actions:
        yield where.fault(f"{where} does nothing; expected stop, record, set, on, off or call")
    for action in event.actions:
        if action.kind == "set" and action.target not in blueprint.parameters:
            words = f"{where}: there is no parameter '{action.target}'; {nearest(action.target, blueprint.parameters)}"
            yield where.at("set").fault(words, name=action.target, missing=True)
        elif action.kind in ("on", "off") and action.target not in (parts := _switchable(blueprint)):
            words = f"{where}: there is no part '{action.target}' to switch {action.kind}"
            words = f"{words}; {nearest(action.target, parts)}"
            yield where.at(action.kind).fault(words, name=action.target, missing=True)


def _names(blueprint: Blueprint) -> Iterator[Fault]:
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
        if not is_part_name(name):
            words = f"{kind} name {name!r} is not an identifier; use letters, digits and underscores"
            yield Fault(name, "", words)
        elif name in RESERVED:
            yield Fault(name, "", f"{kind} name '{name}' is reserved ({', '.join(sorted(RESERVED))} are)")
        elif kind == "parameter" and name in FORMULA_CONSTANTS:
            yield Fault(name, "", f"parameter name '{name}' means a constant in every formula; choose another")
    for name, count in Counter(name for _, name in named).items():
        if count > 1:
            kinds_text = " and ".join(kind for kind, other in named if other == name)
            words = f"name '{name}' is used {count} times ({kinds_text}); all parts share one namespace"
            yield Fault(name, "", words)
    for body in (GROUND, *(b.name for b in blueprint.bodies)):
        for point in blueprint.ports_of(body):
            part = f"{body}.{point}"
            if not (is_part_name if body == GROUND else is_identifier)(point):
                yield Fault(part, "", f"point name {point!r} of '{body}' is not an identifier")


def _not_finite(where: Where, value: Any, key: str = "") -> Iterator[Fault]:
    if value is not None and not all(map(math.isfinite, value if isinstance(value, list | tuple) else (value,))):
        where = where.at(key) if key else where
        yield where.fault(f"{where} is {value}; expected finite numbers")


def body_faults(body: Body) -> Iterator[Fault]:
    """What is wrong with one body."""
    where = about("body", body.name)
    if not (math.isfinite(body.mass) and body.mass > 0):
        yield where.at("mass").fault(f"{where}: mass is {body.mass}; expected a positive number")
    attitude = "angle" if len(body.centre) == 2 else "quaternion"
    yield from _not_finite(where.at("attitude")._replace(key=attitude), body.attitude)
    for key in ("centre", "position", "velocity", "spin"):
        yield from _not_finite(where, getattr(body, key), key)
    yield from _inertia(where.at("inertia"), f"{where}", body.inertia)
    for name, port in body.ports.items():
        yield from _port(about("point", f"{body.name}.{name}"), port)
    for name in body.look.traces if body.look is not None else ():
        if name not in body.ports:
            words = f"{where}: traces: it has no point '{name}'; {nearest(name, body.ports)}"
            yield where.at("look").at("traces").fault(words, name=name)


def _inertia(where: Where, body: str, inertia: Any) -> Iterator[Fault]:
    values = np.atleast_1d(np.asarray(getattr(inertia, "tensor", inertia), dtype=float))
    if not np.all(np.isfinite(values)):
        yield where.fault(f"{where} is {inertia}; expected finite numbers")
        return
    if values.size == 1:
        if values[0] < 0:
            yield where.fault(f"{where} is {inertia}; expected zero or a positive number")
        return
    xx, yy, zz, xy, xz, yz = values
    principal = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    small, middle, large = principal
    slack = TRIANGLE_SLACK * max(abs(large), abs(small))
    if small < -slack:
        yield where.fault(f"{body}: principal inertias are {_short(principal)}; expected none negative")
    elif large > small + middle + slack:
        yield where.fault(
            f"{body}: principal inertias {_short(principal)} violate the triangle inequality "
            f"({large:.6g} > {small:.6g} + {middle:.6g}); no distribution of mass has them"
        )


def _short(values: Any) -> str:
    return "(" + ", ".join(f"{v:.6g}" for v in values) + ")"


def _port(where: Where, port: Port) -> Iterator[Fault]:
    yield from _not_finite(where, port.at, "at")
    for key in ("x", "z"):
        axis = getattr(port, key)
        if axis is not None:
            yield from _not_finite(where, axis, key)
            if not any(axis):
                yield where.at(key).fault(f"{where}: axis {key} is zero; expected a direction")
    if len(port.at) == 3 and port.x is not None and port.z is not None:
        product = sum(a * b for a, b in zip(port.x, port.z, strict=True))
        cosine = abs(product) / (math.hypot(*port.x) * math.hypot(*port.z) or 1.0)
        if cosine > 1e-9:
            yield where.at("x").fault(f"{where}: axes x and z are not perpendicular (cosine {cosine:.3g})")


def _unknown(blueprint: Blueprint, where: Where, key: str, port: PortName) -> Iterator[Fault]:
    if not blueprint.has_body(port.body):
        bodies = [GROUND, *(b.name for b in blueprint.bodies)]
        words = f"{where}: there is no body '{port.body}'; {nearest(port.body, bodies)}"
        yield where.at(key).fault(words, name=port.body, missing=True)
    elif port.point not in blueprint.ports_of(port.body):
        known = blueprint.ports_of(port.body)
        words = f"{where}: body '{port.body}' has no point '{port.point}'; {nearest(port.point, known)}"
        yield where.at(key).fault(words, name=str(port))


def _force(blueprint: Blueprint, force: Any) -> Iterator[Fault]:
    if isinstance(force, SpringDamper):
        where = about("spring-damper", force.name)
        for port in (force.first, force.second):
            yield from _point(blueprint, where, "between", port)
        if force.first == force.second:
            yield where.at("between").fault(f"{where} joins point '{force.first}' to itself")
        numbers = {"stiffness": force.stiffness, "damping": force.damping, "length": force.length}
        wrong = next((key for key, value in numbers.items() if not math.isfinite(value)), "")
        yield from _not_finite(where._replace(key=wrong), tuple(numbers.values()))
        if force.length < 0:
            words = f"{where}: length is {force.length}; expected zero or a positive number"
            yield where.at("length").fault(words)
    elif isinstance(force, Torque):
        where = about("torque", force.name)
        bodies = [b.name for b in blueprint.bodies]
        if force.on not in bodies:
            words = f"{where}: there is no body '{force.on}'; {nearest(force.on, bodies)}"
            yield where.at("on").fault(words, name=force.on, missing=True)
        yield from _not_finite(where._replace(key="torque"), [s for s in force.torque if isinstance(s, float)])
    else:
        where = about("force", force.name)
        yield from _point(blueprint, where, "on", force.on)
        yield from _not_finite(where._replace(key="vector"), [s for s in force.vector if isinstance(s, float)])
        if getattr(force.on, "body", None) == GROUND:
            words = f"{where} acts on the ground, which does not move; name a point of a body"
            yield where.at("on").fault(words)


def _point(blueprint: Blueprint, where: Where, key: str, found: Any) -> Iterator[Fault]:
    if isinstance(found, PortName):
        yield from _unknown(blueprint, where, key, found)
    else:
        yield where.at(key).fault(f"{where}: expected a point like crank['B'], got {found!r}")
