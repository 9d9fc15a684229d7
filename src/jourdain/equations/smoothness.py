"""How smooth a formula is: how many of its derivatives have no jump, and what to write where that is not enough.

An equation over positions needs one (its speed may not jump, its acceleration may), one over velocities needs none but
the value itself, a force may jump. Found by the operations; of `where` and `piecewise` with limits that are numbers by
whether their parts meet there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .formula import Formula
from .jets import Jet

FREE, POSITION, SPEED = -1, 1, 0  # what has to be smooth: nothing; an equation over positions; one over velocities
_OWN = {"sign": -1, "floor": -1, "step": -1, "abs": 0, "min": 0, "max": 0}
_NO_DERIVATIVE = -2  # a function that gives none
SAME = 1e-9  # of the larger of the two and of 1: parts that differ by less meet
_INSTEAD = {
    POSITION: "a cam law such as poly345(x, x0, x1), or a table",
    SPEED: "ramp(x, x0, x1), which takes some time",
}


@dataclass(frozen=True)
class Smoothness:
    """How many derivatives have no jump (-1: the value has one), and the operation to blame."""

    order: float
    node: Formula | None = None


def rough(f: Formula, needed: int = POSITION) -> str | None:
    """Why a formula is not smooth enough where it stands, and what to write instead; None if it is."""
    found = smoothness(f)
    if found.order >= needed or found.node is None:
        return None
    node = found.node
    if node.op == "call":
        return f"{node.key.where} is a function without derivatives; write it as a formula"
    if node.op == "table":
        return node.key.too_rough(needed)
    name = node.key.name if node.op == "law" else node.op
    if node.op == "where":
        what = "jumps" if found.order < 0 else "has a corner"
        return f"'where' or 'piecewise' {what} where its parts do not meet; use {_INSTEAD[needed]}"
    if found.order < 0 <= needed:
        return f"'{name}' jumps and cannot stand in {_place(needed)}; use {_INSTEAD[needed]}"
    return f"'{name}' has no derivative everywhere and cannot stand in {_place(needed)}; use {_INSTEAD[needed]}"


def _place(needed: int) -> str:
    return "a joint's equation" if needed == POSITION else "an equation over velocities"


def smoothness(f: Formula) -> Smoothness:
    """Of the whole formula: that of its roughest part."""
    known: dict[int, Smoothness] = {}

    def of(node: Formula) -> Smoothness:
        if id(node) not in known:
            inner = node.args[1:] if node.op in ("law", "where") else node.args
            found = min((_own(node), *map(of, inner)), key=lambda s: s.order)
            known[id(node)] = found
        return known[id(node)]

    return of(f)


def _own(node: Formula) -> Smoothness:
    if node.op == "call":
        return Smoothness(math.inf if node.key.smooth else _NO_DERIVATIVE, node)
    if node.op in ("law", "table"):
        return Smoothness(node.key.smooth, node)
    if node.op == "where":
        return Smoothness(_meeting(*node.args), node)
    return Smoothness(_OWN.get(node.op, math.inf), node)


def _meeting(condition: Formula, a: Formula, b: Formula) -> float:
    """How many derivatives of two parts agree at the limit between them; -1 where that cannot be told."""
    found = _limit(condition)
    if found is None:
        return -1
    x, limit = found
    try:
        one, other = (_jet(part, x, Jet(limit, 1.0, 0.0, 0.0)) for part in (a, b))
    except (ArithmeticError, ValueError, AttributeError, TypeError, LookupError):
        return -1
    for order, name in enumerate(("value", "first", "second")):
        left, right = getattr(one, name), getattr(other, name)
        if not abs(left - right) <= SAME * max(1.0, abs(left), abs(right)):
            return order - 1
    return 2


def _limit(condition: Formula) -> tuple[Formula, float] | None:
    """The quantity and the number that a condition compares."""
    if condition.op == "sub" and condition.args[0].constant:  # 1 - step: below
        condition = condition.args[1]
    if condition.op != "step":
        return None
    inner = condition.args[0]
    a, b = inner.args if inner.op == "sub" else (inner, Formula("const"))
    if a.constant:
        a, b = b, a
    return (a, b.value) if b.constant else None


def _jet(f: Formula, x: Formula, at: Jet) -> Any:
    """A formula of x alone, with two derivatives by it."""
    if f == x:
        return at
    if f.constant:
        return at * 0.0 + f.value
    args = [_jet(arg, x, at) for arg in (f.args[:1] if f.op == "law" else f.args)]
    if not args:
        raise LookupError(f.op)
    return _OPERATIONS[f.op](*args) if f.op in _OPERATIONS else getattr(args[0], f.op)(*args[1:])


_OPERATIONS: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "pow": lambda a, b: a ** (b.value if b.first == 0.0 else b),
    "atan2": lambda a, b: a.arctan2(b),
    "min": lambda a, b: a if a <= b else b,
    "max": lambda a, b: b if a <= b else a,
    "step": lambda a: a * 0.0 + (1.0 if a >= 0.0 else 0.0),
    "floor": lambda a: a * 0.0 + math.floor(a.value),
    "where": lambda c, a, b: a if c.value else b,
    "law": lambda f: f,
}
