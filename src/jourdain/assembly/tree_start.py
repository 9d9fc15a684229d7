"""Where a tree starts: joint coordinates of what is written, or of the assembled mechanism where that is not enough.

Poses and velocities that are written for all bodies, or for none, and that the joints allow are read off link by link.
Anything else is for the assembly to decide, as in every other analysis, so that all start alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..engine.body_states import from_vector, origin_motion
from ..model.flat import FlatModel
from ..model.tree.joint_state import WrittenBody, drawn, joint_state, with_phases
from ..model.tree.tree_arrays import with_tree

Array = npt.NDArray[np.float64]

MISPLACED = 1e-6  # of the reach of the mechanism, or of its speed, or radians: what is written by hand is rounded


def written_start(model: FlatModel) -> tuple[FlatModel, Array, Array] | None:
    """q and v of what is written, if that decides them, and the model with screws that count from there."""
    written = drawn(model.blueprint)
    model = with_tree(model, with_phases(model.tree, written))
    q, v = joint_state(model.tree, written)
    if not _all_or_none(written):
        return None
    places, frames, speeds, spins = (part[0] for part in origin_motion(model, states_of(model, q, v[None])))
    if _elsewhere(model, places, frames, written):
        return None
    if any(w.velocity is None or w.spin is None for w in written.values()):
        return model, q, v  # of none: what a joint says by `initial` is all there is
    wanted = [written[body.name] for body in model.blueprint.bodies]
    expected = np.array([np.concatenate([w.velocity, w.spin]) for w in wanted if w.velocity is not None])
    return (model, q, v) if _agree(np.hstack([speeds, spins]), expected) else None


def written_starts(
    model: FlatModel, velocities: Mapping[str, tuple[Array, Array]]
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
    q, v = joint_state(model.tree, written)
    places, frames, speeds, spins = origin_motion(model, states_of(model, q, v))
    if _elsewhere(model, places[0], frames[0], written):
        return None
    wanted = [velocities[body.name] for body in model.blueprint.bodies]
    expected = np.stack([np.concatenate(pair, axis=1) for pair in wanted], axis=1)
    return v, _agree(np.concatenate([speeds, spins], axis=2), expected)


def starting_state(model: FlatModel) -> tuple[FlatModel, Array, Array, dict[str, tuple[float, float]]]:
    """The model with screws that count from the start, q and v there, and bodies that are elsewhere than drawn."""
    from .prepare import prepare  # which asks for written_start itself

    found = written_start(model)
    if found is not None:
        return *found, {}
    prepared = prepare(model.blueprint, None)
    assembled = drawn(model.blueprint, from_vector(prepared.model, prepared.assembly.y))
    model = with_tree(model, with_phases(model.tree, assembled))
    tree = model.tree
    q, v = joint_state(tree, assembled, initial=False)
    for link, k in zip(tree.graph.links, tree.first_q, strict=True):
        if link.joint is not None and "angle" in link.joint.initial and tree.coordinates[k].endswith(".angle"):
            q[k] += 2 * np.pi * round((link.joint.initial["angle"] - q[k]) / (2 * np.pi))
    places, frames, _, _ = origin_motion(model, states_of(model, q, v[None]))
    return model, q, v, _elsewhere(model, places[0], frames[0], drawn(model.blueprint))


def states_of(model: FlatModel, q: Array, v: Array) -> Array:
    """y of joint coordinates and rows of joint velocities, z zero."""
    y = np.zeros((len(v), model.length))
    y[:, model.layout.q], y[:, model.layout.v] = q, v
    return y


def _elsewhere(
    model: FlatModel, places: Array, frames: Array, written: Mapping[str, WrittenBody]
) -> dict[str, tuple[float, float]]:
    """Bodies that are not where they are written: how far, and by which angle."""
    reach = MISPLACED * max(1.0, float(np.max(np.abs(places), initial=0.0)))
    found = {}
    for body, place, frame in zip(model.blueprint.bodies, places, frames, strict=True):
        pose = written[body.name].pose
        if pose is not None:
            apart, turned = np.abs(place - pose[0]).max(), np.abs(frame - pose[1]).max()
            if apart > reach or turned > MISPLACED:
                between = np.trace(frame.T @ pose[1])
                cosine = 0.5 * (between if place.size == 2 else between - 1)
                angle = float(np.arccos(np.clip(cosine, -1, 1)))
                found[body.name] = (float(np.linalg.norm(place - pose[0])), angle)
    return found


def _all_or_none(written: Mapping[str, WrittenBody]) -> bool:
    """Of poses, and of velocities and spins."""
    poses = {w.pose is None for w in written.values()}
    speeds = {known is None for w in written.values() for known in (w.velocity, w.spin)}
    return len(poses) == 1 and len(speeds) == 1


def _agree(found: Array, expected: Array) -> npt.NDArray[np.bool_]:
    """Whether velocities and spins of all bodies are those expected; of each row, if there are rows."""
    scale = np.maximum(1.0, np.max(np.abs(expected), axis=(-2, -1)))
    return np.asarray(np.max(np.abs(found - expected), axis=(-2, -1)) <= MISPLACED * scale)
