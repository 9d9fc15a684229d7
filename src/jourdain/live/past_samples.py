"""A stretch of the past of a live machine as a Solution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..results.solution import Solution
from ..results.status import Statistics, Status

if TYPE_CHECKING:
    from .engine import Engine


def solution_between(engine: Engine, first: int, last: int, every: float) -> Solution:
    """Samples about `every` so many seconds; of several structures only the last, and the status says so."""
    here, failure = engine.here, engine.failure
    log, engine.log = engine.log, lambda command: None
    notes = []
    times, states = [], []
    try:
        engine.seek(last)
        structure = engine.structure
        begun = min(m.n for m in engine.timeline.marks if m.structure.session is structure.session)
        if begun > first:
            first = begun
            notes.append(f"the structure changed at t = {structure.grid.at(first):g} s; what was before is left out")
        stride = max(1, round(every / structure.grid.h))
        for n in [*range(first, last, stride), last]:
            engine.seek(n)
            if engine.structure.session is structure.session:
                times.append(engine.t)
                states.append(engine.structure.session.y.copy())
        session = structure.session
        t, y = np.array(times), np.array(states)
        out = session.observer.outputs(session.loop.workspace, t, y)
        status = Status(True, f"live from t = {t[0]:g} to {t[-1]:g} s", tuple(notes))
        counts = Statistics(last - first, 0, 0, 0, 0, 0.0)
        p = session.prepared
        return Solution(p.model, session.choices, t, y, out, status, counts, p.redundancy, {})
    finally:
        engine.go_back_to(here)
        engine.failure, engine.log = failure, log
