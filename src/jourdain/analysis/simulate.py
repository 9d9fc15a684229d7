"""simulate: a mechanism and a time span in, a Solution out."""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled import choices as ch
from ..compiled.choices import positive
from ..compiled.cold_start import compile_for
from ..compiled.compile import compile_mechanism
from ..compiled.flat import FlatModel, Workspace
from ..compiled.kernels import load_kernels
from ..compiled.signals import Callback
from ..compiled.states import BodyState, to_vector
from ..mechanism.builder import Mechanism
from ..mechanism.errors import ChoiceError, SimulationError
from ..mechanism.parts import Blueprint
from ..results.solution import Solution
from ..results.status import SimulationWarning, Statistics, Status
from .assemble import Assembly, assemble
from .linear import Pose
from .redundancy import Redundancy, analyse
from .sentences import failure

Array = npt.NDArray[np.float64]

DEFAULT_SAMPLES = 200
MAX_STEPS = 10**9
# Steps between two looks at the clock and the keyboard: a fraction of a second for most mechanisms.
PAUSE = 20_000
PROGRESS_AFTER = 2.0  # seconds


@dataclass(frozen=True)
class Prepared:
    """A mechanism compiled, assembled and analysed, ready to run."""

    model: FlatModel
    workspace: Workspace
    assembly: Assembly
    redundancy: Redundancy
    notes: tuple[str, ...] = ()


def blueprint_of(mechanism: Mechanism | Blueprint) -> Blueprint:
    return mechanism.frozen() if isinstance(mechanism, Mechanism) else mechanism


def prepare(
    mechanism: Mechanism | Blueprint,
    coordinates: str,
    state: Mapping[str, BodyState] | None = None,
    t: float = 0.0,
    treatment: ch.Treatment | None = None,
) -> Prepared:
    """Compile, close the joints, find the rank, and settle what becomes of redundant equations.

    `kkt` drops them from the solution of lambda; `udwadia-kalaba` keeps all and the rank.
    """
    treatment = treatment or ch.Kkt()
    notes: tuple[str, ...] = ()
    blueprint = blueprint_of(mechanism)
    model = compile_mechanism(blueprint, coordinates)
    workspace = Workspace(model)
    start = None if state is None else to_vector(model, state)
    unknown = sorted(name for name in state or () if not blueprint.has_body(name))
    if unknown:
        notes = (f"the state also names {', '.join(unknown)}, which the mechanism does not have",)
    assembly = assemble(model, workspace, start, t)
    redundancy = analyse(model, Pose(model, workspace), assembly.y, t)
    if isinstance(treatment, ch.UdwadiaKalaba):
        workspace = Workspace(model, stabilisation=treatment.stabilisation)
        c = load_kernels().context
        workspace.ctx[c.H_MOORE_PENROSE] = 1
        if redundancy.dropped:
            workspace.ctx[c.H_EXPECTED_RANK] = model.padded - len(redundancy.dropped)
        return Prepared(model, workspace, assembly, redundancy, notes)
    if redundancy.dropped:
        number = {id(row): k for rows in _rows_by_joint(model).values() for k, row in enumerate(rows)}
        dropped = [(row.joint, number[id(row)]) for row in redundancy.dropped]
        model = compile_mechanism(blueprint, coordinates, dropped)
    if redundancy.dropped or treatment.stabilisation != "projection":
        workspace = Workspace(model, stabilisation=treatment.stabilisation)
        status = load_kernels().system.project(workspace.ctx, t, assembly.y)
        c = load_kernels().context
        if status not in (c.OK, c.RESTART):
            raise SimulationError(failure(status, t, model, workspace, assembly.y))
    workspace.ctx[load_kernels().context.H_FRESH] = 0
    return Prepared(model, workspace, assembly, redundancy, notes)


def _rows_by_joint(model: FlatModel) -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = {}
    for row in model.rows:
        rows.setdefault(row.joint, []).append(row)
    return rows


