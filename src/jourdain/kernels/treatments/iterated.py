"""Treatments that iterate for the multipliers: augmented Lagrangian, penalty, Uzawa; and Baumgarte's stabilisation.

Bayo's augmented Lagrangian in accelerations (Joli, Seguy and Feng 2008, eqs 23 and 24, mended),

    (M + J^T A J) v'_{i+1} = Q - J^T lam_i + J^T A gamma,   lam_{i+1} = lam_i + A (J v'_{i+1} - gamma)

with A = diag(a) couples all bodies of a joint in one matrix. By Woodbury's identity it is the same as

    (K + S) lam_{i+1} = J free - gamma + S lam_i,   v'_{i+1} = free - M^-1 J^T lam_{i+1},   S = A^-1

which needs the block factors of K with a shifted diagonal and nothing else. K + S is positive definite whatever the
rank of J, so singular positions and redundant rows are nothing special. The shift of each row is its own diagonal of K
over alpha: a penalty in units of the mass that the row moves, so one alpha suits every row and unit. An eigenvalue k
of K against its diagonal converges by 1 / (1 + alpha k) a round. From lam_0 = 0 rows that depend on each other share
their load in the least-squares sense of S. Penalty is the first round alone, with an error of 1 / (1 + alpha k).

Uzawa's iteration between joints (eqs 26 and 36, mended: the masses seen from a joint combine harmonically), with D the
diagonal blocks of K, each from the bodies of its own rows alone:

    lam_{i+1} = lam_i + w D^-1 (J v'_i - gamma),   v'_i = free - M^-1 J^T lam_i

By Cauchy's inequality body by body, the largest eigenvalue of D^-1 K is at most the number of blocks on one body, so
w < 2 / (that number) converges. No matrix of the whole is ever made. The paper's iteration is slow where joints depend
on each other, and does not converge near singular positions. Along conjugate directions (Hestenes and Stiefel 1952) the
same round, with the same two products, converges in no more rounds than there are rows, so that is what is done unless
w is given. The paper itself multiplies with a mass rho of each joint in place of w D^-1 (eq. 27), begins every time
with lam_0 = 0 (eq. 25), and ends when the multipliers hardly change any more (eq. 28), whatever is left: RHO, S_WARM
and S_STOP. That is how accelerations are found; impulses and gaps, whose right-hand sides are of other units, are
solved along conjugate directions.

With `inside` the S_OWN blocks that keep bodies rigid, the first of all, are not iterated like joints: a body is then a
black box that solves for them itself, by rounds of the augmented Lagrangian with alpha = S_INSIDE, whenever the joints
have changed their forces (Joli, Seguy and Feng 2008, sec. 4). Blocks of one body are diagonal to each other there, too:

    lam_b += w_b (K_bb + S_b)^-1 (J_b v' - gamma_b),   w_b = 1 over the blocks of its own that a body has
"""

import numpy as np
from numba import njit

from ..core.context import (
    BLOCK_SLOTS,
    BY_CHANGE,
    F_BLOCK_SOLVE,
    F_CORRECT,
    F_DENSE_SOLVE,
    F_TIMES,
    FREE,
    FULL,
    GAMMA,
    GUESS,
    H_ACCELERATING,
    H_BODIES,
    H_DENSE,
    H_Q,
    H_ROUNDS,
    H_ROWS,
    H_V,
    INSIDE,
    ITERATE,
    JACOBIAN,
    LAMBDA,
    NO_CONVERGENCE,
    OK,
    PAIR_RANGES,
    PAIRS,
    PARTIAL,
    PIVOT,
    PIVOTS,
    RESIDUAL,
    RHO,
    S_INSIDE,
    S_KP,
    S_KV,
    S_MOST,
    S_OWN,
    S_PENALTY,
    S_PIVOT,
    S_RELAXATION,
    S_STOP,
    S_TOLERANCE,
    S_WARM,
    SCRATCH,
    SETTINGS,
    SHIFT,
    UNIT_ROWS,
    WEIGHTED,
    K,
    ints,
    reals,
    run,
    state,
    table,
    vector_at,
)

# Part of the average shift that a row gets whose own diagonal vanishes, at a position where its gradient does.
FLOOR = 1e-9
# Rounds that gain less than this say that the right-hand side contradicts itself: rows that depend on each other do not
# agree, as happens to the gaps of joints to second order. More rounds would not help.
STALLS = 1.0 - 1e-6
# A direction in which the rows hardly act converges slowly, but there is hardly anything to converge to: this much of
# the right-hand side may be left when nothing is gained any more.
LEFT = 1e-9
MOST_INSIDE = 100  # rounds inside bodies between two rounds of the joints
FOLLOWED = 1e-3  # of the tolerance: how well bodies follow a direction, or the next would not be conjugate to it
WITHIN = (
    1e-4  # of the tolerance: how well bodies hold themselves while joints go by rho and by changes, not by the rest
)
PATIENCE = 20  # rounds without a gain, of which conjugate directions may have some


