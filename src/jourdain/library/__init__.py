"""The library of components: every type with its keys, its faults, and how it is lowered.

    faults(component, blueprint)    what is wrong with it, in sentences; lower it only if there is nothing
    lowered(component, blueprint)   its equations, efforts, loads, couples, states and channels
    all_faults(blueprint)           of all components, loads and events of a mechanism, at once
    channel_formulas(blueprint)     every channel of components, with the channels it uses written out

States are channels too (`motor.current`), without being repeated in `Lowered.channels`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from ..equations.formula import Formula, FormulaError
from ..equations.lowered import Lowered
from ..equations.vectors import EquationError
from ..mechanism.names import nearest
from ..mechanism.parts import Blueprint, Component, Force, PointForce, Torque
from . import elements, forces, motions, relations
from .channels.known_names import ANY, quantities
from .checking import key_faults, start_faults
from .event_faults import event_faults
from .forces.plain import as_component, load_faults
from .kinds import Key, Kind
from .network import circles, written_out
from .values import Values, is_function

__all__ = [
    "TYPES",
    "Key",
    "Kind",
    "all_faults",
    "channel_formulas",
    "channels",
    "faults",
    "known_quantities",
    "lowered",
]

TYPES: dict[str, Kind] = {
    kind.name: kind for kind in (*relations.KINDS, *motions.KINDS, *forces.KINDS, *elements.KINDS)
}


def lowered(part: Force, blueprint: Blueprint) -> Lowered:
    """A component without faults, or any force, as parts. Found once for a blueprint, unless it has functions in it:

    these are looked at anew, since what they do may have changed.
    """
    key = "lowered", id(part)
    if key in blueprint.derived:
        found: Lowered = blueprint.derived[key]
        return found
    component = part if isinstance(part, Component) else as_component(part)
    kind = TYPES[component.type]
    found = kind.lower(Values(component, kind, blueprint))
    if not any(map(is_function, component.values.values())):
        blueprint.derived[key] = found
    return found


def faults(component: Component, blueprint: Blueprint, known: Mapping[str, str] | None = None) -> list[str]:
    """Everything wrong with a component; `known` are the quantities formulas may use, where already at hand."""
    if component.type not in TYPES:
        return [f"'{component.name}' is of unknown type '{component.type}'; {nearest(component.type, TYPES)}"]
    kind = TYPES[component.type]
    values = Values(component, kind, blueprint)
    found = list(key_faults(values, known_quantities(blueprint) if known is None else known))
    try:
        if not found and kind.check is not None:
            found = [f"{values.where}: {sentence}" for sentence in kind.check(values)]
        if not found:
            lowered(component, blueprint)
    except (FormulaError, EquationError) as error:
        text = str(error)
        found = [text if text.startswith(values.where) else f"{values.where}: {text}"]
    except KeyError:
        return []  # a joint it uses names a body or a point that does not exist, and is told so itself
    return found


def all_faults(blueprint: Blueprint) -> list[str]:
    """The faults of all components, events and loads; those of other parts are found by `mechanism.checks`."""
    uses_names = blueprint.components or blueprint.events or blueprint.forces
    known = known_quantities(blueprint) if uses_names else {}
    found = [sentence for component in blueprint.components for sentence in faults(component, blueprint, known)]
    if not found:
        with contextlib.suppress(KeyError):  # as in `faults`
            found += circles({component.name: lowered(component, blueprint) for component in blueprint.components})
    loads = (force for force in blueprint.forces if isinstance(force, PointForce | Torque))
    found += [sentence for load in loads for sentence in load_faults(load, known)]
    found += [sentence for joint in blueprint.joints for sentence in start_faults(joint)]
    return found + [sentence for event in blueprint.events for sentence in event_faults(event, blueprint, known)]


def channels(component: Component, blueprint: Blueprint) -> list[str]:
    """The names of what a component reports, `motor.current`; `motor.*` if it cannot be lowered."""
    try:
        low = lowered(component, blueprint)
    except Exception:  # noqa: BLE001  (a faulty component may fail anywhere; its faults are reported by `faults`)
        return [f"{component.name}.{ANY}"]
    names = [*(name for name, _, _ in low.states), *low.channels]
    return [f"{component.name}.{name}" for name in names]


def channel_formulas(blueprint: Blueprint) -> dict[str, Formula]:
    """Every channel of components and forces, over positions, velocities, reactions, states and parameters alone."""
    parts = (*blueprint.components, *(force for force in blueprint.forces if not isinstance(force, Component)))
    return written_out({part.name: lowered(part, blueprint) for part in parts})


def known_quantities(blueprint: Blueprint) -> dict[str, str]:
    """Every name a formula may use, with its kind."""
    results = [name for component in blueprint.components for name in channels(component, blueprint)]
    return quantities(blueprint, results)
