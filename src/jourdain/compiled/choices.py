"""The three free choices of a simulation, their defaults, and which go together. All refusals are made here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..kernels.coordinates import DEFAULT as DEFAULT_COORDINATES
from ..kernels.coordinates import SETS
from ..mechanism.errors import ChoiceError
from ..mechanism.names import nearest
from ..mechanism.parts import PLANAR, SPATIAL


@dataclass(frozen=True)
class Kkt:
    """Accelerations and multipliers from the KKT system by its Schur complement K = J M^-1 J^T.

    Redundant rows are found at the start and bear no load. `stabilisation`: `projection` in the mass metric after each
    step, or `euclidean`, the paper's direct correction with J^+.
    """

    stabilisation: str = "projection"
    name: str = field(default="kkt", init=False)


@dataclass(frozen=True)
class UdwadiaKalaba:
    """Udwadia-Kalaba: lam = K^+ (J M^-1 Q - gamma), Moore-Penrose where rows are redundant (Pappalardo 2018, sec. 4).

    All rows are kept; redundant ones share their load in the least-squares sense. Dense where the rank is deficient.
    """

    stabilisation: str = "projection"
    name: str = field(default="udwadia-kalaba", init=False)


@dataclass(frozen=True)
class Rk4:
    """Classical Runge-Kutta of order 4. `step` is the longest step; steps divide output intervals evenly."""

    step: float
    name: str = field(default="rk4", init=False)


@dataclass(frozen=True)
class Rk6:
    """Runge-Kutta of order 6 in seven stages (Butcher 1964); steps as for rk4."""

    step: float
    name: str = field(default="rk6", init=False)


@dataclass(frozen=True)
class Ab6:
    """Adams-Bashforth of order 6, one evaluation a step, started by rk6; steps as for rk4. Not for stiff machines."""

    step: float = 1e-3
    name: str = field(default="ab6", init=False)


@dataclass(frozen=True)
class Dop853:
    """Dormand-Prince of order 8 with error control. `atol` None: `rtol` times the smaller of 1 and the size in m."""

    rtol: float = 1e-9
    atol: float | None = None
    max_step: float = math.inf
    name: str = field(default="dop853", init=False)


Treatment = Kkt | UdwadiaKalaba
Integrator = Rk4 | Rk6 | Ab6 | Dop853
TREATMENTS: dict[str, type[Kkt] | type[UdwadiaKalaba]] = {"kkt": Kkt, "udwadia-kalaba": UdwadiaKalaba}
FIXED_STEP: dict[str, type[Rk4] | type[Rk6] | type[Ab6]] = {"rk4": Rk4, "rk6": Rk6, "ab6": Ab6}
STABILISATIONS = ("projection", "euclidean")


@dataclass(frozen=True)
class Recipe:
    """A named full set of choices and where it comes from. Coordinates by space; None: the default of that space."""

    summary: str
    coordinates: Mapping[str, str | None]
    treatment: Treatment
    integrator: Integrator


RECIPES = {
    "auto": Recipe(
        "the default: right without thought",
        {PLANAR: None, SPATIAL: None},
        Kkt(),
        Dop853(),
    ),
    "nacf": Recipe(
        "Pappalardo and Guida 2018: natural coordinates, Udwadia-Kalaba, direct correction, Adams-Bashforth 1e-3 s",
        {PLANAR: "natural", SPATIAL: "natural"},
        UdwadiaKalaba("euclidean"),
        Ab6(1e-3),
    ),
    "stanescu": Recipe(
        "Stanescu: Bryan angles about the bodies' own origins, multipliers kept, projection",
        {SPATIAL: "bryan"},
        Kkt(),
        Dop853(),
    ),
}


@dataclass(frozen=True)
class Choices:
    """A full set: what a simulation consists of besides its mechanism."""

    coordinates: str
    treatment: Treatment
    integrator: Integrator
    recipe: str

    def __str__(self) -> str:
        treatment = f"{self.treatment.name} + {self.treatment.stabilisation}"
        step = "" if isinstance(self.integrator, Dop853) else f" {self.integrator.step:g} s"
        words = f"{self.coordinates}, {treatment}, {self.integrator.name}{step}"
        return words if self.recipe == "auto" else f"{words} (recipe {self.recipe})"


def resolve(
    space: str,
    recipe: str = "auto",
    coordinates: str | None = None,
    treatment: str | Treatment | None = None,
    integrator: str | Integrator | None = None,
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    max_step: float | None = None,
) -> Choices:
    """Names and numbers to a full set of choices; what does not fit is refused with the reason."""
    if recipe not in RECIPES:
        raise ChoiceError(f"unknown recipe '{recipe}'; {nearest(recipe, RECIPES)}")
    base = RECIPES[recipe]
    if space not in base.coordinates:
        raise ChoiceError(f"recipe '{recipe}' is for {' and '.join(base.coordinates)} mechanisms; use 'auto'")
    chosen = _treatment(treatment, base.treatment)
    return Choices(
        _coordinates(space, coordinates or base.coordinates[space]),
        chosen,
        _integrator(integrator, base.integrator, {"step": step, "rtol": rtol, "atol": atol, "max_step": max_step}),
        recipe,
    )


def _coordinates(space: str, name: str | None) -> str:
    name = name or DEFAULT_COORDINATES[space]
    if not isinstance(name, str):
        raise ChoiceError(f"coordinates is {name!r}; expected a name: {', '.join(SETS[space])}")
    if name in SETS[space]:
        return name
    other = SPATIAL if space == PLANAR else PLANAR
    if name in SETS[other]:
        raise ChoiceError(
            f"coordinates '{name}' are {other}, the mechanism is {space}; use '{DEFAULT_COORDINATES[space]}'"
        )
    raise ChoiceError(f"unknown coordinates '{name}'; {nearest(name, SETS[space])}")


def _treatment(choice: str | Treatment | None, base: Treatment) -> Treatment:
    if isinstance(choice, str):
        if choice not in TREATMENTS:
            raise ChoiceError(f"unknown treatment '{choice}'; {nearest(choice, TREATMENTS)}")
        choice = TREATMENTS[choice]()
    chosen = choice or base
    if not isinstance(chosen, Treatment):
        raise ChoiceError(f"treatment is {choice!r}; expected a name ({', '.join(TREATMENTS)}) or an object like Kkt()")
    if chosen.stabilisation not in STABILISATIONS:
        known = nearest(chosen.stabilisation, STABILISATIONS)
        raise ChoiceError(f"unknown stabilisation '{chosen.stabilisation}'; {known}")
    return chosen


def _integrator(choice: str | Integrator | None, base: Integrator, given: dict[str, float | None]) -> Integrator:
    for key, value in given.items():
        if value is not None:
            positive(key, value, infinite=key == "max_step")
    written: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if choice is not None and not isinstance(choice, str):
        if written:
            raise ChoiceError(f"{', '.join(written)} given beside an integrator object; put it into the object")
        if not isinstance(choice, Integrator):
            raise ChoiceError(f"integrator is {choice!r}; expected a name or an object like Rk4(step=1e-3)")
        for key in ("step", "rtol", "atol", "max_step"):
            if getattr(choice, key, None) is not None:
                positive(key, getattr(choice, key), infinite=key == "max_step")
        return choice
    name = choice or base.name
    if choice is None and name == "dop853" and "step" in written:
        name = "rk4"  # a step was asked for: the plain method with a step
    if name in FIXED_STEP:
        if "step" not in written and isinstance(base, Dop853):
            raise ChoiceError(f"{name} has a fixed step; give step=1e-3, or use dop853, which finds its own")
        for key in ("rtol", "atol", "max_step"):
            if key in written:
                raise ChoiceError(
                    f"{name} has no error control, so {key} would do nothing; use dop853, or leave it out"
                )
        return FIXED_STEP[name](written["step"] if isinstance(base, Dop853) else written.get("step", base.step))
    if name == "dop853":
        if "step" in written:
            raise ChoiceError("dop853 finds its own steps, so step would do nothing; use max_step, or rk4")
        return Dop853(**written)
    raise ChoiceError(f"unknown integrator '{name}'; {nearest(name, (*FIXED_STEP, 'dop853'))}")


def positive(key: str, value: Any, infinite: bool = False, unit: str = "") -> float:
    """A positive number, or a refusal that names it."""
    expected = f"expected a positive number{unit}"
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise ChoiceError(f"{key} is {value!r}; {expected}")
    if not value > 0 or (math.isinf(value) and not infinite):
        raise ChoiceError(f"{key} is {value}; {expected}")
    return float(value)
