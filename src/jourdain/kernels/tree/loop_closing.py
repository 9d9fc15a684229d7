"""Closed loops in joint coordinates: constraints carried through the recursion and solved where their loops close.

The tree in joint velocities, M v' + J^T lam = Q and J v' = e, is solved by one way inward and one outward, without M or
J (Wijckmans 1992, eqs 3.40-3.48 and appendix B). Inward, everything behind the joint of link j is known as

    f = M A + p + G lam        the wrench that the joint must transmit when the link accelerates by A = (w', a)
    R lam + G^T A = e          what is left of the equations of the rows that are carried past it

with M its articulated inertia and one column of G for each of these rows. A column b of the joint's B eliminates v'_l:

    U = M b,  D = b.U,  y = G^T b,  u = (Q_l - b.p) / D,   v'_l = u - (U.A + y.lam) / D
    M <- M - U U^T / D,  p <- p + U u,  G <- G - U y^T / D,  R <- R - y y^T / D,  e <- e - y u

At the link where the loop of a row closes, all of it is there, and lam_r goes too, with d = R_rr < 0:

    lam_r = (e_r - G_r.A - R_rs lam_s) / d
    M <- M - G_r G_r^T / d,  p <- p + G_r e_r / d,  G_s <- G_s - G_r R_rs / d,  R_st <- R_st - R_rs R_rt / d, ...

so nothing of it goes farther inward, and a machine of many small loops costs no more than a chain. Of the rows that
close at one link, or at the ground, only those have R_rs that passed a joint together: they are solved in an order that
keeps these few. Which rows are where is known beforehand (model/topology/carrying.py).

Where d vanishes the row depends on those solved before it: R and G of a closed loop are semidefinite together, so R_rs
and G_r vanish with it, and it gets no multiplier. That is a rank lost in the loops that close here, found without a
look at the others. Only where G_r stays while d vanishes (a row that holds the link itself, not just what it carries)
something is left to solve farther inward: RANK_LOST, and H_RANK is the link.
"""

from numba import njit

from ..core.context import (
    H_BLOCK,
    H_RANK,
    H_ROWS,
    JACOBIAN,
    OK,
    RANK_LOST,
    S_PIVOT,
    SETTINGS,
    SLOTS,
    cache_name,
    ints,
    reals,
)
from .table import (
    CLOSING_UPDATES,
    CLOSINGS,
    CROSSINGS,
    ELIMINATED,
    FAST_INSIDE,
    LINKS,
    MATRIX,
    MEETING,
    N_LINKS,
    NEIGHBOURS,
    PASSING,
    PENDING,
    SHARES,
    SLOT_SPOTS,
    SPOT_PAIRS,
    SPOT_RANGES,
    SPOTS,
    STATE,
    SUMS,
    TREE_WORK,
)

NOISE = 1e-24  # of SUMS, what rounding leaves of the squares of G


def _make_lever(dim, arm):
    def lever(st, j, T):
        """T: the block of A below the ones, so that (w', a) at the parent gives a + T w' here."""
        if dim == 2:
            T[0] = -st[j, arm + 1]
            T[1] = st[j, arm]
        else:
            x, y, z = st[j, arm], st[j, arm + 1], st[j, arm + 2]
            T[0], T[1], T[2] = 0.0, z, -y
            T[3], T[4], T[5] = -z, 0.0, x
            T[6], T[7], T[8] = y, -x, 0.0

    return lever


def _make_shift_inward(dim, rot):
    def shift_inward(p, T):
        """A wrench at the link's origin, moved to the parent's."""
        for c in range(rot):
            for k in range(dim):
                p[c] += T[k * rot + c] * p[rot + k]

    return shift_inward


