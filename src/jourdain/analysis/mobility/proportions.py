"""Numbers out of proportion to the others, or of the wrong sign; and axes that nobody wrote."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

from ...equations.formula import FormulaError
from ...equations.vectors import EquationError
from ...library import TYPES
from ...library.joints import kind_of
from ...library.values import constant
from ...mechanism.errors import MechanismError
from ...mechanism.parts import Blueprint, SpringDamper
from ...mechanism.units import UnitError

HEAVY = 100.0  # times the middle mass of the others
RADIANS = 10.0  # more of them, and a multiple of five, are rarely meant
MOST = 720.0
NO_NUMBER = (FormulaError, EquationError, UnitError, MechanismError, LookupError, ArithmeticError, ValueError)


def out_of_proportion(blueprint: Blueprint) -> Iterator[str]:
    """What looks wrong beside the rest, in sentences."""
    yield from _masses(blueprint)
    for force in blueprint.forces:
        if isinstance(force, SpringDamper):
            values = {"stiffness": force.stiffness, "damping": force.damping}
            yield from _signs(f"spring '{force.name}'", values)
    for component in blueprint.components:
        yield from _signs(f"{component.type} '{component.name}'", component.values)
        for key, unit in _angles(component.type):
            yield from _radians(blueprint, f"{component.type} '{component.name}'", key, component.values.get(key), unit)
    for joint in blueprint.joints:
        for key, value in (joint.initial or {}).items():
            if key == "angle":
                yield from _radians(blueprint, f"joint '{joint.name}'", "initial angle", value, "rad")


def _masses(blueprint: Blueprint) -> Iterator[str]:
    masses = {body.name: body.mass for body in blueprint.bodies if body.mass > 0}
    for name, mass in masses.items():
        others = [m for other, m in masses.items() if other != name]
        if len(others) > 1 and mass > HEAVY * median(others) and mass == max(masses.values()):
            yield f"body '{name}' has {mass:g} kg, the others some {median(others):g} kg; grams?"


def _signs(where: str, values: Any) -> Iterator[str]:
    for key in ("stiffness", "damping"):
        value = values.get(key)
        if isinstance(value, int | float) and value < 0:
            does = "pushes away from where it is at rest" if key == "stiffness" else "drives instead of braking"
            yield f"{where}: {key} is {value:g}, so it {does}; is the sign meant?"


def _angles(kind: str) -> Iterator[tuple[str, str]]:
    for name, key in TYPES[kind].keys.items():
        if "rad" in key.unit.split(" or ") and (key.unit == "rad" or name in ("angle", "start")):
            yield name, key.unit


def _radians(blueprint: Blueprint, where: str, key: str, value: Any, unit: str) -> Iterator[str]:
    """An angle that is a round number of degrees, and no unit beside it."""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return
    try:
        angle = float(constant(value)(0.0, blueprint.parameters.__getitem__))
    except NO_NUMBER:
        return
    if RADIANS <= abs(angle) <= MOST and angle % 5 == 0:
        yield f"{where}: {key} is {angle:g} rad; degrees? write {angle:g} deg"


def axes_taken(blueprint: Blueprint) -> Iterator[str]:
    """Joints in space that need an axis where none is written."""
    if blueprint.dim == 2:
        return
    for joint in blueprint.joints:
        does = kind_of(joint).axis_does
        ports = [blueprint.port(name) for name in (joint.first, joint.second)]
        if does and all(port.x is None and port.z is None for port in ports):
            where = f"'{joint.first}' or '{joint.second}'"
            yield (
                f"joint '{joint.name}' {does} z of the axes of {joint.first.body} and {joint.second.body}: "
                f"no axis is written at {where}"
            )
