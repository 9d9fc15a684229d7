"""Sentences about a run: its status, and what a user should know of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..assembly.prepare import CONTRADICTION, Prepared, dropped_of
from ..assembly.redundancy import Redundancy
from ..assembly.sentences import failure
from ..choices.integrators.index3_methods import MANY
from ..engine.callbacks import Callback
from ..engine.row_independence import row_independence
from ..engine.time_loop import TimeLoop
from ..kernels.layout import returned as st
from ..library.driven import is_driven
from ..mechanism.errors import SimulationError
from ..mechanism.names import counted
from ..model.flat import FlatModel
from ..results.solution import Solution
from ..results.status import Statistics, Status
from .auto.branch_watch import BranchWatch
from .auto.crossing import Crossing
from .auto.headway import pose_beside, why
from .auto.stiffness import Takeover
from .between_samples import largest_energy
from .end_of_travel import driven_channel, end_of_travel
from .event_actions import MOST_AT_ONCE, Events
from .observer import Observer

Array = npt.NDArray[np.float64]

IMBALANCE = 0.01  # of the largest energy in the run: more than any method loses at a sensible step
AT_REST = 1e-12  # of the energy of all bodies falling by the size: below that there is nothing to lose
ROUNDING = 1e-14  # of potential energies and coordinates, whose differences are left: of large ones much is lost
DRIFT = 1e-5  # of the size: joints that came apart by more are told of
STIFF_PART = 0.2  # of all steps: fewer that were held short by stability are not worth a note


def statistics(loop: TimeLoop) -> Statistics:
    spent = loop.spent
    counted = spent.evaluations, spent.newton_steps, spent.rank_losses
    return Statistics(loop.steps, loop.rejected, *counted, loop.seconds, spent.rounds)


NEARLY = 0.05  # sine of the smallest angle between an equation and the others: what is told as a singular position
MOST_SHOWN = 8  # names
# How a run ends that a motion drives on where it cannot go.
HELD_UP = (
    *(st.STEP_TOO_SMALL, st.LEFT_BRANCH, st.NO_CONVERGENCE, st.NOT_CLOSED),
    *(st.RANK_LOST, st.NOT_SOLVED, st.NO_FEEDBACK, st.FLIPPED, st.TOO_MANY_STEPS),
)


def status_of(
    loop: TimeLoop, observer: Observer, events: Events, outcome: int | None, t: float, notes: tuple[str, ...]
) -> Status:
    """What the last outcome of a loop means, at time t."""
    errors = [*(e for _, e in callback_errors(loop, observer)), events.error]
    if outcome is None or any(isinstance(e, KeyboardInterrupt) for e in errors):
        words = f"interrupted at t = {t:g} s; what was computed is kept"
        return Status(False, words, notes, interrupted=True)
    if raised := callback_errors(loop, observer):
        return Status(False, _raised(loop, *raised[0]), notes)
    if isinstance(events.error, SimulationError):
        return Status(False, str(events.error), notes)
    if events.error is not None:
        return Status(False, f"stopped at t = {t:g} s: the function of an event failed", notes)
    if loop.left_table and outcome == st.STOPPED:
        return Status(False, f"stopped at t = {t:g} s: {loop.left_table}", notes)
    if outcome in (st.OK, st.ENDED):
        return Status(True, f"completed to t = {t:g} s", notes)
    if events.stopped_by:
        return Status(True, f"stopped at t = {t:g} s by event {events.stopped_by}", notes)
    if outcome == st.STOPPED:
        words = f"stopped at t = {t:g} s: {MOST_AT_ONCE} events happened at once; do they come ever closer together?"
        return Status(False, words, notes)
    if outcome in HELD_UP and (words := _end_of_travel(loop, observer, events)):
        return Status(False, f"stopped at t = {t:g} s: {words}", notes)
    words = failure(outcome, loop.t, loop.workspace.model, loop.workspace, loop.y)
    if outcome in (st.STEP_TOO_SMALL, st.LEFT_BRANCH, st.NO_CONVERGENCE):
        words = f"{words} ({singular(loop) or why(loop)})"
    return Status(False, words, notes)


def _end_of_travel(loop: TimeLoop, observer: Observer, events: Events) -> str:
    """That a motion asks for more than its joint can have, if that is why the loop stopped."""
    model, y = loop.workspace.model, loop.y.copy()
    channels = {driven_channel(model.blueprint, motion) for motion in model.blueprint.motions} - {""}
    if not channels or not np.all(np.isfinite(y)):
        return ""
    out = observer.outputs(loop.workspace, np.array([loop.t]), y[None])
    here = events.solution_at([loop.t], [y], out)
    return end_of_travel(model, loop.t, y, {name: float(here[name][0]) for name in channels})


def singular(loop: TimeLoop) -> str:
    """If equations nearly depend on each other where the loop stands, or where it left its branch: of which joints."""
    watch = loop.takeover if isinstance(loop.takeover, BranchWatch) else None
    names, when = (watch.joints, f"at t = {watch.left_at:.4g} s ") if watch is not None else ((), "")
    if not names:
        when = ""
        found = row_independence(pose_beside(loop.workspace.model, loop), loop.t, loop.y, names=True)
        names = found.joints if found.least < NEARLY else ()
    if not names:
        return ""
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    shown = ", ".join(f"'{name}'" for name in names[:MOST_SHOWN]) + more
    return f"a singular position {when}where equations of {shown} depend on each other"


def run_notes(
    prepared: Prepared, choices: ch.Choices, loop: TimeLoop, crossing: Crossing, takeover: Takeover | None, lost: bool
) -> tuple[str, ...]:
    """What happened on the way."""
    return (
        *prepared.notes,
        *prepared.model.blueprint.hints,
        *prepared.model.table_notes,
        *_start(prepared, loop.spent.rank_losses, lost),
        *_other_rows(prepared, loop),
        *_crossings(crossing),
        *_blurs(loop),
        *_stiffness(loop, takeover),
        *_exact(loop, choices),
        *_costs(loop),
    )


def _start(prepared: Prepared, rank_losses: int, lost: bool) -> list[str]:
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
    if redundancy.freedoms == 0 and not is_driven(prepared.model.blueprint):
        notes.append("the mechanism is locked: no freedom is left, so nothing moves")
    if redundancy.singular:
        notes.append("the start is a singular position: several motions are possible from it")
    if rank_losses and not lost:  # numbers that are not finite have no rank
        notes.append(
            f"the constraints lost rank in {rank_losses} evaluations: the mechanism passed a singular "
            "position, where it may have changed branch; compare with a shorter step"
        )
    return notes


def _other_rows(prepared: Prepared, loop: TimeLoop) -> list[str]:
    """Where redundant equations were chosen anew."""
    model = loop.workspace.model
    if model.off != prepared.model.off or dropped_of(model) == dropped_of(prepared.model):
        return []
    words = ", ".join(f"{row.joint} ({row.meaning})" for row in model.rows if row.dropped)
    return [f"as the machine turned, others bear no load in place of those left out at the start: {words} at last"]


def _crossings(found: Crossing) -> list[str]:
    if not found.count:
        return []
    times = ", ".join(f"{t:.4g}" for t in found.times) + (", ..." if found.count > len(found.times) else "")
    places = counted(found.count, "singular position")
    return [f"{places} crossed on the branch taken, in chosen steps (t = {times} s)"]


def _blurs(loop: TimeLoop) -> list[str]:
    count = loop.spent.blurs
    if count == 0:
        return []
    words = f"in {counted(count, 'step')} an event changed too fast to be sure that none was missed"
    return [f"{words}; a shorter step, or max_step with dop853, makes sure"]


def _stiffness(loop: TimeLoop, found: Takeover | None) -> list[str]:
    """Explicit methods with error control notice when stability holds their steps short."""
    if found is not None and found.count:
        spans = [f"from t = {s:.4g} s" + ("" if e is None else f" to {e:.4g} s") for s, e in found.spans]
        words = ", ".join(spans) + (", ..." if found.count > len(found.spans) else "")
        return [f"the machine is stiff: stability held the steps of dop853 short, so radau took over ({words})"]
    count = loop.spent.stiff_steps
    if count == 0 or count < STIFF_PART * loop.steps:
        return []
    return [f"the machine is stiff: stability held {counted(count, 'step')} short; radau would take far fewer steps"]


def _exact(loop: TimeLoop, choices: ch.Choices) -> list[str]:
    """Where generalized-alpha and hht took to the exact iteration matrix of their own accord."""
    if loop.exact_from is None or getattr(choices.integrator, "newton", "") != "auto":
        return []
    words = f"from t = {loop.exact_from:g} s on steps were solved with the exact iteration matrix where they had to be"
    nv = loop.workspace.model.nv
    slow = f"; it is dense, which is slow with {nv} velocities: a shorter step may be faster" if nv > MANY else ""
    return [words + slow]


def _costs(loop: TimeLoop) -> list[str]:
    """What users' functions in plain Python cost."""
    calls: dict[tuple[str, str], int] = {}
    seconds: dict[tuple[str, str], float] = {}
    for callback in loop.workspace.callbacks:
        key = callback.where, callback.advice
        calls[key] = calls.get(key, 0) + callback.calls
        seconds[key] = seconds.get(key, 0.0) + callback.seconds
    return [
        f"the Python function of {where} was called {calls[where, advice]} times and took {spent:.2g} s, "
        f"{100 * min(1.0, spent / loop.seconds):.0f} % of the run; {advice} it would run inside the kernel"
        for (where, advice), spent in seconds.items()
        if spent > 0.1 and loop.seconds > 0
    ]


