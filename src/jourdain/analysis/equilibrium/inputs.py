"""Inputs of a linearised mechanism by name: each becomes a parameter that can be varied.

k                                    a parameter of the mechanism that its formulas use
push, motor                          a force or torque of the mechanism, along its own direction
push.fx, motor.mz                    one component of it, fixed axes
crank.B.fx, crank.mz                 a force on a point or a body's origin, or a torque on a body, fixed axes
A.torque, A.force                    a torque or force in a joint, along its angle or displacement
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...library.forces.actuator import ACTUATOR
from ...library.joints import kind_of
from ...mechanism.frozen import Frozen
from ...mechanism.names import nearest
from ...mechanism.parts import GROUND, Blueprint, Component, PointForce, Port, PortName, Torque
from ...model.facts import reads_parameter
from ...model.flat import FlatModel

FORCES = {2: ("fx", "fy"), 3: ("fx", "fy", "fz")}
MOMENTS = {2: ("mz",), 3: ("mx", "my", "mz")}


@dataclass(frozen=True)
class Inputs:
    """The mechanism with a parameter for each input: which, their values at rest, and about how large they may be."""

    blueprint: Blueprint
    names: tuple[str, ...]
    parameters: tuple[str, ...]
    units: tuple[float, ...]  # a usual change


def with_inputs(blueprint: Blueprint, names: Any) -> tuple[Inputs, list[str]]:
    """The mechanism with its inputs, and what is wrong with them."""
    faults: list[str] = []
    good, parameters, units = [], [], []
    names = (names,) if isinstance(names, str) else tuple(names)
    weight = sum(b.mass for b in blueprint.bodies) * max(1.0, float(np.linalg.norm(blueprint.gravity)))
    for k, name in enumerate(names):
        if name in blueprint.parameters:
            good.append(name)
            parameters.append(name)
            units.append(abs(blueprint.parameters[name]) or 1.0)
            continue
        parameter = f"input_{k}"
        while parameter in blueprint.parameters:
            parameter = f"_{parameter}"
        made = _force(blueprint, str(name), parameter)
        if isinstance(made, str):
            faults.append(made)
            continue
        blueprint = replace(made, parameters=Frozen({**blueprint.parameters, parameter: 0.0}))
        good.append(str(name))
        parameters.append(parameter)
        units.append(weight)
    return Inputs(blueprint, tuple(good), tuple(parameters), tuple(units)), faults


def unused(model: FlatModel, inputs: Inputs) -> list[str]:
    """Parameters among the inputs that no formula uses, so that nothing would depend on them."""
    return [
        f"input '{name}': no formula of the mechanism uses this parameter any more; it was read as a number when the "
        "mechanism was built (write it as text, such as stiffness='k')"
        for name, parameter in zip(inputs.names, inputs.parameters, strict=True)
        if not reads_parameter(model, parameter)
    ]


def _force(blueprint: Blueprint, name: str, parameter: str) -> Blueprint | str:
    """The mechanism with one more load of the size of a parameter, or what is wrong."""
    dim = blueprint.dim
    owner, rest = blueprint.owner_of(name)
    load = next((f for f in blueprint.forces if f.name == owner and isinstance(f, PointForce | Torque)), None)
    label = f"_of_{parameter}"
    if load is not None:
        return _of_load(blueprint, load, name, rest, parameter, label)
    if blueprint.has_body(owner) and owner != GROUND:
        point, _, channel = rest.rpartition(".")
        if channel in FORCES[dim]:
            if point and point not in blueprint.body(owner).ports:
                known = nearest(point, blueprint.body(owner).ports)
                return f"input '{name}': body '{owner}' has no point '{point}'; {known}"
            vector = tuple(parameter if c == channel else 0.0 for c in FORCES[dim])
            return _added(blueprint, owner, point, vector, label)
        if channel in MOMENTS[dim] and not point:
            vector = tuple(parameter if c == channel else 0.0 for c in MOMENTS[dim])
            return _with(blueprint, Torque(label, owner, vector))
        known = ", ".join(f"{owner}.{c}" for c in (*FORCES[dim], *MOMENTS[dim]))
        return f"input '{name}': expected {known} or a force on a point, such as {owner}.POINT.fx"
    if any(joint.name == owner for joint in blueprint.joints) and rest in ("torque", "force"):
        quantity = "angle" if rest == "torque" else "displacement"
        joint = blueprint.joint(owner)
        if quantity not in kind_of(joint).coordinates:
            return f"input '{name}': a {joint.type} joint has no {quantity} for it to act along"
        part = Component(label, ACTUATOR.name, Frozen({"joint": f"{owner}.{quantity}", "motor": parameter}))
        return _with(blueprint, part)
    names = [*blueprint.parameters, *(f.name for f in blueprint.forces if isinstance(f, PointForce | Torque))]
    kinds = {"angle": "torque", "displacement": "force"}
    names += [f"{joint.name}.{kinds[c]}" for joint in blueprint.joints for c in kind_of(joint).coordinates]
    names += [f"{body.name}.{c}" for body in blueprint.bodies for c in (*FORCES[dim], *MOMENTS[dim])]
    return f"there is no input '{name}'; {nearest(name, names)}"


def _of_load(
    blueprint: Blueprint, load: PointForce | Torque, name: str, rest: str, parameter: str, label: str
) -> Blueprint | str:
    """A load beside one of the mechanism, at its place."""
    dim = blueprint.dim
    turning = isinstance(load, Torque)
    components = (MOMENTS if turning else FORCES)[dim]
    given = load.torque if isinstance(load, Torque) else load.vector
    if rest:
        if rest not in components:
            return f"input '{name}': expected {load.name} or {', '.join(f'{load.name}.{c}' for c in components)}"
        share: list[float] = [float(c == rest) for c in components]
    elif len(components) == 1:
        share = [1.0]
    else:
        if any(not isinstance(part, int | float) for part in given) or not any(given):
            words = ", ".join(f"{load.name}.{c}" for c in components)
            return f"input '{name}': its direction is not fixed; name a component: {words}"
        size = float(np.linalg.norm(np.array(given, dtype=float)))
        share = [float(part) / size for part in given]  # type: ignore[arg-type]
    vector = tuple(f"{s!r}*{parameter}" if s else 0.0 for s in share)
    part = Torque(label, load.on, vector) if isinstance(load, Torque) else PointForce(label, load.on, vector)
    return _with(blueprint, part)


def _with(blueprint: Blueprint, part: Any) -> Blueprint:
    return replace(blueprint, forces=(*blueprint.forces, part))


def _added(blueprint: Blueprint, body: str, point: str, vector: Any, label: str) -> Blueprint:
    """A force on a point of a body, or on its origin, which gets a point of its own."""
    if not point:
        point = f"{label}_origin"
        old = blueprint.body(body)
        new = replace(old, ports={**old.ports, point: Port((0.0,) * blueprint.dim)})
        blueprint = replace(blueprint, bodies=tuple(new if b.name == body else b for b in blueprint.bodies))
    return _with(blueprint, PointForce(label, PortName(body, point), vector))
