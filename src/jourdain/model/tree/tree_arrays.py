"""Coordinates `relative`: a mechanism's tree as arrays behind those that every coordinate set has, and poses of bodies.

Joints that events switch are never part of the tree, so that it stays the same through a run.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...kernels.layout import fields as f
from ...kernels.layout import tree_table as t
from ...library.recognise import with_known_types
from ...mechanism.frozen import Frozen
from ...mechanism.parts import GROUND, Blueprint, Body
from ...mechanism.rotations import product, quaternion_from_matrix
from ..flat import FlatModel
from ..formula_tables import switched
from ..frozen_arrays import frozen_arrays
from ..topology.carrying import Carrying, carrying
from ..topology.system_graph import system_graph
from .links import TreeModel, compile_tree

Array = npt.NDArray[np.float64]

# Fields with rows where anything acts on bodies, or changes with time beside them.
ACTING = (f.TURNS, f.SIGNALS, f.SPRINGS, f.LOADS, f.VALUE_TAPES, f.POLYNOMIALS, f.STATE_TAPES, f.EFFORTS)


def cuttable(blueprint: Blueprint) -> set[str]:
    """Joints that stay out of the tree: those that events switch."""
    return switched(blueprint) & {joint.name for joint in blueprint.joints}


def spanning_tree(blueprint: Blueprint, cuts: Collection[str] = (), base: str | None = None) -> TreeModel:
    """The tree, without joints named in `cuts`, from `base` or the ground."""
    blueprint = with_known_types(blueprint)
    return compile_tree(blueprint, system_graph(blueprint, {*cuttable(blueprint), *cuts}, base))


def on_tree(model: FlatModel, farther: Mapping[int, int] | None = None) -> FlatModel:
    """The model with the arrays of its tree. `farther`: blocks of rows that are not solved where their loops close."""
    tree = model.tree
    dim, n, nv = model.blueprint.dim, len(tree.graph.links), tree.nv
    nd = 3 if dim == 2 else 6
    links = tree.arrays[t.LINKS]
    fields = dict(model.fields)
    if not model.carried:  # slots name bodies still
        slots = fields[f.SLOTS].copy()
        slots[:, 1] = 1 + tree.by_body[slots[:, 1]]
        fields[f.SLOTS] = slots
    plan = _plan(model, links, fields[f.SLOTS], farther or {})
    rows = model.padded
    vectors = carried_vectors(tree, model.fields)
    fields |= {
        **tree.arrays,
        **vectors,
        t.WINDING: np.zeros((0, 3), dtype=np.int64),
        t.OFFSET: np.zeros((0, 1)),
        t.LIFT: np.zeros((n + 1, nd)),
        t.MATRIX: np.zeros((n + 1, nd * nd)),
        t.PASSING: np.zeros((n + 1, 2 * nd)),
        t.ELIMINATED: np.zeros((nv, 2 * nd + 2)),
        t.SPOTS: plan.spots,
        t.SPOT_RANGES: plan.ranges,
        t.SPOT_PAIRS: plan.pairs,
        t.CLOSINGS: plan.closings,
        t.NEIGHBOURS: plan.neighbours,
        t.CLOSING_UPDATES: plan.updates,
        t.SLOT_SPOTS: plan.slot_spots,
        t.SHARES: np.zeros((len(plan.spots), nd)),
        t.CROSSINGS: np.zeros((plan.crossings, 1)),
        t.MEETING: np.zeros((plan.meetings, 1)),
        **{key: np.zeros((rows, 1)) for key in (t.SUMS, t.PENDING)},
        t.RESPONSE: np.zeros((nv, 1)),
        t.TREE_WORK: np.zeros((3, nd * nd)),
        **_carriers(model.blueprint, tree),
    }
    asked = len(vectors[t.OWNERS]) > 0 or model.flags["TORQUES"] == 1 or any(len(fields[key]) for key in ACTING)
    is_open = rows == 0 and model.flags["FEEDBACK"] == 0
    flags = {
        **model.flags,
        "N_LINKS": n,
        "HAS_LOADS": int(asked or not is_open),
        "OPEN": int(is_open),
    }
    carried = Frozen(plan.closes_at or {-1: 0})
    return replace(model, fields=frozen_arrays(fields), flags=Frozen(flags), carried=carried)


def told_by_joints(model: FlatModel) -> FlatModel:
    """An open tree whose turns are those of its joint coordinates, for states q and v without z."""
    if not model.turns:
        return model
    tree = model.tree
    coordinates = {name: k for k, name in enumerate(tree.coordinates)}
    links = {link.body: j for j, link in enumerate(tree.graph.links)}
    winding, offset = [], []
    for name in model.turns:
        link = links.get(name, -2)
        axes = tree.axes[link] if link >= 0 else np.eye(2)
        place = model.layout.turn(name) - model.layout.z.start
        winding.append((place, coordinates.get(f"{name}.angle", -1) if link < 0 else -1, link + 1))
        offset.append(float(np.arctan2(axes[1, 0], axes[0, 0])))
    own = {
        t.WINDING: np.array(winding, dtype=np.int64).reshape(-1, 3),
        t.OFFSET: np.array(offset, dtype=float).reshape(-1, 1),
        f.WINDINGS: np.zeros((0, 3), dtype=np.int64),
    }
    return replace(model, fields=frozen_arrays({**model.fields, **own}))


def carried_on(model: FlatModel, link: int) -> FlatModel:
    """The model whose rows that close at a link are solved one link farther inward."""
    parent = int(model.tree.arrays[t.LINKS][link, 0])
    return on_tree(model, {block: parent if j == link else j for block, j in model.carried.items()})


def carried_to_base(model: FlatModel) -> FlatModel:
    """The model whose rows are all solved at the base of their tree: the body it grows from, or the ground."""
    base = getattr(model.set, "base", None)
    link = 0 if base is None else 1 + [link.body for link in model.tree.graph.links].index(base)
    return on_tree(model, {block: link if j > 0 else j for block, j in model.carried.items()})


def _plan(model: FlatModel, links: Any, slots: Any, farther: Mapping[int, int]) -> Carrying:
    block = model.set.block
    empty = {int(row) for row in model.fields[f.UNIT_ROWS][:, 0]}
    held: dict[int, list[int]] = {}
    for row in range(model.padded):
        if row not in empty:
            held.setdefault(row // block, []).append(row)
    pairs = [(int(b), int(j)) for b, j in slots]
    return carrying(links[:, 0].tolist(), links[:, 4].tolist(), pairs, held, block, farther)


def carried_vectors(tree: TreeModel, fields: Mapping[int, Any]) -> dict[int, Any]:
    """Which link carries each body and each body vector; the vectors in link axes, points from the link's origin."""
    ranges, n = fields[f.BODY_VECTORS], len(tree.graph.links)
    owners = 1 + tree.by_body[np.repeat(np.arange(n), ranges[:, 1] - ranges[:, 0])]
    local = fields[f.VECTOR_LOCAL][: owners.size]  # from the mass centre; the ground's come last and stay there
    own = np.empty_like(local)
    own[:, -1] = local[:, -1]
    turned = np.einsum("nji,nj->ni", tree.axes[owners - 1], local[:, :-1])
    own[:, :-1] = turned + local[:, -1:] * tree.centres[owners - 1]
    return {
        t.CLOCK: np.zeros((1, 1)),
        t.PLACES: np.zeros((n + 1, 2 * tree.blueprint.dim)),
        t.BODIES: np.concatenate([[0], tree.graph.order]).astype(np.int64).reshape(-1, 1),
        t.OWNERS: owners.reshape(-1, 1),
        t.OWN: own,
    }


