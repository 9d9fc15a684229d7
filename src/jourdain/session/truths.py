"""What a checkpoint says is checked against what can be known, though its checksum be right: kernels believe it.

Of each thing that is written (`TRUTHS` has them all):

- it is of this mechanism, these choices and this release, and its numbers are listed exactly as this session's are;
- floats are finite, integers within their bounds, orders have each index once, exchanges of rows go downwards;
- y, the state now and the end of the step ahead are states of this machine: charts exist, attitudes have length one,
  joints are closed in position and, where velocities are projected, in velocity;
- clock and counts lead to where it stands: see engine/written_memory.py;
- events are on the side that their functions have there; slopes of positions are those of the state's velocities;
- parameters that nothing but `set` changes have the values that were set.

What is left are numbers that could be true and that nothing but the run itself could tell: guesses, factors of other
moments, slopes of the past. A wrong one there is another guess, or another run of the same machine.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..engine.pose import Pose
from ..engine.written_memory import (
    end_ahead,
    goes_on,
    impossible,
    time_of,
    wrong_events,
)
from ..kernels.layout.loops import NEW_ROW, SLOPE_ROW
from ..mechanism.errors import SimulationError
from ..model.flat import FlatModel
from .shelf import EXCHANGES, Numbers

if TYPE_CHECKING:
    from .session import Session

Array = npt.NDArray[Any]

CLOSED = 1e-6  # of the size: a joint that is more open was not left by this session
WITH_SLOPE = (ch.Rk4, ch.Rk6, ch.Ab6)  # the first row of their work is the slope at y
# Rows of work in which a later step finds a state, and with it the numbers of charts: kernels index with them.
ROWS_OF_STATES = {"METHOD_WORK": (1, -4, -5, -9), "STEP_WORK": (-1, -3, -4, -5, -9)}

FINITE, BOUNDED = "finite", "within its bounds"
GUESS = "finite; where an iteration begins, which ends at the same answer within its tolerance"
FACTOR = "finite; of another moment, for guesses of projections"
# Everything that a checkpoint holds in numbers, and what is checked of it.
TRUTHS = {
    "clock": "times in order, steps as error control or the fixed step leaves them",
    "counts": "bounds of each; not more steps remembered than taken",
    "words": f"{BOUNDED}; the rank expected is that of the mechanism",
    "settings": "finite, not negative; the step ahead begins where y stands",
    "spent": BOUNDED,
    "y": "a state of this machine, closed",
    "now": "a state of this machine, closed; y itself where the time is y's",
    "reference": "a state that this machine has coordinates for",
    "work": "finite; the first row is the slope at y, as far as it is kinematics",
    "METHOD_WORK": "finite, the notes may be infinite; charts exist, the slope at y, the end of the step ahead",
    "STEP_WORK": "finite, the notes may be infinite; charts exist",
    "PARAMETERS": "finite; as set, where no event changes them",
    "EVENT_FIRED": BOUNDED,
    "EVENT_VALUE": "the value at the end of the last step, or zero just after the event",
    "EVENT_WORK": "finite; noise and largest value in proportion",
    "PERMUTATION": "each index once",
    "COLUMN_ORDER": "each index once",
    **dict.fromkeys(EXCHANGES, f"{BOUNDED}, downwards"),
    **dict.fromkeys(("METHOD_ORDERS", "STEP_ORDERS"), BOUNDED),
    **dict.fromkeys(("LAMBDA", "GUESS", "WRENCHES", "POINT_ACCELERATION"), GUESS),
    **dict.fromkeys(("K", "L", "PIVOT", "SCALE", "WEIGHTED", "DENSE", "GRAM", "EXACT"), FACTOR),
    **dict.fromkeys(("DENSE_ROWS", "REFLECTIONS", "TANGENT", "REDUCED"), FACTOR),
    **dict.fromkeys(("LINEAR_MADE_FOR", "LINEAR_INVERSE", "LINEAR_COUPLING", "LINEAR_REST"), FACTOR),
    **dict.fromkeys(("TREE_MATRIX", "TREE_ELIMINATED", "TREE_SHARES", "TREE_CROSSINGS", "TREE_MEETING"), FACTOR),
    "TREE_SUMS": FACTOR,
    "MARGINS": "finite; pivots over diagonals after the last steps, which tell whether a singular position is near",
}


class CheckpointError(SimulationError):
    """A checkpoint does not fit or is damaged; the session is as it was."""


def number(name: str, value: Any) -> float:
    """The same, if it is a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise CheckpointError(f"the checkpoint has {name} = {value!r}; expected a finite number")
    return float(value)


