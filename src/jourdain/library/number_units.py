"""Numbers of a mechanism written with a unit, by their names: `session.set("crank.mass", "300 g")`.

Which unit a number has follows from where it stands: the key of a body, point or joint, or that of a component's kind.
A parameter has that of the keys it stands for by itself, as in `stiffness: k`; others may have any.
"""

from __future__ import annotations

from typing import Any

from ..mechanism.errors import ChoiceError
from ..mechanism.numbers import SIZE, Path, find, known
from ..mechanism.parts import Blueprint, Component
from ..mechanism.reading import UNITS_OF
from ..mechanism.units import quantity
from . import TYPES
from .forces.parts_as_components import as_component
from .geometry import unit_along
from .joints import kind_of
from .values import Values

_OF_BODIES = {"attitude": "rad", "ports": "m"}


def number_in_si(blueprint: Blueprint | None, name: Any, value: Any) -> Any:
    """A text like `40 mm` as the number of that name has it in SI; what is no text is left as it is."""
    if not isinstance(value, str):
        return value
    units = "" if blueprint is None else unit_of_number(blueprint, name)
    try:
        return quantity(value, units)
    except ValueError as error:  # of units too
        raise ChoiceError(f"'{name}' is {value!r}: {error}") from None


def unit_of_number(blueprint: Blueprint, name: Any) -> str:
    """The units of a number or vector by its name, like `rad/s or m/s`; nothing where it may have any."""
    table = known(blueprint, name) if isinstance(name, str) else {}
    paths = table.get(name, ())
    path = find(blueprint, table, name)[0] or (paths[0] if paths else ())
    return _unit(blueprint, path) if path else ""


def _unit(blueprint: Blueprint, path: Path) -> str:
    room = path[0]
    if room == "bodies":
        return _OF_BODIES.get(path[2]) or UNITS_OF.get(path[2], "")
    if room in ("ground", "gravity"):
        return "m" if room == "ground" else UNITS_OF["gravity"]
    if room == "parameters":
        return _unit_of_parameter(blueprint, path[1])
    part, key = getattr(blueprint, room)[path[1]], next((step for step in path[:1:-1] if _is_key(step)), "")
    if room == "joints":
        return unit_along(UNITS_OF.get(key, ""), next(iter(kind_of(part).coordinates), ""))
    component = part if isinstance(part, Component) else as_component(part)
    kind = TYPES[component.type]
    return Values(component, kind, blueprint).unit(kind.keys[key]) if key in kind.keys else ""


def _unit_of_parameter(blueprint: Blueprint, name: Any) -> str:
    forces = (as_component(force) for force in blueprint.forces if not isinstance(force, Component))
    units = {
        Values(component, TYPES[component.type], blueprint).unit(TYPES[component.type].keys[key])
        for component in (*forces, *blueprint.components)
        for key, value in component.values.items()
        if isinstance(value, str) and value.strip() == name and key in TYPES[component.type].keys
    }
    return units.pop() if len(units) == 1 else ""


def _is_key(step: Any) -> bool:
    return isinstance(step, str) and step not in ("values", "initial", SIZE)
