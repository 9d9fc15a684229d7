"""The three free choices of a simulation, their defaults, and which go together. All refusals are made here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..kernels.coordinates import DEFAULT as DEFAULT_COORDINATES
from ..kernels.coordinates import SETS
from ..mechanism.errors import ChoiceError
from ..mechanism.names import nearest
from ..mechanism.parts import PLANAR, SPATIAL
from .integrators import ADAPTIVE, FIXED_STEP, INDEX3, Ab6, Dop853, GeneralizedAlpha, Hht, Integrator, Rk4, Rk6
from .treatments import STABILISATIONS, TREATMENTS, Index3, Kkt, Treatment, UdwadiaKalaba

__all__ = [
    "DEFAULT_COORDINATES",
    "RECIPES",
    "Ab6",
    "Choices",
    "Dop853",
    "GeneralizedAlpha",
    "Hht",
    "Index3",
    "Integrator",
    "Kkt",
    "Recipe",
    "Rk4",
    "Rk6",
    "Treatment",
    "UdwadiaKalaba",
    "positive",
    "resolve",
    "with_defaults",
]


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
    free: bool = False  # the integrator was left to us, who may change it where needed

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
    numbers = {"step": step, "rtol": rtol, "atol": atol, "max_step": max_step}
    method = _integrator(integrator, base.integrator, numbers)
    # Who asks for one of the methods on index 3 means that treatment.
    implied = Index3() if treatment is None and method.name in INDEX3 else base.treatment
    chosen = Choices(
        _coordinates(space, coordinates or base.coordinates[space]),
        _treatment(treatment, implied),
        method,
        recipe,
        free=recipe == "auto" and integrator is None and step is None,
    )
    _together(chosen)
    return chosen


def with_defaults(written: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Choices as given, completed by those a mechanism brings along.

    A recipe that is given replaces them all, an integrator those of the integrator: a step goes with its method.
    """
    given = {key: value for key, value in written.items() if value is not None}
    replaced: tuple[str, ...] = ()
    if "recipe" in given:
        replaced = (*written, "stabilisation")
    elif "integrator" in given:
        replaced = ("integrator", "step", "rtol", "atol", "max_step")
    kept = {key: value for key, value in defaults.items() if key in (*written, "stabilisation") and key not in replaced}
    stabilisation = kept.pop("stabilisation", None)
    chosen = {**kept, **given}
    if stabilisation is not None and "treatment" not in given:
        base = RECIPES.get(chosen.get("recipe", "auto"), RECIPES["auto"]).treatment.name
        make = TREATMENTS.get(chosen.get("treatment", base))
        chosen |= {} if make is None else {"treatment": make(stabilisation)}
    return chosen


def _together(chosen: Choices) -> None:
    """Refuse what cannot work together, with the reason and the nearest that can."""
    treatment, method = chosen.treatment.name, chosen.integrator.name
    if treatment == "index3" and method not in INDEX3:
        raise ChoiceError(
            f"index3 is solved inside a step, which {method} cannot do; use generalized-alpha or hht, or kkt instead"
        )
    if method in INDEX3 and treatment != "index3":
        raise ChoiceError(f"{method} solves the index-3 equations itself; leave out '{treatment}', or use rk4")
    euler = chosen.coordinates.startswith(("bryan", "euler-")) and "parameters" not in chosen.coordinates
    if method in INDEX3 and euler:
        raise ChoiceError(
            f"{method} cannot change from one Euler sequence to another; use quaternion, not {chosen.coordinates}"
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
    raise ChoiceError(f"unknown integrator '{name}'; {nearest(name, (*FIXED_STEP, *ADAPTIVE))}")


def positive(key: str, value: Any, infinite: bool = False, unit: str = "") -> float:
    """A positive number, or a refusal that names it."""
    expected = f"expected a positive number{unit}"
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise ChoiceError(f"{key} is {value!r}; {expected}")
    if not value > 0 or (math.isinf(value) and not infinite):
        raise ChoiceError(f"{key} is {value}; {expected}")
    return float(value)
