"""Torsion spring and damper, along the angle of a joint."""

from __future__ import annotations

from ...equations.lowered import Lowered
from .. import kinds as k
from .. import quantities as measured
from ..geometry import ANGLE
from ..kinds import FORCES, Key, Kind, optional
from ..values import Values
from .laws import damper, dropped, spring, total_effort


def _torsion(values: Values) -> Lowered:
    q = values.coordinate()
    efforts = (
        spring(q.along, values.number("stiffness"), values.number("angle")),
        damper(q.along, values.number("damping")),
    )
    channels = {"angle": q.along, "torque": total_effort(efforts, q.along, q.rate)}
    return Lowered(efforts=dropped(efforts), channels=channels)


TORSION_SPRING_DAMPER = Kind(
    "torsion-spring-damper",
    {
        "joint": Key(k.JOINT, coordinate=ANGLE),
        "stiffness": optional(k.NOT_NEGATIVE, 0.0, unit="N m/rad"),
        "damping": optional(k.NOT_NEGATIVE, 0.0, unit="N m s/rad"),
        "angle": optional(k.NUMBER, 0.0, unit="rad", help="free angle"),
    },
    _torsion,
    "a torque in a joint that follows its angle and speed; torque: on the second body",
    FORCES,
    measures={"angle": measured.ANGLE, "torque": measured.MOMENT},
    example='m.torsion_spring_damper("hinge", joint="A", stiffness=20, damping=0.1, angle=0.5)',
)
