"""Closed forms of planar loops, one dyad after the other: four-bar, slider-crank, quick return.

A loop that is cut by two rows x(u, w) = 0, y(u, w) = 0 in two dependent coordinates w has a closed form where each row
is linear in cosine and sine of an angle of w, or in a displacement. With P the place of one end of the dyad against the
other, seen from the known side, the cosine law gives the angles; the assembled pose says which of two branches it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .sympy_objects import load_sympy

AGREES = 1e-9
PATIENCE = 2.0  # s, for the simplification of one expression
TRIES = 5


@dataclass(frozen=True)
class ClosedForm:
    """Lines (name, expression) in order, the dependent coordinates among them, and how well they close the loop."""

    lines: tuple[tuple[Any, Any], ...]
    positions: dict[Any, Any]
    worst: float


def closed_form(machine: Any, found: dict[str, Any], u: list[int], loops: Any, clock: Any) -> ClosedForm | None:
    """Of loops with two unknowns each; None where one has another shape."""
    if machine.blueprint.dim != 2 or any(len(loop.columns) != 2 for loop in loops):
        return None
    sp = load_sympy()
    q, lines = found["q"], []
    for number, loop in enumerate(loops, 1):
        rows = [found["C"][k] for k in loop.rows]
        solved = None
        for first, second in (loop.columns, loop.columns[::-1]):
            clock()
            solved = solved or _dyad(sp, rows, q[first], q[second], machine, found, (first, second), number, clock)
        if solved is None:
            return None
        lines += solved
    worst = _closes(lines, [found["C"][k] for k in found["rows"]], machine, found, u, clock)
    if worst is None:
        return None
    positions = {name: expression for name, expression in lines if name in q}
    return ClosedForm(tuple(lines), positions, worst)


def _linear(sp: Any, row: Any, angle: Any) -> tuple[Any, Any, Any] | None:
    """a cos + b sin + c of an angle, or None where it has another shape."""
    c, s = sp.Symbol("_c"), sp.Symbol("_s")
    flat = sp.expand_trig(sp.expand(row)) if row.count_ops() < 400 else None
    if flat is None:
        return None
    flat = sp.expand(flat.subs({sp.cos(angle): c, sp.sin(angle): s}))
    if angle in flat.free_symbols:
        return None
    a, b = flat.coeff(c, 1).coeff(s, 0), flat.coeff(s, 1).coeff(c, 0)
    rest = sp.expand(flat - a * c - b * s)
    return None if {c, s} & rest.free_symbols or {c, s} & (a.free_symbols | b.free_symbols) else (a, b, rest)


def _dyad(
    sp: Any, rows: list[Any], x: Any, y: Any, machine: Any, found: Any, columns: Any, number: int, clock: Any
) -> list[Any] | None:
    """Eliminate y, an angle or a displacement of both rows, then solve A cos x + B sin x + C = 0."""
    e = machine.evaluator
    values = dict(zip(found["q"], e.start[e.model.layout.q], strict=True)) | found["constants"] | {found["t"]: 0.0}
    kinds = [e.positions[k].rpartition(".")[2] for k in columns]
    if kinds[0] != "angle":
        return None
    if kinds[1] == "angle":
        parts = [_linear(sp, row, y) for row in rows]
        if any(part is None for part in parts):
            return None
        # row = a cos y + b sin y + r: two rows give cos y and sin y, whose squares sum to one
        (a1, b1, r1), (a2, b2, r2) = parts  # type: ignore[misc]
        det = clock.attempt(sp.trigsimp, sp.expand(a1 * b2 - a2 * b1), PATIENCE)
        if r2 == 0 or r1 == 0:  # a slide: its row says that two links are parallel
            first, second = (parts[1], parts[0]) if r2 == 0 else (parts[0], parts[1])
            return _parallel(sp, first, second, x, y, values, number, clock)
        if det == 0:
            return None
        cosine, sine = (-r1 * b2 + r2 * b1) / det, (-a1 * r2 + a2 * r1) / det
        condition = sp.expand((-r1 * b2 + r2 * b1) ** 2 + (-a1 * r2 + a2 * r1) ** 2 - det**2)
        condition = sp.expand(clock.attempt(sp.trigsimp, condition, PATIENCE))
    else:
        slopes = [sp.diff(row, y) for row in rows]
        if any(y in slope.free_symbols for slope in slopes):
            return None
        rest = [sp.expand(row - slope * y) for row, slope in zip(rows, slopes, strict=True)]
        condition = sp.expand(rest[0] * slopes[1] - rest[1] * slopes[0])
        condition = clock.attempt(sp.trigsimp, condition, PATIENCE)
        cosine = sine = None
    solved = _angle(sp, condition, x, values, number, clock)
    if solved is None:
        return None
    lines: list[Any] = solved
    if cosine is not None:
        lines.append((y, sp.atan2(sine, cosine)))
    else:
        k = 0 if abs(float(slopes[0].subs(values))) > abs(float(slopes[1].subs(values))) else 1
        lines.append((y, -rest[k] / slopes[k]))
    return lines


def _parallel(sp: Any, row: Any, other: Any, x: Any, y: Any, values: Any, number: int, clock: Any) -> Any:
    """a cos y + b sin y = 0 gives y up to half a turn; then the other row is one for x."""
    (a, b, _), (a2, b2, r2) = row, other
    size = clock.attempt(sp.trigsimp, sp.expand(a * a + b * b), PATIENCE)
    if size != 1:
        return None
    for sign in (1, -1):
        formula = sp.atan2(-sign * a, sign * b)
        if abs(_turned(float(formula.subs(values)) - float(values[y]))) > AGREES:
            continue
        condition = clock.attempt(sp.trigsimp, sp.expand(sign * (a2 * b - b2 * a) + r2), PATIENCE)
        solved = _angle(sp, condition, x, values, number, clock)
        return None if solved is None else [*solved, (y, formula)]
    return None


def _angle(sp: Any, condition: Any, x: Any, values: Any, number: int, clock: Any) -> list[Any] | None:
    """x from A cos x + B sin x + D = 0, on the branch of the start."""
    linear = _quadratic_free(sp, condition, x, clock)
    if linear is None:
        return None
    A, B, C = linear
    names = [sp.Symbol(f"{n}_{number}", real=True) for n in ("A", "B", "D")]
    root = sp.sqrt(names[0] ** 2 + names[1] ** 2 - names[2] ** 2)
    at = {name: float(part.subs(values)) for name, part in zip(names, (A, B, C), strict=True)}
    here = float(values[x])
    lines: list[Any] = list(zip(names, (A, B, C), strict=True))
    best = None
    for sign in (1, -1):
        formula = sp.atan2(-names[1] * names[2] + sign * names[0] * root, -names[0] * names[2] - sign * names[1] * root)
        off = _turned(float(formula.subs(at)) - here) if float((root**2).subs(at)) >= 0 else np.inf
        if best is None or abs(off) < best[0]:
            best = abs(off), formula
    assert best is not None
    if best[0] > AGREES:
        return None
    return [*lines, (x, best[1])]


def _quadratic_free(sp: Any, condition: Any, x: Any, clock: Any) -> tuple[Any, Any, Any] | None:
    """A cos x + B sin x + C of a condition whose squares of cosine and sine sum to one."""
    c, s = sp.Symbol("_c"), sp.Symbol("_s")
    flat = sp.expand(sp.expand_trig(condition)) if condition.count_ops() < 3000 else None
    if flat is None:
        return None
    flat = sp.expand(flat.subs({sp.cos(x): c, sp.sin(x): s}))
    if x in flat.free_symbols:
        return None
    poly = sp.Poly(flat, c, s)
    terms = dict(poly.terms())
    if any(sum(key) > 2 for key in terms):
        return None
    square = clock.attempt(sp.trigsimp, sp.sympify(terms.get((2, 0), 0) - terms.get((0, 2), 0)), PATIENCE)
    mixed = clock.attempt(sp.trigsimp, sp.sympify(terms.get((1, 1), 0)), PATIENCE)
    if square != 0 or mixed != 0:
        return None
    rest = terms.get((0, 0), sp.Integer(0)) + terms.get((2, 0), sp.Integer(0))
    parts = (terms.get((1, 0), sp.Integer(0)), terms.get((0, 1), sp.Integer(0)), rest)
    return tuple(clock.attempt(sp.trigsimp, p, PATIENCE) for p in map(sp.sympify, parts))


def _closes(lines: list[Any], rows: list[Any], machine: Any, found: Any, u: list[int], clock: Any) -> float | None:
    """The largest row at poses around the start, with the dependent coordinates from the closed form."""
    e = machine.evaluator
    start = dict(zip(found["q"], e.start[e.model.layout.q], strict=True)) | found["constants"] | {found["t"]: 0.0}
    worst, done = 0.0, 0
    for step in np.linspace(-0.1, 0.1, TRIES):
        clock()
        values = dict(start)
        for k in u:
            values[found["q"][k]] += float(step)
        try:
            for name, expression in lines:
                values[name] = float(expression.subs(values))
            gaps = [abs(float(row.subs(values))) for row in rows]
        except (TypeError, ValueError):  # the loop cannot be closed there
            continue
        worst, done = max(worst, *gaps), done + 1
    scale = max(1.0, e.model.size)
    return worst / scale if done and worst <= AGREES * scale else None


def _turned(angle: float) -> float:
    return (angle + np.pi) % (2 * np.pi) - np.pi
