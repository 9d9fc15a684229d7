"""Radau IIA of order 5: a step by simplified Newton iteration, and its dense output. The loop is adaptive.py.

Hairer and Wanner II, sec. IV.8. The three stages are decoupled into a real system and a complex one by T, which
diagonalises the inverse of A. The error estimate is of order 3, filtered by the real factors. Jacobian and factors are
kept as long as the iteration converges well with them. Where multipliers are unknowns (see implicit.py and ggl.py) the
method solves B x' = F(t, x); errors and convergence are measured without them, since what they lack shows in v.
"""

import numpy as np
from numba import carray, njit

from .adaptive import NOTES, RAW, SHARED_ROWS, STAGE, close, controlled, wanted
from .context import (
    H_FRESH,
    H_INTERPOLANT,
    H_MULTIPLIERS,
    H_Q,
    H_SLOPE,
    H_V,
    H_WORK,
    H_Z,
    INSIDE,
    NOT_FINITE,
    NOT_SOLVED,
    OK,
    S_ATOL,
    S_ERROR,
    S_FACTOR,
    S_RTOL,
    S_START,
    S_STEP,
    S_WHATEVER,
    SETTINGS,
    reals,
    run,
    table,
)
from .implicit import (
    ROUNDING,
    factor,
    factor_complex,
    first_judged,
    jacobian,
    remember,
    skip,
    solve,
    solve_complex,
    start,
)

ORDER = 4  # of the error of a step, as it is estimated
S6 = 6**0.5
A = np.array(
    [
        [(88 - 7 * S6) / 360, (296 - 169 * S6) / 1800, (-2 + 3 * S6) / 225],
        [(296 + 169 * S6) / 1800, (88 + 7 * S6) / 360, (-2 - 3 * S6) / 225],
        [(16 - S6) / 36, (16 + S6) / 36, 1 / 9],
    ]
)
C = np.array([(4 - S6) / 10, (4 + S6) / 10, 1.0])
E = np.array([-13 - 7 * S6, -13 + 7 * S6, -1]) / 3
# Eigenvalues of the inverse of A: one real, and a complex pair.
REAL = 3 + 3 ** (2 / 3) - 3 ** (1 / 3)
PAIR_RE = 3 + 0.5 * (3 ** (1 / 3) - 3 ** (2 / 3))
PAIR_IM = -0.5 * (3 ** (5 / 6) + 3 ** (7 / 6))
T = np.array(
    [
        [0.09443876248897524, -0.14125529502095421, 0.03002919410514742],
        [0.25021312296533332, 0.20412935229379994, -0.38294211275726192],
        [1, 1, 0],
    ]
)
T_INVERSE = np.array(
    [
        [4.17871859155190428, 0.32768282076106237, 0.52337644549944951],
        [-4.17871859155190428, -0.32768282076106237, 0.47662355450055044],
        [0.50287263494578682, -2.57192694985560522, 0.59603920482822492],
    ]
)
# From the stages to the coefficients of the collocation polynomial.
P = np.array(
    [
        [13 / 3 + 7 * S6 / 3, -23 / 3 - 22 * S6 / 3, 10 / 3 + 5 * S6],
        [13 / 3 - 7 * S6 / 3, -23 / 3 + 22 * S6 / 3, 10 / 3 - 5 * S6],
        [1 / 3, -8 / 3, 10 / 3],
    ]
)

MAX_ITERATIONS = 7
PATIENT_ITERATIONS = 20  # where the end of a step is wanted whatever its error: there is no shorter one to fall back on
SLOW = 0.1  # an iteration that converges by less a round wants a new Jacobian in the next step
KEEP = 1.2  # a step that could be longer by less keeps its length, and with it the factors
DIVERGED = 16.0  # the error that a step is given that was not solved: it is about halved

# NOTES: whether there is a Jacobian, where, whether it is to be renewed, the step of the factors, that of the
# polynomial in W_POLYNOMIAL, and where it ends; where the last step that was good enough ends, and its length.
KNOWN, JACOBIAN_AT, RENEW, FACTORED, LENGTH, LENGTH_END, LAST_END, LAST = range(8)

