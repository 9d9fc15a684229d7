"""Where a tree starts: joint coordinates of what is written, or of the assembled mechanism where that is not enough.

Poses and velocities that are written for all bodies, or for none, and that the joints allow are read off link by link.
Anything else is for the assembly to decide, as in every other analysis, so that all start alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..engine.body_states import from_vector
from ..engine.link_motion import body_origins, link_motion
from ..engine.tree_memory import TreeMemory
from ..model.tree.joint_state import Written, drawn, joint_state, with_phases
from ..model.tree.links import TreeModel

Array = npt.NDArray[np.float64]

MISPLACED = 1e-6  # of the reach of the mechanism, or of its speed, or radians: what is written by hand is rounded


def written_start(model: TreeModel) -> tuple[TreeModel, Array, Array] | None:
    """q and v of what is written, if that decides them, and the tree with screws that count from there."""
    written = drawn(model.blueprint)
    model = with_phases(model, written)
    q, v = joint_state(model, written)
    memory = TreeMemory(model)
    if _all_or_none(written) and not moved(memory, q, v, written) and _same_velocities(memory, q, v, written):
        return model, q, v
    return None


def written_starts(
    model: TreeModel, velocities: Mapping[str, tuple[Array, Array]]
) -> tuple[Array, npt.NDArray[np.bool_]] | None:
    """v of many starts from the pose that is written, and which of them the joints allow.

    Velocities of the origin and spins of every body, in rows. None where the pose does not decide the start.
    """
    written = {
        name: replace(w, velocity=velocities[name][0], spin=velocities[name][1])
        for name, w in drawn(model.blueprint).items()
    }
    if len({w.pose is None for w in written.values()}) != 1:
        return None
    q, v = joint_state(model, written)
    memory = TreeMemory(model)
    if moved(memory, q, np.zeros(model.nv), written):
        return None
    found = [link_motion(memory, q, row) for row in v]
    speeds = np.array([np.hstack([body_origins(model, motion)[2], motion.spins]) for motion in found])
    wanted = [velocities[link.body] for link in model.graph.links]
    expected = np.stack([np.concatenate(pair, axis=1) for pair in wanted], axis=1)
    scale = np.maximum(1.0, np.max(np.abs(expected), axis=(1, 2)))
    return v, np.max(np.abs(speeds - expected), axis=(1, 2)) <= MISPLACED * scale


def starting_state(model: TreeModel) -> tuple[TreeModel, Array, Array]:
    """q and v at the start, and the tree with screws that count from there."""
    from .prepare import prepare  # which asks for written_start itself

    blueprint = model.blueprint
    found = written_start(model)
    if found is not None:
        return found
    prepared = prepare(blueprint, None)
    assembled = drawn(blueprint, from_vector(prepared.model, prepared.assembly.y))
    model = with_phases(model, assembled)
    q, v = joint_state(model, assembled, initial=False)
    for link, k in zip(model.graph.links, model.first_q, strict=True):
        if link.joint is not None and "angle" in link.joint.initial and model.coordinates[k].endswith(".angle"):
            q[k] += 2 * np.pi * round((link.joint.initial["angle"] - q[k]) / (2 * np.pi))
    return model, q, v


def _all_or_none(written: Mapping[str, Written]) -> bool:
    """Of poses, and of velocities and spins."""
    poses = {w.pose is None for w in written.values()}
    speeds = {known is None for w in written.values() for known in (w.velocity, w.spin)}
    return len(poses) == 1 and len(speeds) == 1


def moved(memory: TreeMemory, q: Array, v: Array, written: Mapping[str, Written]) -> dict[str, tuple[float, float]]:
    """Bodies that are elsewhere than drawn: how far, and by which angle."""
    model = memory.model
    places, frames, _ = body_origins(model, link_motion(memory, q, v))
    reach = MISPLACED * max(1.0, float(np.max(np.abs(places), initial=0.0)))
    found = {}
    for link, place, frame in zip(model.graph.links, places, frames, strict=True):
        pose = written[link.body].pose
        if pose is not None:
            apart, turned = np.abs(place - pose[0]).max(), np.abs(frame - pose[1]).max()
            if apart > reach or turned > MISPLACED:
                between = np.trace(frame.T @ pose[1])
                cosine = 0.5 * (between if place.size == 2 else between - 1)
                angle = float(np.arccos(np.clip(cosine, -1, 1)))
                found[link.body] = (float(np.linalg.norm(place - pose[0])), angle)
    return found


def _same_velocities(memory: TreeMemory, q: Array, v: Array, written: Mapping[str, Written]) -> bool:
    model, motion = memory.model, link_motion(memory, q, v)
    _, _, speeds = body_origins(model, motion)
    wanted = [written[link.body] for link in model.graph.links]
    if any(w.velocity is None or w.spin is None for w in wanted):
        return True  # of none: what a joint says by `initial` is all there is
    found = np.hstack([speeds, motion.spins])
    expected = np.array([np.concatenate([w.velocity, w.spin]) for w in wanted])
    return bool(np.max(np.abs(found - expected)) <= MISPLACED * max(1.0, float(np.max(np.abs(expected)))))
