"""Belt and two pulleys."""

from __future__ import annotations

from ...equations.lowered import Lowered
from .. import kinds as k
from ..joints import ANGLE
from ..kinds import RELATIONS, Key, Kind, optional
from ..values import Values
from .ratios import ANGLES, EXERTED, both, relation


def _belt(values: Values) -> Lowered:
    """No slip: both pulleys have the same belt speed, so that ra * speed a = +-rb * speed b."""
    a, b = values.coordinates()
    ra, rb = values.numbers("radii")
    ratio = rb / ra
    return relation(a, b, -ratio if values.raw("crossed") else ratio, "length of the belt (as assembled)")


BELT = Kind(
    "belt",
    {
        "joints": ANGLES,
        "radii": Key(k.POSITIVE, size=2, unit="m"),
        "crossed": optional(k.FLAG, False, help="the pulleys turn against each other"),
    },
    _belt,
    "two pulleys and a belt that does not slip",
    RELATIONS,
    both(ANGLE),
    wheels=lambda values, apart: tuple(values.at_start(radius) for radius in values.numbers("radii")),
    measures=EXERTED,
    example='m.belt("V", joints=("A", "B"), radii=(0.1, 0.3))',
)
