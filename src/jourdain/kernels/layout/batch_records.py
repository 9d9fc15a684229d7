"""Many variants of one mechanism: what is asked of the kernels, what they find, and what they work in.

Records, not arguments: the loops over variants read some twenty arrays, and a name cannot stand in the wrong place.
"""

from typing import Any, NamedTuple

# What becomes of a variant beside the status of its run.
UNUSUAL_START = -1  # left to the caller before it ran
GIVEN_UP = -2  # the caller wants to stop
WAITING = -3  # nothing yet
READY = -4  # its start is closed (see in_lanes.py)

# plan[]: P_MOST is of steps
(
    P_ORDER,
    P_PAUSE,
    P_MOST,
    P_WATCH,
    P_STIFF,
    P_RANK,
    P_READY,
    P_FREE_POSE,
    P_FREE_MOTION,
    P_TURNS,
    P_FROM,
    P_RESUME,
    P_LENGTH,
) = range(13)
# scales[]: step of fixed methods or rtol; atol; longest step; what counts as closed, m
R_STEP, R_ATOL, R_LONGEST, R_CLOSED, R_LENGTH = range(5)
# found[]: of each variant
V_STATUS, V_STEPS, V_REJECTED, V_EVALUATIONS, V_NEWTONS, V_RANK_LOSSES, V_LENGTH = range(7)


class Piece(NamedTuple):
    """A piece of a batch: what differs, and what is found."""

    places: Any  # (numbers, 3): field, row and column of each number that differs
    values: Any  # (n, numbers)
    starts: Any  # (n, y)
    times: Any
    marks: Any  # times that no step passes, in order
    samples: Any  # (n, times, y)
    outs: Any  # (n, times or 0, reported)
    plan: Any
    scales: Any
    found: Any  # (n, V_LENGTH)
    ends: Any  # (n, 2): how far assembly moved the start, the time reached
    stop: Any  # stop[0] = 1: the caller wants no more


class Alone(NamedTuple):
    """Memory of variants that run one after the other."""

    ctx: Any
    template: Any  # as it was before anything ran
    resets: Any  # (fields, 2): those that are renewed for each variant, 1 if of integers
    first: Any  # the assembled start of the first variant
    work: Any
    y: Any
    clock: Any
    counts: Any


class Lanes(NamedTuple):
    """Memory of variants that run side by side; `begun` has the clocks with which they begin."""

    ctx: Any
    state: Any  # (1, y, lanes), like the next two
    row: Any
    work: Any  # of rk4
    begun: Any  # (n, clock)
    clocks: Any  # (lanes, clock)
    counts: Any  # (lanes, counts)
    notes: Any
    marks: Any
    spans: Any
    margins: Any  # (lanes, rows + 1, 3)


class Boxes(NamedTuple):
    """Boxes of a system, all of one kind (kernels/batch/boxes.py). The first axis is that of boxes.

    Kernels get it by a table of addresses (kernels/core/records.py), fields in this order.
    """

    tables: Any  # (n, 2): addresses of the tables of a box, and of its workspace for looking
    places: Any  # (n, numbers): of the loads among its parameters
    copies: Any  # (copies, 3): where to, where from, how many words: memory that begins anew
    first_copy: Any  # (n + 1): which of them are whose
    words: Any  # (n, words, 2): words of the table and their values, likewise
    bodies: Any  # (n, ports): the body of each port
    arms: Any  # (n, ports, axes): from its mass centre, body axes
    t: Any
    y: Any
    work: Any  # (n, rows, y), of the method
    clock: Any
    counts: Any
    steps: Any  # s, of the method
    ends: Any  # (n, 1): where it goes
    samples: Any  # (n, 1, y)
    slopes: Any  # (n, y): y' where they were looked at
    motion: Any  # (n, ports, numbers): place, attitude, velocity, spin, rates of these two
    trial: Any  # the same, of wrenches that are tried
    held: Any  # (1, n, ports, components): wrenches that do not change
    vectors: Any  # (n, 3, 3), to work in
    status: Any
    pause: Any  # steps
