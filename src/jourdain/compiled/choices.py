"""The three free choices of a simulation, their defaults, and which go together. All refusals are made here."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..kernels.coordinates import DEFAULT as DEFAULT_COORDINATES
from ..kernels.coordinates import SETS
from ..mechanism.errors import ChoiceError
from ..mechanism.names import nearest
from ..mechanism.parts import PLANAR, SPATIAL


@dataclass(frozen=True)
class Kkt:
    """Accelerations and multipliers from the KKT system, drift removed by projection after each step."""

    name: str = "kkt"
    stabilisation: str = "projection"


@dataclass(frozen=True)
class Rk4:
    """Classical Runge-Kutta of order 4. `step` is the longest step; steps divide output intervals evenly."""

    step: float
    name: str = "rk4"


@dataclass(frozen=True)
class Dop853:
    """Dormand-Prince of order 8 with error control. `atol` None: `rtol` times the smaller of 1 and the size in m."""

    rtol: float = 1e-9
    atol: float | None = None
    max_step: float = math.inf
    name: str = "dop853"


Integrator = Rk4 | Dop853
INTEGRATORS = ("rk4", "dop853")
TREATMENTS = ("kkt",)


@dataclass(frozen=True)
class Choices:
    """A full set: what a simulation consists of besides its mechanism."""

    coordinates: str
    treatment: Kkt
    integrator: Integrator
    recipe: str

    def __str__(self) -> str:
        treatment = f"{self.treatment.name} + {self.treatment.stabilisation}"
        return f"{self.coordinates}, {treatment}, {self.integrator.name}"


def resolve(
    space: str,
    recipe: str = "auto",
    coordinates: str | None = None,
    treatment: str | Kkt | None = None,
    integrator: str | Integrator | None = None,
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    max_step: float | None = None,
) -> Choices:
    """Names and numbers to a full set of choices; what does not fit is refused with the reason."""
    if recipe != "auto":
        raise ChoiceError(f"unknown recipe '{recipe}'; {nearest(recipe, ['auto'])}")
    coordinates = coordinates or DEFAULT_COORDINATES[space]
    if coordinates not in SETS[space]:
        other = SPATIAL if space == PLANAR else PLANAR
        if coordinates in SETS[other]:
            raise ChoiceError(
                f"coordinates '{coordinates}' are {other}, the mechanism is {space}; use '{DEFAULT_COORDINATES[space]}'"
            )
        raise ChoiceError(f"unknown coordinates '{coordinates}'; {nearest(coordinates, SETS[space])}")
    if isinstance(treatment, str) and treatment not in TREATMENTS:
        raise ChoiceError(f"unknown treatment '{treatment}'; {nearest(treatment, TREATMENTS)}")
    chosen = treatment if isinstance(treatment, Kkt) else Kkt()
    return Choices(coordinates, chosen, _integrator(integrator, step, rtol, atol, max_step), recipe)


def _integrator(
    choice: str | Integrator | None,
    step: float | None,
    rtol: float | None,
    atol: float | None,
    max_step: float | None,
) -> Integrator:
    given = {"step": step, "rtol": rtol, "atol": atol, "max_step": max_step}
    for key, value in given.items():
        zero_allowed = key == "atol"
        if value is not None and not (value > 0 or (zero_allowed and value == 0)):
            raise ChoiceError(f"{key} is {value}; expected a positive number")
    if isinstance(choice, Rk4 | Dop853):
        extra = [key for key, value in given.items() if value is not None]
        if extra:
            raise ChoiceError(f"{', '.join(extra)} given beside an integrator object; put it into the object")
        return choice
    name = choice or ("rk4" if step is not None else "dop853")
    if name == "rk4":
        if step is None:
            raise ChoiceError("rk4 has a fixed step; give step=1e-3, or use dop853, which finds its own")
        for key in ("rtol", "atol", "max_step"):
            if given[key] is not None:
                raise ChoiceError(f"rk4 has no error control, so {key} would do nothing; use dop853, or leave it out")
        return Rk4(step)
    if name == "dop853":
        if step is not None:
            raise ChoiceError("dop853 finds its own steps, so step would do nothing; use max_step, or rk4")
        defaults = Dop853()
        return Dop853(
            defaults.rtol if rtol is None else rtol, atol, defaults.max_step if max_step is None else max_step
        )
    raise ChoiceError(f"unknown integrator '{name}'; {nearest(name, INTEGRATORS)}")
