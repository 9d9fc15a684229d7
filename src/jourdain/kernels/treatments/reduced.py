"""Treatments that solve for motions the constraints allow: `partitioning` and `null-space`. Dense.

With J T^T = 0, rows of T spanning what the rows of J leave free, and p any solution of J p = b, the solution of
K x = b in the metric of M is found without K:

    s = p - T^T (T M T^T)^-1 T M p,   J^T x = M s,   so that   M^-1 J^T x = s

With b = J free - gamma this is the reduced system T M T^T u' = T (Q - M a), v' = a + T^T u', J a = gamma, and x are the
multipliers. M stands for M + E where masses are singular (see dynamics.py).

`partitioning` (Wehage and Haug 1982) takes T from independent coordinates, found by full pivoting of J, whose rows are
first divided by their largest entries: J = [J_d J_i], T^T = [-J_d^-1 J_i; 1]. The choice is kept while its pivots stay
good; when they are not, the next step starts with a new one. `null-space` takes orthonormal T from Householder's
reflections of J, rows by size: J = [L 0] H^T, T the last columns of H.

Rows beyond the rank get no multiplier.
"""

import numpy as np
from numba import njit

from ..core.context import (
    COLUMN_ORDER,
    DENSE_ROWS,
    F_CHART,
    F_FACTOR,
    F_MASS,
    F_PLACE,
    F_RETRACT,
    F_TIMES,
    F_WEIGH,
    F_WIND,
    FLIPPED,
    FULL,
    H_BLOCK,
    H_BODY_V,
    H_CHARTS,
    H_CHOSEN,
    H_FACTORED,
    H_FRESH,
    H_NEWTONS,
    H_Q,
    H_RANK,
    H_RANK_LOSSES,
    H_ROWS,
    H_V,
    H_Z,
    INSIDE,
    ITERATE,
    JACOBIAN,
    NOT_CLOSED,
    NOT_FINITE,
    OK,
    PARTIAL,
    PERMUTATION,
    REDUCED,
    REFLECTIONS,
    RESIDUAL,
    RESTART,
    S_CLOSED,
    S_PIVOT,
    S_SMALLEST,
    SCALE,
    SCRATCH,
    SETTINGS,
    SLOTS,
    TANGENT,
    UNIT_ROWS,
    WINDINGS,
    ints,
    largest,
    reals,
    run,
    state,
    table,
    vector_at,
)
from ..core.formula_parts import copy_z
from .projection import MAX_NEWTON, flipped, is_closed, normalise

PARTITIONING, NULL_SPACE = 0, 1
POOR = 0.1  # smallest pivot against that of the choice when it was new: below this a new choice is made


@njit(**INSIDE)
def _dense_rows(ctx, like):
    """J, each row divided by its largest entry, which goes to SCALE; rows of nothing stay so."""
    A = state(ctx, DENSE_ROWS, like)
    J = state(ctx, JACOBIAN, like)
    scale = state(ctx, SCALE, like)
    slots = ints(ctx, SLOTS)
    bs, nvb, nv = ctx[H_BLOCK], ctx[H_BODY_V], ctx[H_V]
    for i in range(A.size):
        A[i] = 0.0
    for s in range(slots.shape[0]):
        for i in range(bs):
            for c in range(nvb):
                A[(slots[s, 0] * bs + i) * nv + slots[s, 1] * nvb + c] = J[(s * bs + i) * nvb + c]
    for i in range(scale.size):
        most = largest(A[i * nv : (i + 1) * nv])
        scale[i] = most if most > 0.0 else 1.0
        for c in range(nv):
            A[i * nv + c] /= scale[i]


@njit(**INSIDE)
def _choose(A, rows, columns, nv, k):
    """Bring the largest of what is left to place k; returns it."""
    most = 0.0
    row, column = k, k
    for i in range(k, rows.shape[0]):
        for j in range(k, nv):
            size = abs(A[rows[i, 0] * nv + columns[j, 0]])
            if size > most:
                most, row, column = size, i, j
    r, c = rows[row, 0], columns[column, 0]
    rows[row, 0], columns[column, 0] = rows[k, 0], columns[k, 0]
    rows[k, 0], columns[k, 0] = r, c
    return most


