"""Formulas as SymPy objects, node by node. Text of a file is never given to SymPy's parser, which evaluates it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from ..equations.formula import Formula, FormulaError
from ..mechanism.errors import MissingLibraryError
from .take_away import TakeAway


def load_sympy() -> Any:
    """SymPy, or a sentence that says how to get it."""
    try:
        import sympy
    except ImportError:
        raise MissingLibraryError("SymPy is not installed; pip install 'jourdain[derive]'") from None
    return sympy


def expression_of(f: Formula, leaf: Callable[[Any], Any], done: dict[int, Any], time: Any) -> Any:
    """A formula over SymPy's symbols; parts that were converted before are looked up in `done`."""
    sp = load_sympy()
    for node in f.nodes():
        if id(node) not in done:
            done[id(node)] = _converted(sp, node, [done[id(a)] for a in node.args], leaf, time)
    return done[id(f)]


_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "neg": operator.neg,
}


def _converted(sp: Any, node: Formula, args: list[Any], leaf: Callable[[Any], Any], time: Any) -> Any:
    op = node.op
    if op == "const":
        return (
            sp.Integer(int(node.value)) if node.value.is_integer() and abs(node.value) < 1e15 else sp.Float(node.value)
        )
    if op == "t":
        return time
    if op == "leaf":
        return leaf(node.key)
    if op == "wind":
        return args[0]
    if op in _OPERATORS:
        return _OPERATORS[op](*args)
    if op == "where":
        return sp.Piecewise((args[1], sp.Ne(args[0], 0)), (args[2], True))
    if op == "step":
        return sp.Heaviside(args[0], 1)
    names = {"abs": "Abs", "min": "Min", "max": "Max"}
    function = getattr(sp, names.get(op, op), None)
    if function is None or op in ("table", "call"):
        raise FormulaError(f"'{op}' has no counterpart in SymPy")
    return function(*args)


def objects(t: TakeAway) -> dict[str, Any]:
    """M, J, gamma, Q, bias, C as matrices; q, v, z as lists of symbols; constants with their values."""
    sp = load_sympy()
    time = sp.Symbol("t", real=True)
    q = [sp.Symbol(name, real=True) for name in t.coordinates]
    v = [sp.Symbol(f"{name}'", real=True) for name in t.velocities]
    z = [sp.Symbol(name, real=True) for name in t.states]
    constants = {name: sp.Symbol(name, real=True) for name in t.constants}

    def leaf(key: Any) -> Any:
        kind, where = key[0], key[1]
        known: dict[str, Any] = {"q": q, "v": v, "state": z, "given": constants}
        return known[kind][where]

    done: dict[int, Any] = {}

    def column(formulas: Sequence[Formula]) -> Any:
        return sp.Matrix(len(formulas), 1, [expression_of(f, leaf, done, time) for f in formulas])

    def matrix(rows: list[list[Formula]]) -> Any:
        width = len(rows[0]) if rows else t.nv
        return sp.Matrix(len(rows), width, [expression_of(f, leaf, done, time) for row in rows for f in row])

    return {
        "t": time,
        "q": q,
        "v": v,
        "z": z,
        "constants": {constants[name]: value for name, (_, value) in t.constants.items()},
        "M": matrix(t.M),
        "J": matrix(t.J),
        "gamma": column(t.gamma),
        "Q": column(t.Q),
        "bias": column(t.bias),
        "C": column(t.C),
    }
