"""Backward differentiation of order 1 to 5 in steps of nearly constant length. Its entry is in implicit_step.py.

Shampine and Reichelt 1997, the numerical differentiation formulas of their ode15s with its kappa, and its error
constants. The past is kept as backward differences, which are changed with the step. Projection moves the newest
point only, by less than the error of a step. Where multipliers are unknowns (see newton.py and unknown_multipliers.py),
their past only serves to guess them; errors and convergence are measured without them.
"""

import numpy as np
from numba import njit

from ..core.context import (
    ALLOCATING,
    H_FRESH,
    H_INTERPOLANT,
    H_Q,
    H_SLOPE,
    H_V,
    H_WORK,
    H_Z,
    INSIDE,
    METHOD_ORDERS,
    METHOD_WORK,
    NOT_SOLVED,
    OK,
    PAUSED,
    S_START,
    S_STEP,
    SETTINGS,
    STEP_ORDERS,
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
    first_judged,
    jacobian,
    judge,
    make_solve_step,
    skip,
    solve,
)
from .step_rows import RAW, SHARED_ROWS

ORDER = 2  # of the error of the first step
MOST = 5
KAPPA = np.array([0, -0.1850, -1 / 9, -0.0823, -0.0415, 0])
GAMMA = np.array([0, 1, 3 / 2, 11 / 6, 25 / 12, 137 / 60])
ALPHA = (1 - KAPPA) * GAMMA
ERROR = KAPPA * GAMMA + 1 / np.arange(1, MOST + 2)
# The errors of many small steps add up; so much of the tolerance is allowed to each.
SHARE = 0.1
MAX_ITERATIONS = 5
KEEP = 1.2
GROW = 5.0
SHRINK = 0.2

# NOTES of its own: steps of equal length; the length of the steps.
EQUAL, LENGTH = range(OWN_NOTES, OWN_NOTES + 2)
# METHOD_ORDERS: the order, and that of the next step.
POWER, NEXT = range(2)

# Rows: slope; differences; the change of a step; psi; the predicted state; slope at the new state; spare, of unknowns
# in their own order; x at the start of the step, and the multipliers at its end.
W_DIFFERENCES, W_CHANGE, W_PSI, W_PREDICTED, W_NEW_SLOPE, W_SPARE = 1, 9, 10, 11, 12, 13
W_START, W_MULTIPLIERS, W_MATRICES = 14, 15, 16


def work_rows(n):
    return W_MATRICES + 2 * n + SHARED_ROWS


@njit(**INSIDE)
def _orders(ctx):
    """The field beside the work rows that are in use."""
    return METHOD_ORDERS if ctx[H_WORK] == METHOD_WORK else STEP_ORDERS


@njit(**INSIDE)
def _powers(order, ratio, out):
    """How differences of steps longer by `ratio` follow from polynomials, transposed (Shampine and Reichelt, R)."""
    for j in range(1, order + 1):
        out[0, j] = 1.0
        for i in range(1, order + 1):
            out[i, j] = out[i - 1, j] * (i - 1.0 - ratio * j) / i
    out[0, 0] = 1.0
    for i in range(1, order + 1):
        out[i, 0] = 0.0


@njit(**ALLOCATING)
def _stretch(work, order, ratio):
    """Differences for steps longer by `ratio`."""
    new = np.zeros((MOST + 1, MOST + 1))
    old = np.zeros((MOST + 1, MOST + 1))
    both = np.zeros((MOST + 1, MOST + 1))
    _powers(order, ratio, new)
    _powers(order, 1.0, old)
    for i in range(order + 1):
        for j in range(order + 1):
            for k in range(order + 1):
                both[i, j] += new[i, k] * old[k, j]
    column = np.zeros(MOST + 1)
    for c in range(work.shape[1]):
        for j in range(order + 1):
            column[j] = work[W_DIFFERENCES + j, c]
        for j in range(order + 1):
            total = 0.0
            for i in range(order + 1):
                total += both[i, j] * column[i]
            work[W_DIFFERENCES + j, c] = total


