"""Radau IIA of order 5, 9 or 13: simplified Newton iteration, and dense output. Its entry is in implicit_step.py.

Hairer and Wanner II, sec. IV.8. The s = 3, 5 or 7 stages are decoupled into a real system and complex ones by T, which
diagonalises the inverse of A (radau_table.py). The error estimate is of order s, filtered by the real factors. Jacobian
and factors are kept as long as the iteration converges well with them. Where multipliers are unknowns (see newton.py
and unknown_multipliers.py) the method solves B x' = F(t, x); errors and convergence are measured without them, since
what they lack shows in v.
"""

import numpy as np
from numba import njit

from ..core.context import (
    H_FRESH,
    H_INTERPOLANT,
    H_Q,
    H_SLOPE,
    H_V,
    H_WORK,
    H_Z,
    INSIDE,
    METHOD_TABLE,
    NOT_SOLVED,
    OK,
    PAUSED,
    S_START,
    S_STEP,
    S_WHATEVER,
    SETTINGS,
    ints,
    reals,
    run,
    table,
    vector_at,
)
from .newton import (
    KNOWN,
    LAST_END,
    OWN_NOTES,
    RENEW,
    ROUNDING,
    exchanges,
    factor,
    factor_complex,
    first_judged,
    jacobian,
    judge,
    make_solve_step,
    skip,
    solve,
    solve_complex,
)
from .radau_table import EIGENVALUES, ESTIMATE, FIRST, NODES, T_INVERSE, A, P, T
from .step_rows import RAW, SHARED_ROWS, STAGE

MAX_ITERATIONS = 7  # and more with more stages, as in Hairer's RADAU
PATIENT_ITERATIONS = 20  # where the end of a step is wanted whatever its error: there is no shorter one to fall back on
SOLVED = 2e-4  # of the tolerance: what Newton's iteration may leave. Hairer's sqrt(rtol) is lost in rounding below 1e-8
SOLVED_SEVEN = 1e-3  # with seven stages, whose transformation multiplies rounding by a thousand
KEEP = 1.2  # a step that could be longer by less keeps its length, and with it the factors
DIVERGED = 16.0  # the error that a step is given that was not solved
FORGET = 1.1  # by which the longest step after one that was not solved grows a step

# NOTES of its own: the step of the polynomial among the rows, and where it ends; the length of the last step that was
# good enough; the longest step that the next ones may have, after one that was not solved.
LENGTH, LENGTH_END, LAST, LIMIT = range(OWN_NOTES, OWN_NOTES + 4)

# Rows: slope; as named, x the one at the start of the step, multipliers those at its end; then s rows each of the
# stages less x, the same transformed, slopes of the stages, polynomial of the last step; solutions of the real system
# and both parts of the pairs, in the unknowns' own order; Jacobian, real factors, parts of the pairs'. Row exchanges of
# the real system and of the first part of each pair are in the rows of METHOD_PIVOTS.
W_ERROR, W_START, W_MULTIPLIERS, W_STAGES = range(1, 5)
GROUPS = 5


def work_rows(n, stages):
    return W_STAGES + GROUPS * stages + (1 + stages) * n + SHARED_ROWS


@njit(**INSIDE)
def first_matrix(stages):
    """Row of the Jacobian."""
    return W_STAGES + GROUPS * stages


@njit(**INSIDE)
def _combine(coefficients, first, work, source, target, i, j, stages):
    """Rows target + s of column j: the sum of coefficients[first + s, k] times row source + k of column i."""
    for s in range(stages):
        total = 0.0
        for k in range(stages):
            total += coefficients[first + s, k] * work[source + k, i]
        work[target + s, j] = total


@njit(**INSIDE)
def _guess(m, t, h, work, notes):
    """The stages by the polynomial of the step before, if there was one."""
    S = m.shape[1]
    transformed, polynomial = W_STAGES + S, W_STAGES + 3 * S
    n = work.shape[1]
    if notes[LAST_END] == t and notes[LENGTH_END] != t:
        for i in range(n):
            for k in range(S):
                total = 0.0
                for s in range(S):
                    total += work[W_STAGES + s, i] * m[FIRST + P * S + s, k]
                work[polynomial + k, i] = total
        notes[LENGTH] = notes[LAST]
        notes[LENGTH_END] = t
    known = notes[LENGTH_END] == t
    for i in range(n):
        end = 0.0
        for k in range(S if known else 0):
            end += work[polynomial + k, i]
        for s in range(S):
            value = 0.0
            if known:
                x = 1.0 + m[NODES, s] * h / notes[LENGTH]
                for k in range(S - 1, -1, -1):
                    value = x * (value + work[polynomial + k, i])
                value -= end
            work[W_STAGES + s, i] = value
        _combine(m, FIRST + T_INVERSE * S, work, W_STAGES, transformed, i, i, S)


