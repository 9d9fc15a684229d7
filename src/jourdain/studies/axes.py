"""What varies in a study: a number of the machine, a choice of how to solve, or the file of a table.

`k=100 N/m:300 N/m:50 N/m` is a range with its step, `k=100,200` a list, and `k=100:300` the ends between which a random
design draws. Python may give arrays for lists, and pairs `(100, 300)` for ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..library.number_units import unit_of_number
from ..mechanism.errors import ChoiceError
from ..mechanism.names import nearest
from ..mechanism.numbers import find, known
from ..mechanism.parts import Blueprint
from ..mechanism.units import UnitError, quantity, written_unit

Array = npt.NDArray[np.float64]

NAMED = ("recipe", "coordinates", "treatment", "stabilisation", "integrator")  # choices that are words
MEASURED = {"step": "s", "max_step": "s", "rtol": "", "atol": ""}  # choices that are numbers
STATE = "state"
MOST_VALUES = 1_000_000
NUMBER, CHOICE, FILE = "number", "choice", "file"


@dataclass(frozen=True)
class Axis:
    """One thing that varies. `values` are numbers in SI, or words; of an open axis the two ends."""

    name: str
    kind: str
    values: Sequence[Any]
    unit: str = ""  # of numbers; empty where they have none, or any
    is_open: bool = False  # values are drawn between the ends

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_numeric(self) -> bool:
        return all(isinstance(value, float) for value in self.values)

    def drawn(self, places: Array) -> list[Any] | Array:
        """Values at places between 0 and 1."""
        if self.is_open:
            first, last = self.values
            return np.asarray(first + (last - first) * places)
        return self.taken(np.minimum((places * len(self)).astype(int), len(self) - 1))

    def taken(self, which: npt.NDArray[Any]) -> list[Any] | Array:
        """Values by their numbers on the axis."""
        if self.is_numeric:
            return np.asarray(self.values, dtype=float)[which]
        return [self.values[k] for k in which.tolist()]

    def to_data(self) -> dict[str, Any]:
        found = {"name": self.name, "kind": self.kind, "unit": self.unit, "open": self.is_open}
        return {**found, "values": list(self.values)}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Axis:
        return cls(data["name"], data["kind"], tuple(data["values"]), data["unit"], data["open"])


def read_axes(base: Blueprint, written: Any, at_random: bool, files: Sequence[str]) -> tuple[Axis, ...]:
    """All axes; every fault at once. `files` are the names of tables that are read from files."""
    faults: list[str] = []
    axes: list[Axis] = []
    for name, values in _pairs(written, faults):
        if any(axis.name == name for axis in axes):
            faults.append(f"'{name}' is given twice")
            continue
        try:
            axes.append(_axis(base, name, values, at_random, files))
        except ChoiceError as error:
            faults.append(f"'{name}': {error}")
    if not axes and not faults:
        faults.append("nothing varies; expected values by name, such as {'k': '100:300:50', 'crank.mass': [1, 2]}")
    if faults:
        raise ChoiceError("vary: " + "; ".join(faults))
    return tuple(axes)


def _pairs(written: Any, faults: list[str]) -> list[tuple[str, Any]]:
    """Names and values, from a mapping or from texts `NAME=VALUES`."""
    if isinstance(written, Mapping):
        return [(str(name), values) for name, values in written.items()]
    texts = [written] if isinstance(written, str) else written
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        faults.append(f"found {written!r}; expected values by name")
        return []
    found = []
    for text in texts:
        name, equals, values = (part.strip() for part in text.partition("="))
        if equals and name and values:
            found.append((name, values))
        else:
            faults.append(f"{text!r}: expected NAME=FROM:TO:STEP or NAME=A,B,C")
    return found


def _axis(base: Blueprint, name: str, values: Any, at_random: bool, files: Sequence[str]) -> Axis:
    if name == STATE:
        raise ChoiceError("whole states vary in simulate_many; here name numbers of the start, such as crank.spin")
    if name in NAMED or name in files:
        words = [word.strip() for word in values.split(",")] if isinstance(values, str) else _listed(values)
        if not words or not all(isinstance(word, str) and word for word in words):
            raise ChoiceError(f"found {values!r}; expected names with commas between them")
        return Axis(name, CHOICE if name in NAMED else FILE, tuple(words))
    if name in MEASURED:
        found, is_open = numbers(values, MEASURED[name], at_random)
        return Axis(name, CHOICE, tuple(found), MEASURED[name], is_open)
    table = known(base)
    fault = find(base, table, name)[1]
    if fault:
        others = (*files, *NAMED, *MEASURED)
        raise ChoiceError(
            fault if name in table else f"{fault}; nor a choice or a table with a file: {_near(name, others)}"
        )
    unit = unit_of_number(base, name)
    found, is_open = numbers(values, unit, at_random)
    return Axis(name, NUMBER, tuple(found), unit.partition(" or ")[0] if " or " not in unit else "", is_open)


def _near(name: str, others: Sequence[str]) -> str:
    return nearest(name, others)


def _listed(values: Any) -> list[Any]:
    return list(values) if isinstance(values, Sequence | np.ndarray) else [values]


def numbers(values: Any, units: str, at_random: bool) -> tuple[list[float], bool]:
    """Numbers in SI, and whether they are the ends between which values are drawn."""
    if isinstance(values, str):
        return _of_text(values, units, at_random)
    is_pair = at_random and isinstance(values, tuple) and len(values) == 2
    found = []
    units = units or _first_unit([value for value in _listed(values) if isinstance(value, str)])
    for value in _listed(values):
        try:
            number = quantity(value, units) if isinstance(value, str) else float(value)
        except (TypeError, ValueError) as error:
            raise ChoiceError(f"{value!r} is no number ({error})") from None
        found.append(number)
    _check(found)
    if is_pair:
        _check_ends(*found)
    return found, is_pair


def _of_text(text: str, units: str, at_random: bool) -> tuple[list[float], bool]:
    words = text.split(":" if ":" in text else ",")
    units = units or _first_unit(words)
    try:
        found = [quantity(word, units) for word in words]
    except ValueError as error:
        said = f" ({error})" if isinstance(error, UnitError) else ""
        raise ChoiceError(f"found {text!r}; expected numbers, as {_forms(at_random)}{said}") from None
    bare = [word for word in words if _is_bare(word)]
    if len(bare) < len(words) and (lacks := [word for word in bare if float(word) != 0.0]):
        which = ", the step of the range," if ":" in text and lacks[0] is words[-1] and len(words) == 3 else ""
        raise ChoiceError(f"{lacks[0].strip()}{which} has no unit, though others have; expected one at each")
    _check(found)
    if ":" not in text:
        return found, False
    if len(found) == 2 and at_random:
        _check_ends(*found)
        return found, True
    if len(found) != 3:
        raise ChoiceError(f"found {text!r}; expected {_forms(at_random)}")
    return stepped(*found), False


def _first_unit(words: Sequence[str]) -> str:
    """Of the first that has one: a number of which no unit is known has that of its first value in all of them."""
    return next(filter(None, map(written_unit, words)), "")


def stepped(first: float, last: float, step: float) -> list[float]:
    """From the first to the last, both of them where the step leads there."""
    if step == 0 or (last - first) / step < 0 or not np.isfinite((last - first) / step):
        raise ChoiceError(f"steps of {step:g} do not lead from {first:g} to {last:g}")
    count = (last - first) / step
    if count > MOST_VALUES:
        raise ChoiceError(f"these are more than {MOST_VALUES} values")
    return [first + step * k for k in range(int(count * (1 + 1e-12)) + 1)]


def _forms(at_random: bool) -> str:
    return "FROM:TO or A,B,C" if at_random else "FROM:TO:STEP or A,B,C"


def _check(found: Sequence[float]) -> None:
    if not found:
        raise ChoiceError("there are no values")
    if not np.all(np.isfinite(found)):
        raise ChoiceError("there is a value that is not finite; expected numbers")


def _check_ends(first: float, last: float) -> None:
    if not first < last:
        raise ChoiceError(f"nothing lies between {first:g} and {last:g}; expected the smaller one first")


def _is_bare(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
