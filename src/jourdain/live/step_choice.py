"""The step of a live machine: found by a short run with error control, and told.

rk4 with projection, at 1 ms or whatever shorter step follows the controlled run to 1e-8 of the machine's size; where
the controlled run found the machine stiff, generalized-alpha.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..mechanism.errors import JourdainError
from ..mechanism.parts import Blueprint
from ..session.begin import begin
from ..session.session import Session

SPAN = 0.1  # s of the machine
STEPS = (1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 5e-6, 2e-6)
CLOSE = 1e-8  # of the size
MOST_STEPS = 20_000  # of a trial; a shorter span where there would be more
RK4, ALPHA = "rk4", "generalized-alpha"
EQUAL_STEPS = (RK4, "rk6", ALPHA, "hht", "newmark")  # integrators that a live machine can have


def chosen_step(blueprint: Blueprint, written: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Choices with an integrator of equal steps and its step, and what is to be told."""
    given = {key: value for key, value in written.items() if value is not None}
    if "step" in given and ("integrator" in given or "recipe" in given):
        return given, ""
    if "integrator" in given and given["integrator"] not in (RK4, ALPHA):
        return {**given, "step": given.get("step", STEPS[0])}, ""
    if "step" in given:
        return {**given, "integrator": RK4}, ""
    others = {key: value for key, value in given.items() if key not in ("integrator", "recipe")}
    try:
        exact = begin(blueprint, **others)
        exact.advance(SPAN)
        stiff = exact.takeover is not None and exact.takeover.active
    except JourdainError:
        return {"integrator": RK4, **given, "step": STEPS[0]}, "the step is 1 ms; no run could show a better one"
    if given.get("integrator") == ALPHA or stiff:
        words = "the machine is stiff: generalized-alpha with steps of 1 ms" if stiff else ""
        return {**given, "integrator": ALPHA, "step": STEPS[0]}, words
    for step in STEPS:
        if follows(blueprint, {**others, "integrator": RK4, "step": step}, exact):
            return {**given, "integrator": RK4, "step": step}, f"rk4 with steps of {step * 1e3:g} ms"
    words = f"even steps of {STEPS[-1] * 1e3:g} ms do not follow the machine closely; they are taken all the same"
    return {**given, "integrator": RK4, "step": STEPS[-1]}, words


def follows(blueprint: Blueprint, choices: Mapping[str, Any], exact: Session) -> bool:
    """Whether equal steps come to where the controlled run came."""
    steps = min(MOST_STEPS, round(exact.t / choices["step"]))
    if steps < 1:
        return True
    try:
        trial = begin(blueprint, **choices)
        trial.through(np.asarray(choices["step"] * np.arange(1, steps + 1)))
        if trial.t < choices["step"] * (steps - 0.5):
            return False
        if trial.t < exact.t - 0.5 * choices["step"]:  # so short a step is not judged by the end
            return bool(np.all(np.isfinite(trial.y)))
        here, there = trial.state(), exact.state()
    except JourdainError:
        return False
    size = trial.prepared.model.size
    gaps = [
        float(np.max(np.abs(np.asarray(here[body.name].position) - np.asarray(there[body.name].position))))
        for body in blueprint.bodies
    ]
    return max(gaps, default=0.0) <= CLOSE * size
