"""Level `minimal`: one to three degrees of freedom, through SymPy, in joint coordinates.

q = (u, w): independent coordinates u and, where loops are closed, dependent ones w with C(u, w) = 0. Then

    w' = k u',   w'' = k u'' + l,   R = [1; k],   (R^T M R) u'' = R^T (Q + bias - M [0; l])

Rows are taken loop by loop, those first that have no more unknowns than rows, so that k and l of one loop follow from
those before it (J_b k_b = -J_known k_known), and stand under their names in the equation of motion: nothing is put in.
An open tree has no w. In the plane loops have closed forms where they fall apart into dyads (`dyads.py`). Nothing here
searches: every step is bounded, and between steps the clock is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..analysis.matrices import Evaluator
from ..assembly.prepare import prepare
from ..equations.formula import FormulaError
from ..mechanism.errors import JourdainError
from .dyads import closed_form
from .ink import Ink, Relation, Symbol
from .kernel_check import Checked, Comparison
from .limited import Clock, OutOfTimeError, alarm
from .machine_formulas import MachineFormulas
from .sheet import Sheet
from .sympy_objects import load_sympy, objects
from .take_away import take_away

BUDGET = 20.0  # s
MOST_FREEDOMS = 3
MOST_UNKNOWNS = 3
SMALL = 120  # operations: longer expressions are not simplified
PATIENCE = 0.5  # s, for the simplification of one expression
POSES = 5


@dataclass(frozen=True)
class Minimal:
    """What was found: SymPy objects by name, and how they were checked."""

    objects: dict[str, Any]
    checked: Checked


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

    return {s: rf"\text{{{tex_text(s.name)}}}" for s in expression.free_symbols}


def derive_minimal(machine: MachineFormulas, document: Sheet, budget: float) -> tuple[Minimal | None, str]:
    """The minimal form written into the document; or None and the reason."""
    clock = Clock(budget)
    try:
        if not machine.evaluator.model.set.joined:
            b = machine.blueprint
            machine = MachineFormulas(b, Evaluator.assembled(prepare(b, "relative")))
        if machine.problems:
            return None, f"There is no minimal form: {'; '.join(machine.problems)}. The blocks follow instead."
        with alarm(budget):
            return _derived(machine, document, clock)
    except OutOfTimeError:
        return None, f"The minimal form was not ready after {budget:g} s; the blocks follow instead."
    except (FormulaError, JourdainError) as error:
        return None, f"There is no minimal form: {error}. The blocks follow instead."


def _derived(machine: MachineFormulas, document: Sheet, clock: Clock) -> tuple[Minimal | None, str]:
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
    loops = _loops(machine, K.J, rows, u)
    if max((len(loop.columns) for loop in loops), default=0) > MOST_UNKNOWNS:
        return None, (
            f"There is no minimal form: a loop has more than {MOST_UNKNOWNS} unknowns at once, and its formulas would "
            "fill pages. The blocks follow instead."
        )
    found = _reduced(sp, o, loops, u, clock)
    checked = _check(machine, found, u, clock)
    closed = closed_form(machine, found, u, loops, clock) if w else None
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


@dataclass(frozen=True)
class Loop:
    """Rows with as many unknown columns, once those of the loops before are known."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]


def _loops(machine: MachineFormulas, J: Any, rows: list[int], u: list[int]) -> list[Loop]:
    """Rows of one owner after the other, those first whose unknowns they determine; the rest together."""
    owners: dict[str, list[int]] = {}
    for k in rows:
        owners.setdefault(machine.rows[k].owner, []).append(k)
    known, found, left = set(u), [], list(owners.values())
    while left:
        ready = None
        for group in left:
            columns = sorted({n for k in group for n in machine.rows[k].J} - known)
            if len(columns) == len(group) and np.linalg.matrix_rank(J[np.ix_(group, columns)], tol=1e-9) == len(group):
                ready = group, columns
                break
        if ready is None:
            group = [k for part in left for k in part]
            ready = group, [n for n in range(J.shape[1]) if n not in known]
            left = [group]
        found.append(Loop(tuple(ready[0]), tuple(ready[1])))
        known |= set(ready[1])
        left.remove(ready[0])
    return found


