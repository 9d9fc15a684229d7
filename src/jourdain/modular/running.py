"""simulate and session of a system."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack, cast

import numpy as np
import numpy.typing as npt

from ..analysis.simulate import DEFAULT_SAMPLES, time_grid
from ..choices.keys import MachineKeys
from ..mechanism.arguments import asked
from ..mechanism.errors import ChoiceError
from ..mechanism.names import nearest
from ..mechanism.taken import Seconds
from ..results.status import SimulationWarning
from ..session.preparing import CHOICES, checked_times, positive_seconds
from ..session.progress import Progress, reporter
from .coupled import OWN, SystemSession, chosen_options
from .macro import SAME, fitting_every
from .system import System
from .system_solution import SystemSolution

Array = npt.NDArray[np.float64]


@asked
def simulate(
    system: System,
    duration: Seconds | None = None,
    *,
    every: Seconds | None = None,
    times: Sequence[float] | Array | None = None,
    state: Mapping[str, Any] | None = None,
    progress: bool | Callable[[Progress], None] | None = None,
    **choices: Unpack[MachineKeys],
) -> SystemSolution:
    """Simulate a system for `duration` seconds: `coupling`, `macro_step` and `threads` beside choices for its boxes.

    All else is as for one mechanism; `progress` is told after each macro step.
    """
    given = {**_defaults(system), **{k: v for k, v in choices.items() if v is not None}}
    written = given.pop("duration", None), given.pop("every", None)
    if times is None:
        duration, every = written[0] if duration is None else duration, written[1] if every is None else every
    _check(given)
    options = chosen_options(given)
    H = options.macro_step if isinstance(options.macro_step, float) else None
    if times is None and H is not None:
        every = _checked_every(cast("float | None", duration), cast("float | None", every), H)  # texts were read
    grid = time_grid(duration, every, times)
    if H is not None:
        _check_grid(grid, H)
    start, end = float(grid[0]), float(grid[-1])
    session = SystemSession(system, options, t=start, times=grid, state=state)
    report, begun = reporter(progress), time.perf_counter()

    def look(t: float, over: bool = False) -> None:
        report(Progress(t, start, end, time.perf_counter() - begun, over))

    session.on_step = look
    try:
        session.advance(to=end)
        found = session.solution()
    finally:
        look(session.t, over=True)
        session.close()
    if not found.status.ok:
        warnings.warn(found.status.sentence, SimulationWarning, stacklevel=3)
    return found


@asked
def session(
    system: System,
    *,
    until: float | None = None,
    every: float | None = None,
    times: Sequence[float] | Array | None = None,
    state: Mapping[str, Any] | None = None,
    **choices: Unpack[MachineKeys],
) -> SystemSession:
    """A session of a system, at the start."""
    given = {**_defaults(system), **{k: v for k, v in choices.items() if v is not None}}
    for key in ("duration", "every"):
        given.pop(key, None)
    _check(given)
    options = chosen_options(given)
    H = options.macro_step if isinstance(options.macro_step, float) else None
    if every is not None and times is not None:
        raise ChoiceError("give either times or every; not both")
    grid = None if times is None else checked_times(times)
    if every is not None:
        every = positive_seconds("every", every)
        if H is not None:
            _fits(every, H)
    if grid is not None and H is not None:
        _check_grid(grid, H)
    start = 0.0 if grid is None else float(grid[0])
    return SystemSession(system, options, t=start, every=every, times=grid, until=until, state=state)


def _defaults(system: System) -> dict[str, Any]:
    return dict(system.defaults)


def _check(given: Mapping[str, Any]) -> None:
    known = (*CHOICES, *OWN)
    if unknown := sorted(set(given) - set(known)):
        raise ChoiceError(f"there is no choice '{unknown[0]}'; {nearest(unknown[0], known)}")


def _checked_every(duration: float | None, every: float | None, H: float) -> float | None:
    if duration is None:
        return every
    length = positive_seconds("duration", duration)
    count = length / H
    if abs(count - round(count)) > SAME * max(1.0, count):
        low = max(1, int(np.floor(count)))
        raise ChoiceError(
            f"duration is {length:g} s, no multiple of macro_step {H:g} s; the nearest are {low * H:g} s and "
            f"{(low + 1) * H:g} s"
        )
    if every is None:
        return fitting_every(H, length, DEFAULT_SAMPLES)
    _fits(positive_seconds("every", every), H)
    return every


def _fits(every: float, H: float) -> None:
    count = every / H
    if abs(count - round(count)) > SAME * max(1.0, count) or round(count) < 1:
        low = int(np.floor(count))
        near = [k * H for k in (low, low + 1) if k >= 1]
        raise ChoiceError(
            f"every is {every:g} s, and samples lie on macro points, {H:g} s apart; "
            f"the nearest that fit are {' and '.join(f'{one:g} s' for one in near)}"
        )


def _check_grid(grid: Array, H: float) -> None:
    counts = (grid - grid[0]) / H
    wrong = np.flatnonzero(np.abs(counts - np.round(counts)) > SAME * np.maximum(1.0, counts))
    if wrong.size:
        t, low = float(grid[wrong[0]]), int(np.floor(counts[wrong[0]]))
        before, after = (float(grid[0]) + k * H for k in (low, low + 1))
        raise ChoiceError(
            f"t = {t:g} s lies between two macro points, {before:g} s and {after:g} s; samples lie on macro points"
        )