def _make_hand_over(dim, rot):
    nd = dim + rot

    def hand_over(M, target, T, N):
        """target += A^T M A."""
        for i in range(nd):
            for c in range(rot):
                total = M[i * nd + c]
                for k in range(dim):
                    total += M[i * nd + rot + k] * T[k * rot + c]
                N[i * nd + c] = total
            for c in range(rot, nd):
                N[i * nd + c] = M[i * nd + c]
        for c in range(nd):
            for i in range(rot):
                total = N[i * nd + c]
                for k in range(dim):
                    total += T[k * rot + i] * N[(rot + k) * nd + c]
                target[i * nd + c] += total
            for i in range(rot, nd):
                target[i * nd + c] += N[i * nd + c]

    return hand_over


@njit(**FAST_INSIDE)
def _pair(first, m, a):
    """Where the pairs (a, a), (a, a + 1) ... of m spots that go on inward begin."""
    return first + a * m - a * (a - 1) // 2


def _make_shares(dim, rot):
    nd = dim + rot

    def shares(ctx, like):
        """G of every link's own rows, from J: slots have the linear columns first; and what these are measured by.

        SUMS is about what R would be if every link were free. A row that no joint of the tree can move, as in a
        singular position, is small against that, and not against what the joints leave of it.
        """
        slots = ints(ctx, SLOTS)
        spots = ints(ctx, SLOT_SPOTS)
        rows = ints(ctx, SPOTS)
        M = reals(ctx, MATRIX)
        sums = reals(ctx, SUMS)
        G = reals(ctx, SHARES)
        J = reals(ctx, JACOBIAN)
        bs = ctx[H_BLOCK]
        for k in range(sums.shape[0]):
            sums[k, 0] = 0.0
        for s in range(G.shape[0]):
            for c in range(nd):
                G[s, c] = 0.0
        for s in range(slots.shape[0]):
            for i in range(bs):
                spot = spots[s * bs + i, 0]
                if spot >= 0:
                    for c in range(rot):
                        G[spot, c] += J[s, i * nd + dim + c]
                    for c in range(dim):
                        G[spot, rot + c] += J[s, i * nd + c]
                    inertia = 0.0  # the largest: a thin bar would turn about itself for nothing, and is never let to
                    for c in range(rot):
                        inertia = max(inertia, M[slots[s, 1], c * nd + c])
                    for c in range(nd):
                        resists = inertia if c < rot else M[slots[s, 1], c * nd + c]
                        sums[rows[spot, 0], 0] += G[spot, c] * G[spot, c] / resists

    return shares


def _make_held(nd):
    def held(g, M):
        """What a row's multiplier of 1 would do to the link itself, in units of R."""
        most = 0.0
        for i in range(nd):
            most = max(most, g[i] * g[i] / M[i * nd + i])
        return most

    return held


def _make_close(nd, held):
    def close(ctx, j):
        """Eliminate the rows whose loops close at link j; RANK_LOST if one has to be carried farther."""
        spots = ints(ctx, SPOTS)
        ranges = ints(ctx, SPOT_RANGES)
        closings = ints(ctx, CLOSINGS)
        met = ints(ctx, NEIGHBOURS)
        updates = ints(ctx, CLOSING_UPDATES)
        M = reals(ctx, MATRIX)[j]
        G = reals(ctx, SHARES)
        R = reals(ctx, MEETING)
        sums = reals(ctx, SUMS)
        smallest = reals(ctx, SETTINGS)[S_PIVOT, 0]
        first = ranges[j, 0]
        for a in range(first, ranges[j, 1]):
            c = ranges[j, 5] + a - first
            d = R[closings[c, 0], 0]
            size = sums[spots[a, 0], 0]
            if j > 0:
                own = held(G[a], M)
                if own > NOISE * size and not -d > smallest * own:
                    ctx[H_RANK] = j
                    return RANK_LOST
            if not -d > smallest * size:
                R[closings[c, 0], 0] = 0.0
                ctx[H_RANK] -= 1
                continue
            over = 1.0 / d
            R[closings[c, 0], 0] = over
            if j > 0:
                for i in range(nd):
                    g = G[a, i] * over
                    for k in range(nd):
                        M[i * nd + k] -= g * G[a, k]
            u = closings[c, 3]
            for n in range(closings[c, 1], closings[c, 2]):
                share = R[met[n, 1], 0] * over
                if j > 0:
                    for i in range(nd):
                        G[met[n, 0], i] -= share * G[a, i]
                for k in range(n, closings[c, 2]):
                    R[updates[u, 0], 0] -= share * R[met[k, 1], 0]
                    u += 1
        return OK

    return close


