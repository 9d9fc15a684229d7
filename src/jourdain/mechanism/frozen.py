"""A dict that nobody can change: it can be hashed, compared, copied and pickled, as everything that is frozen can."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

import numpy as np

K = TypeVar("K")
V = TypeVar("V")


class Frozen(dict[K, V]):
    """A mapping that stays as it was made."""

    __slots__ = ()

    def _refused(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("this mapping is frozen; make another one with what should be different")

    __setitem__ = __delitem__ = __ior__ = _refused
    clear = pop = popitem = setdefault = update = _refused

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset((key, hashable(value)) for key, value in self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)

    def __copy__(self) -> Frozen[K, V]:
        return self


def kept(value: Any) -> Any:
    """The same all the way down so that nobody can change it: mappings frozen, lists as tuples."""
    if isinstance(value, Mapping):
        return Frozen({key: kept(inner) for key, inner in value.items()})
    return tuple(map(kept, value)) if isinstance(value, list | tuple) else value


def hashable(value: Any) -> Any:
    """The same so that it can be hashed: equal values give equal ones."""
    if isinstance(value, list | tuple):
        return tuple(map(hashable, value))
    if isinstance(value, Mapping):
        return frozenset((key, hashable(inner)) for key, inner in value.items())
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    return value
