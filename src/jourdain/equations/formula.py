"""Formulas in the time `t`: small trees that can be differentiated and written as a program for the kernel.

A program is a flat list of operation codes for a stack machine (`kernels/formula.py`), so that a formula costs
no compilation. Every number is a float from the start: a huge power overflows at once instead of hanging.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Operation codes, shared with kernels/formula.py by value (tests compare every operation with `math`).
_NAMES = (
    *("const", "t", "add", "sub", "mul", "div", "pow", "neg", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs", "sign", "atan2", "min", "max"),
)
CODES = {name: code for code, name in enumerate(_NAMES)}
STACK_DEPTH = 32
LONGEST_PROGRAM = 5000

FUNCTIONS: dict[str, tuple[int, Callable[..., float]]] = {
    "sin": (1, math.sin),
    "cos": (1, math.cos),
    "tan": (1, math.tan),
    "asin": (1, math.asin),
    "acos": (1, math.acos),
    "atan": (1, math.atan),
    "sinh": (1, math.sinh),
    "cosh": (1, math.cosh),
    "tanh": (1, math.tanh),
    "exp": (1, math.exp),
    "log": (1, math.log),
    "sqrt": (1, math.sqrt),
    "abs": (1, abs),
    "sign": (1, lambda x: math.copysign(1.0, x) if x else 0.0),
    "atan2": (2, math.atan2),
    "min": (2, min),
    "max": (2, max),
}
_ARITHMETIC: dict[str, Callable[..., float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": math.pow,
    "neg": lambda a: -a,
}


class FormulaError(ValueError):
    """A formula that cannot be read or differentiated."""


@dataclass(frozen=True)
class Formula:
    """One node: an operation and its arguments; `value` only where op is `const`."""

    op: str
    args: tuple[Formula, ...] = ()
    value: float = 0.0

    @property
    def constant(self) -> bool:
        return self.op == "const"

    def __add__(self, other: Any) -> Formula:
        return _binary("add", self, other)

    def __radd__(self, other: Any) -> Formula:
        return _binary("add", other, self)

    def __sub__(self, other: Any) -> Formula:
        return _binary("sub", self, other)

    def __rsub__(self, other: Any) -> Formula:
        return _binary("sub", other, self)

    def __mul__(self, other: Any) -> Formula:
        return _binary("mul", self, other)

    def __rmul__(self, other: Any) -> Formula:
        return _binary("mul", other, self)

    def __truediv__(self, other: Any) -> Formula:
        return _binary("div", self, other)

    def __rtruediv__(self, other: Any) -> Formula:
        return _binary("div", other, self)

    def __pow__(self, other: Any) -> Formula:
        return _binary("pow", self, other)

    def __rpow__(self, other: Any) -> Formula:
        return _binary("pow", other, self)

    def __neg__(self) -> Formula:
        return _node("neg", self)

    def __call__(self, time: float) -> float:
        """Value at `time`, in plain Python: the oracle of the kernel's stack machine."""
        if self.op == "const":
            return self.value
        if self.op == "t":
            return float(time)
        values = [arg(time) for arg in self.args]
        return float((_ARITHMETIC.get(self.op) or FUNCTIONS[self.op][1])(*values))

    def derivative(self) -> Formula:
        """d/dt, simplified only as far as constants go."""
        try:
            return _derivative(self)
        except RecursionError:
            raise FormulaError("the formula is too long; split it") from None

    def program(self) -> list[float]:
        """Codes in postfix order; `const` is followed by its value."""
        code: list[float] = []
        try:
            depth = _emit(self, code)
        except RecursionError:
            raise FormulaError("the formula is too long; split it") from None
        if depth > STACK_DEPTH:
            raise FormulaError(f"the formula is nested too deeply ({depth} > {STACK_DEPTH}); split it")
        return code


def number(value: float) -> Formula:
    """A constant."""
    return Formula("const", value=float(value))


t = Formula("t")


