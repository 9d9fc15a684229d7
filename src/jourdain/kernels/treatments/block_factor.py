"""The Delassus matrix K = J M^-1 J^T and its LDL^T, in blocks of fixed size with a schedule made at compile time.

Rows come in blocks of `bs` (2 in the plane, 3 in space), filled up with unit rows where a joint has fewer, so that
every inner loop has a constant length and unrolls. A slot is a (block, body) pair: a bs x nvb piece of J. A block
of K is the sum over the bodies two blocks share; elimination order, fill and every update are known beforehand
(`model/topology/elimination.py`), so a chain costs O(n) and nothing is searched for while running.

K is positive definite when the rows are independent. A pivot that vanishes against its own diagonal means that
they are not (or hardly): that factorisation begins anew as F_DENSE_FACTOR, which leaves such rows out (`make_dropping`)
or, where all rows shall bear their share of the load, is the dense way of `rank_revealing.py`.

Each function is an entry (see context.py), made by a factory that closes over integers, strings or modules only:
closures over other kernels would defeat the cache.
"""

from numba import njit

from ..core.context import (
    BLOCK_SLOTS,
    COLUMN,
    F_ASSEMBLE,
    F_DENSE_FACTOR,
    F_DENSE_SOLVE,
    FUSED,
    H_DENSE,
    H_EXPECTED_RANK,
    H_PIN_SLOTS,
    H_Q,
    H_RANK,
    H_RANK_LOSSES,
    H_ROWS,
    H_V,
    HOT,
    JACOBIAN,
    OK,
    PAIR_RANGES,
    PAIRS,
    PIVOT,
    PIVOTS,
    S_PIVOT,
    SCALE,
    SETTINGS,
    SLOTS,
    UNIT_ROWS,
    UPDATES,
    WEIGHTED,
    K,
    L,
    ints,
    reals,
    run,
    state,
    table,
    vector_at,
)


def make_assemble(bs, nvb, twists):
    """`twists` 1: velocities of a body begin with that of its mass centre, so that J of a pin begins with +-1."""

    # Theory, eq. 8 (schur).
    def assemble(t, q_, v_, ctx_):
        """K = J W^T, block by block."""
        ctx = table(ctx_)
        like = vector_at(q_, ctx[H_Q])
        J = state(ctx, JACOBIAN, like)
        W = state(ctx, WEIGHTED, like)
        k_block = state(ctx, K, like)
        pairs = ints(ctx, PAIRS)
        ranges = ints(ctx, PAIR_RANGES)
        unit = ints(ctx, UNIT_ROWS)
        pins = ctx[H_PIN_SLOTS] if twists == 1 else 0
        for k in range(ranges.shape[0]):
            base = k * bs * bs
            for i in range(bs * bs):
                k_block[base + i] = 0.0
            for p in range(ranges[k, 0], ranges[k, 1]):
                a = pairs[p, 0] * bs * nvb
                b = pairs[p, 1] * bs * nvb
                if pairs[p, 0] < pins and pairs[p, 1] < pins:
                    # Both begin with a multiple of the unit matrix.
                    for i in range(bs):
                        k_block[base + i * bs + i] += J[a] * W[b]
                        for j in range(bs):
                            total = J[a + i * nvb + bs] * W[b + j * nvb + bs]
                            for c in range(bs + 1, nvb):
                                total += J[a + i * nvb + c] * W[b + j * nvb + c]
                            k_block[base + i * bs + j] += total
                    continue
                for i in range(bs):
                    for j in range(bs):
                        total = J[a + i * nvb] * W[b + j * nvb]
                        for c in range(1, nvb):
                            total += J[a + i * nvb + c] * W[b + j * nvb + c]
                        k_block[base + i * bs + j] += total
        for k in range(unit.shape[0]):
            k_block[unit[k, 1]] = 1.0
        return OK

    assemble.options = FUSED
    return assemble


