"""Poses that were left out: a first guess along the joints, from the ground outwards.

Each body without a pose is put where one joint to a body already placed wants it, turned by the joint's `initial` angle
or, without one, with the axes of both ports aligned. Loops are closed afterwards, by assembly. A body whose attitude is
written keeps it and is only moved.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..library.joints import kind_of
from ..library.joints.tree_motions import TreeMotion
from ..mechanism.parts import GROUND, Blueprint, Joint
from ..mechanism.port_axes import drawn_frame, joint_axes
from ..mechanism.rotations import matrix_from_angle, matrix_from_euler, quaternion_from_matrix
from ..mechanism.ties import within_half_turn
from ..model.flat import FlatModel
from ..model.states import BodyState, drawn_state

Array = npt.NDArray[np.float64]


def placed_state(model: FlatModel) -> dict[str, BodyState]:
    """What the mechanism writes, and what it leaves out as its joints suggest."""
    blueprint = model.blueprint
    states = drawn_state(model)
    open_bodies = {body.name for body in blueprint.bodies if body.position is None}
    if not open_bodies:
        return states
    frames = {name: drawn_frame(blueprint, name) for name in (GROUND, *states)}
    places = {GROUND: np.zeros(blueprint.dim)} | {name: np.array(s.position) for name, s in states.items()}
    waiting: dict[str, list[tuple[int, int, Joint]]] = {}
    for number, joint in enumerate(blueprint.joints):
        motion = kind_of(joint).tree(blueprint.dim)
        if motion is not None and joint.name not in blueprint.off:
            for end in (joint.first.body, joint.second.body):
                waiting.setdefault(end, []).append((_rank(joint, motion), number, joint))
    ready = [entry for name in frames if name not in open_bodies for entry in waiting.get(name, ())]
    heapq.heapify(ready)
    while ready:
        joint = heapq.heappop(ready)[2]
        for name in {joint.first.body, joint.second.body} & open_bodies:
            _place(blueprint, joint, name, frames, places)
            open_bodies.remove(name)
            for entry in waiting[name]:
                heapq.heappush(ready, entry)
    return {name: _stated(old, places[name], frames[name]) for name, old in states.items()}


def _rank(joint: Joint, motion: TreeMotion) -> int:
    """Which joint to go by first: one that says where it starts, then one that holds attitudes."""
    return 0 if joint.initial else 1 if motion.holds_attitude else 2


def _place(blueprint: Blueprint, joint: Joint, name: str, frames: dict[str, Array], places: dict[str, Array]) -> None:
    """Put the body `name` where the joint wants it; the other one stays."""
    axes = joint_axes(blueprint, joint)
    names = "xyz"[: blueprint.dim]
    A_i, A_j = (np.stack([axes[f"{axis}_{side}"] for axis in names], axis=1) for side in "ij")
    first, second = joint.first.body, joint.second.body
    turn = _turn(joint, blueprint.dim)
    if blueprint.body(name).attitude is None:
        if name == second:
            frames[name] = frames[first] @ A_i @ turn @ A_j.T
        else:
            frames[name] = frames[second] @ A_j @ turn.T @ A_i.T
    at_i = frames[first] @ np.array(blueprint.port(joint.first).at)
    at_j = frames[second] @ np.array(blueprint.port(joint.second).at)
    along = frames[first] @ A_i[:, 0 if blueprint.dim == 2 else 2]
    shift = joint.initial.get("displacement", 0.0) * along
    if name == second:
        places[name] = places[first] + at_i + shift - at_j
    else:
        places[name] = places[second] + at_j - shift - at_i


def _turn(joint: Joint, dim: int) -> Array:
    angle = joint.initial.get("angle", 0.0)
    if dim == 2:
        return matrix_from_angle(angle)
    motion = kind_of(joint).tree(dim)
    if motion is not None and motion.at_zero is not None:
        return motion.at_zero
    return matrix_from_euler("z", [angle])


def _stated(old: BodyState, place: Array, frame: Array) -> BodyState:
    attitude: Any = old.attitude
    if frame.shape[0] == 2:
        angle = float(np.arctan2(frame[1, 0], frame[0, 0]))
        attitude = attitude + within_half_turn(angle - attitude)
    else:
        attitude = tuple(float(x) for x in quaternion_from_matrix(frame))
    return BodyState(tuple(float(x) for x in place), attitude, old.velocity, old.spin)


def at_rest_in(state: Mapping[str, Any], model: FlatModel) -> dict[str, Any]:
    """A state with the velocities that are written, whatever it had."""
    drawn = drawn_state(model)
    still = {n: BodyState(state[n].position, state[n].attitude, s.velocity, s.spin) for n, s in drawn.items()}
    return {**state, **still}
