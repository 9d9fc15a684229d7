"""Runs once more in complex numbers, with the steps of the real run as constants: what comes of a seed.

The error control of a run decides its steps by comparing; the derivative of that is zero, or does not exist. So steps
are found first, in real numbers, and then kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...compiled import choices as ch
from ...compiled.flat import Workspace
from ...compiled.kernels import load_kernels
from ...mechanism.errors import SimulationError
from ..running.loop import Loop
from ..running.sentences import failure
from ..starting.prepare import Prepared
from .seeds import Seed

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Outcome:
    """States and what is reported with them, at times `t`, in complex numbers whose imaginary step is the seed's."""

    t: Array
    samples: Array
    out: Array


def complex_workspace(prepared: Prepared, choices: ch.Choices, seed: Seed | None) -> Workspace:
    """A workspace like the real one, in complex numbers, with the seed planted."""
    c = load_kernels().context
    treatment, loop = choices.treatment, choices.integrator.loop
    workspace = Workspace(
        prepared.model if seed is None else seed.model,
        np.complex128,
        stabilisation=str(treatment.stabilisation),
        integrator=loop,
        treatment=treatment.name,
    )
    settings = workspace[c.SETTINGS]
    settings[...] = prepared.workspace[c.SETTINGS]
    # Real parts that are closed say nothing of imaginary ones: Newton's method goes on until rounding stops it.
    for place in (c.S_CLOSED, c.S_EUCLIDEAN):
        settings[place] = -abs(settings[place])
    for flag in (c.H_EXPECTED_RANK, c.H_MOORE_PENROSE, c.H_BAUMGARTE):
        workspace.ctx[flag] = prepared.workspace.ctx[flag]
    if seed is not None:
        seed.plant(workspace)
    return workspace


def steps_of(prepared: Prepared, choices: ch.Choices, grid: Array) -> Array:
    """Ends of the steps that the run takes. Raises SimulationError where it cannot go on."""
    loop = Loop(prepared, choices, grid)
    fixed = loop.k.fixed_step
    loop.counts[fixed.C_WATCH] = loop.counts[fixed.C_STIFF] = 0  # no other method takes over
    loop.pause = 1
    ends: list[float] = []

    def look() -> None:
        if loop.t > (ends[-1] if ends else grid[0]):
            ends.append(loop.t)

    loop.on_look = look
    status = loop.run()
    if status is None:
        raise KeyboardInterrupt
    if status != loop.c.OK:
        raise SimulationError(failure(status, loop.t, prepared.model, loop.workspace, loop.y))
    return np.array(ends)


def follow(prepared: Prepared, choices: ch.Choices, seed: Seed, grid: Array, ends: Array) -> Outcome:
    """The run in complex numbers, through the same steps."""
    k = load_kernels()
    workspace = complex_workspace(prepared, choices, seed)
    y = seed.begin()
    check_status(k.system.project(workspace.ctx, grid[0], y), workspace, grid[0], y)
    samples = np.zeros((grid.size, y.size), dtype=complex)
    clock, counts = np.zeros(k.fixed_step.T_LENGTH), np.zeros(k.fixed_step.C_LENGTH, dtype=np.int64)
    method = choices.integrator
    if isinstance(method, ch.Adaptive):
        status = k.adaptive.follow(workspace.ctx, y, ends, grid, samples, clock, counts)
    else:
        codes = {"rk4": k.fixed_step.RK4, "rk6": k.fixed_step.RK6, "ab6": k.fixed_step.AB6}
        work = np.zeros((k.fixed_step.WORK_ROWS[codes[method.loop]], y.size), dtype=complex)
        run = getattr(k.fixed_step, f"follow_{method.loop}")
        status = run(workspace.ctx, y, work, grid, samples, method.step, clock, counts)
    check_status(status, workspace, float(clock[k.fixed_step.T_NOW]), y)
    return Outcome(grid, samples, outputs(workspace, grid, samples))


def outputs(workspace: Workspace, t: Array, samples: Array) -> Array:
    k = load_kernels()
    out = np.zeros((t.size, workspace.reported), dtype=complex)
    check_status(k.system.sample_outputs(workspace.ctx, t, samples, out), workspace, float(t[0]), samples[0])
    return out


def check_status(status: int, workspace: Workspace, t: float, y: Array) -> None:
    c = load_kernels().context
    if status not in (c.OK, c.RESTART):
        raise SimulationError(failure(status, t, workspace.model, workspace, y.real.copy()))


def closed(prepared: Prepared, choices: ch.Choices, seed: Seed, t: Array, samples: Array) -> Outcome:
    """States that the joint equations and motions decide by themselves: each closed again, in complex numbers.

    `samples` may be the closed states of any analysis of the same mechanism in the same coordinates.
    """
    k = load_kernels()
    workspace = complex_workspace(prepared, choices, seed)
    found = samples.astype(complex)
    for when, y in zip(t, found, strict=True):
        check_status(k.system.project(workspace.ctx, float(when), y), workspace, float(when), y)
    return Outcome(t, found, outputs(workspace, t, found))