def _callbacks(loop: TimeLoop, observer: Observer) -> list[Callback]:
    return [*loop.workspace.callbacks, *observer.callbacks]


def callback_errors(loop: TimeLoop, observer: Observer) -> list[tuple[str, BaseException]]:
    """Exceptions that users' functions raised, with what they belong to."""
    return [(callback.where, callback.error) for callback in _callbacks(loop, observer) if callback.error is not None]


def raise_errors(loop: TimeLoop, observer: Observer, events: Events) -> None:
    """Exceptions of users' functions go on to the user."""
    found = callback_errors(loop, observer)
    if events.error is not None and not isinstance(events.error, SimulationError):
        found.append(("an event", events.error))
    for callback in _callbacks(loop, observer):  # what was raised belongs to this call alone
        callback.error = None
    if not isinstance(events.error, SimulationError):
        events.error = None
    for where, error in found:
        if isinstance(error, KeyboardInterrupt):
            continue
        raise SimulationError(_raised(loop, where, error)) from error


def _raised(loop: TimeLoop, where: str, error: BaseException) -> str:
    return f"stopped near t = {loop.t:g} s: the function of {where} raised {type(error).__name__}: {error}"


# After a run ------------------------------------------------------------------------------------------------------


def imbalance_notes(run: Solution, again: Callable[..., Any]) -> list[str]:
    """Energy from nowhere: too long steps past a contact, or a method that does not fit the machine.

    Samples may all fall on moments of rest: then a session (made by `again`) looks between them.
    """
    energy = run.energy
    with np.errstate(invalid="ignore"):
        off = float(np.max(np.abs(energy.total - energy.total[0]), initial=0.0))
        parts = (energy.kinetic, energy.potential - energy.potential[0], energy.dissipated, energy.driven)
        scale = max(float(np.max(np.abs(part), initial=0.0)) for part in parts)
        rounding = ROUNDING * float(np.max(np.abs(energy.potential), initial=0.0))
    if not off > IMBALANCE * scale or off <= AT_REST * _reach(run.model) + rounding:
        return []
    scale = max(scale, largest_energy(run, again))
    if not off > IMBALANCE * scale:
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
    turned = float(np.max(np.abs(run.samples[:, run.model.layout.q]), initial=0.0))
    if not apart > DRIFT * run.model.size + ROUNDING * turned:
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
    places = model.outputs
    rates = out[:, places.position_error if choices.treatment.name == "index3" else places.velocity_error]
    speed = float(np.max(np.abs(samples[:, model.layout.v]), initial=0.0))
    wrong = np.flatnonzero(rates > CONTRADICTION * max(1.0, speed))
    treatment = choices.treatment
    projected = not treatment.approximate and treatment.stabilisation.projects
    if not redundancy.dropped or wrong.size == 0 or not projected:
        return status
    names = ", ".join(dict.fromkeys(f"'{row.joint}' ({row.meaning})" for row in redundancy.dropped))
    words = f"from t = {t[wrong[0]]:g} s on the equations contradict each other: {names} cannot hold beside the others"
    return Status(False, words, status.notes)
