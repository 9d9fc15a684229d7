"""Which parts are switched off when: at the start, and by the events of a run."""

from __future__ import annotations

import numpy as np

from ..mechanism.parts import Blueprint
from .shown import Shown

Off = frozenset[str]


class Switches:
    """The parts that are off, from each time at which that changes: `(t, names)`, the first from the start."""

    def __init__(self, record: Shown) -> None:
        off = record.blueprint.off
        self.changes: list[tuple[float, Off]] = [(float(record.t[0]), off)]
        for t, name in _happened(record):
            for kind, target in _switched_by(record.blueprint, name):
                off = off - {target} if kind == "on" else off | {target}
            if off != self.changes[-1][1]:
                self.changes.append((t, off))

    def off_at(self, t: float) -> Off:
        times = [when for when, _ in self.changes]
        return self.changes[max(int(np.searchsorted(times, t, side="right")) - 1, 0)][1]


def _happened(record: Shown) -> list[tuple[float, str]]:
    """When which event happened, in order; what a function does that an event calls, nobody wrote down."""
    events = getattr(record, "events", {})
    order = {event.name: k for k, event in enumerate(record.blueprint.events)}
    found = [(float(t), name) for name in order if name in events for t in np.ravel(events[name].t)]
    return sorted(found, key=lambda moment: (moment[0], order[moment[1]]))


def _switched_by(blueprint: Blueprint, name: str) -> list[tuple[str, str]]:
    event = next(event for event in blueprint.events if event.name == name)
    return [(action.kind, action.target) for action in event.actions if action.kind in ("on", "off")]