@njit(**INSIDE)
def _eliminate(ctx, like, choosing):
    """LU of J in pivot order, L with ones; returns the smallest pivot, and sets the rank when choosing."""
    A = state(ctx, DENSE_ROWS, like)
    rows = ints(ctx, PERMUTATION)
    columns = ints(ctx, COLUMN_ORDER)
    n, nv = rows.shape[0], ctx[H_V]
    vanishes = np.sqrt(reals(ctx, SETTINGS)[S_PIVOT, 0])
    if choosing:
        for i in range(n):
            rows[i, 0] = i
        for c in range(nv):
            columns[c, 0] = c
        ctx[H_RANK] = min(n, nv)
    smallest = np.inf
    for k in range(ctx[H_RANK]):
        if choosing and not _choose(A, rows, columns, nv, k) > vanishes:
            ctx[H_RANK] = k
            break
        p = rows[k, 0] * nv
        c = columns[k, 0]
        smallest = min(smallest, abs(A[p + c]))
        if not smallest > vanishes:
            return 0.0
        for i in range(k + 1, n):
            r = rows[i, 0] * nv
            if A[r + c] != 0.0:
                A[r + c] /= A[p + c]
                for j in range(k + 1, nv):
                    A[r + columns[j, 0]] -= A[r + c] * A[p + columns[j, 0]]
    if not choosing:  # rows left out because they depended on the others may have become independent
        for i in range(ctx[H_RANK], n):
            for j in range(ctx[H_RANK], nv):
                if abs(A[rows[i, 0] * nv + columns[j, 0]]) > 10.0 * vanishes:
                    return 0.0
    return smallest


@njit(**INSIDE)
def _partition(ctx, like):
    """Factors of J with the coordinates chosen, or newly chosen ones; T^T = [-U_d^-1 U_i; 1]."""
    settings = reals(ctx, SETTINGS)
    smallest = 0.0
    if ctx[H_CHOSEN] > 0:
        smallest = _eliminate(ctx, like, False)
        if smallest == 0.0:  # not even good enough until the end of the step
            ctx[H_CHOSEN] = 0
            _dense_rows(ctx, like)
        elif smallest < POOR * settings[S_SMALLEST, 0]:
            ctx[H_CHOSEN] = 2
    if ctx[H_CHOSEN] == 0:
        settings[S_SMALLEST, 0] = _eliminate(ctx, like, True)
        ctx[H_CHOSEN] = 1
    A = state(ctx, DENSE_ROWS, like)
    T = state(ctx, TANGENT, like)
    rows = ints(ctx, PERMUTATION)
    columns = ints(ctx, COLUMN_ORDER)
    nv, rank = ctx[H_V], ctx[H_RANK]
    for f in range(nv - rank):
        o = f * nv
        free = columns[rank + f, 0]
        for c in range(nv):
            T[o + c] = 0.0
        T[o + free] = 1.0
        for k in range(rank - 1, -1, -1):
            p = rows[k, 0] * nv
            total = -A[p + free]
            for j in range(k + 1, rank):
                total -= A[p + columns[j, 0]] * T[o + columns[j, 0]]
            T[o + columns[k, 0]] = total / A[p + columns[k, 0]]


@njit(**INSIDE)
def _reflect(H, k, nv, x):
    """x <- (1 - 2 u u^T) x with u, of length one, in row k of H."""
    total = 0.0 * x[0]
    for c in range(k, nv):
        total += H[k * nv + c] * x[c]
    for c in range(k, nv):
        x[c] -= 2.0 * total * H[k * nv + c]


@njit(**INSIDE)
def _orthogonalise(ctx, like):
    """J = [L 0] H^T by reflections from the right, next always the row most is left of; T the last columns of H."""
    A = state(ctx, DENSE_ROWS, like)
    H = state(ctx, REFLECTIONS, like)
    T = state(ctx, TANGENT, like)
    rows = ints(ctx, PERMUTATION)
    n, nv = rows.shape[0], ctx[H_V]
    vanishes = np.sqrt(reals(ctx, SETTINGS)[S_PIVOT, 0])
    for i in range(n):
        rows[i, 0] = i
    rank = min(n, nv)
    for k in range(rank):
        most, best = 0.0 * like[0].real, k
        for i in range(k, n):
            r = rows[i, 0] * nv
            total = 0.0 * like[0].real
            for c in range(k, nv):
                total += abs(A[r + c]) ** 2
            if total > most:
                most, best = total, i
        length = np.sqrt(most)
        if not length > vanishes:
            rank = k
            break
        rows[best, 0], rows[k, 0] = rows[k, 0], rows[best, 0]
        p = rows[k, 0] * nv
        if A[p + k].real > 0.0:
            length = -length
        for c in range(k, nv):
            H[k * nv + c] = A[p + c]
        H[k * nv + k] -= length
        size = 0.0 * like[0].real
        for c in range(k, nv):
            size += abs(H[k * nv + c]) ** 2
        for c in range(k, nv):
            H[k * nv + c] /= np.sqrt(size)
        for i in range(k, n):
            r = rows[i, 0] * nv
            _reflect(H, k, nv, A[r : r + nv])
    ctx[H_RANK] = rank
    for f in range(nv - rank):
        o = f * nv
        for c in range(nv):
            T[o + c] = 0.0
        T[o + rank + f] = 1.0
        for k in range(rank - 1, -1, -1):
            _reflect(H, k, nv, T[o : o + nv])


