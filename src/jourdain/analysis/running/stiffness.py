"""Stiffness on the way: where strong dampers or stiff springs hold the steps of an explicit method short.

dop853 notices (see `watch_stiffness` in kernels/adaptive.py). `auto` then goes on with radau, an implicit method, at
the same tolerance, looks at it now and then, and takes dop853 again where that does better. It decides by counts, not
by the clock, so that a run is the same every time.
"""

from __future__ import annotations

import time

import numpy as np

from ...compiled import choices as ch
from ...compiled.cold_start import compile_for
from .loop import Loop

WORTH = 3000  # steps of dop853 that lie ahead, below which changing is not worth it
LARGEST = 400  # numbers in a state: radau's matrices are dense
LOOK = 100  # steps of radau between two looks
TIGHT = 1e-8  # tolerances from which on radau has seven stages, order 13, instead of five, order 9
EVALUATIONS = 12  # of a step of dop853
CALM = 0.5  # of what makes dop853 suspicious: step times largest eigenvalue below which it takes over again


class Stiffness:
    """Changes the method of a loop that is free to do so."""

    def __init__(self, loop: Loop, explicit: ch.Adaptive) -> None:
        self._loop = loop
        self._explicit = explicit
        self._pause = loop.pause
        self._stages = 7 if explicit.rtol <= TIGHT else 5
        self._seen = (0, 0.0)  # evaluations and time at the last look
        self._looked = 0  # steps until then
        k = loop.k.method("dop853")
        self._calm = CALM * min(k.BORDER, k.SUSPICIOUS_AT_ONE * explicit.rtol**0.125)
        self._cost = 0.0  # evaluations of dop853 a second of the motion, when its steps were held short
        loop.on_stiff = self.take_over
        loop.on_pause = self.look
        loop.stable = self.stable

    def take_over(self) -> int:
        """Called when stability holds the steps of dop853 short."""
        loop, c, names = self._loop, self._loop.c, self._loop.k.fixed_step
        if loop.integrator is not self._explicit:  # noticed in another workspace, just before an event left it
            loop.workspace.ctx[c.H_STIFF] = 0
            return int(c.PAUSED)
        step = float(loop.clock[names.T_STEP])
        if (loop.grid[-1] - loop.t) / step < WORTH or loop.y.size > LARGEST:
            loop.counts[names.C_STIFF] = 0
            return int(c.PAUSED)
        e, begun = self._explicit, time.perf_counter()
        implicit = ch.Radau(e.rtol, e.atol, e.max_step, stages=self._stages, forces=True)
        compile_for(loop.workspace.model, implicit.loop)
        loop.compiling += time.perf_counter() - begun
        loop.workspace.ctx[c.H_STIFF] = 0
        loop.use(implicit)
        loop.pause = LOOK
        loop.takeovers.append((loop.t, None))
        self._cost = EVALUATIONS / step
        self._seen = self._count(), loop.t
        self._looked = self._tried()
        return int(c.PAUSED)

    def look(self) -> None:
        """Called at pauses and events: whether dop853 would do better by now, each LOOK steps of radau."""
        loop, names = self._loop, self._loop.k.fixed_step
        if loop.integrator is self._explicit or self._tried() - self._looked < LOOK:
            return
        self._looked = self._tried()
        (count, t), (counted, before) = (self._count(), loop.t), self._seen
        self._seen = count, t
        dear = count - counted > self._cost * (t - before)
        if not dear and self._fastest() * float(loop.clock[names.T_STEP]) > self._calm:
            return
        loop.takeovers[-1] = loop.takeovers[-1][0], t
        loop.use(self._explicit)
        loop.pause = self._pause
        loop.counts[names.C_STIFF] = 0 if dear else 1
        loop.clock[names.T_STEP] = 0.0

    def stable(self) -> float:
        """s: a step that an explicit method may take where radau is at work; the steps of dop853 tell by themselves."""
        if self._loop.integrator is self._explicit:
            return float(np.inf)
        return 1.0 / max(self._fastest(), 1e-300)

    def _tried(self) -> int:
        names = self._loop.k.fixed_step
        return int(self._loop.counts[names.C_STEPS] + self._loop.counts[names.C_REJECTED])

    def _count(self) -> int:
        """Evaluations until now, in all workspaces: an event may have exchanged them."""
        return sum(int(workspace.ctx[self._loop.c.H_EVALUATIONS]) for workspace in self._loop.workspaces)

    def _fastest(self) -> float:
        """Largest eigenvalue of the Jacobian that radau has."""
        loop = self._loop
        model = loop.workspace.model
        n = model.nq + model.nv + int(model.header[loop.c.H_STATES])
        radau = loop.k.method("radau")
        first = radau.W_STAGES + radau.GROUPS * self._stages
        unknowns = n + int(loop.workspace.ctx[loop.c.H_MULTIPLIERS])
        matrix = loop.workspace[loop.c.METHOD_WORK][first : first + unknowns, :unknowns]
        jacobian = matrix[:n, :n] + matrix[:n, n:] @ matrix[n:, :n]  # forces follow from the motion
        return float(np.max(np.abs(np.linalg.eigvals(jacobian)), initial=0.0))