def simulate(
    mechanism: Mechanism | Blueprint,
    duration: float | None = None,
    *,
    every: float | None = None,
    times: Sequence[float] | Array | None = None,
    recipe: str = "auto",
    coordinates: str | None = None,
    treatment: str | ch.Treatment | None = None,
    integrator: str | ch.Integrator | None = None,
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    max_step: float | None = None,
    state: Mapping[str, BodyState] | None = None,
) -> Solution:
    """Simulate a mechanism for `duration` seconds, or through `times`.

    Samples are taken `every` so many seconds (default: 200 intervals). `state` starts from a state by body name, such
    as `run.state()` of an earlier run. A run that cannot go on to the end warns, and returns what it computed with a
    status that says why.
    """
    blueprint = blueprint_of(mechanism)
    choices = ch.resolve(blueprint.space, recipe, coordinates, treatment, integrator, step, rtol, atol, max_step)
    grid = _grid(duration, every, times)
    compile_for(blueprint.space, choices.coordinates, choices.integrator.name)
    prepared = prepare(blueprint, choices.coordinates, state, float(grid[0]), choices.treatment)
    loop = _Loop(prepared, choices, grid)
    outcome = loop.run()
    solution = _solution(prepared, choices, grid, loop, outcome)
    raise_callback_errors(prepared.model, float(loop.clock[loop.k.fixed_step.T_NOW]), solution)
    if not solution.status.ok:
        warnings.warn(solution.status.sentence, SimulationWarning, stacklevel=2)
    return solution


def _grid(duration: float | None, every: float | None, times: Any) -> Array:
    if times is not None:
        if duration is not None or every is not None:
            raise ChoiceError("give either times, or duration and every; not both")
        try:
            grid = np.array(times, dtype=float)
        except (TypeError, ValueError):
            raise ChoiceError(f"times is {times!r}; expected increasing numbers") from None
        if grid.ndim != 1 or grid.size < 1 or not np.all(np.isfinite(grid)) or np.any(np.diff(grid) <= 0):
            raise ChoiceError("times must be finite and strictly increasing")
        return grid
    if duration is None:
        raise ChoiceError("duration is None; expected a positive number of seconds")
    positive("duration", duration, unit=" of seconds")
    if every is None:
        return np.linspace(0.0, duration, DEFAULT_SAMPLES + 1, dtype=np.float64)
    positive("every", every, unit=" of seconds")
    count = math.floor(duration / every * (1 + 1e-12))
    grid = np.array(every * np.arange(count + 1), dtype=np.float64)
    if duration - grid[-1] > 1e-9 * duration:
        return np.append(grid, duration)
    grid[-1] = duration
    return grid


class _Loop:
    """The time loop, called in pieces so that the clock and the keyboard are heard."""

    def __init__(self, prepared: Prepared, choices: ch.Choices, grid: Array) -> None:
        self.k = load_kernels()
        self.ctx = prepared.workspace.ctx
        self.grid = grid
        self.y = prepared.assembly.y.copy()
        self.samples = np.zeros((grid.size, self.y.size))
        self.clock = np.zeros(self.k.fixed_step.T_LENGTH)
        self.counts = np.zeros(self.k.fixed_step.C_LENGTH, dtype=np.int64)
        self.seconds = 0.0
        self._integrator = choices.integrator
        self._size = prepared.model.size
        names = self.k.fixed_step
        codes = {"rk4": names.RK4, "rk6": names.RK6, "ab6": names.AB6}
        adaptive = isinstance(choices.integrator, ch.Dop853)
        rows = self.k.dop853.WORK_ROWS if adaptive else names.WORK_ROWS[codes[choices.integrator.name]]
        self.work = np.zeros((rows, self.y.size))

    def run(self) -> int | None:
        """The kernel's status, or None if interrupted from the keyboard."""
        shown = False
        try:
            # The first call steps nowhere: it compiles or loads the integrator, outside the time that is reported.
            status = self._advance(pause=0)
            begun = time.perf_counter()
            while status == self.k.context.PAUSED:
                status = self._advance()
                self.seconds = time.perf_counter() - begun
                if self.seconds > PROGRESS_AFTER and sys.stderr.isatty():
                    shown = True
                    self._show_progress()
        except KeyboardInterrupt:
            status = None
        if shown:
            sys.stderr.write("\n")
        return status

    def _advance(self, pause: int = PAUSE) -> int:
        common = (self.ctx, self.y, self.work, self.grid, self.samples)
        rest = (self.clock, self.counts, pause, MAX_STEPS)
        i = self._integrator
        if not isinstance(i, ch.Dop853):
            advance = getattr(self.k.fixed_step, f"advance_{i.name}")
            return int(advance(*common, i.step, *rest))
        atol = i.rtol * min(1.0, self._size) if i.atol is None else i.atol
        return int(self.k.dop853.advance(*common, i.rtol, atol, i.max_step, *rest))

    def _show_progress(self) -> None:
        t, start, end = self.clock[self.k.fixed_step.T_NOW], self.grid[0], self.grid[-1]
        done = (t - start) / (end - start)
        left = self.seconds * (1 - done) / max(done, 1e-9)
        rate = (t - start) / self.seconds
        sys.stderr.write(
            f"\rjourdain: t = {t:.4g} of {end:g} s ({100 * done:.0f} %), {rate:.3g} x real time, {left:.0f} s left   "
        )
        sys.stderr.flush()


