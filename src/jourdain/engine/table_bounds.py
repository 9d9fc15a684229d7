"""Whether a state lies outside a table that refuses: for analyses that take no steps, at their samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from .pose import Pose


def outside(pose: Pose, times: Any, states: Any) -> tuple[int, str] | None:
    """The first sample at which a table is asked for what it does not have, and the sentence."""
    model = pose.model
    if not model.limits:
        return None
    watched, own = model.watched, len(model.blueprint.events)
    for k, (t, y) in enumerate(zip(np.atleast_1d(times), np.atleast_2d(states), strict=True)):
        for limit in model.limits:
            if limit.of_time and limit.excess(float(t)):
                return k, limit.refusal(float(t))
        values = pose.event_values(float(t), y) if watched else None
        left = [] if values is None else np.flatnonzero(values[own:] < 0.0).tolist()
        if left:
            limit = watched[left[0]]
            words = f"{limit.where}: its argument lies outside the table, which covers {limit.low:g} to {limit.high:g}"
            return k, f"{words}; let it cover more, or say outside: hold or extrapolate"
    return None
