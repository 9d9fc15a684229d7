"""Stand-alone Python: M(q), J(q), gamma(q, v), rhs(t, y) and what they are made of, with NumPy and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..equations.formula import Formula
from .straight_line import Language, StraightLine
from .take_away import TakeAway

_NAMES = {"abs": "abs", "min": "min", "max": "max", "sign": "_sign", "step": "_step", "turn_factor": "_turn_factor"}
_HELPERS = '''

def _wind(angle, turn):
    """An angle brought to the turn that is counted."""
    return angle + 2.0 * math.pi * round((turn - angle) / (2.0 * math.pi))


def _sign(x):
    return math.copysign(1.0, x) if x else 0.0


def _step(x):
    return 1.0 if x >= 0.0 else 0.0


def _turn_factor(w):
    """Angle over half-angle sine of a rotation, of the w of its quaternion."""
    return 2.0 if w >= 1.0 else 2.0 * math.acos(w) / math.sqrt(1.0 - w * w)
'''
_TABLES = '''

def _table(table, x, order):
    """A piecewise polynomial, or its slope: breaks and coefficients, the highest power first."""
    breaks, pieces = table
    k = min(max(bisect.bisect_right(breaks, x) - 1, 0), len(pieces) - 1)
    s, total, slope = x - breaks[k], 0.0, 0.0
    for c in pieces[k]:
        slope = slope * s + total
        total = total * s + c
    return slope if order else total
'''


def language(t: TakeAway) -> Language:
    """How leaves and functions are written here."""
    tables = {id(table): k for k, table in enumerate(t.tables)}

    def name(key: Any) -> str:
        kind = key[0]
        if kind == "given":
            return t.constants[key[1]][0]
        return f"z[{key[1]}]" if kind == "state" else f"{kind}[{key[1]}]"

    def call(node: Formula, args: list[str]) -> str:
        if node.op in ("table", "table_slope"):
            return f"_table(_TABLES[{tables[id(node.key)]}], {args[0]}, {int(node.op != 'table')})"
        if node.op == "where":
            return f"({args[1]} if {args[0]} else {args[2]})"
        if node.op == "wind":
            return f"_wind({args[0]}, z[{len(t.states) + t.turns.index(node.key)}])"
        return f"{_NAMES.get(node.op, f'math.{node.op}')}({', '.join(args)})"

    return Language(name, repr, lambda a, b: f"{a}**{b if b.isidentifier() or b[0].isdigit() else f'({b})'}", call)


def _function(t: TakeAway, head: str, says: str, formulas: Sequence[Formula], shape: tuple[int, ...]) -> list[str]:
    """A function that returns an array; entries that are zero are not written."""
    code = StraightLine(language(t))
    places = [k for k, f in enumerate(formulas) if f.op != "const" or f.value != 0.0]
    results = code.results(formulas[k] for k in places)
    lines = ["", "", f"def {head}:", f'    """{says}"""']
    lines += [f"    {name} = {text}" for name, text in code.lines]
    lines += [f"    out = np.zeros({shape[0] if len(shape) == 1 else shape})"]
    for k, text in zip(places, results, strict=True):
        at = f"{k}" if len(shape) == 1 else f"{k // shape[1]}, {k % shape[1]}"
        lines.append(f"    out[{at}] = {text}")
    return [*lines, "    return out"]


def python_code(t: TakeAway, sentence: str) -> str:
    """The text of a module."""
    nv, rows = t.nv, len(t.rows)
    flat = [f for row in t.M for f in row]
    lines = _head(t, sentence)
    lines += _function(t, "M(q)", "Mass matrix.", flat, (nv, nv))
    lines += _function(t, "J(q, t=0.0, z=())", "Jacobian of the equations.", [f for r in t.J for f in r], (rows, nv))
    lines += _function(t, "gamma(q, v, t=0.0, z=())", "J v' = gamma.", t.gamma, (rows,))
    lines += _function(
        t, "C(q, v=None, t=0.0, z=())", "What must be zero; of velocity equations the rate.", t.C, (rows,)
    )
    lines += _function(t, "C_t(q, t=0.0, z=())", "Rate of C at v = 0.", t.partial, (rows,))
    lines += _function(t, "Q(q, v, t=0.0, z=())", "Applied forces.", t.Q, (nv,))
    lines += _function(t, "bias(q, v)", "Inertia terms: M v' = Q + bias - J^T lam.", t.bias, (nv,))
    lines += _function(t, "rates(q, v)", "q'.", t.rates, (t.nq,))
    lines += _function(
        t, "state_rates(q, v, t=0.0, z=())", "z'.", [*t.state_rates, *t.turn_rates], (len(t.states) + len(t.turns),)
    )
    return "\n".join([*lines, *_tail(t), ""])


def _head(t: TakeAway, sentence: str) -> list[str]:
    lines = [
        f'"""{_escaped(t.name)}: equations of motion in coordinates {t.set}.',
        "",
        "    M v' = Q + bias - J^T lam,  J v' = gamma",
        "",
    ]
    lines += [_escaped(sentence), "", "State y = [q | v | z].", ""]
    lines += [f"q: {', '.join(map(_escaped, t.coordinates))}", f"v: rates of {', '.join(map(_escaped, t.velocities))}"]
    if t.states or t.turns:
        lines.append(f"z: {', '.join(map(_escaped, [*t.states, *(f'turns of {n}' for n in t.turns)]))}")
    lines += [f"row {k}: {_escaped(row)}" for k, row in enumerate(t.rows)]
    lines += [f"Not in it: {_escaped(words)}" for words in t.lacking]
    lines += [f"Note: {_escaped(words)}" for words in t.notes]
    lines += ['"""', "", "import bisect", "import math", "", "import numpy as np", ""]
    lines += [f"{name} = {value!r}" for name, value in t.constants.values()]
    lines += [f"START = np.array({list(t.start)!r})"]
    if t.tables:
        tables = [(list(map(float, x.breaks)), [list(map(float, c)) for c in x.coefficients]) for x in t.tables]
        lines += [f"_TABLES = {tables!r}", _TABLES]
    return [*lines, _HELPERS.rstrip("\n")]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', "'").replace("\n", " ")


