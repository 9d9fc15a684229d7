"""DC motor in a joint."""

from __future__ import annotations

from collections.abc import Iterator

from ...equations.formula import Formula
from ...equations.lowered import DRIVEN, Effort, Lowered
from ...mechanism.fault import Fault
from .. import kinds as k
from .. import quantities as measured
from ..geometry import ANGLE
from ..kinds import ELEMENTS, Key, Kind, optional
from ..values import Values


def _dc_motor(values: Values) -> Lowered:
    """L i' = V - R i - Ke w, torque K i, with w = gear * joint speed (Ogata, Modern Control Engineering, section 3-4).

    The torque on the joint is gear * K * i. Without inductance the current follows at once: i = (V - Ke w) / R.
    """
    q = values.coordinate()
    voltage, resistance, gear = values.formula("voltage"), values.number("resistance"), values.number("gear")
    constant = values.number("constant")
    back = values.number("back_emf") if values.has("back_emf") else constant
    emf = back * gear * q.rate
    states: tuple[tuple[str, float, Formula], ...] = ()
    channels: dict[str, Formula] = {}
    if values.start_of("inductance") > 0:
        current = values.own("current")
        rate = (voltage - resistance * current - emf) / values.number("inductance")
        states = (("current", values.start_of("start"), rate),)
    else:
        current = channels["current"] = (voltage - emf) / resistance
    torque = gear * constant * current
    channels |= {"voltage": voltage, "torque": torque, "power": voltage * current}
    return Lowered(efforts=(Effort(q.along, torque, DRIVEN),), states=states, channels=channels)


def _dc_motor_check(values: Values) -> Iterator[Fault]:
    if values.start_of("gear") == 0:
        yield values.fault("gear", "gear is 0.0; expected the speed of the motor over that of the joint, not zero")
    if values.has("start") and values.start_of("inductance") == 0:
        yield values.fault("start", "start does nothing without inductance: the current follows the voltage at once")


DC_MOTOR = Kind(
    "dc-motor",
    {
        "joint": Key(k.JOINT, coordinate=ANGLE),
        "voltage": Key(k.FORMULA, unit="V"),
        "resistance": Key(k.POSITIVE, unit="ohm"),
        "inductance": optional(k.NOT_NEGATIVE, 0.0, unit="H"),
        "constant": Key(k.POSITIVE, unit="N m/A", help="torque per current"),
        "back_emf": optional(k.NOT_NEGATIVE, unit="V s/rad", help="voltage per speed; by default the constant"),
        "gear": optional(k.NUMBER, 1.0, help="speed of the motor over speed of the joint"),
        "start": optional(k.NUMBER, 0.0, unit="A", help="current at the start"),
        "inputs": optional(k.NAMES, help="what a function `voltage` takes, instead of t"),
    },
    _dc_motor,
    "a motor with brushes in a joint; channels current, torque, voltage, power",
    ELEMENTS,
    _dc_motor_check,
    also_called=("motor",),
    measures={
        "current": measured.Quantity("current", "A"),
        "voltage": measured.Quantity("voltage", "V"),
        "torque": measured.MOMENT,
        "power": measured.POWER,
    },
    example='m.dc_motor("motor", joint="A", voltage=12, resistance=1, inductance=1e-3, constant=0.05)',
)
