"""The inertia terms of a model by Lagrange's equations, beside those of Newton and Euler that kernels use.

    bias = 1/2 d(v^T M v)/dq - M' v        with T = 1/2 v^T M(q) v and v = q'

M is made from how the mass centre and the axes of a body follow its coordinates, and derived by complex steps: nothing
here comes from kernels. Where velocities are no rates of coordinates (spins, in space) each body gets Bryan angles that
are zero where it is, whose rates b' are its spins there: w = S(b) b', so

    M_w w' = Q_w + S^-T bias_b + M_w S' b'

and in joint coordinates what that gives for the bodies is carried over, as in pose_matrices.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..mechanism.rotations import swung
from ..model.flat import FlatModel
from ..model.states import body_poses, to_vector
from .body_states import body_motion, whole_state
from .pose import Pose
from .pose_matrices import absolute, carrying, matrices_of

Array = npt.NDArray[Any]

STEP = 1e-40  # of the complex steps: so small that it squares to nothing


def lagrange_bias(pose: Pose, t: float, y: Array) -> Array:
    """Of the model of a pose at a state."""
    model = pose.model
    if model.set.joined:
        whole = absolute(pose)
        state = to_vector(whole.model, whole_state(model, y))
        P, a0 = carrying(model, y)
        M = matrices_of(whole, t, state).M
        return np.asarray(P.T @ (lagrange_bias(whole, t, state) - M @ a0))
    if model.set.twists:
        return _of_spins(model, y)
    found = np.zeros(model.nv)
    at = model.layout
    for body, q_of, v_of, moves in zip(model.body_data, at.q_of, at.v_of, at.moves_of, strict=True):
        if not getattr(model.set, "constant_mass", False):
            found[moves] = _of_rates(model, body, y[q_of], y[v_of])
    return found


def _of_rates(model: FlatModel, body: Any, q: Array, v: Array) -> Array:
    """Of one body whose velocities are the rates of its coordinates."""
    slopes = np.zeros((len(v), len(v), len(v)))
    for k in range(len(v)):
        moved = q.astype(complex)
        moved[k] += 1j * STEP
        slopes[k] = _mass(model, body, moved).imag / STEP
    rate = np.einsum("kij,k->ij", slopes, v)
    return np.asarray(0.5 * np.einsum("kij,i,j->k", slopes, v, v) - rate @ v)


def _mass(model: FlatModel, body: Any, q: Array) -> Array:
    """M of one body: m A^T A + W^T R I R^T W, where A v is the velocity of its mass centre and W v its spin."""
    n = model.set.nv
    places = np.broadcast_to(q, (n, 1, len(q)))
    A, W = model.set.twist_out(places, np.eye(n)[:, None, :], [body])
    R = model.set.pose_out(q[None, None], [body])[1][0, 0]
    A, W = A[:, 0].T, W[:, 0].T
    inertia = R @ body.inertia @ R.T if model.blueprint.dim == 3 else np.atleast_2d(body.inertia)
    return np.asarray(body.mass * A.T @ A + W.T @ inertia @ W)


def _of_spins(model: FlatModel, y: Array) -> Array:
    """Of all bodies whose velocities are those of the mass centre, then spins in fixed axes."""
    found = np.zeros(model.nv)
    if model.blueprint.dim == 2:
        return found  # M is constant there
    frames = body_poses(model, y)[1]
    spins = body_motion(model, y[None], np.zeros((1, model.nv)))[4][0]
    for moves, body, R, w in zip(model.layout.moves_of, model.body_data, frames, spins, strict=True):
        inertia = R @ body.inertia @ R.T
        slopes = np.array([_turned(inertia, k) for k in range(3)])
        rates = np.einsum("kij,k->ij", slopes, w)
        own = 0.5 * np.einsum("kij,i,j->k", slopes, w, w) - rates @ w
        bent = sum(np.imag(_spin_axes(1j * STEP * np.eye(3)[k])) / STEP * w[k] for k in range(3))
        found[moves.start + 3 : moves.stop] = own + inertia @ (bent @ w)
    return found


def _turned(inertia: Array, k: int) -> Array:
    """Derivative of S^T R I R^T S by the k-th of Bryan angles that are zero here, which turn before what R did."""
    b = 1j * STEP * np.eye(3)[k]
    turn, S = _turn(b), _spin_axes(b)
    return np.asarray(np.imag(S.T @ turn @ inertia @ turn.T @ S) / STEP)


def _turn(b: Array) -> Array:
    """R_x R_y R_z of three small angles."""
    R = np.eye(3, dtype=complex)
    for axis, angle in enumerate(b):
        R = R @ _about(axis, angle)
    return R


def _spin_axes(b: Array) -> Array:
    """S: w = S b', in fixed axes."""
    frame, columns = np.eye(3, dtype=complex), []
    for axis, angle in enumerate(b):
        columns.append(frame[:, axis])
        frame = frame @ _about(axis, angle)
    return np.stack(columns, axis=1)


def _about(axis: int, angle: complex) -> Array:
    e = np.eye(3)[axis]
    cross = np.stack([swung(e, column) for column in np.eye(3)], axis=1)
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)
