"""Screw: the displacement of one joint follows the angle of another."""

from __future__ import annotations

import numpy as np

from ...equations.lowered import Lowered
from .. import kinds as k
from ..kinds import RELATIONS, Key, Kind
from ..values import Values
from .ratios import TURN_AND_SLIDE, not_zero, relation, swapped, turn_and_slide


def _screw(values: Values) -> Lowered:
    turn, slide = turn_and_slide(values)
    advance = values.number("pitch") / (2.0 * np.pi)
    return swapped(relation(slide, turn, advance, "thread (phase of the assembled pose)"))


SCREW = Kind(
    "screw",
    {"joints": Key(k.JOINTS, help="the turning joint, the sliding one"), "pitch": Key(k.NUMBER, unit="m/turn")},
    _screw,
    "displacement = pitch times turns; negative pitch: left-handed",
    RELATIONS,
    not_zero("pitch"),
    measures=TURN_AND_SLIDE,
    example='m.screw("S", joints=("A", "B"), pitch=0.002)',
)
