"""What a session needs before it begins: choices completed, the mechanism compiled and closed, times that are times."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from math import isfinite
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..assembly.prepare import Prepared, prepare
from ..mechanism.builder import Mechanism, blueprint_of
from ..mechanism.errors import ChoiceError
from ..mechanism.names import nearest
from ..mechanism.parts import Blueprint
from .auto.coordinates import with_best_coordinates

Array = npt.NDArray[np.float64]
P = ParamSpec("P")
R = TypeVar("R")

NUMBERS = "iufO"  # kinds of arrays: true and false, texts and complex numbers are no times
MOST_SHOWN = 80  # letters of something that is told as it was written
CHOICES = ("recipe", "coordinates", "treatment", "stabilisation", "integrator", "step", "rtol", "atol", "max_step")


def named(function: Callable[P, R]) -> Callable[P, R]:
    """The same function; a name that none of its arguments has is answered with the nearest one."""
    known = inspect.signature(function).parameters

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        if unknown := kwargs.keys() - known:
            name = min(unknown)
            raise ChoiceError(f"{function.__name__} has no argument '{name}'; {nearest(name, known)}")
        return function(*args, **kwargs)

    return called


def mechanism_in(given: Any) -> Blueprint:
    """The mechanism that a user gave."""
    if not isinstance(given, Mechanism | Blueprint):
        raise ChoiceError(f"{given!r} is no mechanism; jd.Mechanism(name), jd.load(path) and jd.example(name) make one")
    return blueprint_of(given)


def chosen_for(
    blueprint: Blueprint, written: Mapping[str, Any], also: Sequence[str] = ()
) -> tuple[ch.Choices, tuple[str, ...]]:
    """Choices as written, completed by those of the mechanism, and notes on what was chosen for the user.

    `also` are names that could have been meant besides.
    """
    if unknown := sorted(set(written) - set(CHOICES)):
        raise ChoiceError(f"there is no choice '{unknown[0]}'; {nearest(unknown[0], (*CHOICES, *also))}")
    complete = {**dict.fromkeys(CHOICES), **written}
    choices = ch.resolve(blueprint.space, **ch.with_defaults(complete, blueprint.defaults))
    return with_best_coordinates(blueprint, choices)


def prepared_for(
    blueprint: Blueprint, choices: ch.Choices, state: Mapping[str, Any] | None, t: float, notes: Sequence[str] = ()
) -> Prepared:
    """Compiled and closed at time t."""
    if state is not None and not isinstance(state, Mapping):
        raise ChoiceError(f"state is {state!r}; expected states by name, as state() of a run or a session gives them")
    found = prepare(blueprint, choices.set, state, t, choices.treatment, choices.integrator)
    return replace(found, notes=(*notes, *found.notes))


def is_number(value: Any) -> bool:
    """Whether it is a finite real number; true and false are none."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool) and isfinite(value)


def positive_seconds(name: str, value: float) -> float:
    """The same, if it is a positive number."""
    return ch.checked_positive(name, value, unit=" of seconds")


def checked_times(times: Any) -> Array:
    """Sample times as written, if they are any."""
    try:
        given = np.asarray(times)
        if given.dtype.kind not in NUMBERS or (isinstance(times, Sequence) and any(isinstance(t, bool) for t in times)):
            raise TypeError
        grid = np.array(given, dtype=float)
    except (TypeError, ValueError):
        words = f"times is {times!r}" if len(repr(times)) < MOST_SHOWN else f"times is a {type(times).__name__}"
        raise ChoiceError(f"{words}; expected increasing numbers") from None
    if grid.ndim != 1 or grid.size < 1 or not np.all(np.isfinite(grid)) or np.any(np.diff(grid) <= 0):
        raise ChoiceError("times must be finite and strictly increasing")
    return grid
