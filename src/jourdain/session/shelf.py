"""What a checkpoint holds in numbers, name by name in one order: all floats behind each other, then all integers.

The order belongs to one workspace with one method, so it is made once; then writing and reading are few operations on
two long vectors, and what somebody else wrote has either exactly this order or does not fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..engine.written_memory import ANY, count_bounds, may_be_infinite, word_bounds

if TYPE_CHECKING:
    from .session import Session

Array = npt.NDArray[Any]
Shape = tuple[int, ...]

ORDERS = ("PERMUTATION", "COLUMN_ORDER")  # all indices once, or zeros before there was an order
EXCHANGES = ("METHOD_PIVOTS", "STEP_PIVOTS", "EXACT_PIVOTS")  # of rows


class Shelf:
    """Names, shapes and bounds of all numbers that a later step of a session reads."""

    def __init__(self, session: Session) -> None:
        loop = session.loop
        self.kept, self.work = loop.workspace.kept, work_of(session)
        floats = [(name, array.shape) for name, array in _floats(session)]
        ints = [(name, array.shape) for name, array in _ints(session)]
        self.listed = ", ".join(_entry(*one, kind) for kind, all_ in (("f8", floats), ("i8", ints)) for one in all_)
        self.places = {**_places(floats), **_places(ints)}
        self.of_floats = tuple(name for name, _ in floats)
        self.of_ints = tuple(name for name, _ in ints)
        self.sizes = _size(floats), _size(ints)
        self.clock = loop.clock.size
        self.orders = tuple(name for name in ORDERS if name in self.places)
        self.exchanges = tuple(name for name in EXCHANGES if name in self.places)
        targets = [("clock", loop.clock), ("y", loop.y), ("work", self.work), ("counts", loop.counts)]
        targets += [("spent", loop.spent_before), *((field.name, array) for field, array in self.kept)]
        self.targets = [(_flat(array), *self._where(name)) for name, array in targets]
        self.infinite = np.concatenate([may_be_infinite(name, shape).ravel() for name, shape in floats])
        bounds: dict[str, tuple[Any, Any]]
        bounds = {field.name: (0, field.below) for field, array in self.kept if array.dtype != np.float64}
        bounds |= {"counts": count_bounds(loop), "words": (0, word_bounds(loop.workspace)), "spent": (0, ANY)}
        self.bounds = {name: bounds[name] for name, _ in ints}
        self.least, self.below = (
            np.concatenate([np.broadcast_to(bounds[name][k], prod(shape)) for name, shape in ints]) for k in (0, 1)
        )

    def _where(self, name: str) -> tuple[bool, slice]:
        """Whether a name is among the floats, and where."""
        return name in self.of_floats, self.places[name][0]

    def is_of(self, session: Session) -> bool:
        """Whether it is still the order of a session: events, `set` and `auto` change workspaces and methods."""
        return self.kept is session.loop.workspace.kept and self.work is work_of(session)


class Numbers:
    """The numbers of a checkpoint on a shelf, by name."""

    def __init__(self, shelf: Shelf, floats: Array, ints: Array) -> None:
        self.shelf, self.floats, self.ints = shelf, floats, ints

    def __contains__(self, name: str) -> bool:
        return name in self.shelf.places

    def __getitem__(self, name: str) -> Array:
        where, shape = self.shelf.places[name]
        return (self.ints if name in self.shelf.bounds else self.floats)[where].reshape(shape)


def shelf_of(session: Session) -> Shelf:
    """The order of a session as it is now."""
    if session.shelf is None or not session.shelf.is_of(session):
        session.shelf = Shelf(session)
    return session.shelf


def work_of(session: Session) -> Array:
    """Rows of a method with a fixed step."""
    return session.loop.work


def taken(session: Session) -> tuple[Array, Array]:
    """All numbers of a session: floats and integers.

    Attempts that failed leave numbers that are none in rows of scratch; nobody reads them again, and 0 is written.
    """
    floats = np.concatenate([array.ravel() for _, array in _floats(session)])
    if not np.isfinite(floats[session.loop.clock.size :]).all():
        infinite = shelf_of(session).infinite & ~np.isnan(floats)
        floats = np.where(np.isfinite(floats) | infinite, floats, 0.0)
    return floats, np.concatenate([array.ravel() for _, array in _ints(session)])


def put_back(session: Session, numbers: Numbers) -> None:
    """The memory of a session as it was written; nothing here can fail."""
    floats, ints = numbers.floats, numbers.ints
    for array, real, where in numbers.shelf.targets:
        array[:] = floats[where] if real else ints[where]
    session.loop.workspace.set_words(numbers["words"], numbers["settings"])


def _floats(session: Session) -> Iterator[tuple[str, Array]]:
    loop = session.loop
    yield "clock", loop.clock
    yield "y", loop.y
    yield "now", session.y
    yield "reference", session.reference
    yield "settings", loop.workspace.settings
    yield "work", work_of(session)
    yield from ((field.name, array) for field, array in loop.workspace.kept if array.dtype == np.float64)


def _ints(session: Session) -> Iterator[tuple[str, Array]]:
    loop = session.loop
    yield "counts", loop.counts
    yield "words", loop.workspace.words
    yield "spent", loop.spent_before
    yield from ((field.name, array) for field, array in loop.workspace.kept if array.dtype != np.float64)


def _flat(array: Array) -> Array:
    """The same memory as one row; an array that is not in one piece is an error."""
    flat = array.view()
    flat.shape = (array.size,)
    return flat


def _entry(name: str, shape: Shape, kind: str) -> str:
    return f"{name} {kind} {'x'.join(map(str, shape))}"


def _size(listed: list[tuple[str, Shape]]) -> int:
    return sum(prod(shape) for _, shape in listed)


def _places(listed: list[tuple[str, Shape]]) -> dict[str, tuple[slice, Shape]]:
    found, at = {}, 0
    for name, shape in listed:
        found[name] = slice(at, at + prod(shape)), shape
        at += prod(shape)
    return found


__all__ = ["Numbers", "Shelf", "put_back", "shelf_of", "taken", "work_of"]
