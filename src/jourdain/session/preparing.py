"""What a session needs before it begins: choices completed, the mechanism compiled and closed, times that are times."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..assembly.prepare import Prepared, prepare
from ..mechanism.errors import ChoiceError
from ..mechanism.names import nearest
from ..mechanism.parts import Blueprint
from .auto.coordinates import with_best_coordinates

Array = npt.NDArray[np.float64]
P = ParamSpec("P")
R = TypeVar("R")


def memory_of_the_machine() -> float:
    """Bytes, where the system says it."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 64e9


NUMBERS = "iufO"  # kinds of arrays: true and false, texts and complex numbers are no times
NUMBER_SIZE = 8  # bytes
MEMORY = memory_of_the_machine()
MOST_SHOWN = 80  # letters of something that is told as it was written
CHOICES = ("recipe", "coordinates", "treatment", "stabilisation", "integrator", "step", "rtol", "atol", "max_step")


def chosen_for(blueprint: Blueprint, written: Mapping[str, Any], also: Sequence[str] = ()) -> ch.Choices:
    """Choices as written, completed by those of the mechanism and by what is best for it.

    `also` are names that could have been meant besides.
    """
    if unknown := sorted(set(written) - set(CHOICES)):
        raise ChoiceError(f"there is no choice '{unknown[0]}'; {nearest(unknown[0], (*CHOICES, *also))}")
    complete = {**dict.fromkeys(CHOICES), **written}
    choices = ch.resolve(blueprint.space, **ch.with_defaults(complete, blueprint.defaults))
    return with_best_coordinates(blueprint, choices)


def prepared_for(blueprint: Blueprint, choices: ch.Choices, state: Mapping[str, Any] | None, t: float) -> Prepared:
    """Compiled and closed at time t."""
    return prepare(blueprint, choices.set, state, t, choices.treatment, choices.integrator)


def positive_seconds(name: str, value: float) -> float:
    """The same, if it is a positive number."""
    return ch.checked_positive(name, value, unit=" of seconds")


def check_room(samples: float, width: int = 1) -> None:
    """Refuse more samples of so many numbers each than the memory of the machine can take, twice: some are copied."""
    if 2.0 * NUMBER_SIZE * width * samples > MEMORY:
        size = NUMBER_SIZE * width * samples / 1e9
        numbers = "" if width == 1 else f" of {width} numbers each"
        raise ChoiceError(
            f"{samples:.3g} samples{numbers} are asked for: {size:.3g} GB, and the machine has {MEMORY / 1e9:.3g} GB; "
            "give a larger every, or fewer times"
        )


def checked_times(times: Any) -> Array:
    """Sample times as written, if they are any."""
    try:
        given = np.asarray(times)
        if given.dtype.kind not in NUMBERS or (isinstance(times, Sequence) and any(isinstance(t, bool) for t in times)):
            raise TypeError
        grid = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        words = f"times is {times!r}" if len(repr(times)) < MOST_SHOWN else f"times is a {type(times).__name__}"
        raise ChoiceError(f"{words}; expected increasing numbers") from None
    if grid.ndim != 1 or grid.size < 1 or not np.all(np.isfinite(grid)) or np.any(np.diff(grid) <= 0):
        raise ChoiceError("times must be finite and strictly increasing")
    return grid
