"""compare: one mechanism solved in every way that applies, side by side.

Each way is one combination of the free choices. The most accurate run, at a tolerance far below the others', is
the yardstick; agreement is the largest distance of any body's origin from where it says the body is, over the run.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, Unpack, overload

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..choices.keys import ChoiceKeys
from ..files.by_name import Given, or_file
from ..mechanism.arguments import asked
from ..mechanism.builder import blueprint_of
from ..mechanism.equality import equal_by
from ..mechanism.errors import ChoiceError, JourdainError, SimulationError
from ..mechanism.machine import Compared, Machine, or_machine
from ..mechanism.names import nearest
from ..mechanism.parts import PLANAR, SPATIAL, Blueprint
from ..mechanism.taken import Seconds
from ..plotting.cards import Card
from ..results.solution import Solution
from ..results.status import SimulationWarning, Status
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
    stabilisation: str
    integrator: str
    setting: str  # step or tolerance
    error: float | None  # m, against the yardstick
    violation: float  # largest error of a joint equation, m or rad
    energy: float  # drift of the balance, of the largest kinetic energy
    evaluations: int
    seconds: float
    status: Status

    @property
    def choices(self) -> str:
        return f"{self.coordinates}, {self.treatment} + {self.stabilisation}, {self.integrator}"

    @property
    def name(self) -> str:
        return f"{self.choices} {self.setting}"


@equal_by()
@dataclass(frozen=True)
class Comparison(Card):
    """All ways of one mechanism; `print` it for a table, `plot` it for error against time."""

    mechanism: str
    duration: float
    ways: tuple[Way, ...]
    refused: tuple[str, ...]
    interrupted: bool = False  # from the keyboard: there are ways that were not tried

    def __str__(self) -> str:
        width = max((len(way.name) for way in self.ways), default=10)
        head = f"{'way':<{width}}  {'error m':>9}  {'joints':>9}  {'energy':>9}  {'evaluations':>11}  {'ms':>9}"
        lines = [f"{self.mechanism}, {self.duration:g} s, error against {YARDSTICK:g}", head, "-" * len(head)]
        for way in sorted(self.ways, key=_rank):
            if way.error is None:
                lines.append(f"{way.name:<{width}}  {way.status.sentence}")
                continue
            numbers = f"{way.error:9.1e}  {way.violation:9.1e}  {way.energy:9.1e}  {way.evaluations:11d}"
            lines.append(f"{way.name:<{width}}  {numbers}  {1e3 * way.seconds:9.3g}")
        lines += [f"left out: {reason}" for reason in self.refused]
        return "\n".join([*lines, *["interrupted: not all ways were tried"] * self.interrupted])

    def plot(self, path: str | Path | None = None) -> Any:
        """Work-precision: error against time, a line for each combination, as a matplotlib figure."""
        from ..plotting.figures import plot_comparison

        return plot_comparison(self, path)

    def _picture(self) -> Any:
        return self.plot()


def _rank(way: Way) -> tuple[bool, float]:
    """By the error as it is shown: ways that show the same one stay in the order in which they were tried."""
    return way.error is None, float(f"{way.error or 0.0:.1e}")


@dataclass(frozen=True)
class _Plan:
    """A combination that goes together, to be tried; `stabilisation` None is the treatment's own."""

    coordinates: str | ch.Coordinates
    treatment: str | ch.Treatment
    stabilisation: str | ch.Stabilisation | None
    integrator: str | ch.Integrator
    number: tuple[str, float] | None  # step or rtol, of an integrator by name
    held: str = ""  # how drift is held, by name

    def options(self) -> dict[str, Any]:
        chosen = {"coordinates": self.coordinates, "treatment": self.treatment, "integrator": self.integrator}
        return {**chosen, "stabilisation": self.stabilisation, **dict([self.number] if self.number else [])}

    @property
    def setting(self) -> str:
        """Step or tolerance."""
        own = getattr(self.integrator, "step", getattr(self.integrator, "rtol", np.nan))
        return f"{own if self.number is None else self.number[1]:g}"


