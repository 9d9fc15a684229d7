"""Linear joints eliminated beforehand: K lam = b where many rows of J are constant (`Natural(eliminate=True)`).

In natural coordinates a pin is linear (Pappalardo and Guida 2018). With its rows first, L, and the others behind, N,

    K = [K_LL  K_LN; K_NL  K_NN],    S = K_NN - K_NL K_LL^-1 K_LN

K_LL = J_L M^-1 J_L^T is constant: it is inverted once, and only S, which is as large as what is not linear, is factored
at each position. lam_N = S^-1 (b_N - Y b_L) with Y = K_NL K_LL^-1, and lam_L = K_LL^-1 b_L - Y^T lam_N. That is the
system in independent coordinates q = T z + c, T^T M T z'' = T^T (Q - J_N^T lam_N): its (T^T M T)^-1 is
M^-1 - M^-1 J_L^T K_LL^-1 J_L M^-1 seen from q. What follows q linearly is left in q, where everybody finds it.

There are two metrics, that of M and, for the direct correction, that of 1. Which one K is of, and whether masses have
changed, is seen from K_LL: each inverse is kept with the K_LL that it is of. A pivot that vanishes, of K_LL or S, is
left to the rank-revealing way.
"""

from numba import njit

from ..core.context import (
    COLUMN,
    F_ASSEMBLE,
    F_DENSE_FACTOR,
    F_DENSE_SOLVE,
    H_BLOCK,
    H_CHOSEN,
    H_DENSE,
    H_EXPECTED_RANK,
    H_Q,
    H_RANK_LOSSES,
    H_ROWS,
    INSIDE,
    LINEAR_COUPLING,
    LINEAR_INVERSE,
    LINEAR_MADE_FOR,
    LINEAR_PLACE,
    LINEAR_REST,
    LINEAR_RIGHT,
    OK,
    PIVOT,
    PIVOTS,
    S_PIVOT,
    SCALE,
    SETTINGS,
    K,
    ints,
    reals,
    run,
    state,
    table,
    vector_at,
)

NEITHER = -1


@njit(**INSIDE)
def _is_made_for(ctx, like, first, n):
    """Whether K_LL is the one in LINEAR_MADE_FOR that begins there."""
    k_block, made_for = state(ctx, K, like), state(ctx, LINEAR_MADE_FOR, like)
    pivots, column, place = ints(ctx, PIVOTS), ints(ctx, COLUMN), ints(ctx, LINEAR_PLACE)
    bs = ctx[H_BLOCK]
    for p in range(pivots.shape[0]):
        right = place[pivots[p, 0], 0]
        if right < 0:
            continue
        for c in range(pivots[p, 2] - 1, pivots[p, 3]):  # the diagonal, then what is below it
            block = pivots[p, 1] if c < pivots[p, 2] else column[c, 0]
            left = right if c < pivots[p, 2] else place[column[c, 1], 0]
            if left >= 0:
                for i in range(bs):
                    for j in range(bs):
                        x = k_block[(block * bs + i) * bs + j]
                        if made_for[first + (left * bs + i) * n + right * bs + j] != x:
                            return False
    return True


@njit(**INSIDE)
def _gather_linear(ctx, like, A, n):
    """A = K_LL, which has n rows."""
    k_block = state(ctx, K, like)
    pivots, column, place = ints(ctx, PIVOTS), ints(ctx, COLUMN), ints(ctx, LINEAR_PLACE)
    bs = ctx[H_BLOCK]
    for i in range(A.size):
        A[i] = 0.0
    for p in range(pivots.shape[0]):
        right = place[pivots[p, 0], 0]
        for c in range(pivots[p, 2] - 1, pivots[p, 3]):
            block = pivots[p, 1] if c < pivots[p, 2] else column[c, 0]
            left = right if c < pivots[p, 2] else place[column[c, 1], 0]
            if left >= 0 and right >= 0:
                for i in range(bs):
                    for j in range(bs):
                        x = k_block[(block * bs + i) * bs + j]
                        A[(left * bs + i) * n + right * bs + j] = x
                        A[(right * bs + j) * n + left * bs + i] = x


