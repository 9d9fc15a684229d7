"""The library of components: every type with its keys, its faults, and how it is lowered.

    lowered(component, blueprint)   its equations, efforts, loads, couples, states and channels
    all_channels(blueprint)         everything that can be read of a mechanism, by name
    channel_formulas(blueprint)     every channel of components, with the channels it uses written out

What is wrong with a component, and with a mechanism, is found by `library.mechanism_faults`: lower only what has no
faults.
States are channels too (`motor.current`), without being repeated in `Lowered.channels`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..equations.formula import Formula
from ..equations.lowered import Lowered
from ..mechanism.parts import Blueprint, Component, Force
from ..mechanism.units import si_name
from . import elements, forces, motions, relations
from .channels import Channels
from .channels.known_names import ANY, Known
from .forces.parts_as_components import as_component
from .geometry import quantity_of, unit_along
from .kinds import Key, Kind
from .network import written_out
from .quantities import FORCE, MOMENT, Quantity
from .values import Values, is_function

__all__ = [
    "TYPES",
    "Key",
    "Kind",
    "all_channels",
    "channel_formulas",
    "channels",
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


def channels_of(component: Component, blueprint: Blueprint) -> list[str]:
    """The names of what a component reports, `motor.current`; `motor.*` if it cannot be lowered."""
    try:
        low = lowered(component, blueprint)
    except Exception:  # noqa: BLE001  (a faulty component may fail anywhere; its faults are reported by `library.mechanism_faults`)
        return [f"{component.name}.{ANY}"]
    names = [*(name for name, _, _ in low.states), *low.channels]
    return [f"{component.name}.{name}" for name in names]


def all_channels(blueprint: Blueprint) -> Channels:
    """What can be read of a mechanism without faults, by name."""
    parts = {component.name: lowered(component, blueprint) for component in blueprint.components}
    states = [(owner, name) for owner, low in parts.items() for name, _, _ in low.states]
    reports = [f"{owner}.{name}" for owner, low in parts.items() for name in low.channels]
    return channels_with(blueprint, states, reports)


def channels_with(blueprint: Blueprint, states: Iterable[tuple[str, str]], reports: Iterable[str]) -> Channels:
    """What can be read of a mechanism, where states and reports of its components are known already."""
    kinds = [(component, TYPES.get(component.type)) for component in blueprint.components]
    measured = {component.name: _measured(component, kind, blueprint) for component, kind in kinds if kind}
    return Channels(blueprint, states, reports, measured)


def _measured(component: Component, kind: Kind, blueprint: Blueprint) -> Mapping[str, Quantity]:
    """What the channels of a component measure: what is a force or a moment, its joint decides."""
    if written := component.values.get("units"):
        return {**kind.measures, **{name: Quantity(name, si_name(text)) for name, text in written.items()}}
    if not any(" or " in quantity.unit for quantity in kind.measures.values()):
        return kind.measures
    first, second = component.values.get("joints", (component.values.get("joint"),) * 2)
    joints = {name: str(second if name == "on_second" else first) for name in kind.measures}
    units = {name: unit_along(q.unit, quantity_of(blueprint, joints[name])) for name, q in kind.measures.items()}
    known = {quantity.unit: quantity for quantity in (FORCE, MOMENT)}
    return {name: known.get(units[name], Quantity(q.name, units[name])) for name, q in kind.measures.items()}


def channel_formulas(blueprint: Blueprint) -> dict[str, Formula]:
    """Every channel of components and forces, over positions, velocities, reactions, states and parameters alone."""
    parts = (*blueprint.components, *(force for force in blueprint.forces if not isinstance(force, Component)))
    return written_out({part.name: lowered(part, blueprint) for part in parts})


def known_quantities(blueprint: Blueprint) -> Mapping[str, str]:
    """Every name a formula may use, with its kind."""
    results = [name for component in blueprint.components for name in channels_of(component, blueprint)]
    return Known(blueprint, results)
