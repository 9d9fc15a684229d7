"""Constraint rows from the table of scalar products: residual, time part, gamma and gradients.

One row is  C = sum c(t) a.b + f(t), a and b body vectors or differences of two (MN = ON - OM). By one formula
(Marquis-Favre 2006, eqs 14, 24, 26 with the misprints mended):

    C_t   = c' a.b + f'
    gamma = -c (2 a'.b' + a.b''0 + b.a''0) - 2 c' (a'.b + a.b') - c'' a.b - f''
    dC/da = c b,  dC/db = c a

where ''0 is the part of an acceleration that remains at q'' = 0. The gradients go to GRADIENT, one entry for each
(row, vector); a coordinate set contracts them into its columns, and reactions are read from them.

Pins, `MN.e_k = 0` for all k, are most of all rows; their gradients never change, so only C and gamma are left.
"""

from numba import njit

from .context import (
    COEFFICIENT,
    F_TAPE_ROWS,
    F_TERM_ROWS,
    GAMMA,
    GRADIENT,
    H_PIN_ENTRIES,
    H_Q,
    HOT,
    OK,
    PARTIAL,
    PINS,
    RESIDUAL,
    ROW_TAPES,
    ROWS,
    SIGNAL,
    TERMS,
    VEC,
    cache_name,
    ints,
    numbers,
    run,
    state,
    table,
    vector_at,
)


def _make_pins(dim):
    """Rows of all pins, in `dim` dimensions."""

    # Theory, eq. 1 (joint), 4 (gamma).
    def pins(ctx, like):
        pin = ints(ctx, PINS)
        vec = state(ctx, VEC, like)
        residual = state(ctx, RESIDUAL, like)
        gamma = state(ctx, GAMMA, like)
        for p in range(pin.shape[0]):
            M = 4 * dim * pin[p, 0]
            N = 4 * dim * pin[p, 1]
            row = pin[p, 2]
            for k in range(dim):
                residual[row + k] = vec[N + k] - vec[M + k]
                gamma[row + k] = vec[M + 3 * dim + k] - vec[N + 3 * dim + k]

    return njit(**HOT)(cache_name(pins, dim))


def make_term_rows(dim):
    """The entry F_TERM_ROWS: rows of all other equations, in `dim` dimensions."""

    # Theory, eq. 1 (joint), 3 (rate), 4 (gamma).
    def term_rows(t, q_, v_, ctx_):
        ctx = table(ctx_)
        like = vector_at(q_, ctx[H_Q])
        equations = ints(ctx, ROWS)
        terms = ints(ctx, TERMS)
        coefficient = numbers(ctx, COEFFICIENT, like)
        signal = state(ctx, SIGNAL, like)
        vec = state(ctx, VEC, like)
        gradient = state(ctx, GRADIENT, like)
        residual = state(ctx, RESIDUAL, like)
        partial = state(ctx, PARTIAL, like)
        gamma = state(ctx, GAMMA, like)
        zero = 0.0 * like[0]
        for k in range(dim * ctx[H_PIN_ENTRIES], gradient.size):
            gradient[k] = zero
        for r in range(equations.shape[0]):
            f = equations[r, 3]
            C = zero + signal[3 * f]
            C_t = zero + signal[3 * f + 1]
            right = zero - signal[3 * f + 2]
            for k in range(equations[r, 1], equations[r, 2]):
                a_plus = terms[k, 0] * 4 * dim
                a_minus = terms[k, 1] * 4 * dim
                b_plus = terms[k, 2] * 4 * dim
                b_minus = terms[k, 3] * 4 * dim
                s = terms[k, 4]
                c = coefficient[k, 0] * signal[3 * s]
                e_ap = terms[k, 5] * dim
                e_am = terms[k, 6] * dim
                e_bp = terms[k, 7] * dim
                e_bm = terms[k, 8] * dim
                ab = zero
                first = zero  # (a.b)'
                second = zero  # (a.b)'' at q'' = 0
                for i in range(dim):
                    a = vec[a_plus + i]
                    da = vec[a_plus + 2 * dim + i]
                    dda = vec[a_plus + 3 * dim + i]
                    if a_minus >= 0:
                        a -= vec[a_minus + i]
                        da -= vec[a_minus + 2 * dim + i]
                        dda -= vec[a_minus + 3 * dim + i]
                    b = vec[b_plus + i]
                    db = vec[b_plus + 2 * dim + i]
                    ddb = vec[b_plus + 3 * dim + i]
                    if b_minus >= 0:
                        b -= vec[b_minus + i]
                        db -= vec[b_minus + 2 * dim + i]
                        ddb -= vec[b_minus + 3 * dim + i]
                    ab += a * b
                    first += da * b + a * db
                    second += 2.0 * da * db + a * ddb + b * dda
                    if e_ap >= 0:
                        gradient[e_ap + i] += c * b
                    if e_am >= 0:
                        gradient[e_am + i] -= c * b
                    if e_bp >= 0:
                        gradient[e_bp + i] += c * a
                    if e_bm >= 0:
                        gradient[e_bm + i] -= c * a
                C += c * ab
                right -= c * second
                if s > 0:  # signal 0 is the constant 1
                    dc = coefficient[k, 0] * signal[3 * s + 1]
                    ddc = coefficient[k, 0] * signal[3 * s + 2]
                    C_t += dc * ab
                    right -= 2.0 * dc * first + ddc * ab
            row = equations[r, 0]
            residual[row] = C
            partial[row] = C_t
            gamma[row] = right
        return OK

    return term_rows


_pins_2, _pins_3 = _make_pins(2), _make_pins(3)


def make_entry(dim):
    """The entry F_ROWS, the same for all coordinate sets of a space."""

    def joint_rows(t, q_, v_, ctx_):
        ctx = table(ctx_)
        q = vector_at(q_, ctx[H_Q])
        if dim == 2:
            _pins_2(ctx, q)
        else:
            _pins_3(ctx, q)
        if ints(ctx, ROWS).shape[0] > 0:
            run(ctx, F_TERM_ROWS, t, q, q)
        if ints(ctx, ROW_TAPES).shape[0] > 0:
            run(ctx, F_TAPE_ROWS, t, q, q)
        return OK

    return joint_rows
