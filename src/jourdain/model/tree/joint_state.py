"""Joint coordinates and velocities of a tree from poses and velocities of its bodies, link by link outwards.

A coordinate is read off the pose of a link relative to the port that carries it, both as drawn; what a joint says of
its start by `initial` goes before, and a link without a pose starts at zero. Velocities follow from those written,
by least squares where they contradict the joint; a link that says nothing of its velocity moves with its parent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...kernels.layout import link_columns_spatial
from ...kernels.layout import tree_table as t
from ...mechanism.frozen import Frozen
from ...mechanism.parts import GROUND, Blueprint
from ...mechanism.rotations import matrix_from_angle, matrix_from_quaternion
from ..frozen_arrays import frozen_arrays
from ..topology.system_graph import Link
from .links import Frames, TreeModel, is_screw, lead_of

if TYPE_CHECKING:
    from ..states import BodyState

Array = npt.NDArray[np.float64]
Pose = tuple[Array, Array]  # origin and axes of a body, fixed axes


@dataclass(frozen=True)
class WrittenBody:
    """What is known of a body: pose, velocity of its origin, spin; None where nothing was said."""

    pose: Pose | None
    velocity: Array | None
    spin: Array | None  # three components; the last alone in the plane


def drawn(blueprint: Blueprint, state: Mapping[str, BodyState] | None = None) -> dict[str, WrittenBody]:
    """Of every body, as the state says or, without one, as the mechanism writes it."""
    found = {}
    for body in blueprint.bodies:
        source: Any = body if state is None else state[body.name]
        pose = None if source.position is None else (np.array(source.position), _matrix(source.attitude, blueprint.dim))
        velocity = None if source.velocity is None else np.array(source.velocity, dtype=float)
        spin = None if source.spin is None else np.atleast_1d(np.array(source.spin, dtype=float))
        found[body.name] = WrittenBody(pose, velocity, spin)
    return found


def _matrix(attitude: Any, dim: int) -> Array:
    if attitude is None:
        return np.eye(dim)
    return matrix_from_angle(float(attitude)) if dim == 2 else matrix_from_quaternion(attitude)


def joint_state(model: TreeModel, written: Mapping[str, WrittenBody], initial: bool = True) -> tuple[Array, Array]:
    """q and v of the tree. `initial` says whether joints may start as they say themselves.

    Velocities may be those of many starts from one pose, in rows; then v has rows too, each as if it were alone.
    """
    dim = model.blueprint.dim
    rows = np.broadcast_shapes(
        *(np.shape(x)[:-1] for w in written.values() for x in (w.velocity, w.spin) if x is not None)
    )
    ground = np.zeros(dim), np.eye(dim)
    poses: dict[str, Pose] = {GROUND: ground}
    q, v = np.zeros(model.nq), np.zeros((*rows, model.nv))
    still = all(_at_rest(w) for w in written.values())
    twists: dict[str, Array] = {GROUND: np.zeros(3 if dim == 2 else 6)}
    for link, frame, k, l in zip(model.graph.links, model.frames, model.first_q, model.first_v, strict=True):
        motion, mine = link.motion(dim), written[link.body].pose
        starts = link.joint.initial if initial and link.joint is not None else {}
        parent = written[link.parent].pose if link.parent != GROUND else ground
        if mine is None:
            d, turn = np.zeros(dim), np.eye(dim) if motion.at_zero is None else motion.at_zero
        else:
            d, turn = _relative(frame, poses[link.parent] if parent is None else parent, mine)
        values = motion.read(d, turn, frame.sense)
        names = [name.rpartition(".")[2] for name in model.coordinates[k : k + len(values)]]
        values = [starts.get(name, value) for name, value in zip(names, values, strict=True)]
        q[k : k + len(values)] = values
        poses[link.body] = _carried(model, link, frame, poses[link.parent], values)
        if not still:
            _velocities(link, frame, poses, twists, written[link.body], v[..., l:])
        if "speed" in starts:
            v[..., l] = starts["speed"]
    return q, v


def joint_vector(
    model: TreeModel, state: Mapping[str, BodyState], known: Mapping[str, float | None]
) -> tuple[Array, Array]:
    """q and v of poses and velocities of all bodies; angles are the turns nearest to those known, by joint."""
    q, v = joint_state(model, drawn(model.blueprint, state), initial=False)
    for k, name in enumerate(model.coordinates):
        joint, _, what = name.rpartition(".")
        near = known.get(joint)
        if what == "angle" and near is not None:
            q[k] += 2 * np.pi * round((near - q[k]) / (2 * np.pi))
    return q, v


def _at_rest(written: WrittenBody) -> bool:
    return not any(known is not None and known.any() for known in (written.velocity, written.spin))


def _relative(frame: Frames, parent: Pose, mine: Pose) -> Pose:
    """Place and axes of the link in those of the carrying port."""
    axes = parent[1] @ frame.port_axes
    apart = mine[0] + mine[1] @ frame.origin - parent[0] - parent[1] @ frame.port
    return axes.T @ apart, axes.T @ mine[1] @ frame.axes


def _carried(model: TreeModel, link: Link, frame: Frames, parent: Pose, values: list[float]) -> Pose:
    """Pose of the body when its joint has these coordinates."""
    motion, phase = link.motion(parent[0].size), model.phases.get(link.body, 0.0)
    d, turn = motion.placed(values, frame.sense, phase, lead_of(link))
    axes = parent[1] @ frame.port_axes
    R = axes @ turn @ frame.axes.T
    return parent[0] + parent[1] @ frame.port + axes @ d - R @ frame.origin, R


def _velocities(
    link: Link, frame: Frames, poses: Mapping[str, Pose], twists: dict[str, Array], written: WrittenBody, v: Array
) -> None:
    """Joint velocities nearest to those written; the link's twist (spin, velocity of the body's origin) is stored."""
    here, R = poses[link.body]
    there, R_parent = poses[link.parent]
    dim, spins = here.size, 1 if here.size == 2 else 3
    twist = _swept(twists[link.parent], here - there)
    columns = link.motion(dim).columns(R_parent @ frame.port_axes, R @ frame.axes, frame.sense, lead_of(link))
    for column in columns:  # of the link's origin; here of the body's
        column[spins:] = _swept(column, -(R @ frame.origin))[spins:]
    if columns:
        B = np.array(columns).T
        known = [written.spin is not None] * spins + [written.velocity is not None] * dim
        parts = np.broadcast_arrays(_or_zero(written.spin, spins)[..., :1], _or_zero(written.velocity, dim)[..., :1])
        shape = parts[0].shape[:-1]
        wanted = np.empty((*shape, spins + dim))
        wanted[..., :spins], wanted[..., spins:] = _or_zero(written.spin, spins), _or_zero(written.velocity, dim)
        if any(known):
            inverse: Array = np.linalg.pinv(B[known]).astype(np.float64)
            v[..., : len(columns)] = _applied(inverse, (wanted - twist)[..., known])
        twist = twist + _applied(B, v[..., : len(columns)])
    twists[link.body] = twist


def _applied(A: Array, x: Array) -> Array:
    """A x, row by row of x and term by term: so that rows do not depend on how many there are."""
    found = np.zeros((*x.shape[:-1], len(A)))
    for i, row in enumerate(A):
        for k, a in enumerate(row):
            found[..., i] += a * x[..., k]
    return found


def _or_zero(value: Array | None, size: int) -> Array:
    return np.zeros(size) if value is None else value


def _swept(twist: Array, arm: Array) -> Array:
    """The same motion seen at a point `arm` farther."""
    moved = np.array(twist)
    if arm.size == 2:
        moved[..., 1] -= twist[..., 0] * arm[1]
        moved[..., 2] += twist[..., 0] * arm[0]
    else:
        moved[..., 3:] += np.cross(twist[..., :3], arm)
    return moved


def with_phases(model: TreeModel, written: Mapping[str, WrittenBody]) -> TreeModel:
    """The tree with screws that count their advance from these poses: what is there at angle zero is its constant."""
    if not any(is_screw(link) for link in model.graph.links):
        return model
    dim = model.blueprint.dim
    ground = np.zeros(dim), np.eye(dim)
    table, phases = model.arrays[t.CONSTANTS].copy(), dict(model.phases)
    for row, (link, frame) in enumerate(zip(model.graph.links, model.frames, strict=True), start=1):
        if not is_screw(link):
            continue
        mine = written[link.body].pose
        parent = ground if link.parent == GROUND else written[link.parent].pose
        phase = 0.0
        if mine is not None and parent is not None:
            d, turn = _relative(frame, parent, mine)
            phase = float(d[2]) - lead_of(link) * link.motion(dim).read(d, turn, frame.sense)[0]
        constants = table[row]
        axis = constants[link_columns_spatial.T : link_columns_spatial.T + 9].reshape(3, 3)[:, 2]
        constants[link_columns_spatial.P : link_columns_spatial.P + 3] += (phase - phases.get(link.body, 0.0)) * axis
        phases[link.body] = phase
    arrays = frozen_arrays({**model.arrays, t.CONSTANTS: table})
    return replace(model, arrays=arrays, phases=Frozen(phases))