def _carriers(blueprint: Blueprint, tree: TreeModel) -> dict[int, Any]:
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
    return {t.CARRIERS: sides, t.PORTS: ports}


def with_tree(model: FlatModel, tree: TreeModel) -> FlatModel:
    """The model with another tree of the same joints, whose constants differ."""
    if tree is model.tree:
        return model
    fields = {**model.fields, t.CONSTANTS: tree.arrays[t.CONSTANTS]}
    return replace(model, tree=tree, fields=Frozen(fields))


def quaternions(tree: TreeModel, bodies: Sequence[Body], samples: Array) -> Array:
    """Of all bodies (time, body, 4), as continuous as the joint coordinates; they begin near those drawn."""
    found: dict[str, Array] = {GROUND: np.array([[1.0, 0.0, 0.0, 0.0]])}
    for link, frame, k in zip(tree.graph.links, tree.frames, tree.first_q, strict=True):
        joint = link.motion(3).turned(samples[:, k : k + 7])
        port = quaternion_from_matrix(frame.port_axes)
        own = quaternion_from_matrix(frame.axes)
        carried = product(product(found[link.parent], port), joint)
        found[link.body] = product(carried, own * [1.0, -1.0, -1.0, -1.0])
    out = np.empty((len(samples), len(bodies), 4))
    for b, body in enumerate(bodies):
        q = found[body.name]
        first = np.array([1.0, 0.0, 0.0, 0.0]) if body.attitude is None else np.array(body.attitude)
        out[:, b] = q if first @ q[0] >= 0 else -q
    return out / np.linalg.norm(out, axis=-1, keepdims=True)
