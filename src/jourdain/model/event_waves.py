"""Sines of the time in events: how long a step may be in which none of their zeros is passed unseen.

A step is looked at in quarters. Of a sine that turns several times within it those show any smooth curve, or none, and
events that come and go are not there. Error control knows nothing of it: an event bends no motion. So the fastest sine
or cosine of the time alone in any event says how long steps may be, stretch by stretch as time_marks.py has them. What
turns in less than FINEST of the time since the start is not promised to be seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels.layout import fields as f
from ..kernels.layout import tape_operations as op
from .flat import FlatModel
from .time_marks import ClockFunctions, clock_nodes

Array = npt.NDArray[Any]

TURN = 0.4  # of a turn, in a step: quarters of it lie on a smooth curve (event_search.py, BEND)
LOOKS = 2049  # at an angle in a stretch of time
FINEST = 1e-6  # of the end of a stretch


@dataclass(frozen=True)
class EventWaves:
    """Angles over time whose sines stand in events."""

    angles: ClockFunctions

    def longest_step(self, parameters: Array, begin: float, end: float) -> float:
        """s, in a stretch of time; infinity where nothing turns."""
        t = np.linspace(begin, end, LOOKS)
        fastest = 0.0
        with np.errstate(all="ignore"):
            for root in self.angles.roots:
                rates = np.abs(np.diff(self.angles.values(root, parameters, t))) / (t[1] - t[0])
                fastest = max(fastest, float(np.nanmax(rates, initial=0.0)))
        if fastest == 0.0:
            return np.inf
        return max(TURN * 2.0 * np.pi / fastest, FINEST * max(abs(begin), abs(end)))


def event_waves(model: FlatModel) -> EventWaves | None:
    """Those of a mechanism's events, if there are any."""
    tape = model.fields[f.TAPE]
    waves = [
        argument
        for first, last, _ in model.fields[f.EVENTS].tolist()
        for kind, argument in tape[first:last, :2].tolist()
        if kind in (op.SIN, op.COS)
    ]
    if not waves:
        return None
    alone, moving = clock_nodes(model)
    roots = sorted({n for n in waves if alone[n] and moving[n]})
    return EventWaves(ClockFunctions.of(model, alone, roots)) if roots else None
