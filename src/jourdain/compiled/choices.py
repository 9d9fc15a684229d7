"""The three free choices of a simulation, their defaults, and which go together. All refusals are made here."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..kernels.coordinates import DEFAULT as DEFAULT_COORDINATES
from ..kernels.coordinates import SETS
from ..mechanism.errors import ChoiceError
from ..mechanism.names import nearest
from ..mechanism.parts import PLANAR, SPATIAL
from .integrators import (
    ADAPTIVE,
    FIXED_STEP,
    IMPLICIT,
    INDEX3,
    NEWTONS,
    Ab6,
    Adaptive,
    Bdf,
    Dop853,
    Dopri5,
    GeneralizedAlpha,
    Hht,
    Integrator,
    Newmark,
    Radau,
    Rk4,
    Rk6,
)
from .treatments import (
    STABILISATIONS,
    TREATMENTS,
    AugmentedLagrangian,
    Baumgarte,
    Index3,
    Kkt,
    NullSpace,
    Partitioning,
    Penalty,
    Recursion,
    Stabilisation,
    Treatment,
    UdwadiaKalaba,
    Uzawa,
)

__all__ = [
    "DEFAULT_COORDINATES",
    "RECIPES",
    "Ab6",
    "Adaptive",
    "AugmentedLagrangian",
    "Baumgarte",
    "Bdf",
    "Choices",
    "Dop853",
    "Dopri5",
    "GeneralizedAlpha",
    "Hht",
    "Index3",
    "Integrator",
    "Kkt",
    "Newmark",
    "NullSpace",
    "Partitioning",
    "Penalty",
    "Radau",
    "Recipe",
    "Recursion",
    "Relative",
    "Rk4",
    "Rk6",
    "Stabilisation",
    "Treatment",
    "UdwadiaKalaba",
    "Uzawa",
    "positive",
    "recipes",
    "resolve",
    "with_defaults",
]


RELATIVE = "relative"
MAX_ALPHA = 1e9  # of augmented-lagrangian and penalty
MIN_TOLERANCE = 1e-14
MIN_RTOL = 1e-14
# 1/s, alpha = beta of recipe amesim; the paper has no numbers. Equal gains bring drift back fastest without overshoot.
# What velocities lack, e, leaves drift of about e / beta in positions and disturbs accelerations by about 3 beta e: of
# machines of metres and seconds, 5 to 50 give the same motion, and beyond 100 error control has to follow the decay.
AMESIM_GAIN = 20.0


@dataclass(frozen=True)
class Relative:
    """Joint coordinates with a say in which joints are cut: `coordinates=Relative(cuts=["C"])`."""

    cuts: Collection[str] = ()


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
    "amesim": Recipe(
        "Marquis-Favre, Bideaux and Scavarda 2006: Baumgarte, implicit with the multipliers among the unknowns",
        {PLANAR: "angle", SPATIAL: "quaternion"},
        Kkt(Baumgarte(alpha=AMESIM_GAIN, beta=AMESIM_GAIN)),
        Bdf(multipliers=True),
    ),
    "nacf": Recipe(
        "Pappalardo and Guida 2018: natural coordinates, Udwadia-Kalaba, direct correction, Adams-Bashforth 1e-3 s",
        {PLANAR: "natural", SPATIAL: "natural"},
        UdwadiaKalaba("euclidean"),
        Ab6(1e-3),
    ),
    "recursive": Recipe(
        "Wijckmans 1992: joint coordinates on the spanning tree, recursion inward and outward, cut joints projected",
        {PLANAR: RELATIVE, SPATIAL: RELATIVE},
        Recursion(),
        Dop853(),
    ),
    "joli": Recipe(
        "Joli, Seguy and Feng 2008: bodies as two points, augmented Lagrangian inside them, Uzawa between them, "
        "Baumgarte's gains from the step, Newmark with two corrections",
        {PLANAR: "points"},
        Uzawa(tolerance=1e-4, inside=1e4, stabilisation=Baumgarte()),
        Newmark(1e-3),
    ),
    "stanescu": Recipe(
        "Stanescu: Bryan angles about the bodies' own origins, multipliers kept, projection",
        {SPATIAL: "bryan"},
        Kkt(),
        Dop853(),
    ),
}


def recipes() -> str:
    """All recipes as a table: what each consists of, and where it comes from."""
    lines = []
    for name, recipe in RECIPES.items():
        sets = " or ".join(recipe.coordinates[space] or DEFAULT_COORDINATES[space] for space in recipe.coordinates)
        parts = f"{sets}; {recipe.treatment.name} + {recipe.treatment.stabilisation}; {recipe.integrator.name}"
        lines.append(f"{name:<10} {parts}\n{'':<10} {recipe.summary}")
    return "\n".join(lines)


@dataclass(frozen=True)
class Choices:
    """A full set: what a simulation consists of besides its mechanism."""

    coordinates: str
    treatment: Treatment
    integrator: Integrator
    recipe: str
    free: bool = False  # the integrator was left to us, who may change it where needed
    any_coordinates: bool = False  # so were the coordinates
    cuts: tuple[str, ...] = ()  # joints to be cut in joint coordinates, besides those that must be

    def __str__(self) -> str:
        treatment = f"{self.treatment.name} + {self.treatment.stabilisation}"
        step = "" if isinstance(self.integrator, Adaptive) else f" {self.integrator.step:g} s"
        added = [key for key in ("multipliers", "forces") if getattr(self.integrator, key, False)]
        unknowns = f" with {added[0]}" if added else ""
        if getattr(self.integrator, "stages", 3) != 3:
            unknowns = f" of {getattr(self.integrator, 'stages')} stages{unknowns}"  # noqa: B009
        words = f"{self.coordinates}, {treatment}, {self.integrator.name}{step}{unknowns}"
        return words if self.recipe == "auto" else f"{words} (recipe {self.recipe})"


def resolve(
    space: str,
    recipe: str = "auto",
    coordinates: str | Relative | None = None,
    treatment: str | Treatment | None = None,
    integrator: str | Integrator | None = None,
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    max_step: float | None = None,
    stabilisation: str | Stabilisation | None = None,
) -> Choices:
    """Names and numbers to a full set of choices; what does not fit is refused with the reason."""
    if recipe not in RECIPES:
        raise ChoiceError(f"unknown recipe '{recipe}'; {nearest(recipe, RECIPES)}")
    base = RECIPES[recipe]
    cuts: tuple[str, ...] = ()
    if isinstance(coordinates, Relative):
        cuts = (coordinates.cuts,) if isinstance(coordinates.cuts, str) else tuple(coordinates.cuts)
        coordinates = RELATIVE
    if space not in base.coordinates:
        raise ChoiceError(f"recipe '{recipe}' is for {' and '.join(base.coordinates)} mechanisms; use 'auto'")
    numbers = {"step": step, "rtol": rtol, "atol": atol, "max_step": max_step}
    method = _integrator(integrator, base.integrator, numbers)
    # Who asks for one of the methods on index 3 means that treatment.
    implied = Index3() if treatment is None and method.name in INDEX3 else base.treatment
    recursive = treatment == "recursion" or isinstance(treatment, Recursion)
    if recursive and coordinates is None:
        coordinates = RELATIVE  # the only ones it is for
    elif coordinates == RELATIVE and treatment is None:
        implied = Recursion()
    chosen = Choices(
        _coordinates(space, coordinates or base.coordinates[space]),
        _treatment(treatment, implied, stabilisation),
        method,
        recipe,
        free=recipe == "auto" and integrator is None and step is None and treatment is None and stabilisation is None,
        any_coordinates=recipe == "auto"
        and implied == Kkt()
        and not getattr(method, "multipliers", False)
        and (coordinates, treatment, stabilisation) == (None, None, None),
        cuts=cuts,
    )
    _together(chosen)
    how = chosen.treatment.stabilisation
    if isinstance(how, Baumgarte) and how.alpha is None:
        fixed = replace(chosen.treatment, stabilisation=how.from_step(getattr(method, "step")))  # noqa: B009
        chosen = replace(chosen, treatment=fixed)
    return chosen


def with_defaults(written: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Choices as given, completed by those a mechanism brings along.

    A recipe that is given replaces them all, an integrator those of the integrator: a step goes with its method.
    """
    given = {key: value for key, value in written.items() if value is not None}
    replaced: tuple[str, ...] = ()
    if "recipe" in given:
        replaced = tuple(written)
    elif "integrator" in given:
        replaced = ("integrator", "step", "rtol", "atol", "max_step")
    kept = {key: value for key, value in defaults.items() if key in written and key not in replaced}
    return {**kept, **given}


