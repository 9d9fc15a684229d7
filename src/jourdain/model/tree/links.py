"""TreeModel: the links of a system graph as flat arrays for the recursion, and joint coordinates of drawn poses.

The frame of a link sits at its own port of the joint that carries it, with that port's axes. Where a joint was written
from the link to its parent, both frames are turned by half a turn about x, so that angle and displacement keep their
meaning (second body relative to first) although the kernel moves the link; a pin in the plane has a sign instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ...choices.coordinates.relative import LinkMotion
from ...kernels.layout import link_columns_planar, link_columns_spatial
from ...kernels.layout import tree_table as t
from ...library.joints import kind_of
from ...library.joints.tree_motions import SCREWING, TURNING_IN_PLANE
from ...mechanism.parts import GROUND, Blueprint, Body
from ...mechanism.port_axes import joint_axes
from ...mechanism.rotations import swung
from ..body_data import inertia_matrix
from ..frozen_arrays import frozen_arrays, nothing
from ..topology.system_graph import Link, SystemGraph
from .branches import LinkRange, split

Array = npt.NDArray[np.float64]

HALF_TURN = np.diag([1.0, -1.0, -1.0])


@dataclass(frozen=True)
class Frames:
    """Of one link: its own frame in body axes, and the carrying port in body axes of the parent."""

    axes: Array
    origin: Array
    port_axes: Array
    port: Array
    sense: float  # -1 for a planar pin written towards the parent


@dataclass(frozen=True)
class TreeModel:
    """A tree compiled: tables for the kernels, and what turns link frames into body poses. Rows are links, in order."""

    blueprint: Blueprint
    graph: SystemGraph
    frames: tuple[Frames, ...]
    coordinates: tuple[str, ...]
    velocities: tuple[str, ...]
    first_q: tuple[int, ...]
    first_v: tuple[int, ...]
    axes: Array  # (n, dim, dim) link axes in body axes
    origins: Array  # (n, dim)
    masses: Array
    centres: Array  # (n, dim) mass centre from the link's origin, link axes
    inertias: Array  # (n,) or (n, 3, 3) about the mass centre, link axes
    arrays: Mapping[int, Any]  # as they are at first; those that evaluations write are copied by workspaces
    parts: tuple[LinkRange, ...]  # what threads may share out
    phases: Mapping[str, float] = field(default_factory=nothing)  # of screws, by body: advance at angle zero, metres
    turned: Mapping[str, float] = field(default_factory=nothing)  # whole turns that angles of bodies count besides, rad

    @property
    def joints(self) -> frozenset[str]:
        """Names of the joints that are in the tree."""
        return frozenset(link.joint.name for link in self.graph.links if link.joint is not None)

    @cached_property
    def by_body(self) -> npt.NDArray[np.int64]:
        """The link of each body, counted from 0."""
        found = np.empty(len(self.graph.order), dtype=np.int64)
        found[list(self.graph.order)] = np.arange(found.size)
        return found

    def body_origins(self, links: Array) -> tuple[Array, Array, Array, Array]:
        """Position, axes, velocity and spin of the origins of all bodies, from what kernels write of links."""
        order = self.by_body
        motion = LinkMotion.of(links[..., order, :], self.blueprint.dim)
        frames = motion.frames @ np.swapaxes(self.axes[order], 1, 2)
        arms = -np.einsum("...nij,nj->...ni", frames, self.origins[order])
        return motion.places + arms, frames, motion.velocities + swung(motion.spins, arms), motion.spins

    def energies(self, links: Array) -> tuple[float, float]:
        """Kinetic energy, and potential energy of gravity, zero at the fixed origin, likewise."""
        motion = LinkMotion.of(links, self.blueprint.dim)
        arms = np.einsum("nij,nj->ni", motion.frames, self.centres)
        speeds = motion.velocities + swung(motion.spins, arms)
        if self.blueprint.dim == 2:
            turning = np.sum(self.inertias * motion.spins[:, 0] ** 2)
        else:
            own = np.einsum("nji,nj->ni", motion.frames, motion.spins)
            turning = np.einsum("ni,nij,nj->", own, self.inertias, own)
        kinetic = 0.5 * float(np.sum(self.masses[:, None] * speeds**2) + turning)
        weights = self.masses[:, None] * np.array(self.blueprint.gravity)
        return kinetic, -float(np.sum(weights * (motion.places + arms)))

    @property
    def shares(self) -> tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]]:
        """Bodies in the order of links, and how many coordinates and velocities each has."""
        q = tuple(b - a for a, b in pairwise((*self.first_q, self.nq)))
        v = tuple(b - a for a, b in pairwise((*self.first_v, self.nv)))
        return tuple(link.body for link in self.graph.links), q, v

    def vector(self, states: Mapping[str, Any], angles: Mapping[str, float | None]) -> tuple[Array, Array]:
        """q and v of states of all bodies; angles are the turns nearest to those known, by joint."""
        from .joint_state import joint_vector  # which is about this class

        return joint_vector(self, states, angles)

    @cached_property
    def angle_columns(self) -> Mapping[str, int]:
        """Where in q the angles of joints stand that have one, whole turns included."""
        owners = ((name.rpartition("."), k) for k, name in enumerate(self.coordinates))
        return {owner: k for (owner, _, what), k in owners if what == "angle" and not self.blueprint.has_body(owner)}

    def quaternions(self, bodies: Sequence[Body], samples: Array) -> Array:
        """Of bodies in space (time, body, 4), as continuous as the joint coordinates."""
        from .tree_arrays import quaternions  # likewise

        return quaternions(self, bodies, samples)

    @property
    def nq(self) -> int:
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        return len(self.velocities)


def compile_tree(blueprint: Blueprint, graph: SystemGraph) -> TreeModel:
    """Flat arrays of the tree; cut joints are not its business."""
    index = {GROUND: 0, **{link.body: j + 1 for j, link in enumerate(graph.links)}}
    frames: dict[str, Frames] = {}
    coordinates: list[str] = []
    velocities: list[str] = []
    rows, first_q, first_v = [(0, 0, 0, 0, 0, 0)], [], []
    constants: list[Any] = [np.zeros(columns_of(blueprint.dim).CONSTANT_COLUMNS)]
    masses, centres, inertias = [], [], []
    for link in graph.links:
        body, frame = blueprint.body(link.body), link_frames(blueprint, link)
        frames[link.body] = frame
        motion = link.motion(blueprint.dim)
        owner = link.body if link.joint is None else link.joint.name
        branches = len(graph.children[link.body])
        rows.append((index[link.parent], motion.code, len(coordinates), len(velocities), motion.freedoms, branches))
        first_q.append(len(coordinates))
        first_v.append(len(velocities))
        coordinates += [f"{owner}.{name}" for name in motion.coordinates]
        velocities += [f"{owner}.{name}" for name in motion.velocities]
        parent = frames.get(link.parent)
        centre = frame.axes.T @ (np.array(body.centre) - frame.origin)
        masses.append(body.mass)
        centres.append(centre)
        own = inertia_matrix(body)
        inertias.append(own if blueprint.dim == 2 else frame.axes.T @ own @ frame.axes)
        values = _plane_constants if blueprint.dim == 2 else _space_constants
        constants.append(values(body.mass, inertias[-1], link, frame, parent, centre))
    parts = split([row[0] for row in rows], blueprint.space)
    arrays = _arrays(blueprint, rows, constants, len(velocities)) | {t.PARTS: _parts(rows, parts)}
    in_order = [frames[link.body] for link in graph.links]
    return TreeModel(
        blueprint=blueprint,
        graph=graph,
        frames=tuple(in_order),
        coordinates=tuple(coordinates),
        velocities=tuple(velocities),
        first_q=tuple(first_q),
        first_v=tuple(first_v),
        axes=np.array([f.axes for f in in_order]),
        origins=np.array([f.origin for f in in_order]),
        masses=np.array(masses),
        centres=np.array(centres),
        inertias=np.array(inertias),
        arrays=frozen_arrays(arrays),
        parts=tuple(parts),
    )


def columns_of(dim: int) -> Any:
    """What stands where in rows of links."""
    return link_columns_planar if dim == 2 else link_columns_spatial


def _arrays(blueprint: Blueprint, rows: list[Any], constants: list[Any], nv: int) -> dict[int, Any]:
    n, dim, columns = len(rows) - 1, blueprint.dim, columns_of(blueprint.dim)
    seconds = sum(row[1] == t.UNIVERSAL for row in rows) if dim == 3 else 0
    state = np.zeros((n + 1, columns.STATE_COLUMNS))
    if dim == 3:
        state[0, columns.R : columns.R + 9] = np.eye(3).ravel()
    return {
        t.LINKS: np.array(rows, dtype=np.int64),
        t.CONSTANTS: np.array(constants, dtype=float),
        t.STATE: state,
        t.COLUMNS: np.zeros((nv, columns.COLUMN_COLUMNS if dim == 3 else 0)),
        t.TURNS: np.zeros((3, -(-(n + 1 + seconds) // t.BLOCK) * t.BLOCK)),
        t.LOADS: np.zeros((n + 1, 3 if dim == 2 else 6)),
        t.EFFORTS: np.zeros((nv, 1)),
        t.GRAVITY: np.array(blueprint.gravity, dtype=float).reshape(-1, 1),
    }


def _parts(rows: list[Any], parts: list[LinkRange]) -> Any:
    """PARTS: second angles of universal joints stand behind the first ones of all links, in their order."""
    before = np.cumsum([row[1] == t.UNIVERSAL for row in rows]) + len(rows)
    kinds = {False: t.BRANCH, True: t.TRUNK}
    listed = [(part.first, part.last, before[part.first - 1], kinds[part.trunk]) for part in parts]
    return np.array(listed, dtype=np.int64).reshape(-1, 4)


def link_frames(blueprint: Blueprint, link: Link) -> Frames:
    """Where the link's frame is in its body, and the carrying port in its parent."""
    dim = blueprint.dim
    if link.joint is None:
        return Frames(np.eye(dim), np.zeros(dim), np.eye(dim), np.zeros(dim), 1.0)
    joint, motion, names = link.joint, link.motion(dim), "xyz"[:dim]
    axes = joint_axes(blueprint, joint)
    sides = {side: np.array([axes[f"{name}_{side}"] for name in names]).T for side in "ij"}
    points = {"i": np.array(blueprint.port(joint.first).at), "j": np.array(blueprint.port(joint.second).at)}
    mine, other, sense = ("j", "i", 1.0) if link.forward else ("i", "j", -1.0)
    turns = dim == 2 and motion is TURNING_IN_PLANE
    if not link.forward and motion.signed and not turns:
        turn = HALF_TURN if dim == 3 else -np.eye(2)
        sides = {side: frame @ turn for side, frame in sides.items()}
    if not turns:
        sense = 1.0
    return Frames(sides[mine], points[mine], sides[other], points[other], sense)


