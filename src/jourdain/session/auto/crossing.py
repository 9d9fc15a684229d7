"""Singular positions on the way: where freedoms appear for a moment, an adaptive method crawls and may stop.

Near such a position accelerations carry noise that grows as the smallest singular value of J shrinks; error control
answers with ever shorter steps. A method that does not ask for errors walks through on the branch it is on: projected
rk4 with 1 ms holds the equal-link slider-crank to 2e-10 for 10 s. So `auto`, when its steps shrink and J is nearly
singular, takes short steps of rk4 until J is regular again, and says so. Where the machine is stiff, and rk4 unstable
with such steps, the run ends there: with shorter ones rk4 meets the noise of the position itself, as does radau.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...choices import Rk4
from ...engine.cold_start import compile_for
from ...engine.pose import Pose
from ...engine.row_independence import row_independence
from ...engine.time_loop import TimeLoop
from ...engine.written_memory import ANY, in_order
from ...kernels.layout import returned as st
from .stiffness import Takeover

Array = npt.NDArray[np.float64]

NEAR = 0.1  # sine of the smallest angle between a row of J and the others: below, a position is nearly singular
REACH = 4  # usual steps in which that value would vanish, or has come from nothing, if it is to be one
FAR = 0.15  # and above which it is left behind
SHORTER = 32  # times than the usual step of the adaptive method: rk4 is then far more accurate than needed
LONGEST = 2e-3  # s
CHUNK = 16  # steps between two looks
MOST_CHUNKS = 200
MOST_TOLD = 5  # crossings whose times are kept for the user


class Crossing:
    """Whether a loop is on its way through a singular position, and which it has passed."""

    def __init__(self, loop: TimeLoop, takeover: Takeover | None) -> None:
        self._loop, self._takeover = loop, takeover
        self.integrator = Rk4(LONGEST)
        self._active = False
        self.chunks = 0  # done
        self.looking = 0  # what the method that was left wanted to look at
        self.work = np.zeros((0, 0))
        self.times: list[float] = []  # at which nearly singular positions were entered, the first of them
        self.count = 0

    @property
    def active(self) -> bool:
        return self._active

    def begin(self) -> int:
        """Where the adaptive method began to crawl: from here on rk4, if the position is nearly singular."""
        loop = self._loop
        usual = loop.usual_step
        loop.usual_step = 0.0  # whatever happens, the next crawl is measured by steps yet to come
        if not is_ahead(loop, usual):
            return st.PAUSED
        step = min(usual / SHORTER, LONGEST)
        if self._takeover is not None and self._takeover.stable() < step:
            return st.STEP_TOO_SMALL
        self.count += 1
        if len(self.times) < MOST_TOLD:
            self.times.append(loop.t)
        self.enter(step)
        self.chunks = 0
        self.looking = loop.look_at
        loop.look_at = loop.tried + CHUNK
        loop.restart()
        return st.PAUSED

    def enter(self, step: float) -> None:
        """Memory and kernels of rk4 with that step."""
        loop = self._loop
        self.integrator = Rk4(step)
        with loop.not_counted():
            compile_for(loop.workspace.plan.with_(integrator=self.integrator))
        self._active = True
        work = loop.memory_of(self.integrator)
        if self.work.shape != work.shape:  # else it may be what a checkpoint brings
            self.work = work

    def look(self) -> int:
        """After each chunk: whether the position is left behind."""
        self.chunks += 1
        self._loop.look_at = self._loop.tried + CHUNK
        if self.chunks >= MOST_CHUNKS or not is_ahead(self._loop, SHORTER * self.integrator.step, FAR):
            self.leave()
        return st.PAUSED

    def leave(self) -> None:
        """Back to the adaptive method."""
        loop = self._loop
        loop.look_at = self.looking
        loop.restart()
        loop.next_step = 4 * self.integrator.step
        self._active = False

    def state(self) -> dict[str, Any]:
        """All that it knows, in plain numbers."""
        return {
            "step": self.integrator.step if self.active else 0.0,
            "chunks": self.chunks,
            "looking": self.looking,
            "times": list(self.times),
            "count": self.count,
        }

    def read(self, state: dict[str, Any], t: float) -> tuple[float, int, int, list[float], int]:
        """What somebody else wrote at t, if it can be. Raises ValueError."""
        step, count = float(state["step"]), int(state["count"])
        possible = 0.0 <= step <= LONGEST if self._loop.told_crawling else step == 0.0
        if isinstance(state["step"], bool) or not possible:
            raise ValueError(f"a singular position is crossed in steps of {state['step']!r} s")
        times, chunks, looking = list(state["times"]), int(state["chunks"]), int(state["looking"])
        if not in_order(times, t) or len(times) != min(count, MOST_TOLD) or (step > 0.0 and not count):
            raise ValueError("it tells of singular positions, and not when")
        if not (0 <= chunks <= MOST_CHUNKS and 0 <= looking < ANY):
            raise ValueError("it counts what cannot be")
        return step, chunks, looking, [float(at) for at in times], count

    def restore(self, read: tuple[float, int, int, list[float], int]) -> None:
        step, self.chunks, self.looking, self.times, self.count = read
        self._active = False
        if step > 0.0:
            self.enter(step)


def is_ahead(loop: TimeLoop, usual: float, far: float = NEAR) -> bool:
    """Whether steps crawl because of a singular position: at hand, or reached or left within a few usual steps.

    A machine may be as near to one all the time, as long rows of loops are, and crawl for a corner in a force.
    """
    here = nearness(loop)
    if here > far:
        return False
    little = usual / SHORTER
    v = loop.y[loop.workspace.model.layout.v]
    there = nearness(loop, Pose(loop.workspace.model, loop.workspace).retract(loop.y, little * v))
    return here < abs(there - here) / little * REACH * usual


def nearness(loop: TimeLoop, y: Array | None = None) -> float:
    """The sine of the smallest angle between a row of J and the others: 0 in a singular position."""
    workspace = loop.workspace
    found = row_independence(Pose(workspace.model, workspace), loop.t, loop.y if y is None else y)
    return found.least
