"""Coupling: one joint coordinate as a function of another."""

from __future__ import annotations

from collections.abc import Iterator

from ...equations.formula import leaf
from ...equations.lowered import Equation, Lowered
from ...mechanism.fault import Fault
from .. import kinds as k
from ..kinds import RELATIONS, Key, Kind
from ..levels import OF_POSITION
from ..values import Values
from .own_equations import FROM_DRAWN
from .ratios import EXERTED


def _coupling(values: Values) -> Lowered:
    a, b = values.coordinates()
    f = values.smooth(values.formula("function", {"x": a.along}), "function")
    meaning = f"coupling of {values.raw('joints')[0]} and {values.raw('joints')[1]}"
    # What it exerts on the second joint; on the first it is minus that times the slope of the function.
    return Lowered(
        equations=(Equation(b.along - f, meaning, floating=values.raw("from_drawn")),),
        channels={"on_second": -leaf(("multiplier", 0))},
    )


def _coupling_check(values: Values) -> Iterator[Fault]:
    a, b = values.coordinates()
    if a.along == b.along:
        yield values.fault("joints", f"both joints are '{values.raw('joints')[0]}'; expected two different ones")


COUPLING = Kind(
    "coupling",
    {
        "joints": Key(k.JOINTS),
        "function": Key(k.FORMULA, local=("x",), allowed=OF_POSITION, derivatives=True),
        "from_drawn": FROM_DRAWN,
    },
    _coupling,
    "the coordinate of the second joint as a function of that of the first, x",
    RELATIONS,
    _coupling_check,
    measures=EXERTED,
    example='m.coupling("cam", joints=("A", "B"), function="0.1*(1 - cos(x))")',
)
