"""kinematics: positions, velocities, accelerations and driving efforts over a range of the driver."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..assembly.prepare import Prepared, prepare
from ..engine.body_states import whole_state
from ..engine.callbacks import raise_errors
from ..engine.pose import Pose
from ..files.by_name import Given, or_file
from ..mechanism.builder import blueprint_of
from ..mechanism.errors import ChoiceError, MechanismError
from ..mechanism.fault import Fault
from ..mechanism.names import counted
from ..mechanism.parts import Blueprint
from ..mechanism.taken import Seconds
from ..results.driven_motion import Drive, Kinematics
from ..results.status import SimulationWarning
from .paths import driving, own_drive
from .paths.freedoms import Undriven, undriven
from .paths.path import Path, PathEndError
from .paths.sampling import Sweep, swept
from .paths.travel_limits import through_singular
from .simulate import time_grid

Array = npt.NDArray[np.float64]

DEFAULT_POINTS = 361
DEFAULT_SPEED = 1.0  # rad/s or m/s
AS_DRAWN = 1e-9  # rad or m


@or_file
def kinematics(
    mechanism: Given,
    drive: str | None = None,
    *,
    from_: float | str | None = None,
    to: float | str | None = None,
    speed: float | str | None = None,
    points: int | None = None,
    duration: Seconds | None = None,
    every: Seconds | None = None,
    times: Sequence[float] | Array | None = None,
    state: Mapping[str, Any] | None = None,
    coordinates: str | ch.Coordinates | None = None,
) -> Kinematics:
    """Move a mechanism through a range of a joint, or through the time of its own motions.

    `drive` names a joint with an angle or a displacement (`"A"`, `"C.displacement"`), or one of the motions. It is
    driven `from_` (default: as drawn) `to` (default: one turn on, the way its own motion turns) at constant `speed`
    (default: that of its own motion, if it is steady, else 1 rad/s or 1 m/s; the summary says which) with `points`
    samples (default: 361). Numbers are SI; texts may have units: `to="720 deg"`, `speed="1500 rpm"`. Without
    `drive` the mechanism's motions run through `duration` seconds, `every` so many, or through `times`.

    The branch is the one drawn, or that of `state`, and is kept. At a limit of travel the run ends with a status that
    says where, and warns. All freedoms must be driven; idle ones, like the spin of a rod between two balls, move as
    little as they can. `coordinates` are `angle` in the plane and `quaternion` in space if none are given.
    """
    for_range = {"from_": from_, "to": to, "speed": speed, "points": points}
    for_time = {"duration": duration, "every": every, "times": times}
    blueprint = blueprint_of(mechanism)
    chosen = None if coordinates is None else ch.coordinates_of(blueprint.space, coordinates)
    result, _ = moved_along(blueprint, drive, for_range, for_time, state, chosen)
    if not result.status.ok:
        warnings.warn(result.status.sentence, SimulationWarning, stacklevel=3)
    return result


def moved_along(
    blueprint: Blueprint,
    drive: str | None,
    for_range: dict[str, Any],
    for_time: dict[str, Any],
    state: Mapping[str, Any] | None,
    coordinates: ch.Coordinates | None = None,
) -> tuple[Kinematics, Prepared]:
    """The kinematic run, and the mechanism as it was made ready for it."""
    wrong = [name for name, value in (for_range if drive is None else for_time).items() if value is not None]
    if wrong:
        without, verb = ("without", "needs") if drive is None else ("with", "is for motions through time, not for")
        raise ChoiceError(f"{', '.join(wrong)} {without} drive: {wrong[0]} {verb} drive= the name of a joint or motion")
    if drive is None:
        return _through_time(blueprint, for_time, state, coordinates)
    return _through_range(blueprint, drive, for_range, state, coordinates)


def _through_time(
    blueprint: Blueprint,
    written: dict[str, Any],
    state: Mapping[str, Any] | None,
    coordinates: ch.Coordinates | None,
) -> tuple[Kinematics, Prepared]:
    if not blueprint.motions:
        faults = [f"nothing drives it: it has no motions; {_candidates(blueprint, state)}"]
        raise blueprint.refused(faults)
    if written["times"] is None:
        written = {k: blueprint.defaults.get(k) if v is None else v for k, v in written.items()}
    grid = time_grid(written["duration"], written["every"], written["times"])
    prepared, free = _ready(driving.positioned(blueprint), state, float(grid[0]), coordinates)
    try:
        return follow_path(prepared, free, float(grid[0]), grid, None), prepared
    except PathEndError as stop:
        raise blueprint.refused([f"the motions cannot begin at t = {grid[0]:g} s: {stop}"]) from None


def _candidates(blueprint: Blueprint, state: Mapping[str, Any] | None) -> str:
    base = prepare(blueprint, _coordinates(blueprint), state)
    free = undriven(base.model, Pose(base.model, base.workspace), base.assembly.y, 0.0)
    if not free.count:
        return "and nothing could: it is locked, no freedom is left"
    if not free.drivable:
        return "give it a motion of a point"
    if free.missing == 1:
        return f"drive one of {', '.join(free.drivable)}"
    return f"it needs {free.missing}, one for each freedom, of joints among {', '.join(free.drivable)}"


def _coordinates(blueprint: Blueprint, chosen: ch.Coordinates | None = None) -> str | ch.Coordinates:
    return ch.DEFAULT_COORDINATES[blueprint.space] if chosen is None else chosen


def _ready(
    blueprint: Blueprint, state: Mapping[str, Any] | None, t: float, coordinates: ch.Coordinates | None
) -> tuple[Prepared, Undriven]:
    """A mechanism whose motions take all its freedom, closed at `t`; anything else is refused."""
    chosen = _coordinates(blueprint, coordinates)
    prepared = prepare(blueprint, chosen, state, t)
    rolling = dict.fromkeys(row.joint for row in prepared.model.rows if row.velocity)
    if rolling:
        words = "holds velocities only, so positions depend on what came before; simulate instead"
        raise blueprint.refused([Fault(name, "", f"'{name}' {words}") for name in rolling])
    if prepared.redundancy.dropped and not prepared.model.set.joined:
        # Rows that are redundant here may be needed there: keep all.
        prepared = prepare(blueprint, chosen, state, t, ch.UdwadiaKalaba())
    free = undriven(prepared.model, Pose(prepared.model, prepared.workspace), prepared.assembly.y, t)
    if free.missing:
        raise UndrivenError(blueprint, free)
    return prepared, free


class UndrivenError(MechanismError):
    """Freedoms are left that no motion takes."""

    def __init__(self, blueprint: Blueprint, free: Undriven) -> None:
        self.missing = free.missing
        super().__init__(blueprint.name, blueprint.refused([_not_driven(free)]).faults)


def _not_driven(free: Undriven) -> str:
    n = free.missing
    words = f"{counted(n, 'freedom')} {'is' if n == 1 else 'are'} not driven, so the motion is not determined"
    if not free.drivable:
        return f"{words}; no joint with an angle or a displacement moves in {'it' if n == 1 else 'them'}: drive a point"
    which = "one of these joints" if n == 1 else f"{n} of these joints"
    return f"{words}; add {'a motion' if n == 1 else 'motions'} of {which}: {', '.join(free.drivable)}"


# Through a range of one joint ------------------------------------------------------------------------------------


def _through_range(
    blueprint: Blueprint,
    drive: str,
    written: dict[str, Any],
    state: Mapping[str, Any] | None,
    coordinates: ch.Coordinates | None,
) -> tuple[Kinematics, Prepared]:
    asked = driving.asked(blueprint, drive)
    to, speed, points = driving.checked_range(asked, written["to"], written["speed"], written["points"])
    rest = driving.positioned(driving.without(blueprint, asked))
    base = prepare(rest, _coordinates(rest), state)
    undriven_before = _check_base(base, asked)
    begun: Mapping[str, Any] = whole_state(base.model, base.assembly.y)
    drawn = _value(driving.driven(rest, asked, 0.0, 1.0), begun, asked)
    if state is None:
        begun, drawn = _as_drawn(rest, asked, begun, drawn)
    own = own_drive.own_rate(blueprint, asked)
    origin = "given" if speed is not None else asked.name if own is not None else ""
    speed = speed if speed is not None else abs(own) if own is not None else DEFAULT_SPEED
    start = drawn if written["from_"] is None else asked.amount("from_", written["from_"])
    end = start + math.copysign(2 * math.pi, own or 1.0) if to is None else to
    if end == start:
        raise ChoiceError(f"from_ and to are both {start:g}: a driver that does not move has no range")
    driver = driving.driver(asked, start, end, speed, origin)
    grid = np.linspace(0.0, abs(end - start) / speed, points or DEFAULT_POINTS)
    try:
        return _from_drawn(rest, asked, begun, drawn, driver, grid, coordinates)
    except UndrivenError as error:
        if error.missing < undriven_before:
            raise
        raise blueprint.refused([_stands_still(asked, "a joint")]) from None


def _as_drawn(
    rest: Blueprint, asked: driving.Asked, begun: Mapping[str, Any], assembled: float
) -> tuple[Mapping[str, Any], float]:
    """The start where the driven joint stands as it is drawn, if the others can follow; else as all are assembled.

    Assembling alone is fair to all bodies that are written, and may turn the driven one away from where it is drawn.
    """
    drawn = own_drive.drawn_value(rest, asked, begun)
    if drawn is None:
        return begun, assembled
    if asked.angular:
        drawn += 2 * math.pi * round((assembled - drawn) / (2 * math.pi))
    if abs(drawn - assembled) < AS_DRAWN:
        return begun, assembled
    try:
        there = prepare(driving.driven(rest, asked, drawn, 0.0), _coordinates(rest), None)
    except MechanismError:
        return begun, assembled
    return whole_state(there.model, there.assembly.y), drawn


def _from_drawn(
    rest: Blueprint,
    asked: driving.Asked,
    begun: Mapping[str, Any],
    drawn: float,
    driver: Drive,
    grid: Array,
    coordinates: ch.Coordinates | None,
) -> tuple[Kinematics, Prepared]:
    """Through the range, from where it is drawn; other motions begin when the start has been taken up."""
    if not rest.motions:
        return _brought(rest, asked, begun, drawn, driver, grid, coordinates)
    # The others stand still while the start is taken up, and then begin at their own t = 0.
    there, _ = _brought(driving.held(rest), asked, begun, drawn, driver, grid[:1], coordinates)
    whole = driving.driven(rest, asked, driver.start, driver.rate)
    prepared, free = _ready(whole, there.state(0), 0.0, coordinates)
    return follow_path(prepared, free, 0.0, grid, driver), prepared


def _brought(
    rest: Blueprint,
    asked: driving.Asked,
    begun: Mapping[str, Any],
    drawn: float,
    driver: Drive,
    grid: Array,
    coordinates: ch.Coordinates | None,
) -> tuple[Kinematics, Prepared]:
    """From the drawn pose to the start of the range on the branch drawn, and on through the grid."""
    whole = driving.driven(rest, asked, driver.start, driver.rate)
    ends: list[PathEndError] = []
    for value in _ways(drawn, driver.start, asked):
        t0 = (value - driver.start) / driver.rate
        prepared, free = _ready(whole, begun, t0, coordinates)
        try:
            return follow_path(prepared, free, t0, grid, driver), prepared
        except PathEndError as stop:
            ends.append(stop)
    places = " and ".join(driver.shown(driver.value(stop.t)) for stop in ends)
    words = f"'{asked.joint}' cannot be driven from where it is drawn ({driver.shown(drawn)}) to from_"
    raise ChoiceError(f"{words} = {driver.shown(driver.start)}: limit of travel at {places}")


def _ways(drawn: float, start: float, asked: driving.Asked) -> list[float]:
    """The drawn value counted so that the start is near: the shorter way round first, then the longer."""
    if not asked.angular:
        return [drawn]
    turn = 2 * math.pi
    near = drawn + turn * round((start - drawn) / turn)
    return [near] if near == start else [near, near + math.copysign(turn, start - near)]


def _check_base(base: Prepared, asked: driving.Asked) -> int:
    """Refuse a mechanism that has no freedom for the driver, or a pose in which the driver decides nothing.

    Returns how many freedoms there are.
    """
    free = undriven(base.model, Pose(base.model, base.workspace), base.assembly.y, 0.0)
    if base.redundancy.singular:
        words = "the drawn pose is singular: several motions are possible from it"
        raise base.model.blueprint.refused([f"{words}; draw it a little further on, on the branch that is meant"])
    if free.missing == 0:
        motions = ", ".join(f"'{m.name}'" for m in base.model.blueprint.motions)
        if motions:
            words = f"'{asked.joint}' cannot be driven too: all freedom is taken by {motions}"
            raise base.model.blueprint.refused([f"{words}; drive one of these, or leave drive out"])
        raise base.model.blueprint.refused(
            [f"it is locked: no freedom is left that '{asked.joint}' could be driven in"]
        )
    if asked.point is None and not {asked.joint, f"{asked.joint}.{asked.quantity}"} & set(free.drivable):
        raise base.model.blueprint.refused([_stands_still(asked, ", ".join(free.drivable) or "a point")])
    return free.missing


def _stands_still(asked: driving.Asked, instead: str) -> str:
    what = asked.joint if asked.point is None else f"{asked.joint}.{asked.quantity}"
    words = f"'{what}' stands still in every motion possible from the drawn pose, so it cannot drive"
    return f"{words}; draw it away from a limit of its travel, or drive {instead}"


def _value(blueprint: Blueprint, state: Mapping[str, Any], asked: driving.Asked) -> float:
    """The coordinate at a state: what the row of its motion lacks at t = 0."""
    return own_drive.value_at(blueprint, state, asked)


# The sweep -------------------------------------------------------------------------------------------------------


def follow_path(prepared: Prepared, free: Undriven, t0: float, grid: Array, driver: Drive | None) -> Kinematics:
    """From the closed state at t0 to the first time of the grid, and on through all of it.

    Raises PathEndError where the first time cannot be reached; later ends are in the status.
    """
    path = Path(prepared.workspace, free.idle, through_singular)
    begun = time.perf_counter()
    try:
        sweep = Sweep.run(path, prepared.assembly.y, t0, grid)
    finally:
        raise_errors(prepared.workspace.callbacks)
    return swept(prepared, free, sweep, grid, driver, time.perf_counter() - begun)