# Rows: slope; stages less x; the same transformed; slopes of the stages; polynomial of the last step; then as named:
# x at the start of the step, and the multipliers at its end. Of unknowns in their own order are W_ERROR to W_C.
W_STAGES, W_TRANSFORMED, W_SLOPES, W_POLYNOMIAL = 1, 4, 7, 10
W_ERROR, W_PIVOTS, W_PIVOTS_PAIR, W_A, W_B, W_C, W_START, W_MULTIPLIERS, W_MATRICES = range(13, 22)


def work_rows(n):
    return W_MATRICES + 4 * n + SHARED_ROWS


@njit(**INSIDE)
def _guess(t, h, work, notes):
    """The stages by the polynomial of the step before, if there was one."""
    n = work.shape[1]
    if notes[LAST_END] == t and notes[LENGTH_END] != t:
        for i in range(n):
            for k in range(3):
                total = 0.0
                for s in range(3):
                    total += work[W_STAGES + s, i] * P[s, k]
                work[W_POLYNOMIAL + k, i] = total
        notes[LENGTH] = notes[LAST]
        notes[LENGTH_END] = t
    known = notes[LENGTH_END] == t
    for i in range(n):
        for s in range(3):
            value = 0.0
            if known:
                x = 1.0 + C[s] * h / notes[LENGTH]
                a, b, c = work[W_POLYNOMIAL, i], work[W_POLYNOMIAL + 1, i], work[W_POLYNOMIAL + 2, i]
                value = x * (a + x * (b + x * c)) - (a + b + c)
            work[W_STAGES + s, i] = value
    for s in range(3):
        for i in range(n):
            total = 0.0
            for k in range(3):
                total += T_INVERSE[s, k] * work[W_STAGES + k, i]
            work[W_TRANSFORMED + s, i] = total


@njit(**INSIDE)
def _factor(h, work, n, rates):
    """Factors of REAL / h B - J and of the pair; the first `rates` of n unknowns have any."""
    j, real = W_MATRICES, W_MATRICES + n
    re, im = W_MATRICES + 2 * n, W_MATRICES + 3 * n
    for i in range(n):
        for k in range(n):
            work[real + i, k] = -work[j + i, k]
            work[re + i, k] = -work[j + i, k]
            work[im + i, k] = 0.0
        if i < rates:
            work[real + i, i] += REAL / h
            work[re + i, i] += PAIR_RE / h
            work[im + i, i] = PAIR_IM / h
    return factor(work, real, n, work[W_PIVOTS]) and factor_complex(work, re, im, n, work[W_PIVOTS_PAIR])


@njit(**INSIDE)
def _correct(ctx, h, work, n, rates, rtol, atol):
    """One round of Newton's iteration; returns the largest correction against the tolerance."""
    a, b, c, x = work[W_A], work[W_B], work[W_C], work[W_START]
    past = skip(ctx)
    for i in range(n):
        p = i if i < rates else i + past
        f0, f1, f2 = work[W_SLOPES, p], work[W_SLOPES + 1, p], work[W_SLOPES + 2, p]
        a[i] = T_INVERSE[0, 0] * f0 + T_INVERSE[0, 1] * f1 + T_INVERSE[0, 2] * f2
        b[i] = T_INVERSE[1, 0] * f0 + T_INVERSE[1, 1] * f1 + T_INVERSE[1, 2] * f2
        c[i] = T_INVERSE[2, 0] * f0 + T_INVERSE[2, 1] * f1 + T_INVERSE[2, 2] * f2
        if i < rates:
            w0, w1, w2 = work[W_TRANSFORMED, i], work[W_TRANSFORMED + 1, i], work[W_TRANSFORMED + 2, i]
            a[i] -= REAL / h * w0
            b[i] -= (PAIR_RE * w1 - PAIR_IM * w2) / h
            c[i] -= (PAIR_RE * w2 + PAIR_IM * w1) / h
    solve(work, W_MATRICES + n, n, work[W_PIVOTS], a)
    solve_complex(work, W_MATRICES + 2 * n, W_MATRICES + 3 * n, n, work[W_PIVOTS_PAIR], b, c)
    most = 0.0
    for i in range(n):
        p = i if i < rates else i + past
        work[W_TRANSFORMED, p] += a[i]
        work[W_TRANSFORMED + 1, p] += b[i]
        work[W_TRANSFORMED + 2, p] += c[i]
        if i < rates:
            size = max(abs(a[i]), abs(b[i]), abs(c[i])) / (atol + rtol * abs(x[i]))
            if not size <= most:
                most = size if size == size else np.inf
        for s in range(3):
            total = 0.0
            for k in range(3):
                total += T[s, k] * work[W_TRANSFORMED + k, p]
            work[W_STAGES + s, p] = total
    return most


