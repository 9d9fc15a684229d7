"""The rank-revealing way to solve K x = b: dense LDL^T with diagonal pivoting, stopped where pivots vanish.

Used for the few evaluations near a singular position, where the block factorisation gives up. Rows beyond the
rank get no multiplier (a basic solution): accelerations are the same as with any other choice, because the rows
left out are combinations of those kept.
"""

from numba import njit

from .context import (
    DENSE,
    H_RANK,
    INSIDE,
    JACOBIAN,
    PAIRS,
    PERMUTATION,
    S_PIVOT,
    SCALE,
    SETTINGS,
    SLOTS,
    UNIT_ROWS,
    WEIGHTED,
    ints,
    reals,
    state,
)


@njit(**INSIDE)
def dense_factor(ctx, like, bs, nvb):
    """Assemble and factor; False if the system is too large for this way."""
    A = state(ctx, DENSE, like)
    permutation = ints(ctx, PERMUTATION)
    scale = state(ctx, SCALE, like)
    n = scale.size
    if A.size != n * n:
        return False
    J = state(ctx, JACOBIAN, like)
    W = state(ctx, WEIGHTED, like)
    slots = ints(ctx, SLOTS)
    pairs = ints(ctx, PAIRS)
    unit = ints(ctx, UNIT_ROWS)
    smallest = reals(ctx, SETTINGS)[S_PIVOT, 0]
    for i in range(n * n):
        A[i] = 0.0
    for p in range(pairs.shape[0]):
        a = pairs[p, 0]
        b = pairs[p, 1]
        for i in range(bs):
            row = slots[a, 0] * bs + i
            for j in range(bs):
                col = slots[b, 0] * bs + j
                total = 0.0 * like[0]
                for c in range(nvb):
                    total += J[(a * bs + i) * nvb + c] * W[(b * bs + j) * nvb + c]
                A[row * n + col] += total
                if slots[a, 0] != slots[b, 0]:
                    A[col * n + row] += total
    for k in range(unit.shape[0]):
        A[unit[k, 0] * n + unit[k, 0]] = 1.0
    for i in range(n):
        permutation[i, 0] = i
        scale[i] = A[i * n + i]
    ctx[H_RANK] = n
    for k in range(n):
        best = k
        most = -1.0
        for i in range(k, n):
            r = permutation[i, 0]
            ratio = A[r * n + r].real / scale[r].real
            if ratio > most:
                most = ratio
                best = i
        if not most > smallest:
            ctx[H_RANK] = k
            break
        p = permutation[best, 0]
        permutation[best, 0] = permutation[k, 0]
        permutation[k, 0] = p
        for i in range(k + 1, n):
            r = permutation[i, 0]
            factor = A[r * n + p] / A[p * n + p]
            for j in range(k + 1, i + 1):
                s = permutation[j, 0]
                A[r * n + s] -= factor * A[s * n + p]
                A[s * n + r] = A[r * n + s]
        for i in range(k + 1, n):
            r = permutation[i, 0]
            A[r * n + p] /= A[p * n + p]  # L; row p of A keeps the old column, unused from here on
    return True


@njit(**INSIDE)
def dense_solve(ctx, x):
    """K x = b in place with the factors of `dense_factor`; x = 0 beyond the rank."""
    A = state(ctx, DENSE, x)
    permutation = ints(ctx, PERMUTATION)
    n = permutation.shape[0]
    rank = ctx[H_RANK]
    for k in range(rank):
        p = permutation[k, 0]
        for i in range(k):
            s = permutation[i, 0]
            x[p] -= A[p * n + s] * x[s]
    for k in range(rank):
        p = permutation[k, 0]
        x[p] /= A[p * n + p]
    for k in range(rank - 1, -1, -1):
        p = permutation[k, 0]
        for i in range(k + 1, rank):
            r = permutation[i, 0]
            x[p] -= A[r * n + p] * x[r]
    for k in range(rank, n):
        x[permutation[k, 0]] = 0.0
