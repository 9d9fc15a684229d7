"""Designs: which combinations of values are run. Variant number k is the same on every computer and in every piece.

`grid` takes all combinations, the last axis changing first; `list` the first values together, then the second; and
`latin:N` and `sobol:N` spread N points over the axes, from a seed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..mechanism.errors import ChoiceError
from ..mechanism.names import nearest
from ..mechanism.parts import Blueprint
from .axes import Axis, read_axes

Array = npt.NDArray[np.float64]

GRID, LIST, LATIN, SOBOL = "grid", "list", "latin", "sobol"
KINDS = (GRID, LIST, LATIN, SOBOL)
MOST = 10_000_000  # variants


@dataclass(frozen=True)
class Design:
    """Axes and how they are combined. `columns` gives what the variants have, in slices."""

    kind: str
    axes: tuple[Axis, ...]
    count: int
    seed: int = 0

    @property
    def written(self) -> str:
        return f"{self.kind}:{self.count}" if self.is_random else self.kind

    @property
    def is_random(self) -> bool:
        return self.kind in (LATIN, SOBOL)

    @property
    def shape(self) -> tuple[int, ...]:
        """Variants along each axis of a grid; else their number."""
        return tuple(len(axis) for axis in self.axes) if self.kind == GRID else (self.count,)

    def columns(self, first: int = 0, last: int | None = None) -> dict[str, list[Any] | Array]:
        """Values of the variants from `first` to before `last`, by axis: arrays of numbers, lists of words."""
        return self.at(np.arange(first, self.count if last is None else last))

    def at(self, which: npt.NDArray[Any]) -> dict[str, list[Any] | Array]:
        if self.kind == GRID:
            places = np.unravel_index(which, self.shape)
            return {axis.name: axis.taken(place) for axis, place in zip(self.axes, places, strict=True)}
        if self.kind == LIST:
            return {axis.name: axis.taken(which if len(axis) > 1 else np.zeros_like(which)) for axis in self.axes}
        return {axis.name: axis.drawn(self._points[which, k]) for k, axis in enumerate(self.axes)}

    @cached_property
    def _points(self) -> Array:
        """Places between 0 and 1, a row for each variant."""
        from scipy.stats import qmc

        rng = np.random.default_rng(self.seed)
        if self.kind == LATIN:
            return np.asarray(qmc.LatinHypercube(len(self.axes), rng=rng).random(self.count))
        return np.asarray(qmc.Sobol(len(self.axes), rng=rng).random(self.count))

    def to_data(self) -> dict[str, Any]:
        axes = [axis.to_data() for axis in self.axes]
        return {"kind": self.kind, "count": self.count, "seed": self.seed, "axes": axes}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Design:
        axes = tuple(Axis.from_data(axis) for axis in data["axes"])
        return cls(data["kind"], axes, int(data["count"]), int(data["seed"]))


def read_design(base: Blueprint, vary: Any, written: str, seed: int, files: tuple[str, ...] = ()) -> Design:
    """The design of a study as its user wrote it."""
    kind, _, number = (part.strip() for part in str(written).partition(":"))
    if kind not in KINDS:
        raise ChoiceError(f"design is {written!r}; {nearest(kind, KINDS)}; latin and sobol with a number, as latin:500")
    at_random = kind in (LATIN, SOBOL)
    if not at_random and number:
        raise ChoiceError(f"design is {written!r}; a {kind} has as many variants as its values make; write {kind}")
    axes = read_axes(base, vary, at_random, files)
    count = _count(kind, number, axes, written)
    if seed < 0:
        raise ChoiceError(f"seed is {seed}; expected a whole number from 0 on")
    if count > MOST:
        raise ChoiceError(f"this design has {count:.3g} variants, more than {MOST:.0e}; vary less, or in larger steps")
    return Design(kind, axes, count, seed)


def _count(kind: str, number: str, axes: tuple[Axis, ...], written: str) -> int:
    if kind == GRID:
        return math.prod(len(axis) for axis in axes)
    if kind == LIST:
        lengths = {len(axis) for axis in axes} - {1}
        if len(lengths) > 1:
            words = ", ".join(f"'{axis.name}' {len(axis)}" for axis in axes)
            raise ChoiceError(f"the values of a list differ in number: {words}; expected as many for each, or one")
        return max(lengths, default=1)
    try:
        count = int(number)
    except ValueError:
        count = 0
    if count < 1:
        raise ChoiceError(f"design is {written!r}; expected a number of variants, as {kind}:512")
    return count
