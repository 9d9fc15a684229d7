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
from .kernel_check import Checked, Comparison
from .limited import Clock, OutOfTimeError, alarm
from .machine_formulas import MachineFormulas
from .minimal_page import write_minimal
from .sheet import Sheet
from .symbolic_rates import is_zero
from .sympy_objects import load_sympy, objects
from .take_away import take_away

BUDGET = 20.0  # s
MOST_FREEDOMS = 3
MOST_UNKNOWNS = 3
SMALL = 120  # operations: longer expressions are not simplified
PATIENCE = 2.0  # s, for the simplification of one expression
POSES = 5


@dataclass(frozen=True)
class Minimal:
    """What was found: SymPy objects by name, and how they were checked."""

    objects: dict[str, Any]
    checked: Checked


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
    if not all(map(is_zero, taken.partial)):
        return None, "There is no minimal form: joints depend on the time. The blocks follow instead."
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
    write_minimal(document, machine, found, closed, u, w)
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
    """Simplified if that is quick and makes it shorter, term by term first."""
    if expression.is_Add and expression.count_ops() > SMALL // 4:
        expression = sp.Add(*(_short(sp, term, clock) for term in expression.args))
    if expression.count_ops() > SMALL:
        return expression
    found = clock.attempt(lambda e: sp.trigsimp(sp.expand(e)), expression, PATIENCE)
    return found if found.count_ops() < expression.count_ops() else expression


def _reduced(sp: Any, o: dict[str, Any], loops: list[Loop], u: list[int], clock: Clock) -> dict[str, Any]:
    n, f = len(o["q"]), len(u)
    R, lift = sp.zeros(n, f), sp.zeros(n, 1)
    for k, column in enumerate(u):
        R[column, k] = 1
    lines: list[tuple[Any, Any]] = []
    printed: dict[Any, tuple[str, int, int]] = {}  # head, column and freedom (or number and -1) of each new symbol
    over: dict[Any, Any] = {}  # what the line of a symbol is divided by
    known = list(u)

    def short(e: Any) -> Any:
        return _short(sp, e, clock)

    for number, loop in enumerate(loops, 1):
        clock()
        rows, columns = list(loop.rows), list(loop.columns)
        J = o["J"].extract(rows, columns).applyfunc(short)
        whole = sp.Symbol(f"Delta[{number}]", real=True)
        printed[whole] = "Delta", number, -1
        lines.append((whole, short(J.det(method="berkowitz"))))
        clock()
        before = o["J"].extract(rows, known).applyfunc(short)
        rates = -J.adjugate() * before * R.extract(known, list(range(f)))
        rest = J.adjugate() * (o["gamma"].extract(rows, [0]).applyfunc(short) - before * lift.extract(known, [0]))
        for place, column in enumerate(columns):
            name = o["q"][column].name
            for k in range(f):
                R[column, k] = sp.Symbol(f"k[{name}]" if f == 1 else f"k[{name},{k + 1}]", real=True)
                printed[R[column, k]] = "k", column, k
                lines.append((R[column, k], short(rates[place, k]) / whole))
                over[R[column, k]] = whole
            lift[column] = sp.Symbol(f"l[{name}]", real=True)
            printed[lift[column]] = "l", column, -1
            lines.append((lift[column], short(rest[place]) / whole))
            over[lift[column]] = whole
        known += columns
    clock()
    M, F = o["M"].applyfunc(short), o["Q"] + o["bias"].applyfunc(short)
    if loops:  # masses and forces of the tree have names, so that what loops make of them can be seen
        M, F = _named(sp, o, M, F - M * lift, lines, printed)
    clock()
    mass, force = (R.T * M * R).applyfunc(sp.expand) if loops else M, R.T * F
    rows = [k for loop in loops for k in loop.rows]
    found = {"mass": mass, "force": force, "velocities": R, "accelerations": lift, "over": over}
    return {**o, **found, "lines": lines, "rows": rows, "printed": printed}


def _named(sp: Any, o: dict[str, Any], M: Any, F: Any, lines: list[Any], printed: dict[Any, Any]) -> tuple[Any, Any]:
    """Symbols for the entries of a mass matrix and of forces, defined by further lines."""
    q = [symbol.name for symbol in o["q"]]
    masses, forces = sp.zeros(*M.shape), sp.zeros(*F.shape)
    for a in range(len(q)):
        for b in range(a + 1):
            if M[a, b] != 0:
                symbol = sp.Symbol(f"m[{q[b]},{q[a]}]", real=True)
                masses[a, b] = masses[b, a] = symbol
                printed[symbol] = "m", (b, a), -1
                lines.append((symbol, M[a, b]))
    for a, name in enumerate(q):
        if F[a] != 0:
            forces[a] = sp.Symbol(f"F[{name}]", real=True)
            printed[forces[a]] = "F", (a,), -1
            lines.append((forces[a], F[a].subs({M[a, b]: masses[a, b] for b in range(a + 1) if M[a, b].is_Add})))
    return masses, forces


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
    w = [k for k in range(len(found["q"])) if k not in u]
    for _ in range(4 * POSES):
        clock()
        t = float(rng.uniform(0.0, 2.0))
        y = e.closed(t, e.moved(t, e.start, 0.1 * rng.normal(size=e.model.nv), rng.normal(size=e.model.nv)))
        if y is None or done == POSES:
            continue
        K = e.of(t, y)
        zero = np.zeros((len(K.J), len(K.J)))
        A = np.block([[K.M, K.J.T], [K.J, zero]])
        expected = np.linalg.lstsq(A, np.concatenate([K.Q + K.bias, K.gamma]), rcond=1e-12)[0][u]
        values = [*y[at.q], *y[at.v], t, *found["constants"].values()]
        for step in steps:
            values.append(step(*values))
        named = dict(zip(symbols, values[len(names) :], strict=True))
        v, v_u = y[at.v], y[at.v][u]
        R = np.array(found["velocities"].subs(named), dtype=float)
        compare("w'", R[w] @ v_u, v[w], 1e-8)
        mass, force = f(*values)
        mine = np.linalg.solve(np.asarray(mass, dtype=float), np.asarray(force, dtype=float)[:, 0])
        compare("u''", mine, expected, 1e-8)
        done += 1
    if not done:
        raise JourdainError("no closed pose was found near the start to check it at")
    return Checked(done, compare.worst, compare.lines)