def within(values: Array, most: float) -> bool:
    """Whether all numbers are that small; of few numbers their length is found faster, and nearly always enough."""
    return math.hypot(*values.tolist()) <= most or bool(np.abs(values).max(initial=0.0) <= most)


# Numbers by themselves ------------------------------------------------------------------------------------------------


def check_numbers(numbers: Numbers) -> None:
    """Finite, within bounds, orders and exchanges that can be."""
    shelf, floats, ints = numbers.shelf, numbers.floats, numbers.ints
    if not (np.isfinite(floats[shelf.clock :]).all() or _may_be(floats, shelf.infinite)):  # the clock: see check_run
        for name in shelf.of_floats:
            _check_floats(name, numbers[name], shelf.infinite[shelf.places[name][0]])
    if not ((ints >= shelf.least) & (ints < shelf.below)).all():
        for name in shelf.of_ints:
            _check_ints(name, numbers[name], *shelf.bounds[name])
    for name in shelf.orders:
        if not _is_order(numbers[name].ravel()):
            raise CheckpointError(f"the checkpoint has {name} with an index twice")
    for name in shelf.exchanges:
        rows = numbers[name]
        if not ((rows >= np.arange(rows.shape[1])) | (rows == 0)).all():
            raise CheckpointError(f"the checkpoint has an index in {name} that goes back to a row done already")


def _may_be(floats: Array, infinite: Array) -> bool:
    return bool((np.isfinite(floats) | (infinite & ~np.isnan(floats))).all())


def _check_floats(name: str, values: Array, may_be_infinite: Array) -> None:
    if np.isnan(values).any():
        raise CheckpointError(f"the checkpoint has {name} with numbers that are none")
    if not (np.isfinite(values.ravel()) | may_be_infinite).all():
        raise CheckpointError(f"the checkpoint has {name} with numbers that are not finite")


def _check_ints(name: str, values: Array, least: Any, below: Any) -> None:
    wrong = (values < least) | (values >= below)
    if wrong.any():
        if name in ("counts", "words", "spent"):
            raise CheckpointError("the checkpoint cannot be used: it counts what cannot be")
        raise CheckpointError(f"the checkpoint has an index in {name} that is not below {below}")


def _is_order(values: Array) -> bool:
    return not values.any() or bool((np.bincount(values, minlength=values.size) == 1).all())


# The run --------------------------------------------------------------------------------------------------------------


def check_run(session: Session, t: float, numbers: Numbers) -> None:
    """Clock, counts and words lead to where it stands; parameters are as set."""
    loop, workspace = session.loop, session.loop.workspace
    if wrong := impossible(loop, numbers["clock"], numbers["counts"], numbers["settings"], t):
        raise CheckpointError(f"the checkpoint cannot be used: {wrong}")
    if workspace.expects_other_rank(numbers["words"]):
        raise CheckpointError("the checkpoint cannot be used: its rank is that of another mechanism")
    if "PARAMETERS" in numbers and not workspace.model.blueprint.events:
        given, held = numbers["PARAMETERS"][:, 0], {place for _, place in _phases(workspace.model)}
        now = workspace.numbers
        for name, place in workspace.model.parameters.items():
            if place not in held and given[place] != now[name]:
                raise CheckpointError(
                    f"the checkpoint has {name} = {given[place]:g}, and {now[name]:g} by what was set; no event sets it"
                )


def _phases(model: FlatModel) -> list[tuple[str, int]]:
    return [(name, model.parameters[name]) for _, name in model.floating]


# States ---------------------------------------------------------------------------------------------------------------


