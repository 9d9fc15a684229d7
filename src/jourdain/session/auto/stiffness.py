"""Stiffness on the way: where strong dampers or stiff springs hold the steps of an explicit method short.

dop853 notices (see `watch_stiffness` in kernels/integrators/step_rows.py). `auto` then goes on with radau, an implicit
method, at the same tolerance, looks at it now and then, and takes dop853 again where that does better. It decides by
counts of steps, not by the clock and not by what is still to come, so that a run is the same every time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import choices as ch
from ...engine.time_loop import TimeLoop
from ...engine.written_memory import ANY, in_order
from ...kernels.layout import returned as st

WORTH = 300  # steps that stability held short: by then another method would have paid, whatever is still to come
LARGEST = 400  # numbers in a state: radau's matrices are dense
# Of dop853 (its kernel): step times largest eigenvalue at the border of stability, and what is suspicious.
BORDER, SUSPICIOUS_AT_ONE = 6.1, 15.0
LOOK = 100  # steps of radau between two looks
TIGHT = 1e-8  # tolerances from which on radau has seven stages, order 13, instead of five, order 9
EVALUATIONS = 12  # of a step of dop853
CALM = 0.5  # of what makes dop853 suspicious: step times largest eigenvalue below which it takes over again
MOST_TOLD = 4  # takeovers whose times are kept for the user


Known = tuple[bool, tuple[int, float], float, int, list[tuple[float, float | None]]]


class Takeover:
    """Changes the method of a loop that is free to do so."""

    changes_methods, at_times = True, False

    def __init__(self, loop: TimeLoop, explicit: ch.Adaptive) -> None:
        self._loop, self._explicit = loop, explicit
        self._stages = 7 if self._explicit.rtol <= TIGHT else 5
        self._seen = (0, 0.0)  # evaluations and time at the last look
        self._calm = CALM * min(BORDER, SUSPICIOUS_AT_ONE * explicit.rtol**0.125)
        self._cost = 0.0  # evaluations of dop853 a second of the motion, when its steps were held short
        self.spans: list[tuple[float, float | None]] = []  # times from and to which radau did the work, the first ones
        self.count = 0
        loop.tell_stiffness(WORTH if loop.y.size <= LARGEST else 0)

    @property
    def active(self) -> bool:
        return self._loop.integrator is not self._explicit

    def _implicit(self) -> ch.Radau:
        e = self._explicit
        return ch.Radau(e.rtol, e.atol, e.max_step, stages=self._stages, forces=True)

    def enter(self) -> None:
        """radau takes over."""
        self._loop.use(self._implicit())

    def begin(self) -> int:
        """Called when stability has held the steps of dop853 short for a while."""
        loop = self._loop
        loop.workspace.forget_stiffness()
        if self.active:  # noticed in another workspace, just before an event left it
            return st.PAUSED
        step = loop.next_step
        self.enter()
        self.count += 1
        if self.count <= MOST_TOLD:
            self.spans.append((loop.t, None))
        self._cost = EVALUATIONS / step
        self._seen = loop.spent.evaluations, loop.t
        loop.look_at = loop.tried + LOOK
        return st.PAUSED

    def look(self) -> int:
        """Called each LOOK steps of radau: whether dop853 would do better by now."""
        loop = self._loop
        loop.look_at = loop.tried + LOOK
        (count, t), (counted, before) = (loop.spent.evaluations, loop.t), self._seen
        self._seen = count, t
        dear = count - counted > self._cost * (t - before)
        if not dear and self._fastest() * loop.next_step > self._calm:
            return st.PAUSED
        if self.count <= MOST_TOLD:
            self.spans[-1] = self.spans[-1][0], t
        loop.use(self._explicit)
        loop.look_at = 0
        loop.tell_stiffness(0 if dear else WORTH)
        loop.next_step = 0.0
        return st.PAUSED

    def stable(self) -> float:
        """s: a step that an explicit method may take where radau is at work; the steps of dop853 tell by themselves."""
        return 1.0 / max(self._fastest(), 1e-300) if self.active else float(np.inf)

    def _fastest(self) -> float:
        """Largest eigenvalue of the Jacobian that radau has."""
        return self._loop.integrator.fastest(self._loop.workspace.plan, self._loop.workspace.method_work)

    def state(self) -> dict[str, Any]:
        """All that it knows, in plain numbers."""
        return {
            "active": self.active,
            "seen": list(self._seen),
            "cost": self._cost,
            "spans": [list(span) for span in self.spans],
            "count": self.count,
        }

    def read(self, state: dict[str, Any], t: float) -> Known:
        """What somebody else wrote at t, if it can be. Raises ValueError."""
        spans = [(float(s), None if e is None else float(e)) for s, e in state["spans"]]
        count, active = int(state["count"]), bool(state["active"])
        if len(spans) != min(count, MOST_TOLD) or (active and not count):
            raise ValueError("it tells of another method at work, and not when")
        told = [at for span in state["spans"] for at in span if at is not None]
        if not in_order(told, t) or any(end is None for _, end in spans[: -1 if active else None]):
            raise ValueError("it tells of another method at work at times that cannot be")
        evaluations, seen, cost = int(state["seen"][0]), float(state["seen"][1]), float(state["cost"])
        if not (0 <= evaluations < ANY and in_order([seen], t) and 0.0 <= cost < np.inf) or (active and not cost):
            raise ValueError("it counts what cannot be")
        return active, (evaluations, seen), cost, count, spans

    def restore(self, read: Known) -> None:
        active, self._seen, self._cost, self.count, self.spans = read
        if active and not self.active:
            self.enter()
        elif self.active and not active:
            self._loop.use(self._explicit)
