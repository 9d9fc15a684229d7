"""Text to formulas and equations, by a whitelist: names, numbers, + - * / **, and the functions listed.

Nothing is evaluated as Python. Length and nesting are limited before the parser sees the text.
"""

from __future__ import annotations

import ast
import difflib
import math
import operator
from collections.abc import Collection, Mapping
from typing import Any

from .formula import FUNCTIONS, Formula, FormulaError, apply, leaf, number, t
from .profiles import PROFILES, below, not_above, profile
from .vectors import SYMBOLS, EquationError, Scalar, Vector, dot

MAX_LENGTH = 10_000
MAX_NESTING = 60

_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_CONSTANTS = {"pi": number(math.pi), "e": number(math.e), "t": t}


class _Quantities(dict[str, Any]):
    """Names that a formula may use beside the constants: any name becomes a leaf, to be resolved later."""

    def __missing__(self, name: str) -> Formula:
        return leaf(name)

    def __contains__(self, name: object) -> bool:
        return True


def formula(text: str, quantities: bool = False) -> Formula:
    """A scalar formula in `t`; with `quantities` also in parameters (`k`) and channels (`crank.B.x`)."""
    result = _read(text, _Quantities(_CONSTANTS) if quantities else _CONSTANTS)
    if not isinstance(result, Formula):
        raise FormulaError(f"'{text}' is not a number")
    return result


def equation(source: Any) -> Scalar:
    """A joint equation, from text or from an expression of the symbols."""
    result = _read(source, {**_CONSTANTS, **SYMBOLS}) if isinstance(source, str) else source
    if not isinstance(result, Scalar):
        what = "a vector" if isinstance(result, Vector) else "no scalar product"
        raise EquationError(f"'{source}' is {what}; expected an equation like dot(N - M, y_i)")
    if not result.products:
        raise EquationError(f"'{source}' holds no vector of the joint")
    return result


def _read(text: str, names: Mapping[str, Any]) -> Any:
    if len(text) > MAX_LENGTH:
        raise FormulaError(f"a formula of {len(text)} characters is too long (at most {MAX_LENGTH})")
    depth = deepest = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    if deepest > MAX_NESTING:
        raise FormulaError(f"brackets are nested {deepest} deep (at most {MAX_NESTING})")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise FormulaError(f"'{_shown(text)}' cannot be read as a formula") from None
    try:
        return _value(tree.body, names)
    except RecursionError:
        raise FormulaError(f"'{_shown(text)}' is nested too deeply") from None


def _shown(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        try:
            value = float(node.value)
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            raise FormulaError("a number is too large")
        return number(value)
    if isinstance(node, ast.Name):
        if node.id not in names:
            raise FormulaError(f"unknown name '{node.id}'; {_known(node.id, sorted(names))}")
        return names[node.id]
    if isinstance(node, ast.Attribute) and isinstance(names, _Quantities):
        return leaf(_dotted(node))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _value(node.operand, names)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _value(node.left, names), _value(node.right, names)
        try:
            return _BINARY[type(node.op)](left, right)
        except TypeError:
            raise EquationError(f"'{ast.unparse(node)}' mixes vectors and scalars") from None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        first = [_condition if node.func.id == "where" else _value, *[_value] * len(node.args)]
        arguments = [read(arg, names) for read, arg in zip(first, node.args, strict=False)]
        return _call(node.func.id, arguments, isinstance(names, _Quantities))
    if isinstance(node, ast.Compare | ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
        raise FormulaError(f"'{_shown(ast.unparse(node))}' is a condition; expected it first in where(condition, a, b)")
    raise FormulaError(f"'{_shown(ast.unparse(node))}' is not allowed in a formula")


_COMPARED = {
    ast.Lt: below,
    ast.LtE: not_above,
    ast.Gt: lambda a, b: below(b, a),
    ast.GtE: lambda a, b: not_above(b, a),
}


def _condition(node: ast.expr, names: Mapping[str, Any]) -> Formula:
    """1 where it holds, else 0: comparisons by < <= > >=, joined by and, or, not."""
    if isinstance(node, ast.BoolOp):
        parts = [_condition(value, names) for value in node.values]
        found = parts[0]
        for part in parts[1:]:
            found = apply("min" if isinstance(node.op, ast.And) else "max", found, part)
        return found
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return 1.0 - _condition(node.operand, names)
    if isinstance(node, ast.Compare) and all(type(sign) in _COMPARED for sign in node.ops):
        sides = [_value(side, names) for side in (node.left, *node.comparators)]
        if not all(isinstance(side, Formula) for side in sides):
            raise FormulaError(f"'{_shown(ast.unparse(node))}' compares what is no number")
        found = number(1.0)
        for sign, a, b in zip(node.ops, sides, sides[1:], strict=False):
            one = _COMPARED[type(sign)](a, b)
            found = one if found.constant and found.value else apply("min", found, one)
        return found
    raise FormulaError(f"'{_shown(ast.unparse(node))}' is no condition; expected one with < <= > >= and or not")


def _known(name: str, names: list[str]) -> str:
    """All names there are, and the one that may have been meant."""
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"known: {', '.join(names)}" + (f" (did you mean '{close[0]}'?)" if close else "")


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    if isinstance(node, ast.Name):
        return node.id
    raise FormulaError(f"'{_shown(ast.unparse(node))}' is no channel")


def _call(name: str, args: list[Any], quantities: bool = False) -> Any:
    if name == "dot":
        if len(args) != 2:
            raise EquationError("dot takes two vectors")
        return dot(*args)
    if name in PROFILES or (name in ("min", "max") and len(args) != 2):
        return _profile(name, args)
    if name not in FUNCTIONS:
        if quantities and len(args) == 1 and isinstance(args[0], Formula):  # a table, perhaps: whoever knows them tells
            return Formula("named", (args[0],), key=name)
        known = str(unknown_function(name, ()))
        raise FormulaError(f"{known}; a table takes one argument" if quantities else known)
    if len(args) != FUNCTIONS[name][0] or not all(isinstance(a, Formula) for a in args):
        raise FormulaError(f"{name} takes {FUNCTIONS[name][0]} number(s) or formulas")
    return apply(name, *args)


def unknown_function(name: str, tables: Collection[str]) -> FormulaError:
    """That there is no function of that name; `tables` are the names of tables."""
    return FormulaError(
        f"unknown function '{name}'; {_known(name, ['dot', *sorted({*FUNCTIONS, *PROFILES, *tables})])}"
    )


def _profile(name: str, args: list[Any]) -> Formula:
    if not args or not all(isinstance(a, Formula) for a in args):
        raise FormulaError(f"{name} takes numbers or formulas")
    if name in PROFILES:
        return profile(name, args)
    found: Formula = args[0]
    for other in args[1:]:
        found = apply(name, found, other)
    return found
