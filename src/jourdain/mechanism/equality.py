"""Equality of what holds numbers: equal if all that counts is, arrays number by number, and NaN equals NaN."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

MARK = "_equal_by"  # of classes that say themselves what counts


def equal_by(*names: str) -> Callable[[type[T]], type[T]]:
    """A class whose objects are equal if these attributes are; of a dataclass, by default, all that it compares."""

    def made(cls: type[T]) -> type[T]:
        counted = names or tuple(f.name for f in fields(cls) if f.compare)  # type: ignore[arg-type]

        def equal(self: Any, other: object) -> bool:
            if type(self) is not type(other):
                return False
            return self is other or all(same(getattr(self, name), getattr(other, name)) for name in counted)

        # mypy does not let methods be replaced; a hash that equal objects share would have to go through all arrays.
        cls.__eq__ = equal  # type: ignore[method-assign]
        setattr(cls, MARK, True)
        cls.__hash__ = object.__hash__  # type: ignore[method-assign]
        return cls

    return made


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal; arrays and what holds them too."""
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        a, b = np.asarray(a), np.asarray(b)
        numeric = a.dtype.kind in "fc" and b.dtype.kind in "fc"
        return a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=numeric))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(value, b[key]) for key, value in a.items())
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if is_dataclass(a) and type(a) is type(b) and not getattr(type(a), MARK, False):
        return all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a) if f.compare)
    return bool(a == b)
