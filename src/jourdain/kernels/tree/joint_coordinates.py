"""Coordinates `relative`: joint coordinates on the spanning tree, the rest of the joints by constraint rows.

The context is that of every other set, with the fields of a tree behind it (table.py). Rows of cut joints, motions,
relations and velocity constraints come from the same table of vectors: links are placed outward, the vectors on them
follow, and gradients contract to wrenches on links, which loop_closing.py carries inward. An open tree whose forces do
not depend on reactions goes through articulated_planar.py or articulated_spatial.py, which are faster.

FREE is Q here, the efforts along joint velocities: the wrenches of all applied forces, weights and inertia biases at
zero joint acceleration, gathered inward. Where rows depend on each other (RANK_LOST), the tree alone is factored, K is
built column by column, and the rank-revealing way takes over (rank_revealing.py).
"""

from numba import njit

from ..coordinates import angle, quaternion
from ..core.context import (
    ACCELERATION,
    DENSE,
    F_DENSE_FACTOR,
    F_DENSE_SOLVE,
    F_FORCES,
    F_OPEN_TREE,
    F_ROWS,
    F_SIGNALS,
    F_SOLVE,
    F_SPRINGS,
    F_TREE_FACTOR,
    F_TREE_SOLVE,
    GAMMA,
    H_BLOCK,
    H_DENSE,
    H_EXPECTED_RANK,
    H_PROBING,
    H_Q,
    H_RANK_LOSSES,
    H_ROWS,
    H_V,
    JACOBIAN,
    LAMBDA,
    NOT_FINITE,
    OK,
    RANK_LOST,
    SIGNALS,
    SLOTS,
    UNIT_ROWS,
    WRENCHES,
    cache_name,
    ints,
    reals,
    run,
    state,
    vector_at,
)
from ..core.context import FREE as LOAD
from ..treatments.rank_revealing import factor_dense
from . import articulated_planar as flat
from . import articulated_spatial as solid
from . import loop_closing
from .joint_motion import ARM as ARM_3
from .joint_motion import R as R_3
from .joint_motion import place as place_3
from .links import (
    columns_2,
    columns_3,
    energies_2,
    energies_3,
    inertias_2,
    inertias_3,
    move_2,
    move_3,
    vectors_2,
    vectors_3,
    weights_2,
    weights_3,
)
from .loads import gather as gather_loads
from .table import (
    CARRIERS,
    FAST_INSIDE,
    FREE,
    LINKS,
    MOVES_BODIES,
    N_LINKS,
    OPEN,
    PASSING,
    PENDING,
    PORTS,
    RESPONSE,
    SPHERICAL,
    STATE,
    differentiate,
    table,
)

if (loop_closing.ARM_2, loop_closing.ARM_3) != (flat.ARM, ARM_3):
    raise ImportError("loop_closing.py does not know where arms are")


def make_place(dim):
    def place(t, q_, v_, ctx_):
        """Links, vectors, rows and J."""
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        v = vector_at(v_, ctx[H_V])
        if ints(ctx, SIGNALS).shape[0] > 0:
            run(ctx, F_SIGNALS, t, q, v)
        if dim == 2:
            flat.place(ctx, q, v)
        else:
            place_3(ctx, q, v)
        if ctx[MOVES_BODIES] == 0:
            return OK
        if dim == 2:
            move_2(ctx, v)
            vectors_2(ctx)
        else:
            move_3(ctx)
            vectors_3(ctx)
        if ctx[OPEN] == 1:
            return OK
        if dim == 2:
            columns_2(ctx)
        else:
            columns_3(ctx)
        if ctx[H_ROWS] > 0:
            run(ctx, F_ROWS, t, q, v)
            if dim == 2:
                angle.contract_pins(ctx, q)
                angle.contract(ctx, q)
            else:
                quaternion.contract_pins(ctx, q)
                quaternion.contract(ctx, q)
        return OK

    return place


def weigh(t, q_, v_, ctx_):
    """Nothing: the recursion needs no W."""
    return OK