def _make_pass_joint(nd):
    def pass_joint(ctx, j, with_rows):
        """Eliminate the velocities of the joint that carries link j."""
        links = ints(ctx, LINKS)
        ranges = ints(ctx, SPOT_RANGES)
        pairs = ints(ctx, SPOT_PAIRS)
        M = reals(ctx, MATRIX)[j]
        E = reals(ctx, ELIMINATED)
        G = reals(ctx, SHARES)
        R = reals(ctx, MEETING)
        Y = reals(ctx, CROSSINGS)
        first = ranges[j, 1]  # from here on spots go inward
        width = ranges[j, 2] - first
        for l in range(links[j, 3] + links[j, 4] - 1, links[j, 3] - 1, -1):
            D = 0.0
            for i in range(nd):
                total = 0.0
                for k in range(nd):
                    total += M[i * nd + k] * E[l, k]
                E[l, nd + i] = total
                D += total * E[l, i]
            over = 1.0 / D
            E[l, 2 * nd] = over
            if with_rows == 1:
                y0 = ranges[j, 4] + (l - links[j, 3]) * width
                for s in range(width):
                    total = 0.0
                    for i in range(nd):
                        total += E[l, i] * G[first + s, i]
                    Y[y0 + s, 0] = total
                    for i in range(nd):
                        G[first + s, i] -= E[l, nd + i] * (total * over)
                for s in range(width):
                    share = Y[y0 + s, 0] * over
                    p = _pair(ranges[j, 3], width, s)
                    for c in range(s, width):
                        R[pairs[p + c - s, 0], 0] -= share * Y[y0 + c, 0]
            for i in range(nd):
                u = E[l, nd + i] * over
                for k in range(nd):
                    M[i * nd + k] -= u * E[l, nd + k]

    return pass_joint


def _make_factor(nd, lever, shift_inward, hand_over, shares, close, pass_joint):
    def factor(ctx, like, with_rows):
        """All of M, G and R inward, from each link's own inertia in MATRIX and the columns of B in ELIMINATED.

        Without rows it is the tree alone that is factored.
        """
        links = ints(ctx, LINKS)
        spots = ints(ctx, SPOTS)
        ranges = ints(ctx, SPOT_RANGES)
        st = reals(ctx, STATE)
        M = reals(ctx, MATRIX)
        G = reals(ctx, SHARES)
        R = reals(ctx, MEETING)
        work = reals(ctx, TREE_WORK)
        if with_rows == 1:
            shares(ctx, like)
            for k in range(R.shape[0]):
                R[k, 0] = 0.0
            ctx[H_RANK] = ctx[H_ROWS]
        for j in range(ctx[N_LINKS], -1, -1):
            if with_rows == 1 and ranges[j, 1] > ranges[j, 0]:
                status = close(ctx, j)
                if status != OK:
                    return status
            if j == 0:
                break
            i = links[j, 0]
            pass_joint(ctx, j, with_rows)
            lever(st, j, work[0])
            if i > 0:
                hand_over(M[j], M[i], work[0], work[1])
            if with_rows == 1:
                for s in range(ranges[j, 1], ranges[j, 2]):
                    shift_inward(G[s], work[0])
                    for c in range(nd):
                        G[spots[s, 1], c] += G[s, c]
        return OK

    return factor


