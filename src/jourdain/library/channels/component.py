"""Channels of components: relations, motions, forces and elements report under their names what they say themselves.

Their formulas are those of `Lowered.channels`, so here is only what they measure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...mechanism.parts import Blueprint
from ..levels import RESULT
from .definition import Channel
from .quantities import ANGLE, FORCE, LENGTH, MOMENT, POSITION, VELOCITY, Quantity

SAYS = "of a component"
# By name; what is not listed (states and outputs of elements) is a number with its own name.
QUANTITIES = {
    "length": LENGTH,
    "stretch": LENGTH,
    "depth": Quantity("depth", "m or rad"),
    "angle": ANGLE,
    "displacement": POSITION,
    "force": FORCE,
    "normal": FORCE,
    "torque": MOMENT,
    "power": Quantity("power", "W"),
    "current": Quantity("current", "A"),
    "voltage": Quantity("voltage", "V"),
    **dict.fromkeys(("on_first", "on_second"), Quantity("force or moment", "N or N m")),
    **dict.fromkeys(("x", "y", "z"), POSITION),
    **dict.fromkeys(("rx", "ry", "rz"), ANGLE),
    **dict.fromkeys(("fx", "fy", "fz"), FORCE),
    **dict.fromkeys(("mx", "my", "mz"), MOMENT),
    **dict.fromkeys(("p1", "p2"), Quantity("pressure", "Pa")),
    **dict.fromkeys(("v1", "v2"), Quantity("volume", "m³")),
    **dict.fromkeys(("flow1", "flow2"), Quantity("flow", "m³/s")),
}
# Types whose channels have whatever unit their inputs have.
WITHOUT_UNITS = ("element", "first-order", "second-order", "pi-controller")


def channels(blueprint: Blueprint, states: Iterable[tuple[str, str]], reports: Iterable[str]) -> Iterator[Channel]:
    """States of elements by owner and name, then what components report, by full name."""
    types = {component.name: component.type for component in blueprint.components}
    for owner, name in states:
        yield Channel(f"{owner}.{name}", RESULT, _quantity(types, owner, name), SAYS, kept=("state", owner, name))
    for report in reports:
        owner, _, name = report.partition(".")
        yield Channel(report, RESULT, _quantity(types, owner, name), SAYS, kept=("report", report))


def _quantity(types: dict[str, str], owner: str, name: str) -> Quantity:
    kind = types.get(owner, "")
    if kind == "spring" and name == "rate":
        return VELOCITY
    own = Quantity(name, "")
    return own if kind in WITHOUT_UNITS else QUANTITIES.get(name, own)
