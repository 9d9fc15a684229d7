"""What a run did between its samples, found by going that way once more with finer ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..mechanism.errors import JourdainError
from ..mechanism.ties import ordered
from ..model.facts import calls_functions
from ..results.solution import Energy, Solution
from .preparing import prepared_for

MOST_INTERVALS = 3  # that are gone through once more: those in which most energy is missing or too much
FINER = 32


# A session as it is made: prepared, choices, start, times=.
_Again = Callable[..., Any]


def largest_energy(run: Solution, again: _Again) -> float:
    """J, the largest energy between samples, where the energy balance changes most; 0 if it cannot be found."""
    total = run.energy.total
    if len(run.t) < 2 or not np.all(np.isfinite(total)) or calls_functions(run.model):
        return 0.0
    changes = np.abs(np.diff(total))
    found = [_largest_in(run, k, again) for k in ordered(range(len(changes)), lambda k: -changes[k])[:MOST_INTERVALS]]
    return max(found)


def _largest_in(run: Solution, k: int, again: _Again) -> float:
    times = np.linspace(run.t[k], run.t[k + 1], FINER + 1)
    try:
        prepared = prepared_for(run.model.blueprint, run.choices, run.state(k), float(times[0]))
        session = again(prepared, run.choices, float(times[0]), times=times)
        session.advance(to=float(times[-1]))
    except JourdainError:
        return 0.0
    _, samples, out = session.samples.arrays()
    energy = Energy.of(prepared.model, samples, out)
    moved = (part - part[0] for part in (energy.potential, energy.dissipated, energy.driven))
    with np.errstate(invalid="ignore"):
        return max(float(np.nanmax(np.abs(part), initial=0.0)) for part in (energy.kinetic, *moved))