def baumgarte(t, q_, v_, ctx_):
    """Entry: C'' + kv C' + kp C = 0 in place of C'' = 0. Rows that hold velocities have C = 0 here: first order."""
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    v = vector_at(v_, ctx[H_V])
    kv, kp = reals(ctx, SETTINGS)[S_KV, 0], reals(ctx, SETTINGS)[S_KP, 0]
    gamma = state(ctx, GAMMA, q)
    residual = state(ctx, RESIDUAL, q)
    partial = state(ctx, PARTIAL, q)
    rates = state(ctx, SCRATCH, q)
    if rates.size > 0:
        run(ctx, F_TIMES, t, v, rates)
    for i in range(rates.size):
        gamma[i] -= kv * (rates[i] + partial[i]) + kp * residual[i]
    return OK


@njit(**INSIDE)
def strain(ctx, t, q, rates):
    """|kv C' + kp C| over |J free - gamma| of the rows as they stand: how much of the forces is stabilisation (eq. 15).

    GAMMA holds Baumgarte's part by now, which is taken out again.
    """
    kv, kp = reals(ctx, SETTINGS)[S_KV, 0], reals(ctx, SETTINGS)[S_KP, 0]
    residual = state(ctx, RESIDUAL, q)
    gamma = state(ctx, GAMMA, q)
    wanted = state(ctx, LAMBDA, q)  # has been read by now
    run(ctx, F_TIMES, t, state(ctx, FREE, q), wanted)
    held = 0.0
    needed = 0.0
    for i in range(rates.size):
        added = kv * rates[i] + kp * residual[i]
        held += abs(added) ** 2
        needed += abs(wanted[i] - gamma[i] - added) ** 2
    return np.sqrt(held / needed) if needed > 0.0 else 0.0


def make_shifted_assemble(bs, nvb):
    def shifted_assemble(t, q_, v_, ctx_):
        """K + S, block by block; S_ii = K_ii / alpha goes to SHIFT."""
        ctx = table(ctx_)
        like = vector_at(q_, ctx[H_Q])
        J = state(ctx, JACOBIAN, like)
        W = state(ctx, WEIGHTED, like)
        k_block = state(ctx, K, like)
        shift = state(ctx, SHIFT, like)
        pairs = ints(ctx, PAIRS)
        ranges = ints(ctx, PAIR_RANGES)
        pivots = ints(ctx, PIVOTS)
        unit = ints(ctx, UNIT_ROWS)
        alpha = reals(ctx, SETTINGS)[S_PENALTY, 0]
        for k in range(ranges.shape[0]):
            base = k * bs * bs
            for i in range(bs * bs):
                k_block[base + i] = 0.0
            for p in range(ranges[k, 0], ranges[k, 1]):
                a = pairs[p, 0] * bs * nvb
                b = pairs[p, 1] * bs * nvb
                for i in range(bs):
                    for j in range(bs):
                        for c in range(nvb):
                            k_block[base + i * bs + j] += J[a + i * nvb + c] * W[b + j * nvb + c]
        trace = 0.0 * like[0]
        for p in range(pivots.shape[0]):
            for i in range(bs):
                trace += k_block[pivots[p, 1] * bs * bs + i * bs + i]
        floor = FLOOR * trace / shift.size
        for k in range(unit.shape[0]):
            k_block[unit[k, 1]] = 1.0
        for p in range(pivots.shape[0]):
            for i in range(bs):
                o = pivots[p, 1] * bs * bs + i * bs + i
                added = (k_block[o] + floor) / alpha
                shift[pivots[p, 0] * bs + i] = added
                k_block[o] += added
        return OK

    return shifted_assemble


def augmented_solve(t, x_, unused_, ctx_):
    """Entry: K x = b in place by rounds of (K + S) x_{i+1} = b + S x_i, from 0. A round leaves S (x_{i+1} - x_i).

    Rows are compared by what they leave over the square root of their diagonal, which is in one unit for all rows.
    """
    ctx = table(ctx_)
    x = vector_at(x_, ctx[H_ROWS])
    if ctx[H_DENSE] == 1:
        return run(ctx, F_DENSE_SOLVE, t, x, x)
    settings = reals(ctx, SETTINGS)
    shift = state(ctx, SHIFT, x)
    work = state(ctx, ITERATE, x)
    n = x.size
    size = 0.0
    for i in range(n):
        work[i] = x[i]
        work[n + i] = 0.0
        size = max(size, abs(x[i]) / np.sqrt(abs(shift[i])))
    last = np.inf
    left = np.inf
    for _ in range(int(settings[S_MOST, 0])):
        run(ctx, F_BLOCK_SOLVE, t, x, x)
        ctx[H_ROUNDS] += 1
        left = 0.0
        for i in range(n):
            left = max(left, abs(x[i] - work[n + i]) * np.sqrt(abs(shift[i])))
        if left <= settings[S_TOLERANCE, 0] * size:
            return OK
        if not left < STALLS * last:
            break
        last = left
        for i in range(n):
            work[n + i] = x[i]
            x[i] = work[i] + shift[i] * x[i]
    for i in range(n):
        x[i] = work[n + i]
    return OK if left <= LEFT * size else NO_CONVERGENCE


