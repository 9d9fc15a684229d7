"""Quantities that channels measure, with their units: for labels of axes, tables and headers."""

from __future__ import annotations

from typing import NamedTuple


class Quantity(NamedTuple):
    """A quantity and its unit; an empty unit means a plain number."""

    name: str
    unit: str

    @property
    def label(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit else self.name


TIME = Quantity("t", "s")
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
POWER = Quantity("power", "W")
FORCES = dict.fromkeys(("fx", "fy", "fz"), FORCE)  # channels by name, in fixed axes
MOMENTS = dict.fromkeys(("mx", "my", "mz"), MOMENT)


def ratio(over: Quantity, under: Quantity) -> Quantity:
    """Of one channel over another."""
    return Quantity("ratio", "" if over.unit == under.unit else f"({over.unit or 1})/({under.unit or 1})")
