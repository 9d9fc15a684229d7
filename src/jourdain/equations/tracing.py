"""A user's Python function as a formula: it is called once with symbols, and what it returns is the formula.

Equations and motions need derivatives, which a function of numbers cannot give and a formula can. `math` and numpy work
on the symbols (in a copy of the function: nothing of the user's is changed); a function that branches on their values,
or calls what cannot take them, is not traced and the reason is kept. Since a function may also do things that leave no
trace, the formula is compared with the function itself at a few points before anybody relies on it.
"""

from __future__ import annotations

import builtins
import dis
import math
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from .formula import FUNCTIONS, Formula, apply, number
from .jets import Jet

# Formula and function perform the same operations, so they agree up to the rounding of a few of them.
AGREEMENT = 1e-12
TRIALS = 12


@dataclass(frozen=True)
class Trace:
    """The results of a function as formulas; None where it could not be traced, with the reason."""

    results: tuple[Formula, ...] | None
    reason: str = ""
    single: bool = True  # it returned one number, not a sequence


@dataclass(frozen=True)
class Place:
    """A port as a function over ports sees it: place, axes and velocity in fixed axes, spin of its body.

    `x`, `y` and `z` are the port's axes. In the plane `z` is None and `spin` a number.
    """

    position: Any
    x: Any
    y: Any
    z: Any
    velocity: Any
    spin: Any


def traced(function: Callable[..., Any], arguments: Sequence[Any]) -> Formula | None:
    """The function of these arguments (formulas, sequences of them, Places) as one formula, or None."""
    found = trace(function, arguments)
    return found.results[0] if found.results is not None and len(found.results) == 1 else None


def trace(function: Callable[..., Any], arguments: Sequence[Any]) -> Trace:
    """The function of these arguments as formulas, and the reason where that fails."""
    plain = getattr(function, "py_func", function)
    try:
        returned = _with_symbols(plain, {})(*(_map(a, TracedSymbol, True) for a in arguments))
        single, results = _results(returned)
    except Exception as error:  # noqa: BLE001  (a user's function may raise anything; the reason is reported)
        return Trace(None, f"it cannot be called with symbols ({type(error).__name__}: {error})")
    reason = _disagreement(plain, arguments, results)
    return Trace(None if reason else results, reason, single)


def reads_only_arguments(function: Callable[..., Any]) -> bool:
    """Whether a function depends on nothing but its arguments: what it reads otherwise are modules and such functions.

    Only then may a formula stand for a function that is called during a run: a variable it reads may change meanwhile.
    """
    return _pure(getattr(function, "py_func", function), set())


def flattened(function: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Callable[..., Any], list[Formula]]:
    """A function of plain numbers (or jets) that puts them where the formulas of the arguments stand, and these."""
    formulas: list[Formula] = []

    def place(f: Formula) -> int:
        formulas.append(f)
        return len(formulas) - 1

    where = [_map(argument, place, False) for argument in arguments]
    inner = _with_symbols(getattr(function, "py_func", function), {})

    def filled(place: Any, values: Sequence[Any]) -> Any:
        if place is None:
            return None
        if is_dataclass(place) and not isinstance(place, type):
            return type(place)(**{f.name: filled(getattr(place, f.name), values) for f in fields(place)})
        if isinstance(place, int):
            return values[place]
        chosen = [values[int(k)] for k in np.atleast_1d(place)]
        return np.array(chosen, dtype=object if any(isinstance(v, Jet) for v in chosen) else float)

    return lambda *values: inner(*(filled(place, values) for place in where)), formulas


class TracedSymbol:
    """A formula that passes through a user's function. Nothing may be asked of its value."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, formula: Formula) -> None:
        self.formula = formula

    def __getattr__(self, name: str) -> Callable[..., TracedSymbol]:
        """`x.sin()`, as numpy's functions want it."""
        if name == "hypot":
            return lambda other: _hypot(self, other)
        if name.startswith("_"):
            raise AttributeError(name)
        method = getattr(self.formula, name)
        return lambda *others: TracedSymbol(method(*(_bare(other) for other in others)))

    def __abs__(self) -> TracedSymbol:
        return TracedSymbol(abs(self.formula))

    def __neg__(self) -> TracedSymbol:
        return TracedSymbol(-self.formula)

    def __pos__(self) -> TracedSymbol:
        return self

    def _refuse(self, *_: Any) -> Any:
        raise TypeError("the function asks for the value of an argument, which a formula does not have yet")

    __bool__ = __float__ = __int__ = __index__ = __complex__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse


def _operator(name: str) -> Callable[[TracedSymbol, Any], Any]:
    def operate(self: TracedSymbol, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        result = getattr(self.formula, name)(_bare(other))
        return result if result is NotImplemented else TracedSymbol(result)

    return operate


for _name in ("add", "sub", "mul", "truediv", "pow"):
    for _side in ("", "r"):
        setattr(TracedSymbol, f"__{_side}{_name}__", _operator(f"__{_side}{_name}__"))


def apply_to(name: str, *values: Any) -> Any:
    """A function of `FUNCTIONS` of numbers, of symbols, or of jets."""
    jet = next((v for v in values if isinstance(v, Jet)), None)
    if jet is not None:
        first, *rest = (v if isinstance(v, Jet) else 0 * jet + v for v in values)
        return getattr(first, {"atan2": "arctan2"}.get(name, name))(*rest)
    if not any(isinstance(v, TracedSymbol) for v in values):
        return FUNCTIONS[name][1](*values)
    return TracedSymbol(apply(name, *(_bare(v) for v in values)))


def _hypot(*values: Any) -> Any:
    return apply_to("sqrt", sum(v * v for v in values))


def _bare(value: Any) -> Any:
    return value.formula if isinstance(value, TracedSymbol) else value


def _math_function(name: str) -> Callable[..., Any]:
    return lambda *values: apply_to(name, *values)


_MATH: dict[str, Any] = {name: getattr(math, name) for name in dir(math) if not name.startswith("_")}
_MATH |= {name: _math_function(name) for name in FUNCTIONS if name in _MATH}
_MATH |= {
    "fabs": abs,
    "pow": lambda x, y: x**y,
    "hypot": _hypot,
    "radians": lambda x: x * (math.pi / 180.0),
    "degrees": lambda x: x * (180.0 / math.pi),
}
_REPLACED = {id(getattr(math, name)): new for name, new in _MATH.items() if callable(new)}


def _with_symbols(function: Any, done: dict[int, Any]) -> Any:
    """A copy of a function in which `math`, in what it reads and in functions it calls, takes symbols."""
    function = getattr(function, "py_func", function)
    if not isinstance(function, types.FunctionType):
        return function
    if id(function) in done:
        return done[id(function)]
    scope = dict(function.__globals__)
    cells = tuple(types.CellType(*_held(cell)) for cell in function.__closure__ or ())
    copy = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells or None)
    copy.__kwdefaults__ = function.__kwdefaults__
    done[id(function)] = copy

    def changed(value: Any) -> Any:
        if value is math:
            return types.SimpleNamespace(**_MATH)
        if id(value) in _REPLACED:
            return _REPLACED[id(value)]
        theirs = isinstance(value, types.FunctionType) and value.__module__ == function.__module__
        return _with_symbols(value, done) if theirs or hasattr(value, "py_func") else value

    for name in {name for _, name in _globals_read(function.__code__)}:
        if name in scope:
            scope[name] = changed(scope[name])
    for cell in cells:
        for value in _held(cell):
            cell.cell_contents = changed(value)
    return copy


def _held(cell: types.CellType) -> tuple[Any, ...]:
    """What a variable of an outer function holds, if it has been given a value yet."""
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def _globals_read(code: types.CodeType) -> Iterator[tuple[str, str]]:
    """(operation, name) of every global a code touches, inner functions included."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL"):
            yield instruction.opname, str(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _globals_read(constant)


def _pure(value: Any, seen: set[int]) -> bool:
    if isinstance(value, types.ModuleType | types.BuiltinFunctionType | np.ufunc | type):
        return True
    value = getattr(value, "py_func", value)
    if not isinstance(value, types.FunctionType):
        return False
    if id(value) in seen or (value.__module__ or "").partition(".")[0] == "numpy":
        return True
    seen.add(id(value))
    read = list(_globals_read(value.__code__))
    if any(operation.startswith(("STORE", "DELETE")) for operation, _ in read):
        return False
    scope = value.__globals__
    used = [scope[name] if name in scope else getattr(builtins, name, None) for _, name in read]
    held = [_held(cell) for cell in value.__closure__ or ()]
    return all(held) and all(_pure(other, seen) for other in (*used, *(value for (value,) in held)))


def _map(argument: Any, change: Callable[[Formula], Any], arrays: bool) -> Any:
    """An argument with each formula changed; a sequence becomes an array of objects, or else a tuple."""
    if isinstance(argument, Formula):
        return change(argument)
    if argument is None:
        return None
    if is_dataclass(argument) and not isinstance(argument, type):
        inner = {f.name: _map(getattr(argument, f.name), change, True) for f in fields(argument)}
        return type(argument)(**inner)
    changed = [change(item) for item in argument]
    if not arrays:
        return tuple(changed)
    return np.array(changed, dtype=object if changed and isinstance(changed[0], TracedSymbol) else float)


def _results(returned: Any) -> tuple[bool, tuple[Formula, ...]]:
    if isinstance(returned, np.ndarray) and returned.ndim == 0:
        returned = returned.item()
    single = isinstance(returned, TracedSymbol) or np.isscalar(returned)
    items = [returned] if single else list(returned)
    return single, tuple(item.formula if isinstance(item, TracedSymbol) else number(float(item)) for item in items)


def _disagreement(function: Any, arguments: Sequence[Any], results: tuple[Formula, ...]) -> str:
    """Why the formulas are not the function; empty if they are."""
    random = np.random.default_rng(0)
    tried = 0
    # Round numbers first: functions like to treat zero apart.
    for scale in (0.0, 1.0, -1.0, *np.geomspace(0.1, 10.0, TRIALS)):
        drawn: dict[Any, float] = {}

        def value(key: Any, drawn: dict[Any, float] = drawn, scale: float = scale) -> float:
            exact = scale in (0.0, 1.0, -1.0)
            return drawn.setdefault(key, scale if exact else scale * float(random.uniform(-1.0, 2.0)))

        time = value("t")
        try:
            numbers = [_map(a, lambda f, at=time, get=value: f(at, get), False) for a in arguments]  # type: ignore[misc]
            expected = np.atleast_1d(np.asarray(function(*numbers), dtype=float))
        except (ArithmeticError, ValueError):
            continue
        except Exception as error:  # noqa: BLE001  (a user's function may raise anything; the reason is reported)
            return f"it cannot be called with numbers ({type(error).__name__}: {error})"
        if not np.all(np.isfinite(expected)):
            continue
        try:
            found = np.array([result(time, value) for result in results])
        except (ArithmeticError, ValueError) as error:
            return f"called with numbers it gives {expected.tolist()}, and its formula fails there ({error})"
        if found.shape != expected.shape or np.any(abs(found - expected) > AGREEMENT * np.maximum(1.0, abs(expected))):
            return (
                f"called twice it does not give the same ({expected.tolist()} with numbers, {found.tolist()} by its "
                "formula): it depends on more than its arguments"
            )
        tried += 1
    return "" if tried else "it gives no finite number at any of the points where it was tried"
