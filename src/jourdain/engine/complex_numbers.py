"""Workspaces in complex numbers: their settings, the numbers of a model that carry derivatives, steps that are given.

Arrays in complex numbers whose imaginary part is `step` times their derivative go through the kernels, and what comes
out has `step` times its own derivative as imaginary part (analysis/sensitivities/seeds.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..choices import FixedStep, Loop
from ..kernels.layout import fields as f
from ..kernels.layout import loops
from ..model.flat import FlatModel
from .compiled_entries import COMPLEX, loop
from .plan import Plan
from .workspace import Workspace

Array = npt.NDArray[Any]


def imaginary_step(scale: float) -> float:
    """Of a number that is as large as `scale`: small enough to square to nothing."""
    return float(f.IMAGINARY * scale)


def unwatched(plan: Plan) -> Plan:
    """The plan without events and ends of tables: real runs watch for those, and complex ones follow such a run."""
    model = plan.model
    if not len(model.fields[f.EVENTS]):
        return plan
    fields = {**model.fields, f.EVENTS: model.fields[f.EVENTS][:0]}
    return plan.with_(model=replace(model, fields=fields, limits=()))


def complex_workspace(plan: Plan) -> Workspace:
    """A workspace in complex numbers.

    Real parts that are closed say nothing of imaginary ones: Newton's method goes on until rounding stops it.
    """
    workspace = Workspace(unwatched(plan), np.complex128)
    settings = workspace[f.SETTINGS]
    for place in (f.S_CLOSED, f.S_EUCLIDEAN):
        settings[place] = -abs(settings[place])
    return workspace


def with_parameters(model: FlatModel, workspace: Workspace) -> FlatModel:
    """The model with the parameters and phases of a workspace as its own."""
    return replace(model, fields={**model.fields, f.PARAMETERS: workspace[f.PARAMETERS].copy()})


def numbers_of(model: FlatModel) -> dict[int, Array]:
    """All arrays of numbers that may depend on the mechanism's."""
    return {key: array for key, array in model.fields.items() if array.dtype.kind == "f" and key != f.SETTINGS}


def plant(workspace: Workspace, values: Mapping[int, Array]) -> None:
    """Fill arrays of a complex workspace that are complex themselves."""
    for key, value in values.items():
        array = workspace[key]
        if np.iscomplexobj(array):
            array[...] = value


def follow(workspace: Workspace, y: Array, ends: Array, grid: Array) -> tuple[int, float, Array]:
    """A run with steps that end at `ends`, or of the method's own length: status, time reached, samples.

    y moves along.
    """
    plan, method = workspace.plan, workspace.plan.integrator
    run = loop(plan.loops[Loop.FOLLOW], COMPLEX)
    samples = np.zeros((grid.size, y.size), dtype=complex)
    clock, counts = np.zeros(loops.T_LENGTH), np.zeros(loops.C_LENGTH, dtype=np.int64)
    if isinstance(method, FixedStep):
        work = np.zeros((method.rows(plan), y.size), dtype=complex)
        status = run(workspace.ctx, y, work, grid, samples, method.step_up_to(float(grid[-1])), clock, counts)
    else:
        status = run(workspace.ctx, y, ends, grid, samples, clock, counts)
    return int(status), float(clock[loops.T_NOW]), samples
