"""simulate: a mechanism and a time span in, a Solution out."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack, overload

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..choices.keys import ChoiceKeys, MachineKeys
from ..files.by_name import Given, or_file
from ..mechanism.arguments import asked, seconds_of
from ..mechanism.builder import blueprint_of
from ..mechanism.errors import ChoiceError, SimulationError
from ..mechanism.machine import Machine, Run, or_machine
from ..mechanism.taken import Seconds
from ..model.facts import calls_functions
from ..results.solution import Solution
from ..results.status import SimulationWarning
from ..session.preparing import check_room, checked_times, chosen_for, prepared_for
from ..session.progress import Progress, reporter
from ..session.session import Session

Array = npt.NDArray[np.float64]

DEFAULT_SAMPLES = 200


@overload
def simulate(
    mechanism: Given,
    duration: Seconds | None = None,
    *,
    every: Seconds | None = None,
    times: Sequence[float] | Array | None = None,
    state: Mapping[str, Any] | None = None,
    progress: bool | Callable[[Progress], None] | None = None,
    **choices: Unpack[ChoiceKeys],
) -> Solution: ...
@overload
def simulate(
    mechanism: Machine[Run, Any, Any, Any],
    duration: Seconds | None = None,
    *,
    every: Seconds | None = None,
    times: Sequence[float] | Array | None = None,
    state: Mapping[str, Any] | None = None,
    progress: bool | Callable[[Progress], None] | None = None,
    **choices: Unpack[MachineKeys],
) -> Run: ...
@or_file  # type: ignore[misc]
@or_machine
@asked
def simulate(
    mechanism: Given,
    duration: Seconds | None = None,
    *,
    every: Seconds | None = None,
    times: Sequence[float] | Array | None = None,
    recipe: str | None = None,
    coordinates: str | ch.Coordinates | None = None,
    treatment: str | ch.Treatment | None = None,
    stabilisation: str | ch.Stabilisation | None = None,
    integrator: str | ch.Integrator | None = None,
    step: Seconds | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    max_step: Seconds | None = None,
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
    choices = chosen_for(blueprint, written)
    if times is None:
        duration = blueprint.defaults.get("duration") if duration is None else duration
        every = blueprint.defaults.get("every") if every is None else every
    grid = time_grid(duration, every, times)
    start, end = float(grid[0]), float(grid[-1])
    prepared = prepared_for(blueprint, choices, state, start)
    # A user's own function may know nothing beyond the end, so it is not asked there.
    until = end if end > start and calls_functions(prepared.model) else None
    session = Session(prepared, choices, start, times=grid, until=until)
    report, loop = reporter(progress), session.loop
    loop.on_look = lambda: report(Progress(loop.t, start, end, loop.seconds))
    error: SimulationError | None = None
    try:
        session.advance(to=end)
    except SimulationError as raised:
        error = raised
    report(Progress(loop.t, start, end, loop.seconds, over=True))
    solution = session.solution()
    if error is not None:
        error.solution = solution
        raise error
    if not solution.status.ok:
        warnings.warn(solution.status.sentence, SimulationWarning, stacklevel=5)
    return solution


def time_grid(duration: float | str | None, every: float | str | None, times: Any) -> Array:
    """Sample times, as `duration` and `every` or `times` say."""
    if times is not None:
        if duration is not None or every is not None:
            raise ChoiceError("give either times, or duration and every; not both")
        return checked_times(times)
    if duration is None:
        raise ChoiceError("duration is None; expected a positive number of seconds")
    duration = seconds_of("duration", duration) if isinstance(duration, str) else duration
    every = seconds_of("every", every) if isinstance(every, str) else every
    ch.checked_positive("duration", duration, unit=" of seconds")
    if every is None:
        return np.linspace(0.0, duration, DEFAULT_SAMPLES + 1, dtype=np.float64)
    ch.checked_positive("every", every, unit=" of seconds")
    check_room(float(duration) / float(every))
    count = math.floor(duration / every * (1 + 1e-12))
    grid = np.array(every * np.arange(count + 1), dtype=np.float64)
    if duration - grid[-1] > 1e-9 * duration:
        return np.append(grid, duration)
    grid[-1] = duration
    return grid
