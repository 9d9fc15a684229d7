"""The equations of motion of a model at one state as dense matrices, in whatever coordinates it has:

    M v' = Q + bias - J^T lam,   J v' = gamma

Kernels never build them: they work body by body. Here they are put together from what kernels leave in their fields,
without what is added to M to make it regular (E of singular inertias, the row of Euler parameters). In joint
coordinates M, Q and bias are those of the bodies, carried over by the velocities that joint velocities give to bodies:

    V = P v,  V' = P v' + a0   =>   M = P^T M_b P,  Q = P^T Q_b,  bias = P^T (bias_b - M_b a0)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels.layout import fields as f
from ..model.compile import compile_mechanism
from ..model.states import body_poses, to_vector
from .body_states import body_motion, whole_state
from .plan import Plan
from .pose import Pose
from .workspace import Workspace

Array = npt.NDArray[np.float64]


class MotionMatrices(NamedTuple):
    """At one state; rows are those of the model, columns its velocities. `partial` is C_t."""

    M: Array
    J: Array
    gamma: Array
    Q: Array
    bias: Array
    C: Array
    partial: Array


def matrices_of(pose: Pose, t: float, y: Array, solvable: Pose | None = None) -> MotionMatrices:
    """Of the model of a pose at time t and state y, which need not be closed.

    Where forces depend on reactions, these are found by the `solvable` pose: of the same model without redundant rows.
    """
    pose.place(t, y)
    J = pose.jacobian_here()
    gamma, C, partial = pose.right_sides(), pose.gaps(), pose.partial()
    if pose.model.set.joined:
        M, Q, bias = _carried(pose, t, y, solvable)
    else:
        M, bias = _masses_and_bias(pose, y, J, gamma)
        Q = _forces(pose, t, y, solvable)
    return MotionMatrices(M, J, gamma, Q, bias, C, partial)


def _masses_and_bias(pose: Pose, y: Array, J: Array, gamma: Array) -> tuple[Array, Array]:
    """M and bias of coordinates of bodies."""
    model = pose.model
    M, bias = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
    for part, (block, own) in zip(model.layout.moves_of, _masses(pose, y), strict=True):
        M[part, part], bias[part] = block, own
    _without_own_rows(pose, M, bias, J, gamma)
    return M, bias


def _masses(pose: Pose, y: Array) -> list[tuple[Array, Array]]:
    """Mass block and inertia bias of each body."""
    model, w = pose.model, pose.workspace
    nv = model.set.nv
    if not model.set.twists:
        return [
            (np.array(block).reshape(nv, nv), np.array(bias)) for block, bias in zip(w[f.MASS], w[f.BIAS], strict=True)
        ]
    dim = model.blueprint.dim
    frames = body_poses(model, y)[1]
    found = []
    for data, R, omega in zip(model.body_data, frames, w[f.OMEGA][:-1], strict=True):
        block, bias = np.zeros((nv, nv)), np.zeros(nv)
        block[:dim, :dim] = data.mass * np.eye(dim)
        if dim == 2:
            block[2, 2] = data.inertia
        else:
            block[3:, 3:] = R @ data.inertia @ R.T
            bias[3:] = -np.cross(omega, block[3:, 3:] @ omega)
        found.append((block, bias))
    return found


def _without_own_rows(pose: Pose, M: Array, bias: Array, J: Array, gamma: Array) -> None:
    """Take out what a set adds to M along a row of its own, w J^T J, and w J^T gamma to the bias."""
    model = pose.model
    weights = {
        b.name: model.set.row_weight(data) for b, data in zip(model.blueprint.bodies, model.body_data, strict=True)
    }
    for row, gradient, right in zip(model.rows, J, gamma, strict=True):
        if row.intrinsic and (w := weights[row.joint]):
            M -= w * np.outer(gradient, gradient)
            bias -= w * right * gradient


def _forces(pose: Pose, t: float, y: Array, solvable: Pose | None) -> Array:
    """Applied forces, gravity among them."""
    if pose.model.flags["FEEDBACK"] and solvable is not None:
        pose = solvable
        pose.slope(t, y)
    else:
        pose.exert(t, y)
    model, w = pose.model, pose.workspace
    dim, moves = model.blueprint.dim, model.layout.moves_of
    gravity = np.array(model.blueprint.gravity)
    Q = np.zeros(model.nv)
    for b, (part, data) in enumerate(zip(moves, model.body_data, strict=True)):
        turning = w[f.BODY_TORQUE][b]
        if model.set.twists:
            Q[part] += np.concatenate([data.mass * gravity, turning])
        else:
            centre = int(w[f.MASS_CENTRES][b, 0])
            Q[part] += data.mass * gravity @ _slope_of(pose, centre)
            Q[part] += turning @ w[f.SPIN_JACOBIAN][b].reshape(-1, model.set.nv)
    for vector, b in model.fields[f.LOADED]:
        if b >= 0:
            force = w[f.VECTOR_FORCE][vector]
            if model.set.twists:
                arm = w[f.VEC][vector, dim : 2 * dim]
                Q[moves[b]] += np.concatenate([force, np.atleast_1d(_cross(arm, force))])
            else:
                Q[moves[b]] += force @ _slope_of(pose, vector)
    return Q


def _slope_of(pose: Pose, vector: int) -> Array:
    """dX/dv of a body vector."""
    found = pose.workspace[f.VECTOR_JACOBIAN][vector]
    return np.asarray(found.reshape(pose.model.blueprint.dim, -1))


def _cross(a: Array, b: Array) -> Any:
    return a[0] * b[1] - a[1] * b[0] if a.size == 2 else np.cross(a, b)


def _carried(pose: Pose, t: float, y: Array, solvable: Pose | None) -> tuple[Array, Array, Array]:
    """M, Q and bias of joint coordinates, from those of the bodies."""
    model = pose.model
    whole = absolute(pose)
    found = matrices_of(whole, t, to_vector(whole.model, whole_state(model, y)), solvable)
    P, a0 = carrying(model, y)
    return P.T @ found.M @ P, P.T @ found.Q, P.T @ (found.bias - found.M @ a0)


def absolute(pose: Pose) -> Pose:
    """The same mechanism in coordinates of bodies, with the same numbers."""
    model = compile_mechanism(pose.model.blueprint, None, off=pose.model.off)
    numbers = {name: value for name, value in pose.workspace.numbers.items() if name in model.parameters}
    return Pose(model, Workspace(Plan.of(model).with_(numbers=numbers)))


def carrying(model: Any, y: Array) -> tuple[Array, Array]:
    """P and a0: V' = P v' + a0, V the velocity of the mass centre and the spin of each body, in fixed axes."""
    units = np.vstack([np.zeros(model.nv), np.eye(model.nv)])
    moved = body_motion(model, np.tile(y, (len(units), 1)), units)
    V = np.concatenate([moved[5], moved[6]], axis=-1).reshape(len(units), -1)
    return np.asarray((V[1:] - V[0]).T), np.asarray(V[0])
