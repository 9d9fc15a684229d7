"""One moment of a run: a sample, or what lies between two of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..mechanism.errors import ResultsError
from ..mechanism.units import UnitError, quantity

if TYPE_CHECKING:
    from .solution import Solution

# State at a time, and later times: the states and what is reported there, row by row.
Between = Callable[[Any, float, Any], tuple[Any, Any]]

SAME = 1e-12  # of the time: a sample no farther away is at that time


def sample_at(run: Solution, t: float | str) -> Solution:
    """The run at one time."""
    try:
        when = quantity(t, "s") if isinstance(t, str) else float(t)
    except (UnitError, TypeError, ValueError):
        raise ResultsError(f"at({t!r}): expected a time in seconds") from None
    first, last = float(run.t[0]), float(run.t[-1])
    slack = SAME * max(1.0, abs(first), abs(last))
    if not first - slack <= when <= last + slack:
        raise ResultsError(f"at({when:g}): the run goes from t = {first:g} to {last:g} s")
    k = int(np.argmin(np.abs(run.t - when)))
    if abs(run.t[k] - when) <= slack:
        return _of(run, [run.t[k]], [run.samples[k]], [run.outputs[k]])
    if run.between is None:
        words = "between samples there is only what a run can go on from"
        raise ResultsError(f"at({when:g}): {words}; samples are at t = {run.t[max(k - 1, 0)]:g}, {run.t[k]:g} s ..")
    before = int(np.searchsorted(run.t, when) - 1)
    samples, out = run.between(run.state(before), float(run.t[before]), np.array([when]))
    return _of(run, [when], samples, out)


def samples_at(run: Solution, times: Any) -> Solution | None:
    """The run at many times in order, all within it; None where nothing is known between samples."""
    if run.between is None:
        return None
    slack = SAME * max(1.0, abs(float(run.t[0])), abs(float(run.t[-1])))
    before = np.clip(np.searchsorted(run.t, times + slack, side="right") - 1, 0, len(run.t) - 1)
    samples, outs = [], []
    for k in np.unique(before):
        inside = times[before == k]
        later = inside[inside > run.t[k] + slack]
        same = len(inside) - len(later)
        samples += [run.samples[k]] * same
        outs += [run.outputs[k]] * same
        if len(later):
            found, out = run.between(run.state(int(k)), float(run.t[k]), later)
            samples += list(found)
            outs += list(out)
    return _of(run, times, samples, outs)


def _of(run: Solution, t: Any, samples: Any, outs: Any) -> Solution:
    from .solution import Solution

    found = (np.array(t), np.array(samples), np.array(outs))
    some = Solution(run.model, run.choices, *found, run.status, run.statistics, run.redundancy)
    some.regimes = run.regimes
    return some
