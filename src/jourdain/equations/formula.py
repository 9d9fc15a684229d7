"""Formulas: small trees over the time `t` and named quantities, written as a tape for the kernel.

A leaf stands for a quantity by its key: a channel (`"crank.x"`), a parameter (`"k"`), or one of the keys of
`equations/lowered.py`. The kernel evaluates a tape with its first and second derivatives along the motion and its
gradient (`kernels/core/tape.py`), so a formula costs no compilation and needs no derivative written down. Every number
is a float from the start: a huge power overflows at once instead of hanging.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

LONGEST_TAPE = 5000

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
# Parts of profiles (profiles.py), which formulas do not name themselves.
_PARTS: dict[str, Callable[..., float]] = {
    "floor": math.floor,
    "step": lambda x: 1.0 if x >= 0.0 else 0.0,
    "where": lambda condition, a, b: a if condition else b,
    "law": lambda f, *_: f,
}
_ARITHMETIC: dict[str, Callable[..., float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": math.pow,
    "neg": lambda a: -a,
    # 2 acos(w) / sqrt(1 - w^2): angle over half-angle sine of a rotation, of its quaternion's w (bushings).
    "turn_factor": lambda w: 2.0 if w >= 1.0 else 2.0 * math.acos(w) / math.sqrt(1.0 - w * w),
}
# What np.sin(f) and its like look for on an object; so a user's function of arrays can be called with formulas.
_NUMPY = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "absolute": "abs", "fabs": "abs"}


class FormulaError(ValueError):
    """A formula that cannot be read or used where it stands."""


@dataclass(frozen=True)
class Law:
    """A profile that is smoother than its parts: `smooth` of its derivatives have no jump."""

    name: str
    smooth: float


@dataclass(frozen=True)
class Formula:
    """One node: an operation and its arguments.

    `value` only where op is `const`; `key` is the quantity of a `leaf`, the curve of a `table` (or its name, where that
    is not known yet: `named`), the function of a `call` (whose `value` picks one of its results), the Law of a `law`,
    whose first argument is its formula and whose others are what it depends on.
    """

    op: str
    args: tuple[Formula, ...] = ()
    value: float = 0.0
    key: Any = None

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

    def __pos__(self) -> Formula:
        return self

    def __abs__(self) -> Formula:
        return _node("abs", self)

    def __bool__(self) -> bool:
        raise TypeError("a formula is neither true nor false: it has no value yet")

    def __getattr__(self, name: str) -> Callable[..., Formula]:
        """`f.sin()`, as numpy's functions want it."""
        op = _NUMPY.get(name, name)
        if op == "arctan2":
            op = "atan2"
        if op not in FUNCTIONS or op in ("min", "max"):
            raise AttributeError(name)
        return lambda *args: apply(op, self, *args)

    def __call__(self, time: float = 0.0, values: Callable[[Any], float] | None = None) -> float:
        """Value at `time` in plain Python, leaves by `values(key)`: the oracle of the kernel's tape."""
        if self.op == "const":
            return self.value
        if self.op == "t":
            return float(time)
        if self.op == "leaf":
            if values is None:
                raise FormulaError(f"'{self.key}' has no value here")
            return float(values(self.key))
        if self.op == "where":  # what is not chosen may have no value
            return self.args[1 if self.args[0](time, values) else 2](time, values)
        if self.op == "named":
            raise FormulaError(f"the table '{self.key}' is not known here")
        numbers = [arg(time, values) for arg in self.args]
        if self.op == "table":
            return float(self.key(numbers[0]))
        if self.op == "call":
            return float(self.key.results(numbers)[int(self.value)])
        return float((_ARITHMETIC.get(self.op) or _PARTS.get(self.op) or FUNCTIONS[self.op][1])(*numbers))

    def nodes(self) -> list[Formula]:
        """Every node once, arguments before what uses them."""
        found: list[Formula] = []
        seen: set[int] = set()
        stack: list[tuple[Formula, bool]] = [(self, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                found.append(node)
            elif id(node) not in seen:
                seen.add(id(node))
                stack.append((node, True))
                for arg in reversed(node.args):
                    if id(arg) not in seen:
                        stack.append((arg, False))
        return found

    def quantities(self) -> list[Any]:
        """The quantities it depends on, each once."""
        return list(dict.fromkeys(node.key for node in self.nodes() if node.op == "leaf"))

    def bare(self) -> Formula:
        """The same formula with each law replaced by the formula that it is."""
        nodes = self.nodes()
        if all(node.op != "law" for node in nodes):
            return self
        new: dict[int, Formula] = {}
        for node in nodes:
            args = tuple(new[id(arg)] for arg in node.args)
            same = all(map(operator.is_, args, node.args))
            new[id(node)] = args[0] if node.op == "law" else node if same else replace(node, args=args)
        return new[id(self)]

    def tabled(self, of: Callable[[str, Formula], Formula]) -> Formula:
        """The same formula with each table that it names replaced by `of(name, argument)`."""
        if all(node.op != "named" for node in self.nodes()):
            return self
        return self.resolved(leaf, of)

    def resolved(self, of: Callable[[Any], Formula], table: Callable[[str, Formula], Formula] | None = None) -> Formula:
        """The same formula with each leaf replaced by `of(key)`, and each named table by `table(name, argument)`."""
        new: dict[int, Formula] = {}
        for node in self.nodes():
            if node.op == "leaf":
                new[id(node)] = of(node.key)
            elif node.op == "named" and table is not None:
                new[id(node)] = table(node.key, new[id(node.args[0])])
            elif node.args:
                args = tuple(map(new.__getitem__, map(id, node.args)))
                if any(map(operator.is_not, args, node.args)):
                    plain = node.key is None  # else a table, a call or a wound angle: never folded
                    new[id(node)] = _node(node.op, *args) if plain else Formula(node.op, args, node.value, node.key)
                else:
                    new[id(node)] = node
            else:
                new[id(node)] = node
        return new[id(self)]


def number(value: float) -> Formula:
    """A constant."""
    return Formula("const", value=float(value))


t = Formula("t")


def leaf(key: Hashable) -> Formula:
    """A quantity that has its value when the kernel runs: a channel or parameter by name, or a key of `lowered.py`."""
    return Formula("leaf", key=key)


def apply(name: str, *args: Any) -> Formula:
    """A function of `FUNCTIONS`, by name."""
    return _node(name, *(_formula(a) for a in args))


def law(key: Law, f: Formula, *of: Formula) -> Formula:
    """A formula of `of` that is as smooth as the law says."""
    return f if f.constant else Formula("law", (f, *of), key=key)


def _formula(value: Any) -> Formula:
    if isinstance(value, Formula):
        return value
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{value!r} is neither a number nor a formula")
    return number(float(value))


def _binary(op: str, a: Any, b: Any) -> Formula:
    try:
        left, right = _formula(a), _formula(b)
    except TypeError:
        return NotImplemented
    left_constant, right_constant = left.op == "const", right.op == "const"
    if left_constant and right_constant:
        return _node(op, left, right)
    zero_left, zero_right = left_constant and left.value == 0, right_constant and right.value == 0
    if op == "add" and (zero_left or zero_right):
        return right if zero_left else left
    if op == "sub" and zero_right:
        return left
    if op == "mul":
        if zero_left or zero_right:
            return number(0.0)
        if left_constant and left.value == 1:
            return right
        if right_constant and right.value == 1:
            return left
    if op in ("div", "pow") and right_constant and right.value == 1:
        return left
    return _node(op, left, right)


def _node(op: str, *args: Formula) -> Formula:
    node = Formula(op, args)
    for arg in args:
        if arg.op != "const":
            return node
    if args:
        try:
            value = node(0.0)
        except (OverflowError, ZeroDivisionError, ValueError, TypeError) as error:
            raise FormulaError(f"{op} of {', '.join(str(a.value) for a in args)}: {error}") from None
        if not math.isfinite(value):
            raise FormulaError(f"{op} of {', '.join(str(a.value) for a in args)} is not finite")
        return number(value)
    return node
