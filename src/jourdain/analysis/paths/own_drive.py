"""What a mechanism itself says of a drive: the speed of its own motion, and where its driven joint is drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...engine.pose import Pose
from ...equations.formula import FormulaError
from ...equations.vectors import EquationError
from ...library.values import constant
from ...mechanism.parts import GROUND, Blueprint
from ...model.compile import compile_mechanism
from ...model.states import to_vector
from .driving import Asked, driven

TIMES = (0.0, 0.37, 1.0, 2.71)  # s: at which a motion over time is asked whether it is steady
STEADY = 1e-9  # of the speed


def own_rate(blueprint: Blueprint, asked: Asked) -> float | None:
    """rad/s or m/s of the motion that is driven anew, if it has one speed."""
    motion = next((motion for motion in blueprint.motions if motion.name == asked.name), None)
    if motion is None:
        return None
    speed = motion.values.get("speed")
    try:
        if speed is not None:
            found = [_at(blueprint, speed, t) for t in TIMES]
        else:
            places = [_at(blueprint, motion.values.get(asked.quantity), t) for t in TIMES]
            found = [(p - places[0]) / t for p, t in zip(places[1:], TIMES[1:], strict=True)]
    except (FormulaError, EquationError, LookupError, TypeError, ValueError, ArithmeticError):
        return None
    rate = found[0]
    steady = all(math.isfinite(r) and abs(r - rate) <= STEADY * abs(rate) for r in found)
    return rate if steady and rate != 0.0 else None


def _at(blueprint: Blueprint, value: Any, t: float) -> float:
    if not isinstance(value, str | int | float):
        raise TypeError(f"{value!r} is no formula")
    return float(constant(value)(t, blueprint.parameters.__getitem__))


def drawn_value(blueprint: Blueprint, asked: Asked, assembled: Mapping[str, Any]) -> float | None:
    """The coordinate of the driven joint as its bodies are written; None where they are not written whole."""
    if asked.point is not None:
        return None
    joint = blueprint.joint(asked.joint)
    bodies = [blueprint.body(p.body) for p in (joint.first, joint.second) if p.body != GROUND]
    placed = all(body.attitude is not None and (asked.angular or body.position is not None) for body in bodies)
    if not placed or (blueprint.dim == 3 and any(not isinstance(body.attitude, tuple) for body in bodies)):
        return None
    written = dict(assembled)
    for body in bodies:
        kept = written[body.name]
        written[body.name] = replace(kept, attitude=body.attitude, position=body.position or kept.position)
    return value_at(driven(blueprint, asked, 0.0, 1.0), written, asked)


def value_at(blueprint: Blueprint, state: Mapping[str, Any], asked: Asked, coordinates: Any = None) -> float:
    """The coordinate at a state: what the row of its motion lacks at t = 0."""
    model = compile_mechanism(blueprint, coordinates)
    residual = Pose(model).residual(0.0, to_vector(model, state))
    return float(next(r for row, r in zip(model.rows, residual, strict=True) if row.joint == asked.name))
