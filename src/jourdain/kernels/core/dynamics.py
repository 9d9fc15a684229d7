"""Accelerations, multipliers and what is reported: the treatment `kkt`, and what all treatments share.

    M v' = Q - J^T lam,  J v' = gamma   =>   K lam = J free - gamma,  v' = free - M^-1 J^T lam

with free = M^-1 Q and K = J M^-1 J^T. What q means is the coordinate set's business: everything here goes through
its entries. State of an integrator: y = [q | v | z], z the quadratures (works, turns), outside the error control.

Singular mass blocks (a point mass has no rotary inertia, a slender rod none about its axis) are cured without
coupling bodies: E, positive on the null directions only, is added to M, and the iteration

    (M + E) v'_{k+1} + J^T lam = Q + E v'_k

leaves the solution unchanged. On null(J) its factor is e / (m + e) < 1 exactly when null(M) and null(J) meet only in
0; a direction that nothing resists and nothing drives keeps v' = 0. With e = 1e-3 m l^2 a few solves reach rounding.

Other treatments solve the same K lam = J free - gamma in their own ways: they are variants of F_FACTOR and F_SOLVE
(block_factor.py, iterated.py, reduced.py), so that forces which depend on reactions, singular masses and projections
need not know of them.
"""

import numpy as np
from numba import njit

from ..treatments.iterated import strain
from .anderson import ROUNDS, combine
from .context import (
    ACCELERATION,
    ENERGY,
    ENTRIES,
    F_AFTER_STEP,
    F_BAUMGARTE,
    F_CORRECT,
    F_ENERGY,
    F_FACTOR,
    F_FEEDBACK,
    F_LOAD,
    F_OUTPUTS,
    F_PLACE,
    F_RATES,
    F_REACTIONS,
    F_RHS,
    F_SHIFT,
    F_SHIFTED,
    F_SOLVE,
    F_TIMES,
    F_TREE_REACTIONS,
    F_WEIGH,
    F_WHOLE,
    FREE,
    GAMMA,
    GRADIENT,
    GUESS,
    H_ACCELERATING,
    H_ACCELERATIONS,
    H_BAUMGARTE,
    H_BODIES,
    H_BODY_V,
    H_EVALUATIONS,
    H_FACTORED,
    H_FEEDBACK,
    H_FRESH,
    H_Q,
    H_RECURSIVE,
    H_REFINED,
    H_ROUNDS,
    H_ROWS,
    H_SINGULAR,
    H_STATES,
    H_V,
    H_Z,
    HOT,
    IMAGINARY,
    INSIDE,
    LAMBDA,
    NO_FEEDBACK,
    NOT_FINITE,
    OK,
    OPTIONS,
    PARTIAL,
    POINT_ACCELERATION,
    POWER,
    REPORTED,
    RESIDUAL,
    ROW_TAPES,
    S_TOLERANCE,
    SCRATCH,
    SETTINGS,
    SIGNALS,
    SINGULAR_MASS,
    SLOPE,
    TRIAL,
    UNIT_ROWS,
    VEC,
    VECTOR_LOCAL,
    WRENCHES,
    ints,
    largest,
    length,
    numbers,
    reals,
    run,
    state,
    table,
    vector_at,
)
from .formula_parts import copy_z, report

# The iteration for singular masses, relative to each body's own acceleration: done when so little is lacking, or when
# changes are down to the noise of the solves (K is some 1e3 worse conditioned than without), at the latest LIMIT.
SHIFT_TOLERANCE = 1e-13
SHIFT_NOISE = 1e-12
SHIFT_LIMIT = 1e-9
MAX_SHIFTS = 2000
MAX_REFINEMENTS = 12
# Forces that depend on reactions (friction) are iterated with the factors at hand until they change by less, relative
# to what they do to a body; or until they are that near and have not come nearer for a while.
FEEDBACK_TOLERANCE = 1e-13
FEEDBACK_LIMIT = 1e-10
FEEDBACK_PATIENCE = 10
MAX_FEEDBACKS = 200
# Multipliers that are themselves iterated leave changes of so many times their tolerance; it is zero for the others.
ITERATED_NOISE = 100.0
# Rounds that are plainly repeated; after that the last ones are combined.
PLAIN_FEEDBACKS = 4


