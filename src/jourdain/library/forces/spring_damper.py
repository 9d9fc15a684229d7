"""Spring and damper between two points."""

from __future__ import annotations

from ...equations.lowered import Lowered
from .. import kinds as k
from .. import quantities as measured
from ..geometry import length
from ..kinds import FORCES, Key, Kind, LinkSymbol, optional
from ..values import Values
from .laws import damper, dropped, spring, total_effort


def _spring_damper(values: Values) -> Lowered:
    distance, rate = length(values.blueprint, *values.ports())
    efforts = (
        spring(distance, values.number("stiffness"), values.number("length")),
        damper(distance, values.number("damping")),
    )
    return Lowered(
        efforts=dropped(efforts), channels={"length": distance, "force": -total_effort(efforts, distance, rate)}
    )


SPRING_DAMPER = Kind(
    "spring-damper",
    {
        "between": Key(k.PORTS),
        "stiffness": optional(k.NUMBER, 0.0, unit="N/m"),
        "damping": optional(k.NUMBER, 0.0, unit="N s/m"),
        "length": optional(k.NOT_NEGATIVE, 0.0, unit="m", help="free length"),
    },
    _spring_damper,
    "a linear spring and damper between two points",
    FORCES,
    symbol=LinkSymbol.COIL,
    also_called=("damper", "dashpot"),
    measures={"length": measured.LENGTH, "force": measured.FORCE},
    example='m.spring_damper("S", a["P"], b["Q"], stiffness=200, damping=5, length=0.4)',
)