def check_state(session: Session, t: float, numbers: Numbers) -> None:
    """All states are ones that this machine can be in, and what belongs to them does."""
    workspace = session.loop.workspace
    model = workspace.model
    clock, y, now = numbers["clock"], numbers["y"], numbers["now"]
    pose = session.observer.pose(workspace)
    if "PARAMETERS" in numbers:
        pose.set_numbers(numbers["PARAMETERS"])
    at, ahead = time_of(clock), end_ahead(clock)
    closed = session.choices.treatment.stabilisation.projects
    still = closed and isinstance(session.loop.integrator, (ch.Adaptive, *WITH_SLOPE))
    if numbers["reference"].tobytes() != session.reference.tobytes():
        _check_coordinates(pose, numbers["reference"])
    last = at, y
    if model.set.charts:
        _check_charts(model, numbers)
    if ahead is not None and "METHOD_WORK" in numbers:
        last = ahead, np.array(numbers["METHOD_WORK"][NEW_ROW][: y.size])
        _check_one(pose, *last, closed, still)
    _check_one(pose, at, y, closed, still)
    if t != at:
        _check_one(pose, t, now, closed, still)
    elif now.tobytes() != y.tobytes():
        raise CheckpointError("the checkpoint stands in two states at one time")
    if goes_on(clock, numbers["counts"]):
        _check_slope(session, pose, at, numbers)
        _check_events(session, pose, *last, numbers)


def _check_one(pose: Pose, t: float, y: Array, closed: bool, still: bool) -> None:
    """A state: its coordinates can be, its joints are closed, and `still`: stay so by its velocities."""
    model = pose.model
    _check_coordinates(pose, y)
    if not closed or not model.rows:
        return
    gaps, most = pose.residual(t, y), CLOSED * max(1.0, model.size)
    if not within(gaps, most):
        worst = int(np.argmax(np.abs(gaps)))
        raise CheckpointError(
            f"the checkpoint has '{model.rows[worst].joint}' open by {abs(gaps[worst]):.3g} (m or rad); it was not "
            "left by this machine"
        )
    speeds = pose.speeds(t, y) if still else gaps
    if still and not within(speeds, most) and not within(speeds, most * max(1.0, np.abs(y[model.layout.v]).max())):
        worst = int(np.argmax(np.abs(speeds)))
        raise CheckpointError(
            f"the checkpoint has '{model.rows[worst].joint}' opening by {abs(speeds[worst]):.3g} (m or rad) a second; "
            "it was not left by this machine"
        )


def _check_coordinates(pose: Pose, y: Array) -> None:
    model = pose.model
    q = y[model.layout.q]
    if words := model.set.valid(q):
        raise CheckpointError(f"the checkpoint has coordinates that cannot be: {words}")
    if not within(pose.retract(y, np.zeros(model.nv))[model.layout.q] - q, CLOSED):
        raise CheckpointError("the checkpoint has coordinates that are no attitude: a length is not one")


def _check_charts(model: FlatModel, numbers: Numbers) -> None:
    for name, rows in ROWS_OF_STATES.items():
        work = numbers[name] if name in numbers else np.zeros((0, 0))
        for row in rows if len(work) >= len(rows) + 9 else ():
            if words := model.set.valid(work[row][model.layout.q]):
                raise CheckpointError(f"the checkpoint has {name} with coordinates that cannot be: {words}")


def _check_slope(session: Session, pose: Pose, t: float, numbers: Numbers) -> None:
    """The slope at y that the next step begins with: its part of kinematics, which no law of force decides."""
    loop = session.loop
    if isinstance(loop.integrator, ch.Adaptive):
        slope = numbers["METHOD_WORK"][SLOPE_ROW]
    elif isinstance(loop.integrator, WITH_SLOPE):
        slope = numbers["work"][SLOPE_ROW]
    else:
        return
    found = pose.rates(t, numbers["y"])
    apart = found - slope[: found.size]
    if not within(apart, CLOSED) and not within(apart, CLOSED * max(1.0, np.abs(found).max())):
        raise CheckpointError("the checkpoint has a slope that is not that of its state")


def _check_events(session: Session, pose: Pose, t: float, y: Array, numbers: Numbers) -> None:
    """Sides of events are those that their functions have at the end of the last step."""
    if "EVENT_VALUE" not in numbers:
        return
    found = None if pose.workspace.callbacks else pose.event_values(t, y)
    wrong = wrong_events(numbers["EVENT_VALUE"], numbers["EVENT_WORK"], found)
    if wrong is not None:
        events = pose.model.blueprint.events
        name = events[wrong].name if wrong < len(events) else "of a table's end"
        raise CheckpointError(f"the checkpoint has event {name} on a side where it cannot be")