@njit(**INSIDE)
def begin(ctx, t, h, y, work, notes):
    """Differences for the step from (t, x), which is new, or follows a good one, or is the last one tried again.

    And what it begins with; returns the scale of its factors.
    """
    orders, x = ints(ctx, _orders(ctx)), work[W_START]
    if notes[KNOWN] == 0.0:
        for i in range(LENGTH + 1):
            notes[i] = 0.0
        orders[POWER, 0] = 1
        notes[LENGTH], notes[LAST_END], notes[RENEW] = h, np.inf, 1.0
        for i in range(x.size):
            work[W_DIFFERENCES, i] = x[i]
            work[W_DIFFERENCES + 1, i] = h * work[0, i] if i < y.size else 0.0
            for k in range(2, MOST + 3):
                work[W_DIFFERENCES + k, i] = 0.0
    elif notes[LAST_END] == t:
        p = orders[POWER, 0]
        for i in range(x.size):
            work[W_DIFFERENCES + p + 2, i] = work[W_CHANGE, i] - work[W_DIFFERENCES + p + 1, i]
            work[W_DIFFERENCES + p + 1, i] = work[W_CHANGE, i]
            for k in range(p, -1, -1):
                work[W_DIFFERENCES + k, i] += work[W_DIFFERENCES + k + 1, i]
            work[W_DIFFERENCES, i] = x[i]  # as projected
        notes[EQUAL] += 1.0
        if orders[NEXT, 0] != orders[POWER, 0]:
            orders[POWER, 0], notes[EQUAL] = orders[NEXT, 0], 0.0
    if abs(h / notes[LENGTH] - 1.0) > 1e-12:
        _stretch(work, orders[POWER, 0], h / notes[LENGTH])
        notes[LENGTH], notes[EQUAL] = h, 0.0
    p = orders[POWER, 0]
    for i in range(work.shape[1]):
        total = 0.0
        weighted = 0.0
        for k in range(p + 1):
            total += work[W_DIFFERENCES + k, i]
            weighted += GAMMA[k] * work[W_DIFFERENCES + k, i]
        work[W_PREDICTED, i] = total
        work[W_PSI, i] = weighted / ALPHA[p]
    return h / ALPHA[p]


@njit(**INSIDE)
def _jacobian_at_start(ctx, t, h, work, notes, n, rates):
    slope = work[0] if n == rates else work[W_NEW_SLOPE]
    return jacobian(ctx, t, work[W_START], slope, work, W_MATRICES, W_SPARE, rates)


@njit(**INSIDE)
def _factor(ctx, c, work, n, rates):
    """Factors of B - c J; the first `rates` of n unknowns have rates."""
    for i in range(n):
        for k in range(n):
            work[W_MATRICES + n + i, k] = -c * work[W_MATRICES + i, k]
        if i < rates:
            work[W_MATRICES + n + i, i] += 1.0
    return factor(work, W_MATRICES + n, n, ints(ctx, exchanges(ctx))[0])


@njit(**INSIDE)
def _iterate(ctx, t, h, c, work, notes, n, rates, rtol, atol):
    """Newton's iteration on the change; works and turns follow from the last slope."""
    past = skip(ctx)
    raw, change, predicted = work[work.shape[0] - RAW], work[W_CHANGE], work[W_PREDICTED]
    slope, x = work[W_NEW_SLOPE], work[W_SPARE]
    enough = max(10.0 * ROUNDING / rtol, min(0.03, rtol**0.5))
    judged = first_judged(ctx)
    last = 0.0
    for i in range(raw.size):
        change[i] = 0.0
        raw[i] = predicted[i]
    for iteration in range(MAX_ITERATIONS):
        ctx[H_FRESH] = 0
        status = run(ctx, ctx[H_SLOPE], t + h, raw, slope)
        if status != OK:
            return status
        for i in range(rates, rates + past):
            change[i] = c * slope[i] - work[W_PSI, i]
            raw[i] = predicted[i] + change[i]
        for i in range(n):
            x[i] = c * slope[i] - work[W_PSI, i] - change[i] if i < rates else c * slope[i + past]
        solve(work, W_MATRICES + n, n, ints(ctx, exchanges(ctx))[0], x)
        most = 0.0
        for i in range(n):
            p = i if i < rates else i + past
            change[p] += x[i]
            raw[p] = predicted[p] + change[p]
            size = abs(x[i]) / (atol + rtol * abs(predicted[i])) if i < rates else 0.0
            if not size <= most:
                most = size if size == size else np.inf
        status = judge(most, last, iteration, judged, MAX_ITERATIONS - 1 - iteration, enough, notes)
        if status != PAUSED:
            return status
        last = most
    return NOT_SOLVED


