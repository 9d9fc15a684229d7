"""From names and numbers to a full set of choices; what does not go together is refused by the choices themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..mechanism.errors import ChoiceError
from ..mechanism.names import nearest
from .contract import Adaptive, FixedStep, Integrator, Stabilisation, Treatment, raise_if
from .coordinates import Coordinates, coordinates_of
from .integrators import INTEGRATORS
from .positive import above_rounding, positive
from .recipes import RECIPES
from .stabilisations import wrong_stabilisation
from .treatments import TREATMENTS, Kkt

NUMBERS = ("step", "rtol", "atol", "max_step")  # of integrators, that may be given beside their name


@dataclass(frozen=True)
class Choices:
    """A full set: what a simulation consists of besides its mechanism."""

    set: Coordinates
    treatment: Treatment
    integrator: Integrator
    recipe: str
    free: bool = False  # the integrator was left to us, who may change it where needed
    any_coordinates: bool = False  # so were the coordinates
    why: str = field(default="", compare=False)  # what was chosen for the user, and why

    @property
    def coordinates(self) -> str:
        """The coordinate set by name."""
        return self.set.name

    def __str__(self) -> str:
        treatment = f"{self.treatment} + {self.treatment.stabilisation}"
        step = f" {self.integrator.step:g} s" if isinstance(self.integrator, FixedStep) else ""
        added = [key for key in ("multipliers", "forces") if getattr(self.integrator, key, False)]
        unknowns = f" with {added[0]}" if added else ""
        if getattr(self.integrator, "stages", 3) != 3:
            unknowns = f" of {getattr(self.integrator, 'stages')} stages{unknowns}"  # noqa: B009
        words = f"{self.set}, {treatment}, {self.integrator}{step}{unknowns}"
        told = self.why if self.recipe == "auto" else f"recipe {self.recipe}"
        return f"{words} ({told})" if told else words


def resolve(
    space: str,
    recipe: str = "auto",
    coordinates: str | Coordinates | None = None,
    treatment: str | Treatment | None = None,
    integrator: str | Integrator | None = None,
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    max_step: float | None = None,
    stabilisation: str | Stabilisation | None = None,
) -> Choices:
    """Names and numbers to a full set of choices; what does not fit is refused with the reason."""
    if not isinstance(recipe, str) or recipe not in RECIPES:
        raise ChoiceError(f"unknown recipe '{recipe}'; {nearest(recipe, RECIPES)}", "recipe")
    base = RECIPES[recipe]
    if space not in base.coordinates:
        raise ChoiceError(f"recipe '{recipe}' is for {' and '.join(base.coordinates)} mechanisms; use 'auto'", "recipe")
    method = _integrator(integrator, base.integrator, {"step": step, "rtol": rtol, "atol": atol, "max_step": max_step})
    named = _named_treatment(treatment)
    if coordinates is None and named is not None:
        coordinates = named.own_coordinates
    chosen_set = coordinates_of(space, base.coordinates[space] if coordinates is None else coordinates)
    # Who asks for one of the methods on index 3 means that treatment, who asks for joint coordinates the recursion.
    implied = method.implies or base.treatment
    if coordinates is not None:
        implied = chosen_set.own_treatment or implied
    held = _held(named, implied, stabilisation, isinstance(treatment, str))
    chosen = Choices(
        chosen_set,
        held,
        method,
        recipe,
        free=recipe == "auto" and integrator is None and step is None and treatment is None and stabilisation is None,
        any_coordinates=recipe == "auto"
        and implied == Kkt()
        and not getattr(method, "multipliers", False)
        and (coordinates, treatment, stabilisation) == (None, None, None),
    )
    parts = {
        "coordinates": chosen.set,
        "treatment": chosen.treatment,
        "stabilisation": chosen.treatment.stabilisation,
        "integrator": chosen.integrator,
    }
    for key, part in parts.items():  # what refuses may be there by default: then the others are to blame
        raise_if(part.refuses(chosen), key, *parts, "recipe")
    how = held.stabilisation
    if (fixed := how.with_step(getattr(method, "step", None))) is not how:
        chosen = replace(chosen, treatment=with_stabilisation(held, fixed))
    return chosen


def with_stabilisation(treatment: Treatment, how: Any) -> Treatment:
    """A treatment that holds drift otherwise."""
    return replace(treatment, stabilisation=how)  # type: ignore[type-var]


def with_defaults(written: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Choices as given, completed by those a mechanism brings along.

    A recipe that is given replaces them all, an integrator those of the integrator: a step goes with its method.
    """
    given = {key: value for key, value in written.items() if value is not None}
    replaced: tuple[str, ...] = ()
    if "recipe" in given:
        replaced = tuple(written)
    elif "integrator" in given:
        replaced = ("integrator", *NUMBERS)
    kept = {key: value for key, value in defaults.items() if key in written and key not in replaced}
    return {**kept, **given}


