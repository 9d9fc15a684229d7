"""Singular positions on the way: where freedoms appear for a moment, an adaptive method crawls, or takes a wrong turn.

Near such a position accelerations carry noise that grows as the smallest angle between rows of J shrinks. Error control
answers with ever shorter steps, and the nearer a step ends to the position the less its velocities are worth; a long
step over it may end on another branch. The motion itself is smooth there. So `auto`, when a row of J is about to vanish
or steps shrink on the way there, goes on without error control in steps of its own choice, by a part of the way that is
left, and over the position itself in a few short steps of rk4 that leave it as far from every evaluation as can be:
with many evaluations in a step, as of dop853, some would be too near, and count much. Joints are closed to the last
digit meanwhile, for a gap shows many times in what is nearly free.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.plan import Plan
from ...engine.pose import Pose
from ...engine.row_independence import row_independence
from ...engine.time_loop import TimeLoop
from ...engine.written_memory import ANY, in_order
from ...kernels.layout import returned as st
from ...mechanism.parts import Blueprint
from .branch_watch import BranchWatch, steps_away
from .row_choice import RowChoice
from .second_way import gone_again
from .stiffness import Takeover

Array = npt.NDArray[np.float64]

NEAR = 0.5  # sine of the smallest angle between a row of J and the others: below, a position may be at hand
REACH = 4  # usual steps in which that value would vanish, or has come from nothing, if it is to be one
FAR = 0.1  # and above which it is left behind, or so many
LEAVE = 2  # usual steps away
AWAY = 8  # usual steps away it is not reached
LONGEST, SHORTEST = 0.5, 0.0625  # of the usual step, which error control found for the whole machine
SINE = 5e-6  # in that value: a shorter step ends so near to the position that rounding shows
STABLE = 0.4  # of the usual step: where stability holds that of dop853 short, this of rk4 is stable too
SHARE = 0.4  # of the way to the position, or from it
BRINK = 3.0  # such shortest steps before it, rk4 takes over
QUARTER = 0.25  # of a step of rk4, in which the position lies: as far as can be from its evaluations, every half
MOST_STEPS = 100_000
LITTLE = 0.05  # of the way, by which its rate is found
MOST_LOOKS = 200
MOST_TOLD = 5  # crossings whose times are kept for the user

Known = tuple[float, bool, int, int, list[float], int]


class Crossing:
    """Whether a loop is on its way through a singular position, and which it has passed."""

    def __init__(self, loop: TimeLoop, takeover: Takeover | None, watch: BranchWatch | None, rows: RowChoice) -> None:
        """`watch`: it is not free to choose steps; who judges afterwards, then."""
        self._loop, self._takeover, self._watch, self._rows = loop, takeover, watch, rows
        self._active = False
        self._last = -np.inf  # s, where one began
        self.usual = 0.0  # s, a step of error control before
        self.looks = 0
        self.passed = False
        self.looking = 0  # what the loop wanted to look at before
        self.times: list[float] = []  # at which nearly singular positions were entered, the first of them
        self.count = 0

    @property
    def active(self) -> bool:
        return self._active

    def begin(self) -> int:
        """Where the adaptive method began to crawl: from here on in chosen steps, if a position is at hand."""
        loop = self._loop
        usual = loop.usual_step
        loop.usual_step = 0.0  # whatever happens, the next crawl is measured by steps yet to come
        if not is_ahead(loop, usual) or self._rows.renewed():
            return st.PAUSED
        return st.STEP_TOO_SMALL if loop.t <= self._last else self._enter(usual)

    def judge(self) -> int:
        """The step ahead may go through a position: once more from its start, if so, in chosen steps."""
        if self._watch is not None:
            return self._watch.told()
        loop = self._loop
        usual = loop.usual_step
        if loop.t <= self._last or not is_ahead(loop, usual) or self._rows.renewed():
            return st.PAUSED
        return self._enter(usual)

    def _enter(self, usual: float) -> int:
        """From where y stands, until the position is left behind."""
        loop = self._loop
        self._last, self._active = loop.t, True
        self.usual, self.looks, self.passed, self.looking = usual, 0, False, loop.look_at
        loop.begin_anew()
        loop.choose_steps(True)
        return self.look()

    def look(self) -> int:
        """What the next steps are, or that the position is left behind."""
        loop = self._loop
        self.looks += 1
        here, rate = approach(loop, self.usual)
        if rate >= 0.0:
            self._pass(loop.t)
        far = here > min(FAR, LEAVE * self.usual * abs(rate)) if self.passed else here > AWAY * self.usual * abs(rate)
        if self.looks >= MOST_LOOKS or far or (self.passed and rate < 0.0):
            self.leave()
            return st.PAUSED
        way = here / max(abs(rate), 1e-300)
        least = min(max(SHORTEST * self.usual, SINE / max(abs(rate), 1e-300)), STABLE * self.usual)
        if not self.passed and way < BRINK * least:
            if self._rows.renewed():  # no position of the machine
                self.leave()
                return st.PAUSED
            if (status := self._over(way, least)) is not None:
                return status
        loop.next_step = min(LONGEST * self.usual, max(least, SHARE * way))
        loop.look_at = loop.tried + 1
        return st.PAUSED

    def _pass(self, t: float) -> None:
        """The position is behind, since t."""
        if not self.passed:
            self.count += 1
            if len(self.times) < MOST_TOLD:
                self.times.append(t)
        self.passed = True

    def _over(self, way: float, least: float) -> int | None:
        """Over the position in steps of rk4; samples on the way lie on the curve through both ends, projected.

        Where all times that are asked for lie before the other side, the loop stays where it is, and goes over once
        more when later ones are asked for. None: it cannot be gone like this.
        """
        loop = self._loop
        if self._takeover is not None:
            least = min(least, self._takeover.stable())
        steps = max(1, round(way / least - QUARTER))
        step = way / (steps + QUARTER)
        count = 2 * steps + 1
        grid = np.asarray(loop.t + step * np.arange(1, count + 1), dtype=np.float64)
        end = float(grid[-1])
        if count > MOST_STEPS or end > loop.clock_until:
            return None
        plan = Plan.of(loop.workspace.model).with_(
            numbers=loop.workspace.numbers, redundant=loop.workspace.plan.redundant
        )
        states = gone_again(loop, plan, loop.t, loop.y, grid, count, sharp=True)
        if states is None:
            return None
        there = states[-1]
        self._fill(np.concatenate([[loop.t], grid]), np.concatenate([loop.y[None], states]))
        if loop.filled == loop.times.size and loop.times[-1] < end:
            self.looks -= 1
            loop.look_at = max(loop.tried, 1)
            return st.OK
        self._pass(loop.t + way)
        loop.begin_anew(end, there)
        loop.next_step = least
        loop.look_at = loop.tried + 1
        return st.PAUSED

    def _fill(self, grid: Array, states: Array) -> None:
        """Samples inside a grid of short steps, on curves of third order between them, each projected."""
        loop = self._loop
        model = loop.workspace.model
        pose = Pose(model, loop.workspace)
        for k in range(loop.filled, int(np.searchsorted(loop.times, grid[-1], side="right"))):
            t = float(loop.times[k])
            i = min(int(np.searchsorted(grid, t, side="right")) - 1, len(grid) - 2)
            h, ends = grid[i + 1] - grid[i], states[i : i + 2]
            x = (t - grid[i]) / h
            slopes = [pose.slope(float(grid[i + j]), ends[j])[1] for j in (0, 1)]
            chord = ends[1] - ends[0]
            bend = (1.0 - x) * (h * slopes[0] - chord) - x * (h * slopes[1] - chord)
            sample = loop.samples[k, : loop.y.size]
            sample[:] = ends[0] + x * chord + x * (1.0 - x) * bend
            pose.project(t, sample)
            loop.filled_up_to(k)
        pose.forget(whole=True)

    def leave(self) -> None:
        """Back to error control."""
        loop = self._loop
        loop.look_at = self.looking
        loop.choose_steps(False)
        loop.usual_step = self.usual
        self._active = False

    def state(self) -> dict[str, Any]:
        """All that it knows, in plain numbers."""
        return {
            "step": self.usual if self.active else 0.0,
            "looks": self.looks,
            "passed": self.passed,
            "looking": self.looking,
            "times": list(self.times),
            "count": self.count,
            "last": self._last if self._last > -np.inf else None,
        }

    def read(self, state: dict[str, Any], t: float) -> tuple[Known, float]:
        """What somebody else wrote at t, if it can be. Raises ValueError."""
        step, count = float(state["step"]), int(state["count"])
        possible = 0.0 <= step < np.inf if self._loop.told_crawling else step == 0.0
        if isinstance(state["step"], bool) or not possible:
            raise ValueError(f"a singular position was met in a step of {state['step']!r} s")
        times, looks, looking = list(state["times"]), int(state["looks"]), int(state["looking"])
        last = [] if state["last"] is None else [float(state["last"])]
        if not in_order(times, t) or len(times) != min(count, MOST_TOLD) or ((step > 0.0 or count) and not last):
            raise ValueError("it tells of singular positions, and not when")
        if not in_order(last, t):
            raise ValueError("it tells of a singular position at a time to come")
        if not (0 <= looks <= MOST_LOOKS and 0 <= looking < ANY):
            raise ValueError("it counts what cannot be")
        known = step, bool(state["passed"]), looks, looking, [float(at) for at in times], count
        return known, last[0] if last else -np.inf

    def restore(self, read: tuple[Known, float]) -> None:
        (step, self.passed, self.looks, self.looking, self.times, self.count), self._last = read
        self.usual, self._active = step, step > 0.0
        self._loop.choose_steps(self._active)


def has_loops(blueprint: Blueprint) -> bool:
    """Whether anything but joints of a tree constrains it: rows of a tree depend on each other nowhere."""
    if blueprint.motions or blueprint.relations or blueprint.events:
        return True
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while (above := parent.get(name, name)) != name:
            parent[name] = parent.get(above, above)
            name = above
        return name

    for joint in blueprint.joints:
        a, b = root(joint.first.body), root(joint.second.body)
        if a == b:
            return True
        parent[a] = b
    return False


def is_ahead(loop: TimeLoop, usual: float) -> bool:
    """Whether a singular position is at hand, or reached or left within a few usual steps.

    A machine may be as near to one all the time, as long rows of loops are, and crawl for a corner in a force.
    """
    here, rate = approach(loop, usual)
    return here < NEAR and here < abs(rate) * REACH * usual


def is_far(loop: TimeLoop) -> bool:
    """Whether no singular position is at hand in fixed steps; then it is to be looked again some steps later."""
    step = loop.clock_step
    later = steps_away(*approach(loop, step), step)
    loop.look_at = loop.tried + later if later else 0
    return later > 0


def approach(loop: TimeLoop, usual: float) -> tuple[float, float]:
    """The sine of the smallest angle between a row of J and the others, and its rate: both lead to zero and away."""
    workspace = loop.workspace
    pose = Pose(workspace.model, workspace)
    v = loop.y[workspace.model.layout.v]
    here = row_independence(pose, loop.t, loop.y).least
    little, rate = LITTLE * usual, 0.0
    for _ in range(8):
        there = row_independence(pose, loop.t, pose.retract(loop.y, little * v)).least
        rate = (there - here) / little
        if abs(there - here) < 2 * LITTLE * here:
            break
        little *= LITTLE * here / abs(there - here)
        if not little > 1e-12 * usual:
            break
    pose.forget(whole=True)
    return here, rate