@njit(**HOT, **FUSED)
def _factor_pairs(k_block, l_block, pivot, pivots, column, updates, scale, smallest):
    """The loop of `factor` for blocks of two rows, with a block in registers; False where a pivot vanishes."""
    n = pivots.shape[0]
    for p in range(n):
        d = 4 * p
        diagonal = 4 * pivots[p, 1]
        top, off = k_block[diagonal], k_block[diagonal + 2]
        if not top.real > smallest * scale[2 * p].real:
            return False
        inverse = 1.0 / top
        ratio = off * inverse
        rest = k_block[diagonal + 3] - off * ratio
        if not rest.real > smallest * scale[2 * p + 1].real:
            return False
        second = 1.0 / rest
        pivot[d], pivot[d + 1], pivot[d + 2], pivot[d + 3] = inverse, off, ratio, second
        for c in range(pivots[p, 2], pivots[p, 3]):
            block = 4 * column[c, 0]
            a0, a1 = k_block[block], k_block[block + 1]
            b0, b1 = k_block[block + 2], k_block[block + 3]
            a1 = (a1 - a0 * ratio) * second
            b1 = (b1 - b0 * ratio) * second
            l_block[block], l_block[block + 1] = a0 * inverse - ratio * a1, a1
            l_block[block + 2], l_block[block + 3] = b0 * inverse - ratio * b1, b1
        end = pivots[p + 1, 4] if p + 1 < n else updates.shape[0]
        for u in range(pivots[p, 4], end):
            target, left, right = 4 * updates[u, 0], 4 * updates[u, 1], 4 * updates[u, 2]
            a0, a1, b0, b1 = l_block[left], l_block[left + 1], l_block[left + 2], l_block[left + 3]
            c0, c1, d0, d1 = k_block[right], k_block[right + 1], k_block[right + 2], k_block[right + 3]
            k_block[target] -= a0 * c0 + a1 * c1
            k_block[target + 1] -= a0 * d0 + a1 * d1
            k_block[target + 2] -= b0 * c0 + b1 * c1
            k_block[target + 3] -= b0 * d0 + b1 * d1
    return True


def make_factor(bs):
    def factor(t, q_, v_, ctx_):
        """Assemble K and factor it in place, or the rank-revealing way if a pivot vanishes.

        For each pivot block p:  D_p = K_pp;  L_ip = K_ip D_p^-1;  K_ij -= L_ip K_jp^T.
        PIVOT holds the unit lower factor of D_p, the inverse pivots on its diagonal, and L D above it.
        """
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        if ctx[H_EXPECTED_RANK] > 0:  # known to be rank-deficient: no use in trying
            return run(ctx, F_DENSE_FACTOR, t, q, q)
        run(ctx, F_ASSEMBLE, t, q, q)
        ctx[H_DENSE] = 0
        k_block = state(ctx, K, q)
        l_block = state(ctx, L, q)
        pivot = state(ctx, PIVOT, q)
        pivots = ints(ctx, PIVOTS)
        column = ints(ctx, COLUMN)
        updates = ints(ctx, UPDATES)
        scale = state(ctx, SCALE, q)
        smallest = reals(ctx, SETTINGS)[S_PIVOT, 0]
        n = pivots.shape[0]
        for p in range(n):
            for i in range(bs):
                scale[p * bs + i] = k_block[pivots[p, 1] * bs * bs + i * bs + i]
        if bs == 2:
            if _factor_pairs(k_block, l_block, pivot, pivots, column, updates, scale, smallest):
                return OK
            ctx[H_RANK_LOSSES] += 1
            return run(ctx, F_DENSE_FACTOR, t, q, q)
        for p in range(n):
            d = p * bs * bs
            diagonal = pivots[p, 1] * bs * bs
            for i in range(bs):
                total = _diagonal_rest(k_block, pivot, diagonal, d, bs, i)
                if not total.real > smallest * scale[p * bs + i].real:
                    ctx[H_RANK_LOSSES] += 1
                    return run(ctx, F_DENSE_FACTOR, t, q, q)
                pivot[d + i * bs + i] = 1.0 / total
            end = pivots[p + 1, 4] if p + 1 < n else updates.shape[0]
            _past_pivot(k_block, l_block, pivot, pivots, column, updates, bs, p, end)
        return OK

    factor.options = FUSED
    return factor


@njit(**HOT, **FUSED)
def _diagonal_rest(k_block, pivot, diagonal, d, bs, i):
    """Row i of the factor of a diagonal block; what is left of its diagonal."""
    total = k_block[diagonal + i * bs + i]
    for j in range(i):
        y = k_block[diagonal + i * bs + j]
        for m in range(j):
            y -= pivot[d + m * bs + i] * pivot[d + j * bs + m]
        pivot[d + j * bs + i] = y
        pivot[d + i * bs + j] = y * pivot[d + j * bs + j]
        total -= y * pivot[d + i * bs + j]
    return total