def make_load(dim):
    nd = 3 if dim == 2 else 6

    def load(t, q_, v_, ctx_):
        """Applied forces as loads on links, and Q unless the fast way needs none."""
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        run(ctx, F_FORCES, t, q, q)
        if ctx[MOVES_BODIES] == 1:
            gather_loads(ctx, ctx, dim)
        if ctx[OPEN] == 1:
            return OK
        passing = reals(ctx, PASSING)
        for j in range(ctx[N_LINKS] + 1):
            for c in range(nd):
                passing[j, nd + c] = 0.0
        if dim == 2:
            weights_2(ctx)
            loop_closing.gather_2(ctx, state(ctx, LOAD, q))
        else:
            weights_3(ctx)
            loop_closing.gather_3(ctx, state(ctx, LOAD, q))
        return OK

    return load


@njit(**FAST_INSIDE)
def _clear_passing(ctx, dim):
    passing = reals(ctx, PASSING)
    nd = 3 if dim == 2 else 6
    for j in range(ctx[N_LINKS] + 1):
        for c in range(nd):
            passing[j, c] = 0.0


@njit(**FAST_INSIDE)
def _push(ctx, lam, dim):
    """PASSING += J^T lam, link by link."""
    passing = reals(ctx, PASSING)
    slots = ints(ctx, SLOTS)
    J = reals(ctx, JACOBIAN)
    bs = ctx[H_BLOCK]
    rot = 1 if dim == 2 else 3
    nd = dim + rot
    for s in range(slots.shape[0]):
        j = slots[s, 1]
        for i in range(bs):
            force = lam[slots[s, 0] * bs + i]
            for c in range(dim):
                passing[j, rot + c] += force * J[s, i * nd + c]
            for c in range(rot):
                passing[j, c] += force * J[s, i * nd + dim + c]


@njit(**FAST_INSIDE)
def _pull(ctx, rows, dim):
    """rows = J times the twists or accelerations in PASSING."""
    passing = reals(ctx, PASSING)
    slots = ints(ctx, SLOTS)
    J = reals(ctx, JACOBIAN)
    bs = ctx[H_BLOCK]
    rot = 1 if dim == 2 else 3
    nd = dim + rot
    for i in range(rows.size):
        rows[i] = 0.0
    for s in range(slots.shape[0]):
        j = slots[s, 1]
        for i in range(bs):
            total = 0.0
            for c in range(dim):
                total += J[s, i * nd + c] * passing[j, nd + rot + c]
            for c in range(rot):
                total += J[s, i * nd + dim + c] * passing[j, nd + c]
            rows[slots[s, 0] * bs + i] += total


def factor(t, q_, v_, ctx_):
    """Articulated inertias with the rows; the tree alone and K densely if rows depend on each other."""
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    if ctx[OPEN] == 1:
        return OK
    ctx[H_DENSE] = 0
    if ctx[H_EXPECTED_RANK] == 0:
        status = run(ctx, F_TREE_FACTOR, t, q, q)
        if status == OK or ctx[H_PROBING] == 1:
            return status
        ctx[H_RANK_LOSSES] += 1
    ctx[H_DENSE] = 1
    run(ctx, F_TREE_FACTOR, t, q, q)
    return run(ctx, F_DENSE_FACTOR, t, q, q)


def make_tree_factor(dim):
    def tree_factor(t, q_, v_, ctx_):
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        if dim == 2:
            inertias_2(ctx)
            return loop_closing.factor_2(ctx, q, _with_rows(ctx))
        inertias_3(ctx)
        return loop_closing.factor_3(ctx, q, _with_rows(ctx))

    return tree_factor


def make_tree_solve(dim):
    def tree_solve(t, x_, lam_, ctx_):
        ctx = table(ctx_)
        x = vector_at(x_, ctx[H_V])
        lam = vector_at(lam_, ctx[H_ROWS])
        if dim == 2:
            loop_closing.solve_2(ctx, x, x, lam, _with_rows(ctx))
        else:
            loop_closing.solve_3(ctx, x, x, lam, _with_rows(ctx))
        return OK

    return tree_solve


@njit(**FAST_INSIDE)
def _with_rows(ctx):
    """Whether rows are solved along the tree."""
    return 1 if ctx[H_ROWS] > 0 and ctx[H_DENSE] == 0 else 0


@njit(**FAST_INSIDE)
def _respond(ctx, t, lam, dim):
    """RESPONSE = -M^-1 J^T lam, with the tree alone factored."""
    response = state(ctx, RESPONSE, lam)
    for l in range(response.size):
        response[l] = 0.0
    _clear_passing(ctx, dim)
    _push(ctx, lam, dim)
    run(ctx, F_TREE_SOLVE, t, response, lam)