@njit(**INSIDE)
def _reduce(ctx, t, like):
    """Cholesky factor of T M T^T."""
    T = state(ctx, TANGENT, like)
    G = state(ctx, REDUCED, like)
    nv = ctx[H_V]
    heavy = state(ctx, FULL, like)[:nv]
    freedoms = nv - ctx[H_RANK]
    for a in range(freedoms):
        run(ctx, F_MASS, t, T[a * nv : (a + 1) * nv], heavy)
        for b in range(a + 1):
            total = 0.0 * like[0]
            for c in range(nv):
                total += T[b * nv + c] * heavy[c]
            for k in range(b):
                total -= G[a * nv + k] * G[b * nv + k]
            G[a * nv + b] = np.sqrt(total) if a == b else total / G[b * nv + b]


def make_reduced_factor(kind):
    def reduced_factor(t, q_, v_, ctx_):
        """Entry: what the rows allow at this q, and its mass matrix."""
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        if ctx[H_ROWS] == 0:
            return OK
        _dense_rows(ctx, q)
        if kind == PARTITIONING:
            _partition(ctx, q)
        else:
            _orthogonalise(ctx, q)
        if ctx[H_RANK] < ctx[H_ROWS] - ints(ctx, UNIT_ROWS).shape[0]:
            ctx[H_RANK_LOSSES] += 1
        _reduce(ctx, t, q)
        return OK

    return reduced_factor


@njit(**INSIDE)
def _particular(ctx, kind, b, p):
    """p with J p = b: dependent velocities only, or the shortest. b is used up."""
    A = state(ctx, DENSE_ROWS, b)
    scale = state(ctx, SCALE, b)
    rows = ints(ctx, PERMUTATION)
    columns = ints(ctx, COLUMN_ORDER)
    nv, rank = ctx[H_V], ctx[H_RANK]
    for c in range(nv):
        p[c] = 0.0
    for k in range(rank):
        r = rows[k, 0]
        total = b[r] / scale[r]
        for j in range(k):
            total -= A[r * nv + (columns[j, 0] if kind == PARTITIONING else j)] * b[rows[j, 0]]
        b[r] = total if kind == PARTITIONING else total / A[r * nv + k]
    if kind == PARTITIONING:
        for k in range(rank - 1, -1, -1):
            r = rows[k, 0]
            total = b[r]
            for j in range(k + 1, rank):
                total -= A[r * nv + columns[j, 0]] * p[columns[j, 0]]
            p[columns[k, 0]] = total / A[r * nv + columns[k, 0]]
    else:
        H = state(ctx, REFLECTIONS, b)
        for k in range(rank):
            p[k] = b[rows[k, 0]]
        for k in range(rank - 1, -1, -1):
            _reflect(H, k, nv, p)


@njit(**INSIDE)
def _multipliers(ctx, kind, force, x):
    """x with J^T x = force, for a force that rows can bear; force is used up."""
    A = state(ctx, DENSE_ROWS, x)
    scale = state(ctx, SCALE, x)
    rows = ints(ctx, PERMUTATION)
    columns = ints(ctx, COLUMN_ORDER)
    nv, rank = ctx[H_V], ctx[H_RANK]
    for i in range(x.size):
        x[i] = 0.0
    if kind == PARTITIONING:
        for k in range(rank):  # U_d^T z = force_d
            c = columns[k, 0]
            for j in range(k):
                force[c] -= A[rows[j, 0] * nv + c] * force[columns[j, 0]]
            force[c] /= A[rows[k, 0] * nv + c]
            x[rows[k, 0]] = force[c]
    else:
        H = state(ctx, REFLECTIONS, x)
        for k in range(rank):
            _reflect(H, k, nv, force)
            x[rows[k, 0]] = force[k]
    for k in range(rank - 1, -1, -1):  # L^T x = z
        r = rows[k, 0]
        for j in range(k + 1, rank):
            x[r] -= A[rows[j, 0] * nv + (columns[k, 0] if kind == PARTITIONING else k)] * x[rows[j, 0]]
        if kind == NULL_SPACE:
            x[r] /= A[r * nv + k]
    for k in range(rank):
        x[rows[k, 0]] /= scale[rows[k, 0]]


