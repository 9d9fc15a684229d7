"""Stand-alone C: the same functions as in Python, in one file that compiles as C99 without warnings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..equations.formula import Formula
from .straight_line import Language, StraightLine
from .take_away import TakeAway

_NAMES = {"abs": "fabs", "min": "fmin", "max": "fmax", "sign": "sign_of", "step": "step_of"}
_HELPERS = """
#define UNUSED(x) ((void)(x))

/* An angle brought to the turn that is counted. */
double wind_angle(double angle, double turn)
{
    return angle + 2.0 * 3.14159265358979323846 * rint((turn - angle) / (2.0 * 3.14159265358979323846));
}

double sign_of(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; }

double step_of(double x) { return x >= 0.0 ? 1.0 : 0.0; }

/* Angle over half-angle sine of a rotation, of the w of its quaternion. */
double turn_factor(double w) { return w >= 1.0 ? 2.0 : 2.0 * acos(w) / sqrt(1.0 - w * w); }

/* A piecewise polynomial, or its slope: breaks, then coefficients, the highest power first. */
double table_at(const double *table, int pieces, int terms, double x, int slope)
{
    int k = 0, n;
    const double *c;
    double s, total = 0.0, rate = 0.0;
    while (k + 1 < pieces && x >= table[k + 1]) k++;
    c = table + pieces + 1 + k * terms;
    s = x - table[k];
    for (n = 0; n < terms; n++) {
        rate = rate * s + total;
        total = total * s + c[n];
    }
    return slope ? rate : total;
}
"""
_SOLVE = """
/* A x = b of n unknowns by elimination with complete pivoting, A and b destroyed, x in b.
   Unknowns that rows which depend on others leave open are zero. Returns the rank. */
