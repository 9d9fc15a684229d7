"""A model whose clock stands still: every formula takes t as a number that does not change.

Prescribed motions then hold their joints where they are at that time, with no velocity and no acceleration, and loads
keep their value. It is what equilibrium means for a mechanism that depends on time.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..kernels.layout import fields as f
from ..kernels.layout import tape_operations as operations
from ..mechanism.parts import Blueprint, Component
from .flat import FlatModel
from .frozen_arrays import frozen_arrays


def stopped_at(model: FlatModel, t: float) -> FlatModel:
    """The model with t, as a constant, in place of the time in its formulas."""
    tape, constants = (model.fields[key].copy() for key in (f.TAPE, f.CONSTANTS))
    clocks = np.flatnonzero(tape[:, 0] == operations.T)
    tape[clocks, 0] = operations.CONST
    constants[clocks, 0] = t
    fields = {**model.fields, f.TAPE: tape, f.CONSTANTS: constants}
    return replace(model, fields=frozen_arrays(fields))


def table_ends(model: FlatModel) -> tuple[float, ...]:
    """s: where tables over time end. Nobody wrote what is meant beyond, so no step looks over an end before it must."""
    tape = model.fields[f.TAPE]
    used = [n for n in np.flatnonzero(tape[:, 0] == operations.TABLE_OF) if tape[tape[n, 1], 0] == operations.T]
    tables, values = model.fields[f.TABLES], model.fields[f.TABLE][:, 0]
    return tuple(sorted({float(values[tables[tape[n, 2], 0] + tables[tape[n, 2], 1]]) for n in used}))


def without_speeds(blueprint: Blueprint) -> Blueprint:
    """Joints that a motion drives with a speed are held: a speed that stands still is none."""

    def held(motion: Component) -> Component:
        given = motion.values.get("speed") is not None
        return replace(motion, values={**motion.values, "speed": 0.0}) if given else motion

    return replace(blueprint, motions=tuple(held(motion) for motion in blueprint.motions))