def _make_close_load(nd):
    def close_load(ctx, j):
        """What `close` does, to p and e."""
        spots = ints(ctx, SPOTS)
        ranges = ints(ctx, SPOT_RANGES)
        closings = ints(ctx, CLOSINGS)
        met = ints(ctx, NEIGHBOURS)
        G = reals(ctx, SHARES)
        R = reals(ctx, MEETING)
        e = reals(ctx, PENDING)
        p = reals(ctx, PASSING)
        first = ranges[j, 0]
        for a in range(first, ranges[j, 1]):
            c = ranges[j, 5] + a - first
            share = e[spots[a, 0], 0] * R[closings[c, 0], 0]
            if j > 0:
                for i in range(nd):
                    p[j, i] += G[a, i] * share
            for n in range(closings[c, 1], closings[c, 2]):
                e[spots[met[n, 0], 0], 0] -= R[met[n, 1], 0] * share

    return close_load


def _make_multipliers(nd):
    def multipliers(ctx, j, lam):
        """lam of the rows that close at link j, whose acceleration is known."""
        spots = ints(ctx, SPOTS)
        ranges = ints(ctx, SPOT_RANGES)
        closings = ints(ctx, CLOSINGS)
        met = ints(ctx, NEIGHBOURS)
        G = reals(ctx, SHARES)
        R = reals(ctx, MEETING)
        e = reals(ctx, PENDING)
        A = reals(ctx, PASSING)
        first = ranges[j, 0]
        for a in range(ranges[j, 1] - 1, first - 1, -1):
            c = ranges[j, 5] + a - first
            total = e[spots[a, 0], 0]
            if j > 0:
                for i in range(nd):
                    total -= G[a, i] * A[j, nd + i]
            for n in range(closings[c, 1], closings[c, 2]):
                total -= R[met[n, 1], 0] * lam[spots[met[n, 0], 0]]
            lam[spots[a, 0]] = total * R[closings[c, 0], 0]

    return multipliers


def _make_inward(nd, lever, shift_inward, close_load):
    def inward(ctx, tau, with_rows):
        """p and e inward; leaves u of every velocity. PASSING begins with a wrench on each link, or zero."""
        links = ints(ctx, LINKS)
        spots = ints(ctx, SPOTS)
        ranges = ints(ctx, SPOT_RANGES)
        st = reals(ctx, STATE)
        E = reals(ctx, ELIMINATED)
        Y = reals(ctx, CROSSINGS)
        p = reals(ctx, PASSING)
        e = reals(ctx, PENDING)
        work = reals(ctx, TREE_WORK)
        for j in range(ctx[N_LINKS], -1, -1):
            if with_rows == 1 and ranges[j, 1] > ranges[j, 0]:
                close_load(ctx, j)
            if j == 0:
                break
            width = ranges[j, 2] - ranges[j, 1]
            for l in range(links[j, 3] + links[j, 4] - 1, links[j, 3] - 1, -1):
                u = tau[l]
                for i in range(nd):
                    u -= E[l, i] * p[j, i]
                u *= E[l, 2 * nd]
                E[l, 2 * nd + 1] = u
                for i in range(nd):
                    p[j, i] += E[l, nd + i] * u
                if with_rows == 1:
                    y0 = ranges[j, 4] + (l - links[j, 3]) * width
                    for s in range(width):
                        e[spots[ranges[j, 1] + s, 0], 0] -= Y[y0 + s, 0] * u
            if links[j, 0] > 0:
                lever(st, j, work[0])
                shift_inward(p[j], work[0])
                for i in range(nd):
                    p[links[j, 0], i] += p[j, i]

    return inward


def _make_carry(dim, rot, lever):
    nd = dim + rot

    def carry(ctx, j):
        """PASSING of link j begins with its parent's acceleration, seen at the link's origin."""
        A = reals(ctx, PASSING)
        T = reals(ctx, TREE_WORK)[0]
        i = ints(ctx, LINKS)[j, 0]
        lever(reals(ctx, STATE), j, T)
        for c in range(nd):
            A[j, nd + c] = A[i, nd + c]
        for k in range(dim):
            for c in range(rot):
                A[j, nd + rot + k] += T[k * rot + c] * A[i, nd + c]

    return carry


