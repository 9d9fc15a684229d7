"""Joints between ports of boxes, and what boxes answer: sums over slots of J and over blocks of mobility.

`slots` (block of rows, port) are those of the joints' J, `numbers` (block, row) the equation of each of their rows or
-1; Y has the mobilities of all boxes one behind the other. Nothing here is a matrix of the machine but `stiffness`,
which writes K = J Y J^T where its caller wants each number of it.
"""

from numba import njit

from ..core.context import (
    F_PLACE,
    F_TIMES,
    GAMMA,
    H_Q,
    H_V,
    OPTIONS,
    PARTIAL,
    RESIDUAL,
    SCRATCH,
    run,
    state,
)
from ..core.formula_parts import copy_z


@njit(**OPTIONS)
def equations(ctx, t, y, rows, found):
    """C, C', gamma and C_t of the rows where the ports are, into the four rows of `found`."""
    nq, nv = ctx[H_Q], ctx[H_V]
    q, v = y[:nq], y[nq : nq + nv]
    copy_z(ctx, y)
    run(ctx, F_PLACE, t, q, v)
    rates = state(ctx, SCRATCH, y)
    run(ctx, F_TIMES, t, v, rates)
    residual, partial, gamma = state(ctx, RESIDUAL, y), state(ctx, PARTIAL, y), state(ctx, GAMMA, y)
    for k in range(rows.size):
        r = rows[k]
        found[0, k] = residual[r]
        found[1, k] = rates[r] + partial[r]
        found[2, k] = gamma[r]
        found[3, k] = partial[r]


@njit(**OPTIONS)
def times(slots, numbers, J, x, rows):
    """rows = J x."""
    block, width = numbers.shape[1], J.shape[1] // numbers.shape[1]
    rows[:] = 0.0
    for s in range(slots.shape[0]):
        first = slots[s, 1] * width
        for r in range(block):
            k = numbers[slots[s, 0], r]
            if k >= 0:
                total = 0.0
                for c in range(width):
                    total += J[s, r * width + c] * x[first + c]
                rows[k] += total


@njit(**OPTIONS)
def pressed(slots, numbers, J, lam, wrenches):
    """wrenches = -J^T lam."""
    block, width = numbers.shape[1], J.shape[1] // numbers.shape[1]
    wrenches[:] = 0.0
    for s in range(slots.shape[0]):
        first = slots[s, 1] * width
        for r in range(block):
            k = numbers[slots[s, 0], r]
            if k >= 0:
                for c in range(width):
                    wrenches[first + c] -= J[s, r * width + c] * lam[k]


@njit(**OPTIONS)
def moved(boxes, Y, wrenches, rates):
    """rates = Y wrenches; of each box: its first number in Y, how many numbers its ports have, the first of them."""
    for b in range(boxes.shape[0]):
        place, n, first = boxes[b, 0], boxes[b, 1], boxes[b, 2]
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += Y[place + i * n + j] * wrenches[first + j]
            rates[first + i] = total


@njit(**OPTIONS)
def stiffness(pairs, places, J, Y, found):
    """found[places] += J_1 Y_12 J_2^T over pairs of slots on one box: two slots, first number in Y, its row length."""
    block = places.shape[1]
    width = J.shape[1] // block
    found[:] = 0.0
    for p in range(pairs.shape[0]):
        one, two, start, length = pairs[p, 0], pairs[p, 1], pairs[p, 2], pairs[p, 3]
        for i in range(block):
            for j in range(block):
                if places[p, i, j] >= 0:
                    total = 0.0
                    for a in range(width):
                        inner = 0.0
                        for b in range(width):
                            inner += Y[start + a * length + b] * J[two, j * width + b]
                        total += J[one, i * width + a] * inner
                    found[places[p, i, j]] += total