@njit(**INSIDE)
def _take_out_free(ctx, t, p, heavy, u):
    """p <- p - T^T (T M T^T)^-1 T M p."""
    T = state(ctx, TANGENT, p)
    G = state(ctx, REDUCED, p)
    nv = ctx[H_V]
    freedoms = nv - ctx[H_RANK]
    run(ctx, F_MASS, t, p, heavy)
    for a in range(freedoms):
        u[a] = 0.0
        for c in range(nv):
            u[a] += T[a * nv + c] * heavy[c]
        for k in range(a):
            u[a] -= G[a * nv + k] * u[k]
        u[a] /= G[a * nv + a]
    for a in range(freedoms - 1, -1, -1):
        for k in range(a + 1, freedoms):
            u[a] -= G[k * nv + a] * u[k]
        u[a] /= G[a * nv + a]
        for c in range(nv):
            p[c] -= u[a] * T[a * nv + c]


def make_reduced_solve(kind):
    def reduced_solve(t, x_, unused_, ctx_):
        """Entry: K x = b in place, without K."""
        ctx = table(ctx_)
        x = vector_at(x_, ctx[H_ROWS])
        nv = ctx[H_V]
        full = state(ctx, FULL, x)
        p, heavy, u = full[:nv], full[nv : 2 * nv], full[2 * nv :]
        _particular(ctx, kind, x, p)
        _take_out_free(ctx, t, p, heavy, u)
        run(ctx, F_MASS, t, p, heavy)
        _multipliers(ctx, kind, heavy, x)
        return OK

    return reduced_solve


@njit(**INSIDE)
def _close_dependent(ctx, t, q, v):
    """Newton's method on C(q, t) = 0 in the dependent coordinates; the others stay what they are."""
    settings = reals(ctx, SETTINGS)
    residual = state(ctx, RESIDUAL, q)
    rows = state(ctx, ITERATE, q)[: residual.size]
    step = state(ctx, FULL, q)[: ctx[H_V]]
    before = np.inf
    for k in range(MAX_NEWTON + 1):
        run(ctx, F_PLACE, t, q, v)
        gap = largest(residual)
        if not gap < np.inf:
            return NOT_FINITE
        stuck = gap > 0.5 * before and is_closed(ctx, q, gap)
        if gap <= settings[S_CLOSED, 0] or stuck or k == MAX_NEWTON:
            break
        if k > 0 or ctx[H_FACTORED] == 0:  # the factors of the last stage do for the first: C is tiny there
            run(ctx, F_FACTOR, t, q, v)
            ctx[H_FACTORED] = 1
            ctx[H_NEWTONS] += 1
            before = gap
        for i in range(rows.size):
            rows[i] = residual[i]
        _particular(ctx, PARTITIONING, rows, step)
        for c in range(step.size):
            step[c] = -step[c]
        run(ctx, F_RETRACT, t, q, step)
    return OK if is_closed(ctx, q, largest(residual)) else NOT_CLOSED


def after_step_dependent(t, y_, unused_, ctx_):
    """Dependent positions from C = 0, dependent velocities from J v + C_t = 0; RESTART if the choice was made anew."""
    ctx = table(ctx_)
    nq, nv = ctx[H_Q], ctx[H_V]
    y = vector_at(y_, nq + nv + ctx[H_Z])
    q = y[:nq]
    v = y[nq : nq + nv]
    ctx[H_FRESH] = 0
    copy_z(ctx, y)
    rows = state(ctx, SCRATCH, q)
    status = _close_dependent(ctx, t, q, v) if rows.size > 0 else OK
    if status != OK:
        return status
    normalise(ctx, t, q)
    run(ctx, F_PLACE, t, q, v)
    if flipped(ctx, q):
        return FLIPPED
    if ints(ctx, WINDINGS).shape[0] > 0:
        run(ctx, F_WIND, t, y, y)
    if rows.size > 0:
        run(ctx, F_WEIGH, t, q, v)
        run(ctx, F_FACTOR, t, q, v)
        if ctx[H_CHOSEN] == 2:
            ctx[H_CHOSEN] = 0
            run(ctx, F_FACTOR, t, q, v)
            status = RESTART
        ctx[H_FACTORED] = 1
        partial = state(ctx, PARTIAL, q)
        step = state(ctx, FULL, q)[:nv]
        run(ctx, F_TIMES, t, v, rows)
        for i in range(rows.size):
            rows[i] += partial[i]
        _particular(ctx, PARTITIONING, rows, step)
        for c in range(nv):
            v[c] -= step[c]
    if ctx[H_CHARTS] == 1:
        changed = run(ctx, F_CHART, t, y, y)
        if changed != OK:
            ctx[H_CHOSEN] = 0  # the old coordinates are no more
            return changed
    ctx[H_FRESH] = 1 if rows.size > 0 else 0
    return status
