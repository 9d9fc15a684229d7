"""Level `minimal`: one to three degrees of freedom, through SymPy, in joint coordinates.

q = (u, w): independent coordinates u and, where loops are closed, dependent ones w with C(u, w) = 0. With R = dv/du'

    R = [1; -J_w^-1 J_u],   v'_0 = [0; J_w^-1 gamma],   (R^T M R) u'' = R^T (Q + bias - M v'_0)

An open tree has no w. In the plane loops are solved in closed form where they fall apart into dyads (`loops.py`).
Nothing here searches: every step is bounded, and between steps the clock is asked.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..analysis.matrices import Evaluator
from ..assembly.prepare import prepare
from ..equations.formula import FormulaError
from ..mechanism.errors import JourdainError
from .checking import Checked, Comparison
from .document import Document
from .ink import Ink, Relation, Symbol
from .loops import closed_form
from .machine import Machine
from .sympy_objects import load_sympy, objects
from .take_away import take_away

BUDGET = 20.0  # s
MOST_FREEDOMS = 3
SMALL = 150  # operations: only expressions so short are simplified, which takes SymPy milliseconds
POSES = 5


class _OutOfTime(Exception):
    """The budget is spent."""


@dataclass(frozen=True)
class Minimal:
    """What was found: SymPy objects by name, and how they were checked."""

    objects: dict[str, Any]
    checked: Checked


class _Clock:
    def __init__(self, budget: float) -> None:
        self.end = time.monotonic() + budget

    def __call__(self) -> None:
        if time.monotonic() > self.end:
            raise _OutOfTime


@dataclass(frozen=True)
class SymPyInk(Ink):
    """An expression of SymPy, in its own print."""

    expression: Any
    strength = 1

    def latex(self) -> str:
        return str(load_sympy().latex(self.expression, symbol_names=_names(self.expression)))

    def text(self) -> str:
        return str(self.expression)

    def mathml(self) -> str:
        from html import escape

        return f"<mtext>{escape(self.text())}</mtext>"


def _names(expression: Any) -> dict[Any, str]:
    """LaTeX of names that users wrote: escaped, never read as commands."""
    from .ink import tex_text

    return {s: rf"\mathrm{{{tex_text(s.name)}}}" for s in expression.free_symbols}


def derive_minimal(machine: Machine, document: Document, budget: float) -> tuple[Minimal | None, str]:
    """The minimal form written into the document; or None and the reason."""
    clock = _Clock(budget)
    try:
        if not machine.evaluator.model.set.joined:
            b = machine.blueprint
            machine = Machine(b, Evaluator.assembled(prepare(b, "relative")))
        if machine.problems:
            return None, f"There is no minimal form: {'; '.join(machine.problems)}. The blocks follow instead."
        return _derived(machine, document, clock)
    except _OutOfTime:
        return None, f"The minimal form was not ready after {budget:g} s; the blocks follow instead."
    except (FormulaError, JourdainError) as error:
        return None, f"There is no minimal form: {error}. The blocks follow instead."


def _derived(machine: Machine, document: Document, clock: _Clock) -> tuple[Minimal | None, str]:
    e = machine.evaluator
    taken = take_away(machine)
    if taken.turns or taken.states:
        return (
            None,
            "There is no minimal form: turns or states of elements are counted beside q. The blocks follow instead.",
        )
    K = e.of(0.0, e.start)
    rank = int(np.linalg.matrix_rank(K.J, tol=1e-9)) if len(K.J) else 0
    freedoms = len(e.coordinates) - rank
    if not 1 <= freedoms <= MOST_FREEDOMS or len(e.positions) != len(e.coordinates):
        return None, (
            f"The minimal form is for one to {MOST_FREEDOMS} degrees of freedom in plain joint coordinates; this has "
            f"{freedoms}. The blocks follow instead."
        )
    sp = load_sympy()
    clock()
    o = objects(taken)
    clock()
    rows = _independent_rows(K.J, rank)
    u, w = _split(K.J, freedoms)
    found = _reduced(sp, o, rows, u, w, clock)
    checked = _check(machine, found, u, clock)
    closed = closed_form(machine, found, u, w, clock) if w else None
    _write(document, found, closed, u, w)
    if closed is not None:
        found["positions"] = closed.positions
        checked = Checked(checked.poses, max(checked.worst, closed.worst), checked.lines + 1)
    return Minimal(found, checked), ""


def _independent_rows(J: Any, rank: int) -> list[int]:
    """Rows that span all, chosen greedily in their order."""
    chosen: list[int] = []
    for k in range(len(J)):
        if np.linalg.matrix_rank(J[[*chosen, k]], tol=1e-9) > len(chosen):
            chosen.append(k)
        if len(chosen) == rank:
            break
    return chosen


def _split(J: Any, freedoms: int) -> tuple[list[int], list[int]]:
    """Independent columns: the first whose leaving out keeps the rank, so that a crank is chosen before a coupler."""
    n = J.shape[1]
    u: list[int] = []
    for k in range(n):
        rest = [c for c in range(n) if c not in (*u, k)]
        if len(u) < freedoms and np.linalg.matrix_rank(J[:, rest], tol=1e-9) == n - freedoms:
            u.append(k)
    return u, [c for c in range(n) if c not in u]


def _short(sp: Any, expression: Any) -> Any:
    return sp.trigsimp(expression) if expression.count_ops() < SMALL else expression


def _reduced(sp: Any, o: dict[str, Any], rows: list[int], u: list[int], w: list[int], clock: _Clock) -> dict[str, Any]:
    n, f = len(o["q"]), len(u)
    order = [*u, *w]
    if w:
        J, gamma = o["J"].extract(rows, list(range(n))), o["gamma"].extract(rows, [0])
        Ju, Jw = J.extract(list(range(len(rows))), u), J.extract(list(range(len(rows))), w)
        clock()
        inverse = Jw.adjugate() / Jw.det(method="berkowitz") if len(w) <= 3 else None
        if inverse is None:
            raise JourdainError("the loops have more than three dependent coordinates, and SymPy would fill pages")
        clock()
        down, lift = -inverse * Ju, inverse * gamma
    else:
        down, lift = sp.zeros(0, f), sp.zeros(0, 1)
    R = sp.zeros(n, f)
    v0 = sp.zeros(n, 1)
    for place, column in enumerate(order):
        for k in range(f):
            R[column, k] = (1 if place == k else 0) if place < f else down[place - f, k]
        v0[column] = lift[place - f] if place >= f else 0
    clock()
    mass = R.T * o["M"] * R
    clock()
    force = R.T * (o["Q"] + o["bias"] - o["M"] * v0)
    clock()
    if not w:
        mass, force = mass.applyfunc(lambda x: _short(sp, x)), force.applyfunc(lambda x: _short(sp, x))
    return {**o, "mass": mass, "force": force, "velocities": R, "accelerations": v0, "rows": rows}


def _check(machine: Machine, found: dict[str, Any], u: list[int], clock: _Clock) -> Checked:
    """u'' of the minimal form against the accelerations of the bordered system, on closed poses."""
    sp = load_sympy()
    e = machine.evaluator
    at = e.model.layout
    names = [*found["q"], *found["v"], found["t"], *found["constants"]]
    f = sp.lambdify(names, [found["mass"], found["force"]], modules="numpy", cse=True)
    clock()
    compare = Comparison()
    rng = np.random.default_rng(2)
    done = 0
    for _ in range(4 * POSES):
        clock()
        y = e.closed(0.0, e.moved(0.0, e.start, 0.1 * rng.normal(size=e.model.nv), rng.normal(size=e.model.nv)))
        if y is None or done == POSES:
            continue
        K = e.of(0.0, y)
        zero = np.zeros((len(K.J), len(K.J)))
        A = np.block([[K.M, K.J.T], [K.J, zero]])
        expected = np.linalg.lstsq(A, np.concatenate([K.Q + K.bias, K.gamma]), rcond=1e-12)[0][u]
        mass, force = f(*y[at.q], *y[at.v], 0.0, *found["constants"].values())
        mine = np.linalg.solve(np.asarray(mass, dtype=float), np.asarray(force, dtype=float)[:, 0])
        compare("u''", mine, expected, 1e-8)
        done += 1
    if not done:
        raise JourdainError("no closed pose was found near the start to check it at")
    return Checked(done, compare.worst, compare.lines)


def _write(document: Document, found: dict[str, Any], closed: Any, u: list[int], w: list[int]) -> None:
    q = found["q"]
    section = document.section("Coordinates")
    section.say(
        f"Independent: {', '.join(q[k].name for k in u)}."
        + (f" Dependent: {', '.join(q[k].name for k in w)}." if w else "")
    )
    if w and closed is not None:
        section = document.section("Positions of the dependent links, in closed form")
        for left, right in closed.lines:
            section.line(Relation(SymPyInk(left), SymPyInk(right)))
    elif w:
        section = document.section("Positions of the dependent links, implicitly")
        section.say("No closed form was found: these are zero.")
        for k in found["rows"]:
            section.line(Relation(Symbol("C", str(k + 1)), SymPyInk(found["C"][k])))
    if w:
        section = document.section("Velocities and accelerations of the dependent links")
        for k in w:
            rates = sum((found["velocities"][k, n] * found["v"][c] for n, c in enumerate(u)), load_sympy().Integer(0))
            section.line(Relation(SymPyInk(found["v"][k]), SymPyInk(rates)))
            section.line(
                Relation(Symbol(q[k].name, dots=2), SymPyInk(found["accelerations"][k])),
                "at u'' = 0; the rest as velocities",
            )
    section = document.section("Equation of motion" if len(u) == 1 else "Equations of motion")
    section.line(Relation(Symbol("M"), SymPyInk(found["mass"] if len(u) > 1 else found["mass"][0])), "M u'' = f")
    section.line(Relation(Symbol("f"), SymPyInk(found["force"] if len(u) > 1 else found["force"][0])))