# Theory, eq. 8 (schur).
@njit(**HOT)
def _constrained(ctx, t, acc, lam):
    """From acc = free: lam = K^-1 (J free - gamma) and acc -= M^-1 J^T lam."""
    gamma = state(ctx, GAMMA, acc)
    unit = ints(ctx, UNIT_ROWS)
    run(ctx, F_TIMES, t, acc, lam)
    for i in range(lam.size):
        lam[i] -= gamma[i]
    for i in range(unit.shape[0]):
        lam[unit[i, 0]] = 0.0
    ctx[H_ACCELERATING] = 1
    status = run(ctx, F_SOLVE, t, lam, lam)
    ctx[H_ACCELERATING] = 0
    run(ctx, F_CORRECT, t, acc, lam)
    if ctx[H_REFINED] == 1 and status == OK:
        _refine(ctx, t, acc, lam)
    return status


@njit(**INSIDE)
def _refine(ctx, t, acc, lam):
    """Correct accelerations by what J acc - gamma still is, as long as that halves it.

    Of a body that is light against what it carries, forces cancel to the last digits, and what is left of them is the
    larger the lighter it is. The constraints know better how it moves.
    """
    gamma = state(ctx, GAMMA, acc)
    rows = state(ctx, SCRATCH, acc)
    unit = ints(ctx, UNIT_ROWS)
    last = np.inf
    for _ in range(MAX_REFINEMENTS):
        run(ctx, F_TIMES, t, acc, rows)
        for i in range(rows.size):
            rows[i] -= gamma[i]
        for i in range(unit.shape[0]):
            rows[unit[i, 0]] = 0.0
        gap = largest(rows)
        if gap == 0.0 or not gap < 0.5 * last:
            return
        last = gap
        if run(ctx, F_SOLVE, t, rows, rows) != OK:
            return
        run(ctx, F_CORRECT, t, acc, rows)
        for i in range(lam.size):
            lam[i] += rows[i]


@njit(**HOT)
def _accelerate(ctx, t, q, v):
    """ACCELERATION and LAMBDA at (t, q, v). The factors are reused if they belong to this very q."""
    run(ctx, F_PLACE, t, q, v)
    if ctx[H_BAUMGARTE] == 1:
        run(ctx, F_BAUMGARTE, t, q, v)
    if ctx[H_FRESH] == 0:
        run(ctx, F_WEIGH, t, q, v)
        status = run(ctx, F_FACTOR, t, q, v)
        if status != OK:
            return status
        ctx[H_FACTORED] = 1
    ctx[H_FRESH] = 0
    ctx[H_EVALUATIONS] += 1
    if ctx[H_FEEDBACK] == 1:
        return run(ctx, F_FEEDBACK, t, q, v)
    return _loaded(ctx, t, q, v)


@njit(**HOT)
def _loaded(ctx, t, q, v):
    """ACCELERATION and LAMBDA under the forces as they are, with the factors at hand."""
    run(ctx, F_LOAD, t, q, v)
    return _solved(ctx, t, q)


@njit(**HOT)
def _solved(ctx, t, q):
    """ACCELERATION and LAMBDA from FREE."""
    if ctx[H_RECURSIVE] == 1:
        return run(ctx, F_WHOLE, t, q, q)
    free = state(ctx, FREE, q)
    acc = state(ctx, ACCELERATION, q)
    lam = state(ctx, LAMBDA, q)
    for i in range(acc.size):
        acc[i] = free[i]
    status = _constrained(ctx, t, acc, lam) if lam.size > 0 else OK
    return run(ctx, F_SHIFTED, t, q, q) if status == OK and ctx[H_SINGULAR] == 1 else status


