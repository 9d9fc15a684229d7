"""Coordinates in which body vectors are linear: `natural` (plane and space) and `points` (plane).

    X = B q,   X' = B v,   X'' at v' = 0 is zero,   M constant, no inertia bias.

What keeps the body rigid are intrinsic rows, quadratic forms  s (sum c q_i q_j - d) = 0, and the angular velocity is a
bilinear form  s sum c q_i v_j. So these sets are data for one kernel.

`natural` (Pappalardo and Guida 2018): q = (R, u_1 .. u_dim), the origin and the unit vectors of the body axes;
X = R + sum l_c u_c; rows u_a.u_b = delta_ab (eqs 8-12). `points` (Joli 2008): q = (P_1, P_2), two own points;
X = P_1 + a d + b d_perp with d = P_2 - P_1; one row (d.d - L^2) / (2 L) = 0.
"""

from ..core.context import (
    BODY_VECTORS,
    FORM,
    FORM_CONSTANT,
    FORM_SCALE,
    FORMS,
    GAMMA,
    H_BODIES,
    H_Q,
    H_V,
    JACOBIAN,
    OK,
    OMEGA,
    RESIDUAL,
    SPIN_FORM,
    SPIN_FORMS,
    SPIN_JACOBIAN,
    SPIN_SCALE,
    VEC,
    VECTOR_JACOBIAN,
    ints,
    numbers,
    state,
    table,
    vector_at,
)


def make_bodies(dim, nv, bs, intrinsic):
    spin = 1 if dim == 2 else 3
    rows_of_body = -(-intrinsic // bs) * bs

    def bodies(t, q_, v_, ctx_):
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        v = vector_at(v_, ctx[H_V])
        vec = state(ctx, VEC, q)
        B = state(ctx, VECTOR_JACOBIAN, q)
        ranges = ints(ctx, BODY_VECTORS)
        for b in range(ctx[H_BODIES]):
            o = b * nv
            for k in range(ranges[b, 0], ranges[b, 1]):
                for i in range(dim):
                    x = B[(k * dim + i) * nv] * q[o]
                    dx = B[(k * dim + i) * nv] * v[o]
                    for c in range(1, nv):
                        x += B[(k * dim + i) * nv + c] * q[o + c]
                        dx += B[(k * dim + i) * nv + c] * v[o + c]
                    vec[4 * dim * k + i] = x
                    vec[4 * dim * k + 2 * dim + i] = dx

        forms = ints(ctx, FORMS)
        coefficient = numbers(ctx, FORM, q)
        scale = numbers(ctx, FORM_SCALE, q)
        constant = numbers(ctx, FORM_CONSTANT, q)
        residual = state(ctx, RESIDUAL, q)
        gamma = state(ctx, GAMMA, q)
        J = state(ctx, JACOBIAN, q)
        for b in range(ctx[H_BODIES]):
            o = b * nv
            row = b * rows_of_body
            for r in range(intrinsic):
                residual[row + r] = -scale[b, r] * constant[b, r]
                gamma[row + r] = 0.0
                for c in range(nv):
                    J[(row + r) * nv + c] = 0.0
            for n in range(forms.shape[0]):
                r, i, j = forms[n, 0], forms[n, 1], forms[n, 2]
                c = coefficient[n, 0] * scale[b, r]
                residual[row + r] += c * q[o + i] * q[o + j]
                gamma[row + r] -= 2.0 * c * v[o + i] * v[o + j]
                J[(row + r) * nv + i] += c * q[o + j]
                J[(row + r) * nv + j] += c * q[o + i]

        spins = ints(ctx, SPIN_FORMS)
        weight = numbers(ctx, SPIN_FORM, q)
        spin_scale = numbers(ctx, SPIN_SCALE, q)
        omega = state(ctx, OMEGA, q)
        turn = state(ctx, SPIN_JACOBIAN, q)
        for b in range(ctx[H_BODIES]):
            o = b * nv
            for i in range(spin):
                omega[b * spin + i] = 0.0
                for c in range(nv):
                    turn[(b * spin + i) * nv + c] = 0.0
            for n in range(spins.shape[0]):
                k, i, j = spins[n, 0], spins[n, 1], spins[n, 2]
                c = weight[n, 0] * spin_scale[b, 0]
                turn[(b * spin + k) * nv + j] += c * q[o + i]
                omega[b * spin + k] += c * q[o + i] * v[o + j]
        return OK

    return bodies
