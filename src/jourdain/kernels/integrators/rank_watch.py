"""How near each row of the constraints comes to depending on the others, from step to step: which pass through zero.

A pivot of K over the diagonal is the square of what is left of a row after those solved before it. On the way through
a singular position that of one row falls to zero and rises again, its root nearly in straight lines. A long step may
go over such a position without an evaluation near it, and end on the other branch with everything closed. So the loop
keeps the pivots of the last two steps, row by row: one loop of a machine may come near while others are far, and some
are near all the time. Where the root of one falls so fast that it would vanish in the step that was just accepted,
somebody is told: in one as long as usual, for error control may shorten steps on the way. Factors are those of the
state at the end of the step, as the projection and the slope there left them. Steps of a fixed length are not taken
back, so there somebody is told some steps before. Where rows are eliminated the dense way all the time, the largest
pivot first, the k-th pivot stands for the k-th row: the last one is small where the rank is about to fall.
"""

from numba import njit

from ..core.context import (
    DENSE,
    H_BLOCK,
    H_DENSE,
    H_EXPECTED_RANK,
    H_RANK,
    H_RECURSIVE,
    INSIDE,
    MARGINS,
    PERMUTATION,
    PIVOT,
    PIVOTS,
    SCALE,
    ints,
    reals,
    state,
)
from ..layout.tree_table import CLOSINGS, MEETING, SPOT_RANGES, SPOTS, SUMS

REACH = 2.0  # steps in which the root of a pivot would vanish in a straight line; it bends, and falls later than that
REACH_FIXED = 8.0  # likewise, of a fixed step


@njit(**INSIDE)
def _note_dense(ctx, y, margins):
    """By the order of elimination."""
    A = state(ctx, DENSE, y)
    scale = state(ctx, SCALE, y)
    permutation = ints(ctx, PERMUTATION)
    n = permutation.shape[0]
    for k in range(n):
        p = permutation[k, 0]
        margins[k, 2] = A[p * n + p] / scale[p] if k < ctx[H_RANK] else 0.0


@njit(**INSIDE)
def note_margins(ctx, y):
    """Of every row, at the state that was factored last: its pivot over its diagonal; 0 if left out, -1 if unknown."""
    margins = reals(ctx, MARGINS)
    if ctx[H_DENSE] == 1 and ctx[H_EXPECTED_RANK] > 0:
        _note_dense(ctx, y, margins)
        return
    if ctx[H_DENSE] == 1:
        for i in range(margins.shape[0] - 1):
            margins[i, 2] = -1.0
        return
    if ctx[H_RECURSIVE] == 1:
        spots = ints(ctx, SPOTS)
        ranges = ints(ctx, SPOT_RANGES)
        closings = ints(ctx, CLOSINGS)
        met = reals(ctx, MEETING)
        sums = reals(ctx, SUMS)
        for j in range(ranges.shape[0]):
            for a in range(ranges[j, 0], ranges[j, 1]):
                row = spots[a, 0]
                x = -met[closings[ranges[j, 5] + a - ranges[j, 0], 0], 0] * sums[row, 0]
                margins[row, 2] = 1.0 / x if x > 0.0 else 0.0
        return
    bs = ctx[H_BLOCK]
    pivot = state(ctx, PIVOT, y)
    scale = state(ctx, SCALE, y)
    for p in range(ints(ctx, PIVOTS).shape[0]):
        for i in range(bs):
            x = pivot[(p * bs + i) * bs + i] * scale[p * bs + i]
            margins[p * bs + i, 2] = 1.0 / x if x > 0.0 else 0.0


@njit(**INSIDE)
def begin_margins(ctx, y):
    """At a start: nothing is known of steps before."""
    note_margins(ctx, y)
    margins = reals(ctx, MARGINS)
    last = margins.shape[0] - 1
    for i in range(last):
        margins[i, 1] = margins[i, 2]
    margins[last, 0] = 0.0


@njit(**INSIDE)
def vanishing(margins, within):
    """Whether a row would vanish within so many seconds, by what the last step did to it."""
    last = margins.shape[0] - 1
    before = margins[last, 0]  # s, length of that step
    if before > 0.0:
        falls = (1.0 + before / within) ** 2
        for i in range(last):
            if margins[i, 1] >= 0.0 and margins[i, 0] > falls * margins[i, 1]:
                return True
    return False


@njit(**INSIDE)
def shift_margins(margins, h):
    """The step of length h that was tried is the last one now."""
    last = margins.shape[0] - 1
    for i in range(last):
        margins[i, 0] = margins[i, 1]
        margins[i, 1] = margins[i, 2]
    margins[last, 0] = h


@njit(**INSIDE)
def passes(ctx, h, usual):
    """Whether a row would have vanished in the step of length h that was just accepted, were it as long as usual."""
    margins = reals(ctx, MARGINS)
    found = vanishing(margins, REACH * usual)
    shift_margins(margins, h)
    return found