# Theory, eq. 20 (feedback).
def fed_back(t, q_, v_, ctx_):
    """Entry: forces depend on the reactions they cause: repeat until FREE, which is what they are, stays the same.

    Each round changes the forces by a factor of about the coefficient of friction of the one before. It begins with the
    reactions of the last evaluation, which are nearly right. Where that is slow or grows (an added mass above the mass
    itself), the last rounds are combined. Accelerations would not tell: those of a driven machine never change.
    """
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    v = vector_at(v_, ctx[H_V])
    free = state(ctx, FREE, q)
    acc = state(ctx, ACCELERATION, q)
    before = state(ctx, SLOPE, q)
    x, lacking = free, free  # places of their own are made when needed
    steps, changes = np.empty((0, 0), dtype=free.dtype), np.empty((0, 0), dtype=free.dtype)
    least, since = np.inf, 0
    limit = max(FEEDBACK_LIMIT, ITERATED_NOISE * reals(ctx, SETTINGS)[S_TOLERANCE, 0])
    run(ctx, F_LOAD, t, q, v)
    for k in range(MAX_FEEDBACKS):
        for i in range(free.size):
            before[i] = free[i]
        status = _solved(ctx, t, q)
        if status != OK:
            return status
        run(ctx, F_REACTIONS, t, q, v)
        run(ctx, F_LOAD, t, q, v)
        change = _largest_change(ctx, before, free, acc)
        if change < least:
            least, since = change, 0
        since += 1
        if change <= FEEDBACK_TOLERANCE or (least <= limit and since > FEEDBACK_PATIENCE):
            return OK
        if not change < np.inf:
            return NOT_FINITE if k == 0 else NO_FEEDBACK
        if k == PLAIN_FEEDBACKS:
            x, lacking = np.empty(free.size, dtype=free.dtype), np.empty(free.size, dtype=free.dtype)
            steps = np.empty((ROUNDS, free.size), dtype=free.dtype)
            changes = np.empty((ROUNDS, free.size), dtype=free.dtype)
        if k >= PLAIN_FEEDBACKS:
            for i in range(free.size):
                new = free[i] - before[i]
                changes[(k - PLAIN_FEEDBACKS - 1) % ROUNDS, i] = new - lacking[i]
                lacking[i] = new
                x[i] = before[i]
            combine(x, lacking, steps, changes, k - PLAIN_FEEDBACKS)
            for i in range(free.size):
                free[i] = x[i]
    return NO_FEEDBACK


fed_back.options = {"_nrt": True}


@njit(**INSIDE)
def _largest_change(ctx, acc, trial, free):
    """The largest change of any body, relative to its own acceleration, with or without constraints.

    Of joint coordinates: of any effort, relative to the largest. Imaginary parts count by themselves, relative to the
    largest of all: they settle when they will.
    """
    nv, bodies = ctx[H_BODY_V], ctx[H_BODIES]
    if ctx[H_RECURSIVE] == 1:
        nv, bodies = trial.size, 1
        free = trial
    worst = 0.0
    imaginary = 0.0
    scale = 0.0
    for b in range(bodies):
        change = 0.0
        size = 0.0
        for c in range(b * nv, (b + 1) * nv):
            change = max(change, abs(trial[c].real - acc[c].real))
            size = max(size, abs(trial[c].real), abs(free[c].real))
            imaginary = max(imaginary, abs(trial[c].imag - acc[c].imag))
            scale = max(scale, abs(trial[c].imag), abs(free[c].imag))
        if change > 0.0:
            worst = max(worst, change / size)
        scale = max(scale, IMAGINARY * size)
    return max(worst, imaginary / scale) if imaginary > 0.0 else worst


# Theory, eq. 9 (shift).
def shifted(t, q_, unused_, ctx_):
    """Entry: iterate the singular directions to their accelerations.

    The error shrinks by a factor f a step, so what a step still lacks is f / (1 - f) of its change. While changes are
    well above rounding, every third step sums that series at once (Aitken), which takes out the slowest direction.
    """
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    free = state(ctx, FREE, q)
    acc = state(ctx, ACCELERATION, q)
    lam = state(ctx, LAMBDA, q)
    trial = state(ctx, TRIAL, q)
    noise = max(SHIFT_NOISE, ITERATED_NOISE * reals(ctx, SETTINGS)[S_TOLERANCE, 0])
    last = np.inf
    for k in range(MAX_SHIFTS):
        run(ctx, F_SHIFT, t, acc, trial)
        for i in range(acc.size):
            trial[i] += free[i]
        status = _constrained(ctx, t, trial, lam) if lam.size > 0 else OK
        if status != OK:
            return status
        change = _largest_change(ctx, acc, trial, free)
        if not change < np.inf:
            return NOT_FINITE
        factor = min(change / last, 1.0)
        lacking = change * max(1.0, factor / max(1.0 - factor, 1e-9))
        done = lacking <= SHIFT_TOLERANCE or change <= noise or (k > 300 and change <= SHIFT_LIMIT)
        jump = factor / (1.0 - factor) if k % 3 == 2 and change > 1e-10 and 0.1 < factor < 0.99999 else 0.0
        for i in range(acc.size):
            acc[i] = trial[i] if done else trial[i] + jump * (trial[i] - acc[i])
        if done:
            return OK
        last = change if jump == 0.0 else np.inf
    return SINGULAR_MASS


