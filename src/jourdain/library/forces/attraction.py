"""Attraction of two points that falls off with the square of their distance: masses, charges."""

from __future__ import annotations

from ...equations.lowered import OWN_POTENTIAL, Effort, Lowered
from .. import kinds as k
from .. import quantities as measured
from ..geometry import length
from ..kinds import FORCES, Key, Kind
from ..shared_keys import BETWEEN
from ..values import Values
from .laws import ALONG, total_effort


def _attraction(values: Values) -> Lowered:
    """A pull of k / l^2, with the potential -k / l."""
    distance, rate = length(values.blueprint, *values.ports())
    strength = values.number("strength")
    efforts = (Effort(distance, -(strength / (ALONG * ALONG)), OWN_POTENTIAL, -(strength / distance)),)
    return Lowered(efforts=efforts, channels={"length": distance, "force": -total_effort(efforts, distance, rate)})


ATTRACTION = Kind(
    "attraction",
    {
        "between": BETWEEN,
        "strength": Key(k.NUMBER, unit="N m^2", help="pull times length squared; negative: they repel each other"),
    },
    _attraction,
    "a pull between two points that falls off with the square of their distance",
    FORCES,
    measures={"length": measured.LENGTH, "force": measured.FORCE},
    example='m.attraction("pull", sun["O"], planet["O"], strength=2)',
)
