"""Linear joints eliminated beforehand: K lam = b where many rows of J are constant (`Natural(eliminate=True)`).

In natural coordinates a pin is linear (Pappalardo and Guida 2018). With its rows first, L, and the others behind, N,

    K = [K_LL  K_LN; K_NL  K_NN],    S = K_NN - K_NL K_LL^-1 K_LN

K_LL = J_L M^-1 J_L^T is constant: it is inverted once, and only S, which is as large as what is not linear, is factored
at each position. lam_N = S^-1 (b_N - Y b_L) with Y = K_NL K_LL^-1, and lam_L = K_LL^-1 b_L - Y^T lam_N. That is the
system in independent coordinates q = T z + c, T^T M T z'' = T^T (Q - J_N^T lam_N): its (T^T M T)^-1 is
M^-1 - M^-1 J_L^T K_LL^-1 J_L M^-1 seen from q. What follows q linearly is left in q, where everybody finds it.

There are two metrics, that of M and, for the direct correction, that of 1. Which one W = J M^-1 is of, and whether
masses have changed, is seen from its linear rows: each metric keeps those it was made for. A pivot that vanishes, of
K_LL or S, is left to the rank-revealing way.
"""

from numba import njit

from ..core.context import (
    F_DENSE_FACTOR,
    F_DENSE_SOLVE,
    H_BLOCK,
    H_BODY_V,
    H_CHOSEN,
    H_DENSE,
    H_EXPECTED_RANK,
    H_Q,
    H_RANK_LOSSES,
    H_ROWS,
    INSIDE,
    JACOBIAN,
    LINEAR_COUPLING,
    LINEAR_INVERSE,
    LINEAR_MADE_FOR,
    LINEAR_PLACE,
    LINEAR_REST,
    LINEAR_RIGHT,
    OK,
    PAIRS,
    PIVOT,
    PIVOTS,
    S_PIVOT,
    SCALE,
    SETTINGS,
    SLOTS,
    UNIT_ROWS,
    WEIGHTED,
    ints,
    reals,
    run,
    state,
    table,
    vector_at,
)

OF_MASS, OF_ONE, NEITHER = 0, 1, -1


@njit(**INSIDE)
def _metric(ctx, like):
    """Which of the two inverses is of the metric at hand; it is made anew if neither is."""
    W = state(ctx, WEIGHTED, like)
    J = state(ctx, JACOBIAN, like)
    made_for = state(ctx, LINEAR_MADE_FOR, like)
    slots, place = ints(ctx, SLOTS), ints(ctx, LINEAR_PLACE)
    size = ctx[H_BLOCK] * ctx[H_BODY_V]
    half = made_for.size // 2
    same, other, one = True, True, True
    k = 0
    for s in range(slots.shape[0]):
        if place[slots[s, 0], 0] >= 0:
            for c in range(size):
                w = W[s * size + c]
                same = same and made_for[k] == w
                other = other and made_for[half + k] == w
                one = one and J[s * size + c] == w
                k += 1
    if same:
        return OF_MASS
    if other:
        return OF_ONE
    which = OF_ONE if one else OF_MASS
    k = which * half
    for s in range(slots.shape[0]):
        if place[slots[s, 0], 0] >= 0:
            for c in range(size):
                made_for[k] = W[s * size + c]
                k += 1
    if _invert(ctx, like, which):
        return which
    for c in range(which * half, which * half + half):
        made_for[c] = 0.0
    return NEITHER


@njit(**INSIDE)
def _entry(J, W, a, b, nvb):
    """Of K, from a row of J and a row of W."""
    total = J[a] * W[b]
    for c in range(1, nvb):
        total += J[a + c] * W[b + c]
    return total


