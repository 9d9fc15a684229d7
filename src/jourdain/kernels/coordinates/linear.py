"""Coordinates in which body vectors are linear: `natural` (plane and space) and `points` (plane).

    X = B q,   X' = B v,   X'' at v' = 0 is zero,   M constant, no inertia bias.

What keeps the body rigid are intrinsic rows, quadratic forms  s (sum c q_i q_j - d) = 0, and the angular velocity is a
bilinear form  s sum c q_i v_j. So these sets are data for one kernel.

`natural` (Pappalardo and Guida 2018): q = (R, u_1 .. u_dim), the origin and the unit vectors of the body axes;
X = R + sum l_c u_c; rows u_a.u_b = delta_ab (eqs 8-12). `points` (Joli 2008): q = (P_1, P_2), two own points;
X = P_1 + a d + b d_perp with d = P_2 - P_1; one row (d.d - L^2) / (2 L) = 0.
"""

import numpy as np

from .. import general
from ..context import (
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

# Second moments below this part of m l^2 count as zero; what is added to them (see system.py), likewise.
ZERO_MOMENT = 1e-12
SHIFT = 1e-3


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


def _mass_fields(blocks, extras):
    """MASS, EXTRA and the constant inverse."""
    mass, extra = np.array(blocks), np.array(extras)
    n = len(mass)
    return {
        "MASS": mass.reshape(n, -1),
        "EXTRA": extra.reshape(n, -1),
        "MASS_INVERSE": np.linalg.inv(mass + extra).reshape(n, -1),
        "singular": bool(np.any(extra)),
    }


# natural ---------------------------------------------------------------------------------------------------------


def _natural(dim):
    """q = (R, u_1 .. u_dim), all of dim components."""
    pairs = [(a, b) for a in range(dim) for b in range(a, dim)]
    names = ("alpha", "beta", "gamma")
    meanings = tuple(f"|{names[a]}| = 1" if a == b else f"{names[a]} perpendicular to {names[b]}" for a, b in pairs)
    forms, values = [], []
    for r, (a, b) in enumerate(pairs):
        for i in range(dim):
            forms.append((r, dim * (1 + a) + i, dim * (1 + b) + i))
            values.append(1.0)
    spins, weights = [], []
    for a in range(dim):  # omega = 1/2 sum u_a x u_a'
        u = dim * (1 + a)
        if dim == 2:
            spins += [(0, u, u + 1), (0, u + 1, u)]
            weights += [0.5, -0.5]
        else:
            for k in range(3):
                i, j = (k + 1) % 3, (k + 2) % 3
                spins += [(k, u + i, u + j), (k, u + j, u + i)]
                weights += [0.5, -0.5]

    def constants(bodies, vectors):
        blocks, extras = [], []
        for body in bodies:
            moment = _second_moment(body, dim)
            values_, directions = np.linalg.eigh(moment)
            null = values_ < ZERO_MOMENT * body.mass * body.arm**2
            c = body.centre
            M = np.zeros((dim + 1, dim + 1))
            M[0, 0], M[0, 1:], M[1:, 0] = body.mass, body.mass * c, body.mass * c
            M[1:, 1:] = moment + body.mass * np.outer(c, c)
            E = np.zeros_like(M)
            E[1:, 1:] = SHIFT * body.mass * body.arm**2 * directions[:, null] @ directions[:, null].T
            blocks.append(np.kron(M, np.eye(dim)))
            extras.append(np.kron(E, np.eye(dim)))
        B = [np.kron(np.concatenate([[point], local]), np.eye(dim)) for _, local, point in vectors]
        deltas = [1.0 if a == b else 0.0 for a, b in pairs]
        return {
            **_mass_fields(blocks, extras),
            "VECTOR_JACOBIAN": np.array(B).reshape(len(vectors), -1),
            "FORMS": forms,
            "FORM": values,
            "FORM_SCALE": np.ones((len(bodies), len(pairs))),
            "FORM_CONSTANT": np.tile(deltas, (len(bodies), 1)),
            "SPIN_FORMS": spins,
            "SPIN_FORM": weights,
            "SPIN_SCALE": np.ones((len(bodies), 1)),
        }

    def pose_in(position, attitude, frame, body):
        """q from the mass centre and the rotation matrix."""
        return np.concatenate([position - frame @ body.centre, frame.T.ravel()])

    def twist_in(velocity, spin, q, body):
        frame = q[dim:].reshape(dim, dim).T
        turn = _skew(spin, dim)
        return np.concatenate([velocity - turn @ frame @ body.centre, (turn @ frame).T.ravel()])

    def pose_out(q, bodies):
        frame = np.swapaxes(q[..., dim:].reshape(*q.shape[:-1], dim, dim), -1, -2)
        centres = np.array([body.centre for body in bodies])
        return q[..., :dim] + np.einsum("...bij,bj->...bi", frame, centres), frame, None

    def twist_out(q, v, bodies):
        """Also for accelerations: u x u'' sums to the angular acceleration, as u x u' does to the velocity."""
        u = q[..., dim:].reshape(*q.shape[:-1], dim, dim)
        du = v[..., dim:].reshape(*v.shape[:-1], dim, dim)
        if dim == 2:
            spin = 0.5 * np.sum(u[..., 0] * du[..., 1] - u[..., 1] * du[..., 0], axis=-1)[..., None]
        else:
            spin = 0.5 * np.sum(np.cross(u, du), axis=-2)
        centres = np.array([body.centre for body in bodies])
        return v[..., :dim] + np.einsum("...bci,bc->...bi", du, centres), spin

    lengths = (*(True,) * dim, *(False,) * (dim * dim))
    nv = dim * (dim + 1)
    return general.coordinate_set(
        "natural",
        dim,
        nv,
        bodies=make_bodies(dim, nv, 2 if dim == 2 else 3, len(meanings)),
        constants=constants,
        pose_in=pose_in,
        twist_in=twist_in,
        pose_out=pose_out,
        twist_out=twist_out,
        lengths=lengths,
        intrinsic=meanings,
        from_origin=True,
        constant_mass=True,
    )


def _second_moment(body, dim):
    """int x x^T dm about the mass centre. In the plane only the trace matters: half of Izz each."""
    if dim == 2:
        return 0.5 * body.inertia * np.eye(2)
    return 0.5 * np.trace(body.inertia) * np.eye(3) - body.inertia


def _skew(w, dim):
    if dim == 2:
        w = float(np.atleast_1d(w)[0])
        return np.array([[0.0, -w], [w, 0.0]])
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


# points ----------------------------------------------------------------------------------------------------------

_QUARTER = np.array([[0.0, -1.0], [1.0, 0.0]])


def _own_points(body):
    """The two points farthest apart among those of the body; without two, the mass centre and one beside it."""
    places = body.points
    if len(places) >= 2:
        gaps = np.linalg.norm(places[:, None] - places[None], axis=-1)
        i, j = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
        if gaps[i, j] > 1e-9 * body.arm:
            return places[min(i, j)], places[max(i, j)]
    return body.centre, body.centre + np.array([body.arm, 0.0])


def _point_map(local, point, body):
    """B (2 x 4) of a body vector: X = (point - a) P_1 + a P_2 + b quarter (P_2 - P_1)."""
    p1, p2 = _own_points(body)
    d = p2 - p1
    rel = local - point * p1
    a, b = rel @ d / (d @ d), rel @ (_QUARTER @ d) / (d @ d)
    return np.hstack([(point - a) * np.eye(2) - b * _QUARTER, a * np.eye(2) + b * _QUARTER])


def _points():
    def constants(bodies, vectors):
        blocks, extras, lengths = [], [], []
        for body in bodies:
            p1, p2 = _own_points(body)
            L = float(np.linalg.norm(p2 - p1))
            lengths.append(L)
            G = _point_map(body.centre, 1.0, body)
            turn = np.hstack([-np.eye(2), np.eye(2)])  # d' ; |d'| = L |omega|
            blocks.append(body.mass * G.T @ G + body.inertia / L**2 * turn.T @ turn)
            extras.append(body.extra / L**2 * turn.T @ turn)
        B = [
            _point_map(np.array(local), point, bodies[b]) if b >= 0 else np.zeros((2, 4)) for b, local, point in vectors
        ]
        L = np.array(lengths)[:, None]
        # d.d = sum over the two components of (P_2 - P_1)^2
        forms = [(0, 2, 2), (0, 0, 0), (0, 0, 2), (0, 3, 3), (0, 1, 1), (0, 1, 3)]
        # omega = (d x d') / L^2
        spins = [(0, 2, 3), (0, 0, 1), (0, 2, 1), (0, 0, 3), (0, 3, 2), (0, 1, 0), (0, 3, 0), (0, 1, 2)]
        return {
            **_mass_fields(blocks, extras),
            "VECTOR_JACOBIAN": np.array(B).reshape(len(vectors), -1),
            "FORMS": forms,
            "FORM": [1.0, 1.0, -2.0, 1.0, 1.0, -2.0],
            "FORM_SCALE": 0.5 / L,
            "FORM_CONSTANT": L**2,
            "SPIN_FORMS": spins,
            "SPIN_FORM": [1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0],
            "SPIN_SCALE": 1.0 / L**2,
        }

    def pose_in(position, attitude, frame, body):
        return np.concatenate([position + frame @ (p - body.centre) for p in _own_points(body)])

    def twist_in(velocity, spin, q, body):
        p1, p2 = _own_points(body)
        d = p2 - p1
        world = q[2:] - q[:2]
        frame = np.stack([world, _QUARTER @ world], 1) @ np.linalg.inv(np.stack([d, _QUARTER @ d], 1))
        turn = _skew(spin, 2) @ frame
        return np.concatenate([velocity + turn @ (p - body.centre) for p in (p1, p2)])

    def pose_out(q, bodies):
        centre = np.stack([q[..., k, :] @ _point_map(b.centre, 1.0, b).T for k, b in enumerate(bodies)], -2)
        axes = [[q[..., k, :] @ _point_map(np.eye(2)[c], 0.0, b).T for c in (0, 1)] for k, b in enumerate(bodies)]
        return centre, np.stack([np.stack(pair, -1) for pair in axes], -3), None

    def twist_out(q, v, bodies):
        centre = np.stack([v[..., k, :] @ _point_map(b.centre, 1.0, b).T for k, b in enumerate(bodies)], -2)
        d, dd = q[..., 2:] - q[..., :2], v[..., 2:] - v[..., :2]
        spin = (d[..., 0] * dd[..., 1] - d[..., 1] * dd[..., 0]) / np.sum(d * d, -1)
        return centre, spin[..., None]

    return general.coordinate_set(
        "points",
        2,
        4,
        bodies=make_bodies(2, 4, 2, 1),
        constants=constants,
        pose_in=pose_in,
        twist_in=twist_in,
        pose_out=pose_out,
        twist_out=twist_out,
        lengths=(True,) * 4,
        intrinsic=("length of the bar",),
        from_origin=True,
        constant_mass=True,
    )


natural_planar = _natural(2)
natural_spatial = _natural(3)
points = _points()
