"""Coordinates `natural`, in the plane and in space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...mechanism.parts import PLANAR, SPATIAL
from ..contract import Chosen, Field, Number, PlanLike, Use
from ..treatments.reduced import MAX_DENSE_ROWS
from .linear import LinearSet, mass_fields, skew

Array = npt.NDArray[np.float64]

AXES = ("alpha", "beta", "gamma")
# Second moments below this part of m l^2 count as zero; what is added to them (see kernels/core/dynamics.py), likewise.
ZERO_MOMENT = 1e-12
SHIFT = 1e-3
WITH_ELIMINATION = ("kkt", "udwadia-kalaba")


@dataclass(frozen=True, kw_only=True)
class Natural(LinearSet):
    """Natural absolute coordinates with full constraints: q = (R, u_1 .. u_dim), origin and axes of each body.

    X = R + sum l_c u_c; rows u_a.u_b = delta_ab (Pappalardo and Guida 2018, eqs 8-12).

    With `cholesky`, in the plane, q = L^T e of these e, where M = L L^T, so that the mass matrix is one: with the mass
    centre G and s^2 = Izz / 2 that is (sqrt(m) G, s u_1, s u_2), and the rows are s^2 times as large.

    With `eliminate` joints that are linear in them, as pins are, are eliminated before the run: at each position only
    the other equations are solved, dense, and what is eliminated follows (kernels/treatments/linear_joints.py).
    """

    name: ClassVar[str] = "natural"
    says: ClassVar[str] = "origin and unit vectors of each body, kept so by rows: 6 in the plane, 12 in space"
    source: ClassVar[str] = "Pappalardo and Guida 2018"
    per_body: ClassVar[Mapping[str, tuple[int, int]]] = {PLANAR: (6, 6), SPATIAL: (12, 12)}

    eliminate: bool = False
    cholesky: bool = False

    def __str__(self) -> str:
        added = [word for word in ("eliminate", "cholesky") if getattr(self, word)]
        return f"{self.name} ({', '.join(added)})" if added else self.name

    @property
    def eliminates(self) -> bool:
        return self.eliminate

    def refuses(self, chosen: Chosen) -> str | None:
        if self.eliminate and chosen.treatment.name not in WITH_ELIMINATION:
            words = f"linear joints are eliminated from the equations of {' and '.join(WITH_ELIMINATION)}"
            return f"{words}; leave out eliminate with {chosen.treatment}"
        if self.eliminate and chosen.integrator.implies is not None:
            return f"{chosen.integrator} has no equations of accelerations; leave out eliminate, or use dop853"
        if self.cholesky and self.at_hand != PLANAR:
            return "cholesky is for planar natural coordinates, as in the paper; leave it out, or use quaternion"
        return None

    def fits(self, plan: PlanLike) -> str | None:
        if not self.eliminate or plan.sizes.rows <= MAX_DENSE_ROWS:
            return None
        return (
            f"what is left when linear joints are eliminated is dense and takes up to {MAX_DENSE_ROWS} rows; this "
            f"machine has {plan.sizes.rows}; leave out eliminate, whose cost grows with the number of bodies"
        )

    def memory(self, plan: PlanLike) -> Sequence[Field]:
        """Of the elimination; factors that a state begins with last from step to step."""
        if not self.eliminate:
            return ()
        linear = np.array(plan.linear_blocks, dtype=bool)
        place = np.where(linear, np.cumsum(linear) - 1, -np.cumsum(~linear)).reshape(-1, 1)
        n = self.block * int(np.sum(linear))
        rest = plan.sizes.rows - n
        return (
            Field("LINEAR_PLACE", place.shape, Use.CONSTANT, Number.INT, start=place),
            Field("LINEAR_MADE_FOR", (2, n * n), Use.KEPT),
            Field("LINEAR_INVERSE", (2, n * n), Use.KEPT),
            Field("LINEAR_COUPLING", (2, n * rest), Use.KEPT),
            Field("LINEAR_REST", (rest, rest), Use.KEPT),
            Field("LINEAR_RIGHT", (plan.sizes.rows, 1), Use.SCRATCH),
        )

    @property
    def _pairs(self) -> list[tuple[int, int]]:
        return [(a, b) for a in range(self.dim) for b in range(a, self.dim)]

    @property
    def lengths(self) -> tuple[bool, ...]:
        return (*(True,) * self.dim, *(False,) * self.dim**2)

    @property
    def intrinsic(self) -> tuple[str, ...]:
        words = ("|{0}| = 1", "{0} perpendicular to {1}")
        return tuple(words[a != b].format(AXES[a], AXES[b]) for a, b in self._pairs)

    @property
    def called(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        components = "xyz"[: self.dim]
        names = (*components, *(f"{axis}_{c}" for axis in AXES[: self.dim] for c in components))
        return names, names

    def constants(self, bodies: Sequence[Any], vectors: Sequence[Any]) -> Mapping[str, Any]:
        dim = self.dim
        if self.cholesky:
            return self._constants_of_cholesky(bodies, vectors)
        blocks, extras = [], []
        for body in bodies:
            moment = _second_moment(body, dim)
            values, directions = np.linalg.eigh(moment)
            null = values < ZERO_MOMENT * body.mass * body.arm**2
            c = body.centre
            M = np.zeros((dim + 1, dim + 1))
            M[0, 0], M[0, 1:], M[1:, 0] = body.mass, body.mass * c, body.mass * c
            M[1:, 1:] = moment + body.mass * np.outer(c, c)
            E = np.zeros_like(M)
            E[1:, 1:] = SHIFT * body.mass * body.arm**2 * directions[:, null] @ directions[:, null].T
            blocks.append(np.kron(M, np.eye(dim)))
            extras.append(np.kron(E, np.eye(dim)))
        B = [np.kron(np.concatenate([[point], local]), np.eye(dim)) for _, local, point in vectors]
        return {
            **mass_fields(blocks, extras),
            "VECTOR_JACOBIAN": np.array(B).reshape(len(vectors), -1),
            **self._forms(len(bodies)),
        }

    def _constants_of_cholesky(self, bodies: Sequence[Any], vectors: Sequence[Any]) -> Mapping[str, Any]:
        blocks, extras = [], []
        for body in bodies:
            turning = float(body.inertia > ZERO_MOMENT * body.mass * body.arm**2)
            blocks.append(np.diag([1.0, 1.0, *[turning] * 4]))
            extras.append(np.diag([0.0, 0.0, *[1.0 - turning] * 4]))
        B = []
        for b, local, point in vectors:
            body = bodies[b] if b >= 0 else None
            row = np.zeros(3) if body is None else np.concatenate([[point], local - point * body.centre])
            weights = np.ones(3) if body is None else _weights(body)
            B.append(np.kron(row / weights, np.eye(2)))
        squares = np.array([_weights(body)[1] ** 2 for body in bodies]).reshape(-1, 1)
        forms = self._forms(len(bodies))
        return {
            **mass_fields(blocks, extras),
            "VECTOR_JACOBIAN": np.array(B).reshape(len(vectors), -1),
            **forms,
            "FORM_SCALE": forms["FORM_SCALE"] / squares,
            "FORM_CONSTANT": forms["FORM_CONSTANT"] * squares,
            "SPIN_SCALE": forms["SPIN_SCALE"] / squares,
        }

    def _forms(self, bodies: int) -> dict[str, Any]:
        """u_a.u_b - delta_ab, and omega = 1/2 sum u_a x u_a'."""
        dim, pairs = self.dim, self._pairs
        forms = [(r, dim * (1 + a) + i, dim * (1 + b) + i) for r, (a, b) in enumerate(pairs) for i in range(dim)]
        spins: list[tuple[int, int, int]] = []
        for a in range(dim):
            u = dim * (1 + a)
            for k in range(1 if dim == 2 else 3):
                i, j = (0, 1) if dim == 2 else ((k + 1) % 3, (k + 2) % 3)
                spins += [(k, u + i, u + j), (k, u + j, u + i)]
        return {
            "FORMS": forms,
            "FORM": [1.0] * len(forms),
            "FORM_SCALE": np.ones((bodies, len(pairs))),
            "FORM_CONSTANT": np.tile([1.0 if a == b else 0.0 for a, b in pairs], (bodies, 1)),
            "SPIN_FORMS": spins,
            "SPIN_FORM": [0.5, -0.5] * (len(spins) // 2),
            "SPIN_SCALE": np.ones((bodies, 1)),
        }

    def pose_in(self, position: Array, attitude: Any, frame: Array, body: Any) -> Array:
        if self.cholesky:
            w = _weights(body)
            return np.concatenate([w[0] * position, w[1] * frame.T.ravel()])
        return np.concatenate([position - frame @ body.centre, frame.T.ravel()])

    def twist_in(self, velocity: Array, spin: Any, q: Array, body: Any) -> Array:
        frame = q[self.dim :].reshape(self.dim, self.dim).T
        turn = skew(spin, self.dim)
        if self.cholesky:
            return np.concatenate([_weights(body)[0] * velocity, (turn @ frame).T.ravel()])
        return np.concatenate([velocity - turn @ frame @ body.centre, (turn @ frame).T.ravel()])

    def pose_out(self, q: Array, bodies: Sequence[Any]) -> tuple[Array, Array, Array | None]:
        dim = self.dim
        if self.cholesky:
            q = self._of_poses(q, bodies)
        frame = np.swapaxes(q[..., dim:].reshape(*q.shape[:-1], dim, dim), -1, -2)
        centres = np.array([body.centre for body in bodies])
        return q[..., :dim] + np.einsum("...bij,bj->...bi", frame, centres), frame, None

    def twist_out(self, q: Array, v: Array, bodies: Sequence[Any]) -> tuple[Array, Array]:
        """Also for accelerations: u x u'' sums to the angular acceleration, as u x u' does to the velocity."""
        dim = self.dim
        if self.cholesky:
            q, v = self._of_poses(q, bodies), self._of_poses(v, bodies)
        u = q[..., dim:].reshape(*q.shape[:-1], dim, dim)
        du = v[..., dim:].reshape(*v.shape[:-1], dim, dim)
        if dim == 2:
            spin = 0.5 * np.sum(u[..., 0] * du[..., 1] - u[..., 1] * du[..., 0], axis=-1)[..., None]
        else:
            spin = 0.5 * np.sum(np.cross(u, du), axis=-2)
        centres = np.array([body.centre for body in bodies])
        return v[..., :dim] + np.einsum("...bci,bc->...bi", du, centres), spin

    def _of_poses(self, x: Array, bodies: Sequence[Any]) -> Array:
        """Coordinates, or their rates, as those that are not multiplied with L^T: e = L^-T x."""
        weights = np.array([_weights(body) for body in bodies])
        u = x[..., 2:] / weights[:, 1:2]
        centres = np.array([body.centre for body in bodies])
        arm = np.einsum("...bci,bc->...bi", u.reshape(*u.shape[:-1], 2, 2), centres)
        return np.concatenate([x[..., :2] / weights[:, :1] - arm, u], axis=-1)


def _weights(body: Any) -> Array:
    """Of Cholesky coordinates in the plane: of the mass centre and of both axes. A body without inertia takes E."""
    moment = 0.5 * body.inertia
    if moment <= 0.5 * ZERO_MOMENT * body.mass * body.arm**2:
        moment = SHIFT * body.mass * body.arm**2
    return np.sqrt([body.mass, moment, moment])


def _second_moment(body: Any, dim: int) -> Array:
    """int x x^T dm about the mass centre. In the plane only the trace matters: half of Izz each."""
    if dim == 2:
        return 0.5 * body.inertia * np.eye(2)
    return np.asarray(0.5 * np.trace(body.inertia) * np.eye(3) - body.inertia)