@njit(**INSIDE)
def _iterate(ctx, t, h, work, notes, n, rates, rtol, atol):
    """Newton's iteration on the stages: OK, NOT_SOLVED or a failure of the right-hand side."""
    stage, x = work[work.shape[0] - STAGE], work[W_START]
    past = rates + skip(ctx)
    enough = max(10.0 * ROUNDING / rtol, min(0.03, rtol**0.5))
    judged = first_judged(ctx)
    last = 0.0
    rounds = PATIENT_ITERATIONS if reals(ctx, SETTINGS)[S_WHATEVER, 0] == 1.0 else MAX_ITERATIONS
    for iteration in range(rounds):
        for s in range(3):
            for i in range(x.size):
                stage[i] = x[i] + (work[W_STAGES + s, i] if i < rates or i >= past else 0.0)
            ctx[H_FRESH] = 0
            status = run(ctx, ctx[H_SLOPE], t + C[s] * h, stage, work[W_SLOPES + s])
            if status != OK:
                return status
        most = _correct(ctx, h, work, n, rates, rtol, atol)
        if not most < np.inf:
            return NOT_SOLVED
        rate = most / last if iteration > 0 else 0.0
        if iteration > judged:
            left = rounds - 1 - iteration
            if rate >= 1.0 or rate**left / (1.0 - rate) * most > enough:
                return NOT_SOLVED
            notes[RENEW] = 1.0 if rate > SLOW else 0.0
        lacking = rate / (1.0 - rate) * most if iteration > judged else most
        if most == 0.0 or (iteration > 0 and lacking < enough):
            return OK
        last = most
    return NOT_SOLVED


@njit(**INSIDE)
def _solve(ctx, t, h, work, notes, n, rates, rtol, atol):
    """The stages, with a new Jacobian if the old one does not do."""
    slope = work[0] if n == rates else work[W_SLOPES]
    if notes[KNOWN] == 0.0:
        for i in range(LAST + 1):
            notes[i] = 0.0
        notes[LENGTH_END] = notes[LAST_END] = np.inf
        notes[RENEW] = 1.0
    status = NOT_SOLVED
    for _ in range(2):
        if notes[RENEW] == 1.0 and not (notes[KNOWN] == 1.0 and notes[JACOBIAN_AT] == t):
            status = jacobian(ctx, t, work[W_START], slope, work, W_MATRICES, W_ERROR, rates)
            if status != OK:
                return status
            notes[KNOWN], notes[JACOBIAN_AT], notes[FACTORED] = 1.0, t, 0.0
        notes[RENEW] = 0.0
        if notes[FACTORED] != h:
            if not _factor(h, work, n, rates):
                return NOT_SOLVED
            notes[FACTORED] = h
        _guess(t, h, work, notes)
        status = _iterate(ctx, t, h, work, notes, n, rates, rtol, atol)
        if status == OK or notes[JACOBIAN_AT] == t:
            return status
        notes[RENEW] = 1.0
    return status


