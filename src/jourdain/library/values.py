"""The values of a component as its type reads them: numbers and formulas as formulas, names as parts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ..equations.formula import Formula, FormulaError, leaf, number
from ..equations.parse import formula as parsed
from ..equations.parse import unknown_function
from ..equations.smoothness import FREE, rough
from ..equations.tables import Curve, curve
from ..equations.tracing import AGREEMENT, flattened, reads_only_arguments, trace
from ..equations.unit_formulas import expression, without_units
from ..equations.user_functions import UserFunction
from ..mechanism.errors import TableError
from ..mechanism.fault import Fault, about
from ..mechanism.parts import Blueprint, Component, PortName
from ..mechanism.table_data import Table
from ..mechanism.units import Measured, UnitError, fits, name_of, quantity, unit
from .geometry import Coordinate, coordinate, quantity_of, unit_along
from .kinds import Key, Kind

Local = Mapping[str, Formula]


class LoweringError(FormulaError):
    """A fault of a component that shows only when it is lowered."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(str(fault))


class Values:
    """A component together with its type and its mechanism. Reading assumes what `faults` has found right."""

    def __init__(self, component: Component, kind: Kind, blueprint: Blueprint) -> None:
        self.component = component
        self.kind = kind
        self.blueprint = blueprint
        self.where = about(component.type, component.name)

    def fault(self, key: str, words: str, **more: Any) -> Fault:
        """Something wrong with a key of this component."""
        return self.where.key_fault(key, words, **more)

    def error(self, key: str, words: str) -> LoweringError:
        """The same, to be raised where it is found while lowering."""
        return LoweringError(self.fault(key, words))

    def has(self, key: str) -> bool:
        """Whether the key was written."""
        return self.component.values.get(key) is not None

    def raw(self, key: str) -> Any:
        """The value as written, or the default."""
        value = self.component.values.get(key)
        return self.kind.keys[key].default if value is None else value

    def own(self, channel: str) -> Formula:
        """One of the component's own states or channels."""
        return leaf(f"{self.component.name}.{channel}")

    # Numbers ------------------------------------------------------------------------------------------------

    def number(self, key: str) -> Formula:
        """A number, or a formula of parameters."""
        return constant(self.raw(key))

    def numbers(self, key: str) -> tuple[Formula, ...]:
        """Several of them; a single value where one was enough."""
        value = self.raw(key)
        return tuple(constant(v) for v in (value if is_sequence(value) else (value,)))

    def start_of(self, key: str) -> float:
        """A number as it is before the run."""
        return self.at_start(constant(self.raw(key)))

    def at_start(self, f: Formula) -> float:
        """The value of a formula of parameters before the run."""
        f = with_tables(f, self.blueprint, str(self.where))
        return f(0.0, lambda key: self.blueprint.parameters[key])

    # Names --------------------------------------------------------------------------------------------------

    def ports(self, key: str = "between") -> tuple[PortName, PortName]:
        first, second = self.raw(key)
        return first, second

    def coordinate(self, key: str = "joint") -> Coordinate:
        return coordinate(self.blueprint, self.raw(key), self.kind.keys[key].coordinate)

    def unit(self, key: Key) -> str:
        """The units of a key; those that go with the coordinate of its joint, where there is one."""
        text = self.component.values.get("joint")
        if " or " not in key.unit or not isinstance(text, str):
            return key.unit
        return unit_along(key.unit, quantity_of(self.blueprint, text))

    def coordinates(self, key: str = "joints") -> tuple[Coordinate, Coordinate]:
        a, b = (coordinate(self.blueprint, text) for text in self.raw(key))
        return a, b

    # Formulas -----------------------------------------------------------------------------------------------

    def formula(self, key: str, local: Local | None = None) -> Formula:
        """The formula of a key. A function takes `inputs` where written, otherwise the local names, otherwise t."""
        return self.read(self.raw(key), key, local)

    def formulas(self, key: str, local: Local | None = None) -> tuple[Formula, ...]:
        """A sequence of formulas, one for each component of a vector; one function may give them all."""
        value = self.raw(key)
        count = self.kind.keys[key].count(self.blueprint.dim)
        if is_function(value) and count > 1:
            return self.function(value, key, count, local)
        return tuple(self.read(v, key, local) for v in (value if is_sequence(value) else (value,)))

    def read(self, value: Any, key: str, local: Local | None = None) -> Formula:
        """Any value that stands for a formula."""
        local = local or {}
        if is_function(value):
            return self.function(value, key, 1, local)[0]
        if isinstance(value, Table):
            return self.tabled(value, key, local)
        f = with_tables(constant(value), self.blueprint, f"{self.where}: {key}", self.kind.keys[key].needed)
        full = self.blueprint.full_name
        return f.resolved(lambda name: local.get(name, leaf(full(name))) if isinstance(name, str) else leaf(name))

    def tabled(self, table: Table, key: str, local: Local | None = None) -> Formula:
        """A table over what it says, else over the first name that means something to its key, else over t."""
        names = self.kind.keys[key].local
        argument = self.read(table.over or (names[0] if names else "t"), key, local)
        return self._curve(table, key).of(argument)

    def _curve(self, table: Table, key: str) -> Curve:
        where = self.where.at(key)
        try:
            return curve(table, str(where), self.kind.keys[key].needed)
        except FormulaError as error:
            raise LoweringError(where.fault(str(error))) from None

    def function(
        self, function: Callable[..., Any], key: str, outputs: int, local: Local | None
    ) -> tuple[Formula, ...]:
        """A user's function. As a formula where that is sure to be the same; otherwise it is called during the run."""
        local = local or {}
        arguments = [self.read(text, key, local) for text in self._inputs(function, key, local)]
        needs_derivatives = self.kind.keys[key].derivatives
        reason = ""
        if needs_derivatives or reads_only_arguments(function):
            found = trace(function, arguments)
            if found.results is not None and len(found.results) == outputs:
                return found.results
            reason = found.reason or f"it returns {len(found.results or ())} numbers; expected {outputs}"
        if needs_derivatives:
            return (self.differentiated(function, arguments, key, reason),)
        return UserFunction(function, str(self.where), outputs).of(*arguments)

    def differentiated(self, function: Callable[..., Any], arguments: Sequence[Any], key: str, reason: str) -> Formula:
        """A function that cannot be traced, because it branches: called during the run, with derivatives carried."""
        inner, formulas = flattened(function, arguments)
        smooth_function = UserFunction(inner, str(self.where), smooth=True)
        try:
            numbers = [0.3 + 0.1 * k for k in range(3 * len(formulas))]
            value, *_ = smooth_function.smooth_results(numbers)
            if abs(value - float(inner(*numbers[: len(formulas)]))) > AGREEMENT * max(1.0, abs(value)):
                raise ValueError("called twice it does not give the same")
        except Exception as error:  # noqa: BLE001  (a user's function may raise anything; the reason is reported)
            raise self.error(
                key,
                f"{key}: the function cannot be differentiated: {reason}, nor with derivatives carried "
                f"({type(error).__name__}: {error}); write it as a formula",
            ) from None
        return smooth_function.of(*formulas)[0]

    def _inputs(self, function: Callable[..., Any], key: str, local: Local) -> Sequence[str]:
        """What a function is called with: `inputs`, or those local names it has arguments for, or t."""
        if "inputs" in self.kind.keys and self.has("inputs"):
            return tuple(self.raw("inputs"))
        names = self.kind.keys[key].local
        if not names:
            return ("t",)
        try:
            plain = getattr(function, "py_func", function)
            wanted = [p.name for p in inspect.signature(plain).parameters.values() if p.default is p.empty]
        except (TypeError, ValueError):
            return names
        return wanted if all(name in local for name in wanted) else names[: len(wanted)]

    def signal(self, key: str) -> Formula:
        """What a motion prescribes: a formula, or a table of pairs over t; both with two derivatives."""
        value = self.raw(key)
        if is_sequence(value):
            value = self._of_pairs(key)
        return self.smooth(self.read(value, key), key)

    def _of_pairs(self, key: str) -> Table:
        where = self.where.at(key)
        try:
            return Table(*self._pairs(self.raw(key), "s", self.unit(self.kind.keys[key])).T)
        except TableError as error:
            raise LoweringError(where.fault(f"{where}: {error}")) from None

    def smooth(self, f: Formula, key: str) -> Formula:
        """The formula itself, if it can be differentiated twice; otherwise a fault."""
        reason = rough(f, self.kind.keys[key].needed)
        if reason is not None:
            raise self.error(key, f"{key}: {reason}")
        return f

    def table(self, make: Callable[[Any, str], Curve], key: str) -> Curve:
        """A table of the pairs of a key."""
        where = self.where.at(key)
        first, _, second = self.kind.keys[key].unit.partition(", ")
        try:
            value = self.raw(key)
            of = np.column_stack([value.x, value.y]) if isinstance(value, Table) else self._pairs(value, first, second)
            return make(of, str(where))
        except (FormulaError, TableError) as error:
            raise LoweringError(where.fault(str(error))) from None

    @staticmethod
    def _pairs(pairs: Any, *units: str) -> npt.NDArray[np.float64]:
        """Numbers, and texts like `40 mm`, in SI."""
        try:
            rows = [[_in_si(x, u) for x, u in zip(pair, units, strict=True)] for pair in pairs]
        except UnitError as error:
            raise TableError(f"the table: {error}") from None
        return np.array(rows, dtype=float)


