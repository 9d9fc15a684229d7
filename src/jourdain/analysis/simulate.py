"""simulate: a mechanism and a time span in, a Solution out."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled import choices as ch
from ..compiled.callbacks import Callback
from ..compiled.choices import positive
from ..compiled.flat import FlatModel
from ..mechanism.builder import Mechanism, blueprint_of
from ..mechanism.errors import ChoiceError, SimulationError
from ..mechanism.names import counted
from ..mechanism.parts import Blueprint
from ..results.solution import Solution
from ..results.status import SimulationWarning, Statistics, Status
from .running.choosing import with_best_coordinates
from .running.crossing import cross
from .running.events import Events
from .running.loop import MAX_EVENTS, Loop
from .running.progress import Progress, reporter
from .running.sentences import failure
from .running.stiffness import Stiffness
from .starting.prepare import CONTRADICTION, Prepared, prepare
from .starting.redundancy import Redundancy

Array = npt.NDArray[np.float64]

DEFAULT_SAMPLES = 200
IMBALANCE = 0.01  # of the largest energy in the run: more than any method loses at a sensible step
AT_REST = 1e-12  # of the energy of all bodies falling by the size: below that there is nothing to lose
DRIFT = 1e-5  # of the size: joints that came apart by more are told of
# Stabilisations that leave velocities without drift, so that it can be told.
PROJECTED = ("projection", "euclidean", "dependent", "ggl")
STIFF_PART = 0.2  # of all steps: fewer that were held short by stability are not worth a note


def simulate(
    mechanism: Mechanism | Blueprint,
    duration: float | None = None,
    *,
    every: float | None = None,
    times: Sequence[float] | Array | None = None,
    recipe: str | None = None,
    coordinates: str | None = None,
    treatment: str | ch.Treatment | None = None,
    stabilisation: str | ch.Stabilisation | None = None,
    integrator: str | ch.Integrator | None = None,
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    max_step: float | None = None,
    state: Mapping[str, Any] | None = None,
    progress: bool | Callable[[Progress], None] | None = None,
) -> Solution:
    """Simulate a mechanism for `duration` seconds, or through `times`.

    What is not given here is taken from the mechanism's `defaults`, which a file writes under `simulate`. Samples are
    taken `every` so many seconds (default: 200 intervals). `state` starts from a state by body name, such as
    `run.state()` of an earlier run. `progress` shows how far a long run is: True on any stderr, False never, None where
    stderr is a terminal; a function is called with a `Progress` every thousand steps or sooner. A run that cannot go on
    to the end warns, and returns what it computed with a status that says why.
    """
    blueprint = blueprint_of(mechanism)
    written: dict[str, Any] = {"recipe": recipe, "coordinates": coordinates, "treatment": treatment}
    written |= {"stabilisation": stabilisation, "integrator": integrator}
    written |= {"step": step, "rtol": rtol, "atol": atol, "max_step": max_step}
    choices = ch.resolve(blueprint.space, **ch.with_defaults(written, blueprint.defaults))
    if times is None:
        duration = blueprint.defaults.get("duration") if duration is None else duration
        every = blueprint.defaults.get("every") if every is None else every
    grid = time_grid(duration, every, times)
    choices, chosen = with_best_coordinates(blueprint, choices)
    loop_name = choices.integrator.loop
    prepared = prepare(
        blueprint, choices.coordinates, state, float(grid[0]), choices.treatment, loop_name, cuts=choices.cuts
    )
    prepared = replace(prepared, notes=(*chosen, *prepared.notes))
    loop = Loop(prepared, choices, grid)
    loop.on_crawl = lambda: cross(loop)
    if choices.free and isinstance(choices.integrator, ch.Adaptive):
        Stiffness(loop, choices.integrator)
    events = Events(prepared, choices, loop)
    report = reporter(progress)
    loop.on_look = lambda: report(Progress(loop.t, float(grid[0]), float(grid[-1]), loop.seconds))
    outcome = loop.run()
    report(Progress(loop.t, float(grid[0]), float(grid[-1]), loop.seconds, over=True))
    solution = _solution(prepared, choices, loop, events, outcome)
    _raise_errors(loop, events, solution)
    if not solution.status.ok:
        warnings.warn(solution.status.sentence, SimulationWarning, stacklevel=2)
    return solution


def time_grid(duration: float | None, every: float | None, times: Any) -> Array:
    """Sample times, as `duration` and `every` or `times` say."""
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


def _solution(prepared: Prepared, choices: ch.Choices, loop: Loop, events: Events, outcome: int | None) -> Solution:
    h = loop.c
    used = [workspace.ctx for workspace in loop.workspaces]
    statistics = Statistics(
        steps=int(loop.counts[loop.k.fixed_step.C_STEPS]),
        rejected=int(loop.counts[loop.k.fixed_step.C_REJECTED]),
        evaluations=sum(int(ctx[h.H_EVALUATIONS]) for ctx in used),
        newton_steps=sum(int(ctx[h.H_NEWTONS]) for ctx in used),
        rank_losses=sum(int(ctx[h.H_RANK_LOSSES]) for ctx in used),
        seconds=loop.seconds,
    )
    # The sentence first: it reads the workspace as the failing step left it.
    status = _status(prepared, choices, loop, events, outcome, statistics)
    loop.report()
    t, samples, out = loop.grid[: loop.filled], loop.samples[: loop.filled], loop.out[: loop.filled]
    if events.stopped_by and loop.t > t[-1]:  # where it stopped is of interest
        t = np.append(t, loop.t)
        samples = np.vstack([samples, loop.y])
        out = np.vstack([out, loop.report_at(loop.t, loop.y)])
    if status.ok and not np.all(np.isfinite(out)):
        when = t[int(np.argmin(np.all(np.isfinite(out), axis=1)))]
        status = Status(False, f"accelerations or reactions are not finite at t = {when:g} s", status.notes)
    elif status.ok:
        status = contradicted(prepared.model, prepared.redundancy, choices, status, t, samples, out)
    p = prepared
    solution = Solution(p.model, choices, t, samples, out, status, statistics, p.redundancy, events.recorded())
    solution.status = replace(status, notes=(*status.notes, *drift_notes(solution), *imbalance_notes(solution)))
    return solution


def imbalance_notes(run: Solution) -> list[str]:
    """Energy from nowhere: too long steps past a contact, or a method that does not fit the machine."""
    energy = run.energy
    with np.errstate(invalid="ignore"):
        off = float(np.max(np.abs(energy.total - energy.total[0]), initial=0.0))
        parts = (energy.kinetic, energy.potential - energy.potential[0], energy.dissipated, energy.driven)
        scale = max(float(np.max(np.abs(part), initial=0.0)) for part in parts)
    if not off > IMBALANCE * scale or off <= AT_REST * _reach(run.model):
        return []
    return [
        f"the energy balance is off by {off:.3g} J ({off / scale:.1g} of the largest energy): do not trust the motion; "
        "a shorter step, or max_step with dop853, may mend it"
    ]


def _reach(model: FlatModel) -> float:
    """J: what all bodies would gain by falling as far as the mechanism is large, under gravity or 1 m/s2."""
    gravity = max(1.0, float(np.linalg.norm(model.blueprint.gravity)))
    return sum(body.mass for body in model.blueprint.bodies) * gravity * model.size


def drift_notes(run: Solution) -> list[str]:
    """Joints that came apart, where nothing projects them."""
    apart = float(np.max(run.violation.position, initial=0.0))
    if not apart > DRIFT * run.model.size:
        return []
    return [f"joints came apart by up to {apart:.2g} (m or rad); a shorter step or projection keeps them closed"]


def contradicted(
    model: FlatModel,
    redundancy: Redundancy,
    choices: ch.Choices,
    status: Status,
    t: Array,
    samples: Array,
    out: Array,
) -> Status:
    """Redundant equations may contradict the others as time goes on: then they do not hold, and that is no result.

    Velocities tell it first, where they are held; methods on index 3 hold positions only.
    """
    rates = out[:, model.nv + (0 if choices.treatment.name == "index3" else 1)]
    speed = float(np.max(np.abs(samples[:, model.nq : model.nq + model.nv]), initial=0.0))
    wrong = np.flatnonzero(rates > CONTRADICTION * max(1.0, speed))
    treatment = choices.treatment
    projected = not isinstance(treatment, ch.Penalty) and str(treatment.stabilisation) in PROJECTED
    if not redundancy.dropped or wrong.size == 0 or not projected:
        return status
    names = ", ".join(dict.fromkeys(f"'{row.joint}' ({row.meaning})" for row in redundancy.dropped))
    words = f"from t = {t[wrong[0]]:g} s on the equations contradict each other: {names} cannot hold beside the others"
    return Status(False, words, status.notes)


def _status(
    prepared: Prepared, choices: ch.Choices, loop: Loop, events: Events, outcome: int | None, statistics: Statistics
) -> Status:
    c = loop.c
    now = loop.t
    notes = (
        *prepared.notes,
        *_run_notes(prepared, statistics, outcome == c.NOT_FINITE),
        *_crossings(loop),
        *_blurs(loop),
        *_stiffness(loop),
        *_exact(loop, choices),
        *_costs(loop),
    )
    errors = [*(e for _, e in callback_errors(loop)), events.error]
    if outcome is None or any(isinstance(e, KeyboardInterrupt) for e in errors):
        words = f"interrupted at t = {now:g} s; what was computed is kept"
        return Status(False, words, notes, interrupted=True)
    if isinstance(events.error, SimulationError):
        return Status(False, str(events.error), notes)
    if events.error is not None:
        return Status(False, f"stopped at t = {now:g} s: the function of an event failed", notes)
    if outcome == c.OK:
        return Status(True, f"completed to t = {now:g} s", notes)
    if events.stopped_by:
        return Status(True, f"stopped at t = {now:g} s by event {events.stopped_by}", notes)
    if outcome == c.EVENT:
        words = f"stopped at t = {now:g} s: {MAX_EVENTS} events happened; do they come ever closer together?"
        return Status(False, words, notes)
    return Status(False, failure(outcome, now, loop.workspace.model, loop.workspace, loop.y), notes)


def _crossings(loop: Loop) -> list[str]:
    if not loop.crossings:
        return []
    times = ", ".join(f"{t:.4g}" for t in loop.crossings[:5]) + (", ..." if len(loop.crossings) > 5 else "")
    places = counted(len(loop.crossings), "singular position")
    return [f"{places} crossed on the branch taken, with short steps of rk4 (t = {times} s)"]


def _blurs(loop: Loop) -> list[str]:
    count = sum(int(workspace.ctx[loop.c.H_BLURS]) for workspace in loop.workspaces)
    if count == 0:
        return []
    words = f"in {counted(count, 'step')} an event changed too fast to be sure that none was missed"
    return [f"{words}; a shorter step, or max_step with dop853, makes sure"]


def _stiffness(loop: Loop) -> list[str]:
    """Explicit methods with error control notice when stability holds their steps short."""
    if loop.takeovers:
        spans = [f"from t = {s:.4g} s" + ("" if e is None else f" to {e:.4g} s") for s, e in loop.takeovers[:4]]
        words = ", ".join(spans) + (", ..." if len(loop.takeovers) > 4 else "")
        return [f"the machine is stiff: stability held the steps of dop853 short, so radau took over ({words})"]
    count = sum(int(workspace.ctx[loop.c.H_STIFF]) for workspace in loop.workspaces)
    if count == 0 or count < STIFF_PART * loop.counts[loop.k.fixed_step.C_STEPS]:
        return []
    return [f"the machine is stiff: stability held {counted(count, 'step')} short; radau would take far fewer steps"]


def _exact(loop: Loop, choices: ch.Choices) -> list[str]:
    """Where generalized-alpha and hht took to the exact iteration matrix of their own accord."""
    if loop.exact_from is None or getattr(choices.integrator, "newton", "") != "auto":
        return []
    words = f"from t = {loop.exact_from:g} s on steps were solved with the exact iteration matrix where they had to be"
    nv = loop.workspace.model.nv
    slow = f"; it is dense, which is slow with {nv} velocities: a shorter step may be faster" if nv > loop.many else ""
    return [words + slow]


def _costs(loop: Loop) -> list[str]:
    """What users' functions in plain Python cost."""
    calls: dict[tuple[str, str], int] = {}
    seconds: dict[tuple[str, str], float] = {}
    for callback in _callbacks(loop):
        key = callback.where, callback.advice
        calls[key] = calls.get(key, 0) + callback.calls
        seconds[key] = seconds.get(key, 0.0) + callback.seconds
    return [
        f"the Python function of {where} was called {calls[where, advice]} times and took {spent:.2g} s, "
        f"{100 * min(1.0, spent / loop.seconds):.0f} % of the run; {advice} it would run inside the kernel"
        for (where, advice), spent in seconds.items()
        if spent > 0.1 and loop.seconds > 0
    ]


