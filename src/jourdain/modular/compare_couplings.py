"""compare of a system: every coupling with several macro steps, against the one mechanism or the finest of them."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from ..analysis.simulate import simulate as simulate_mechanism
from ..choices.keys import ChoiceKeys
from ..mechanism.errors import ChoiceError, JourdainError
from ..mechanism.taken import Seconds
from ..plotting.cards import Card
from ..results.status import SimulationWarning, Status
from .coupled import COUPLINGS
from .explicit_coupling import Explicit
from .extended_coupling import Extended
from .joined import foreign, joined_whole, names_inside
from .running import simulate
from .step import Coupling
from .system import System
from .whole import Whole, frozen

Array = npt.NDArray[np.float64]

MACRO_STEPS = (0.01, 0.005)
SAMPLES = 20


@dataclass(frozen=True)
class CoupledWay:
    """One way to run a system. `error` is the largest distance of any body from the yardstick, m."""

    coupling: str
    macro_step: float | None
    error: float | None
    violation: float
    energy: float  # J, made by the coupling
    rounds: float  # a macro step
    seconds: float
    status: Status


@dataclass(frozen=True)
class ComparedSystem(Card):
    """All ways, and what they were measured by; `print(found)` shows a table."""

    mechanism: str
    duration: float
    yardstick: str
    ways: tuple[CoupledWay, ...]

    def __str__(self) -> str:
        numbers = f"{'error':>10}{'gap':>10}{'energy':>10}{'rounds':>8}{'seconds':>9}"
        head = f"{'coupling':<24}{'macro step':>11}{numbers}  status"
        lines = [f"{self.mechanism}, {self.duration:g} s, against {self.yardstick}", head]
        for way in self.ways:
            error = "-" if way.error is None else f"{way.error:.2e}"
            step = "-" if way.macro_step is None else f"{way.macro_step:g}"
            numbers = f"{way.violation:>10.1e}{way.energy:>10.1e}{way.rounds:>8.1f}{way.seconds:>9.2f}"
            lines.append(f"{way.coupling:<24}{step:>11}{error:>10}{numbers}  {way.status.sentence}")
        return "\n".join(lines)


def compare(
    system: System,
    duration: Seconds | None = None,
    *,
    couplings: Sequence[str | Coupling] | None = None,
    macro_steps: Sequence[float] = MACRO_STEPS,
    **choices: Unpack[ChoiceKeys],
) -> ComparedSystem:
    """Run a system by every coupling with every macro step; the yardstick is the one mechanism at tight tolerances."""
    whole = frozen(system)
    length: Any = duration if duration is not None else system.defaults.get("duration")
    if length is None:
        raise ChoiceError("duration is None; expected a positive number of seconds")
    ways: list[CoupledWay] = []
    every = max(macro_steps) * max(1, round(length / SAMPLES / max(macro_steps)))
    times = np.arange(0.0, length * (1 + 1e-9), every)
    yardstick, words = _yardstick(system, whole, times, min(macro_steps), choices)
    asked = couplings or ("held", *reversed(COUPLINGS))
    for one in asked:
        coupling = Explicit(held=True) if one == "held" else COUPLINGS[one]() if isinstance(one, str) else one
        name = "explicit, held" if one == "held" else str(coupling)
        ways += [_way(system, coupling, name, H, times, yardstick, choices) for H in macro_steps]
    if not foreign(whole):
        ways.append(_monolith(whole, times, yardstick))
    return ComparedSystem(whole.name, float(length), words, tuple(ways))


def _yardstick(
    system: System, whole: Whole, times: Array, finest: float, choices: ChoiceKeys
) -> tuple[dict[str, Array], str]:
    if not foreign(whole):
        run = simulate_mechanism(joined_whole(whole), times=times, integrator="dop853", rtol=1e-11, atol=1e-12)
        return _joined_places(whole, run), "the one mechanism, dop853 at rtol 1e-11"
    finer = simulate(system, times=times, coupling=Extended(), macro_step=finest / 4, **choices)
    return _places(finer), f"extended, macro step {finest / 4:g} s"


def _places(run: Any) -> dict[str, Array]:
    found = {}
    for box, part in run.boxes.items():
        for k, body in enumerate(part.blueprint.bodies):
            found[f"{box}.{body.name}"] = part.motion.position[:, k]
    return found


def _joined_places(whole: Whole, run: Any) -> dict[str, Array]:
    names = names_inside(whole)
    found = {}
    for box in whole.boxes:
        assert box.blueprint is not None
        for body in box.blueprint.bodies:
            place = run.motion.index(names[box.name][body.name])
            found[f"{box.name}.{body.name}"] = run.motion.position[:, place]
    return found


def _off(places: dict[str, Array], yardstick: dict[str, Array]) -> float | None:
    if any(len(places[name]) != len(yardstick[name]) for name in places):
        return None
    return max((float(np.max(np.linalg.norm(places[n] - yardstick[n], axis=-1))) for n in places), default=0.0)


def _way(
    system: System,
    coupling: Coupling,
    name: str,
    H: float,
    times: Array,
    yardstick: dict[str, Array],
    choices: ChoiceKeys,
) -> CoupledWay:
    begun = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimulationWarning)
            run = simulate(system, times=times, coupling=coupling, macro_step=H, **choices)
    except JourdainError as error:
        return CoupledWay(name, H, None, np.nan, np.nan, np.nan, time.perf_counter() - begun, Status(False, str(error)))
    seconds = time.perf_counter() - begun
    made = float(np.max(np.abs(run["@coupling.energy"]), initial=0.0))
    rounds = run.told["rounds"] / max(run.told["macro_steps"], 1)
    gap = float(np.max(run.violation.position, initial=0.0))
    error_ = _off(_places(run), yardstick) if run.status.ok else None
    return CoupledWay(name, H, error_, gap, made, rounds, seconds, run.status)


def _monolith(whole: Whole, times: Array, yardstick: dict[str, Array]) -> CoupledWay:
    begun = time.perf_counter()
    run = simulate_mechanism(joined_whole(whole), times=times)
    seconds = time.perf_counter() - begun
    gap = float(np.max(run.violation.position, initial=0.0))
    error = _off(_joined_places(whole, run), yardstick)
    return CoupledWay("one mechanism, auto", None, error, gap, 0.0, 0.0, seconds, run.status)