def _make_solve(nd, inward, carry, multipliers):
    def solve(ctx, tau, out, lam, with_rows):
        """out = v' and lam, from efforts tau, the wrenches in PASSING and the right-hand sides in PENDING."""
        links = ints(ctx, LINKS)
        ranges = ints(ctx, SPOT_RANGES)
        spots = ints(ctx, SPOTS)
        E = reals(ctx, ELIMINATED)
        Y = reals(ctx, CROSSINGS)
        A = reals(ctx, PASSING)
        inward(ctx, tau, with_rows)
        for c in range(nd):
            A[0, nd + c] = 0.0
        for j in range(ctx[N_LINKS] + 1):
            if j > 0:
                carry(ctx, j)
                width = ranges[j, 2] - ranges[j, 1]
                for l in range(links[j, 3], links[j, 3] + links[j, 4]):
                    total = 0.0
                    for i in range(nd):
                        total += E[l, nd + i] * A[j, nd + i]
                    if with_rows == 1:
                        y0 = ranges[j, 4] + (l - links[j, 3]) * width
                        for s in range(width):
                            total += Y[y0 + s, 0] * lam[spots[ranges[j, 1] + s, 0]]
                    a = E[l, 2 * nd + 1] - total * E[l, 2 * nd]
                    out[l] = a
                    for i in range(nd):
                        A[j, nd + i] += E[l, i] * a
            if with_rows == 1 and ranges[j, 1] > ranges[j, 0]:
                multipliers(ctx, j, lam)

    return solve


def _make_twists(nd, carry):
    def twists(ctx, v):
        """PASSING: twists of all links that joint velocities give, or accelerations without bias."""
        links = ints(ctx, LINKS)
        E = reals(ctx, ELIMINATED)
        A = reals(ctx, PASSING)
        for c in range(nd):
            A[0, nd + c] = 0.0
        for j in range(1, ctx[N_LINKS] + 1):
            carry(ctx, j)
            for l in range(links[j, 3], links[j, 3] + links[j, 4]):
                for i in range(nd):
                    A[j, nd + i] += E[l, i] * v[l]

    return twists


def _make_gather(nd, lever, shift_inward):
    def gather(ctx, out):
        """Wrenches in PASSING inward, without any acceleration: out = -B^T of what each joint transmits."""
        links = ints(ctx, LINKS)
        st = reals(ctx, STATE)
        E = reals(ctx, ELIMINATED)
        p = reals(ctx, PASSING)
        work = reals(ctx, TREE_WORK)
        for j in range(ctx[N_LINKS], 0, -1):
            for l in range(links[j, 3], links[j, 3] + links[j, 4]):
                total = 0.0
                for i in range(nd):
                    total -= E[l, i] * p[j, i]
                out[l] = total
            i = links[j, 0]
            if i > 0:
                for c in range(nd):
                    work[1, c] = p[j, c]
                lever(st, j, work[0])
                shift_inward(work[1], work[0])
                for c in range(nd):
                    p[i, c] += work[1, c]

    return gather


def make_closing(space, dim, rot, arm):
    """factor, solve, twists, gather: of `dim` directions and `rot` axes of rotation, arms at column `arm` of STATE."""

    def inside(function):
        return njit(**FAST_INSIDE)(cache_name(function, space))

    nd = dim + rot
    lever, shift_inward = inside(_make_lever(dim, arm)), inside(_make_shift_inward(dim, rot))
    hand_over, shares = inside(_make_hand_over(dim, rot)), inside(_make_shares(dim, rot))
    close, pass_joint = inside(_make_close(nd, inside(_make_held(nd)))), inside(_make_pass_joint(nd))
    inward = inside(_make_inward(nd, lever, shift_inward, inside(_make_close_load(nd))))
    carry = inside(_make_carry(dim, rot, lever))
    return (
        inside(_make_factor(nd, lever, shift_inward, hand_over, shares, close, pass_joint)),
        inside(_make_solve(nd, inward, carry, inside(_make_multipliers(nd)))),
        inside(_make_twists(nd, carry)),
        inside(_make_gather(nd, lever, shift_inward)),
    )
