"""First order: a lag."""

from __future__ import annotations

from ...equations.lowered import Lowered
from .. import kinds as k
from ..kinds import ELEMENTS, Key, Kind, optional
from ..shared_keys import INPUTS_INSTEAD
from ..values import Values


def _first_order(values: Values) -> Lowered:
    """T y' + y = K u."""
    y = values.own("output")
    rate = (values.number("gain") * values.formula("input") - y) / values.number("time_constant")
    return Lowered(states=(("output", values.start_of("start"), rate),))


FIRST_ORDER = Kind(
    "first-order",
    {
        "input": Key(k.FORMULA),
        "time_constant": Key(k.POSITIVE, unit="s"),
        "gain": optional(k.NUMBER, 1.0),
        "start": optional(k.NUMBER, 0.0),
        "inputs": INPUTS_INSTEAD,
    },
    _first_order,
    "a lag: time_constant * output' + output = gain * input",
    ELEMENTS,
    example='m.first_order("filter", input="A.angle", time_constant=0.1)',
)