def _together(chosen: Choices) -> None:
    """Refuse what cannot work together, with the reason and the nearest that can."""
    treatment, method = chosen.treatment.name, chosen.integrator.name
    if chosen.coordinates == RELATIVE and method in INDEX3:
        raise ChoiceError(
            f"{method} solves the index-3 equations of other coordinates; with relative use dop853, rk4 or radau"
        )
    if (treatment == "recursion") != (chosen.coordinates == RELATIVE):
        _raise_unless_recursive(treatment, chosen.coordinates)
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
    _stabilised(treatment, chosen.treatment.stabilisation, method)
    _multipliers(treatment, chosen.treatment.stabilisation, chosen.integrator)


def _raise_unless_recursive(treatment: str, coordinates: str) -> None:
    if coordinates == RELATIVE:
        raise ChoiceError(
            f"joint coordinates are solved by recursion on the tree; leave out '{treatment}', or use it with other "
            "coordinates"
        )
    raise ChoiceError(f"recursion is for joint coordinates; use relative, not {coordinates}, or kkt")


def _stabilised(treatment: str, how: Stabilisation, method: str) -> None:
    """Refuse stabilisations that do not go with the treatment or the integrator."""
    if treatment == "partitioning" and str(how) != "dependent":
        raise ChoiceError(
            f"partitioning corrects its dependent coordinates; leave out '{how}', or use null-space with projection"
        )
    if str(how) == "dependent" and treatment != "partitioning":
        raise ChoiceError(f"{treatment} has no dependent coordinates; use projection, or partitioning")
    if str(how) == "euclidean" and treatment == "null-space":
        raise ChoiceError("null-space projects in the mass metric; use projection, or udwadia-kalaba with euclidean")
    if treatment == "recursion" and str(how) not in ("projection", "none"):
        raise ChoiceError(f"recursion projects its cut joints; leave out '{how}', or use kkt with other coordinates")
    if treatment == "index3" and str(how) != "projection":
        raise ChoiceError(f"index3 closes positions in its steps; leave out '{how}', or use kkt with rk4")
    if str(how) == "ggl" and method not in IMPLICIT:
        raise ChoiceError(
            f"ggl closes positions and velocities inside the steps of an implicit method, which {method} is not; "
            "use projection, or radau"
        )
    if treatment == "penalty" and str(how) == "none":
        raise ChoiceError(
            "penalty lets accelerations be wrong, so without stabilisation joints come apart; use baumgarte"
        )
    if isinstance(how, Baumgarte) and how.alpha is None and method in ADAPTIVE:
        raise ChoiceError(
            f"the gains of baumgarte come from the step, and {method} has no fixed one; give "
            "Baumgarte(alpha=..., beta=...), or use rk4 with step="
        )