@njit(**INSIDE)
def _gather_rest(ctx, like, S, Z, lin, rest):
    """S = K_NN below and on its diagonal, Z = K_NL."""
    k_block = state(ctx, K, like)
    pivots, column, place = ints(ctx, PIVOTS), ints(ctx, COLUMN), ints(ctx, LINEAR_PLACE)
    bs = ctx[H_BLOCK]
    for i in range(S.size):
        S[i] = 0.0
    for i in range(Z.size):
        Z[i] = 0.0
    for p in range(pivots.shape[0]):
        right = place[pivots[p, 0], 0]
        for c in range(pivots[p, 2] - 1, pivots[p, 3]):
            block = pivots[p, 1] if c < pivots[p, 2] else column[c, 0]
            left = right if c < pivots[p, 2] else place[column[c, 1], 0]
            if left >= 0 and right >= 0:
                continue
            for i in range(bs):
                for j in range(bs):
                    x = k_block[(block * bs + i) * bs + j]
                    if right >= 0:
                        Z[((-1 - left) * bs + i) * lin + right * bs + j] = x
                    elif left >= 0:
                        Z[((-1 - right) * bs + j) * lin + left * bs + i] = x
                    elif left <= right:  # farther back in S
                        S[((-1 - left) * bs + i) * rest + (-1 - right) * bs + j] = x
                    else:
                        S[((-1 - right) * bs + j) * rest + (-1 - left) * bs + i] = x


@njit(**INSIDE)
def _invert(A, n, right, smallest):
    """A <- A^-1 by Gauss and Jordan without pivoting, for A is positive definite; False where a pivot vanishes."""
    for i in range(n):
        right[i] = A[i * (n + 1)]
    for p in range(n):
        d = p * n
        if not A[d + p].real > smallest * right[p].real:
            return False
        inverse = 1.0 / A[d + p]
        A[d + p] = 1.0
        for j in range(n):
            A[d + j] *= inverse
        for i in range(n):
            if i != p:
                x = A[i * n + p]
                A[i * n + p] = 0.0
                for j in range(n):
                    A[i * n + j] -= x * A[d + j]
    return True


@njit(**INSIDE)
def _metric(ctx, like, lin):
    """Which of two inverses is of the K_LL at hand: if neither is, the one that was used longer ago is made anew."""
    if _is_made_for(ctx, like, 0, lin):
        return 0
    if _is_made_for(ctx, like, lin * lin, lin):
        return 1
    which = 1 - ctx[H_CHOSEN]
    made_for = state(ctx, LINEAR_MADE_FOR, like)[which * lin * lin : (which + 1) * lin * lin]
    A = state(ctx, LINEAR_INVERSE, like)[which * lin * lin : (which + 1) * lin * lin]
    right = state(ctx, LINEAR_RIGHT, like)
    _gather_linear(ctx, like, A, lin)
    for i in range(A.size):
        made_for[i] = A[i]
    if _invert(A, lin, right, reals(ctx, SETTINGS)[S_PIVOT, 0]):
        return which
    for i in range(A.size):
        made_for[i] = 0.0
    return NEITHER


@njit(**INSIDE)
def _count(place, bs):
    """How many rows are linear."""
    n = 0
    for b in range(place.shape[0]):
        if place[b, 0] >= 0:
            n += bs
    return n


@njit(**INSIDE)
def _reduce(S, Z, Y, inverse, lin, rest):
    """Y = Z K_LL^-1, and S = K_NN - Y Z^T below and on its diagonal; `inverse` is K_LL^-1.

    Most of Z is zero: an equation of one body meets the joints of that body only.
    """
    zero = 0.0 * S[0]
    for i in range(rest * lin):
        Y[i] = zero
    for i in range(rest):
        for k in range(lin):
            z = Z[i * lin + k]
            if z != zero:
                for j in range(lin):
                    Y[i * lin + j] += z * inverse[k * lin + j]
    for j in range(rest):
        for k in range(lin):
            z = Z[j * lin + k]
            if z != zero:
                for i in range(j, rest):
                    S[i * rest + j] -= Y[i * lin + k] * z


@njit(**INSIDE)
def _factor(S, rest):
    """S = L D L^T in place, L with ones; rows that fill up blocks are zero but on the diagonal."""
    zero = 0.0 * S[0]
    for k in range(rest):
        inverse = 1.0 / S[k * (rest + 1)]
        for j in range(k + 1, rest):
            x = S[j * rest + k] * inverse
            if x != zero:
                for i in range(j, rest):
                    S[i * rest + j] -= S[i * rest + k] * x
        for i in range(k + 1, rest):
            S[i * rest + k] *= inverse


