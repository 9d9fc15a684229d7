"""Boxes of a system, each a mechanism of its own with loads on its ports, over a macro step without Python between.

Boxes are of one kind: as many coordinates and ports, one method. Each has a workspace of its own, by
the address of its table, and a second one to look at states (session/observer.py); memory begins anew with each macro
step, by copies of what it was. Motions of ports are found here for whoever asks, so that one box called alone has the
bits that it has among others.
"""

import math

from numba import njit

from ..core.context import (
    F_RHS,
    H_Q,
    H_V,
    HOT,
    INSIDE,
    NOT_FINITE,
    OK,
    OPTIONS,
    PARAMETERS,
    PAUSED,
    TABLE_LENGTH,
    cache_name,
    largest,
    reals,
    run,
)
from ..core.direct import ints_at
from ..core.dynamics import forget
from ..core.records import WORDS, ints_1, ints_2, ints_3, reals_1, reals_2, reals_3, reals_4
from ..integrators.fixed_loop import advance_ab6, advance_alpha, advance_newmark, advance_rk4, advance_rk6
from ..layout.batch_records import Boxes
from ..layout.loops import (
    AB6,
    ALPHA,
    C_RESTART,
    C_SAMPLE,
    C_SUBSTEP,
    NEWMARK,
    RK4,
    RK6,
    T_AHEAD,
    T_FROM,
    T_NOW,
    T_STOP,
)

MOST = 10**15  # steps


@njit(**HOT)
def _opened(table):
    """The record at a table, its fields in the order of Boxes."""
    return Boxes(
        tables=ints_2(table, 0),
        places=ints_2(table, 1),
        copies=ints_2(table, 2),
        first_copy=ints_1(table, 3),
        words=ints_3(table, 4),
        bodies=ints_2(table, 5),
        arms=reals_3(table, 6),
        t=reals_1(table, 7),
        y=reals_2(table, 8),
        work=reals_3(table, 9),
        clock=reals_2(table, 10),
        counts=ints_2(table, 11),
        steps=reals_1(table, 12),
        ends=reals_2(table, 13),
        samples=reals_3(table, 14),
        slopes=reals_2(table, 15),
        motion=reals_3(table, 16),
        trial=reals_3(table, 17),
        held=reals_4(table, 18),
        vectors=reals_3(table, 19),
        status=ints_1(table, 20),
        pause=table[WORDS * 21],
    )


