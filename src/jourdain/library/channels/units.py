"""What a channel measures, for the labels of axes."""

from __future__ import annotations

from typing import NamedTuple

from ...mechanism.parts import Blueprint


class Quantity(NamedTuple):
    """A quantity and its unit; an empty unit means a plain number."""

    name: str
    unit: str

    @property
    def label(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit else self.name


POSITION = Quantity("position", "m")
ANGLE = Quantity("angle", "rad")
VELOCITY = Quantity("velocity", "m/s")
SPIN = Quantity("angular velocity", "rad/s")
ACCELERATION = Quantity("acceleration", "m/s²")
SPIN_RATE = Quantity("angular acceleration", "rad/s²")
FORCE = Quantity("force", "N")
MOMENT = Quantity("moment", "N m")
QUATERNION = Quantity("quaternion", "")
ENERGY = Quantity("energy", "J")
LENGTH = Quantity("length", "m")

_VIOLATION = {
    "position": Quantity("violation", "m or rad"),
    "velocity": Quantity("rate of violation", "m/s or rad/s"),
    "baumgarte": Quantity("stabilising part", ""),
}
_WHOLE = {
    "t": Quantity("t", "s"),
    "angle": ANGLE,
    "spin": SPIN,
    "displacement": POSITION,
    "length": LENGTH,
    "force": FORCE,
    "load": FORCE,
    "moment": MOMENT,
    "transmission": ANGLE,
}
_FIRST_LETTER = {
    "x": POSITION,
    "y": POSITION,
    "z": POSITION,
    "v": VELOCITY,
    "a": ACCELERATION,
    "w": SPIN,
    "q": QUATERNION,
    "f": FORCE,
    "m": MOMENT,
}
# Channels of components; what is not listed (states and outputs of elements) is a number with its own name.
_OF_COMPONENT = {
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
_WITHOUT_UNITS = ("element", "first-order", "second-order", "pi-controller")


def quantity(blueprint: Blueprint, channel: str) -> Quantity:
    """The quantity of a channel that exists."""
    if "/" in channel:
        over, under = (quantity(blueprint, part.strip()).unit for part in channel.split("/", 1))
        return Quantity("ratio", "" if over == under else f"({over or 1})/({under or 1})")
    owner, last = channel.partition(".")[0], channel.rpartition(".")[2]
    if owner == "energy":
        return ENERGY
    if owner == "violation":
        return _VIOLATION[last]
    component = next((c for c in blueprint.components if c.name == owner), None)
    if component is not None:
        known = {} if component.type in _WITHOUT_UNITS else _OF_COMPONENT
        known = {**known, "rate": VELOCITY} if component.type == "spring" else known
        return known.get(last, Quantity(last, ""))
    if last == "speed":
        slides = any(joint.name == owner and joint.type == "prismatic" for joint in blueprint.joints)
        return VELOCITY if slides else SPIN
    if last.endswith("_rate"):
        return SPIN_RATE
    return _WHOLE.get(last) or _FIRST_LETTER[last[0]]


def unnamed(channel: str) -> Quantity:
    """The quantity of a channel of which only the name is known, as in a CSV: energies, violations, else a number."""
    owner, last = channel.partition(".")[0], channel.rpartition(".")[2]
    if channel == "t":
        return _WHOLE["t"]
    if owner == "energy":
        return ENERGY
    if owner == "violation" and last in _VIOLATION:
        return _VIOLATION[last]
    return Quantity(last, "")
