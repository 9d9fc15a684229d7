"""What coordinate sets with v = q' share: everything but the geometry of one body.

A set of this kind is one entry, `bodies`, which fills for every body at (q, v)

    VEC              X, X' and X'' at v' = 0 of each body vector
    VECTOR_JACOBIAN  dX/dv of each body vector
    OMEGA, SPIN_JACOBIAN   angular velocity and its derivative by v
    MASS, BIAS       mass block and inertia bias (left alone where they are constant)
    RESIDUAL, GAMMA, JACOBIAN   of its intrinsic rows, the first rows of all

and the rest follows here: gradients contract with dX/dv into J, forces likewise into Q. `angle` and `quaternion` have
faster code of their own for the same things.
"""

from ..core.context import (
    BIAS,
    BODY_COLUMN,
    BODY_TORQUE,
    ENERGY,
    ENTRIES,
    EXTRA,
    F_BODIES,
    F_FORCES,
    F_ROWS,
    F_SIGNALS,
    F_SPRINGS,
    FREE,
    GRADIENT,
    GRAVITY,
    H_BODIES,
    H_Q,
    H_TORQUES,
    H_V,
    JACOBIAN,
    LOADED,
    MASS,
    MASS_CENTRES,
    MASS_INVERSE,
    MASSES,
    OK,
    SIGNALS,
    SLOTS,
    SPIN_JACOBIAN,
    VEC,
    VECTOR_FORCE,
    VECTOR_JACOBIAN,
    WEIGHTED,
    ints,
    numbers,
    run,
    state,
    table,
    vector_at,
)


def make_place(dim, nv, bs, intrinsic_slots):
    """`intrinsic_slots` is the number of slots each body's intrinsic rows take: the first slots of J."""

    def place(t, q_, v_, ctx_):
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        v = vector_at(v_, ctx[H_V])
        if ints(ctx, SIGNALS).shape[0] > 0:
            run(ctx, F_SIGNALS, t, q, v)
        J = state(ctx, JACOBIAN, q)
        for k in range(ctx[H_BODIES] * intrinsic_slots * bs * nv, J.size):
            J[k] = 0.0
        run(ctx, F_BODIES, t, q, v)
        run(ctx, F_ROWS, t, q, v)
        entries = ints(ctx, ENTRIES)
        g = state(ctx, GRADIENT, q)
        B = state(ctx, VECTOR_JACOBIAN, q)
        for e in range(entries.shape[0]):
            slot = entries[e, 0]
            if slot >= 0:
                o = (slot * bs + entries[e, 1]) * nv
                k = entries[e, 2] * dim * nv
                for i in range(dim):
                    for c in range(nv):
                        J[o + c] += g[e * dim + i] * B[k + i * nv + c]
        return OK

    return place


def make_weigh(nv, bs, constant_mass):
    def weigh(t, q_, v_, ctx_):
        """MASS_INVERSE = (M + E)^-1, and W = J (M + E)^-1."""
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        inverse = state(ctx, MASS_INVERSE, q)
        mass = state(ctx, MASS, q)
        extra = state(ctx, EXTRA, q)
        if constant_mass == 0:
            for b in range(ctx[H_BODIES]):
                o = b * nv * nv
                # Gauss-Jordan without pivoting: M + E is positive definite.
                for i in range(nv * nv):
                    inverse[o + i] = mass[o + i] + extra[o + i]
                for p in range(nv):
                    d = 1.0 / inverse[o + p * nv + p]
                    inverse[o + p * nv + p] = 1.0
                    for j in range(nv):
                        inverse[o + p * nv + j] *= d
                    for i in range(nv):
                        if i != p:
                            f = inverse[o + i * nv + p]
                            inverse[o + i * nv + p] = 0.0
                            for j in range(nv):
                                inverse[o + i * nv + j] -= f * inverse[o + p * nv + j]
        slots = ints(ctx, SLOTS)
        J = state(ctx, JACOBIAN, q)
        W = state(ctx, WEIGHTED, q)
        for s in range(slots.shape[0]):
            o = slots[s, 1] * nv * nv
            for i in range(bs):
                r = (s * bs + i) * nv
                for c in range(nv):
                    total = inverse[o + c * nv] * J[r]
                    for k in range(1, nv):
                        total += inverse[o + c * nv + k] * J[r + k]
                    W[r + c] = total
        return OK

    return weigh