@njit(**INSIDE)
def _factor(ctx, h, work, n, rates):
    """Factors of r / h B - J, r the real eigenvalue, and of the pairs; the first `rates` of n unknowns have any."""
    m, pivots = reals(ctx, METHOD_TABLE), ints(ctx, exchanges(ctx))
    S = m.shape[1]
    j = first_matrix(S)
    for part in range(S):
        first = j + (1 + part) * n
        imaginary = part > 0 and part % 2 == 0
        for i in range(n):
            for k in range(n):
                work[first + i, k] = 0.0 if imaginary else -work[j + i, k]
            if i < rates:
                work[first + i, i] += m[EIGENVALUES, part] / h
    if not factor(work, j + n, n, pivots[0]):
        return False
    for part in range(1, S, 2):
        re = j + (1 + part) * n
        if not factor_complex(work, re, re + n, n, pivots[part]):
            return False
    return True


@njit(**INSIDE)
def _correct(m, ctx, h, work, n, rates, rtol, atol):
    """One round of Newton's iteration; returns the largest correction against the tolerance."""
    S = m.shape[1]
    x, past = work[W_START], skip(ctx)
    transformed, slopes, change = W_STAGES + S, W_STAGES + 2 * S, W_STAGES + 4 * S
    pivots = ints(ctx, exchanges(ctx))
    j = first_matrix(S)
    for i in range(n):
        p = i if i < rates else i + past
        _combine(m, FIRST + T_INVERSE * S, work, slopes, change, p, i, S)
        if i < rates:
            work[change, i] -= m[EIGENVALUES, 0] / h * work[transformed, i]
            for k in range(1, S, 2):
                re, im = m[EIGENVALUES, k] / h, m[EIGENVALUES, k + 1] / h
                work[change + k, i] -= re * work[transformed + k, i] - im * work[transformed + k + 1, i]
                work[change + k + 1, i] -= re * work[transformed + k + 1, i] + im * work[transformed + k, i]
    solve(work, j + n, n, pivots[0], work[change])
    for k in range(1, S, 2):
        re = j + (1 + k) * n
        solve_complex(work, re, re + n, n, pivots[k], work[change + k], work[change + k + 1])
    most = 0.0
    for i in range(n):
        p = i if i < rates else i + past
        for s in range(S):
            work[transformed + s, p] += work[change + s, i]
        if i < rates:
            size = 0.0
            for s in range(S):
                size = max(size, abs(work[change + s, i]))
                if work[change + s, i] != work[change + s, i]:
                    return np.inf
            most = max(most, size / (atol + rtol * abs(x[i])))
        _combine(m, FIRST + T * S, work, transformed, W_STAGES, p, p, S)
    return most


@njit(**INSIDE)
def _iterate(ctx, t, h, scale, work, notes, n, rates, rtol, atol):
    """Newton's iteration on the stages: OK, NOT_SOLVED or a failure of the right-hand side."""
    m = reals(ctx, METHOD_TABLE)
    S = m.shape[1]
    _guess(m, t, h, work, notes)
    slopes = W_STAGES + 2 * S
    stage, x = work[work.shape[0] - STAGE], work[W_START]
    past = rates + skip(ctx)
    enough = max(10.0 * ROUNDING / rtol, SOLVED if S < 7 else SOLVED_SEVEN)
    judged = first_judged(ctx)
    last = 0.0
    rounds = MAX_ITERATIONS + 5 * (S - 3) // 2
    if reals(ctx, SETTINGS)[S_WHATEVER, 0] == 1.0:
        rounds = max(rounds, PATIENT_ITERATIONS)
    for iteration in range(rounds):
        for s in range(S):
            for i in range(x.size):
                stage[i] = x[i] + (work[W_STAGES + s, i] if i < rates or i >= past else 0.0)
            ctx[H_FRESH] = 0
            status = run(ctx, ctx[H_SLOPE], t + m[NODES, s] * h, stage, work[slopes + s])
            if status != OK:
                return status
        most = _correct(m, ctx, h, work, n, rates, rtol, atol)
        status = judge(most, last, iteration, judged, rounds - 1 - iteration, enough, notes)
        if status != PAUSED:
            return status
        last = most
    return NOT_SOLVED


