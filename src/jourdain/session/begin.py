"""jd.session: a mechanism in, a session out that stands at the start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack, overload

import numpy as np
import numpy.typing as npt

from ..choices.keys import ChoiceKeys, MachineKeys
from ..files.by_name import Given, or_file
from ..mechanism.arguments import is_finite
from ..mechanism.builder import blueprint_of
from ..mechanism.errors import ChoiceError
from ..mechanism.machine import Going, Machine
from .preparing import checked_times, chosen_for, positive_seconds, prepared_for
from .session import Session

Array = npt.NDArray[np.float64]


@overload
def begin(
    mechanism: Given,
    *,
    until: float | None = None,
    every: float | None = None,
    times: Sequence[float] | Array | None = None,
    state: Mapping[str, Any] | None = None,
    **choices: Unpack[ChoiceKeys],
) -> Session: ...
@overload
def begin(
    mechanism: Machine[Any, Going, Any, Any],
    *,
    until: float | None = None,
    every: float | None = None,
    times: Sequence[float] | Array | None = None,
    state: Mapping[str, Any] | None = None,
    **choices: Unpack[MachineKeys],
) -> Going: ...
@or_file  # type: ignore[misc]
def begin(
    mechanism: Given,
    *,
    until: float | None = None,
    every: float | None = None,
    times: Sequence[float] | Array | None = None,
    state: Mapping[str, Any] | None = None,
    **choices: Unpack[ChoiceKeys],
) -> Session:
    """A session of a mechanism: compiled, closed, at the start; `choices` are those of `simulate`.

    Samples are kept at `times`, the first of which is the start, or `every` so many seconds. No step goes beyond
    `until`.
    """
    blueprint = blueprint_of(mechanism)
    chosen = chosen_for(blueprint, choices, ("until", "every", "times", "state"))
    if every is not None and times is not None:
        raise ChoiceError("give either times or every; not both")
    if every is not None:
        every = positive_seconds("every", every)
    grid = None if times is None else checked_times(times)
    start = 0.0 if grid is None else float(grid[0])
    if until is not None and not (is_finite(until) and until > start):
        raise ChoiceError(f"until is {until!r}; expected a time after the start, {start:g} s")
    prepared = prepared_for(blueprint, chosen, state, start)
    end = None if until is None else float(until)
    return Session(prepared, chosen, start, times=grid, every=every, until=end, written=choices, given=state)
