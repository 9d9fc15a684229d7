"""Motion of links and bodies from joint coordinates, and what joints transmit, read from the arrays of a tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..mechanism.rotations import swung
from ..model.tree.links import TreeModel
from .tree_memory import TreeMemory

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LinkMotion:
    """Of every link's origin, in the order of the tree, fixed axes; angular velocities have 1 or 3 components."""

    places: Array
    frames: Array
    velocities: Array
    spins: Array


def link_motion(memory: TreeMemory, q: Array, v: Array) -> LinkMotion:
    model = memory.model
    k, dim = memory.recursion, model.blueprint.dim
    out = np.zeros((len(model.graph.links) + 1, 2 * dim))
    k.kernels.motion(memory.table, q, v, out)
    state = memory.arrays[k.common.STATE][1:]
    spins = state[:, k.columns.W : k.columns.W + (1 if dim == 2 else 3)].copy()
    return LinkMotion(out[1:, :dim], link_axes(memory), out[1:, dim:], spins)


def link_axes(memory: TreeMemory) -> Array:
    """R_WL of every link, as the last evaluation left them."""
    k = memory.recursion
    state = memory.arrays[k.common.STATE][1:]
    if memory.model.blueprint.dim == 3:
        return state[:, k.columns.R : k.columns.R + 9].reshape(-1, 3, 3).copy()
    c, s = state[:, k.columns.C], state[:, k.columns.S]
    return np.stack([np.stack([c, -s], 1), np.stack([s, c], 1)], 1)


def moment(arm: Array, force: Array) -> Array:
    """r x F: one number in the plane."""
    if arm.size == 2:
        return np.array([arm[0] * force[1] - arm[1] * force[0]])
    return np.cross(arm, force)


def body_origins(model: TreeModel, motion: LinkMotion) -> tuple[Array, Array, Array]:
    """Origin, axes and velocity of the origin of every body, in the order of the tree."""
    frames = motion.frames @ np.swapaxes(model.axes, 1, 2)
    arms = -np.einsum("nij,nj->ni", frames, model.origins)
    return motion.places + arms, frames, motion.velocities + swung(motion.spins, arms)


def transmitted(memory: TreeMemory) -> list[tuple[str, Array, Array]]:
    """Joint, force and moment on its second body at its port, as the last inverse dynamics left them."""
    model = memory.model
    k, dim = memory.recursion, model.blueprint.dim
    c, axes = k.columns, link_axes(memory)
    rows = model.arrays[k.common.LINKS][1:, 0]
    state = memory.arrays[k.common.STATE][1:]
    moments, forces = state[:, c.N : c.N + (1 if dim == 2 else 3)], state[:, c.F : c.F + dim]
    arms = state[:, c.ARM : c.ARM + dim]
    found = []
    for j, (link, frame) in enumerate(zip(model.graph.links, model.frames, strict=True)):
        if link.joint is None:
            continue
        force, turn = forces[j].copy(), moments[j].copy()
        if not link.forward:  # the parent is the second body; its port may be elsewhere on a sliding joint
            i = int(rows[j]) - 1
            if i < 0:
                port = frame.port
            else:
                port = axes[i] @ model.frames[i].axes.T @ (frame.port - model.frames[i].origin)
            force, turn = -force, -turn - moment(arms[j] - port, force)
        found.append((link.joint.name, force, turn))
    return found
