"""A parameter of a mechanism: its value, and the mechanism with another value of it.

A parameter is one of a file, whatever it enters (lengths, masses, formulas); a number that a part is written with, by
its dotted name (`mechanism/numbers.py`); or an argument of a function that builds the mechanism.

What is smooth and cheap is differentiated by differences of high order: eight values within 1 % of the parameter give
derivatives right to about 1e-12.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...mechanism.builder import Mechanism, blueprint_of
from ...mechanism.errors import ChoiceError, JourdainError
from ...mechanism.numbers import Path, find, get, is_length, known, put
from ...mechanism.parts import Blueprint

Array = npt.NDArray[Any]
Build = Callable[..., Mechanism | Blueprint]

SPACING = 2e-3  # of the parameter, between two of the values at which things are evaluated
CENTRAL = (-4, -3, -2, -1, 1, 2, 3, 4)
# Where a mechanism is faulty on one side of its parameter, as with a damping of zero.
FORWARD = tuple(range(9))
BACKWARD = tuple(-k for k in FORWARD)
# Spacings that are tried; the first at which the derivative can be trusted is taken.
FINER = (1.0, 0.1, 0.01)


@dataclass
class Parameter:
    """A parameter with its value; `build(value)` is the mechanism with another one."""

    name: str
    value: float
    build: Callable[[float], Blueprint]
    length: bool = False  # in metres: compared with the size of the mechanism where it is zero
    _known: dict[float, Blueprint] = field(default_factory=dict, repr=False)

    def at(self, value: float) -> Blueprint:
        """The mechanism with that value, built once."""
        if value not in self._known:
            self._known[value] = without_events(self.build(value))
        return self._known[value]

    def through(self, changed: Callable[[Blueprint], Blueprint]) -> Parameter:
        """The same parameter of mechanisms that are changed after they are built."""
        return Parameter(self.name, self.value, lambda value: changed(self.build(value)), self.length)

    def scale(self, size: float) -> float:
        """By how much it may be expected to vary."""
        return abs(self.value) or (size if self.length else 1.0)


def without_events(blueprint: Blueprint) -> Blueprint:
    """Events that do not happen do nothing."""
    return replace(blueprint, events=()) if blueprint.events else blueprint


def _weights(offsets: Sequence[float], order: int = 1) -> Array:
    """So that sum(w_k f(offset_k)) is the derivative of that order at 0, for polynomials of as many terms."""
    powers = np.vander(np.array(offsets, dtype=float), increasing=True).T
    right = np.zeros(len(offsets))
    right[order] = math.factorial(order)
    found: Array = np.linalg.solve(powers, right)
    return found


def source_of(mechanism: Any, names: Sequence[str] | Mapping[str, float] | str) -> tuple[Blueprint, list[Parameter]]:
    """The mechanism as it stands, and its parameters of these names. Raises ChoiceError with all that are wrong."""
    if isinstance(names, str):
        names = [names]
    if not names:
        raise ChoiceError("parameters is empty; expected names, such as 'k', 'crank.mass' or 'spring.stiffness'")
    if not isinstance(mechanism, Mechanism | Blueprint):
        return _built(mechanism, names)
    if isinstance(names, Mapping):
        raise ChoiceError("parameters has values, which are for functions that build a mechanism; expected names only")
    blueprint = blueprint_of(mechanism)
    table = known(blueprint)
    places = [find(blueprint, table, name) for name in names]
    faults = [fault for _, fault in places if fault]
    if faults:
        raise ChoiceError("; ".join(faults))
    found = []
    for name, (path, _) in zip(names, places, strict=True):
        build = _put(blueprint, path)
        if name in blueprint.parameters and blueprint.source is not None:
            if blueprint.source({}) != blueprint:
                words = "was changed after it was read from a file, so that nobody knows where else its parameter"
                raise ChoiceError(f"mechanism '{blueprint.name}' {words} '{name}' enters; give a function instead")
            build = _reread(blueprint.source, name)
        found.append(Parameter(name, float(get(blueprint, path)), build, is_length(path)))
    return blueprint, found


def _put(blueprint: Blueprint, path: Path) -> Callable[[float], Blueprint]:
    return lambda value: put(blueprint, path, value)


def _reread(source: Callable[[Mapping[str, Any]], Blueprint], name: str) -> Callable[[float], Blueprint]:
    return lambda value: source({name: value})


def _built(function: Build, names: Sequence[str] | Mapping[str, float]) -> tuple[Blueprint, list[Parameter]]:
    """Parameters of a function that builds the mechanism: its arguments, with their values."""
    if not callable(function):
        raise ChoiceError(f"mechanism is {function!r}; expected a Mechanism, or a function that builds one")
    if not isinstance(names, Mapping):
        raise ChoiceError("a function builds the mechanism: give its arguments with values, parameters={'k': 200.0}")
    for name, value in names.items():
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
            raise ChoiceError(f"parameter '{name}' is {value!r}; expected a number")
    given = {name: float(value) for name, value in names.items()}

    def blueprint(**changed: float) -> Blueprint:
        made = function(**{**given, **changed})
        if not isinstance(made, Mechanism | Blueprint):
            raise ChoiceError(f"the function gave {made!r}; expected a Mechanism")
        return blueprint_of(made)

    found = [Parameter(name, value, lambda x, name=name: blueprint(**{name: x})) for name, value in given.items()]  # type: ignore[misc]
    return blueprint(), found


@dataclass(frozen=True)
class Nodes:
    """Values of a parameter at which a thing was evaluated, in units of `spacing`, and what was found there."""

    spacing: float
    offsets: tuple[int, ...]
    found: tuple[Any, ...]

    def derivative(
        self, of: Callable[[Any], Array], own: Array | None = None, large: float = 0.0
    ) -> tuple[Array, bool]:
        """d of / d parameter, and whether it can be trusted.

        Half the values, twice as far apart, must say the same; so must the value at the parameter itself, `own`, fit
        those beside it. `large` is the size of numbers that were subtracted on the way, and left their rounding.
        """
        parts = np.array([of(one) for one in self.found])
        moved = parts - np.where(np.all(parts == parts[0], axis=0), parts[0], 0.0)  # what is the same gives exactly 0
        fine = _sum(_weights(self.offsets), moved) / self.spacing
        chosen = [k for k, offset in enumerate(self.offsets) if offset % 2 == 0]
        coarse = _sum(_weights([self.offsets[k] for k in chosen]), moved[chosen]) / self.spacing
        most = np.max(np.abs(fine), initial=0.0)
        noise = 1e-12 * max(large, float(np.max(np.abs(parts), initial=0.0)))
        smooth = bool(np.max(np.abs(fine - coarse), initial=0.0) <= SMOOTH * most + noise / self.spacing)
        if own is not None:
            beside = self.beside()
            lacking = np.max(np.abs(own - beside.middle(of)), initial=0.0)
            smooth = smooth and bool(lacking <= SMOOTH * np.max(np.abs(parts - own), initial=0.0) + noise)
        return fine, smooth

    def beside(self) -> Nodes:
        """Without the parameter's own value."""
        kept = [k for k, offset in enumerate(self.offsets) if offset != 0]
        return Nodes(self.spacing, tuple(self.offsets[k] for k in kept), tuple(self.found[k] for k in kept))

    def middle(self, of: Callable[[Any], Array]) -> Array:
        """The value at the parameter itself, from those beside it."""
        return _sum(_weights(self.offsets, 0), [of(one) for one in self.found])


SMOOTH = 1e-5  # part of a derivative by which fine and coarse differences may differ: the coarse have order 4 only


def _sum(factors: Array, parts: Any) -> Array:
    return np.asarray(sum(w * part for w, part in zip(factors, parts, strict=True)))


def around(parameter: Parameter, spacing: float, evaluate: Callable[[float], Any]) -> Nodes:
    """Evaluate on both sides of the parameter, or on the side that has no faults."""
    first: JourdainError | None = None
    for offsets in (CENTRAL, FORWARD, BACKWARD):
        try:
            found = tuple(evaluate(parameter.value + k * spacing) for k in offsets)
            return Nodes(spacing, offsets, found)
        except JourdainError as error:
            first = first or error
    raise ChoiceError(
        f"there is no derivative by '{parameter.name}': with a value a little other than {parameter.value:g} "
        f"the mechanism is no mechanism any more: {first}"
    )