int solve_linear(int n, double *A, double *b, int *order)
{
    int i, j, k, rank = 0;
    double largest = 0.0;
    for (i = 0; i < n; i++) order[i] = i;
    for (k = 0; k < n; k++) {
        int row = k, column = k;
        double best = 0.0, x;
        for (i = k; i < n; i++)
            for (j = k; j < n; j++)
                if (fabs(A[i * n + j]) > best) { best = fabs(A[i * n + j]); row = i; column = j; }
        if (k == 0) largest = best;
        if (best <= 1e-13 * largest) break;
        rank++;
        if (row != k) {
            for (j = 0; j < n; j++) { x = A[k * n + j]; A[k * n + j] = A[row * n + j]; A[row * n + j] = x; }
            x = b[k]; b[k] = b[row]; b[row] = x;
        }
        if (column != k) {
            int o = order[k];
            for (i = 0; i < n; i++) { x = A[i * n + k]; A[i * n + k] = A[i * n + column]; A[i * n + column] = x; }
            order[k] = order[column];
            order[column] = o;
        }
        for (i = k + 1; i < n; i++) {
            x = A[i * n + k] / A[k * n + k];
            if (x == 0.0) continue;
            for (j = k; j < n; j++) A[i * n + j] -= x * A[k * n + j];
            b[i] -= x * b[k];
        }
    }
    for (i = rank; i < n; i++) b[i] = 0.0;
    for (i = rank - 1; i >= 0; i--) {
        for (j = i + 1; j < rank; j++) b[i] -= A[i * n + j] * b[j];
        b[i] /= A[i * n + i];
    }
    for (i = 0; i < n; i++) A[order[i]] = b[i];
    for (i = 0; i < n; i++) b[i] = A[i];
    return rank;
}
"""


def language(t: TakeAway) -> Language:
    """How leaves and functions are written here."""
    tables = {id(table): (k, table) for k, table in enumerate(t.tables)}

    def name(key: Any) -> str:
        kind = key[0]
        if kind == "given":
            return f"{t.constants[key[1]][0]}_"
        return f"z[{key[1]}]" if kind == "state" else f"{kind}[{key[1]}]"

    def call(node: Formula, args: list[str]) -> str:
        if node.op in ("table", "table_slope"):
            k, table = tables[id(node.key)]
            pieces, terms = len(table.coefficients), len(table.coefficients[0])
            return f"table_at(table_{k}, {pieces}, {terms}, {args[0]}, {int(node.op != 'table')})"
        if node.op == "where":
            return f"({args[0]} != 0.0 ? {args[1]} : {args[2]})"
        if node.op == "wind":
            return f"wind_angle({args[0]}, z[{len(t.states) + t.turns.index(node.key)}])"
        return f"{_NAMES.get(node.op, node.op)}({', '.join(args)})"

    return Language(name, _number, lambda a, b: f"pow({a}, {b})", call)


def _number(value: float) -> str:
    return repr(value)


def _function(t: TakeAway, head: str, says: str, formulas: Sequence[Formula], size: int) -> list[str]:
    code = StraightLine(language(t))
    places = [k for k, f in enumerate(formulas) if f.op != "const" or f.value != 0.0]
    results = code.results(formulas[k] for k in places)
    arguments = [part.split()[-1].lstrip("*") for part in head[head.index("(") + 1 : -1].split(",")]
    lines = ["", f"/* {says} */", f"void {head}", "{", f"    for (int k = 0; k < {size}; k++) out[k] = 0.0;"]
    lines += [f"    UNUSED({argument});" for argument in arguments]
    lines += [f"    const double {name} = {text};" for name, text in code.lines]
    lines += [f"    out[{k}] = {text};" for k, text in zip(places, results, strict=True)]
    return [*lines, "}"]


def c_code(t: TakeAway, sentence: str) -> str:
    """The text of a file."""
    nv, rows = t.nv, len(t.rows)
    q, v, z = "const double *q", "const double *v", "double t, const double *z"
    lines = _head(t, sentence)
    lines += _function(t, f"M({q}, double *out)", "Mass matrix, by rows.", [f for r in t.M for f in r], nv * nv)
    lines += _function(t, f"J({q}, {z}, double *out)", "Jacobian, by rows.", [f for r in t.J for f in r], rows * nv)
    lines += _function(t, f"gamma_({q}, {v}, {z}, double *out)", "J v' = gamma.", t.gamma, rows)
    lines += _function(t, f"C({q}, {v}, {z}, double *out)", "What must be zero.", t.C, rows)
    lines += _function(t, f"Q({q}, {v}, {z}, double *out)", "Applied forces.", t.Q, nv)
    lines += _function(t, f"bias({q}, {v}, double *out)", "Inertia terms.", t.bias, nv)
    lines += _function(t, f"rates({q}, {v}, double *out)", "q'.", t.rates, t.nq)
    lines += _function(
        t,
        f"state_rates({q}, {v}, {z}, double *out)",
        "z'.",
        [*t.state_rates, *t.turn_rates],
        len(t.states) + len(t.turns),
    )
    return "\n".join([*lines, _SOLVE, _tail(t), ""])


def _head(t: TakeAway, sentence: str) -> list[str]:
    lines = [
        f"/* {_escaped(t.name)}: equations of motion in coordinates {t.set}.",
        "",
        "   M v' = Q + bias - J^T lam,  J v' = gamma",
        "",
    ]
    lines += [
        f"   {_escaped(sentence)}",
        "",
        "   State y = [q | v | z]; rhs(t, y, dy) gives y', and the rank of its matrix.",
    ]
    lines += [
        f"   q: {', '.join(map(_escaped, t.coordinates))}",
        f"   v: rates of {', '.join(map(_escaped, t.velocities))}",
    ]
    if t.states or t.turns:
        lines.append(f"   z: {', '.join(map(_escaped, [*t.states, *(f'turns of {n}' for n in t.turns)]))}")
    lines += [f"   row {k}: {_escaped(row)}" for k, row in enumerate(t.rows)]
    lines += [f"   Not in it, so that rhs returns -1: {_escaped(words)}" for words in t.lacking]
    lines += [f"   Note: {_escaped(words)}" for words in t.notes]
    lines += ["*/", "#include <math.h>", ""]
    lines += [f"#define {name}_ ({_number(value)})" for name, value in t.constants.values()]
    size = len(t.start)
    lines += [f"enum {{ NQ = {t.nq}, NV = {t.nv}, NZ = {size - t.nq - t.nv}, NY = {size}, ROWS = {len(t.rows)} }};"]
    lines += [f"const double START[{max(size, 1)}] = {{{', '.join(map(_number, t.start)) or '0.0'}}};"]
    for k, table in enumerate(t.tables):
        values = [*map(float, table.breaks), *(float(c) for piece in table.coefficients for c in piece)]
        lines.append(f"static const double table_{k}[] = {{{', '.join(map(_number, values))}}};")
    return [*lines, _HELPERS.rstrip("\n")]


def _escaped(text: str) -> str:
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\n", " ").replace("\\", "/")


def _tail(t: TakeAway) -> str:
    n = t.nv + len(t.rows)
    return f"""
/* y'. Returns the rank of the bordered matrix, {n} unless rows depend on each other. */
int rhs(double t, const double *y, double *dy)
{{
    enum {{ N = {n} }};
    const double *q = y, *v = y + NQ, *z = y + NQ + NV;
    double A[N * N + 1], b[N + 1], m[NV * NV + 1], j[ROWS * NV + 1], f[NV + 1], e[NV + 1];
    int order[N + 1], i, k, rank;
    M(q, m);
    J(q, t, z, j);
    Q(q, v, t, z, f);
    bias(q, v, e);
    for (i = 0; i < N * N; i++) A[i] = 0.0;
    for (i = 0; i < NV; i++) {{
        for (k = 0; k < NV; k++) A[i * N + k] = m[i * NV + k];
        b[i] = f[i] + e[i];
    }}
    for (i = 0; i < ROWS; i++)
        for (k = 0; k < NV; k++) A[(NV + i) * N + k] = A[k * N + NV + i] = j[i * NV + k];
    gamma_(q, v, t, z, b + NV);
    rank = solve_linear(N, A, b, order);
    rates(q, v, dy);
    for (i = 0; i < NV; i++) dy[NQ + i] = b[i];
    state_rates(q, v, t, z, dy + NQ + NV);
    return {"rank * 0 - 1" if t.lacking else "rank"};
}}"""
