"""The rank-revealing way to solve K x = b: dense LDL^T with diagonal pivoting, stopped where pivots vanish.

Used where redundant rows are kept and share their load (udwadia-kalaba), and where a treatment has no sparse factors.
Rows beyond the rank get no multiplier (a basic solution): accelerations are the same as with any other choice, because
the rows left out are combinations of those kept.
"""

import numpy as np
from numba import njit

from ..core.context import (
    DENSE,
    GRAM,
    H_BLOCK,
    H_BODY_V,
    H_DENSE,
    H_EXPECTED_RANK,
    H_MOORE_PENROSE,
    H_Q,
    H_RANK,
    H_ROWS,
    INSIDE,
    JACOBIAN,
    OK,
    PAIRS,
    PERMUTATION,
    RANK_LOST,
    S_PIVOT,
    SCALE,
    SETTINGS,
    SLOTS,
    UNIT_ROWS,
    WEIGHTED,
    ints,
    reals,
    state,
    table,
    vector_at,
)


def dense_factor(t, q_, v_, ctx_):
    """Entry: assemble and factor; RANK_LOST if the system is too large for this way."""
    ctx = table(ctx_)
    like = vector_at(q_, ctx[H_Q])
    bs, nvb = ctx[H_BLOCK], ctx[H_BODY_V]
    A = state(ctx, DENSE, like)
    n = ctx[H_ROWS]
    ctx[H_DENSE] = 1
    if A.size != n * n:
        return RANK_LOST
    J = state(ctx, JACOBIAN, like)
    W = state(ctx, WEIGHTED, like)
    slots = ints(ctx, SLOTS)
    pairs = ints(ctx, PAIRS)
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
    factor_dense(ctx, like)
    return OK


@njit(**INSIDE)
def factor_dense(ctx, like):
    """LDL^T of K in DENSE, up to its rank."""
    A = state(ctx, DENSE, like)
    permutation = ints(ctx, PERMUTATION)
    scale = state(ctx, SCALE, like)
    unit = ints(ctx, UNIT_ROWS)
    smallest = reals(ctx, SETTINGS)[S_PIVOT, 0]
    n = scale.size
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
        if (k > 0 and k == ctx[H_EXPECTED_RANK]) or not most > smallest:
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
    if ctx[H_MOORE_PENROSE] == 1:
        _gram(ctx, like)


@njit(**INSIDE)
def _column(A, n, permutation, i, k):
    """Entry (i, k) of the n x rank factor L D^(1/2), rows in pivot order."""
    p = permutation[k, 0]
    if i < k:
        return 0.0 * A[p * n + p]
    root = np.sqrt(A[p * n + p])
    return root if i == k else A[permutation[i, 0] * n + p] * root


@njit(**INSIDE)
def _gram(ctx, like):
    """Cholesky factor of L^T L, in GRAM: K^+ = L (L^T L)^-1 (L^T L)^-1 L^T for K = L L^T of full column rank."""
    A = state(ctx, DENSE, like)
    G = state(ctx, GRAM, like)
    permutation = ints(ctx, PERMUTATION)
    n = permutation.shape[0]
    rank = ctx[H_RANK]
    for a in range(rank):
        for b in range(a + 1):
            total = 0.0 * like[0]
            for i in range(a, n):
                total += _column(A, n, permutation, i, a) * _column(A, n, permutation, i, b)
            for k in range(b):
                total -= G[a * n + k] * G[b * n + k]
            G[a * n + b] = np.sqrt(total) if a == b else total / G[b * n + b]


@njit(**INSIDE)
def _gram_solve(G, n, rank, z):
    for i in range(rank):
        for k in range(i):
            z[i] -= G[i * n + k] * z[k]
        z[i] /= G[i * n + i]
    for i in range(rank - 1, -1, -1):
        for k in range(i + 1, rank):
            z[i] -= G[k * n + i] * z[k]
        z[i] /= G[i * n + i]


@njit(**INSIDE)
def _moore_penrose(ctx, x):
    """x <- K^+ x, the solution of least norm (Udwadia and Kalaba)."""
    A = state(ctx, DENSE, x)
    G = state(ctx, GRAM, x)
    permutation = ints(ctx, PERMUTATION)
    n = permutation.shape[0]
    rank = ctx[H_RANK]
    z = state(ctx, SCALE, x)  # free once K is factored
    for k in range(rank):
        z[k] = 0.0
        for i in range(k, n):
            z[k] += _column(A, n, permutation, i, k) * x[permutation[i, 0]]
    _gram_solve(G, n, rank, z)
    _gram_solve(G, n, rank, z)
    for i in range(n):
        total = 0.0 * x[0]
        for k in range(min(i + 1, rank)):
            total += _column(A, n, permutation, i, k) * z[k]
        x[permutation[i, 0]] = total


def dense_solve(t, x_, unused_, ctx_):
    """Entry: K x = b in place with the factors of `dense_factor`; x = 0 beyond the rank."""
    ctx = table(ctx_)
    x = vector_at(x_, ctx[H_ROWS])
    A = state(ctx, DENSE, x)
    permutation = ints(ctx, PERMUTATION)
    n = permutation.shape[0]
    rank = ctx[H_RANK]
    if ctx[H_MOORE_PENROSE] == 1:
        _moore_penrose(ctx, x)
        return OK
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
    return OK