@njit(**HOT, **FUSED)
def _past_pivot(k_block, l_block, pivot, pivots, column, updates, bs, p, end):
    """The blocks of L below pivot p, and what its elimination takes from the rest of K."""
    d = p * bs * bs
    for c in range(pivots[p, 2], pivots[p, 3]):
        block = column[c, 0] * bs * bs
        for r in range(bs):  # each row x of K_ip: solve x D = K_ip[r]
            for i in range(bs):
                total = k_block[block + r * bs + i]
                for m in range(i):
                    total -= l_block[block + r * bs + m] * pivot[d + i * bs + m]
                l_block[block + r * bs + i] = total
            for i in range(bs):
                l_block[block + r * bs + i] *= pivot[d + i * bs + i]
            for i in range(bs - 2, -1, -1):
                total = l_block[block + r * bs + i]
                for m in range(i + 1, bs):
                    total -= pivot[d + m * bs + i] * l_block[block + r * bs + m]
                l_block[block + r * bs + i] = total
    for u in range(pivots[p, 4], end):
        target = updates[u, 0] * bs * bs
        left = updates[u, 1] * bs * bs
        right = updates[u, 2] * bs * bs
        for i in range(bs):
            for j in range(bs):
                total = l_block[left + i * bs] * k_block[right + j * bs]
                for m in range(1, bs):
                    total += l_block[left + i * bs + m] * k_block[right + j * bs + m]
                k_block[target + i * bs + j] -= total


def make_dropping(bs):
    def dropping(t, q_, v_, ctx_):
        """F_DENSE_FACTOR of a sparse K: rows whose pivots vanish depend on those before them and get no multiplier.

        What is left of a semidefinite K is semidefinite: where its diagonal vanishes the whole row does, so that
        nothing but the row itself is left out, and no other loop is looked at.
        """
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        run(ctx, F_ASSEMBLE, t, q, q)
        ctx[H_DENSE] = 0
        k_block = state(ctx, K, q)
        l_block = state(ctx, L, q)
        pivot = state(ctx, PIVOT, q)
        pivots = ints(ctx, PIVOTS)
        column = ints(ctx, COLUMN)
        updates = ints(ctx, UPDATES)
        smallest = reals(ctx, SETTINGS)[S_PIVOT, 0]
        scale = state(ctx, SCALE, q)
        n = pivots.shape[0]
        ctx[H_RANK] = ctx[H_ROWS]
        for p in range(n):
            d = p * bs * bs
            diagonal = pivots[p, 1] * bs * bs
            for i in range(bs):
                total = _diagonal_rest(k_block, pivot, diagonal, d, bs, i)
                if total.real > smallest * scale[p * bs + i].real:
                    pivot[d + i * bs + i] = 1.0 / total
                else:
                    pivot[d + i * bs + i] = 0.0
                    ctx[H_RANK] -= 1
            end = pivots[p + 1, 4] if p + 1 < n else updates.shape[0]
            _past_pivot(k_block, l_block, pivot, pivots, column, updates, bs, p, end)
        return OK

    dropping.options = FUSED
    return dropping


@njit(**HOT, **FUSED)
def _solve_pairs(x, l_block, pivot, pivots, column):
    """The same for blocks of two rows, with both in registers."""
    n = pivots.shape[0]
    for p in range(n):
        b = 2 * pivots[p, 0]
        x0, x1 = x[b], x[b + 1]
        for q in range(pivots[p, 2], pivots[p, 3]):
            block = 4 * column[q, 0]
            row = 2 * column[q, 1]
            x[row] -= l_block[block] * x0 + l_block[block + 1] * x1
            x[row + 1] -= l_block[block + 2] * x0 + l_block[block + 3] * x1
        d = 4 * p
        ratio = pivot[d + 2]
        x1 = (x1 - ratio * x0) * pivot[d + 3]
        x[b], x[b + 1] = x0 * pivot[d] - ratio * x1, x1
    for p in range(n - 1, -1, -1):
        b = 2 * pivots[p, 0]
        x0, x1 = x[b], x[b + 1]
        for q in range(pivots[p, 2], pivots[p, 3]):
            block = 4 * column[q, 0]
            row = 2 * column[q, 1]
            y0, y1 = x[row], x[row + 1]
            x0 -= l_block[block] * y0 + l_block[block + 2] * y1
            x1 -= l_block[block + 1] * y0 + l_block[block + 3] * y1
        x[b], x[b + 1] = x0, x1