def eliminated_factor(t, q_, v_, ctx_):
    """Entry: S and its factors, or the rank-revealing way where a pivot vanishes.

    The watch for singular positions finds pivots and diagonals where it does of other factors; linear rows keep theirs.
    """
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    if ctx[H_EXPECTED_RANK] > 0:
        return run(ctx, F_DENSE_FACTOR, t, q, q)
    run(ctx, F_ASSEMBLE, t, q, q)
    place, pivots = ints(ctx, LINEAR_PLACE), ints(ctx, PIVOTS)
    bs = ctx[H_BLOCK]
    lin = _count(place, bs)
    rest = ctx[H_ROWS] - lin
    which = _metric(ctx, q, lin)
    if which == NEITHER:
        ctx[H_RANK_LOSSES] += 1
        return run(ctx, F_DENSE_FACTOR, t, q, q)
    ctx[H_CHOSEN] = which
    ctx[H_DENSE] = 0
    S = state(ctx, LINEAR_REST, q)
    coupling = state(ctx, LINEAR_COUPLING, q)
    Z, Y = coupling[: rest * lin], coupling[rest * lin :]
    inverse = state(ctx, LINEAR_INVERSE, q)[which * lin * lin : (which + 1) * lin * lin]
    pivot, scale = state(ctx, PIVOT, q), state(ctx, SCALE, q)
    _gather_rest(ctx, q, S, Z, lin, rest)
    for r in range(scale.size):
        b = -1 - place[pivots[r // bs, 0], 0]
        scale[r] = S[(b * bs + r % bs) * (rest + 1)] if b >= 0 else 1.0
    _reduce(S, Z, Y, inverse, lin, rest)
    _factor(S, rest)
    smallest = reals(ctx, SETTINGS)[S_PIVOT, 0]
    for r in range(scale.size):
        b = -1 - place[pivots[r // bs, 0], 0]
        x = S[(b * bs + r % bs) * (rest + 1)] if b >= 0 else scale[r]
        if not x.real > smallest * scale[r].real:
            ctx[H_RANK_LOSSES] += 1
            return run(ctx, F_DENSE_FACTOR, t, q, q)
        pivot[r * bs + r % bs] = 1.0 / x
    return OK


@njit(**INSIDE)
def _solve_rest(S, Y, right, lin, rest):
    """Of the rows N, which stand behind the rows L: S^-1 (b_N - Y b_L)."""
    for i in range(rest):
        total = right[lin + i]
        for k in range(lin):
            total -= Y[i * lin + k] * right[k]
        for k in range(i):
            total -= S[i * rest + k] * right[lin + k]
        right[lin + i] = total
    for i in range(rest - 1, -1, -1):
        total = right[lin + i] / S[i * (rest + 1)]
        for k in range(i + 1, rest):
            total -= S[k * rest + i] * right[lin + k]
        right[lin + i] = total


def eliminated_solve(t, x_, unused_, ctx_):
    """Entry: K x = b in place."""
    ctx = table(ctx_)
    x = vector_at(x_, ctx[H_ROWS])
    if ctx[H_DENSE] == 1:
        return run(ctx, F_DENSE_SOLVE, t, x, x)
    place = ints(ctx, LINEAR_PLACE)
    bs = ctx[H_BLOCK]
    lin = _count(place, bs)
    rest = x.size - lin
    S = state(ctx, LINEAR_REST, x)
    Y = state(ctx, LINEAR_COUPLING, x)[rest * lin :]
    first = ctx[H_CHOSEN] * lin * lin
    inverse = state(ctx, LINEAR_INVERSE, x)
    right = state(ctx, LINEAR_RIGHT, x)
    for r in range(x.size):
        b = place[r // bs, 0]
        right[b * bs + r % bs if b >= 0 else lin + (-1 - b) * bs + r % bs] = x[r]
    _solve_rest(S, Y, right, lin, rest)
    for r in range(x.size):
        b = place[r // bs, 0]
        if b < 0:
            x[r] = right[lin + (-1 - b) * bs + r % bs]
            continue
        i = b * bs + r % bs
        total = 0.0 * x[0]
        for k in range(lin):
            total += inverse[first + i * lin + k] * right[k]
        for k in range(rest):
            total -= Y[k * lin + i] * right[lin + k]
        x[r] = total
    return OK
