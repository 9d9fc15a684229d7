"""Coordinates `relative`: a mechanism's tree as arrays behind those that every coordinate set has, and poses of bodies.

Joints that events switch are never part of the tree, so that it stays the same through a run.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.kernel_cache import load_kernels, load_recursion, load_unpacking
from ...library.recognise import with_known_types
from ...mechanism.parts import GROUND, Blueprint
from ...mechanism.rotations import product, quaternion_from_matrix
from ..flat import FlatModel
from ..formula_tables import switched
from ..frozen_arrays import frozen_arrays
from ..topology.carrying import Carrying, carrying
from ..topology.system_graph import system_graph
from .link_motion import swung
from .links import TreeModel, compile_tree

Array = npt.NDArray[np.float64]


def cuttable(blueprint: Blueprint) -> set[str]:
    """Joints that stay out of the tree: those that events switch."""
    return switched(blueprint) & {joint.name for joint in blueprint.joints}


def spanning_tree(blueprint: Blueprint, cuts: Collection[str] = ()) -> TreeModel:
    """The tree, without joints named in `cuts`."""
    blueprint = with_known_types(blueprint)
    return compile_tree(blueprint, system_graph(blueprint, {*cuttable(blueprint), *cuts}))


def on_tree(model: FlatModel, farther: Mapping[int, int] | None = None) -> FlatModel:
    """The model with the arrays of its tree. `farther`: blocks of rows that are not solved where their loops close."""
    c, tree = load_kernels().context, model.tree
    common = load_recursion(model.blueprint.space).common
    dim, n, nv = model.blueprint.dim, len(tree.graph.links), tree.nv
    nd = 3 if dim == 2 else 6
    links = tree.arrays[common.LINKS]
    link_of = np.empty(n, dtype=np.int64)
    link_of[list(tree.graph.order)] = np.arange(1, n + 1)
    fields = dict(model.fields)
    if not model.carried:  # slots name bodies still
        slots = fields[c.SLOTS].copy()
        slots[:, 1] = link_of[slots[:, 1]]
        fields[c.SLOTS] = slots
    plan = _plan(model, links, fields[c.SLOTS], farther or {})
    rows = model.padded
    vectors = _vectors(c, tree, fields, link_of)
    fields |= {
        **tree.arrays,
        common.CLOCK: np.zeros((1, 1)),
        common.PLACES: np.zeros((n + 1, 2 * dim)),
        common.BODIES: np.concatenate([[0], tree.graph.order]).astype(np.int64).reshape(-1, 1),
        **dict(zip((common.OWNERS, common.OWN), vectors, strict=True)),
        common.WINDING: np.zeros((0, 3), dtype=np.int64),
        common.OFFSET: np.zeros((0, 1)),
        common.LIFT: np.zeros((n + 1, nd)),
        common.MATRIX: np.zeros((n + 1, nd * nd)),
        common.PASSING: np.zeros((n + 1, 2 * nd)),
        common.ELIMINATED: np.zeros((nv, 2 * nd + 2)),
        common.SPOTS: plan.spots,
        common.SPOT_RANGES: plan.ranges,
        common.SPOT_PAIRS: plan.pairs,
        common.SLOT_SPOTS: plan.slot_spots,
        common.SHARES: np.zeros((len(plan.spots), nd)),
        common.CROSSINGS: np.zeros((plan.crossings, 1)),
        common.MEETING: np.zeros((plan.meetings, 1)),
        **{key: np.zeros((rows, 1)) for key in (common.SUMS, common.PENDING)},
        common.RESPONSE: np.zeros((nv, 1)),
        common.TREE_WORK: np.zeros((3, nd * nd)),
        **_carriers(common, model.blueprint, tree),
    }
    asked = len(vectors[0]) > 0 or len(fields[c.TURNS]) > 0 or model.header[c.H_TORQUES] == 1
    is_open = rows == 0 and model.header[c.H_FEEDBACK] == 0
    header = {
        **model.header,
        c.H_RECURSIVE: 1,
        common.N_LINKS: n,
        common.HAS_LOADS: int(asked or not is_open),
        common.MOVES_BODIES: int(asked or not is_open),
        common.OPEN: int(is_open),
    }
    carried = MappingProxyType(plan.closes_at or {-1: 0})
    return replace(model, fields=frozen_arrays(fields), header=MappingProxyType(header), carried=carried)


def carried_on(model: FlatModel) -> FlatModel | None:
    """The model whose rows are solved one link farther inward; None where all are at the ground."""
    links = model.tree.arrays[load_recursion(model.blueprint.space).common.LINKS]
    inner = {block: int(links[j, 0]) for block, j in model.carried.items() if j > 0}
    return on_tree(model, {**model.carried, **inner}) if inner else None


def _plan(model: FlatModel, links: Any, slots: Any, farther: Mapping[int, int]) -> Carrying:
    c = load_kernels().context
    block = model.set.block
    empty = {int(row) for row in model.fields[c.UNIT_ROWS][:, 0]}
    held: dict[int, list[int]] = {}
    for row in range(model.padded):
        if row not in empty:
            held.setdefault(row // block, []).append(row)
    pairs = [(int(b), int(j)) for b, j in slots]
    return carrying(links[:, 0].tolist(), links[:, 4].tolist(), pairs, held, block, farther)


def _vectors(c: Any, tree: TreeModel, fields: dict[int, Any], link_of: Any) -> tuple[Any, Any]:
    """Link of each body vector, and its components in link axes, from the link's origin for points."""
    ranges = fields[c.BODY_VECTORS]
    owners = link_of[np.repeat(np.arange(len(link_of)), ranges[:, 1] - ranges[:, 0])]
    local = fields[c.VECTOR_LOCAL][: owners.size]  # from the mass centre; the ground's come last and stay there
    own = np.empty_like(local)
    own[:, -1] = local[:, -1]
    turned = np.einsum("nji,nj->ni", tree.axes[owners - 1], local[:, :-1])
    own[:, :-1] = turned + local[:, -1:] * tree.centres[owners - 1]
    return owners.reshape(-1, 1), own