def make_uzawa_factor(bs, nvb):
    def uzawa_factor(t, q_, v_, ctx_):
        """LDL^T of each diagonal block of K, in PIVOT, by block; a pivot that vanishes gets no multiplier."""
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        J = state(ctx, JACOBIAN, q)
        W = state(ctx, WEIGHTED, q)
        pivot = state(ctx, PIVOT, q)
        slots = ints(ctx, BLOCK_SLOTS)
        settings = reals(ctx, SETTINGS)
        smallest = settings[S_PIVOT, 0]
        ctx[H_DENSE] = 0
        for b in range(slots.shape[0]):
            d = b * bs * bs
            shift = 1.0 / settings[S_INSIDE, 0] if b < settings[S_OWN, 0] else 0.0
            for i in range(bs):
                for j in range(i + 1):
                    total = 0.0 * q[0]
                    for s in range(slots[b, 0], slots[b, 1]):
                        o = s * bs * nvb
                        for c in range(nvb):
                            total += J[o + i * nvb + c] * W[o + j * nvb + c]
                    pivot[d + i * bs + j] = total if i != j else (1.0 + shift) * total
            for i in range(bs):
                scale = pivot[d + i * bs + i]
                for j in range(i):  # L D above the diagonal, L below it
                    for m in range(j):
                        pivot[d + i * bs + j] -= pivot[d + m * bs + i] * pivot[d + j * bs + m]
                    pivot[d + j * bs + i] = pivot[d + i * bs + j]
                    pivot[d + i * bs + j] *= pivot[d + j * bs + j]
                    pivot[d + i * bs + i] -= pivot[d + j * bs + i] * pivot[d + i * bs + j]
                total = pivot[d + i * bs + i]
                pivot[d + i * bs + i] = 1.0 / total if total.real > smallest * scale.real else 0.0
        return OK

    return uzawa_factor


@njit(**INSIDE)
def _block_inverse(pivot, bs, b, r, z):
    """z = D^-1 r for one block."""
    d = b * bs * bs
    for i in range(bs):
        z[b * bs + i] = r[b * bs + i]
        for j in range(i):
            z[b * bs + i] -= pivot[d + i * bs + j] * z[b * bs + j]
    for i in range(bs):
        z[b * bs + i] *= pivot[d + i * bs + i]
    for i in range(bs - 2, -1, -1):
        for j in range(i + 1, bs):
            z[b * bs + i] -= pivot[d + j * bs + i] * z[b * bs + j]