def rhs(t, y_, dy_, ctx_):
    """dy = [N(q) v | v' | z']."""
    ctx = table(ctx_)
    nq, nv, nz = ctx[H_Q], ctx[H_V], ctx[H_Z]
    y = vector_at(y_, nq + nv + nz)
    dy = vector_at(dy_, nq + nv + nz)
    q = y[:nq]
    copy_z(ctx, y)
    status = _accelerate(ctx, t, q, y[nq : nq + nv])
    if status != OK:
        return status
    run(ctx, F_RATES, t, y, dy)
    acc = state(ctx, ACCELERATION, q)
    for i in range(nv):
        dy[nq + i] = acc[i]
    power = state(ctx, POWER, q)
    for i in range(nz):
        dy[nq + nv + i] = power[i]
    # Power of moving constraints: -lam^T J v = lam^T C_t. Theory, eq. 12 (power).
    if ints(ctx, SIGNALS).shape[0] > 0 or ints(ctx, ROW_TAPES).shape[0] > 0:
        lam = state(ctx, LAMBDA, q)
        partial = state(ctx, PARTIAL, q)
        place = nq + nv + ctx[H_STATES] + 1
        driven = dy[place]
        for i in range(lam.size):
            driven += lam[i] * partial[i]
        dy[place] = driven
    return OK


def outputs(t, y_, out_, ctx_):
    """What a sample reports: acc | largest C and C' | energies and springs | reports | reactions, both sides | strain
    | norms of C and C' | rounds of an iteration for the multipliers.

    Strain is Joli's measure of Baumgarte's stabilisation (2008, eq. 15), 0 without and in joint coordinates, where
    nothing is accelerated freely. Factors that are fresh are used.
    """
    ctx = table(ctx_)
    nq, nv, nr = ctx[H_Q], ctx[H_V], ctx[H_ROWS]
    y = vector_at(y_, nq + nv + ctx[H_Z])
    q = y[:nq]
    v = y[nq : nq + nv]
    rounds = ctx[H_ROUNDS]
    status = run(ctx, F_RHS, t, y, state(ctx, SLOPE, q))
    rounds = ctx[H_ROUNDS] - rounds
    run(ctx, F_REACTIONS, t, q, v)
    run(ctx, F_ENERGY, t, q, v)
    report(ctx, t, q)
    wrenches = state(ctx, WRENCHES, q)
    acc = state(ctx, ACCELERATION, q)
    residual = state(ctx, RESIDUAL, q)
    partial = state(ctx, PARTIAL, q)
    energy = state(ctx, ENERGY, q)
    reported = state(ctx, REPORTED, q)
    rates = state(ctx, SCRATCH, q)
    out = vector_at(out_, nv + 2 + energy.size + reported.size + wrenches.size + 4)
    for i in range(nv):
        out[i] = acc[i]
    run(ctx, F_TIMES, t, v, rates)
    for i in range(nr):
        rates[i] += partial[i]
    out[out.size - 4] = strain(ctx, t, q, rates) if ctx[H_BAUMGARTE] == 1 and ctx[H_RECURSIVE] == 0 else 0.0
    _dropped_rates(ctx, rates)
    out[nv] = largest(residual)
    out[nv + 1] = largest(rates)
    out[out.size - 3] = length(residual)
    out[out.size - 2] = length(rates)
    out[out.size - 1] = 1.0 * rounds
    o = nv + 2
    for i in range(energy.size):
        out[o + i] = energy[i]
    o += energy.size
    for i in range(reported.size):
        out[o + i] = reported[i]
    o += reported.size
    for i in range(wrenches.size):
        out[o + i] = wrenches[i]
    return status


@njit(**INSIDE)
def _dropped_rates(ctx, rates):
    """Rows dropped as redundant have no place in J: their rates come from the gradients."""
    entries = ints(ctx, ENTRIES)
    vec = state(ctx, VEC, rates)
    gradient = state(ctx, GRADIENT, rates)
    dim = reals(ctx, VECTOR_LOCAL).shape[1] - 1
    for e in range(entries.shape[0]):
        if entries[e, 0] < 0:  # also of vectors of the ground, which do not move
            for i in range(dim):
                rates[entries[e, 3]] += gradient[dim * e + i] * vec[4 * dim * entries[e, 2] + 2 * dim + i]


