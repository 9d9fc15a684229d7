"""Actuator along a joint: spring, damper, motor and stops."""

from __future__ import annotations

from collections.abc import Iterator

from ...equations.lowered import DRIVEN, OWN_POTENTIAL, Effort, Lowered
from ...mechanism.fault import Fault
from .. import kinds as k
from .. import quantities as measured
from ..kinds import FORCES, Key, Kind, optional
from ..values import Values
from .laws import damper, dropped, one_sided, spring, total_effort


def _check(values: Values) -> Iterator[Fault]:
    if not values.has("stops"):
        for key in ("stop_stiffness", "stop_damping"):
            if values.has(key):
                yield values.fault(key, f"{key} does nothing without stops")
        return
    if not values.has("stop_stiffness"):
        yield values.fault("stops", "stops need stop_stiffness")
    low, high = values.raw("stops")
    if low is None and high is None:
        yield values.fault("stops", "stops is (None, None); expected at least one limit")
    elif low is not None and high is not None:
        a, b = (values.at_start(f) for f in values.numbers("stops"))
        if a >= b:
            yield values.fault("stops", f"stops are ({a}, {b}); expected the lower one first")


def _actuator(values: Values) -> Lowered:
    q = values.coordinate()
    preload = values.number("preload")
    efforts = [
        spring(q.along, values.number("stiffness"), values.number("free")),
        damper(q.along, values.number("damping")),
        Effort(q.along, preload, OWN_POTENTIAL, -(preload * q.along)),
        Effort(q.along, values.formula("motor"), DRIVEN),
    ]
    if values.has("stops"):
        stiffness, damping = values.number("stop_stiffness"), values.number("stop_damping")
        for limit, side in zip(values.raw("stops"), (-1.0, 1.0), strict=True):
            if limit is not None:
                efforts += one_sided(q.along, values.read(limit, "stops"), side, stiffness, damping)[0]
    name = "torque" if q.angular else "force"
    channels = {q.quantity: q.along, name: total_effort(tuple(efforts), q.along, q.rate)}
    return Lowered(efforts=dropped(tuple(efforts)), channels=channels)


ACTUATOR = Kind(
    "actuator",
    {
        "joint": Key(k.JOINT),
        "stiffness": optional(k.NOT_NEGATIVE, 0.0, unit="N/m or N m/rad"),
        "damping": optional(k.NOT_NEGATIVE, 0.0, unit="N s/m or N m s/rad"),
        "free": optional(k.NUMBER, 0.0, unit="m or rad", help="coordinate where the spring is free"),
        "preload": optional(k.NUMBER, 0.0, unit="N or N m", help="constant, positive: the coordinate grows"),
        "motor": optional(k.FORMULA, 0.0, unit="N or N m", help="positive: the coordinate grows"),
        "inputs": optional(k.NAMES, help="what a function `motor` takes, instead of t"),
        "stops": optional(k.NUMBER, size=2, unit="m or rad", help="lower and upper limit, or None"),
        "stop_stiffness": optional(k.POSITIVE, unit="N/m or N m/rad"),
        "stop_damping": optional(k.NOT_NEGATIVE, 0.0, unit="s/m or s/rad"),
    },
    _actuator,
    "a force or torque along a joint's coordinate: spring, damper, preload, motor and stops",
    FORCES,
    _check,
    measures={
        "angle": measured.ANGLE,
        "displacement": measured.POSITION,
        "torque": measured.MOMENT,
        "force": measured.FORCE,
    },
    example='m.actuator("leg", joint="A", motor="5*sin(t)", stops=(-1, 1), stop_stiffness=1e4)',
)
