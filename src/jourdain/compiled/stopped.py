"""A model whose clock stands still: every formula takes t as a number that does not change.

Prescribed motions then hold their joints where they are at that time, with no velocity and no acceleration, and loads
keep their value. It is what equilibrium means for a mechanism that depends on time.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..mechanism.parts import Blueprint, Component
from .flat import FlatModel
from .kernels import load_kernels


def stopped_at(model: FlatModel, t: float) -> FlatModel:
    """The model with t, as a constant, in place of the time in its formulas."""
    k = load_kernels()
    tape, constants = (model.fields[key].copy() for key in (k.context.TAPE, k.context.CONSTANTS))
    clocks = np.flatnonzero(tape[:, 0] == k.tape.T)
    tape[clocks, 0] = k.tape.CONST
    constants[clocks, 0] = t
    return replace(model, fields={**model.fields, k.context.TAPE: tape, k.context.CONSTANTS: constants})


def depends_on_time(model: FlatModel) -> bool:
    """Whether t stands in any formula of the mechanism."""
    k = load_kernels()
    return bool(np.any(model.fields[k.context.TAPE][:, 0] == k.tape.T))


def without_speeds(blueprint: Blueprint) -> Blueprint:
    """Joints that a motion drives with a speed are held: a speed that stands still is none."""

    def held(motion: Component) -> Component:
        given = motion.values.get("speed") is not None
        return replace(motion, values={**motion.values, "speed": 0.0}) if given else motion

    return replace(blueprint, motions=tuple(held(motion) for motion in blueprint.motions))
