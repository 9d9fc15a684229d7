"""Units that numbers are shown in: in plots, reports and tables. Inside, everything is SI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .errors import ChoiceError
from .units import Dimension, UnitError, fits, name_of, unit

# Quantities whose unit `display` chooses, and their units in SI.
SI_UNITS = {
    "angle": "rad",
    "length": "m",
    "speed": "m/s",
    "spin": "rad/s",
    "force": "N",
    "moment": "N m",
    "power": "W",
    "energy": "J",
    "time": "s",
    "pressure": "Pa",
    "mass": "kg",
    "acceleration": "m/s^2",
}


Measured = tuple[Dimension, bool]  # and whether it is an energy
_ENERGY = unit("J").dimension
Units = Mapping[str, str] | Sequence[str] | str | None  # `deg,mm,rpm`, or one by one


@dataclass(frozen=True)
class Display:
    """For each quantity that is not shown in SI, its unit."""

    units: Mapping[Measured, str] = field(default_factory=dict)

    @classmethod
    def of(cls, chosen: Units) -> Display:
        """From what a file says under `display`, or a list of units: `deg,mm,rpm`."""
        given = chosen.values() if isinstance(chosen, Mapping) else chosen or ()
        texts = chosen.split(",") if isinstance(chosen, str) else list(given)
        found: dict[Measured, str] = {}
        if wrong := [text for text in texts if not isinstance(text, str)]:
            raise ChoiceError(f"units: {wrong[0]!r} is no unit; expected units like deg,mm,rpm")
        for text in (text.strip() for text in texts):
            try:
                dimension = unit(text).dimension
            except UnitError as error:
                raise ChoiceError(f"units: {error}") from None
            measured = _measured(text, dimension)
            if not text or measured in found:
                words = f"'{found[measured]}' and '{text}' are both {name_of(dimension)}" if text else "a unit is empty"
                raise ChoiceError(f"units: {words}; expected one of each, like deg,mm,rpm")
            found[measured] = text
        return cls(found)

    def merged(self, other: Display) -> Display:
        """These units, and those of another where there are any."""
        return Display({**self.units, **other.units})

    def shown(self, si: str) -> tuple[float, str]:
        """What a number in a unit of SI is divided by, and the unit it is in then."""
        if not self.units or not si:
            return 1.0, si
        try:
            dimension = unit(si).dimension
        except UnitError:  # what is no quantity
            return 1.0, si
        text = self.units.get(_measured(si, dimension))
        return (1.0, si) if text is None else (factor_of(text), text)


def _measured(text: str, dimension: Dimension) -> Measured:
    """Energies and moments have one dimension; moments are those that are written with a force."""
    return dimension, dimension == _ENERGY and not any(force in text for force in ("N", "lbf"))


def factor_of(text: str) -> float:
    """What a unit is worth in SI."""
    return float(unit(text).factor)


def si_unit(text: str) -> str:
    """The unit of SI for what is written in another, as results name it."""
    dimension = unit(text).dimension
    known = {**SI_UNITS, "acceleration": "m/s²", "angular acceleration": "rad/s²"}
    return next((si for si in known.values() if unit(si).dimension == dimension), "")


def divisor(si: str, wanted: str, what: str) -> float:
    """What a number in one unit is divided by to be in another; ChoiceError where they do not fit."""
    try:
        given, found = unit(si or "1"), unit(wanted)
    except UnitError as error:
        raise ChoiceError(f"{what}: {error}") from None
    if not fits(found.dimension, given.dimension) and not fits(given.dimension, found.dimension):
        words = f"{name_of(given.dimension)} ({si or 'no unit'}), not {name_of(found.dimension)}"
        raise ChoiceError(f"{what} is {words}; '{wanted}' does not fit it")
    return float(found.factor) / float(given.factor)