solve_step = make_solve_step("bdf", _jacobian_at_start, _factor, _iterate)


@njit(**INSIDE)
def _size(work, first, second, sign, constant, n, rtol, atol):
    """Of an error: constant times the sum, or the difference, of two rows."""
    worst = 0.0
    for i in range(n):
        value = constant * (work[first, i] + (sign * work[second, i] if second >= 0 else 0.0))
        size = abs(value) / (SHARE * (atol + rtol * abs(work[W_PREDICTED, i])))
        if not size <= worst:
            worst = size if size == size else np.inf
    return worst


@njit(**INSIDE)
def grown(ctx, h, work, notes, error, n, rtol, atol):
    """Choose the order of the next step; returns the factor of its length."""
    orders = ints(ctx, _orders(ctx))
    p = orders[POWER, 0]
    orders[NEXT, 0] = p
    best = max(error, 1e-10) ** (-1.0 / (p + 1))
    if notes[EQUAL] < p:
        return 1.0
    d = W_DIFFERENCES
    if p > 1:
        lower = _size(work, d + p, W_CHANGE, 1.0, ERROR[p - 1], n, rtol, atol)
        if max(lower, 1e-10) ** (-1.0 / p) > best:
            best = max(lower, 1e-10) ** (-1.0 / p)
            orders[NEXT, 0] = p - 1
    if p < MOST:
        higher = _size(work, W_CHANGE, d + p + 1, -1.0, ERROR[p + 1], n, rtol, atol)
        if max(higher, 1e-10) ** (-1.0 / (p + 2)) > best:
            best = max(higher, 1e-10) ** (-1.0 / (p + 2))
            orders[NEXT, 0] = p + 1
    grow = min(GROW, 0.9 * best)
    return 1.0 if 1.0 <= grow < KEEP else grow


@njit(**INSIDE)
def shrunk(ctx, work, notes, error, n, rtol, atol):
    """The factor of the step that is tried again, with a lower order if that allows more.

    Where the past is rough, shorter steps of a high order would fail without end.
    """
    orders = ints(ctx, _orders(ctx))
    p = orders[POWER, 0]
    best = error ** (-1.0 / (p + 1))
    if p > 1:
        lower = _size(work, W_DIFFERENCES + p, W_CHANGE, 1.0, ERROR[p - 1], n, rtol, atol) ** (-1.0 / p)
        if lower > best:
            best = lower
            orders[POWER, 0], notes[EQUAL] = p - 1, 0.0
    return min(1.0, max(SHRINK, 0.9 * best))


@njit(**INSIDE)
def error(ctx, t, h, y, work, n, rates, rtol, atol):
    p = ints(ctx, _orders(ctx))[POWER, 0]
    return _size(work, W_CHANGE, -1, 0.0, ERROR[p], rates, rtol, atol)


@njit(**INSIDE)
def unsolved(h, notes):
    """Error and factor of a step that was not solved."""
    return 2.0, 0.5


def dense(t, y_, out_, ctx_):
    """F_DENSE: the polynomial through the new state and those before it."""
    ctx = table(ctx_)
    n = ctx[H_Q] + ctx[H_V] + ctx[H_Z]
    out = vector_at(out_, n)
    work = reals(ctx, ctx[H_WORK])
    p = ints(ctx, _orders(ctx))[POWER, 0]
    h = reals(ctx, SETTINGS)[S_STEP, 0]
    back = (t - reals(ctx, SETTINGS)[S_START, 0]) / h - 1.0
    ctx[H_INTERPOLANT] = 1
    for i in range(n):
        difference = work[W_CHANGE, i]
        total = 0.0
        for k in range(p, 0, -1):  # Horner's scheme of Newton's form
            difference += work[W_DIFFERENCES + k, i]
            total = (difference + total) * (back + k - 1.0) / k
        out[i] = difference + work[W_DIFFERENCES, i] + total
    return OK