@njit(**INSIDE)
def _put(ctx, places, t, H, wrenches):
    """From t on the loads are sum_k wrenches[k] ((time - t) / H)^k. `places`: of clock and rate, then as wrenches."""
    held = reals(ctx, PARAMETERS)
    held[places[0], 0] = t
    held[places[1], 0] = 1.0 / H
    ports, width = wrenches.shape[1], wrenches.shape[2]
    for i in range(2, places.size):
        d, number = (i - 2) // (ports * width), (i - 2) % (ports * width)
        held[places[i], 0] = wrenches[d, number // width, number % width] if d < wrenches.shape[0] else 0.0


@njit(**INSIDE)
def _renew(own, k, ctx):
    """Memory as it was before the first run, the numbers of the mechanism and of the loads as they are."""
    for i in range(own.first_copy[k], own.first_copy[k + 1]):
        to, come = ints_at(own.copies[i, 0], own.copies[i, 2]), ints_at(own.copies[i, 1], own.copies[i, 2])
        for j in range(to.size):
            to[j] = come[j]
    for i in range(own.words.shape[1]):
        ctx[own.words[k, i, 0]] = own.words[k, i, 1]


@njit(**INSIDE)
def _look(own, k):
    """y' where box k stands, by the workspace for looking; whether it could be found."""
    ctx, looking = ints_at(own.tables[k, 0], TABLE_LENGTH), ints_at(own.tables[k, 1], TABLE_LENGTH)
    held, seen = reals(ctx, PARAMETERS), reals(looking, PARAMETERS)
    for i in range(held.shape[0]):
        seen[i, 0] = held[i, 0]
    forget(looking, own.y)
    if run(looking, F_RHS, own.t[k], own.y[k], own.slopes[k]) != OK:
        return False
    return largest(own.slopes[k, ctx[H_Q] : ctx[H_Q] + ctx[H_V]]) < math.inf


@njit(**INSIDE)
def _planar(own, k, nq, rows):
    """Place, angle, velocity, spin and their rates of all ports: of x, y, angle of each body."""
    y, rates = own.y[k], own.slopes[k, nq:]
    for p in range(own.bodies.shape[1]):
        at = 3 * own.bodies[k, p]
        a, b = own.arms[k, p, 0], own.arms[k, p, 1]
        c, s = math.cos(y[at + 2]), math.sin(y[at + 2])
        x, z = c * a - s * b, s * a + c * b
        w, turning = y[nq + at + 2], rates[at + 2]
        row = rows[p]
        row[0], row[1], row[2] = y[at] + x, y[at + 1] + z, y[at + 2]
        row[3], row[4], row[5] = y[nq + at] - w * z, y[nq + at + 1] + w * x, w
        row[6] = rates[at] - turning * z - w * w * x
        row[7] = rates[at + 1] + turning * x - w * w * z
        row[8] = turning


@njit(**INSIDE)
def _cross(a, b, into):
    into[0] = a[1] * b[2] - a[2] * b[1]
    into[1] = a[2] * b[0] - a[0] * b[2]
    into[2] = a[0] * b[1] - a[1] * b[0]


@njit(**INSIDE)
def _spatial(own, k, nq, rows):
    """Place, quaternion, velocity, spin and their rates of all ports: of centre and quaternion of each body."""
    y, rates, work = own.y[k], own.slopes[k, nq:], own.vectors[k]
    r, once, twice = work[0], work[1], work[2]
    for p in range(own.bodies.shape[1]):
        body = own.bodies[k, p]
        at, to = 7 * body, 6 * body
        arm, row = own.arms[k, p], rows[p]
        e0, e1, e2, e3 = y[at + 3], y[at + 4], y[at + 5], y[at + 6]
        n = 1.0 / (e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3)
        # R_WB of the normalised quaternion, as in coordinates/quaternion.py
        r[0] = n * (
            (e0 * e0 + e1 * e1 - e2 * e2 - e3 * e3) * arm[0]
            + 2.0 * (e1 * e2 - e0 * e3) * arm[1]
            + 2.0 * (e1 * e3 + e0 * e2) * arm[2]
        )
        r[1] = n * (
            2.0 * (e1 * e2 + e0 * e3) * arm[0]
            + (e0 * e0 - e1 * e1 + e2 * e2 - e3 * e3) * arm[1]
            + 2.0 * (e2 * e3 - e0 * e1) * arm[2]
        )
        r[2] = n * (
            2.0 * (e1 * e3 - e0 * e2) * arm[0]
            + 2.0 * (e2 * e3 + e0 * e1) * arm[1]
            + (e0 * e0 - e1 * e1 - e2 * e2 + e3 * e3) * arm[2]
        )
        w, turning = y[nq + to + 3 : nq + to + 6], rates[to + 3 : to + 6]
        _cross(w, r, once)
        _cross(w, once, twice)
        for i in range(3):
            row[i] = y[at + i] + r[i]
            row[7 + i] = y[nq + to + i] + once[i]
            row[10 + i] = w[i]
            row[16 + i] = turning[i]
        _cross(turning, r, once)
        size = math.sqrt(n)
        for i in range(4):
            row[3 + i] = size * y[at + 3 + i]
        for i in range(3):
            row[13 + i] = rates[to + i] + once[i] + twice[i]


@njit(**INSIDE)
def _move(own, k, rows):
    """The motion of all ports of box k; whether it could be found."""
    if not _look(own, k):
        return False
    nq = ints_at(own.tables[k, 0], TABLE_LENGTH)[H_Q]
    if own.arms.shape[2] == 2:
        _planar(own, k, nq, rows)
    else:
        _spatial(own, k, nq, rows)
    return True


@njit(**OPTIONS)
def motions(table, wrenches, first, last):
    """Of the ports of boxes first to last where these stand, under wrenches (box, port, component)."""
    own = _opened(table)
    for k in range(first, last):
        ctx = ints_at(own.tables[k, 0], TABLE_LENGTH)
        for p in range(wrenches.shape[1]):
            for c in range(wrenches.shape[2]):
                own.held[0, k, p, c] = wrenches[k, p, c]
        _put(ctx, own.places[k], own.t[k], 1.0, own.held[:, k])
        own.status[k] = OK if _move(own, k, own.motion[k]) else NOT_FINITE


@njit(**OPTIONS)
def mobilities(table, wrenches, scales, found, first, last):
    """d(rates of ports) / d(wrenches) of boxes where they stand: rates are linear, so one evaluation a number is all.

    `scales` (box, component) are wrenches that move a box by about one; those of `wrenches` are acting.
    """
    own = _opened(table)
    ports, width = wrenches.shape[1], wrenches.shape[2]
    rates = own.motion.shape[2] - width
    for k in range(first, last):
        ctx = ints_at(own.tables[k, 0], TABLE_LENGTH)
        held = own.held[:, k]
        good = True
        for number in range(-1, ports * width):
            for p in range(ports):
                for c in range(width):
                    held[0, p, c] = wrenches[k, p, c]
            if number >= 0:
                held[0, number // width, number % width] += scales[k, number % width]
            _put(ctx, own.places[k], own.t[k], 1.0, held)
            rows = own.motion[k] if number < 0 else own.trial[k]
            good = good and _move(own, k, rows)
            if number >= 0:
                for p in range(ports):
                    for c in range(width):
                        more = rows[p, rates + c] - own.motion[k, p, rates + c]
                        found[k, p * width + c, number] = more / scales[k, number % width]
        for p in range(ports):
            for c in range(width):
                held[0, p, c] = wrenches[k, p, c]
        _put(ctx, own.places[k], own.t[k], 1.0, held)
        own.status[k] = OK if good else NOT_FINITE


def make_go(method):
    def go(table, H, wrenches, first, last):
        """Boxes first to last go on by H under wrenches (box, degree, port, component), and tell how their ports move.

        Those that cannot have another status than OK; what became of them does not matter.
        """
        own = _opened(table)
        for k in range(first, last):
            ctx = ints_at(own.tables[k, 0], TABLE_LENGTH)
            t, y, work, clock, counts = own.t[k], own.y[k], own.work[k], own.clock[k], own.counts[k]
            _renew(own, k, ctx)
            _put(ctx, own.places[k], t, H, wrenches[k])
            clock[T_NOW] = t
            clock[T_FROM] = t
            clock[T_AHEAD] = -math.inf
            clock[T_STOP] = math.inf
            counts[C_RESTART] = 1
            counts[C_SAMPLE] = 0
            counts[C_SUBSTEP] = 0
            times, samples = own.ends[k], own.samples[k]
            times[0] = t + H
            status = PAUSED
            while status == PAUSED:
                memory = (ctx, y, work, times, samples, own.steps[k], clock, counts, own.pause, MOST)
                # A chain of constants, all but one branch gone before it is compiled: see one_by_one.py.
                if method == RK4:
                    status = advance_rk4(*memory)
                elif method == RK6:
                    status = advance_rk6(*memory)
                elif method == AB6:
                    status = advance_ab6(*memory)
                elif method == ALPHA:
                    status = advance_alpha(*memory)
                elif method == NEWMARK:
                    status = advance_newmark(*memory)
            own.status[k] = status
            if status == OK:
                own.t[k] = times[0]
                if not _move(own, k, own.motion[k]):
                    own.status[k] = NOT_FINITE

    return njit(**OPTIONS)(cache_name(go, method))


go_rk4 = make_go(RK4)
go_rk6 = make_go(RK6)
go_ab6 = make_go(AB6)
go_alpha = make_go(ALPHA)
go_newmark = make_go(NEWMARK)
