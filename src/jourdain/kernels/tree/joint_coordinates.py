"""Coordinates `relative`: joint coordinates on the spanning tree, the rest of the joints by constraint rows.

The context is that of every other set, with the fields of a tree behind it (table.py). Rows of cut joints, motions,
relations and velocity constraints come from the same table of vectors: links are placed outward, the vectors on them
follow, and gradients contract to wrenches on links, which loop_closing.py carries inward. An open tree whose forces do
not depend on reactions goes through articulated_planar.py or articulated_spatial.py, which are faster: it has a
right-hand side of its own.

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
    F_ROWS,
    F_SIGNALS,
    F_SOLVE,
    F_SPRINGS,
    F_TREE_FACTOR,
    F_TREE_SOLVE,
    GAMMA,
    H_BLOCK,
    H_DENSE,
    H_EVALUATIONS,
    H_EXPECTED_RANK,
    H_FRESH,
    H_PROBING,
    H_Q,
    H_RANK,
    H_RANK_LOSSES,
    H_ROWS,
    H_V,
    H_Z,
    JACOBIAN,
    LAMBDA,
    NOT_FINITE,
    OK,
    POWER,
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
from ..core.formula_parts import copy_z
from ..treatments.rank_revealing import factor_dense
from . import articulated_planar, articulated_spatial, links_planar, links_spatial
from .loads import gather as gather_loads
from .table import (
    CARRIERS,
    CLOCK,
    FAST,
    FAST_INSIDE,
    FREE,
    HAS_LOADS,
    LINKS,
    N_LINKS,
    OPEN,
    PASSING,
    PENDING,
    PORTS,
    RESPONSE,
    SPHERICAL,
    differentiate,
    table,
)
from .table import OK as FINITE

# By the number of directions: the recursion, what it does not know of links, and the set whose rows are taken over.
# Modules, not functions, so that the cache finds again what closes over them (see forward.py).
KITS = {2: (articulated_planar, links_planar, angle), 3: (articulated_spatial, links_spatial, quaternion)}


def make_place(dim):
    recursion, links, bodies = KITS[dim]

    def place(t, q_, v_, ctx_):
        """Links, vectors, rows and J."""
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        v = vector_at(v_, ctx[H_V])
        if ints(ctx, SIGNALS).shape[0] > 0:
            run(ctx, F_SIGNALS, t, q, v)
        recursion.place(ctx, q, v)
        if ctx[HAS_LOADS] == 0:
            return OK
        recursion.move(ctx, v)
        recursion.vectors(ctx)
        if ctx[OPEN] == 1:
            return OK
        links.columns(ctx)
        if ctx[H_ROWS] > 0:
            run(ctx, F_ROWS, t, q, v)
            bodies.contract_pins(ctx, q)
            bodies.contract(ctx, q)
        return OK

    return place


def weigh(t, q_, v_, ctx_):
    """Nothing: the recursion needs no W."""
    return OK


def make_load(dim):
    _, links, _ = KITS[dim]
    nd = 3 if dim == 2 else 6

    def load(t, q_, v_, ctx_):
        """Applied forces as loads on links, and Q."""
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        run(ctx, F_FORCES, t, q, q)
        gather_loads(ctx, dim)
        passing = reals(ctx, PASSING)
        for j in range(ctx[N_LINKS] + 1):
            for c in range(nd):
                passing[j, nd + c] = 0.0
        links.weights(ctx)
        links.gather(ctx, state(ctx, LOAD, q))
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
        if status == OK and ctx[H_RANK] < ctx[H_ROWS]:
            ctx[H_RANK_LOSSES] += 1
        if status == OK or ctx[H_PROBING] == 1:
            return status
        ctx[H_RANK_LOSSES] += 1
    ctx[H_DENSE] = 1
    run(ctx, F_TREE_FACTOR, t, q, q)
    return run(ctx, F_DENSE_FACTOR, t, q, q)


def make_tree_factor(dim):
    _, links, _ = KITS[dim]

    def tree_factor(t, q_, v_, ctx_):
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        links.inertias(ctx)
        return links.factor(ctx, q, _with_rows(ctx))

    return tree_factor


def make_tree_solve(dim):
    _, links, _ = KITS[dim]

    def tree_solve(t, x_, lam_, ctx_):
        ctx = table(ctx_)
        x = vector_at(x_, ctx[H_V])
        lam = vector_at(lam_, ctx[H_ROWS])
        links.solve(ctx, x, x, lam, _with_rows(ctx))
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
    _, links, _ = KITS[dim]

    def times(t, v_, rows_, ctx_):
        """rows = J v."""
        ctx = table(ctx_)
        v = vector_at(v_, ctx[H_V])
        if ctx[H_ROWS] == 0:
            return OK
        links.twists(ctx, v)
        _pull(ctx, vector_at(rows_, ctx[H_ROWS]), dim)
        return OK

    return times


def make_whole(dim):
    def whole(t, q_, v_, ctx_):
        """ACCELERATION and LAMBDA from Q and gamma."""
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        acc = state(ctx, ACCELERATION, q)
        lam = state(ctx, LAMBDA, q)
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


def make_rhs(dim):
    recursion, _, _ = KITS[dim]

    def rhs(t, y_, dy_, ctx_):
        """dy = [N(q) v | v' | z'] of an open tree, without the way through the entries of all coordinate sets."""
        ctx = table(ctx_)
        nq, nv, nz = ctx[H_Q], ctx[H_V], ctx[H_Z]
        y = vector_at(y_, nq + nv + nz)
        dy = vector_at(dy_, nq + nv + nz)
        acc = state(ctx, ACCELERATION, y)
        power = state(ctx, POWER, y)
        copy_z(ctx, y)
        ctx[H_FRESH] = 0
        ctx[H_EVALUATIONS] += 1
        reals(ctx, CLOCK)[0, 0] = t
        if recursion.evaluate(ctx, y[:nq], y[nq : nq + nv], acc) != FINITE:
            return NOT_FINITE
        differentiate(ctx, y[:nq], y[nq:], dy[:nq])
        for i in range(nv):
            dy[nq + i] = acc[i]
        for i in range(nz):
            dy[nq + nv + i] = power[i]
        return OK

    return rhs


def make_tree_reactions(dim):
    recursion, links, _ = KITS[dim]

    def tree_reactions(t, q_, v_, ctx_):
        """WRENCHES of the joints of the tree: what each must transmit under all that is applied, and the rows."""
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        acc = state(ctx, ACCELERATION, q)
        wrench = reals(ctx, WRENCHES)
        sides = ints(ctx, CARRIERS)
        ports = reals(ctx, PORTS)
        tree = ints(ctx, LINKS)
        passing = reals(ctx, PASSING)
        response = state(ctx, RESPONSE, q)  # overwritten: whoever solves writes it anew
        v = vector_at(v_, ctx[H_V])
        if ctx[HAS_LOADS] == 0:  # nothing else has asked where links are, and accelerations may stand in their place
            recursion.place(ctx, q, v)
            recursion.move(ctx, v)
        links.columns(ctx)
        links.twists(ctx, acc)
        links.weights(ctx)
        if ctx[H_ROWS] > 0:
            _push(ctx, state(ctx, LAMBDA, q), dim)
        links.gather(ctx, response)
        for j in range(1, ctx[N_LINKS] + 1):
            mine, other = sides[j, 0], sides[j, 1]
            if mine < 0:
                continue
            links.transmit(ctx, j, tree[j, 0], wrench[mine], wrench[other], ports[j], passing[j])
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
    recursion, links, _ = KITS[dim]

    def energy(t, q_, v_, ctx_):
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        v = vector_at(v_, ctx[H_V])
        run(ctx, F_SPRINGS, t, q, q)
        if ctx[HAS_LOADS] == 0:
            recursion.place(ctx, q, v)
            recursion.move(ctx, v)
        links.energies(ctx)
        return OK

    return energy


def make_unpack(dim):
    recursion, links, _ = KITS[dim]

    def unpack(ctx, nq, nv, samples, accelerations, out):
        """How every link moves at each sample, in the columns that `links.write` has."""
        for k in range(samples.shape[0]):
            v = samples[k, nq : nq + nv]
            recursion.place(ctx, samples[k, :nq], v)
            recursion.move(ctx, v)
            links.columns(ctx)
            links.twists(ctx, accelerations[k])
            links.write(ctx, out[k])

    return njit(**FAST)(cache_name(unpack, dim))


unpack_planar, unpack_spatial = make_unpack(2), make_unpack(3)
