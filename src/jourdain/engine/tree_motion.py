"""Motion of a tree over time: the time loops of every other analysis, with the recursion for right-hand side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..choices.contract import Ability, able
from ..kernels.layout import fields as f
from ..mechanism.errors import ChoiceError, SimulationError
from .compiled_entries import address
from .compiled_entries import loop as compiled_loop
from .kernel_cache import load_kernels, load_recursion, recursion_entries
from .time_loop import LEAST_PAUSE, MAX_STEPS, PAUSE, PAUSE_TIMES_SIZE
from .tree_memory import TreeMemory
from .tree_plan import TreePlan

Array = npt.NDArray[np.float64]


def march(
    memory: TreeMemory,
    q: Array,
    v: Array,
    grid: Array,
    integrator: ch.Integrator,
    check: Callable[[float], None] | None = None,
) -> tuple[Array, Array]:
    """q and v at the times of the grid, in rows, from those at the first of them.

    `check` raises what users' functions have raised, if there are any.
    """
    if Ability.RATES not in integrator.abilities:
        explicit = ", ".join(able(ch.INTEGRATORS, Ability.RATES))
        raise ChoiceError(f"trees take explicit integrators so far: {explicit}; not {integrator}")
    k, model = load_kernels(), memory.model
    plan = TreePlan(model, integrator)
    held = _enter_loop(plan, memory)
    advance, numbers = compiled_loop(integrator.loops(plan)[ch.Loop.RUN]), integrator.tolerances(plan) or ()
    y = np.concatenate([q, v])
    samples = np.zeros((grid.size, y.size))
    clock = np.zeros(k.fixed_loop.T_LENGTH)
    counts = np.zeros(k.fixed_loop.C_LENGTH, dtype=np.int64)
    k.fixed_loop.begin_clock(clock, counts, grid[0])
    counts[k.fixed_loop.C_SAMPLE] = 1
    samples[0] = y
    pause = int(np.clip(PAUSE_TIMES_SIZE // max(model.nv, 1), LEAST_PAUSE, PAUSE))
    status = k.context.PAUSED
    while status == k.context.PAUSED:  # in pieces, so that the keyboard is heard
        rest = (clock, counts, pause, MAX_STEPS)
        if isinstance(integrator, ch.FixedStep):
            status = advance(memory.table, y, held["work"], grid, samples, integrator.step, *rest)
        else:
            status = advance(memory.table, y, grid, samples, *numbers, *rest)
        if check is not None:
            check(float(clock[k.fixed_loop.T_NOW]))
    if status != k.context.OK:
        raise SimulationError(_sentence(int(status), float(clock[k.fixed_loop.T_NOW])))
    q, v = np.hsplit(samples, [q.size])
    return q, v


def _enter_loop(plan: TreePlan, memory: TreeMemory) -> dict[str, Any]:
    """Entries and memory of the loop; the arrays returned must live as long as it runs."""
    model, integrator = plan.model, plan.integrator
    common, table = load_recursion(model.blueprint.space).common, memory.table
    rhs, after_step = recursion_entries(model.blueprint.space)
    table[f.H_COUNT + f.F_RHS], table[f.H_COUNT + f.F_AFTER_STEP] = rhs.address, after_step.address
    table[f.H_SLOPE] = f.F_RHS
    held = {"settings": np.zeros((f.SETTING_COUNT, 1)), "work": np.zeros((integrator.rows(plan), plan.sizes.y))}
    common.enter(table, f.SETTINGS, held["settings"])
    for entry in integrator.entries(plan):
        table[f.H_COUNT + getattr(f, f"F_{entry.slot}")] = address(entry)
    for field in integrator.memory(plan):
        held[field.name] = np.zeros(field.shape)
        common.enter(table, getattr(f, field.name), held[field.name])
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
