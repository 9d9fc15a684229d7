"""The forces that have classes of their own (spring-damper, force, torque), lowered like the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...equations.formula import Formula, FormulaError
from ...equations.lowered import Couple, Load, Lowered
from ...equations.vectors import EquationError
from ...mechanism.fault import Fault, about
from ...mechanism.parts import Component, PointForce, SpringDamper, Torque
from .. import kinds as k
from ..channels.known_names import OF_FORCE, unusable
from ..checking import name_fault
from ..geometry import length
from ..kinds import FORCES, Key, Kind, optional
from ..values import Values, constant, is_function
from .laws import damper, dropped, spring, total

_INPUTS = optional(k.NAMES, help="what a function takes, instead of t")


def _spring_damper(values: Values) -> Lowered:
    distance, rate = length(values.blueprint, *values.ports())
    efforts = (
        spring(distance, values.number("stiffness"), values.number("length")),
        damper(distance, values.number("damping")),
    )
    return Lowered(efforts=dropped(efforts), channels={"length": distance, "force": -total(efforts, distance, rate)})


def _force(values: Values) -> Lowered:
    on = values.raw("on")
    return Lowered(loads=(Load(on.body, values.blueprint.port(on).at, values.formulas("vector")),))


def _torque(values: Values) -> Lowered:
    return Lowered(couples=(Couple(values.raw("on"), values.formulas("torque")),))


KINDS: dict[str, Kind] = {
    "spring-damper": Kind(
        {
            "between": Key(k.PORTS),
            "stiffness": optional(k.NUMBER, 0.0, unit="N/m"),
            "damping": optional(k.NUMBER, 0.0, unit="N s/m"),
            "length": optional(k.NOT_NEGATIVE, 0.0, unit="m", help="free length"),
        },
        _spring_damper,
        "a linear spring and damper between two points",
        FORCES,
    ),
    "force": Kind(
        {"on": Key(k.PORT), "vector": Key(k.FORMULA, size="dim", unit="N"), "inputs": _INPUTS},
        _force,
        "a force on a point, components in fixed axes",
        FORCES,
    ),
    "torque": Kind(
        {"on": Key(k.BODY), "torque": Key(k.FORMULA, size="turns", unit="N m"), "inputs": _INPUTS},
        _torque,
        "a torque on a body, components in fixed axes",
        FORCES,
    ),
}


def as_component(force: SpringDamper | PointForce | Torque) -> Component:
    """A force of a class of its own as a component of the library."""
    if isinstance(force, SpringDamper):
        values: dict[str, Any] = {"between": (force.first, force.second), "stiffness": force.stiffness}
        return Component(force.name, "spring-damper", values | {"damping": force.damping, "length": force.length})
    components = force.vector if isinstance(force, PointForce) else force.torque
    one = len(components) == 1 and is_function(components[0])
    key, kind = ("vector", "force") if isinstance(force, PointForce) else ("torque", "torque")
    values = {"on": force.on, key: components[0] if one else components}
    return Component(force.name, kind, values | ({"inputs": force.inputs} if force.inputs else {}))


def load_faults(force: PointForce | Torque, known: Mapping[str, str]) -> Iterator[Fault]:
    """What is wrong with the formulas of a force or torque; the rest `mechanism.checks` has found."""
    kind, key = ("force", "vector") if isinstance(force, PointForce) else ("torque", "torque")
    components = force.vector if isinstance(force, PointForce) else force.torque
    where = about(kind, force.name)
    sources = [(key, source) for source in components] + [("inputs", source) for source in force.inputs]
    for key, source in sources:
        if not isinstance(source, str | Formula):
            continue
        where = where._replace(key=key)
        try:
            leaves = constant(source).quantities()
        except (FormulaError, EquationError) as error:
            yield where.fault(f"{where}: {error}")
            continue
        for leaf_key in leaves:
            if no := unusable(leaf_key, known, OF_FORCE):
                yield name_fault(where, no)
