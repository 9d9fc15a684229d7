"""Rope: pulls, never pushes."""

from __future__ import annotations

from ...equations.lowered import Lowered
from .. import kinds as k
from .. import quantities as measured
from ..geometry import length
from ..kinds import FORCES, Key, Kind, LinkSymbol, optional
from ..shared_keys import BETWEEN, CONTACT_DAMPING
from ..values import Values
from .laws import here, one_sided


def _rope(values: Values) -> Lowered:
    distance, rate = length(values.blueprint, *values.ports())
    free = values.number("length")
    efforts, (depth, pull) = one_sided(distance, free, 1.0, values.number("stiffness"), values.number("damping"))
    channels = {"length": distance, "stretch": here(depth, distance, rate), "force": here(pull, distance, rate)}
    return Lowered(efforts=efforts, channels=channels)


ROPE = Kind(
    "rope",
    {
        "between": BETWEEN,
        "length": Key(k.NOT_NEGATIVE, unit="m"),
        "stiffness": Key(k.POSITIVE, unit="N/m"),
        "damping": optional(k.NOT_NEGATIVE, 0.0, unit="s/m", help=CONTACT_DAMPING),
    },
    _rope,
    "pulls when longer than its length, never pushes",
    FORCES,
    symbol=LinkSymbol.ROPE,
    also_called=("cable", "string"),
    measures={"length": measured.LENGTH, "stretch": measured.LENGTH, "force": measured.FORCE},
    example='m.rope("cable", crane["top"], load["eye"], length=4, stiffness=1e5)',
)
