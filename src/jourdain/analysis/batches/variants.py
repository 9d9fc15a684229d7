"""Variants of a mechanism: which of its numbers take which values.

A key names a number of the mechanism: a parameter (`k`), or an attribute (`crank.mass`, `crank.position.x`). It becomes
one or more paths into the blueprint (`mechanism/numbers.py`), and a variant is the blueprint with other values there.
What a parameter of a file does is found by reading the file with other values and looking; only if everything that
changes is the value itself, to the bit, is the file not read again for each variant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ...equations.formula import Formula
from ...library.number_units import number_in_si
from ...mechanism.builder import Mechanism, blueprint_of
from ...mechanism.errors import ChoiceError, MechanismError
from ...mechanism.numbers import Path, find, get, known, put
from ...mechanism.parts import Blueprint, SpringDamper
from .folding import folded

Build = Callable[[dict[str, Any]], Mechanism | Blueprint]

STATE = "state"
PROBES = 4  # readings of a file, beside one for each key, by which its parameters are traced


@dataclass(frozen=True)
class Variants:
    """`count` variants of a base; `values` are arrays by key, a row for each variant."""

    base: Blueprint
    values: dict[str, np.ndarray]
    states: tuple[Any, ...]
    count: int
    paths: dict[str, tuple[Path, ...]] | None  # of each key; None: `rebuild` makes each variant
    rebuild: Build | None
    formulas: Mapping[Path, Formula] = field(default_factory=dict)  # of parameters, whose values stand at these paths

    def of(self, values: dict[str, np.ndarray], count: int) -> Variants:
        """Other values of the same keys."""
        return replace(self, values=values, count=count)

    def folded(self) -> Variants:
        """The same with springs of numbers where formulas of parameters stood, if paths lead to all that varies."""
        if self.paths is None:
            return self
        base, formulas = folded(self.base)
        if not formulas:
            return self
        paths = {key: tuple(_of_plain(base, path) for path in chain) for key, chain in self.paths.items()}
        return replace(self, base=base, paths=paths, formulas=formulas)

    def chosen(self, index: int) -> dict[str, Any]:
        """Values of one variant, by key."""
        found: dict[str, Any] = {key: _plain(column[index]) for key, column in self.values.items()}
        return found

    def words(self, index: int) -> str:
        """`variant 3 (k = 200, crank.spin = 1.5)`."""
        parts = [f"{key} = {_shown(value)}" for key, value in self.chosen(index).items()]
        return f"variant {index}" + (f" ({', '.join(parts)})" if parts else "")

    def blueprint(self, index: int) -> Blueprint:
        if self.paths is None:
            built = self.base if self.rebuild is None else self.rebuild(self.chosen(index))
            return blueprint_of(built)
        found = self.base
        for key, value in self.chosen(index).items():
            for path in self.paths[key]:
                found = put(found, path, value)
        for path, f in self.formulas.items():
            try:
                found = put(found, path, f(0.0, found.parameters.__getitem__))
            except (ArithmeticError, ValueError) as error:
                name = get(found, (*path[:-1], "name"))
                raise ChoiceError(f"'{name}.{path[-1]}' has no value with these numbers: {error}") from None
        return found

    def column(self, path: Path) -> np.ndarray:
        """Values at a path; of several keys that lead there the last one counts."""
        if path in self.formulas:
            return self._computed(self.formulas[path])
        paths = self.paths or {}
        keys = [key for key in self.values if path in paths[key] or path[:-1] in paths[key]]
        column = self.values[keys[-1]]
        return column if path in paths[keys[-1]] else column[:, path[-1]]

    def _parameter(self, columns: dict[str, np.ndarray], index: int, name: str) -> float:
        return float(columns[name][index]) if name in columns else self.base.parameters[name]

    def state(self, index: int) -> Any:
        return self.states[index] if self.states else None

    @cached_property
    def changed(self) -> tuple[Path, ...]:
        """All paths at which variants differ."""
        names = {path[1] for path in self._written if path[0] == "parameters"}
        return (*self._written, *(path for path, f in self.formulas.items() if not names.isdisjoint(f.quantities())))

    @property
    def _written(self) -> tuple[Path, ...]:
        return tuple(path for found in (self.paths or {}).values() for path in found)

    def _computed(self, f: Formula) -> np.ndarray:
        """Values of a formula of parameters for all variants, NaN where it has none."""
        columns = {
            name: self.column(("parameters", name)) for name in f.quantities() if ("parameters", name) in self._written
        }
        found = np.full(self.count, np.nan)
        for k in range(self.count):
            try:
                found[k] = f(0.0, partial(self._parameter, columns, k))
            except (ArithmeticError, ValueError):
                continue
        return found


def read_variants(mechanism: Any, written: Any) -> Variants:
    """What the caller wrote, checked; all faults at once."""
    columns, states, count = _columns(
        written, blueprint_of(mechanism) if isinstance(mechanism, Mechanism | Blueprint) else None
    )
    if not isinstance(mechanism, Mechanism | Blueprint):
        if not callable(mechanism):
            raise ChoiceError(f"found {mechanism!r}; expected a Mechanism, or a function that makes one of the values")
        first = {key: _plain(column[0]) for key, column in columns.items()}
        built = mechanism(first)
        base = blueprint_of(built)
        return Variants(base, columns, states, count, None, mechanism)
    base = blueprint_of(mechanism)
    from_file = [key for key in columns if key in base.parameters] if base.source is not None else []
    paths, faults = _paths(base, columns, from_file)
    if faults:
        raise ChoiceError("variants: " + "; ".join(faults))
    if not from_file:
        return Variants(base, columns, states, count, paths, None)
    return _traced(base, base.source, columns, states, count, paths, from_file)


def _columns(written: Any, blueprint: Blueprint | None) -> tuple[dict[str, np.ndarray], tuple[Any, ...], int]:
    """Arrays of one length by key, and states, from a mapping of arrays or a list of mappings. Texts have units."""
    if not isinstance(written, Mapping):
        written = _gathered(written)
    written = dict(written)
    states = tuple(written.pop(STATE, ()))
    faults, columns = [], {}
    for key, value in written.items():
        try:
            column = np.array(_in_si(blueprint, key, value), dtype=float)
        except ChoiceError as error:
            faults.append(str(error))
            continue
        except (TypeError, ValueError, OverflowError):
            faults.append(f"'{key}' is {value!r}; expected numbers, one for each variant")
            continue
        if column.size == 0 or not np.all(np.isfinite(column)):
            faults.append(f"'{key}' holds {'nothing' if column.size == 0 else 'what is not finite'}; expected numbers")
            continue
        columns[key] = column[None] if column.ndim == 0 else column
    lengths = {key: len(column) for key, column in columns.items()} | ({STATE: len(states)} if states else {})
    count = max(lengths.values(), default=0)
    several = {length for length in lengths.values() if length != 1}
    if len(several) > 1:
        words = ", ".join(f"'{key}' {length}" for key, length in lengths.items())
        faults.append(f"the values differ in number: {words}; expected as many for each, or one for all")
    if faults:
        raise ChoiceError("variants: " + "; ".join(faults))
    if not lengths:
        raise ChoiceError("variants: nothing varies; expected values by name, such as {'k': [100, 200, 300]}")
    spread = {key: np.repeat(c, count, axis=0) if len(c) == 1 else c for key, c in columns.items()}
    return spread, states * count if len(states) == 1 else states, count


def _in_si(blueprint: Blueprint | None, key: str, value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_in_si(blueprint, key, one) for one in value]
    return number_in_si(blueprint, key, value)


def _gathered(rows: Any) -> dict[str, Any]:
    """A list of mappings as a mapping of lists."""
    if not isinstance(rows, Sequence) or not all(isinstance(row, Mapping) for row in rows):
        raise ChoiceError(f"variants is {rows!r}; expected values by name, or a list of such")
    keys = {key for row in rows for key in row}
    faults = [
        f"variant {k} says nothing of {', '.join(sorted(keys - set(row)))}"
        for k, row in enumerate(rows)
        if keys - set(row)
    ]
    if faults:
        raise ChoiceError("variants: " + "; ".join(faults))
    return {key: [row[key] for row in rows] for key in rows[0]} if rows else {}


def _of_plain(base: Blueprint, path: Path) -> Path:
    """A path into a component, in a mechanism where that may have become a plain spring."""
    plain = path[0] == "forces" and path[2] == "values" and isinstance(base.forces[path[1]], SpringDamper)
    return (*path[:2], path[3]) if plain else path


def _plain(value: Any) -> Any:
    return float(value) if np.ndim(value) == 0 else tuple(float(x) for x in value)


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else "(" + ", ".join(f"{x:.6g}" for x in value) + ")"


# Keys to paths ----------------------------------------------------------------------------------------------------


def _paths(
    base: Blueprint, columns: dict[str, np.ndarray], from_file: list[str]
) -> tuple[dict[str, tuple[Path, ...]], list[str]]:
    found: dict[str, tuple[Path, ...]] = {}
    faults: list[str] = []
    table = known(base)
    for key, column in columns.items():
        if key in from_file:
            continue
        path, fault = find(base, table, key, column.shape[1:])
        if fault:
            faults.append(fault)
        else:
            found[key] = (path,)
    return found, faults


# Parameters of files ----------------------------------------------------------------------------------------------


def _traced(
    base: Blueprint,
    read: Any,
    columns: dict[str, np.ndarray],
    states: tuple[Any, ...],
    count: int,
    paths: dict[str, tuple[Path, ...]],
    from_file: list[str],
) -> Variants:
    """Variants of a file: by paths where readings of the file prove them, otherwise by reading it for each."""

    def rebuild(values: dict[str, Any]) -> Blueprint:
        found = read({key: values[key] for key in from_file})
        for key, chain in paths.items():
            for path in chain:
                found = put(found, path, values[key])
        return found

    if read({}) != base:
        names = ", ".join(from_file)
        raise ChoiceError(
            f"variants: {names} is a parameter of the file, and the mechanism was changed after it was read; make the "
            "changes in the file, or give a function that reads it and makes them"
        )
    slow = Variants(base, columns, states, count, None, rebuild)
    traced = dict(paths)
    for key in from_file:
        found = _other_reading(base, read, key, columns[key])
        chain = (None,) if found is None else tuple(_copies(base, *found))
        if None in chain:
            return slow
        traced[key] = tuple(path for path in chain if path is not None)
    fast = Variants(base, columns, states, count, traced, None)
    proofs = {0, count - 1, *np.random.default_rng(0).integers(0, count, PROBES - 2).tolist()}
    return fast if all(_same_blueprint(fast, slow, k) for k in proofs) else slow


def _other_reading(base: Blueprint, read: Any, key: str, column: np.ndarray) -> tuple[Blueprint, float] | None:
    """The file with a value of a parameter that is far from its own; None if the file can be read with none."""
    farthest = np.argsort(-np.abs(column - base.parameters[key]), kind="stable")[:PROBES]
    for value in column[farthest].tolist():
        try:
            return read({key: value}), value
        except MechanismError:
            continue  # that variant will say so itself
    return None


def _same_blueprint(fast: Variants, slow: Variants, index: int) -> bool:
    try:
        expected = slow.blueprint(index)
    except MechanismError:
        return True
    return fast.blueprint(index) == expected


def _copies(old: Any, new: Any, value: float, path: Path = ()) -> Iterator[Path | None]:
    """Paths at which two blueprints differ and the new one is `value`; None where they differ otherwise."""
    if old is new:
        return
    if is_dataclass(old) and type(old) is type(new):
        for f in fields(old):
            if f.compare:
                yield from _copies(getattr(old, f.name), getattr(new, f.name), value, (*path, f.name))
    elif isinstance(old, tuple) and isinstance(new, tuple) and len(old) == len(new):
        for k, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from _copies(a, b, value, (*path, k))
    elif isinstance(old, Mapping) and isinstance(new, Mapping) and old.keys() == new.keys():
        for name in old:
            yield from _copies(old[name], new[name], value, (*path, name))
    elif old != new:
        yield path if isinstance(new, float) and new == value else None
