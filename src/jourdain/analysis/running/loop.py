"""The time loop as Python sees it: called in pieces, so that the clock and the keyboard are heard, and at events."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ...compiled import choices as ch
from ...compiled.cold_start import compile_for
from ...compiled.flat import Workspace
from ...compiled.integrators import NEWTONS
from ...compiled.kernels import load_kernels
from ...mechanism.errors import ChoiceError
from ..starting.prepare import Prepared

Array = npt.NDArray[np.float64]

MAX_STEPS = 10**9
# Steps between two looks at the clock and the keyboard: some tenths of a second at most, while the way back to Python
# costs microseconds. A number that depends on the mechanism alone, never on the clock: dop853 forgets at a pause that
# it has just shortened a step, and the same run must give the same bits whether or not somebody watches.
PAUSE = 1000
LEAST_PAUSE = 8
PAUSE_TIMES_SIZE = 20_000  # steps times velocities
MAX_EVENTS = 100_000
# Of the tolerance, for joint coordinates: the error of an angle is felt by all links beyond, while other coordinates
# control each body's own position. So the double pendulum of the references has the same errors at the same tolerance.
JOINT_TOLERANCE = 0.1
KINKED_STEPS = 1000  # at least, in a run with stops, ropes or other forces that begin with a kink


class Loop:
    """Runs through a grid of times, filling samples and what is reported at each."""

    def __init__(self, prepared: Prepared, choices: ch.Choices, grid: Array) -> None:
        self.k = load_kernels()
        self.c = self.k.context
        self.workspace = prepared.workspace  # an event may exchange it
        self.workspaces = [prepared.workspace]  # all that were used
        self.grid = grid
        self.y = prepared.assembly.y.copy()
        self.samples = np.zeros((grid.size, self.y.size))
        self.out = np.full((grid.size, self.width), np.nan)
        self._reported = 0  # samples whose outputs are in `out`
        self.clock = np.zeros(self.k.fixed_step.T_LENGTH)
        self.counts = np.zeros(self.k.fixed_step.C_LENGTH, dtype=np.int64)
        self.seconds = 0.0
        self.compiling = 0.0  # seconds that are not counted
        self.happened = 0
        self.crossings: list[float] = []  # times at which nearly singular positions were entered
        self.takeovers: list[tuple[float, float | None]] = []  # times from and to which an implicit method did the work
        self.exact_from: float | None = None  # s, when the exact iteration matrix took over
        self.on_crawl: Callable[[], int] = lambda: int(self.c.PAUSED)
        self.on_stiff: Callable[[], int] = lambda: int(self.c.PAUSED)
        self.on_pause: Callable[[], None] = lambda: None
        self.stable: Callable[[], float] = lambda: float(np.inf)  # s, for an explicit method in place of this one
        self.counts[self.k.fixed_step.C_WATCH] = int(choices.free)
        self.counts[self.k.fixed_step.C_STIFF] = int(choices.free)
        self.on_look: Callable[[], None] = lambda: None
        self.pause = int(np.clip(PAUSE_TIMES_SIZE // max(prepared.model.nv, 1), LEAST_PAUSE, PAUSE))
        self.on_event: Callable[[float, tuple[int, ...]], bool] = lambda t, fired: True
        self.integrator = choices.integrator
        self.many = int(self.k.method("generalized_alpha").MANY)  # velocities that are many for a dense matrix
        self._check_dense(prepared.model.nv)
        self._size = prepared.model.size
        names = self.k.fixed_step
        codes = {"rk4": names.RK4, "rk6": names.RK6, "ab6": names.AB6, "alpha": names.ALPHA, "newmark": names.NEWMARK}
        loop = choices.integrator.loop
        # Methods with error control have their work in the workspace.
        self.work = np.zeros((names.WORK_ROWS[codes[loop]] if loop in codes else 0, self.y.size))
        self._configure()

    def _check_dense(self, nv: int) -> None:
        i = self.integrator
        if isinstance(i, ch.GeneralizedAlpha | ch.Hht) and i.newton == "exact" and nv > self.many:
            raise ChoiceError(
                f"newton='exact' has a dense matrix and takes up to {self.many} velocities; these coordinates have "
                f"{nv}; use newton='auto', which takes it only where nothing else helps, or a shorter step"
            )

    def _configure(self) -> None:
        """Parameters of the method go where its kernel reads them."""
        c, i = self.c, self.integrator
        settings: dict[int, float] = {}
        if isinstance(i, ch.GeneralizedAlpha | ch.Hht):
            settings = dict(zip((c.S_AM, c.S_AF, c.S_BETA, c.S_GAMMA), i.parameters, strict=True))
            settings[c.S_NEWTON] = NEWTONS.index(i.newton)
        elif isinstance(i, ch.Newmark):
            settings = {c.S_CORRECTIONS: i.corrections}
        for place, value in settings.items():
            self.workspace[c.SETTINGS][place, 0] = value

    @property
    def t(self) -> float:
        return float(self.clock[self.k.fixed_step.T_NOW])

    @property
    def filled(self) -> int:
        return int(self.counts[self.k.fixed_step.C_SAMPLE])

    @property
    def width(self) -> int:
        """Numbers reported at a sample."""
        return self.workspace.reported

    def run(self) -> int | None:
        """The kernel's status, or None if interrupted from the keyboard."""
        try:
            # The first call steps nowhere: it compiles or loads the integrator, outside the time that is reported.
            status = self._advance(pause=0)
            begun = time.perf_counter()
            while status in (self.c.PAUSED, self.c.EVENT, self.c.CRAWLING, self.c.STIFF):
                status = self._advance(self.pause)
                if status == self.c.WANTS_EXACT:
                    asked = time.perf_counter()
                    status = self._provide_exact()
                    self.compiling += time.perf_counter() - asked
                if status == self.c.CRAWLING:
                    status = self.on_crawl()
                elif status == self.c.STIFF:
                    status = self.on_stiff()
                elif status in (self.c.PAUSED, self.c.EVENT):
                    self.on_pause()
                if status == self.c.EVENT and not self._go_on():
                    break
                self.seconds = time.perf_counter() - begun - self.compiling
                self.on_look()
        except KeyboardInterrupt:
            status = None
        if self.filled == 0:  # not even the start could be evaluated: show it all the same
            self.samples[0] = self.y
            self.counts[self.k.fixed_step.C_SAMPLE] = 1
        return status

    def _provide_exact(self) -> int:
        """Compile what the exact iteration matrix needs, which a step has asked for, and go on."""
        model = self.workspace.model
        compile_for(model, self.integrator.loop, besides=(self.c.F_EXACT,))
        self.workspace.provide_exact()
        self.exact_from = self.t if self.exact_from is None else self.exact_from
        return int(self.c.PAUSED)

    def report(self) -> None:
        """Outputs of the samples filled since last time: before anything changes them, and at the end."""
        first, last = self._reported, self.filled
        if last > first:
            part = slice(first, last)
            self.k.system.sample_outputs(self.workspace.ctx, self.grid[part], self.samples[part], self.out[part])
            self._reported = last

    def report_at(self, t: float, y: Array) -> Array:
        """Outputs at one more state."""
        out = np.full((1, self.width), np.nan)
        self.k.system.sample_outputs(self.workspace.ctx, np.array([t]), y[None].copy(), out)
        return out[0]

    def exchange(self, workspace: Workspace) -> None:
        """Go on with another workspace of the same layout."""
        if workspace is not self.workspace:
            workspace.carry_events(self.workspace)
            self.workspace = workspace
            workspace.change_method(self.integrator.loop)
            self._configure()
            if not any(workspace is known for known in self.workspaces):
                self.workspaces.append(workspace)

    def use(self, integrator: ch.Adaptive) -> None:
        """Go on with another method with error control."""
        self.integrator = integrator
        self.workspace.change_method(integrator.loop)
        self.counts[self.k.fixed_step.C_RESTART] = 1

    def _go_on(self) -> bool:
        fired = np.flatnonzero(self.workspace[self.c.EVENT_FIRED][:, 0])
        self.happened += 1
        self.report()
        return self.on_event(self.t, tuple(int(k) for k in fired)) and self.happened < MAX_EVENTS

    def _advance(self, pause: int) -> int:
        rest = (self.clock, self.counts, pause, MAX_STEPS)
        ctx, i = self.workspace.ctx, self.integrator
        if not isinstance(i, ch.Adaptive):
            advance = getattr(self.k.fixed_step, f"advance_{i.loop}")
            return int(advance(ctx, self.y, self.work, self.grid, self.samples, i.step, *rest))
        numbers = self.tolerances(self.grid)
        adaptive = self.k.adaptive
        advance = adaptive.advance if len(self.workspace[self.c.EVENTS]) else adaptive.advance_plain
        return int(advance(ctx, self.y, self.grid, self.samples, *numbers, *rest))

    def tolerances(self, grid: Array) -> tuple[int, float, float, float]:
        """Order, rtol, atol and longest step of a method with error control."""
        i = self.integrator
        if not isinstance(i, ch.Adaptive):
            raise TypeError(f"{i} has no error control")
        order = i.stages + 1 if isinstance(i, ch.Radau) else self.k.method(i.loop).ORDER
        atol = i.rtol * min(1.0, self._size) if i.atol is None else i.atol
        rtol = i.rtol
        if self.workspace.model.tree is not None:
            rtol, atol = max(JOINT_TOLERANCE * rtol, ch.MIN_RTOL), JOINT_TOLERANCE * atol
        return order, rtol, atol, self._longest(i.max_step, grid)

    def _longest(self, most: float, grid: Array) -> float:
        """The longest step: short enough to meet a stop or a rope that is not touched yet, which no error shows."""
        if self.workspace.model.kinked:
            return min(most, (grid[-1] - grid[0]) / KINKED_STEPS)
        return most
