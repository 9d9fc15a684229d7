"""Where a force has corners, derivatives are believed only if whole runs on both sides of the parameter agree.

Past a kink (a stop that is met, a rope that becomes taut) they are found with short steps (complex_run.py). Past a jump
they are not: when it comes depends on the parameter, and no stage sees that.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import choices as ch
from ...mechanism.errors import JourdainError, SimulationError
from ...mechanism.parts import Blueprint
from ...results.status import SimulationWarning
from ..simulate import simulate
from .parameter import Parameter

Array = npt.NDArray[Any]

APART = 1e-4  # of the parameter, to each side
AGREE = 1e-2  # of the largest derivative
RTOL = 1e-10  # of the runs
NOISE = 100.0  # times RTOL, by which runs differ that nothing tells apart


def check(
    parameter: Parameter,
    derivatives: Mapping[str, Array],
    choices: ch.Choices,
    grid: Array,
    state: Mapping[str, Any] | None,
    size: float,
) -> None:
    """Raise SimulationError if derivatives of channels by a parameter are not those of whole runs."""
    for name, (apart, noise) in _by_whole_runs(parameter, list(derivatives), choices, grid, state, size).items():
        off, scale = np.max(np.abs(derivatives[name] - apart)), np.max(np.abs(apart))
        if not off <= AGREE * scale + noise:
            raise SimulationError(
                f"derivatives cannot be found past a kink or a jump of a force: '{name}' by '{parameter.name}' differs "
                f"by {off:.3g} from whole runs on both sides, which give up to {scale:.3g}; make the law smooth, end "
                "the run before, or take differences of runs"
            )


def _by_whole_runs(
    parameter: Parameter,
    names: Sequence[str],
    choices: ch.Choices,
    grid: Array,
    state: Mapping[str, Any] | None,
    size: float,
) -> dict[str, tuple[Array, float]]:
    """Derivatives as differences of two runs, and how far rounding and tolerance let one trust them, by channel."""
    step = APART * parameter.scale(size)
    method = choices.integrator
    if isinstance(method, ch.Adaptive):
        method = replace(method, rtol=min(method.rtol, RTOL))

    def run(blueprint: Blueprint) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimulationWarning)
            how: dict[str, Any] = {
                "coordinates": choices.set,
                "treatment": choices.treatment,
                "integrator": method,
            }
            found = simulate(replace(blueprint, defaults={}), times=grid, state=state, progress=False, **how)
        if not found.status.ok:
            raise SimulationError(found.status.sentence)
        return found

    runs = []
    for side in (-1.0, 1.0, 0.0):  # where the mechanism is faulty on one side, to the other from the middle
        try:
            runs.append((side, run(parameter.at(parameter.value + side * step))))
        except JourdainError:
            if side == 0.0:
                raise
        if len(runs) == 2:
            break
    (a, first), (b, second) = runs
    found = {}
    for name in names:
        apart = (second[name] - first[name]) / ((b - a) * step)
        large = float(np.max(np.abs(second[name]), initial=0.0))
        found[name] = apart, NOISE * RTOL * large / step
    return found