def make_load(dim, nv):
    spin = 1 if dim == 2 else 3

    def load(t, q_, v_, ctx_):
        """free = (M + E)^-1 (applied forces + inertia bias)."""
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        run(ctx, F_FORCES, t, q, q)
        free = state(ctx, FREE, q)
        bias = state(ctx, BIAS, q)
        B = state(ctx, VECTOR_JACOBIAN, q)
        force = state(ctx, VECTOR_FORCE, q)
        gravity = numbers(ctx, GRAVITY, q)
        masses = numbers(ctx, MASSES, q)
        centres = ints(ctx, MASS_CENTRES)
        loaded = ints(ctx, LOADED)
        for i in range(free.size):
            free[i] = bias[i]
        for b in range(ctx[H_BODIES]):
            k = centres[b, 0] * dim * nv
            for i in range(dim):
                f = masses[b, 0] * gravity[i, 0]
                for c in range(nv):
                    free[b * nv + c] += f * B[k + i * nv + c]
        for n in range(loaded.shape[0]):
            b = loaded[n, 1]
            if b >= 0:
                k = loaded[n, 0] * dim * nv
                for i in range(dim):
                    for c in range(nv):
                        free[b * nv + c] += force[loaded[n, 0] * dim + i] * B[k + i * nv + c]
        if ctx[H_TORQUES] == 1:
            torque = state(ctx, BODY_TORQUE, q)
            turn = state(ctx, SPIN_JACOBIAN, q)
            for b in range(ctx[H_BODIES]):
                for i in range(spin):
                    for c in range(nv):
                        free[b * nv + c] += torque[b * spin + i] * turn[(b * spin + i) * nv + c]
        inverse = state(ctx, MASS_INVERSE, q)
        column = state(ctx, BODY_COLUMN, q)
        for b in range(ctx[H_BODIES]):
            for c in range(nv):
                column[c] = free[b * nv + c]
            for c in range(nv):
                total = 0.0 * q[0]
                for k in range(nv):
                    total += inverse[(b * nv + c) * nv + k] * column[k]
                free[b * nv + c] = total
        return OK

    return load


def make_shift(nv):
    def shift(t, x_, out_, ctx_):
        """out = (M + E)^-1 E x."""
        ctx = table(ctx_)
        x = vector_at(x_, ctx[H_V])
        out = vector_at(out_, ctx[H_V])
        inverse = state(ctx, MASS_INVERSE, x)
        extra = state(ctx, EXTRA, x)
        column = state(ctx, BODY_COLUMN, x)
        for b in range(ctx[H_BODIES]):
            o = b * nv * nv
            for c in range(nv):
                total = 0.0 * x[0]
                for k in range(nv):
                    total += extra[o + c * nv + k] * x[b * nv + k]
                column[c] = total
            for c in range(nv):
                total = 0.0 * x[0]
                for k in range(nv):
                    total += inverse[o + c * nv + k] * column[k]
                out[b * nv + c] = total
        return OK

    return shift


def make_mass(nv):
    def mass(t, x_, out_, ctx_):
        """out = (M + E) x."""
        ctx = table(ctx_)
        x = vector_at(x_, ctx[H_V])
        out = vector_at(out_, ctx[H_V])
        mass_ = state(ctx, MASS, x)
        extra = state(ctx, EXTRA, x)
        for b in range(ctx[H_BODIES]):
            for c in range(nv):
                o = (b * nv + c) * nv
                total = 0.0 * x[0]
                for k in range(nv):
                    total += (mass_[o + k] + extra[o + k]) * x[b * nv + k]
                out[b * nv + c] = total
        return OK

    return mass


def make_rates(nq, nv):
    """q' = v; what q has beyond nv (the number of a chart) does not change."""

    def rates(t, y_, dy_, ctx_):
        ctx = table(ctx_)
        y = vector_at(y_, ctx[H_Q] + ctx[H_V])
        dy = vector_at(dy_, ctx[H_Q])
        for b in range(ctx[H_BODIES]):
            for c in range(nq):
                dy[b * nq + c] = y[ctx[H_Q] + b * nv + c] if c < nv else 0.0
        return OK

    return rates


def make_retract(nq, nv):
    def retract(t, q_, delta_, ctx_):
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        delta = vector_at(delta_, ctx[H_V])
        for b in range(ctx[H_BODIES]):
            for c in range(nv):
                q[b * nq + c] += delta[b * nv + c]
        return OK

    return retract


def make_energy(dim, nv):
    def energy(t, q_, v_, ctx_):
        """Kinetic energy v^T M v / 2 without what EXTRA or a set's own augmentation adds; potential energy."""
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        v = vector_at(v_, ctx[H_V])
        mass = state(ctx, MASS, q)
        vec = state(ctx, VEC, q)
        out = state(ctx, ENERGY, q)
        gravity = numbers(ctx, GRAVITY, q)
        masses = numbers(ctx, MASSES, q)
        centres = ints(ctx, MASS_CENTRES)
        kinetic = 0.0 * q[0]
        run(ctx, F_SPRINGS, t, q, q)
        potential = out[1]
        for b in range(ctx[H_BODIES]):
            for i in range(nv):
                for j in range(nv):
                    kinetic += 0.5 * v[b * nv + i] * mass[(b * nv + i) * nv + j] * v[b * nv + j]
            for i in range(dim):
                potential -= masses[b, 0] * gravity[i, 0] * vec[centres[b, 0] * 4 * dim + i]
        out[0] = kinetic
        out[1] = potential
        return OK

    return energy
