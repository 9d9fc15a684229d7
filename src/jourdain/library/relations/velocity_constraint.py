"""Velocity constraint of one's own."""

from __future__ import annotations

import numpy as np

from ...equations.formula import Formula, leaf
from ...equations.lowered import Equation, Lowered
from ...mechanism.parts import Blueprint
from .. import kinds as k
from ..kinds import RELATIONS, Key, Kind
from ..levels import OF_VELOCITY
from ..values import Values
from .own_equations import HELD, OWN_KEYS, own, velocities

# Relative departure from linearity that rounding explains, in formulas of a few dozen operations.
LINEAR = 1e-9


def _velocity_constraint(values: Values) -> Lowered:
    f = own(values)
    if not velocities(values.blueprint, f):
        raise values.error("formula", "formula has no velocity in it; use an equation, which holds positions")
    linear = _linear(values.blueprint, f)
    return Lowered(
        equations=(Equation(f, "velocity constraint", velocity=True, linear=linear),),
        channels={"force": -leaf(("multiplier", 0))},
    )


def _linear(blueprint: Blueprint, f: Formula) -> bool:
    """Whether f is linear in its velocities: f(u + v) + f(0) = f(u) + f(v) at a few random places."""
    random = np.random.default_rng(0)
    keys, moving = f.quantities(), velocities(blueprint, f)
    for _ in range(5):
        here = {key: float(random.uniform(0.1, 2.0)) for key in keys}
        u, v = ({key: float(random.normal()) for key in moving} for _ in range(2))
        both = {key: u[key] + v[key] for key in moving}
        try:
            found = [f(1.3, {**here, **dict.fromkeys(moving, 0.0), **s}.__getitem__) for s in (both, {}, u, v)]
        except (ArithmeticError, ValueError):
            continue
        if abs(found[0] + found[1] - found[2] - found[3]) > LINEAR * max(1.0, *(abs(x) for x in found)):
            return False
    return True


VELOCITY_CONSTRAINT = Kind(
    "velocity-constraint",
    {"formula": Key(k.FORMULA, allowed=OF_VELOCITY, derivatives=True, rate=True), **OWN_KEYS},
    _velocity_constraint,
    "a velocity constraint of your own: formula = 0, over velocities, positions and t",
    RELATIONS,
    measures={"force": HELD},
    example='m.velocity_constraint("skate", formula="sled.vy*cos(sled.angle) - sled.vx*sin(sled.angle)")',
)
