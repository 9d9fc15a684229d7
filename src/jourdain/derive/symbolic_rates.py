"""Derivatives of formulas, as formulas: by one of their quantities, and along the motion.

`derivative(f, rate)` is the rate of f where each quantity changes at `rate(key)` (None: not at all); with a rate of one
for a single quantity it is the partial derivative by it. Zeros and ones fold away: nothing has to be simplified.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..equations.formula import Formula, FormulaError, apply, number

Rate = Callable[[Any], "Formula | None"]

ZERO, ONE = number(0.0), number(1.0)


def is_zero(f: Formula) -> bool:
    return f.op == "const" and f.value == 0.0


def plus(*parts: Formula) -> Formula:
    """A sum without its zeros."""
    total = ZERO
    for part in parts:
        total = minus(total, part.args[0]) if part.op == "neg" else total + part
    return total


def minus(a: Formula, b: Formula) -> Formula:
    if is_zero(b):
        return a
    if is_zero(a):
        return negative(b)
    return a + b.args[0] if b.op == "neg" else a - b


def negative(a: Formula) -> Formula:
    if a.op == "const":
        return number(-a.value)
    if a.op == "sub":
        return a.args[1] - a.args[0]
    return a.args[0] if a.op == "neg" else -a


def times(a: Formula, b: Formula) -> Formula:
    """A product: signs come out of it, and minus one is a sign."""
    if a.op == "neg":
        return negative(times(a.args[0], b))
    if b.op == "neg":
        return negative(times(a, b.args[0]))
    for one, other in ((a, b), (b, a)):
        if one.op == "const" and one.value == -1.0:
            return negative(other)
    return a * b


def total(parts: Any) -> Formula:
    return plus(*parts)


def derivative(f: Formula, rate: Rate, clock: Formula = ZERO) -> Formula:
    """The rate of f; `clock` is that of t."""
    done: dict[int, Formula] = {}
    for node in f.nodes():
        done[id(node)] = _rate_of(node, [done[id(arg)] for arg in node.args], rate, clock)
    return done[id(f)]


def by(f: Formula, key: Any) -> Formula:
    """The partial derivative by one quantity."""
    return derivative(f, lambda other: ONE if other == key else None)


def gradient(f: Formula, wanted: Callable[[Any], bool]) -> dict[Any, Formula]:
    """Partial derivatives by all quantities that are wanted, in one way back through the formula."""
    nodes = f.nodes()
    weight: dict[int, Formula] = {id(f): ONE}
    found: dict[Any, Formula] = {}
    for node in reversed(nodes):
        own = weight.get(id(node), ZERO)
        if is_zero(own):
            continue
        if node.op == "leaf" and wanted(node.key):
            found[node.key] = plus(found.get(node.key, ZERO), own)
        for k, arg in enumerate(node.args):
            if arg.op not in ("const", "t"):
                unit = [ONE if n == k else ZERO for n in range(len(node.args))]
                part = times(own, _slope_by(node, unit))
                weight[id(arg)] = plus(weight.get(id(arg), ZERO), part)
    return found


def _slope_by(node: Formula, unit: list[Formula]) -> Formula:
    """Of a node by one of its arguments; both factors of a square are the same argument."""
    if node.op == "mul":
        return plus(times(unit[0], node.args[1]), times(node.args[0], unit[1]))
    return _rate_of(node, unit, lambda key: None, ZERO)


def _rate_of(node: Formula, rates: list[Formula], rate: Rate, clock: Formula) -> Formula:
    if node.op == "const":
        return ZERO
    if node.op == "t":
        return clock
    if node.op == "leaf":
        found = rate(node.key)
        return ZERO if found is None else found
    if all(is_zero(r) for r in rates):
        return ZERO
    if node.op in _RULES:
        return _RULES[node.op](node, *rates)
    if node.op in _SLOPES:
        return times(_SLOPES[node.op](node.args[0], node), rates[0])
    raise FormulaError(_refusal(node))


def _refusal(node: Formula) -> str:
    what = "a function of Python" if node.op == "call" else f"'{node.op}'"
    return f"{what} has no derivative that can be written down"


def _either(difference: Formula, a: Formula, b: Formula) -> Formula:
    """a where the difference is not negative, else b."""
    if difference.constant:
        return a if difference.value >= 0.0 else b
    return Formula("where", (apply("step", difference), a, b))


def _product(node: Formula, da: Formula, db: Formula) -> Formula:
    a, b = node.args
    if a == b:
        return times(number(2.0), times(a, da))
    return plus(times(da, b), times(a, db))


def _quotient(node: Formula, da: Formula, db: Formula) -> Formula:
    a, b = node.args
    first = da / b if not is_zero(da) else ZERO
    return minus(first, times(a, db) / (b * b)) if not is_zero(db) else first


def _power(node: Formula, da: Formula, db: Formula) -> Formula:
    a, b = node.args
    if is_zero(db):
        if b.op == "const" and b.value == 2.0:
            return times(number(2.0), times(a, da))
        return times(times(b, a ** (b - 1.0)), da)
    return times(node, plus(times(db, apply("log", a)), times(b, da) / a))


def _atan2(node: Formula, dy: Formula, dx: Formula) -> Formula:
    y, x = node.args
    return minus(times(x, dy), times(y, dx)) / (x * x + y * y)


_RULES: dict[str, Callable[..., Formula]] = {
    "add": lambda node, a, b: plus(a, b),
    "sub": lambda node, a, b: minus(a, b),
    "neg": lambda node, a: negative(a),
    "mul": _product,
    "div": _quotient,
    "pow": _power,
    "atan2": _atan2,
    "wind": lambda node, a: a,
    "sign": lambda node, a: ZERO,
    "step": lambda node, a: ZERO,
    "floor": lambda node, a: ZERO,
    "min": lambda node, a, b: _either(node.args[1] - node.args[0], a, b),
    "max": lambda node, a, b: _either(node.args[0] - node.args[1], a, b),
    "where": lambda node, condition, a, b: Formula("where", (node.args[0], a, b)),
    "law": lambda node, a, *of: a,
    "table": lambda node, a: times(Formula("table_slope", node.args, node.value, node.key), a),
}
_SLOPES: dict[str, Callable[[Formula, Formula], Formula]] = {
    "sin": lambda x, f: apply("cos", x),
    "cos": lambda x, f: negative(apply("sin", x)),
    "tan": lambda x, f: 1.0 + f * f,
    "asin": lambda x, f: 1.0 / apply("sqrt", 1.0 - x * x),
    "acos": lambda x, f: negative(1.0 / apply("sqrt", 1.0 - x * x)),
    "atan": lambda x, f: 1.0 / (1.0 + x * x),
    "sinh": lambda x, f: apply("cosh", x),
    "cosh": lambda x, f: apply("sinh", x),
    "tanh": lambda x, f: 1.0 - f * f,
    "exp": lambda x, f: f,
    "log": lambda x, f: 1.0 / x,
    "sqrt": lambda x, f: 0.5 / f,
    "abs": lambda x, f: apply("sign", x),
}
