"""What a user's own scalar equations share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...equations.formula import Formula, leaf, number
from ...equations.tracing import Place, trace
from ...mechanism.parts import GROUND, Blueprint, PortName
from .. import kinds as k
from ..channels.known_names import Known, level_of
from ..geometry import axis_of_ports, place
from ..kinds import optional
from ..levels import VELOCITY
from ..quantities import Quantity
from ..values import Values, is_function


def own(values: Values) -> Formula:
    """The formula of an equation: as written, or traced from a function of ports and inputs."""
    written = values.raw("formula")
    if not is_function(written):
        return values.smooth(values.formula("formula"), "formula")
    ports = tuple(values.raw("ports") or ())
    inputs = [values.read(text, "formula") for text in values.raw("inputs") or (() if ports else ("t",))]
    places = [_seen(values, ports, n) for n in range(len(ports))]
    found = trace(written, [*places, *inputs])
    if found.results is not None and len(found.results) == 1:
        return values.smooth(found.results[0], "formula")
    reason = found.reason or f"it returns {len(found.results or ())} numbers, not one"
    if values.component.type == "equation":  # it has no business with velocities
        places = [replace(place, velocity=None, spin=None) for place in places]
    return values.differentiated(written, [*places, *inputs], "formula", reason)


def _seen(values: Values, ports: tuple[PortName, ...], n: int) -> Place:
    """The n-th port as symbols; the axes of the first two are completed as for a joint between them."""
    blueprint, port = values.blueprint, ports[n]
    first, second = ports[:2] if len(ports) > 1 and n < 2 else (port, port)
    side = "j" if n == 1 else "i"
    axes = [axis_of_ports(blueprint, first, second, f"{name}_{side}") for name in "xyz"[: blueprint.dim]]
    channels = ("spin",) if blueprint.dim == 2 else ("wx", "wy", "wz")
    spin = [number(0.0) if port.body == GROUND else leaf(f"{port.body}.{c}") for c in channels]
    z = axes[2] if blueprint.dim == 3 else None
    turning = spin[0] if blueprint.dim == 2 else tuple(spin)
    return Place(place(blueprint, port), axes[0], axes[1], z, place(blueprint, port, 1), turning)


def velocities(blueprint: Blueprint, f: Formula) -> list[Any]:
    """The leaves of a formula that are velocities."""
    known = Known(blueprint)
    return [key for key in f.quantities() if level_of(key, known) == VELOCITY]


# What holding an equation takes, along its formula: joules for each unit of that.
HELD = Quantity("force along the formula", "")

OWN_KEYS = {
    "ports": optional(k.PLACES, help="what a function takes first: objects with position, x, y, z, velocity, spin"),
    "inputs": optional(k.NAMES, help="what a function takes next: channels, parameters or t"),
}


FROM_DRAWN = optional(k.FLAG, False, help="hold the value of the assembled pose instead of zero")