def _in_si(value: Any, units: str) -> Any:
    text = value.text if isinstance(value, Measured) else value
    return quantity(text, units) if isinstance(text, str) else text


def is_sequence(value: Any) -> bool:
    """Several values rather than one."""
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)


def is_function(value: Any) -> bool:
    """A user's function; formulas can be called too, but are none."""
    return callable(value) and not isinstance(value, Formula | str | Table)


def is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def constant(value: Any) -> Formula:
    """A number, text (which may have units) or formula as a formula."""
    if isinstance(value, Formula):
        return value
    return parsed(without_units(value)[0], quantities=True) if isinstance(value, str) else number(float(value))


def misfit(value: Any, units: str) -> str | None:
    """Why a text with units does not fit those of its key; None where it does, or has none."""
    value = value.text if isinstance(value, Measured) else value
    if not isinstance(value, str) or not units or "," in units:
        return None
    found = expression(value, {}).dimension
    if found is None or any(fits(found, unit(one).dimension) for one in units.split(" or ")):
        return None
    words = " or ".join(dict.fromkeys(name_of(unit(one).dimension) for one in units.split(" or ")))
    return f"'{value}' is {name_of(found)}; expected {words} ({units})"


def with_tables(f: Formula, blueprint: Blueprint, where: str, needed: int = FREE) -> Formula:
    """A formula with the tables that it names as functions."""

    def of(name: str, argument: Formula) -> Formula:
        if name not in blueprint.tables:
            raise unknown_function(name, blueprint.tables)
        return curve(blueprint.tables[name], f"{where}: {name}", needed).of(argument)

    return f.tabled(of)