def _carriers(common: Any, blueprint: Blueprint, tree: TreeModel) -> dict[int, Any]:
    """Reaction sides of the joint that carries each link, and the parent's port in axes of the parent link."""
    index = {joint.name: k for k, joint in enumerate(blueprint.joints)}
    frames = {link.body: frame for link, frame in zip(tree.graph.links, tree.frames, strict=True)}
    sides = np.full((len(frames) + 1, 2), -1, dtype=np.int64)
    ports = np.zeros((len(frames) + 1, blueprint.dim))
    for j, link in enumerate(tree.graph.links, start=1):
        if link.joint is None:
            continue
        k = 2 * index[link.joint.name]
        sides[j] = (k + 1, k) if link.forward else (k, k + 1)
        port, parent = frames[link.body].port, frames.get(link.parent)
        ports[j] = port if parent is None else parent.axes.T @ (port - parent.origin)
    return {common.CARRIERS: sides, common.PORTS: ports}


# Poses of bodies ------------------------------------------------------------------------------------------------


def unpacked(model: FlatModel, samples: Array, accelerations: Array) -> tuple[Any, ...]:
    """Mass centre, axes, angle (None in space), velocity, spin, acceleration, its rate of all bodies (time, body)."""
    c = load_kernels().context
    recursion, unpack = load_recursion(model.blueprint.space), load_unpacking(model.blueprint.space)
    table = recursion.common.empty_table()
    for key, value in model.header.items():
        table[key] = value
    arrays = {key: value.copy() for key, value in model.fields.items() if key >= c.FIELD_COUNT}
    for key, array in arrays.items():
        recursion.common.enter(table, key, array)
    tree, dim = model.tree, model.blueprint.dim
    n, count = len(samples), len(tree.graph.links)
    out = np.zeros((n, count, 9 if dim == 2 else 24))
    unpack(table, model.nq, model.nv, np.ascontiguousarray(samples), np.ascontiguousarray(accelerations), out)
    order = np.empty(count, dtype=np.int64)
    order[list(tree.graph.order)] = np.arange(count)
    out, axes, centres = out[:, order], tree.axes[order], tree.centres[order]
    place, speed, acceleration = (out[..., k * dim : (k + 1) * dim] for k in range(3))
    if dim == 2:
        turn, spin, rate = out[..., 6], out[..., 7:8], out[..., 8:9]
        cosine, sine = np.cos(turn), np.sin(turn)
        frames = np.stack([np.stack([cosine, -sine], -1), np.stack([sine, cosine], -1)], -2)
        angle = turn - np.arctan2(axes[:, 1, 0], axes[:, 0, 0])
        angle += [tree.turned.get(body.name, 0.0) for body in model.blueprint.bodies]
    else:
        frames, spin, rate, angle = out[..., 9:18].reshape(n, count, 3, 3), out[..., 18:21], out[..., 21:24], None
    arms = np.einsum("tbij,bj->tbi", frames, centres)
    moved = _turned(spin, arms)
    swing = _turned(rate, arms) + _turned(spin, moved)
    body_frames = np.einsum("tbij,bkj->tbik", frames, axes)
    return place + arms, body_frames, angle, speed + moved, spin, acceleration + swing, rate


