"""Line load: a force per metre along a rod."""

from __future__ import annotations

from ...equations.formula import number
from ...equations.lowered import Load, Lowered
from .. import kinds as k
from .. import quantities as measured
from ..geometry import Vector, body_axes, combined
from ..kinds import FORCES, Key, Kind, optional
from ..shared_keys import INPUTS
from ..values import Values
from .rods import POINTS, ROD, rod, rod_check, summed


def _line_load(values: Values) -> Lowered:
    body, _, stations = rod(values)
    loads = []
    for s, weight, at in stations:
        vector: Vector = tuple(weight * f for f in values.formulas("vector", {"s": number(s)}))
        if values.raw("axes") == "body":
            vector = combined(vector, body_axes(values.blueprint, body))
        loads.append(Load(body, at, vector))
    return Lowered(loads=tuple(loads), channels=summed(loads))


LINE_LOAD = Kind(
    "line-load",
    {
        "between": ROD,
        "vector": Key(k.FORMULA, size="dim", unit="N/m", local=("s",), help="s runs from 0 to 1 along the rod"),
        "axes": optional(k.WORD, "fixed", words=("fixed", "body")),
        "points": POINTS,
        "inputs": INPUTS,
    },
    _line_load,
    "a force per metre along a rod",
    FORCES,
    rod_check,
    measures=measured.FORCES,
    example='m.line_load("snow", beam["A"], beam["B"], vector=(0, "-500*s"))',
)
