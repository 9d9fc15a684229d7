"""The numbers of a mechanism by name, and the mechanism with one of them changed.

`crank.mass`, `crank.B.x`, `spring.stiffness`, `gravity`, `A.initial.speed`: what a body, a point, a joint or a force is
written with, in SI. Only what is written has a name: where a position is left out, assembly chooses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from .parts import Blueprint, Body, Component, Force, Joint, PointForce, Port, SpringDamper, Torque

# A number, and what makes the part that holds it hold another.
Numbers = Iterator[tuple[str, float, Callable[[float], Any]]]
INERTIAS = ("xx", "yy", "zz", "xy", "xz", "yz")


def numbers(blueprint: Blueprint) -> dict[str, float]:
    """All numbers of a mechanism by name."""
    return {name: value for name, value, _ in _all(blueprint)}


def varied(blueprint: Blueprint, name: str, value: float) -> Blueprint:
    """The mechanism with another value of one number."""
    for known, _, changed in _all(blueprint):
        if known == name:
            found: Blueprint = changed(value)
            return found
    raise KeyError(name)


def _all(b: Blueprint) -> Numbers:
    for key, value in b.parameters.items():
        yield key, value, lambda x, key=key: replace(b, parameters=_changed(b.parameters, key, x))  # type: ignore[misc]
    yield from _gravity(b)
    for name, value, port in _ports(b.ground):
        yield f"ground.{name}", value, lambda x, port=port: replace(b, ground=port(x))  # type: ignore[misc]
    for kind, of in (("bodies", _body), ("joints", _joint), ("forces", _force)):
        yield from _parts(b, kind, of)
    for kind in ("relations", "motions", "elements"):
        yield from _parts(b, kind, _component)


def _parts(b: Blueprint, kind: str, numbers_of: Callable[[Any], Numbers]) -> Numbers:
    parts = getattr(b, kind)
    for k, part in enumerate(parts):
        for name, value, changed in numbers_of(part):

            def whole(x: float, k: int = k, changed: Callable[[float], Any] = changed) -> Blueprint:
                return replace(b, **{kind: (*parts[:k], changed(x), *parts[k + 1 :])})  # type: ignore[arg-type]

            yield f"{part.name}.{name}", value, whole


def _changed(values: Mapping[str, Any], key: str, value: Any) -> Mapping[str, Any]:
    return MappingProxyType({**values, key: value})


def _components(vector: tuple[Any, ...] | None, names: tuple[str, ...] | str) -> Numbers:
    """Of a vector, those that are numbers."""
    for k, value in enumerate(vector or ()):
        if _is_number(value):
            yield (
                names[k],
                float(value),
                lambda x, k=k: (*vector[:k], x, *vector[k + 1 :]),  # type: ignore[index,misc]
            )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _gravity(b: Blueprint) -> Numbers:
    size = sum(x * x for x in b.gravity) ** 0.5
    if size > 0:
        yield "gravity", size, lambda g: replace(b, gravity=tuple(x * g / size for x in b.gravity))
    for name, value, vector in _components(b.gravity, "xyz"):
        yield f"gravity.{name}", value, lambda x, vector=vector: replace(b, gravity=vector(x))  # type: ignore[misc]


def _ports(ports: dict[str, Port]) -> Numbers:
    for key, port in ports.items():
        for name, value, vector in _components(port.at, "xyz"):

            def changed(x: float, key: str = key, port: Port = port, vector: Any = vector) -> dict[str, Port]:
                return {**ports, key: replace(port, at=vector(x))}

            yield f"{key}.{name}", value, changed


def _body(body: Body) -> Numbers:
    yield "mass", body.mass, lambda x: replace(body, mass=x)
    planar = len(body.centre) == 2
    vectors: list[tuple[str, Any, Any, str]] = [
        ("centre", body.centre, "xyz", "centre."),
        ("position", body.position, "xyz", ""),
        ("velocity", body.velocity, ("vx", "vy", "vz"), ""),
    ]
    if planar:
        for key, value, name in (
            ("inertia", body.inertia, "inertia"),
            ("attitude", body.attitude, "angle"),
            ("spin", body.spin, "spin"),
        ):
            if isinstance(value, float):
                yield name, value, lambda x, key=key: replace(body, **{key: x})  # type: ignore[misc]
    else:
        vectors += [
            ("inertia", body.inertia, INERTIAS, "inertia."),
            ("spin", body.spin, ("wx", "wy", "wz"), ""),
        ]
    for key, vector, names, prefix in vectors:
        for name, value, changed in _components(vector, names):
            yield (
                f"{prefix}{name}",
                value,
                lambda x, key=key, changed=changed: replace(body, **{key: changed(x)}),  # type: ignore[misc]
            )
    for name, value, changed in _ports(body.ports):
        yield name, value, lambda x, changed=changed: replace(body, ports=changed(x))  # type: ignore[misc]


def _joint(joint: Joint) -> Numbers:
    if joint.length is not None:
        yield "length", joint.length, lambda x: replace(joint, length=x)
    for field, prefix in (("values", ""), ("initial", "initial.")):
        yield from _values(joint, field, prefix)


def _values(part: Any, field: str, prefix: str = "") -> Numbers:
    values = getattr(part, field)
    for key, value in values.items():
        if _is_number(value):
            yield (
                f"{prefix}{key}",
                float(value),
                lambda x, key=key: replace(part, **{field: _changed(values, key, x)}),  # type: ignore[misc]
            )


def _component(part: Component) -> Numbers:
    yield from _values(part, "values")


def _force(force: Force) -> Numbers:
    if isinstance(force, Component):
        yield from _component(force)
    elif isinstance(force, SpringDamper):
        for key in ("stiffness", "damping", "length"):
            yield key, getattr(force, key), lambda x, key=key: replace(force, **{key: x})  # type: ignore[misc]
    elif isinstance(force, PointForce):
        for name, value, changed in _components(force.vector, "xyz"):
            yield name, value, lambda x, changed=changed: replace(force, vector=changed(x))  # type: ignore[misc]
    elif isinstance(force, Torque):
        names = ("torque",) if len(force.torque) == 1 else ("x", "y", "z")
        for name, value, changed in _components(force.torque, names):
            yield name, value, lambda x, changed=changed: replace(force, torque=changed(x))  # type: ignore[misc]
