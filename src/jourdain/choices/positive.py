"""Numbers of choices: sentences about those that cannot be."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..mechanism.errors import ChoiceError

MIN_RTOL = 1e-14
MIN_TOLERANCE = 1e-14
MAX_ALPHA = 1e9  # of augmented-lagrangian and penalty


def positive(key: str, value: Any, infinite: bool = False, unit: str = "") -> str | None:
    """What is wrong with a number that must be positive, if anything."""
    expected = f"expected a positive number{unit}"
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return f"{key} is {value!r}; {expected}"
    try:
        number = float(value)
    except OverflowError:
        return f"{key} is a number of {len(str(value))} digits; {expected}"
    except TypeError:  # complex
        return f"{key} is {value!r}; {expected}"
    if not number > 0 or (math.isinf(number) and not infinite):
        return f"{key} is {value}; {expected}"
    return None


def checked_positive(key: str, value: Any, infinite: bool = False, unit: str = "") -> float:
    """A positive number, or a refusal that names it."""
    if words := positive(key, value, infinite, unit):
        raise ChoiceError(words, key)
    return float(value)


def above_rounding(rtol: float) -> str | None:
    """What is wrong with a tolerance that is positive, if anything."""
    if rtol < MIN_RTOL:
        return f"rtol is {rtol:g}; numbers have 16 digits, so less than {MIN_RTOL:g} cannot be asked for"
    return None


def tolerance(value: float) -> str | None:
    """Of an iteration for the multipliers."""
    if words := positive("tolerance", value):
        return words
    return None if MIN_TOLERANCE <= value < 1 else f"tolerance is {value:g}; expected {MIN_TOLERANCE:g} to 1"


def penalty(key: str, value: float, expected: str) -> str | None:
    """alpha of augmented-lagrangian and penalty, and what is like it."""
    return positive(key, value) or (None if 1 <= value <= MAX_ALPHA else f"{key} is {value:g}; {expected}")