def _plane_constants(
    mass: float, inertia: float, link: Link, frame: Frames, parent: Frames | None, centre: Array
) -> tuple[float, ...]:
    port, axes = _carrying(frame, parent)
    tilt = float(np.arctan2(axes[1, 0], axes[0, 0]))
    return (*port, tilt, mass, *(mass * centre), inertia + mass * float(centre @ centre), frame.sense)


def _space_constants(
    mass: float, inertia: Array, link: Link, frame: Frames, parent: Frames | None, centre: Array
) -> tuple[float, ...]:
    port, axes = _carrying(frame, parent)
    I = inertia + mass * (float(centre @ centre) * np.eye(3) - np.outer(centre, centre))
    entries = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    return (*port, *axes.ravel(), mass, *(mass * centre), *entries, lead_of(link))


def lead_of(link: Link) -> float:
    """Advance of a screw, metres a radian."""
    return link.joint.values["pitch"] / (2 * np.pi) if link.joint is not None and is_screw(link) else 0.0


def is_screw(link: Link) -> bool:
    return link.joint is not None and kind_of(link.joint).space_tree is SCREWING


def _carrying(frame: Frames, parent: Frames | None) -> tuple[Array, Array]:
    """The carrying port in the frame of the parent link."""
    if parent is None:
        return frame.port, frame.port_axes
    return parent.axes.T @ (frame.port - parent.origin), parent.axes.T @ frame.port_axes