def _multipliers(treatment: str, how: Stabilisation, method: Integrator) -> None:
    """Refuse what does not go with multipliers that are unknowns of a step."""
    asked = getattr(method, "multipliers", False)
    if str(how) == "ggl" and getattr(method, "forces", False):
        raise ChoiceError("ggl has multipliers among its unknowns, and no forces; leave out forces=True, or ggl")
    if str(how) == "ggl" and asked:
        raise ChoiceError("ggl has the multipliers among its unknowns in any case; leave out multipliers=True")
    if (asked or str(how) == "ggl") and treatment != "kkt":
        why = f"multipliers=True of {method.name}" if asked else "ggl"
        instead = "leave out multipliers=True" if asked else "projection"
        raise ChoiceError(
            f"{why} has the multipliers among the unknowns of a step, and {treatment} would find them by itself; "
            f"use kkt, or {instead}"
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


def _treatment(choice: str | Treatment | None, base: Treatment, how_held: Stabilisation | None = None) -> Treatment:
    written = isinstance(choice, str)
    if isinstance(choice, str):
        if choice not in TREATMENTS:
            raise ChoiceError(f"unknown treatment '{choice}'; {nearest(choice, TREATMENTS)}")
        choice = TREATMENTS[choice]()
    chosen = choice or base
    if not isinstance(chosen, Treatment):
        raise ChoiceError(f"treatment is {choice!r}; expected a name ({', '.join(TREATMENTS)}) or an object like Kkt()")
    if how_held is not None:
        if choice is not None and not written:
            raise ChoiceError("stabilisation given beside a treatment object; put it into the object")
        chosen = replace(chosen, stabilisation=how_held)
    how = chosen.stabilisation
    if not isinstance(how, str | Baumgarte):
        raise ChoiceError(f"stabilisation is {how!r}; expected a name ({', '.join(STABILISATIONS)}) or Baumgarte()")
    if str(how) not in STABILISATIONS:
        raise ChoiceError(f"unknown stabilisation '{how}'; {nearest(str(how), STABILISATIONS)}")
    if how == "baumgarte":
        how = Baumgarte()
        chosen = replace(chosen, stabilisation=how)
    _check_numbers(chosen)
    return chosen


def _check_numbers(chosen: Treatment) -> None:
    """Parameters of treatments and stabilisations."""
    how = chosen.stabilisation
    if isinstance(how, Baumgarte):
        positive("damping", how.damping)
        if (how.alpha is None) != (how.beta is None):
            raise ChoiceError("baumgarte has one of alpha and beta; give both, or none to take them from the step")
        if how.alpha is not None and how.beta is not None:
            positive("alpha", how.alpha)
            positive("beta", how.beta)
            if how.damping != Baumgarte().damping:
                raise ChoiceError("damping is for gains from the step, and alpha and beta were given; leave out one")
    if isinstance(chosen, AugmentedLagrangian | Penalty) and not 1 <= positive("alpha", chosen.alpha) <= MAX_ALPHA:
        raise ChoiceError(f"alpha is {chosen.alpha:g}; expected 1 to {MAX_ALPHA:g}: beyond that rounding is multiplied")
    if isinstance(chosen, AugmentedLagrangian | Uzawa):
        if not MIN_TOLERANCE <= positive("tolerance", chosen.tolerance) < 1:
            raise ChoiceError(f"tolerance is {chosen.tolerance:g}; expected {MIN_TOLERANCE:g} to 1")
        positive("most", chosen.most)
    if isinstance(chosen, Uzawa):
        if chosen.relaxation is not None:
            positive("relaxation", chosen.relaxation)
        if chosen.inside is not None and not 1 <= positive("inside", chosen.inside) <= MAX_ALPHA:
            raise ChoiceError(f"inside is {chosen.inside:g}; expected an alpha from 1 to {MAX_ALPHA:g}, or None")


def _integrator(choice: str | Integrator | None, base: Integrator, given: dict[str, float | None]) -> Integrator:
    for key, value in given.items():
        if value is not None:
            positive(key, value, infinite=key == "max_step")
            _above_rounding(key, value)
    written: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if choice is not None and not isinstance(choice, str):
        if written:
            raise ChoiceError(f"{', '.join(written)} given beside an integrator object; put it into the object")
        if not isinstance(choice, Integrator):
            raise ChoiceError(f"integrator is {choice!r}; expected a name or an object like Rk4(step=1e-3)")
        for key in ("step", "rtol", "atol", "max_step"):
            if getattr(choice, key, None) is not None:
                positive(key, getattr(choice, key), infinite=key == "max_step")
                _above_rounding(key, getattr(choice, key))
        _parameters(choice)
        return choice
    name = choice or base.name
    if choice is None and name == "dop853" and "step" in written:
        name = "rk4"  # a step was asked for: the plain method with a step
    if name in FIXED_STEP:
        if "step" not in written and isinstance(base, Adaptive):
            raise ChoiceError(f"{name} has a fixed step; give step=1e-3, or use dop853, which finds its own")
        for key in ("rtol", "atol", "max_step"):
            if key in written:
                raise ChoiceError(
                    f"{name} has no error control, so {key} would do nothing; use dop853, or leave it out"
                )
        return FIXED_STEP[name](written["step"] if isinstance(base, Adaptive) else written.get("step", base.step))
    if name in ADAPTIVE:
        if "step" in written:
            raise ChoiceError(f"{name} finds its own steps, so step would do nothing; use max_step, or rk4")
        return replace(base, **written) if name == base.name else ADAPTIVE[name](**written)
    raise ChoiceError(f"unknown integrator '{name}'; {nearest(name, (*FIXED_STEP, *ADAPTIVE))}")


def _above_rounding(key: str, value: float) -> None:
    if key == "rtol" and value < MIN_RTOL:
        raise ChoiceError(f"rtol is {value:g}; numbers have 16 digits, so less than {MIN_RTOL:g} cannot be asked for")


def _parameters(method: Integrator) -> None:
    """Parameters that an integrator has besides its step or tolerance."""
    if isinstance(method, Radau | Bdf) and not isinstance(method.multipliers, bool):
        raise ChoiceError(f"multipliers is {method.multipliers!r}; expected True or False")
    if isinstance(method, Radau):
        if method.stages not in (3, 5, 7):
            raise ChoiceError(f"stages is {method.stages!r}; radau has 3 (order 5), 5 (order 9) or 7 (order 13)")
        if not isinstance(method.forces, bool):
            raise ChoiceError(f"forces is {method.forces!r}; expected True or False")
        if method.forces and method.multipliers:
            raise ChoiceError("radau takes multipliers or forces as unknowns, not both; leave out one")
    if isinstance(method, Newmark) and method.corrections not in (1, 2):
        raise ChoiceError(f"corrections is {method.corrections!r}; newmark takes 1 (order 1) or 2 (order 2)")
    if isinstance(method, GeneralizedAlpha) and not 0 <= method.rho <= 1:
        raise ChoiceError(f"rho is {method.rho!r}; expected 0 (damps most) to 1 (damps nothing)")
    if isinstance(method, Hht) and not 0 <= method.alpha <= 1 / 3:
        raise ChoiceError(f"alpha is {method.alpha!r}; expected 0 (damps nothing) to 1/3 (damps most)")
    if isinstance(method, GeneralizedAlpha | Hht) and method.newton not in NEWTONS:
        raise ChoiceError(f"newton is {method.newton!r}; {nearest(str(method.newton), NEWTONS)}")


def positive(key: str, value: Any, infinite: bool = False, unit: str = "") -> float:
    """A positive number, or a refusal that names it."""
    expected = f"expected a positive number{unit}"
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise ChoiceError(f"{key} is {value!r}; {expected}")
    if not value > 0 or (math.isinf(value) and not infinite):
        raise ChoiceError(f"{key} is {value}; {expected}")
    return float(value)