def _run_notes(prepared: Prepared, statistics: Statistics, lost: bool) -> list[str]:
    redundancy = prepared.redundancy
    notes = list(prepared.assembly.notes(prepared.model.size))
    if redundancy.dropped:
        words = ", ".join(f"{row.joint} ({row.meaning})" for row in redundancy.dropped)
        dropped = any(row.dropped for row in prepared.model.rows)
        one = len(redundancy.dropped) == 1
        fates = ("bears no load", "bear no load") if dropped else ("shares its load", "share their loads")
        fate = (fates[0] if one else fates[1]) + ("" if dropped else " by least squares")
        many = counted(len(redundancy.dropped), "equation")
        notes.append(f"{many} {'is' if one else 'are'} redundant and {fate}: {words}")
    if redundancy.freedoms == 0 and not prepared.model.blueprint.motions:
        notes.append("the mechanism is locked: no freedom is left, so nothing moves")
    if redundancy.singular:
        notes.append("the start is a singular position: several motions are possible from it")
    if statistics.rank_losses and not lost:  # numbers that are not finite have no rank
        notes.append(
            f"the constraints lost rank in {statistics.rank_losses} evaluations: the mechanism passed a singular "
            "position, where it may have changed branch; compare with a shorter step"
        )
    return notes


def _callbacks(loop: Loop) -> list[Callback]:
    return [c for workspace in loop.workspaces for c in workspace.model.keepalive if isinstance(c, Callback)]


def callback_errors(loop: Loop) -> list[tuple[str, BaseException]]:
    """Exceptions that users' functions raised, with what they belong to."""
    return [(callback.where, callback.error) for callback in _callbacks(loop) if callback.error is not None]


def _raise_errors(loop: Loop, events: Events, solution: Solution) -> None:
    """Exceptions of users' functions go on to the user, with the solution as far as it got."""
    found = callback_errors(loop)
    if events.error is not None and not isinstance(events.error, SimulationError):
        found.append(("an event", events.error))
    for where, error in found:
        if isinstance(error, KeyboardInterrupt):
            continue
        words = f"stopped near t = {loop.t:g} s: the function of {where} raised {type(error).__name__}: {error}"
        raised = SimulationError(words)
        raised.solution = solution
        raise raised from error
