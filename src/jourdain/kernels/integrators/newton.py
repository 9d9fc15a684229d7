"""What implicit methods need: the Jacobian of the right-hand side, and factors of real and complex matrices.

Matrices lie in rows of a method's work array, from row `first` on, in columns 0 to n; factors overwrite them, row
exchanges go into a row of integers. Complex ones are two real ones. Only the n numbers under error control count,
works and turns do not act back on the motion; and multipliers, where they are unknowns (see unknown_multipliers.py).
These stand behind the whole of y, so unknown i is number i of x = [y | multipliers] for i < n, and number i + skip(ctx)
after that. Multipliers have no rates, which makes B x' = F(t, x) with B = 1 for i < n and 0 after that.
"""

import math

from numba import njit

from ..core.context import (
    F_RHS,
    FREE,
    H_ACCELERATIONS,
    H_FEEDBACK,
    H_FRESH,
    H_MULTIPLIERS,
    H_ROWS,
    H_SINGULAR,
    H_SLOPE,
    H_STATES,
    H_UNKNOWN_FORCES,
    H_WORK,
    H_Z,
    INSIDE,
    LAMBDA,
    LAW,
    METHOD_PIVOTS,
    METHOD_WORK,
    NOT_SOLVED,
    OK,
    PAUSED,
    STEP_PIVOTS,
    WEIGHTED,
    cache_name,
    largest,
    run,
    state,
)
from .step_rows import STAGE

ROUNDING = 2.0**-52
SLOW = 0.3  # an iteration that converges by less a round wants a new Jacobian in the next step
SMALLEST = 1e-5  # of a state, for the increment of differences (Hairer's RADAU5)

# The first NOTES of a method: whether there is a Jacobian, where, whether it is to be renewed, and what the factors
# belong to; where the last step that was good enough ends. Those of the method itself come after them.
KNOWN, JACOBIAN_AT, RENEW, FACTORED, LAST_END = range(5)
OWN_NOTES = 5


@njit(**INSIDE)
def on_top(ctx):
    """Whether lam is on top of that of the right-hand side (see unknown_multipliers.py)."""
    return ctx[H_SINGULAR] == 1 or (ctx[H_FEEDBACK] == 1 and ctx[H_ACCELERATIONS] == 1)


@njit(**INSIDE)
def skip(ctx):
    """How many numbers of x are no unknowns: works and turns."""
    return ctx[H_Z] - ctx[H_STATES]


@njit(**INSIDE)
def first_judged(ctx):
    """The iteration after which the speed of convergence is judged.

    What the first one changes in multipliers moves velocities only in the second, by about as much as the first did.
    """
    return 1 if ctx[H_MULTIPLIERS] > 0 else 0


@njit(**INSIDE)
def judge(most, last, iteration, judged, left, enough, notes):
    """After a round of Newton's iteration, by its largest correction and that of the round before: OK, PAUSED to go on.

    NOT_SOLVED if `left` more rounds will not do; notes[RENEW] says whether the next step wants a new Jacobian.
    """
    if not most < math.inf:
        return NOT_SOLVED
    rate = most / last if iteration > 0 else 0.0
    if iteration > judged:
        if rate >= 1.0 or rate**left / (1.0 - rate) * most > enough:
            return NOT_SOLVED
        notes[RENEW] = 1.0 if rate > SLOW else 0.0
    lacking = rate / (1.0 - rate) * most if iteration > judged else most
    return OK if most == 0.0 or (iteration > 0 and lacking < enough) else PAUSED


@njit(**INSIDE)
def start(ctx, t, y, x, last, spare, known, follows):
    """x = [y | multipliers] at the start of a step: lam of the right-hand side, or 0 where it is meant on top of that.

    `last` is what `remember` kept, if the step follows the one before; one tried again has them in x already. mu = 0.
    """
    for i in range(y.size):
        x[i] = y[i]
    if ctx[H_MULTIPLIERS] == 0:
        return OK
    if ctx[H_UNKNOWN_FORCES] == 1:
        ctx[H_FRESH] = 0
        status = run(ctx, F_RHS, t, y, spare)
        law = state(ctx, LAW, x)
        for i in range(law.size):
            x[y.size + i] = law[i]
        return status
    if not known:
        ctx[H_FRESH] = 0
        status = run(ctx, F_RHS, t, y, spare)
        if status != OK:
            return status
        remember(ctx, last)
    if follows or not known:
        for i in range(ctx[H_MULTIPLIERS]):
            x[y.size + i] = last[i] if i < ctx[H_ROWS] and not on_top(ctx) else 0.0
    return OK


@njit(**INSIDE)
def remember(ctx, last):
    """Keep the multipliers of the right-hand side that was evaluated last."""
    if ctx[H_MULTIPLIERS] > 0 and ctx[H_UNKNOWN_FORCES] == 0:
        lam = state(ctx, LAMBDA, last)
        for i in range(lam.size):
            last[i] = lam[i]