def _tail(t: TakeAway) -> list[str]:
    nq, nv = t.nq, t.nv
    rows = len(t.rows)
    solve = [
        f"    A = np.zeros(({nv + rows}, {nv + rows}))",
        f"    A[:{nv}, :{nv}] = M(q)",
        f"    b = np.empty({nv + rows})",
        f"    b[:{nv}] = Q(q, v, t, z) + bias(q, v)",
    ]
    if rows:
        solve += [
            f"    A[{nv}:, :{nv}] = J(q, t, z)",
            f"    A[:{nv}, {nv}:] = A[{nv}:, :{nv}].T",
            f"    b[{nv}:] = gamma(q, v, t, z)",
        ]
    how = "np.linalg.lstsq(A, b, rcond=1e-12)[0]" if t.redundant else "np.linalg.solve(A, b)"
    says = "Accelerations and multipliers" + (", of dependent rows the least." if t.redundant else ".")
    return [
        "",
        "",
        "def solve(t, q, v, z=()):",
        f'    """{says}"""',
        *solve,
        f"    x = {how}",
        f"    return x[:{nv}], x[{nv}:]",
        "",
        "",
        "def rhs(t, y):",
        '    """y\'."""',
        *([f"    raise NotImplementedError({f'not in these equations: {words}'!r})" for words in t.lacking[:1]]),
        "    y = np.asarray(y, dtype=float)",
        f"    q, v, z = y[:{nq}], y[{nq}:{nq + nv}], y[{nq + nv}:]",
        "    dy = np.empty(len(y))",
        f"    dy[:{nq}] = rates(q, v)",
        f"    dy[{nq}:{nq + nv}] = solve(t, q, v, z)[0]",
        f"    dy[{nq + nv}:] = state_rates(q, v, t, z)",
        "    return dy",
    ]