def _short(sp: Any, expression: Any, clock: Clock) -> Any:
    return clock.attempt(sp.trigsimp, expression, PATIENCE) if expression.count_ops() < SMALL else expression


def _reduced(sp: Any, o: dict[str, Any], loops: list[Loop], u: list[int], clock: Clock) -> dict[str, Any]:
    n, f = len(o["q"]), len(u)
    R, lift = sp.zeros(n, f), sp.zeros(n, 1)
    for k, column in enumerate(u):
        R[column, k] = 1
    lines: list[tuple[Any, Any]] = []
    known = list(u)
    for loop in loops:
        clock()
        rows, columns = list(loop.rows), list(loop.columns)
        J = o["J"].extract(rows, columns)
        inverse = J.adjugate() / J.det(method="berkowitz")
        clock()
        before = o["J"].extract(rows, known)
        rates = -inverse * before * R.extract(known, list(range(f)))
        rest = inverse * (o["gamma"].extract(rows, [0]) - before * lift.extract(known, [0]))
        for place, column in enumerate(columns):
            name = o["q"][column].name
            for k in range(f):
                R[column, k] = sp.Symbol(f"k[{name}]" if f == 1 else f"k[{name},{k + 1}]", real=True)
                lines.append((R[column, k], _short(sp, rates[place, k], clock)))
            lift[column] = sp.Symbol(f"l[{name}]", real=True)
            lines.append((lift[column], rest[place]))
        known += columns
    clock()
    mass = R.T * o["M"] * R
    clock()
    force = R.T * (o["Q"] + o["bias"] - o["M"] * lift)
    clock()
    mass, force = (x.applyfunc(lambda e: _short(sp, e, clock)) for x in (mass, force))
    rows = [k for loop in loops for k in loop.rows]
    return {**o, "mass": mass, "force": force, "velocities": R, "accelerations": lift, "lines": lines, "rows": rows}


def _check(machine: MachineFormulas, found: dict[str, Any], u: list[int], clock: Clock) -> Checked:
    """u'' of the minimal form against the accelerations of the bordered system, on closed poses."""
    sp = load_sympy()
    e = machine.evaluator
    at = e.model.layout
    names = [*found["q"], *found["v"], found["t"], *found["constants"]]
    symbols = [name for name, _ in found["lines"]]
    f = sp.lambdify([*names, *symbols], [found["mass"], found["force"]], modules="numpy", cse=True)
    steps = [sp.lambdify([*names, *symbols[:k]], e, modules="math") for k, (_, e) in enumerate(found["lines"])]
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
        values = [*y[at.q], *y[at.v], 0.0, *found["constants"].values()]
        for step in steps:
            values.append(step(*values))
        mass, force = f(*values)
        mine = np.linalg.solve(np.asarray(mass, dtype=float), np.asarray(force, dtype=float)[:, 0])
        compare("u''", mine, expected, 1e-8)
        done += 1
    if not done:
        raise JourdainError("no closed pose was found near the start to check it at")
    return Checked(done, compare.worst, compare.lines)


def _write(document: Sheet, found: dict[str, Any], closed: Any, u: list[int], w: list[int]) -> None:
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
        section.say("w' = k u' and w'' = k u'' + l for each dependent w, one loop after the other.")
        for name, expression in found["lines"]:
            section.line(Relation(SymPyInk(name), SymPyInk(expression)))
    section = document.section("Equation of motion" if len(u) == 1 else "Equations of motion")
    section.line(Relation(Symbol("M"), SymPyInk(found["mass"] if len(u) > 1 else found["mass"][0])), "M u'' = f")
    section.line(Relation(Symbol("f"), SymPyInk(found["force"] if len(u) > 1 else found["force"][0])))
