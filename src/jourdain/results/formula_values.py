"""Formulas over the channels of a record: `run["a.x - b.x"]`, sample by sample, with the unit that follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..equations.formula import Formula, FormulaError
from ..equations.unit_formulas import Faulty, dimension_of, without_units
from ..equations.vectors import EquationError
from ..library.quantities import Quantity
from ..library.values import constant
from ..mechanism.errors import ChoiceError, ResultsError
from ..mechanism.units import PURE, Dimension, UnitError, of_base_units, unit

if TYPE_CHECKING:
    from .record import Record

Array = npt.NDArray[np.float64]
_MARKS = frozenset("+-*/()<>, ")
# Units by which quantities are called that no channel measures.
NAMED = ("N", "N m", "W", "Pa", "N/m", "N s/m", "V", "ohm")

_ALIKE = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "sign", "floor")
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "pow": np.power,
    "neg": np.negative,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "step": lambda x: (x >= 0.0).astype(float),
    "where": lambda condition, a, b: np.where(condition != 0.0, a, b),
    "law": lambda f, *_: f,
    **{name: getattr(np, name) for name in _ALIKE},
}


def is_formula(text: str) -> bool:
    """Whether a text is more than a name."""
    return any(mark in _MARKS for mark in text)


def read(record: Record, text: str) -> Formula:
    """A formula whose names are channels of the record."""
    try:
        f = constant(text)
    except Faulty as error:
        raise KeyError(f"'{text}' is neither a channel nor a formula over channels: {error}") from None
    return f


def evaluated(record: Record, text: str) -> Array:
    """Its numbers at all samples."""
    f = read(record, text)
    if without_units(text)[1]:
        try:
            dimension_of(text, _dimensions(record, f))
        except FormulaError as error:
            raise ChoiceError(f"'{text}': {error}") from None
    found = computed(f, record.t, lambda name: _leaf(record, name), lambda name: _table(record, name))
    return np.asarray(found + np.zeros(len(record.t)), dtype=float)


def computed(f: Formula, t: Any, leaf: Callable[[str], Any], table: Callable[[str], Formula] | None = None) -> Any:
    """Numbers of a formula, elementwise: `leaf` gives those of its quantities, `table` a table as a function of t."""
    known: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for node in f.nodes():
            known[id(node)] = _node(node, [known[id(arg)] for arg in node.args], t, leaf, table)
    return known[id(f)]


def _node(node: Formula, args: list[Any], t: Any, leaf: Callable[[str], Any], table: Any) -> Any:
    if node.op == "const":
        return np.float64(node.value)
    if node.op == "t":
        return t
    if node.op == "leaf":
        return leaf(str(node.key))
    if node.op == "named":
        made = table(node.key)
        return np.array([made(float(x)) for x in np.atleast_1d(args[0] + np.zeros(np.shape(t)))])
    return _FUNCTIONS[node.op](*args)


def _table(record: Record, name: str) -> Formula:
    from ..library.values import with_tables

    return with_tables(Formula("named", (Formula("t"),), key=name), record.blueprint, "formula")


def _leaf(record: Record, name: str) -> Any:
    if "." in name and name in record.channels:
        return record.channel(name)
    try:
        return np.float64(record.blueprint.parameters[name])
    except (KeyError, ResultsError):
        return record.channel(name)


def _dimensions(record: Record, f: Formula) -> dict[str, Dimension | None]:
    """Of the channels of a formula, where they are known."""
    found: dict[str, Dimension | None] = {}
    for name in map(str, f.quantities()):
        try:
            si = record.quantity(name).unit if "." in name else ""
            found[name] = unit(si).dimension if si else None
        except UnitError:  # words like `m or rad`
            found[name] = None
    return found


def quantity(record: Record, text: str) -> Quantity:
    """What a formula measures: its unit follows from those of its channels, where they are known."""
    try:
        f = read(record, text)
        names = _dimensions(record, f)
        dimension = dimension_of(text, names)
    except (FormulaError, EquationError, UnitError, KeyError):
        return Quantity(text, "")
    units = [record.quantity(name).unit for name in map(str, f.quantities()) if names.get(name) == dimension]
    return Quantity(text, named_unit(dimension, units))


def named_unit(dimension: Dimension | None, fitting: Sequence[str]) -> str:
    """The unit of a dimension: one of those that fit where there are any, else one with a name, else of base units.

    Radians beside kilograms are left out: N m s times rad/s is N m.
    """
    if dimension is None:
        return ""
    if fitting:
        return fitting[0]
    plain = (*dimension[:-1], 0.0) if dimension[0] else dimension
    named = (name for name in NAMED if unit(name).dimension in (dimension, plain))
    return next(named, "" if dimension == PURE else of_base_units(dimension))