@njit(**INSIDE)
def _invert(ctx, like, which):
    """LINEAR_INVERSE = K_LL^-1; False where a pivot vanishes."""
    bs, nvb = ctx[H_BLOCK], ctx[H_BODY_V]
    A = state(ctx, LINEAR_INVERSE, like)
    J, W = state(ctx, JACOBIAN, like), state(ctx, WEIGHTED, like)
    slots, pairs, place = ints(ctx, SLOTS), ints(ctx, PAIRS), ints(ctx, LINEAR_PLACE)
    unit = ints(ctx, UNIT_ROWS)
    right = state(ctx, LINEAR_RIGHT, like)
    n = 0
    for b in range(place.shape[0]):
        if place[b, 0] >= 0:
            n += bs
    first = which * n * n
    for i in range(first, first + n * n):
        A[i] = 0.0
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        row, column = place[slots[a, 0], 0], place[slots[b, 0], 0]
        if row >= 0 and column >= 0:
            for i in range(bs):
                for j in range(bs):
                    x = _entry(J, W, (a * bs + i) * nvb, (b * bs + j) * nvb, nvb)
                    A[first + (row * bs + i) * n + column * bs + j] += x
                    if row != column:
                        A[first + (column * bs + j) * n + row * bs + i] += x
    for k in range(unit.shape[0]):
        b = place[unit[k, 0] // bs, 0]
        if b >= 0:
            A[first + (b * bs + unit[k, 0] % bs) * (n + 1)] = 1.0
    for i in range(n):
        right[i] = A[first + i * (n + 1)]
    smallest = reals(ctx, SETTINGS)[S_PIVOT, 0]
    for p in range(n):  # Gauss-Jordan without pivoting: K_LL is positive definite
        d = first + p * n
        if not A[d + p].real > smallest * right[p].real:
            return False
        inverse = 1.0 / A[d + p]
        A[d + p] = 1.0
        for j in range(n):
            A[d + j] *= inverse
        for i in range(n):
            if i != p:
                x = A[first + i * n + p]
                A[first + i * n + p] = 0.0
                for j in range(n):
                    A[first + i * n + j] -= x * A[d + j]
    return True


@njit(**INSIDE)
def _assemble(ctx, like, S, Z, lin, rest):
    """S = K_NN and Z = K_NL."""
    bs, nvb = ctx[H_BLOCK], ctx[H_BODY_V]
    J, W = state(ctx, JACOBIAN, like), state(ctx, WEIGHTED, like)
    slots, pairs, place = ints(ctx, SLOTS), ints(ctx, PAIRS), ints(ctx, LINEAR_PLACE)
    unit = ints(ctx, UNIT_ROWS)
    for i in range(rest * rest):
        S[i] = 0.0
    for i in range(rest * lin):
        Z[i] = 0.0
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        row, column = place[slots[a, 0], 0], place[slots[b, 0], 0]
        if row >= 0 and column >= 0:
            continue
        for i in range(bs):
            for j in range(bs):
                x = _entry(J, W, (a * bs + i) * nvb, (b * bs + j) * nvb, nvb)
                if column >= 0:
                    Z[((-1 - row) * bs + i) * lin + column * bs + j] += x
                elif row >= 0:
                    Z[((-1 - column) * bs + j) * lin + row * bs + i] += x
                else:
                    S[((-1 - row) * bs + i) * rest + (-1 - column) * bs + j] += x
                    if row != column:
                        S[((-1 - column) * bs + j) * rest + (-1 - row) * bs + i] += x
    for k in range(unit.shape[0]):
        b = place[unit[k, 0] // bs, 0]
        if b < 0:
            S[((-1 - b) * bs + unit[k, 0] % bs) * (rest + 1)] = 1.0


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
    """Y = Z K_LL^-1, and S = K_NN - Y Z^T below and on its diagonal; `inverse` is K_LL^-1."""
    zero = 0.0 * S[0]
    for i in range(rest):
        for j in range(lin):
            total = zero
            for k in range(lin):
                total += Z[i * lin + k] * inverse[k * lin + j]
            Y[i * lin + j] = total
        for j in range(i + 1):
            total = S[i * rest + j]
            for k in range(lin):
                total -= Y[i * lin + k] * Z[j * lin + k]
            S[i * rest + j] = total


@njit(**INSIDE)
def _factor(S, rest):
    """S = L D L^T in place, L with ones."""
    for i in range(rest):
        for j in range(i):
            total = S[i * rest + j]
            for k in range(j):
                total -= S[i * rest + k] * S[j * rest + k] * S[k * (rest + 1)]
            S[i * rest + j] = total / S[j * (rest + 1)]
        total = S[i * (rest + 1)]
        for k in range(i):
            total -= S[i * rest + k] * S[i * rest + k] * S[k * (rest + 1)]
        S[i * (rest + 1)] = total


def eliminated_factor(t, q_, v_, ctx_):
    """Entry: S and its factors, or the rank-revealing way where a pivot vanishes.

    The watch for singular positions finds pivots and diagonals where it does of other factors; linear rows keep theirs.
    """
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    if ctx[H_EXPECTED_RANK] > 0:
        return run(ctx, F_DENSE_FACTOR, t, q, q)
    which = _metric(ctx, q)
    if which == NEITHER:
        ctx[H_RANK_LOSSES] += 1
        return run(ctx, F_DENSE_FACTOR, t, q, q)
    ctx[H_CHOSEN] = which
    ctx[H_DENSE] = 0
    place, pivots = ints(ctx, LINEAR_PLACE), ints(ctx, PIVOTS)
    bs = ctx[H_BLOCK]
    lin = _count(place, bs)
    rest = ctx[H_ROWS] - lin
    S = state(ctx, LINEAR_REST, q)
    coupling = state(ctx, LINEAR_COUPLING, q)
    Z, Y = coupling[: rest * lin], coupling[rest * lin :]
    inverse = state(ctx, LINEAR_INVERSE, q)[which * lin * lin : (which + 1) * lin * lin]
    pivot, scale = state(ctx, PIVOT, q), state(ctx, SCALE, q)
    _assemble(ctx, q, S, Z, lin, rest)
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
