"""A coordinate set of one's own: q = (x, y, angle in degrees) of the mass centre, v = q'.

It does what `angle` does, in another unit, on the general kernels: one entry `bodies` says what a body vector and its
derivatives are; masses, forces, contraction and projection come from `jourdain.kernels.coordinates.rate_sets`.
"""

from dataclasses import dataclass

import numpy as np

from jourdain.choices import Ability, Entry
from jourdain.choices.coordinates.rate_set import RateSet
from jourdain.kernels.core.context import (
    BODY_VECTORS,
    H_BODIES,
    H_Q,
    H_V,
    OK,
    OMEGA,
    SPIN_JACOBIAN,
    VEC,
    VECTOR_JACOBIAN,
    VECTOR_LOCAL,
    ints,
    numbers,
    state,
    table,
    vector_at,
)

DEGREE = np.pi / 180


def bodies(t, q_, v_, ctx_):
    ctx = table(ctx_)
    q = vector_at(q_, ctx[H_Q])
    v = vector_at(v_, ctx[H_V])
    vec = state(ctx, VEC, q)  # X, arm, X', X'' at v' = 0: two numbers each
    B = state(ctx, VECTOR_JACOBIAN, q)  # dX/dv, 2 x 3
    local = numbers(ctx, VECTOR_LOCAL, q)  # constants: numbers like q, complex where derivatives are asked for
    ranges = ints(ctx, BODY_VECTORS)
    for b in range(ctx[H_BODIES]):
        o = 3 * b
        c, s = np.cos(DEGREE * q[o + 2]), np.sin(DEGREE * q[o + 2])
        w = DEGREE * v[o + 2]
        state(ctx, OMEGA, q)[b] = w
        state(ctx, SPIN_JACOBIAN, q)[3 * b + 2] = DEGREE
        for k in range(ranges[b, 0], ranges[b, 1]):
            x, y, point = local[k, 0], local[k, 1], local[k, 2]
            sx, sy = c * x - s * y, s * x + c * y
            i = 8 * k
            vec[i], vec[i + 1] = point * q[o] + sx, point * q[o + 1] + sy
            vec[i + 4], vec[i + 5] = point * v[o] - w * sy, point * v[o + 1] + w * sx
            vec[i + 6], vec[i + 7] = -w * w * sx, -w * w * sy
            j = 6 * k
            B[j], B[j + 1], B[j + 2] = point, 0.0, -DEGREE * sy
            B[j + 3], B[j + 4], B[j + 5] = 0.0, point, DEGREE * sx
    return OK


@dataclass(frozen=True, kw_only=True)
class Degrees(RateSet):
    """Mass centre and angle of each body, the angle in degrees."""

    name = "degrees"
    says = "mass centre and angle of each body, in degrees"
    abilities = frozenset({Ability.COMPLEX})
    per_body = {"planar": (3, 3)}  # noqa: RUF012
    lengths = (True, True, False)
    constant_mass = True
    counts_angle = True

    def bodies_entry(self):
        return Entry("BODIES", "toy_degrees:bodies")

    def constants(self, bodies_, vectors):
        """Mass blocks are constant: give them, and their inverse, once."""
        mass = np.array([np.diag([b.mass, b.mass, b.inertia * DEGREE**2]) for b in bodies_])
        extra = np.array([np.diag([0, 0, b.extra * DEGREE**2]) for b in bodies_])
        inverse = np.linalg.inv(mass + extra)
        n = len(mass)
        return {
            "MASS": mass.reshape(n, -1),
            "EXTRA": extra.reshape(n, -1),
            "MASS_INVERSE": inverse.reshape(n, -1),
            "singular": bool(np.any(extra)),
        }

    def pose_in(self, position, attitude, frame, body):
        return np.array([*position, attitude / DEGREE])

    def twist_in(self, velocity, spin, q, body):
        return np.array([*velocity, spin / DEGREE])

    def pose_out(self, q, bodies_):
        angle = DEGREE * q[..., 2]
        c, s = np.cos(angle), np.sin(angle)
        return q[..., :2], np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2), angle

    def twist_out(self, q, v, bodies_):
        return v[..., :2], DEGREE * v[..., 2:3]
