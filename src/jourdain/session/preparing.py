"""What a session needs before it begins: choices completed, the mechanism compiled and closed, times that are times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..assembly.prepare import Prepared, prepare
from ..mechanism.errors import ChoiceError
from ..mechanism.parts import Blueprint
from .auto.coordinates import with_best_coordinates

Array = npt.NDArray[np.float64]

CHOICES = ("recipe", "coordinates", "treatment", "stabilisation", "integrator", "step", "rtol", "atol", "max_step")


def chosen_for(blueprint: Blueprint, written: Mapping[str, Any]) -> tuple[ch.Choices, tuple[str, ...]]:
    """Choices as written, completed by those of the mechanism, and notes on what was chosen for the user."""
    if unknown := sorted(set(written) - set(CHOICES)):
        raise ChoiceError(f"there is no choice '{unknown[0]}'; known: {', '.join(CHOICES)}")
    complete = {**dict.fromkeys(CHOICES), **written}
    choices = ch.resolve(blueprint.space, **ch.with_defaults(complete, blueprint.defaults))
    return with_best_coordinates(blueprint, choices)


def prepared_for(
    blueprint: Blueprint, choices: ch.Choices, state: Mapping[str, Any] | None, t: float, notes: Sequence[str] = ()
) -> Prepared:
    """Compiled and closed at time t."""
    found = prepare(blueprint, choices.set, state, t, choices.treatment, choices.integrator)
    return replace(found, notes=(*notes, *found.notes))


def positive_seconds(name: str, value: float) -> float:
    """The same, if it is a positive number."""
    ch.checked_positive(name, value, unit=" of seconds")
    return value


def checked_times(times: Any) -> Array:
    """Sample times as written, if they are any."""
    try:
        grid = np.array(times, dtype=float)
    except (TypeError, ValueError):
        raise ChoiceError(f"times is {times!r}; expected increasing numbers") from None
    if grid.ndim != 1 or grid.size < 1 or not np.all(np.isfinite(grid)) or np.any(np.diff(grid) <= 0):
        raise ChoiceError("times must be finite and strictly increasing")
    return grid