def _named_treatment(choice: str | Treatment | None) -> Treatment | None:
    if isinstance(choice, str):
        if choice not in TREATMENTS:
            raise ChoiceError(f"unknown treatment '{choice}'; {nearest(choice, TREATMENTS)}", "treatment")
        return TREATMENTS[choice]()
    if choice is not None and not isinstance(choice, Treatment):
        words = f"treatment is {choice!r}; expected a name ({', '.join(TREATMENTS)}) or an object like Kkt()"
        raise ChoiceError(words, "treatment")
    return choice


def _held(named: Treatment | None, implied: Treatment, how: Any, by_name: bool) -> Treatment:
    """The treatment with its stabilisation, numbers checked."""
    chosen = named or implied
    if how is not None:
        if named is not None and not by_name:
            raise ChoiceError("stabilisation given beside a treatment object; put it into the object", "stabilisation")
        chosen = with_stabilisation(chosen, how)
    raise_if(wrong_stabilisation(chosen.stabilisation), "stabilisation", "treatment")
    raise_if(chosen.wrong(), "treatment")
    return chosen


def _integrator(choice: str | Integrator | None, base: Integrator, given: dict[str, float | None]) -> Integrator:
    written: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    for key, value in written.items():
        raise_if(positive(key, value, infinite=key == "max_step"), key)
    if "rtol" in written:
        raise_if(above_rounding(written["rtol"]), "rtol")
    if choice is not None and not isinstance(choice, str):
        if written:
            words = f"{', '.join(written)} given beside an integrator object; put it into the object"
            raise ChoiceError(words, *written)
        if not isinstance(choice, Integrator):
            raise ChoiceError(
                f"integrator is {choice!r}; expected a name or an object like Rk4(step=1e-3)", "integrator"
            )
        raise_if(choice.wrong(), "integrator")
        return choice
    name = base.name if choice is None else choice
    if choice is None and name == "dop853" and "step" in written:
        name = "rk4"  # a step was asked for: the plain method with a step
    if name not in INTEGRATORS:
        raise ChoiceError(f"unknown integrator '{name}'; {nearest(name, INTEGRATORS)}", "integrator")
    kind = INTEGRATORS[name]
    if issubclass(kind, FixedStep):
        return kind(_step(name, base, written))
    if "step" in written:
        raise ChoiceError(f"{name} finds its own steps, so step would do nothing; use max_step, or rk4", "step")
    if name == base.name and isinstance(base, Adaptive):
        return replace(base, **written)
    return kind(**written)


def _step(name: str, base: Integrator, written: Mapping[str, Any]) -> float:
    """The step of a method that has a fixed one: as written, or that of a recipe."""
    if "step" not in written and not isinstance(base, FixedStep):
        words = f"{name} has a fixed step; give step=1e-3, or use dop853, which finds its own"
        raise ChoiceError(words, "integrator", "recipe")
    for key in ("rtol", "atol", "max_step"):
        if key in written:
            words = f"{name} has no error control, so {key} would do nothing; use dop853, or leave it out"
            raise ChoiceError(words, key, "integrator")
    return float(written["step"]) if "step" in written else getattr(base, "step")  # noqa: B009
