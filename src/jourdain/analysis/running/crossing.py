"""Singular positions on the way: where freedoms appear for a moment, an adaptive method crawls and may stop.

Near such a position accelerations carry noise that grows as the smallest singular value of J shrinks; error control
answers with ever shorter steps. A method that does not ask for errors walks through on the branch it is on: projected
rk4 with 1 ms holds the equal-link slider-crank to 2e-10 for 10 s. So `auto`, when its steps shrink and J is nearly
singular, takes short steps of rk4 until J is regular again, and says so. Where the machine is stiff, and rk4 unstable
with such steps, the run ends there: with shorter ones rk4 meets the noise of the position itself, as does radau.
"""

from __future__ import annotations

import time

import numpy as np

from ...compiled.cold_start import compile_for
from ...compiled.compile import MAX_DENSE_ROWS
from ...mechanism.errors import MechanismError
from ..starting.linear import Pose
from .loop import Loop

NEAR = 0.1  # singular value of the scaled J, relative to the largest, below which a position counts as nearly singular
FAR = 0.15  # and above which it is left behind
SHORTER = 32  # times than the usual step of the adaptive method: rk4 is then far more accurate than needed
LONGEST = 2e-3  # s
CHUNK = 16  # steps between two looks
MOST_CHUNKS = 200


def cross(loop: Loop) -> int:
    """Go on from where the adaptive method began to crawl; returns a status of the kernel."""
    fixed = loop.k.fixed_step
    usual = float(loop.clock[fixed.T_USUAL])
    loop.clock[fixed.T_USUAL] = 0.0  # whatever happens, the next crawl is measured by steps yet to come
    if nearness(loop) > NEAR:
        return int(loop.c.PAUSED)
    step = min(usual / SHORTER, LONGEST)
    if loop.stable() < step:
        return int(loop.c.STEP_TOO_SMALL)
    begun = time.perf_counter()
    compile_for(loop.workspace.model, "rk4")
    loop.compiling += time.perf_counter() - begun
    loop.crossings.append(loop.t)
    status = int(loop.c.PAUSED)
    loop.counts[fixed.C_RESTART] = 1
    work = np.zeros((fixed.WORK_ROWS[fixed.RK4], loop.y.size))
    for _ in range(MOST_CHUNKS):
        common = (loop.workspace.ctx, loop.y, work, loop.grid, loop.samples)
        status = int(fixed.advance_rk4(*common, step, loop.clock, loop.counts, CHUNK, 10**9))
        if status != loop.c.PAUSED or nearness(loop) > FAR:
            break
    loop.counts[fixed.C_RESTART] = 1
    loop.clock[fixed.T_STEP] = 4 * step
    return status


def nearness(loop: Loop) -> float:
    """Smallest singular value of the scaled J against the largest: 0 in a singular position."""
    model = loop.workspace.model
    if not model.rows:
        return 1.0
    if len(model.rows) > MAX_DENSE_ROWS:  # too large to look at; a lost rank is seen by the factorisation itself
        return 0.0 if loop.workspace.ctx[loop.c.H_RANK_LOSSES] else 1.0
    try:
        J = Pose(model, loop.workspace).scaled_jacobian(loop.t, loop.y)
    except MechanismError:  # something is not finite, a user's function failed: that is another matter
        return 1.0
    kept = [k for k, row in enumerate(model.rows) if not row.dropped]
    singular = np.linalg.svd(J[kept], compute_uv=False)
    return float(singular[-1] / singular[0])
