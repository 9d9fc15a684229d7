"""Questions that analyses ask of a compiled mechanism: what its formulas read, and what its forces depend on."""

from __future__ import annotations

import numpy as np

from ..kernels.layout import fields as f
from ..kernels.layout import tape_operations as operations
from .called_functions import PlainFunction
from .flat import FlatModel


def _operations(model: FlatModel) -> set[int]:
    return set(model.fields[f.TAPE][:, 0].tolist())


def depends_on_time(model: FlatModel) -> bool:
    """Whether t stands in any formula of the mechanism."""
    return operations.T in _operations(model)


def reads_parameter(model: FlatModel, name: str) -> bool:
    """Whether any formula reads this parameter; others were numbers when the mechanism was built."""
    tape = model.fields[f.TAPE]
    return bool(np.any((tape[:, 0] == operations.PARAMETER) & (tape[:, 1] == model.parameters[name])))


def has_jumps(model: FlatModel) -> bool:
    """Whether any formula has a sign, which jumps."""
    return operations.SIGN in _operations(model)


def has_kinks(model: FlatModel) -> bool:
    """Whether a force begins with a kink, or a formula has one."""
    return bool(_operations(model) & {operations.ABS, operations.MIN, operations.MAX}) or model.kinked


def calls_functions(model: FlatModel) -> bool:
    """Whether formulas call users' functions, compiled or not."""
    return len(model.fields[f.FUNCTIONS]) > 0


def calls_python(model: FlatModel) -> bool:
    """Whether any of these is a plain function of Python."""
    return any(isinstance(kept, PlainFunction) for kept in model.keepalive)


def has_events(model: FlatModel) -> bool:
    return len(model.fields[f.EVENTS]) > 0


def feeds_back(model: FlatModel) -> bool:
    """Whether forces depend on the reactions or accelerations that they cause."""
    return bool(model.flags["FEEDBACK"])


def rows_follow_states(model: FlatModel) -> bool:
    """Whether constraints depend on states of elements."""
    return bool(model.flags["MOTION_STATES"])