def _solution(prepared: Prepared, choices: ch.Choices, grid: Array, loop: _Loop, outcome: int | None) -> Solution:
    model, k = prepared.model, loop.k
    filled = int(loop.counts[k.fixed_step.C_SAMPLE])
    if filled == 0:  # not even the start could be evaluated: show it all the same
        loop.samples[0] = loop.y
        filled = 1
    t, samples = grid[:filled], loop.samples[:filled]
    ctx = prepared.workspace.ctx
    h = k.context
    statistics = Statistics(
        steps=int(loop.counts[k.fixed_step.C_STEPS]),
        rejected=int(loop.counts[k.fixed_step.C_REJECTED]),
        evaluations=int(ctx[h.H_EVALUATIONS]),
        newton_steps=int(ctx[h.H_NEWTONS]),
        rank_losses=int(ctx[h.H_RANK_LOSSES]),
        seconds=loop.seconds,
    )
    # The sentence first: it reads the workspace as the failing step left it.
    status = _status(prepared, loop, outcome, statistics)
    width = 3 if model.blueprint.dim == 2 else 6
    springs = prepared.workspace[h.ENERGY].size
    out = np.full((filled, model.nv + 3 * model.padded + springs + 2 * len(model.blueprint.joints) * width), np.nan)
    k.system.sample_outputs(ctx, t, samples, out)
    if status.ok and not np.all(np.isfinite(out)):
        when = t[int(np.argmin(np.all(np.isfinite(out), axis=1)))]
        status = Status(False, f"accelerations or reactions are not finite at t = {when:g} s", status.notes)
    return Solution(model, choices, t, samples, out, status, statistics, prepared.redundancy)


def _status(prepared: Prepared, loop: _Loop, outcome: int | None, statistics: Statistics) -> Status:
    c = loop.k.context
    model = prepared.model
    now = float(loop.clock[loop.k.fixed_step.T_NOW])
    notes = (*prepared.notes, *_run_notes(prepared, statistics))
    if outcome is None or any(isinstance(e, KeyboardInterrupt) for _, e in callback_errors(model)):
        return Status(False, f"interrupted at t = {now:g} s; what was computed is kept", notes)
    if outcome == c.OK:
        return Status(True, f"completed to t = {now:g} s", notes)
    return Status(False, failure(outcome, now, model, prepared.workspace, loop.y), notes)


def _run_notes(prepared: Prepared, statistics: Statistics) -> list[str]:
    redundancy = prepared.redundancy
    notes = list(prepared.assembly.notes(prepared.model.size))
    if redundancy.dropped:
        words = ", ".join(f"{row.joint} ({row.meaning})" for row in redundancy.dropped)
        dropped = any(row.dropped for row in prepared.model.rows)
        fate = "bear no load" if dropped else "share their loads by least squares"
        notes.append(f"{len(redundancy.dropped)} equations are redundant and {fate}: {words}")
    if redundancy.singular:
        notes.append("the start is a singular position: several motions are possible from it")
    if statistics.rank_losses:
        notes.append(
            f"the constraints lost rank in {statistics.rank_losses} evaluations: the mechanism passed a singular "
            "position, where it may have changed branch; compare with a shorter step"
        )
    return notes


def callback_errors(model: FlatModel) -> list[tuple[str, BaseException]]:
    """Exceptions that users' functions raised, with what they belong to."""
    found = (callback for callback in model.keepalive if isinstance(callback, Callback))
    return [(callback.where, callback.error) for callback in found if callback.error is not None]


def raise_callback_errors(model: FlatModel, t: float, solution: Solution | None = None) -> None:
    for where, error in callback_errors(model):
        if isinstance(error, KeyboardInterrupt):
            continue
        words = f"stopped near t = {t:g} s: the function of {where} raised {type(error).__name__}: {error}"
        raised = SimulationError(words)
        raised.solution = solution
        raise raised from error
