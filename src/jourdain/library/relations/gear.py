"""Gear pair."""

from __future__ import annotations

from collections.abc import Iterator

from ...equations.formula import Formula
from ...equations.lowered import Lowered
from ...mechanism.fault import Fault
from .. import kinds as k
from ..joints import ANGLE
from ..kinds import RELATIONS, Kind, optional
from ..values import Values, is_number
from .ratios import ANGLES, EXERTED, both, relation


def _gear_check(values: Values) -> Iterator[Fault]:
    yield from both(ANGLE)(values)
    if values.has("ratio") == values.has("teeth"):
        yield values.fault("teeth", "expected either ratio or teeth" + (", not both" if values.has("ratio") else ""))
    elif values.has("ratio") and values.start_of("ratio") == 0:
        words = "ratio is 0.0; expected the speed of the first joint over that of the second, not zero"
        yield values.fault("ratio", words)
    if values.has("ratio") and values.has("internal"):
        yield values.fault(
            "internal", "internal goes with teeth; the sign of ratio says it already (negative: external)"
        )
    for z in values.raw("teeth") or () if values.has("teeth") else ():
        if is_number(z) and z != round(z):
            yield values.fault("teeth", f"teeth are {values.raw('teeth')}; expected whole numbers")
            break


def _gear(values: Values) -> Lowered:
    """Transmission ratio i = speed of the driving over speed of the driven gear, negative if external (ISO 1122-1)."""
    a, b = values.coordinates()
    return relation(a, b, _ratio(values), "mesh of the teeth (phase of the assembled pose)")


def _ratio(values: Values) -> Formula:
    if not values.has("teeth"):
        return values.number("ratio")
    za, zb = values.numbers("teeth")
    return zb / za if values.raw("internal") else -(zb / za)


def _pitch_radii(values: Values, apart: float) -> tuple[float, ...]:
    """Of two gears at a distance; none where they are on one axis or make no pair of circles."""
    ratio = values.at_start(_ratio(values))
    size = abs(ratio)
    whole = 1 + size if ratio < 0 else abs(1 - size)
    if whole < 1e-9 or apart < 1e-9:
        return ()
    return apart / whole, size * apart / whole


GEAR = Kind(
    "gear",
    {
        "joints": ANGLES,
        "ratio": optional(k.NUMBER, help="speed of the first over speed of the second; negative: external"),
        "teeth": optional(k.POSITIVE, size=2, help="numbers of teeth of the first and the second gear"),
        "internal": optional(k.FLAG, False, help="with teeth: both turn the same way"),
    },
    _gear,
    "two joint angles in a fixed ratio",
    RELATIONS,
    _gear_check,
    wheels=_pitch_radii,
    measures=EXERTED,
    example='m.gear("G", joints=("A", "B"), teeth=(20, 60))',
)