def apply(name: str, *args: Any) -> Formula:
    """A function of `FUNCTIONS`, by name."""
    return _node(name, *(_formula(a) for a in args))


def _formula(value: Any) -> Formula:
    if isinstance(value, Formula):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is neither a number nor a formula in t")
    return number(value)


def _binary(op: str, a: Any, b: Any) -> Formula:
    try:
        left, right = _formula(a), _formula(b)
    except TypeError:
        return NotImplemented
    if left.constant and right.constant:
        return _node(op, left, right)
    zero_left, zero_right = left.constant and left.value == 0, right.constant and right.value == 0
    if op == "add" and (zero_left or zero_right):
        return right if zero_left else left
    if op == "sub" and zero_right:
        return left
    if op == "mul":
        if zero_left or zero_right:
            return number(0.0)
        if left.constant and left.value == 1:
            return right
        if right.constant and right.value == 1:
            return left
    if op in ("div", "pow") and right.constant and right.value == 1:
        return left
    return _node(op, left, right)


def _node(op: str, *args: Formula) -> Formula:
    node = Formula(op, args)
    if all(arg.constant for arg in args):
        try:
            value = node(0.0)
        except (OverflowError, ZeroDivisionError, ValueError, TypeError) as error:
            raise FormulaError(f"{op} of {', '.join(str(a.value) for a in args)}: {error}") from None
        if not math.isfinite(value):
            raise FormulaError(f"{op} of {', '.join(str(a.value) for a in args)} is not finite")
        return number(value)
    return node


def _derivative(f: Formula) -> Formula:
    if f.op == "const":
        return number(0.0)
    if f.op == "t":
        return number(1.0)
    derivatives = [_derivative(a) for a in f.args]
    if all(_is_zero(d) for d in derivatives):
        return number(0.0)
    if len(f.args) == 2:
        return _derivative_of_two(f, f.args[0], derivatives[0], f.args[1], derivatives[1])
    a, da = f.args[0], derivatives[0]
    inner: dict[str, Callable[[], Formula]] = {
        "neg": lambda: number(-1.0),
        "sin": lambda: apply("cos", a),
        "cos": lambda: -apply("sin", a),
        "tan": lambda: 1 + apply("tan", a) ** 2,
        "asin": lambda: 1 / apply("sqrt", 1 - a**2),
        "acos": lambda: -1 / apply("sqrt", 1 - a**2),
        "atan": lambda: 1 / (1 + a**2),
        "sinh": lambda: apply("cosh", a),
        "cosh": lambda: apply("sinh", a),
        "tanh": lambda: 1 - apply("tanh", a) ** 2,
        "exp": lambda: f,
        "log": lambda: 1 / a,
        "sqrt": lambda: 0.5 / f,
        "abs": lambda: apply("sign", a),
        "sign": lambda: number(0.0),
    }
    return inner[f.op]() * da


def _derivative_of_two(f: Formula, a: Formula, da: Formula, b: Formula, db: Formula) -> Formula:
    if f.op in ("add", "sub"):
        return da + db if f.op == "add" else da - db
    if f.op == "mul":
        return da * b + a * db
    if f.op == "div":
        return (da - f * db) / b
    if f.op == "pow":
        if b.constant:
            return b * a ** (b.value - 1) * da
        return f * (db * apply("log", a) + b * da / a)
    if f.op == "atan2":
        return (da * b - a * db) / (a**2 + b**2)
    raise FormulaError(f"'{f.op}' has no derivative everywhere and cannot stand in a joint's equation")


def _is_zero(f: Formula) -> bool:
    return f.constant and f.value == 0.0


def _emit(f: Formula, code: list[float]) -> int:
    """Append f's program; return the stack depth it needs."""
    if f.constant:
        code += [CODES["const"], f.value]
        return 1
    if len(code) > LONGEST_PROGRAM:
        raise FormulaError("the formula, or a derivative of it, is too long; split it")
    depth = 1
    for k, arg in enumerate(f.args):
        depth = max(depth, k + _emit(arg, code))
    code.append(CODES[f.op])
    return depth
