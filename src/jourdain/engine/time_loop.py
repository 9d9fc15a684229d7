"""The time loop as Python sees it: called in pieces, so that the keyboard is heard, and where somebody has to decide.

All that a later step reads is in `y`, `clock`, `counts`, `work` and the workspace; what the parts know (events,
crossing, stiffness) is in small states of their own. So a loop can be paused, looked at, written down and gone on with
at any time without a difference in the last bit.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..choices.contract import Tolerances
from ..kernels.layout import fields as f
from ..kernels.layout import loops
from ..kernels.layout import returned as st
from ..model.event_waves import event_waves
from ..model.stopped_clock import table_ends
from ..model.time_corners import BESIDE, around
from ..model.time_marks import ClockFunctions, clock_functions, stretch_of
from .cold_start import compile_for
from .compiled_entries import loop as compiled_loop
from .counts import Counts
from .pose import Pose
from .workspace import Workspace

Array = npt.NDArray[np.float64]

MAX_STEPS = 10**15
NOTHING_ASKED = np.zeros((0, 0))
# Steps between two looks at the clock and the keyboard: some tenths of a second at most, while the way back to Python
# costs microseconds.
PAUSE = 1000
LEAST_PAUSE = 8
PAUSE_TIMES_SIZE = 20_000  # steps times velocities
# What a loop goes on after, if nobody says otherwise.
GOING_ON = (st.PAUSED, st.EVENT, st.CRAWLING, st.STIFF, st.LOOK, st.UNTIL, st.WANTS_EXACT, st.PASSING_BY)


class Helper(Protocol):
    """What a loop asks where its method needs help: see session/auto."""

    @property
    def changes_methods(self) -> bool: ...
    @property
    def at_times(self) -> bool: ...  # whether it looks or not depends on where the loop was
    @property
    def active(self) -> bool: ...
    def begin(self) -> int: ...
    def look(self) -> int: ...


class CrossingSteps(Protocol):
    """Chosen steps through a singular position."""

    @property
    def active(self) -> bool: ...
    def begin(self) -> int: ...
    def look(self) -> int: ...

    usual: float  # s, a step of error control before

    def leave(self) -> None: ...
    def judge(self) -> int: ...


class TimeLoop:
    """Runs on from where it is through any times that are asked for."""

    def __init__(self, workspace: Workspace, integrator: ch.Integrator, y: Array, t: float) -> None:
        self.workspace = workspace  # an event may exchange it
        self.integrator = integrator
        self.y = y.copy()
        self.clock = np.zeros(loops.T_LENGTH)
        self.counts = np.zeros(loops.C_LENGTH, dtype=np.int64)
        loops.begin_clock(self.clock, self.counts, t)
        self.times = self.samples = NOTHING_ASKED  # for just now; a checkpoint brings another `filled`
        self.until = np.inf  # s, beyond which nothing is evaluated
        self._failed: int | None = None  # where something beyond the times asked for could not be evaluated
        self.seconds = 0.0
        self.compiling = 0.0  # seconds that are not counted
        self.exact_from: float | None = None  # s, when the exact iteration matrix took over
        self.crossing: CrossingSteps | None = None
        self.takeover: Helper | None = None
        self.headway: Callable[[], int | None] = lambda: None  # a status with which to stop, if any
        self.on_event: Callable[[float, tuple[int, ...]], bool] = lambda t, fired: True
        self.on_look: Callable[[], None] = lambda: None
        self._ends = table_ends(workspace.model)
        self._of_time = clock_functions(workspace.model)
        self._waves = event_waves(workspace.model)
        # Of a stretch of time, with some parameters: where steps end, and how long they may be.
        self._marks: tuple[Any, list[float], float] = None, [], np.inf
        self._stops: list[float] = []
        self._corners: dict[float, float] = {}  # those among them where steps end before a corner, and where they go on
        self._refusing = [limit for limit in workspace.model.limits if limit.of_time]
        self.left_table = ""  # why it stopped at the end of a table
        self.corner_before = -np.inf  # s, where the last step up to a corner ended
        self.look_over_ends()
        self.pause = int(np.clip(PAUSE_TIMES_SIZE // max(workspace.model.nv, 1), LEAST_PAUSE, PAUSE))
        self.work = self.memory_of(integrator)
        self._loaded = False
        self.unfinished = np.nan  # the time that a fixed step was on its way to
        self.spent_before = np.zeros(len(workspace.counters), dtype=np.int64)  # in workspaces that were left

    def memory_of(self, integrator: ch.Integrator) -> Array:
        """Work rows of a fixed step; methods with error control have theirs in the workspace."""
        rows = integrator.rows(self.workspace.plan) if isinstance(integrator, ch.FixedStep) else 0
        return np.zeros((rows, self.y.size))

    # Where it is --------------------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """Where y stands. A step may be accepted beyond."""
        return float(self.clock[loops.T_NOW])

    @property
    def ahead(self) -> float:
        """The end of the step that was accepted last."""
        return max(self.t, float(self.clock[loops.T_AHEAD]))

    @property
    def next_step(self) -> float:
        """s, of error control; 0: to be found anew."""
        return float(self.clock[loops.T_STEP])

    @next_step.setter
    def next_step(self, length: float) -> None:
        self.clock[loops.T_STEP] = length

    @property
    def clock_step(self) -> float:
        """s, the length of the steps of a method with a fixed step."""
        return float(self.integrator.step) if isinstance(self.integrator, ch.FixedStep) else 0.0

    @property
    def usual_step(self) -> float:
        """s, by which error control judges whether steps crawl; 0: by those yet to come."""
        return float(self.clock[loops.T_USUAL])

    @usual_step.setter
    def usual_step(self, length: float) -> None:
        self.clock[loops.T_USUAL] = length

    @property
    def steps(self) -> int:
        return int(self.counts[loops.C_STEPS])

    @property
    def rejected(self) -> int:
        """Steps that were too long."""
        return int(self.counts[loops.C_REJECTED])

    @property
    def filled(self) -> int:
        """How many of the times asked for have their states."""
        return int(self.counts[loops.C_SAMPLE])

    @property
    def tried(self) -> int:
        """Steps, those included that were too long."""
        return self.steps + self.rejected

    @property
    def spent(self) -> Counts:
        """What was done so far."""
        return Counts(*(self.spent_before + self.workspace.counters).tolist())

    # Going on -----------------------------------------------------------------------------------------------------

    def go(self, times: Array, samples: Array) -> int | None:
        """On through `times`, whose states go into `samples`: a status, or None if interrupted from the keyboard."""
        self.times, self.samples, self._failed = times, samples, None
        self.counts[loops.C_SAMPLE] = 0
        if self.counts[loops.C_SUBSTEP] > 0 and times[0] != self.unfinished:  # was on its way to another time
            self.clock[loops.T_FROM], self.counts[loops.C_SUBSTEP] = self.t, 0
        try:
            if not self._loaded:
                # Steps nowhere: compiles or loads the method, outside the time that is reported.
                self.advance(0)
                self._loaded = True
            begun, compiled = time.perf_counter() - self.seconds, self.compiling
            while True:
                status = self._answer(self._advance_or_back() if self.workspace.callbacks else self.advance(self.pause))
                self.seconds = time.perf_counter() - begun - (self.compiling - compiled)
                self.on_look()
                if status not in GOING_ON:
                    return status
                if (stopped := self.headway()) is not None:
                    return stopped
        except KeyboardInterrupt:
            return None
        finally:
            self.unfinished = float(times[min(self.filled, times.size - 1)])
            self.times = self.samples = NOTHING_ASKED

    def _advance_or_back(self) -> int:
        """A step of a machine with Python functions; back to its start if one of them raised something."""
        memory = (self.y, self.clock, self.counts, self.work)
        before = [array.copy() for array in memory]
        status = self.advance(1)
        if all(callback.error is None for callback in self.workspace.callbacks):
            return status
        for array, kept in zip(memory, before, strict=True):
            array[...] = kept
        self.workspace.begin_anew()
        self.begin_anew()
        return st.RAISED

    def advance(self, pause: int) -> int:
        """One call of the kernel, of `pause` steps at most."""
        plan, method, work = self.workspace.plan, self.integrator, self.work
        advance = compiled_loop(plan.loops[ch.Loop.RUN])
        given = (self.times, self.samples)
        rest = (self.clock, self.counts, pause, MAX_STEPS)
        if isinstance(method, ch.FixedStep):
            self.workspace.ctx[f.H_SHARP] = 0  # such a step cannot be made shorter to see events in
            step = method.step_up_to(float(self.times[-1]))
            if self._corners and pause > 0:
                return self._between_corners(
                    lambda *some: int(advance(self.workspace.ctx, self.y, work, *some, step, *rest))
                )
            return int(advance(self.workspace.ctx, self.y, work, *given, step, *rest))
        return int(advance(self.workspace.ctx, self.y, *given, *self.tolerances(), *rest))

    def _between_corners(self, advance: Callable[[Array, Array], int]) -> int:
        """Fixed steps up to the next corner of a function of time and no farther: intervals are divided there, too."""
        k = self.filled
        stop = self._corner_after(self.t, float(self.times[-1]))
        last = int(np.searchsorted(self.times, stop, "right"))
        if last > k:
            status = advance(self.times[:last], self.samples[:last])
            return st.PAUSED if status == st.OK and self.filled < self.times.size else status
        if stop == np.inf:
            return advance(self.times, self.samples)
        self.counts[loops.C_SAMPLE] = 0
        status = advance(np.array([stop]), np.zeros((1, self.y.size)))
        there, self.counts[loops.C_SAMPLE] = self.filled == 1, k
        if status != st.OK or not there:
            return status
        self.clock[loops.T_NOW] = stop
        return self.look_over_ends()

    def _answer(self, status: int) -> int:
        """What has to be done where the kernel gave control back; the status with which to go on, or to end."""
        if status in (st.OK, st.PAUSED, st.RAISED):
            return status
        crossing = self.crossing if self.crossing is not None and self.crossing.active else None
        if status == st.LOOK:
            part = crossing or self.takeover
            return st.PAUSED if part is None else part.look()
        if status == st.PASSING_BY:
            return st.PAUSED if self.crossing is None else self.crossing.judge()
        if crossing is not None:
            crossing.leave()
        if status == st.CRAWLING and self.crossing is not None:
            return self.crossing.begin()
        if status == st.STIFF and self.takeover is not None:
            return self.takeover.begin()
        if status == st.UNTIL:
            return self.look_over_ends()
        if status == st.WANTS_EXACT:
            return self._provide_exact()
        if status == st.EVENT:
            goes_on = self.on_event(self.t, self.workspace.fired)
            status = self.look_over_ends()  # which depend on parameters
            return st.PAUSED if goes_on and status != st.STOPPED else st.STOPPED
        return self._up_to_the_end(status)

    def look_over_ends(self) -> int:
        """No step looks over the end of a table over time, or `until`, before it must; UNTIL if that is where it is."""
        if self.t >= self.until:
            return st.ENDED
        self.end_after(self.t)  # which finds corners
        fired = self._pass_corner()
        if fired and not self.on_event(self.t, fired):
            return st.STOPPED
        self.clock[loops.T_UNTIL] = self.end_after(self.t)
        if self.times.size and self.filled == self.times.size:
            return st.OK
        return st.STOPPED if self._leave_table() else st.PAUSED

    def _leave_table(self) -> bool:
        """Whether a table over time ends here that refuses to be asked beyond, and more is asked for."""
        if not self.times.size:
            return False
        asked = self.times[self.filled]
        refused = [x for x in self._refusing if self.t >= x.high - x.slack and asked > x.high + x.slack]
        self.left_table = refused[0].refusal(float(asked)) if refused else ""
        return bool(refused)

    def _pass_corner(self) -> tuple[int, ...]:
        """From just before a corner of a function of time to just behind, where another function has begun.

        Returns the events that happen there, since what they watch jumps or passes zero in between.
        """
        corner = next((self._corners[stop] for stop in self._near(self.t) if stop <= self.t), -np.inf)
        if corner <= self.t:
            return ()
        self.corner_before = self.t
        self.clock[loops.T_NOW] = self.clock[loops.T_FROM] = corner
        self.clock[loops.T_STEP] = max(self.clock[loops.T_STEP], self.clock[loops.T_USUAL])
        self.counts[loops.C_RESTART] = 1
        k = self.filled
        if k < self.times.size and self.times[k] <= corner:  # a sample at the corner
            self.samples[k, : self.y.size] = self.y
            self.counts[loops.C_SAMPLE] = k + 1
        return self._events_across(corner)

    def _events_across(self, corner: float) -> tuple[int, ...]:
        """Those that happen from where the last step ended, before a corner, to behind it.

        What rested at zero may leave it there, or come to rest; as within steps (kernels/integrators/event_search.py).
        """
        from ..kernels.integrators import event_search as search  # the compiler, which is there by now

        before, work = self.workspace[f.EVENT_VALUE][:, 0].copy(), self.workspace[f.EVENT_WORK]
        directions = self.workspace.model.fields[f.EVENTS][:, 2]
        now = np.zeros(before.size)
        if not before.size or Pose(self.workspace.model, self.workspace).events(corner, self.y, now) != st.OK:
            return ()
        rest, noise = np.where(before == 0.0, work[search.REST], search.MOVING), work[search.NOISE]
        up = np.isin(rest, (search.RESTING, search.RESTING_BELOW)) & (now > noise)
        down = np.isin(rest, (search.RESTING, search.RESTING_ABOVE)) & (now < -noise)
        rises = ((before < 0.0) & (now >= 0.0) | up) & (directions >= 0)
        falls = ((before > 0.0) & (now <= 0.0) | down) & (directions <= 0)
        for k in np.flatnonzero((rises | falls) & (before != 0.0) & (now == 0.0)):
            work[[search.REST, search.LATER], k] = search.FROM_ABOVE if before[k] > 0.0 else search.FROM_BELOW
        return tuple(np.flatnonzero(rises | falls).tolist())

    @property
    def undivided(self) -> bool:
        """Whether no function of the time alone divides its intervals."""
        return not self._ends and self._of_time is None and self.until == np.inf

    def end_after(self, t: float) -> float:
        """The first end of a table over time after t, mark of a function of time, or `until`."""
        return min((end for end in (*self._ends, self._mark_after(t), self.until) if end > t), default=np.inf)

    def ends_between(self, begin: float, end: float) -> Array:
        """All ends that steps must not pass on the way, the first one beyond included; there are no corners."""
        found = [self.end_after(begin)]
        while found[-1] <= end:
            found.append(self.end_after(found[-1]))
        return np.array([mark for mark in found if mark < np.inf])

    def _mark_after(self, t: float) -> float:
        """Where something begins that a step could miss, or the stretch of time ends that was looked at."""
        if (self._of_time is None and self._waves is None) or not np.isfinite(t):
            return np.inf
        if self._of_time is None and not isinstance(self.integrator, ch.Adaptive):
            return np.inf
        marks = self._look_at_stretch(t)[0]
        return marks[bisect_right(marks, t)]

    def _look_at_stretch(self, t: float) -> tuple[list[float], float]:
        """Where steps have to end in the stretch of time that t is in, and how long they may be."""
        begin, end = stretch_of(t)
        parameters = self.workspace[f.PARAMETERS][:, 0].real
        asked = parameters if self._waves is not None or self._of_time is None else parameters[self._of_time.parameters]
        key = begin, asked.tobytes()
        if key != self._marks[0]:
            if self._marks[0] is None or self._marks[0][1] != key[1]:
                self._corners = {}
            marks = [end] if self._of_time is None else self._look_ahead(self._of_time, parameters, begin, end)
            longest = np.inf if self._waves is None else self._waves.longest_step(parameters, begin, end)
            self._marks = key, marks, longest
        return self._marks[1:]

    def _look_ahead(self, functions: ClockFunctions, parameters: Array, begin: float, end: float) -> list[float]:
        """Where steps end in a stretch of time: before corners, at marks that are not next to one, and at its end."""
        here = dict(around(c) for c in functions.corners(parameters, begin, end))
        self._corners = dict(sorted({**self._corners, **here}.items()))
        self._stops = list(self._corners)
        marks = functions.marks(parameters, begin, end) if isinstance(self.integrator, ch.Adaptive) else []
        clear = [m for m in marks if not any(abs(m - c) <= 4 * BESIDE * max(1.0, abs(c)) for c in self._near(m))]
        return sorted([*here, *clear, end])

    def _near(self, mark: float) -> list[float]:
        """Ends of steps before the corners next to a mark."""
        k = bisect_right(self._stops, mark)
        return self._stops[max(k - 1, 0) : k + 1]

    def _corner_after(self, t: float, end: float) -> float:
        """Where a step has to end before the next corner, up to an end."""
        stop = self.end_after(t)
        while stop <= end and stop not in self._corners:
            stop = self.end_after(stop)
        return stop if stop <= end else np.inf

    def _up_to_the_end(self, status: int) -> int:
        """What cannot be evaluated may lie beyond the times asked for: then go up to them, and no farther."""
        end = float(self.times[-1])
        if self._failed is not None:
            return self._failed
        adaptive = isinstance(self.integrator, ch.Adaptive) and self.clock[loops.T_UNTIL] > end
        if not adaptive or self.filled == self.times.size or self.t + self.clock[loops.T_USUAL] < end:
            return status
        self._failed = status
        self.clock[loops.T_UNTIL] = end
        self.clock[loops.T_STEP] = 0.0
        self.counts[loops.C_RESTART] = 1
        return st.PAUSED

    def _provide_exact(self) -> int:
        """Compile what the exact iteration matrix needs, which a step has asked for, and go on."""
        with self.not_counted():
            self.provide_exact()
        self.exact_from = self.t if self.exact_from is None else self.exact_from
        return st.PAUSED

    def provide_exact(self, exact: bool = True) -> None:
        plan = self.workspace.plan.with_(exact=exact)
        compile_for(plan)
        self.workspace.use(plan)

    # What is to be told -------------------------------------------------------------------------------------------

    @property
    def look_at(self) -> int:
        """How many steps, tried ones included, are wanted to be seen; 0: none."""
        return int(self.counts[loops.C_LOOK])

    @look_at.setter
    def look_at(self, tried: int) -> None:
        self.counts[loops.C_LOOK] = tried

    def tell_crawling(self, yes: bool) -> None:
        """Whether somebody wants to know when steps become much shorter than usual."""
        self.counts[loops.C_WATCH] = int(yes)

    @property
    def told_crawling(self) -> bool:
        return bool(self.counts[loops.C_WATCH])

    def tell_passing(self, yes: bool) -> None:
        """Whether somebody wants to know of steps that may go through a singular position."""
        self.counts[loops.C_RANK] = int(yes)

    def choose_steps(self, yes: bool) -> None:
        """Whether steps are as long as `next_step` says, whatever their errors; joints are closed to rounding then."""
        self.counts[loops.C_CHOSEN] = int(yes)
        closed = 0.0 if yes else self.workspace.model.settings["CLOSED"]
        self.workspace[f.SETTINGS][f.S_CLOSED, 0] = closed

    @property
    def clock_until(self) -> float:
        """s, beyond which no step goes."""
        return float(self.clock[loops.T_UNTIL])

    def filled_up_to(self, k: int) -> None:
        """Somebody filled in the state at times[k]."""
        self.counts[loops.C_SAMPLE] = k + 1

    def tell_stiffness(self, steps: int) -> None:
        """After how many steps that stability held short somebody wants to know; 0: never."""
        self.counts[loops.C_STIFF] = steps

    # Changes ------------------------------------------------------------------------------------------------------

    def restart(self) -> None:
        """Forget what the method knows of the way here."""
        self.counts[loops.C_RESTART] = 1

    def begin_anew(self, t: float | None = None, y: Array | None = None) -> None:
        """Forget what lies beyond; go on from y at t, or from where the loop stands. The length of steps is kept."""
        if y is not None:
            self.y[:] = y
        if t is not None:
            self.clock[loops.T_NOW] = t
        self.clock[loops.T_AHEAD], self.clock[loops.T_STOP] = -np.inf, np.inf
        self.counts[loops.C_RESTART] = 1
        self.look_over_ends()

    def exchange(self, workspace: Workspace) -> None:
        """Go on with another workspace of the same layout. It brings no memory: what it knew is of another time."""
        if workspace is self.workspace:
            return
        old = self.workspace
        self.spent_before += old.counters
        workspace.begin_anew()
        workspace.carry_events(old)
        old.begin_anew()
        self.workspace = workspace
        workspace.use(workspace.plan.with_(integrator=self.integrator, exact=old.plan.exact))

    def use(self, integrator: ch.Adaptive) -> None:
        """Go on with another method with error control."""
        self.integrator = integrator
        with self.not_counted():
            plan = self.workspace.plan.with_(integrator=integrator)
            compile_for(plan)
            self.workspace.use(plan)
        self.counts[loops.C_RESTART] = 1

    def tolerances(self) -> Tolerances:
        """Order, rtol, atol and longest step of a method with error control."""
        found = self.integrator.tolerances(self.workspace.plan)
        if found is None:
            raise TypeError(f"{self.integrator} has no error control")
        if self._waves is None:
            return found
        return found._replace(max_step=min(found.max_step, self._look_at_stretch(self.ahead)[1]))

    def not_counted(self) -> Uncounted:
        """Time that is not that of the run, as when something is compiled."""
        return Uncounted(self)


class Uncounted:
    """Adds the time of a `with` block to `compiling` of a loop."""

    def __init__(self, loop: TimeLoop) -> None:
        self._loop = loop

    def __enter__(self) -> None:
        self._begun = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self._loop.compiling += time.perf_counter() - self._begun
