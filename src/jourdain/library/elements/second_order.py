"""Second order: an oscillator."""

from __future__ import annotations

from ...equations.lowered import Lowered
from .. import kinds as k
from ..kinds import ELEMENTS, Key, Kind, optional
from ..shared_keys import INPUTS_INSTEAD
from ..values import Values


def _second_order(values: Values) -> Lowered:
    """y'' + 2 zeta w y' + w^2 y = K w^2 u."""
    y, v = values.own("output"), values.own("rate")
    w, zeta = values.number("frequency"), values.number("damping_ratio")
    target = values.number("gain") * values.formula("input")
    acceleration = w * w * (target - y) - 2.0 * zeta * w * v
    return Lowered(states=(("output", values.start_of("start"), v), ("rate", 0.0, acceleration)))


SECOND_ORDER = Kind(
    "second-order",
    {
        "input": Key(k.FORMULA),
        "frequency": Key(k.POSITIVE, unit="rad/s"),
        "damping_ratio": Key(k.NOT_NEGATIVE),
        "gain": optional(k.NUMBER, 1.0),
        "start": optional(k.NUMBER, 0.0),
        "inputs": INPUTS_INSTEAD,
    },
    _second_order,
    "an oscillator driven by its input",
    ELEMENTS,
    example='m.second_order("servo", input="sin(t)", frequency=60, damping_ratio=0.7)',
)