def note_reactions(t, q_, v_, ctx_):
    """Entry: WRENCHES, and POINT_ACCELERATION if formulas want it.

    X' is linear in v, so X'' = X''(v' = 0) + X'(v') needs nothing that a coordinate set does not offer already.
    """
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    v = vector_at(v_, ctx[H_V])
    dim = reals(ctx, VECTOR_LOCAL).shape[1] - 1
    reactions(ctx, state(ctx, LAMBDA, q), state(ctx, WRENCHES, q), dim)
    if ctx[H_RECURSIVE] == 1:
        run(ctx, F_TREE_REACTIONS, t, q, v)
    if ctx[H_ACCELERATIONS] == 1:
        found = state(ctx, POINT_ACCELERATION, q)
        vec = state(ctx, VEC, q)
        for k in range(found.size // dim):
            for i in range(dim):
                found[dim * k + i] = vec[4 * dim * k + 3 * dim + i]
        run(ctx, F_PLACE, t, q, state(ctx, ACCELERATION, q))
        for k in range(found.size // dim):
            for i in range(dim):
                found[dim * k + i] += vec[4 * dim * k + 2 * dim + i]
        run(ctx, F_PLACE, t, q, v)
        if ctx[H_BAUMGARTE] == 1:
            run(ctx, F_BAUMGARTE, t, q, v)
    return OK


# Theory, eq. 7 (reactions).
@njit(**INSIDE)
def reactions(ctx, lam, wrench, dim):
    """Force and moment of each joint on each of its two sides, at that side's port, fixed axes (eqs 17-20, 25).

    A gradient g of a point gives the force -lam g there; one of an axis u the couple -lam u x g.
    """
    entries = ints(ctx, ENTRIES)
    local = numbers(ctx, VECTOR_LOCAL, lam)
    vec = state(ctx, VEC, lam)
    gradient = state(ctx, GRADIENT, lam)
    width = 3 if dim == 2 else 6
    for i in range(wrench.size):
        wrench[i] = 0.0
    for e in range(entries.shape[0]):
        if entries[e, 4] < 0:  # of a relation, which belongs to no joint
            continue
        k = entries[e, 2]
        o = width * entries[e, 4]
        force = -lam[entries[e, 3]]
        g = dim * e
        if local[k, dim] != 0.0:
            for i in range(dim):
                wrench[o + i] += force * gradient[g + i]
        elif dim == 2:
            s = 8 * k
            wrench[o + 2] += force * (vec[s] * gradient[g + 1] - vec[s + 1] * gradient[g])
        else:
            s = 12 * k
            for i in range(3):
                j = (i + 1) % 3
                m = (i + 2) % 3
                wrench[o + 3 + i] += force * (vec[s + j] * gradient[g + m] - vec[s + m] * gradient[g + j])


# Python's ways in ------------------------------------------------------------------------------------------------


@njit(**OPTIONS)
def project(ctx, t, y):
    return run(ctx, F_AFTER_STEP, t, y, y)


@njit(**OPTIONS)
def call_entry(ctx, function, t, a, b):
    return run(ctx, function, t, a, b)


@njit(**OPTIONS)
def joint_wrenches(ctx, lam, wrench, dim):
    reactions(ctx, lam, wrench, dim)


@njit(**INSIDE)
def forget(ctx, like):
    """Factors, and what iterations begin with."""
    ctx[H_FRESH] = 0
    ctx[H_FACTORED] = 0
    for field in (LAMBDA, WRENCHES, POINT_ACCELERATION, GUESS):
        numbers = state(ctx, field, like[0])
        for i in range(numbers.size):
            numbers[i] = 0.0


@njit(**OPTIONS)
def sample_outputs(ctx, times, samples, out):
    """OUTPUTS at every sample; stops at the first that fails and returns its status.

    What was found at one sample is no guess for the next: outputs depend on nothing but the sample.
    """
    for k in range(times.size):
        forget(ctx, samples)
        status = run(ctx, F_OUTPUTS, times[k], samples[k], out[k])
        if status != OK:
            return status
    return OK
