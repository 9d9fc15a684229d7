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

LEVELS = 11
LARGEST = 0.1  # first step: of the mechanism's size, or rad
CONTENT = 1e-9  # of the largest derivative in a group: with larger errors shorter steps are tried
ROUNDS = 2


def derivative(
    values: Callable[[Array], tuple[Array, Array]], unit: float, groups: Sequence[slice]
) -> tuple[Array, Array]:
    """df/dh at 0 and its error; `values` gives f at +h and -h (level, number), `unit` is what h counts in.

    Functions that bend within the first steps (a stop, dry friction) get shorter ones.
    """
    best: Array | None = None
    error: Array | None = None
    largest = LARGEST
    for _ in range(ROUNDS):
        h = np.asarray(unit * largest * 0.5 ** np.arange(LEVELS), dtype=np.float64)
        found, uncertain = _extrapolated(h, *values(h), groups)
        if best is None or error is None:
            best, error = found, uncertain
        for group in groups:
            if np.max(uncertain[group], initial=0.0) < np.max(error[group], initial=0.0):
                best[group], error[group] = found[group], uncertain[group]
        if all(_content(best[group], error[group]) for group in groups):
            break
        largest *= 0.5**LEVELS
    return best, error  # type: ignore[return-value]


def _content(values: Array, error: Array) -> bool:
    return bool(np.max(error, initial=0.0) <= CONTENT * np.max(np.abs(values), initial=0.0))


def _extrapolated(h: Array, plus: Array, minus: Array, groups: Sequence[slice]) -> tuple[Array, Array]:
    """df/dh at 0 and its error, from f at +h and -h (level, number). Levels that are not finite are left out."""
    good = np.flatnonzero(np.all(np.isfinite(plus) & np.isfinite(minus), axis=1))
    count = plus.shape[1]
    best, error = np.full(count, np.nan), np.full(count, np.inf)
    before: list[Array] = []
    for place, k in enumerate(good):
        row = [(plus[k] - minus[k]) / (2 * h[k])]
        if place and good[place - 1] != k - 1:
            before = []  # a gap in the steps: begin anew
        for j, old in enumerate(before):
            row.append(row[j] + (row[j] - old) / (4.0 ** (j + 1) - 1.0))
            change = np.maximum(np.abs(row[-1] - row[j]), np.abs(row[-1] - old))
            for group in groups:
                most = float(np.max(change[group], initial=0.0))
                if most < np.max(error[group], initial=0.0):
                    best[group], error[group] = row[-1][group], most
        before = row
    return best, error
