"""Arguments of public functions, checked against what their signatures say before anything is computed from them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from math import isfinite
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from .errors import ChoiceError
from .names import nearest
from .units import quantity

P = ParamSpec("P")
R = TypeVar("R")

TIMES = ("duration", "every", "step", "max_step", "until", "dt", "t")  # arguments that are times
GIVERS = ("state", "solution", "frozen")  # methods that are often given where their result is meant
MOST_SHOWN = 80  # letters of something that is told as it was written


class Kind(NamedTuple):
    """What a word of an annotation means: whether a value is that, and how it is called."""

    words: str
    fits: Callable[[Any], bool]


def is_number(value: Any) -> bool:
    """Whether it is a real number that fits into a float; true and false are none."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    try:
        float(value)
    except OverflowError:  # an integer of hundreds of digits
        return False
    return True


def is_finite(value: Any) -> bool:
    """Whether it is such a number, and neither infinite nor none at all."""
    return is_number(value) and isfinite(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes) and np.ndim(_outer(value)) == 1


def _outer(value: Any) -> Any:
    return value if isinstance(value, np.ndarray) else [0]


def _of_texts(value: Any) -> bool:
    """Names, or one name alone; what is read once only is not looked into."""
    return isinstance(value, str) or (
        _is_list(value) and (not isinstance(value, Collection) or all(isinstance(name, str) for name in value))
    )


# By how an annotation begins. What is not listed may be anything, and is checked by whoever takes it.
KINDS = {
    "None": Kind("", lambda value: value is None),
    "float": Kind("a number", is_number),
    "Seconds": Kind("a number", is_number),  # those with a unit are read before
    "int": Kind("a whole number", lambda value: is_number(value) and isinstance(value, int | np.integer)),
    "bool": Kind("True or False", lambda value: isinstance(value, bool)),
    "str": Kind("a text", lambda value: isinstance(value, str)),
    "Path": Kind("the path of a file", lambda value: isinstance(value, os.PathLike)),
    "Mapping[": Kind("values by name", lambda value: isinstance(value, Mapping)),
    "Callable[": Kind("a function", callable),
    "Sequence[str]": Kind("names", _of_texts),
    "Collection[str]": Kind("names", _of_texts),
    "Sequence[": Kind("a list", _is_list),
    "Iterable[float]": Kind("numbers", _is_list),
    "Iterable[": Kind("a list", lambda value: isinstance(value, str) or _is_list(value)),
}


def kinds_of(annotation: str) -> list[Kind] | None:
    """What an annotation allows; None where it is not all listed."""
    found = []
    for part in _alternatives(annotation):
        kind = next(
            (KINDS[begin] for begin in KINDS if part == begin or (begin.endswith("[") and part.startswith(begin))), None
        )
        if kind is None:
            return None
        found.append(kind)
    return found


def _alternatives(annotation: str) -> list[str]:
    """The parts between bars that stand in no bracket."""
    parts, depth = [""], 0
    for letter in annotation:
        depth += {"[": 1, "]": -1}.get(letter, 0)
        if letter == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def uncalled(name: str, value: Any) -> str:
    """That a method stands where what it gives is wanted; empty where that is not so."""
    if not (inspect.ismethod(value) and value.__name__ in GIVERS):
        return ""
    owner = type(value.__self__).__name__
    return f"{name} is the method {owner}.{value.__name__} itself; call it, with brackets: .{value.__name__}()"


def shown(value: Any) -> str:
    """A value as it was written, or what it is if that is long; functions and methods by name."""
    if inspect.isroutine(value):
        return f"the {'method' if inspect.ismethod(value) else 'function'} {value.__qualname__}"
    text = repr(value)
    return text if len(text) < MOST_SHOWN else f"a {type(value).__name__} of {len(text)} letters"


def asked(function: Callable[P, R]) -> Callable[P, R]:
    """The same function; what does not fit its signature is refused by a sentence that names the argument."""
    signature = inspect.signature(function)
    known = signature.parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in known.values())
    kinds = {name: kinds_of(p.annotation) for name, p in known.items() if isinstance(p.annotation, str)}

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        if (unknown := kwargs.keys() - known) and not takes_any:
            name = min(unknown)
            raise ChoiceError(f"{function.__name__} has no argument '{name}'; {nearest(name, known)}")
        bound = signature.bind_partial(*args, **kwargs)
        for name, value in bound.arguments.items():
            if isinstance(value, str) and name in TIMES and name in kinds and not is_plain(value):
                value = bound.arguments[name] = seconds_of(name, value)
            elif name == "times" and isinstance(value, list | tuple) and any(isinstance(t, str) for t in value):
                value = bound.arguments[name] = [seconds_of(name, t) if isinstance(t, str) else t for t in value]
            if not_called := uncalled(name, value):
                raise ChoiceError(not_called)
            allowed = kinds.get(name)
            if allowed is not None and not any(kind.fits(value) for kind in allowed):
                words = " or ".join(dict.fromkeys(kind.words for kind in allowed if kind.words))
                raise ChoiceError(f"{name} is {shown(value)}; expected {words}")
            if name == "t" and is_number(value) and not isfinite(value):
                raise ChoiceError(f"t is {value}; expected a finite number of seconds")
        return function(*bound.args, **bound.kwargs)

    return called


def is_plain(text: str) -> bool:
    """Whether a text has no unit, so that it is no quantity."""
    return not any(letter.isalpha() for letter in text)


def seconds_of(name: str, text: str) -> float:
    """A time with its unit, as in `simulate(m, "3 s")`."""
    try:
        return quantity(text, "s")
    except ValueError as error:
        raise ChoiceError(f"{name} is {text!r}: {error}; expected a number, or a time like '3 s'") from None