@overload
def compare(
    mechanism: Given,
    duration: Seconds,
    *,
    coordinates: Iterable[str | ch.Coordinates] | None = None,
    treatments: Iterable[str | ch.Treatment] | None = None,
    stabilisations: Iterable[str | ch.Stabilisation] | None = None,
    integrators: Iterable[str | ch.Integrator] | None = None,
    steps: Iterable[float] = STEPS,
    tolerances: Iterable[float] = TOLERANCES,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison: ...
@overload
def compare(
    mechanism: Machine[Any, Any, Any, Compared],
    duration: Seconds | None = None,
    *,
    couplings: Sequence[object] | None = None,
    macro_steps: Sequence[float] = ...,
    **choices: Unpack[ChoiceKeys],
) -> Compared: ...
@or_file  # type: ignore[misc]
@or_machine
@asked
def compare(
    mechanism: Given,
    duration: Seconds,
    *,
    coordinates: Iterable[str | ch.Coordinates] | None = None,
    treatments: Iterable[str | ch.Treatment] | None = None,
    stabilisations: Iterable[str | ch.Stabilisation] | None = None,
    integrators: Iterable[str | ch.Integrator] | None = None,
    steps: Iterable[float] = STEPS,
    tolerances: Iterable[float] = TOLERANCES,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Run every combination of the choices that goes together, each at several steps or tolerances.

    Names narrow the choice; objects, one's own among them, are tried as they are, integrators with their own step or
    tolerance. Without `stabilisations` each treatment has its own. `progress` is called with (ways tried, all ways).
    Ctrl-C ends the comparison with what was tried.
    """
    duration = float(duration)  # a text with a unit was read
    blueprint = replace(blueprint_of(mechanism), defaults={})  # every choice is made here
    sets = ch.COORDINATES
    plans, refused = _plans(
        blueprint.space,
        _known("coordinates", coordinates, {**sets[PLANAR], **sets[SPATIAL]}, _sets(blueprint.space)),
        _known("treatment", treatments, ch.TREATMENTS, ch.TREATMENTS),
        _known("stabilisation", stabilisations, ch.STABILISATIONS, (None,)),
        _known("integrator", integrators, ch.INTEGRATORS, ch.INTEGRATORS),
        [("step", s) for s in steps],
        [("rtol", r) for r in tolerances],
    )
    times = np.linspace(0.0, duration, SAMPLES + 1)
    best = simulate(blueprint, times=times, rtol=YARDSTICK)
    if best.status.interrupted:
        raise KeyboardInterrupt
    if not best.status.ok:
        raise SimulationError(f"there is nothing to compare with: the most accurate run {best.status.sentence}")
    ways: list[Way] = []
    try:
        for plan in plans:
            ways.append(_way(blueprint, times, _places(best), plan))
            if progress is not None:
                progress(len(ways), len(plans))
    except KeyboardInterrupt:
        pass
    return Comparison(blueprint.name, duration, tuple(ways), refused, interrupted=len(ways) < len(plans))


def _known(kind: str, names: Iterable[Any] | None, known: Iterable[str], default: Iterable[Any]) -> list[Any]:
    """The names and objects asked for, or all; a name that does not exist is refused: it would silently be left out."""
    if names is None:
        return list(default)
    asked = [names] if isinstance(names, str | ch.Part) else list(names)
    for name in asked:
        if isinstance(name, str) and name not in known:
            raise ChoiceError(f"unknown {kind} '{name}'; {nearest(name, known)}")
    return asked


def _plans(
    space: str,
    coordinates: list[Any],
    treatments: list[Any],
    stabilisations: list[Any],
    integrators: list[Any],
    steps: list[tuple[str, float]],
    tolerances: list[tuple[str, float]],
) -> tuple[list[_Plan], tuple[str, ...]]:
    """What goes together, and the reasons why the rest does not. Raises where nothing does."""
    plans: list[_Plan] = []
    refused: dict[str, None] = {}
    for c, t, how, i in product(coordinates, treatments, stabilisations, integrators):
        own = not isinstance(i, str)
        for number in [None] if own else steps if ch.INTEGRATORS[i].fixed else tolerances:
            plan = _Plan(c, t, how, i, number)
            try:
                found = ch.resolve(space, **plan.options())
            except ChoiceError as error:
                refused[str(error)] = None
                break
            plans.append(replace(plan, held=str(found.treatment.stabilisation)))
    if not plans:
        raise ChoiceError("nothing to compare: " + "; ".join(refused))
    return plans, tuple(refused)


def _sets(space: str) -> list[str]:
    """One of each kind: the many Euler sequences differ in nothing that a comparison shows."""
    return [name for name, one in ch.COORDINATES[space].items() if one.shown]


def _places(run: Solution) -> Array:
    return np.asarray(run.motion.position)


def _way(blueprint: Blueprint, times: Array, yardstick: Array, plan: _Plan) -> Way:
    names = (str(plan.coordinates), str(plan.treatment), plan.held, str(plan.integrator), plan.setting)
    begun = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimulationWarning)
            run = simulate(blueprint, times=times, **plan.options())
    except JourdainError as error:
        return Way(*names, None, np.nan, np.nan, 0, time.perf_counter() - begun, Status(False, str(error)))
    if run.status.interrupted:
        raise KeyboardInterrupt
    kinetic = float(np.max(run.energy.kinetic, initial=0.0)) or 1.0
    drift = float(np.max(np.abs(run.energy.total - run.energy.total[0]), initial=0.0)) / kinetic
    away = float(np.max(np.linalg.norm(_places(run) - yardstick, axis=-1))) if run.status.ok else None
    violation = float(np.max(run.violation.position, initial=0.0))
    s = run.statistics
    return Way(*names, away, violation, drift, s.evaluations, s.seconds, run.status)
