"""Derivatives by central differences of many steps, extrapolated to step zero, with an estimate of their error.

Errors of a central difference are even powers of the step, so halving it and extrapolating (Richardson) takes out one
power after the other, until rounding, which grows as steps shrink, wins. The tableau entry that differs least from its
neighbours is taken (Ridders 1982, Advances in Engineering Software 4, 75-76), for each group of numbers on its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Values = Callable[[Array], tuple[Array, Array]]

LEVELS = 11
LARGEST = 0.1  # first step: of the mechanism's size, or rad
CONTENT = 1e-9  # of the largest derivative in a group: with larger errors shorter steps are tried
ROUNDS = 2


def derivative(values: Values, unit: float, sizes: Sequence[int]) -> tuple[Array, Array]:
    """df/dh at 0 and its error; `values` gives f at +h and -h (level, number), `unit` is what h counts in.

    `sizes` are those of groups of numbers that follow each other and belong together. Functions that bend within the
    first steps (a stop, dry friction) get shorter ones.
    """
    best = Best(sizes)
    largest = LARGEST
    for _ in range(ROUNDS):
        h = np.asarray(unit * largest * 0.5 ** np.arange(LEVELS), dtype=np.float64)
        _extrapolate(h, *values(h), best)
        if best.content:
            break
        largest *= 0.5**LEVELS
    return best.values, best.errors


class Best:
    """The best derivatives seen so far, group by group."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes = np.array([size for size in sizes if size > 0], dtype=np.int64)
        self._starts = np.cumsum(self._sizes) - self._sizes
        self.values: Array = np.full(int(np.sum(self._sizes)), np.nan)
        self._worst: Array = np.full(len(self._sizes), np.inf)

    def offer(self, values: Array, errors: Array) -> None:
        """Take groups whose largest error is smaller than before."""
        worst = self._largest(errors)
        better = worst < self._worst
        self._worst = np.where(better, worst, self._worst)
        self.values = np.where(np.repeat(better, self._sizes), values, self.values)

    def _largest(self, numbers: Array) -> Array:
        return np.maximum.reduceat(np.abs(numbers), self._starts) if len(self._sizes) else np.zeros(0)

    @property
    def errors(self) -> Array:
        """Of each number the largest of its group."""
        return np.repeat(self._worst, self._sizes)

    @property
    def content(self) -> bool:
        return bool(np.all(self._worst <= CONTENT * self._largest(self.values)))


def _extrapolate(h: Array, plus: Array, minus: Array, best: Best) -> None:
    """Offer all extrapolations of the steps h. Levels that are not finite are left out."""
    before: list[Array] = []
    for k in range(len(h)):
        if not (np.all(np.isfinite(plus[k])) and np.all(np.isfinite(minus[k]))):
            before = []  # a gap in the steps: begin anew
            continue
        row = [(plus[k] - minus[k]) / (2 * h[k])]
        for j, old in enumerate(before):
            row.append(row[j] + (row[j] - old) / (4.0 ** (j + 1) - 1.0))
            best.offer(row[-1], np.maximum(np.abs(row[-1] - row[j]), np.abs(row[-1] - old)))
        before = row
