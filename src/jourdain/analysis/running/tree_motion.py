"""Motion of a tree over time: the time loops of every other analysis, with the recursion for right-hand side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ...compiled import choices as ch
from ...compiled.flat import compiled_entry
from ...compiled.integrators import ADAPTIVE
from ...compiled.kernels import load_kernels, load_recursion, recursion_entries
from ...compiled.tree import TreeModel
from ...mechanism.errors import ChoiceError, SimulationError
from .loop import LEAST_PAUSE, MAX_STEPS, PAUSE, PAUSE_TIMES_SIZE

Array = npt.NDArray[np.float64]

# Methods that need nothing but a right-hand side.
EXPLICIT = ("rk4", "rk6", "ab6", "dopri5", "dop853")


def march(
    model: TreeModel, y: Array, grid: Array, integrator: Any, check: Callable[[float], None] | None = None
) -> Array:
    """States [q | v] at the times of the grid, from y at the first of them; y ends as the last state.

    `check` raises what users' functions have raised, if there are any.
    """
    if integrator.name not in EXPLICIT:
        raise ChoiceError(f"trees take explicit integrators so far: {', '.join(EXPLICIT)}; not {integrator.name}")
    k = load_kernels()
    held = _enter_loop(model, integrator)
    samples = np.zeros((grid.size, y.size))
    clock = np.zeros(k.fixed_step.T_LENGTH)
    counts = np.zeros(k.fixed_step.C_LENGTH, dtype=np.int64)
    pause = int(np.clip(PAUSE_TIMES_SIZE // max(model.nv, 1), LEAST_PAUSE, PAUSE))
    status = k.context.PAUSED
    while status == k.context.PAUSED:  # in pieces, so that the keyboard is heard
        rest = (clock, counts, pause, MAX_STEPS)
        if integrator.name in ADAPTIVE:
            atol = integrator.rtol if integrator.atol is None else integrator.atol
            numbers = (k.method(integrator.name).ORDER, integrator.rtol, atol, integrator.max_step)
            status = k.adaptive.advance_plain(model.table, y, grid, samples, *numbers, *rest)
        else:
            advance = getattr(k.fixed_step, f"advance_{integrator.name}")
            status = advance(model.table, y, held["work"], grid, samples, integrator.step, *rest)
        if check is not None:
            check(float(clock[k.fixed_step.T_NOW]))
    if status != k.context.OK:
        raise SimulationError(_sentence(int(status), float(clock[k.fixed_step.T_NOW])))
    return samples


def _enter_loop(model: TreeModel, integrator: Any) -> dict[str, Any]:
    """Entries and memory of the loop; the arrays returned must live as long as it runs."""
    k = load_kernels()
    c, fixed = k.context, k.fixed_step
    common, table = load_recursion(model.blueprint.space).common, model.table
    rhs, after_step = recursion_entries(model.blueprint.space)
    table[c.H_COUNT + c.F_RHS], table[c.H_COUNT + c.F_AFTER_STEP] = rhs.address, after_step.address
    table[c.H_SLOPE] = c.F_RHS
    y = model.nq + model.nv
    held = {"settings": np.zeros((c.SETTING_COUNT, 1))}
    common.enter(table, c.SETTINGS, held["settings"])
    if integrator.name in ADAPTIVE:
        coordinates = ch.DEFAULT_COORDINATES[model.blueprint.space]  # the methods know nothing of them
        for function in (c.F_TRY, c.F_DENSE):
            entry = compiled_entry(model.blueprint.space, coordinates, function, "float64", integrator.name)
            table[c.H_COUNT + function] = entry.address
        rows = k.method(integrator.name).work_rows(y) + k.events.KEPT_ROWS
        held["work"] = np.zeros((int(rows), y))
        common.enter(table, c.METHOD_WORK, held["work"])
    else:
        codes = {"rk4": fixed.RK4, "rk6": fixed.RK6, "ab6": fixed.AB6}
        held["work"] = np.zeros((fixed.WORK_ROWS[codes[integrator.name]], y))
    return held


def _sentence(status: int, t: float) -> str:
    c = load_kernels().context
    reasons = {
        c.NOT_FINITE: "the motion is no longer finite; check the start, or shorten the step",
        c.STEP_TOO_SMALL: "the tolerance asks for steps below rounding",
        c.TOO_MANY_STEPS: "too many steps were taken",
        c.UNSTABLE: "ab6 is unstable with this step; shorten it, or use rk4 or dop853",
    }
    return f"stopped at t = {t:g} s: {reasons.get(status, f'the kernels returned status {status}')}"
