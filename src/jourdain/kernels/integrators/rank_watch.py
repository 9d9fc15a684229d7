"""How near each row of the constraints comes to depending on the others, from step to step: which pass through zero.

A pivot of K over the diagonal is the square of what is left of a row after those solved before it. On the way through
a singular position that of one row falls to zero and rises again, its root nearly in straight lines. A long step may
go over such a position without an evaluation near it, and end on the other branch with everything closed. So the loop
keeps the pivots of the last two steps, row by row: one loop of a machine may come near while others are far, and some
are near all the time. Where the root of one falls so fast that it would vanish in the step that was just accepted,
somebody is told: in one as long as usual, for error control may shorten steps on the way. Factors are those of the
state at the end of the step, as the projection and the slope there left them.
"""

from numba import njit

from ..core.context import (
    H_BLOCK,
    H_DENSE,
    H_RECURSIVE,
    INSIDE,
    MARGINS,
    PIVOT,
    PIVOTS,
    SCALE,
    ints,
    reals,
    state,
)
from ..layout.tree_table import CLOSINGS, MEETING, SPOT_RANGES, SPOTS, SUMS

REACH = 2.0  # steps in which the root of a pivot would vanish in a straight line; it bends, and falls later than that


@njit(**INSIDE)
def note_margins(ctx, y):
    """Of every row, at the state that was factored last: its pivot over its diagonal; 0 if left out, -1 if unknown."""
    margins = reals(ctx, MARGINS)
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
def passes(ctx, h, usual):
    """Whether a row would have vanished in the step of length h that was just accepted, were it as long as usual."""
    margins = reals(ctx, MARGINS)
    last = margins.shape[0] - 1
    before = margins[last, 0]  # s, length of the step before
    found = False
    falls = (1.0 + before / (REACH * usual)) ** 2
    for i in range(last):
        if before > 0.0 and margins[i, 1] >= 0.0 and margins[i, 0] > falls * margins[i, 1]:
            found = True
        margins[i, 0] = margins[i, 1]
        margins[i, 1] = margins[i, 2]
    margins[last, 0] = h
    return found
