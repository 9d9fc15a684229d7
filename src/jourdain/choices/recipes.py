"""Recipes: named full sets of choices, and where each comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..mechanism.parts import PLANAR, SPATIAL
from .contract import Integrator, Treatment
from .coordinates import DEFAULT_COORDINATES
from .integrators import Ab6, Bdf, Dop853, Newmark
from .stabilisations import Baumgarte
from .treatments import Kkt, Recursion, UdwadiaKalaba, Uzawa

# 1/s, alpha = beta of recipe amesim; the paper has no numbers. Equal gains bring drift back fastest without overshoot.
# What velocities lack, e, leaves drift of about e / beta in positions and disturbs accelerations by about 3 beta e: of
# machines of metres and seconds, 5 to 50 give the same motion, and beyond 100 error control has to follow the decay.
AMESIM_GAIN = 20.0


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
        {PLANAR: "relative", SPATIAL: "relative"},
        Recursion(),
        Dop853(),
    ),
    "joli": Recipe(
        "Joli, Seguy and Feng 2008: bodies as two points (in space by their axes), augmented Lagrangian inside them, "
        "Uzawa between them, Baumgarte's gains from the step, Newmark with two corrections",
        {PLANAR: "points", SPATIAL: "natural"},
        Uzawa(tolerance=1e-4, inside=1e4, stabilisation=Baumgarte()),
        Newmark(1e-3),
    ),
    "stanescu": Recipe(
        "Stanescu: Bryan angles (in the plane the angle) about the bodies' own origins, multipliers kept, projection",
        {PLANAR: "angle", SPATIAL: "bryan"},
        Kkt(),
        Dop853(),
    ),
}


def recipes() -> str:
    """All recipes as a table: what each consists of, and where it comes from."""
    lines = []
    for name, recipe in RECIPES.items():
        sets = " or ".join(recipe.coordinates[space] or DEFAULT_COORDINATES[space] for space in recipe.coordinates)
        parts = f"{sets}; {recipe.treatment} + {recipe.treatment.stabilisation}; {recipe.integrator}"
        lines.append(f"{name:<10} {parts}\n{'':<10} {recipe.summary}")
    return "\n".join(lines)
