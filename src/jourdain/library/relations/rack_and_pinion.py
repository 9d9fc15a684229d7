"""Rack and pinion."""

from __future__ import annotations

from ...equations.lowered import Lowered
from .. import kinds as k
from ..kinds import RELATIONS, Key, Kind
from ..values import Values
from .ratios import TURN_AND_SLIDE, not_zero, relation, swapped, turn_and_slide


def _rack(values: Values) -> Lowered:
    turn, slide = turn_and_slide(values)
    phase = "mesh of rack and pinion (phase of the assembled pose)"
    return swapped(relation(slide, turn, values.number("radius"), phase))


RACK_AND_PINION = Kind(
    "rack-and-pinion",
    {"joints": Key(k.JOINTS, help="the pinion's joint, the rack's"), "radius": Key(k.NUMBER, unit="m")},
    _rack,
    "displacement of a rack = radius times angle of a pinion",
    RELATIONS,
    not_zero("radius"),
    wheels=lambda values, apart: (abs(values.start_of("radius")),),
    measures=TURN_AND_SLIDE,
    example='m.rack_and_pinion("R", joints=("A", "B"), radius=0.05)',
)
