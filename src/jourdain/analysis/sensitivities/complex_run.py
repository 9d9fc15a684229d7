"""Runs once more in complex numbers, with the steps of the real run as constants: what comes of a seed.

The error control of a run decides its steps by comparing; the derivative of that is zero, or does not exist. So steps
are found first, in real numbers, and then kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import choices as ch
from ...assembly.prepare import Prepared
from ...assembly.sentences import failure
from ...engine import complex_numbers
from ...engine.complex_numbers import complex_workspace
from ...engine.pose import Pose
from ...engine.time_loop import TimeLoop
from ...kernels.layout.returned import OK, RESTART
from ...mechanism.errors import SimulationError
from .seeds import Seed

Array = npt.NDArray[Any]

SAME = 1e-8  # of the largest derivative so far: where half the steps change it by less, steps are short enough
SHORTEST = 1e-13  # s, or of the time


@dataclass(frozen=True)
class Followed:
    """States and what is reported with them, at times `t`, in complex numbers whose imaginary step is the seed's."""

    t: Array
    samples: Array
    out: Array


def complex_pose(prepared: Prepared, choices: ch.Choices, seed: Seed | None) -> Pose:
    """In a workspace like the real one, in complex numbers, with the seed planted."""
    plan = prepared.plan.with_(numbers={})
    workspace = complex_workspace(plan if seed is None else plan.with_(model=seed.model))
    if seed is not None:
        seed.plant(workspace)
    return Pose(workspace.model, workspace)


def steps_of(prepared: Prepared, choices: ch.Choices, grid: Array) -> Array:
    """Ends of the steps that the run takes. Raises SimulationError where it cannot go on."""
    loop = TimeLoop(prepared.workspace, choices.integrator, prepared.assembly.y, grid[0])
    loop.pause = 1
    ends: list[float] = []

    def look() -> None:
        last = ends[-1] if ends else grid[0]
        if loop.corner_before > last:
            ends.append(loop.corner_before)
        if loop.t > last:
            ends.append(loop.t)

    loop.on_look = look
    later = grid[1:]
    status = loop.go(later, np.zeros((later.size, loop.y.size)))
    if loop.ahead > loop.t:
        ends.append(loop.ahead)
    if status is None:
        raise KeyboardInterrupt
    if status != OK:
        raise SimulationError(failure(status, loop.t, prepared.model, loop.workspace, loop.y))
    return np.array(ends)


def follow_run(prepared: Prepared, choices: ch.Choices, seed: Seed, grid: Array, ends: Array) -> Followed:
    """The run in complex numbers, through the same steps."""
    pose = complex_pose(prepared, choices, seed)
    y = seed.begin()
    check_status(pose.project(grid[0], y), pose, grid[0], y)
    status, reached, samples = complex_numbers.follow(pose.workspace, y, ends, grid)
    check_status(status, pose, reached, y)
    return Followed(grid, samples, checked_outputs(pose, grid, samples))


def steps_at_corners(prepared: Prepared, choices: ch.Choices, seed: Seed, start: float, ends: Array) -> Array:
    """Steps so short where a force has a corner that halves of them give the same derivatives.

    A step that passes a kink has stages before it and behind it. Its end is right to the tolerance, also where one last
    stage is behind by next to nothing; but that stage has the whole derivative of the force behind.
    """
    pose = complex_pose(prepared, choices, seed)
    y = seed.begin()
    check_status(pose.project(start, y), pose, start, y)
    layout, t = prepared.model.layout, start
    blocks, found, waiting = (layout.q, layout.v), [], list(reversed(ends.tolist()))
    largest = np.full(len(blocks), 1e-300)
    while waiting:
        end = waiting.pop()
        middle = 0.5 * (t + end)
        whole, halves = y.copy(), y.copy()
        for state, steps in ((whole, [end]), (halves, [middle, end])):
            status, reached, _ = complex_numbers.follow(pose.workspace, state, np.array(steps), np.array([t]))
            check_status(status, pose, reached, state)
        size, off = (
            np.array([np.max(np.abs(part[block].imag), initial=0.0) for block in blocks])
            for part in (halves, halves - whole)
        )
        largest = np.maximum(largest, size)
        if np.any(off > SAME * largest) and end - t > SHORTEST * max(1.0, abs(end)):
            waiting += [end, middle]
            continue
        y, t = halves, end
        found += [middle, end]
    return np.array(found)


def checked_outputs(pose: Pose, t: Array, samples: Array) -> Array:
    status, out = pose.outputs(t, samples)
    check_status(status, pose, float(t[0]), samples[0])
    return out


def check_status(status: int, pose: Pose, t: float, y: Array) -> None:
    if status not in (OK, RESTART):
        raise SimulationError(failure(status, t, pose.model, pose.workspace, y.real.copy()))


def closed(prepared: Prepared, choices: ch.Choices, seed: Seed, t: Array, samples: Array) -> Followed:
    """States that the joint equations and motions decide by themselves: each closed again, in complex numbers.

    `samples` may be the closed states of any analysis of the same mechanism in the same coordinates.
    """
    pose = complex_pose(prepared, choices, seed)
    found = samples.astype(complex)
    for when, y in zip(t, found, strict=True):
        check_status(pose.project(float(when), y), pose, float(when), y)
    return Followed(t, found, checked_outputs(pose, t, found))
