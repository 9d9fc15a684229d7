"""Iterations that converge slowly or not at all, combined so that they do: Anderson's method.

Forces that depend on reactions or accelerations are found by x = g(x). Plain repetition converges only where g changes
less than x does. The last few rounds tell how what is lacking, g(x) - x, changes along the steps taken, and the
combination of them that would leave nothing lacking is the next step (Anderson, J. ACM 12, 1965; Walker and Ni, SIAM
J. Numer. Anal. 49, 2011).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .context import ALLOCATING, INSIDE

# Rounds that are remembered: as many independent forces may feed back strongly.
ROUNDS = 6
# A difference of which so little (squared) is new depends on newer ones up to rounding.
INDEPENDENT = 1e-20


@njit(**ALLOCATING)
def combine(x, lacking, steps, changes, k):
    """x += the step that would leave nothing lacking, if what is lacking changed linearly along the last steps.

    By modified Gram-Schmidt from the newest difference back; one that depends on newer ones is left out. steps[k] is
    the step that led to changes[k].
    """
    n = x.size
    known = min(k, ROUNDS)
    step = lacking.copy()
    rest = lacking.copy()
    used_changes, used_steps = np.empty((known, n), dtype=x.dtype), np.empty((known, n), dtype=x.dtype)
    used = 0
    for back in range(known):
        place = (k - 1 - back) % ROUNDS
        u, w = changes[place].copy(), steps[place].copy()
        full = _dot(u, u)
        for j in range(used):
            c = _dot(used_changes[j], u)
            for i in range(n):
                u[i] -= c * used_changes[j, i]
                w[i] -= c * used_steps[j, i]
        size = _dot(u, u)
        if not size.real > INDEPENDENT * full.real:
            continue
        size = np.sqrt(size)
        c = 0.0 * size
        for i in range(n):
            used_changes[used, i] = u[i] / size
            used_steps[used, i] = w[i] / size
            c += used_changes[used, i] * rest[i]
        for i in range(n):
            rest[i] -= c * used_changes[used, i]
            step[i] -= c * (used_changes[used, i] + used_steps[used, i])
        used += 1
    for i in range(n):
        x[i] += step[i]
        steps[k % ROUNDS, i] = step[i]


@njit(**INSIDE)
def _dot(a, b):
    total = 0.0 * a[0]
    for i in range(a.size):
        total += a[i] * b[i]
    return total