@njit(**INSIDE)
def _jacobian_within(ctx, t, h, work, notes, n, rates):
    """The Jacobian at a stage in the middle of the step, as far as that is known beforehand.

    What turns with the machine has then turned by half a step at most, which lets steps be twice as long.
    """
    m = reals(ctx, METHOD_TABLE)
    S = m.shape[1]
    middle = S // 2
    x, slope = work[W_STAGES + 4 * S], work[W_STAGES + 2 * S]
    _guess(m, t, h, work, notes)
    for i in range(x.size):
        x[i] = work[W_START, i] + work[W_STAGES + middle, i]
    at = t + m[NODES, middle] * h if notes[LENGTH_END] == t else t
    ctx[H_FRESH] = 0
    status = run(ctx, ctx[H_SLOPE], at, x, slope)
    if status == OK:
        status = jacobian(ctx, at, x, slope, work, first_matrix(S), W_ERROR, rates)
    return status


solve_step = make_solve_step("radau", _jacobian_within, _factor, _iterate)


@njit(**INSIDE)
def begin(ctx, t, h, y, work, notes):
    """What the first step begins with; returns the scale of its factors."""
    if notes[KNOWN] == 0.0:
        for i in range(LIMIT):
            notes[i] = 0.0
        notes[LENGTH_END] = notes[LAST_END] = notes[LIMIT] = np.inf
        notes[RENEW] = 1.0
    return h


@njit(**INSIDE)
def error(ctx, t, h, y, work, n, rates, rtol, atol):
    """The end of the step, with works and turns, and its error against the tolerance."""
    raw, x = work[work.shape[0] - RAW], work[W_START]
    m = reals(ctx, METHOD_TABLE)
    S = m.shape[1]
    for i in range(rates, y.size):
        _combine(m, FIRST + A * S, work, W_STAGES + 2 * S, W_STAGES, i, i, S)
        for s in range(S):
            work[W_STAGES + s, i] *= h
    for i in range(x.size):
        raw[i] = x[i] + work[W_STAGES + S - 1, i]
    return _filtered(m, ctx, t, h, work, n, rates, rtol, atol)


@njit(**INSIDE)
def _filtered(m, ctx, t, h, work, n, rates, rtol, atol):
    """Error against the tolerance; a large one is filtered once more, or stiff starts would be rejected for nothing.

    At the start of the step all is closed, and multipliers are those of the right-hand side: algebraic equations hold.
    """
    raw, stage, error = work[work.shape[0] - RAW], work[work.shape[0] - STAGE], work[W_ERROR]
    slope, x = work[0], work[W_START]
    past = skip(ctx)
    S = m.shape[1]
    worst = np.inf
    for again in range(2):
        for i in range(rates):
            total = 0.0
            for s in range(S):
                total += m[ESTIMATE, s] * work[W_STAGES + s, i]
            error[i] = slope[i] + total / h
        for i in range(rates, n):
            error[i] = slope[i + past] if again == 1 else 0.0
        solve(work, first_matrix(S) + n, n, ints(ctx, exchanges(ctx))[0], error)
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
        slope = work[W_STAGES + 4 * S]
        if run(ctx, ctx[H_SLOPE], t, stage, slope) != OK:
            break
    return worst


@njit(**INSIDE)
def shrunk(ctx, work, notes, error, n, rtol, atol):
    """No factor of its own for the step that is tried again: the loop has one, by the order."""
    return 0.0


@njit(**INSIDE)
def grown(ctx, h, work, notes, error, n, rtol, atol):
    """The factor of the length of the next step."""
    grow = min(0.9 * max(error, 1e-12) ** (-1.0 / (reals(ctx, METHOD_TABLE).shape[1] + 1)), notes[LIMIT] / h)
    notes[LIMIT] *= FORGET
    notes[LAST] = h
    return 1.0 if 1.0 <= grow < KEEP else grow


@njit(**INSIDE)
def unsolved(h, notes):
    """Error and factor of a step that was not solved."""
    notes[LIMIT] = 0.9 * h
    return DIVERGED, 0.6


def dense(t, y_, out_, ctx_):
    """F_DENSE: the collocation polynomial."""
    ctx = table(ctx_)
    n = ctx[H_Q] + ctx[H_V] + ctx[H_Z]
    y = vector_at(y_, n)
    out = vector_at(out_, n)
    work = reals(ctx, ctx[H_WORK])
    x = (t - reals(ctx, SETTINGS)[S_START, 0]) / reals(ctx, SETTINGS)[S_STEP, 0]
    m = reals(ctx, METHOD_TABLE)
    S = m.shape[1]
    ctx[H_INTERPOLANT] = 1
    for i in range(n):
        total = 0.0
        for k in range(S - 1, -1, -1):
            coefficient = 0.0
            for s in range(S):
                coefficient += work[W_STAGES + s, i] * m[FIRST + P * S + s, k]
            total = x * (total + coefficient)
        out[i] = y[i] + total
    return OK