@njit(**INSIDE)
def _error(ctx, t, h, work, n, rates, rtol, atol):
    """Error against the tolerance; a large one is filtered once more, or stiff starts would be rejected for nothing.

    At the start of the step all is closed, and multipliers are those of the right-hand side: algebraic equations hold.
    """
    raw, stage, error = work[work.shape[0] - RAW], work[work.shape[0] - STAGE], work[W_ERROR]
    slope, x = work[0], work[W_START]
    past = skip(ctx)
    worst = np.inf
    for again in range(2):
        for i in range(rates):
            total = 0.0
            for s in range(3):
                total += E[s] * work[W_STAGES + s, i]
            error[i] = slope[i] + total / h
        for i in range(rates, n):
            error[i] = slope[i + past] if again == 1 else 0.0
        solve(work, W_MATRICES + n, n, work[W_PIVOTS], error)
        worst = 0.0
        for i in range(rates):
            size = abs(error[i]) / (atol + rtol * max(abs(x[i]), abs(raw[i])))
            if not size <= worst:
                worst = size if size == size else np.inf
        if worst <= 1.0 or again == 1 or not worst < np.inf:
            break
        for i in range(x.size):
            stage[i] = x[i]
        for i in range(n):
            stage[i if i < rates else i + past] += error[i]
        ctx[H_FRESH] = 0
        slope = work[W_A]
        if run(ctx, ctx[H_SLOPE], t, stage, slope) != OK:
            break
    return worst


def attempt(t, y_, unused_, ctx_):
    """F_TRY."""
    ctx = table(ctx_)
    y = carray(y_, (ctx[H_Q] + ctx[H_V] + ctx[H_Z],))
    rates = controlled(ctx)
    n = rates + ctx[H_MULTIPLIERS]
    work = reals(ctx, ctx[H_WORK])
    settings = reals(ctx, SETTINGS)
    h, rtol, atol = settings[S_STEP, 0], settings[S_RTOL, 0], settings[S_ATOL, 0]
    raw, notes, x = work[work.shape[0] - RAW], work[work.shape[0] - NOTES], work[W_START]
    settings[S_ERROR, 0] = np.inf
    status = start(ctx, t, y, x, work[W_MULTIPLIERS], work[W_A], notes[KNOWN] == 1.0, notes[LAST_END] == t)
    if status != OK:
        return status
    status = _solve(ctx, t, h, work, notes, n, rates, rtol, atol)
    notes[LAST_END] = np.inf  # the stages are no longer those of the last good step
    if status == NOT_SOLVED and settings[S_WHATEVER, 0] == 0.0:
        settings[S_ERROR, 0] = DIVERGED
        return OK
    if status != OK:
        return status
    for i in range(rates, y.size):
        for s in range(3):
            total = 0.0
            for k in range(3):
                total += A[s, k] * work[W_SLOPES + k, i]
            work[W_STAGES + s, i] = h * total
    for i in range(x.size):
        raw[i] = x[i] + work[W_STAGES + 2, i]
    error = _error(ctx, t, h, work, n, rates, rtol, atol)
    if not error < np.inf:
        return NOT_FINITE
    if not wanted(ctx, error):
        return OK
    grow = 0.9 * max(error, 1e-12) ** -0.25
    if 1.0 <= grow < KEEP:
        settings[S_FACTOR, 0] = 1.0
    notes[LAST_END] = t + h
    notes[LAST] = h
    status = close(ctx, t + h, work)
    remember(ctx, work[W_MULTIPLIERS])
    return status


def dense(t, y_, out_, ctx_):
    """F_DENSE: the collocation polynomial."""
    ctx = table(ctx_)
    n = ctx[H_Q] + ctx[H_V] + ctx[H_Z]
    y = carray(y_, (n,))
    out = carray(out_, (n,))
    work = reals(ctx, ctx[H_WORK])
    x = (t - reals(ctx, SETTINGS)[S_START, 0]) / reals(ctx, SETTINGS)[S_STEP, 0]
    ctx[H_INTERPOLANT] = 1
    for i in range(n):
        total = 0.0
        for k in range(2, -1, -1):
            coefficient = 0.0
            for s in range(3):
                coefficient += work[W_STAGES + s, i] * P[s, k]
            total = x * (total + coefficient)
        out[i] = y[i] + total
    return OK