@njit(**INSIDE)
def _measured(pivot, bs, first, r, z):
    """z = D^-1 r for all blocks from `first` on, and sqrt(r^T D^-1 r): accelerations in one unit for all rows."""
    total = 0.0
    for b in range(first, r.size // bs):
        _block_inverse(pivot, bs, b, r, z)
        for i in range(b * bs, (b + 1) * bs):
            total += (r[i] * z[i]).real
    return np.sqrt(max(total, 0.0)) if total == total else np.inf


@njit(**INSIDE)
def _times(ctx, t, x, out):
    """out = -K x, body by body: what the forces x change in the accelerations of the rows."""
    moved = state(ctx, FULL, x)
    for i in range(ctx[H_V]):
        moved[i] = 0.0
    run(ctx, F_CORRECT, t, moved, x)
    run(ctx, F_TIMES, t, moved, out)


@njit(**INSIDE)
def _inside(ctx, t, bs, own, b, part, x, rest, z, enough):
    """rest = part b - K x, after rounds of the augmented Lagrangian inside bodies that make their own rows small."""
    pivot = state(ctx, PIVOT, x)
    share = ctx[H_BODIES] / own if own > 0 else 1.0
    for k in range(MOST_INSIDE):
        _times(ctx, t, x, rest)
        for i in range(x.size):
            rest[i] += part * b[i]
        if own == 0 or k == MOST_INSIDE - 1 or _measured(pivot, bs, 0, rest[: own * bs], z) <= enough:
            return
        for i in range(own * bs):
            x[i] += share * z[i]


@njit(**INSIDE)
def _dot(x, y, first):
    total = 0.0
    for i in range(first, x.size):
        total += (x[i] * y[i]).real
    return total


@njit(**INSIDE)
def _plain(ctx, t, bs, own, b, x, rest, z, rho, enough, within):
    """x += w D^-1 (b - K x), or with rho of each row in place of w D^-1; OK once that leaves too little to go on."""
    settings = reals(ctx, SETTINGS)
    pivot = state(ctx, PIVOT, x)
    w = settings[S_RELAXATION, 0]
    by_change = settings[S_STOP, 0] == BY_CHANGE
    best = np.inf
    since = 0
    for _ in range(int(settings[S_MOST, 0]) + 1):
        left = _measured(pivot, bs, own, rest, z)
        if not by_change and left <= enough:
            return OK
        since = 0 if left < STALLS * best else since + 1
        best = min(best, left)
        if not left < np.inf or (since > PATIENCE and not by_change):
            return NO_CONVERGENCE
        change, whole = 0.0, 0.0
        for i in range(own * bs, x.size):
            if w > 0.0:
                added = w * z[i]
            else:
                added = rho[i, 0] * rest[i]
            x[i] += added
            change += abs(added) ** 2
            whole += abs(x[i]) ** 2
        ctx[H_ROUNDS] += 1
        _inside(ctx, t, bs, own, b, 1.0, x, rest, z, within)
        if by_change and change <= (settings[S_TOLERANCE, 0]) ** 2 * whole:
            return OK
    return NO_CONVERGENCE


@njit(**INSIDE)
def _conjugate(ctx, t, bs, own, b, x, rest, z, p, moved, enough):
    """The same along conjugate directions; rows inside bodies follow each direction."""
    settings = reals(ctx, SETTINGS)
    pivot = state(ctx, PIVOT, x)
    best = np.inf
    since = 0
    steep = 1.0
    for _ in range(int(settings[S_MOST, 0]) + 1):
        left = _measured(pivot, bs, own, rest, z)
        if left <= enough:
            return OK
        since = 0 if left < STALLS * best else since + 1
        best = min(best, left)
        if since > PATIENCE or not left < np.inf:
            return NO_CONVERGENCE
        ctx[H_ROUNDS] += 1
        flat = steep
        steep = left * left
        for i in range(x.size):
            p[i] = (z[i] if i >= own * bs else 0.0) + steep / flat * p[i]
        _inside(ctx, t, bs, own, b, 0.0, p, moved, z, FOLLOWED * settings[S_TOLERANCE, 0] * left)
        bend = -_dot(p, moved, own * bs)
        if not bend > 0.0:
            return NO_CONVERGENCE
        for i in range(x.size):
            x[i] += steep / bend * p[i]
            rest[i] += steep / bend * moved[i]
    return NO_CONVERGENCE


def make_uzawa_solve(bs):
    def uzawa_solve(t, x_, unused_, ctx_):
        """Entry: K x = b in place by x += w D^-1 (b - K x), with rho in place of w D^-1, or along conjugate directions.

        Accelerations begin with the last multipliers if S_WARM is 1. Done when the rest is below the tolerance; of
        accelerations by S_STOP also when the multipliers do not change by more. Impulses and gaps go to the rest alone.
        """
        ctx = table(ctx_)
        x = vector_at(x_, ctx[H_ROWS])
        settings = reals(ctx, SETTINGS)
        rho = reals(ctx, RHO)
        tolerance, own = settings[S_TOLERANCE, 0], int(settings[S_OWN, 0])
        pivot = state(ctx, PIVOT, x)
        guess = state(ctx, GUESS, x)
        rest = state(ctx, SHIFT, x)
        work = state(ctx, ITERATE, x)
        n = x.size
        b, z, p, moved = work[:n], work[n : 2 * n], work[2 * n : 3 * n], work[3 * n :]
        for i in range(n):
            b[i] = x[i]
            p[i] = 0.0
        size = _measured(pivot, bs, 0, b, z)
        warm = ctx[H_ACCELERATING] == 1 and settings[S_WARM, 0] == 1.0 and size > 0.0
        for i in range(n):
            x[i] = guess[i] if warm else 0.0
        enough = tolerance * size
        plain = settings[S_RELAXATION, 0] > 0.0 or (rho.size > 0 and ctx[H_ACCELERATING] == 1)
        within = (WITHIN if rho.size > 0 else 0.1) * enough
        _inside(ctx, t, bs, own, b, 1.0, x, rest, z, within)
        if size == 0.0:
            status = OK
        elif plain:
            status = _plain(ctx, t, bs, own, b, x, rest, z, rho, enough, within)
        else:
            status = _conjugate(ctx, t, bs, own, b, x, rest, z, p, moved, enough)
        if ctx[H_ACCELERATING] == 1:
            for i in range(n):
                guess[i] = x[i] if status == OK else 0.0
        return status

    return uzawa_solve