def with_tree(model: FlatModel, tree: TreeModel) -> FlatModel:
    """The model with another tree of the same joints, whose constants differ."""
    constants = load_recursion(model.blueprint.space).common.CONSTANTS
    fields = {**model.fields, constants: tree.arrays[constants]}
    return replace(model, tree=tree, fields=MappingProxyType(fields))


def with_turns(model: FlatModel, y: Array, known: Mapping[str, float] | None = None) -> FlatModel:
    """In the plane: the model whose angles of bodies count from those known (default: drawn) at the pose y."""
    angles = unpacked(model, y[None], np.zeros((1, model.nv)))[2]
    if angles is None:
        return model
    turned = dict(model.tree.turned)
    for body, angle in zip(model.blueprint.bodies, angles[0], strict=True):
        wanted = body.attitude if known is None else known[body.name]
        if wanted is not None:
            whole = 2 * np.pi * round((wanted - angle) / (2 * np.pi))
            turned[body.name] = turned.get(body.name, 0.0) + whole
    return replace(model, tree=replace(model.tree, turned=MappingProxyType(turned)))


def quaternions(model: FlatModel, samples: Array) -> Array:
    """Of all bodies (time, body, 4), as continuous as the joint coordinates; they begin near those drawn."""
    tree, blueprint = model.tree, model.blueprint
    found: dict[str, Array] = {GROUND: np.array([[1.0, 0.0, 0.0, 0.0]])}
    for link, frame, k in zip(tree.graph.links, tree.frames, tree.first_q, strict=True):
        joint = link.motion(3).turned(samples[:, k : k + 7])
        port = quaternion_from_matrix(frame.port_axes)
        own = quaternion_from_matrix(frame.axes)
        carried = product(product(found[link.parent], port), joint)
        found[link.body] = product(carried, own * [1.0, -1.0, -1.0, -1.0])
    out = np.empty((len(samples), model.bodies, 4))
    for b, body in enumerate(blueprint.bodies):
        q = found[body.name]
        first = np.array([1.0, 0.0, 0.0, 0.0]) if body.attitude is None else np.array(body.attitude)
        out[:, b] = q if first @ q[0] >= 0 else -q
    return out / np.linalg.norm(out, axis=-1, keepdims=True)


def _turned(spins: Array, arms: Array) -> Array:
    shape = arms.shape
    return swung(spins.reshape(-1, spins.shape[-1]), arms.reshape(-1, shape[-1])).reshape(shape)
