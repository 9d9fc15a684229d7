"""What implicit methods need: the Jacobian of the right-hand side, and factors of real and complex matrices.

Matrices lie in rows of a method's work array, from row `first` on, in columns 0 to n; factors overwrite them, row
exchanges go into a row of their own. Complex ones are two real ones. Only the n numbers under error control count:
works and turns do not act back on the motion.
"""

import math

from numba import njit

from .adaptive import STAGE
from .context import F_RHS, H_FRESH, INSIDE, OK, run

ROUNDING = 2.0**-52
SMALLEST = 1e-5  # of a state, for the increment of differences (Hairer's RADAU5)


@njit(**INSIDE)
def jacobian(ctx, t, y, slope, work, first, spare, n):
    """Row first + i, column j: d slope_i / d y_j at (t, y) by differences; uses row `spare`."""
    stage = work[work.shape[0] - STAGE]
    for i in range(y.size):
        stage[i] = y[i]
    for j in range(n):
        stage[j] = y[j] + math.sqrt(ROUNDING * max(SMALLEST, abs(y[j])))
        ctx[H_FRESH] = 0
        status = run(ctx, F_RHS, t, stage, work[spare])
        if status != OK:
            return status
        for i in range(n):
            work[first + i, j] = (work[spare, i] - slope[i]) / (stage[j] - y[j])
        stage[j] = y[j]
    return OK


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
        p = int(pivots[k])
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
        p = int(pivots[k])
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
