"""Equation of one's own, over positions and t."""

from __future__ import annotations

from ...equations.formula import leaf
from ...equations.lowered import Equation, Lowered
from .. import kinds as k
from ..kinds import RELATIONS, Key, Kind
from ..levels import OF_POSITION
from ..values import Values
from .own_equations import FROM_DRAWN, HELD, OWN_KEYS, own, velocities


def _equation(values: Values) -> Lowered:
    f = own(values)
    for key in velocities(values.blueprint, f):
        shown = f"velocity of {key[1]}" if isinstance(key, tuple) else str(key)
        raise values.error("formula", f"formula: '{shown}' is a velocity; use a velocity-constraint")
    return Lowered(
        equations=(Equation(f, "equation", floating=values.raw("from_drawn")),),
        channels={"force": -leaf(("multiplier", 0))},
    )


EQUATION = Kind(
    "equation",
    {
        "formula": Key(k.FORMULA, allowed=OF_POSITION, derivatives=True),
        **OWN_KEYS,
        "from_drawn": FROM_DRAWN,
    },
    _equation,
    "an equation of your own: formula = 0, over positions and t",
    RELATIONS,
    measures={"force": HELD},
    example='m.equation("E", formula="crank.angle - 2*rod.angle")',
)