def make_dense_factor(dim):
    def dense_factor(t, q_, v_, ctx_):
        """K, column by column, and its factors."""
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        n = ctx[H_ROWS]
        A = state(ctx, DENSE, q)
        if A.size != n * n:
            return RANK_LOST
        lam = state(ctx, PENDING, q)
        for r in range(n):
            for i in range(n):
                lam[i] = 0.0
            lam[r] = 1.0
            _respond(ctx, t, lam, dim)
            _pull(ctx, lam, dim)
            for i in range(n):
                A[r * n + i] = -lam[i]
        factor_dense(ctx, q)
        return OK

    return dense_factor


def make_solve(dim):
    def solve(t, x_, unused_, ctx_):
        """K x = b in place, and -M^-1 J^T x for `correct`, which must come next: J v' = -b under no load."""
        ctx = table(ctx_)
        x = vector_at(x_, ctx[H_ROWS])
        if ctx[H_DENSE] == 1:
            status = run(ctx, F_DENSE_SOLVE, t, x, x)
            _respond(ctx, t, x, dim)
            return status
        pending = reals(ctx, PENDING)
        response = state(ctx, RESPONSE, x)
        for i in range(x.size):
            pending[i, 0] = -x[i]
            x[i] = 0.0
        for l in range(response.size):
            response[l] = 0.0
        _clear_passing(ctx, dim)
        return run(ctx, F_TREE_SOLVE, t, response, x)

    return solve


def correct(t, x_, rows_, ctx_):
    """x -= M^-1 J^T rows, the rows that were solved for last."""
    ctx = table(ctx_)
    x = vector_at(x_, ctx[H_V])
    response = reals(ctx, RESPONSE)
    for l in range(x.size):
        x[l] += response[l, 0]
    return OK


def make_times(dim):
    def times(t, v_, rows_, ctx_):
        """rows = J v."""
        ctx = table(ctx_)
        v = vector_at(v_, ctx[H_V])
        if ctx[H_ROWS] == 0:
            return OK
        if dim == 2:
            loop_closing.outward_2(ctx, v)
        else:
            loop_closing.outward_3(ctx, v)
        _pull(ctx, vector_at(rows_, ctx[H_ROWS]), dim)
        return OK

    return times


def make_open_tree(dim):
    def open_tree(t, acc_, unused_, ctx_):
        ctx = table(ctx_)
        acc = vector_at(acc_, ctx[H_V])
        if dim == 2:
            flat.inward(ctx)
            flat.outward(ctx, acc)
        else:
            solid.inward(ctx)
            solid.outward(ctx, acc)
        return OK

    return open_tree


def make_whole(dim):
    def whole(t, q_, v_, ctx_):
        """ACCELERATION and LAMBDA from Q and gamma."""
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        acc = state(ctx, ACCELERATION, q)
        lam = state(ctx, LAMBDA, q)
        if ctx[OPEN] == 1:
            run(ctx, F_OPEN_TREE, t, acc, acc)
        else:
            load = state(ctx, LOAD, q)
            gamma = state(ctx, GAMMA, q)
            pending = reals(ctx, PENDING)
            unit = ints(ctx, UNIT_ROWS)
            for l in range(acc.size):
                acc[l] = load[l]
            for i in range(lam.size):
                pending[i, 0] = gamma[i]
                lam[i] = 0.0
            _clear_passing(ctx, dim)
            run(ctx, F_TREE_SOLVE, t, acc, lam)
            if lam.size > 0 and ctx[H_DENSE] == 1:
                _pull(ctx, lam, dim)
                for i in range(lam.size):
                    lam[i] -= gamma[i]
                for i in range(unit.shape[0]):
                    lam[unit[i, 0]] = 0.0
                run(ctx, F_SOLVE, t, lam, lam)
                response = reals(ctx, RESPONSE)
                for l in range(acc.size):
                    acc[l] += response[l, 0]
        total = 0.0
        for l in range(acc.size):
            total += acc[l]
        return OK if total - total == 0.0 else NOT_FINITE

    return whole


def _make_know_places(dim):
    def know_places(ctx, q, v):
        """Where links are and how they move, if nothing else has asked for it."""
        if ctx[MOVES_BODIES] == 0:
            if dim == 2:
                move_2(ctx, v)
            else:  # accelerations stand where velocities were
                place_3(ctx, q, v)
                move_3(ctx)

    return njit(**FAST_INSIDE)(cache_name(know_places, dim))


