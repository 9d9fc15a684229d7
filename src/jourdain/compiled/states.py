"""States in and out of a model: by body name for people, as y = [q | v | z] for the kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..mechanism.attitude import matrix_from_angle, matrix_from_quaternion, quaternion_from_matrix
from .flat import FlatModel

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BodyState:
    """Pose and motion of one body's origin: angle and spin are numbers in the plane; quaternion and vector in space."""

    position: tuple[float, ...]
    attitude: Any
    velocity: tuple[float, ...]
    spin: Any


State = Mapping[str, BodyState]


def drawn_state(model: FlatModel) -> dict[str, BodyState]:
    """What the mechanism writes; what it leaves out counts as zero."""
    dim = model.blueprint.dim
    zero = (0.0,) * dim
    upright: Any = 0.0 if dim == 2 else (1.0, 0.0, 0.0, 0.0)
    still: Any = 0.0 if dim == 2 else zero
    return {
        b.name: BodyState(
            b.position or zero,
            upright if b.attitude is None else b.attitude,
            b.velocity or zero,
            still if b.spin is None else b.spin,
        )
        for b in model.blueprint.bodies
    }


def to_vector(model: FlatModel, state: State) -> Array:
    """y = [q | v | 0] of a state. Bodies the state does not know take their drawn state."""
    s = model.set
    drawn = drawn_state(model)
    q, v = [], []
    for body, data in zip(model.blueprint.bodies, model.body_data, strict=True):
        b = state.get(body.name, drawn[body.name])
        frame = matrix_from_angle(b.attitude) if len(body.centre) == 2 else matrix_from_quaternion(b.attitude)
        arm = frame @ data.centre
        q.append(s.pose_in(np.array(b.position) + arm, b.attitude, frame, data))
        v.append(s.twist_in(np.array(b.velocity) + _turned(b.spin, arm), b.spin, q[-1], data))
    return np.concatenate([*q, *v, np.zeros(model.nz)]) if q else np.zeros(model.nz)


def from_vector(model: FlatModel, y: Array) -> dict[str, BodyState]:
    """The state of every body by name, of its origin."""
    n = model.bodies
    q = y[: model.nq].reshape(n, -1)
    v = y[model.nq : model.nq + model.nv].reshape(n, -1)
    centre, frame, attitude = model.set.pose_out(q, model.body_data)
    speed, spin = model.set.twist_out(q, v, model.body_data)
    if attitude is None:
        attitude = attitude_from_frames(frame)
    found = {}
    for k, (body, data) in enumerate(zip(model.blueprint.bodies, model.body_data, strict=True)):
        planar = model.blueprint.dim == 2
        a = float(attitude[k]) if planar else tuple(float(x) for x in attitude[k])
        w = float(spin[k, 0]) if planar else tuple(float(x) for x in spin[k])
        arm = frame[k] @ data.centre
        position, velocity = centre[k] - arm, speed[k] - _turned(w, arm)
        found[body.name] = BodyState(tuple(map(float, position)), a, tuple(map(float, velocity)), w)
    return found


def attitude_from_frames(frames: Array) -> Array:
    """Angles in (-pi, pi], or quaternions with w >= 0, of rotation matrices (..., dim, dim)."""
    if frames.shape[-1] == 2:
        return np.arctan2(frames[..., 1, 0], frames[..., 0, 0])
    flat = frames.reshape(-1, 3, 3)
    return np.array([quaternion_from_matrix(R) for R in flat]).reshape(*frames.shape[:-2], 4)


def _turned(spin: Any, arm: Array) -> Array:
    return np.array([-spin * arm[1], spin * arm[0]]) if arm.size == 2 else np.cross(spin, arm)
