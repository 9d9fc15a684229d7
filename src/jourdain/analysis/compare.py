"""compare: one mechanism solved in every way that applies, side by side.

Each way is one combination of the three free choices. The most accurate run, at a tolerance far below the others', is
the yardstick; agreement is the largest distance of any body's origin from where it says the body is, over the run.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled import choices as ch
from ..compiled.integrators import ADAPTIVE, FIXED_STEP
from ..compiled.treatments import TREATMENTS
from ..kernels.coordinates import SETS
from ..mechanism.builder import Mechanism
from ..mechanism.errors import ChoiceError, JourdainError, SimulationError
from ..mechanism.parts import Blueprint
from ..results.solution import Solution
from ..results.status import SimulationWarning
from .prepare import blueprint_of
from .simulate import simulate

Array = npt.NDArray[np.float64]

YARDSTICK = 1e-12  # tolerance of the run that the others are measured by
STEPS = (2e-3, 1e-3)
TOLERANCES = (1e-6, 1e-9)
SAMPLES = 50


@dataclass(frozen=True)
class Way:
    """One combination and what came of it; `error` is None where the run did not reach the end."""

    coordinates: str
    treatment: str
    integrator: str
    setting: str  # step or tolerance
    error: float | None  # m, against the yardstick
    violation: float  # largest error of a joint equation, m or rad
    energy: float  # drift of the balance, of the largest kinetic energy
    evaluations: int
    seconds: float
    status: str

    @property
    def name(self) -> str:
        return f"{self.coordinates}, {self.treatment}, {self.integrator} {self.setting}"


@dataclass(frozen=True)
class Comparison:
    """All ways of one mechanism; `print` it for a table, `plot` it for error against time."""

    mechanism: str
    duration: float
    ways: tuple[Way, ...]
    refused: tuple[str, ...]

    def __str__(self) -> str:
        width = max((len(way.name) for way in self.ways), default=10)
        head = f"{'way':<{width}}  {'error m':>9}  {'joints':>9}  {'energy':>9}  {'evaluations':>11}  {'ms':>9}"
        lines = [f"{self.mechanism}, {self.duration:g} s, error against {YARDSTICK:g}", head, "-" * len(head)]
        for way in sorted(self.ways, key=lambda w: (w.error is None, w.error)):
            if way.error is None:
                lines.append(f"{way.name:<{width}}  {way.status}")
                continue
            numbers = f"{way.error:9.1e}  {way.violation:9.1e}  {way.energy:9.1e}  {way.evaluations:11d}"
            lines.append(f"{way.name:<{width}}  {numbers}  {1e3 * way.seconds:9.3g}")
        return "\n".join([*lines, *(f"left out: {reason}" for reason in self.refused)])

    def plot(self, path: str | Path | None = None) -> Any:
        """Work-precision: error against time, a line for each combination, as a matplotlib figure."""
        from ..plotting.figures import plot_comparison

        return plot_comparison(self, path)


def compare(
    mechanism: Mechanism | Blueprint,
    duration: float,
    *,
    coordinates: Iterable[str] | None = None,
    treatments: Iterable[str] | None = None,
    integrators: Iterable[str] | None = None,
    steps: Iterable[float] = STEPS,
    tolerances: Iterable[float] = TOLERANCES,
) -> Comparison:
    """Run every combination of the choices that goes together, each at several steps or tolerances."""
    blueprint = replace(blueprint_of(mechanism), defaults={})  # every choice is made here
    times = np.linspace(0.0, duration, SAMPLES + 1)
    best = simulate(blueprint, times=times, rtol=YARDSTICK)
    if not best.status.ok:
        raise SimulationError(f"there is nothing to compare with: the most accurate run {best.status.sentence}")
    yardstick = _places(best)
    ways: list[Way] = []
    refused: dict[str, None] = {}
    for c in coordinates or _sets(blueprint.space):
        for t in treatments or TREATMENTS:
            for i in integrators or (*FIXED_STEP, *ADAPTIVE):
                numbers: Any = [{"step": s} for s in steps] if i in FIXED_STEP else [{"rtol": r} for r in tolerances]
                for number in numbers:
                    try:
                        ch.resolve(blueprint.space, coordinates=c, treatment=t, integrator=i, **number)
                    except ChoiceError as error:
                        refused[str(error)] = None
                        break
                    ways.append(_way(blueprint, times, yardstick, c, t, i, number))
    return Comparison(blueprint.name, duration, tuple(ways), tuple(refused))


def _sets(space: str) -> list[str]:
    """One of each kind: the many Euler sequences differ in nothing that a comparison shows."""
    return [name for name in SETS[space] if not name.startswith("euler-") or name == "euler-parameters"]


def _places(run: Solution) -> Array:
    return np.asarray(run.motion.position)


def _way(blueprint: Blueprint, times: Array, yardstick: Array, c: str, t: str, i: str, number: dict[str, float]) -> Way:
    setting = ", ".join(f"{value:g}" for value in number.values())
    begun = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimulationWarning)
            run = simulate(blueprint, times=times, coordinates=c, treatment=t, integrator=i, **number)  # type: ignore[arg-type]
    except JourdainError as error:
        return Way(c, t, i, setting, None, np.nan, np.nan, 0, time.perf_counter() - begun, str(error))
    kinetic = float(np.max(run.energy.kinetic, initial=0.0)) or 1.0
    drift = float(np.max(np.abs(run.energy.total - run.energy.total[0]), initial=0.0)) / kinetic
    away = float(np.max(np.linalg.norm(_places(run) - yardstick, axis=-1))) if run.status.ok else None
    violation = float(np.max(run.violation.position, initial=0.0))
    s = run.statistics
    return Way(c, t, i, setting, away, violation, drift, s.evaluations, s.seconds, run.status.sentence)