_know_places_2, _know_places_3 = _make_know_places(2), _make_know_places(3)


def make_tree_reactions(dim):
    rot = 1 if dim == 2 else 3

    def tree_reactions(t, q_, v_, ctx_):
        """WRENCHES of the joints of the tree: what each must transmit under all that is applied, and the rows."""
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        acc = state(ctx, ACCELERATION, q)
        wrench = reals(ctx, WRENCHES)
        sides = ints(ctx, CARRIERS)
        ports = reals(ctx, PORTS)
        links = ints(ctx, LINKS)
        st = reals(ctx, STATE)
        passing = reals(ctx, PASSING)
        response = state(ctx, RESPONSE, q)  # overwritten: whoever solves writes it anew
        v = vector_at(v_, ctx[H_V])
        if dim == 2:
            _know_places_2(ctx, q, v)
            columns_2(ctx)
            loop_closing.outward_2(ctx, acc)
            weights_2(ctx)
        else:
            _know_places_3(ctx, q, v)
            columns_3(ctx)
            loop_closing.outward_3(ctx, acc)
            weights_3(ctx)
        if ctx[H_ROWS] > 0:
            _push(ctx, state(ctx, LAMBDA, q), dim)
        if dim == 2:
            loop_closing.gather_2(ctx, response)
        else:
            loop_closing.gather_3(ctx, response)
        for j in range(1, ctx[N_LINKS] + 1):
            mine, other = sides[j, 0], sides[j, 1]
            if mine < 0:
                continue
            for c in range(dim):
                wrench[mine, c] += passing[j, rot + c]
                wrench[other, c] -= passing[j, rot + c]
            i = links[j, 0]
            if dim == 2:
                # From the parent's port to the link's, both from the parent's origin.
                c, s = (st[i, flat.C], st[i, flat.S]) if i > 0 else (1.0, 0.0)
                x = st[j, flat.RX] - (c * ports[j, 0] - s * ports[j, 1])
                y = st[j, flat.RY] - (s * ports[j, 0] + c * ports[j, 1])
                wrench[mine, 2] += passing[j, 0]
                wrench[other, 2] -= passing[j, 0] + x * passing[j, 2] - y * passing[j, 1]
            else:
                x, y, z = st[j, ARM_3], st[j, ARM_3 + 1], st[j, ARM_3 + 2]
                for k in range(3):
                    x -= st[i, R_3 + k] * ports[j, k]
                    y -= st[i, R_3 + 3 + k] * ports[j, k]
                    z -= st[i, R_3 + 6 + k] * ports[j, k]
                fx, fy, fz = passing[j, 3], passing[j, 4], passing[j, 5]
                for c in range(3):
                    wrench[mine, 3 + c] += passing[j, c]
                    wrench[other, 3 + c] -= passing[j, c]
                wrench[other, 3] -= y * fz - z * fy
                wrench[other, 4] -= z * fx - x * fz
                wrench[other, 5] -= x * fy - y * fx
        return OK

    return tree_reactions


def rates(t, y_, dy_, ctx_):
    ctx = table(ctx_)
    nq = ctx[H_Q]
    y = vector_at(y_, nq + ctx[H_V])
    differentiate(ctx, y[:nq], y[nq:], vector_at(dy_, nq))
    return OK


def retract(t, q_, delta_, ctx_):
    """q += delta, but quaternions are turned by it, in axes of the carrying port, and normalised."""
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    delta = vector_at(delta_, ctx[H_V])
    links = ints(ctx, LINKS)
    for j in range(1, ctx[N_LINKS] + 1):
        k, l, same = links[j, 2], links[j, 3], links[j, 4]
        ball = links[j, 1] == SPHERICAL or (links[j, 1] == FREE and same == 6)
        if ball:
            same -= 3
        for c in range(same):
            q[k + c] += delta[l + c]
        if ball:
            quaternion.turn(q, k + same, delta, l + same)
    return OK


def make_energy(dim):
    def energy(t, q_, v_, ctx_):
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        v = vector_at(v_, ctx[H_V])
        run(ctx, F_SPRINGS, t, q, q)
        if dim == 2:
            _know_places_2(ctx, q, v)
            energies_2(ctx)
        else:
            _know_places_3(ctx, q, v)
            energies_3(ctx)
        return OK

    return energy