def make_solve(bs):
    def solve(t, x_, unused_, ctx_):
        """K x = b in place, with the factors of `factor`."""
        ctx = table(ctx_)
        x = vector_at(x_, ctx[H_ROWS])
        if ctx[H_DENSE] == 1:
            return run(ctx, F_DENSE_SOLVE, t, x, x)
        l_block = state(ctx, L, x)
        pivot = state(ctx, PIVOT, x)
        pivots = ints(ctx, PIVOTS)
        column = ints(ctx, COLUMN)
        if bs == 2:
            _solve_pairs(x, l_block, pivot, pivots, column)
            return OK
        for p in range(pivots.shape[0]):
            b = pivots[p, 0] * bs
            for q in range(pivots[p, 2], pivots[p, 3]):
                block = column[q, 0] * bs * bs
                row = column[q, 1] * bs
                for i in range(bs):
                    for j in range(bs):
                        x[row + i] -= l_block[block + i * bs + j] * x[b + j]
            d = p * bs * bs
            for i in range(1, bs):
                for j in range(i):
                    x[b + i] -= pivot[d + i * bs + j] * x[b + j]
            for i in range(bs):
                x[b + i] *= pivot[d + i * bs + i]
            for i in range(bs - 2, -1, -1):
                for j in range(i + 1, bs):
                    x[b + i] -= pivot[d + j * bs + i] * x[b + j]
        for p in range(pivots.shape[0] - 1, -1, -1):
            b = pivots[p, 0] * bs
            for q in range(pivots[p, 2], pivots[p, 3]):
                block = column[q, 0] * bs * bs
                row = column[q, 1] * bs
                for i in range(bs):
                    for j in range(bs):
                        x[b + j] -= l_block[block + i * bs + j] * x[row + i]
        return OK

    solve.options = FUSED
    return solve


def make_times(bs, nvb):
    def times(t, v_, rows_, ctx_):
        """rows = J v."""
        ctx = table(ctx_)
        v = vector_at(v_, ctx[H_V])
        rows = vector_at(rows_, ctx[H_ROWS])
        J = state(ctx, JACOBIAN, v)
        slots = ints(ctx, SLOTS)
        block_slots = ints(ctx, BLOCK_SLOTS)
        zero = 0.0 * v[0]
        for b in range(block_slots.shape[0]):
            if bs == 2:  # sums in registers: 28 ns become 20 on a four-bar
                first, second = zero, zero
                for s in range(block_slots[b, 0], block_slots[b, 1]):
                    j = s * bs * nvb
                    body = slots[s, 1] * nvb
                    for c in range(nvb):
                        first += J[j + c] * v[body + c]
                        second += J[j + nvb + c] * v[body + c]
                rows[2 * b], rows[2 * b + 1] = first, second
                continue
            for i in range(bs):
                rows[b * bs + i] = 0.0
            for s in range(block_slots[b, 0], block_slots[b, 1]):
                j = s * bs * nvb
                body = slots[s, 1] * nvb
                for i in range(bs):
                    total = J[j + i * nvb] * v[body]
                    for c in range(1, nvb):
                        total += J[j + i * nvb + c] * v[body + c]
                    rows[b * bs + i] += total
        return OK

    times.options = FUSED
    return times


def make_correct(bs, nvb):
    def correct(t, x_, rows_, ctx_):
        """x -= M^-1 J^T rows."""
        ctx = table(ctx_)
        x = vector_at(x_, ctx[H_V])
        rows = vector_at(rows_, ctx[H_ROWS])
        W = state(ctx, WEIGHTED, x)
        slots = ints(ctx, SLOTS)
        for s in range(slots.shape[0]):
            w = s * bs * nvb
            b = slots[s, 0] * bs
            body = slots[s, 1] * nvb
            for i in range(bs):
                r = rows[b + i]
                for c in range(nvb):
                    x[body + c] -= W[w + i * nvb + c] * r
        return OK

    correct.options = FUSED
    return correct


def unit_weigh(t, q_, v_, ctx_):
    """W = J: the Euclidean metric of the paper's direct correction."""
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    J = state(ctx, JACOBIAN, q)
    W = state(ctx, WEIGHTED, q)
    for i in range(J.size):
        W[i] = J[i]
    return OK