@njit(**INSIDE)
def jacobian(ctx, t, x, slope, work, first, spare, n):
    """Row first + i, column j: d F_i / d x_j of the unknowns at (t, x) by differences; uses row `spare`.

    `slope` is F there, which is found first if multipliers are among the unknowns. F is linear in them, but for forces
    that depend on reactions, so their increments are large: as much as moves a body by 1 m/s, or about as its forces.
    """
    stage = work[work.shape[0] - STAGE]
    past = skip(ctx)
    for i in range(x.size):
        stage[i] = x[i]
    unknowns = n + ctx[H_MULTIPLIERS]
    per_speed, per_force = 0.0, 0.0
    if unknowns > n:
        ctx[H_FRESH] = 0
        status = run(ctx, ctx[H_SLOPE], t, stage, slope)
        if status != OK:
            return status
        per_speed = 1.0 / max(largest(state(ctx, WEIGHTED, x)), 1e-300)
        per_force = per_speed * max(1.0, largest(state(ctx, FREE, x)))
        if ctx[H_FEEDBACK] == 1:
            per_force *= math.sqrt(ROUNDING)
    for j in range(unknowns):
        p = j
        if j < n:
            stage[p] = x[p] + math.sqrt(ROUNDING * max(SMALLEST, abs(x[p])))
        else:
            p = j + past
            stage[p] = x[p] + (per_force if j < n + ctx[H_ROWS] else per_speed)
            if ctx[H_UNKNOWN_FORCES] == 1:
                stage[p] = x[p] + max(1.0, abs(x[p]))
        ctx[H_FRESH] = 0
        status = run(ctx, ctx[H_SLOPE], t, stage, work[spare])
        if status != OK:
            return status
        for i in range(unknowns):
            o = i if i < n else i + past
            work[first + i, j] = (work[spare, o] - slope[o]) / (stage[p] - x[p])
        stage[p] = x[p]
    return OK


def make_solve_step(name, renew, refactor, iterate):
    """How the method `name` solves for a step, by a new Jacobian, factors of it, and Newton's iteration with them."""

    def solve_step(ctx, t, h, scale, work, notes, n, rates, rtol, atol):
        """The step of length h from t, with a new Jacobian if the old one does not do; `scale` is that of factors."""
        status = NOT_SOLVED
        for _ in range(2):
            if notes[RENEW] == 1.0 and not (notes[KNOWN] == 1.0 and notes[JACOBIAN_AT] == t):
                status = renew(ctx, t, h, work, notes, n, rates)
                if status != OK:
                    return status
                notes[KNOWN], notes[JACOBIAN_AT], notes[FACTORED] = 1.0, t, 0.0
            notes[RENEW] = 0.0
            if notes[FACTORED] != scale:
                if not refactor(ctx, scale, work, n, rates):
                    return NOT_SOLVED
                notes[FACTORED] = scale
            status = iterate(ctx, t, h, scale, work, notes, n, rates, rtol, atol)
            if status == OK or notes[JACOBIAN_AT] == t:
                return status
            notes[RENEW] = 1.0
        return status

    return njit(**INSIDE)(cache_name(solve_step, name))


@njit(**INSIDE)
def exchanges(ctx):
    """The field of row exchanges beside the work rows that are in use."""
    return METHOD_PIVOTS if ctx[H_WORK] == METHOD_WORK else STEP_PIVOTS


@njit(**INSIDE)
def factor(a, first, n, pivots):
    """LU with row exchanges in place; False if singular."""
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[first + i, k]) > abs(a[first + best, k]):
                best = i
        pivots[k] = best
        if not abs(a[first + best, k]) > 0.0:
            return False
        for j in range(n if best != k else 0):
            a[first + k, j], a[first + best, j] = a[first + best, j], a[first + k, j]
        for i in range(k + 1, n):
            m = a[first + i, k] / a[first + k, k]
            a[first + i, k] = m
            for j in range(k + 1, n if m != 0.0 else 0):
                a[first + i, j] -= m * a[first + k, j]
    return True


@njit(**INSIDE)
def solve(a, first, n, pivots, x):
    for k in range(n):
        p = pivots[k]
        x[k], x[p] = x[p], x[k]
    for i in range(n):
        total = x[i]
        for j in range(i):
            total -= a[first + i, j] * x[j]
        x[i] = total
    for i in range(n - 1, -1, -1):
        total = x[i]
        for j in range(i + 1, n):
            total -= a[first + i, j] * x[j]
        x[i] = total / a[first + i, i]


@njit(**INSIDE)
def factor_complex(a, re, im, n, pivots):
    """Likewise for the matrix whose real and imaginary parts begin at rows re and im."""
    for k in range(n):
        best = k
        largest = -1.0
        for i in range(k, n):
            size = abs(a[re + i, k]) + abs(a[im + i, k])
            if size > largest:
                best, largest = i, size
        pivots[k] = best
        if not largest > 0.0:
            return False
        for j in range(n if best != k else 0):
            a[re + k, j], a[re + best, j] = a[re + best, j], a[re + k, j]
            a[im + k, j], a[im + best, j] = a[im + best, j], a[im + k, j]
        pivot = complex(a[re + k, k], a[im + k, k])
        for i in range(k + 1, n):
            m = complex(a[re + i, k], a[im + i, k]) / pivot
            a[re + i, k] = m.real
            a[im + i, k] = m.imag
            for j in range(k + 1, n if m != 0.0 else 0):
                a[re + i, j] -= m.real * a[re + k, j] - m.imag * a[im + k, j]
                a[im + i, j] -= m.real * a[im + k, j] + m.imag * a[re + k, j]
    return True


@njit(**INSIDE)
def solve_complex(a, re, im, n, pivots, x, y):
    """For the right-hand side x + i y, in place."""
    for k in range(n):
        p = pivots[k]
        x[k], x[p] = x[p], x[k]
        y[k], y[p] = y[p], y[k]
    for i in range(n):
        real, imag = x[i], y[i]
        for j in range(i):
            real -= a[re + i, j] * x[j] - a[im + i, j] * y[j]
            imag -= a[re + i, j] * y[j] + a[im + i, j] * x[j]
        x[i], y[i] = real, imag
    for i in range(n - 1, -1, -1):
        real, imag = x[i], y[i]
        for j in range(i + 1, n):
            real -= a[re + i, j] * x[j] - a[im + i, j] * y[j]
            imag -= a[re + i, j] * y[j] + a[im + i, j] * x[j]
        z = complex(real, imag) / complex(a[re + i, i], a[im + i, i])
        x[i], y[i] = z.real, z.imag
