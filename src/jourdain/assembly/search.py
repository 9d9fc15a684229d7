"""All ways in which joints and targets can be closed: Newton's method from many starts, without repetition.

A start puts bodies one after another where a joint to a body already placed allows, its angle or displacement chosen at
random, so that only the joints that close loops are open and none is flipped. In the plane each solution found also
gives starts of its own: every pair of links mirrored about the line between its outer joints, which is where the other
assembly of a pair is. The search ends when many starts in a row found nothing new.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cmp_to_key
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.body_states import from_vector
from ..engine.pose import null_space
from ..library.joints import Pair, kind_of
from ..library.joints.joint_kind import Draw
from ..mechanism.errors import MechanismError
from ..mechanism.parts import GROUND, Joint
from ..mechanism.port_axes import joint_axes
from ..mechanism.rotations import matrix_from_angle, matrix_from_euler, matrix_from_quaternion, quaternion_from_matrix
from ..mechanism.ties import first_difference, within_half_turn
from ..model.flat import FlatModel
from ..model.states import BodyState, drawn_state, to_vector
from .close_joints import flipped
from .idle import idle_motions
from .targets import View
from .targets_problem import Problem

Array = npt.NDArray[np.float64]
Frames = dict[str, tuple[Array, Array]]  # origin and axes of each body

SAME = 1e-5  # of the size: solutions nearer than that are one
LEAST_STARTS = 24
MOST_STARTS = 240
FRUITLESS = 60  # starts after which there is thought to be no solution
PATIENCE = 14  # starts that close and bring nothing new, and as many more as there are solutions
NEWTON_STEPS = 40


def solutions(problem: Problem, reference: Array, seed: int = 0) -> tuple[list[Array], int]:
    """Every closed state found, and how many starts that took. `reference` gives velocities and the first start."""
    model = problem.model
    rng = np.random.default_rng(seed)
    found: list[Array] = []
    marks: list[Array] = []
    waiting = [reference]
    starts, idle_starts = 0, 0
    while starts < MOST_STARTS:
        mirrored = len(waiting) > 0
        start = waiting.pop() if waiting else random_start(model, reference, rng)
        starts += 1
        try:
            y = problem.close(start, most=NEWTON_STEPS)
        except MechanismError:  # equations that have no value there, as of a disc that lies flat
            continue
        if problem.is_closed(y) and not flipped(problem.pose, problem.t, y):
            mark = pose_fingerprint(problem, y)
            if any(same(mark, old, model.size) for old in marks):
                idle_starts += not mirrored
            else:
                found.append(y)
                marks.append(mark)
                idle_starts = 0
                waiting += list(mirrored_starts(model, y))
        if starts >= LEAST_STARTS and idle_starts >= PATIENCE + 3 * len(found):
            break
        if not found and starts >= FRUITLESS:
            break
    return found, starts


def same(one: Array, other: Array, size: float) -> bool:
    """Whether two fingerprints are of one assembly."""
    return one.shape == other.shape and bool(np.max(np.abs(one - other), initial=0.0) < SAME * size)


def pose_fingerprint(problem: Problem, y: Array) -> Array:
    """What tells two assemblies apart: points of joints, and attitudes of bodies that cannot spin idly."""
    model, view = problem.model, View(problem.model, y)
    joints = model.blueprint.joints
    J = problem.jacobian(y) if model.blueprint.dim == 3 else np.zeros((0, model.nv))
    idle = {name for motion in idle_motions(model, view, J) for name in motion.bodies}
    parts = [view.port(port) for joint in joints for port in (joint.first, joint.second)]
    names = [body.name for body in model.blueprint.bodies]
    parts += [model.size * view.frame[k].ravel() for k, name in enumerate(names) if name not in idle]
    parts += [view.centre[k] for k, name in enumerate(names) if name not in idle]
    return np.concatenate(parts) if parts else np.zeros(0)


def remaining(problem: Problem, y: Array) -> int:
    """Freedoms that joints and musts leave at y, idle ones not counted."""
    J = problem.jacobian(y)
    free = null_space(J * problem.pose.scales()).shape[1]
    return free - len(idle_motions(problem.model, View(problem.model, y), J))


# Random starts --------------------------------------------------------------------------------------------------------


def random_start(model: FlatModel, reference: Array, rng: np.random.Generator) -> Array:
    """Bodies one after another along joints, each at a random angle and displacement."""
    blueprint = model.blueprint
    before = from_vector(model, reference)
    placed: Frames = {GROUND: (np.zeros(blueprint.dim), np.eye(blueprint.dim))}
    open_bodies = [body.name for body in blueprint.bodies]
    joints = [j for j in blueprint.joints if j.name not in blueprint.off and kind_of(j).anywhere]
    while open_bodies:
        ready = [j for j in joints if (j.first.body in placed) != (j.second.body in placed)]
        if not ready:
            name = open_bodies.pop(0)
            placed[name] = np.array(before[name].position), _frame(before[name].attitude)
            continue
        joint = ready[int(rng.integers(len(ready)))]
        name = joint.second.body if joint.first.body in placed else joint.first.body
        placed[name] = _carried(model, joint, name, placed, rng)
        open_bodies.remove(name)
    return _vector(model, before, placed)


def _vector(model: FlatModel, before: dict[str, BodyState], placed: Frames) -> Array:
    states = {}
    for name, old in before.items():
        origin, R = placed[name]
        attitude: Any = quaternion_from_matrix(R) if R.shape[0] == 3 else within_half_turn(np.arctan2(R[1, 0], R[0, 0]))
        states[name] = BodyState(tuple(origin), attitude, old.velocity, old.spin)
    return to_vector(model, {**drawn_state(model), **states})


def _frame(attitude: Any) -> Array:
    return matrix_from_quaternion(attitude) if isinstance(attitude, tuple) else matrix_from_angle(attitude)


def _carried(model: FlatModel, joint: Joint, name: str, placed: Frames, rng: np.random.Generator) -> Any:
    """Origin and axes of a body that a joint carries, its other body placed already."""
    blueprint = model.blueprint
    axes = joint_axes(blueprint, joint)
    names = "xyz"[: blueprint.dim]
    A_i, A_j = (np.stack([axes[f"{a}_{side}"] for a in names], axis=1) for side in "ij")
    at_i, at_j = (np.array(blueprint.port(port).at) for port in (joint.first, joint.second))
    anywhere = kind_of(joint).anywhere
    assert anywhere is not None
    d, turn = anywhere(_draw(blueprint.dim, model.size, rng), joint)
    if name == joint.second.body:
        origin, R = placed[joint.first.body]
        R_j = R @ A_i @ turn @ A_j.T
        return origin + R @ (at_i + A_i @ d) - R_j @ at_j, R_j
    origin, R = placed[joint.second.body]
    R_i = R @ A_j @ turn.T @ A_i.T
    return origin + R @ at_j - R_i @ (at_i + A_i @ d), R_i


def _draw(dim: int, size: float, rng: np.random.Generator) -> Draw:
    slides = rng.uniform(-size, size, size=1 if dim == 2 else 3)
    angle = rng.uniform(-np.pi, np.pi)
    if dim == 2:
        turn = matrix_from_angle(angle)
        return Draw(rng, slides, turn, turn)
    anyhow = matrix_from_quaternion([float(x) for x in rng.normal(size=4)])
    return Draw(rng, slides, matrix_from_euler("z", [angle]), anyhow)


# Mirrored pairs, in the plane -----------------------------------------------------------------------------------------


def mirrored_starts(model: FlatModel, y: Array) -> Iterator[Array]:
    """For every pair of bodies joined by a pin or a slide: the pair assembled the other way between its neighbours."""
    blueprint = model.blueprint
    if blueprint.dim == 3:
        return
    view = View(model, y)
    before = from_vector(model, y)
    still = {name: (np.array(s.position), _frame(s.attitude)) for name, s in before.items()}
    joints = [j for j in blueprint.joints if kind_of(j).pair in (Pair.PIN, Pair.SLIDE) and j.name not in blueprint.off]
    for middle in joints:
        b1, b2 = middle.first.body, middle.second.body
        if GROUND in (b1, b2):
            continue
        outer = [[j for j in joints if j is not middle and b in (j.first.body, j.second.body)] for b in (b1, b2)]
        for p in outer[0]:
            for r in outer[1]:
                moves = _mirrored(view, (b1, b2), middle, p, r)
                if moves is not None:
                    placed = dict(still)
                    for name, (about, angle, shift) in moves.items():
                        R = matrix_from_angle(angle)
                        origin, frame = placed[name]
                        placed[name] = about + R @ (origin - about) + shift, R @ frame
                    yield _vector(model, before, placed)


Move = tuple[Array, float, Array]  # turn about a point by an angle, then shift


def _mirrored(view: View, pair: tuple[str, str], middle: Joint, p: Joint, r: Joint) -> dict[str, Move] | None:
    b1, b2 = pair
    P, Q, R = (view.port(j.first) for j in (p, middle, r))
    none = np.zeros(2)
    pairs = tuple(kind_of(j).pair for j in (p, middle, r))
    if pairs == (Pair.PIN, Pair.SLIDE, Pair.PIN):
        return {b1: (P, np.pi, none), b2: (R, np.pi, none)}
    if pairs[1] is not Pair.PIN or pairs.count(Pair.SLIDE) > 1:
        return None
    if Pair.SLIDE in pairs:
        if pairs[0] is Pair.SLIDE:
            b1, b2, p, r, P, R = b2, b1, r, p, R, P
        x = view.direction(r.first.body, joint_axes(view.model.blueprint, r)["x_i"])
        other = Q - 2 * ((Q - P) @ x) * x
        return {b1: (P, _angle(Q - P, other - P), none), b2: (Q, 0.0, other - Q)}
    along = R - P
    length = float(along @ along)
    if length == 0.0:
        return None
    foot = P + along * ((Q - P) @ along) / length
    other = 2 * foot - Q
    return {b1: (P, _angle(Q - P, other - P), none), b2: (R, _angle(Q - R, other - R), none)}


def _angle(a: Array, b: Array) -> float:
    return float(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))


def nearest_first(problem: Problem, found: list[Array], reference: Array) -> list[Array]:
    """Solutions in the order of their distance from a state.

    Of mirror images, which are equally far, the one comes first whose joints, in declared order, lie farther along x.
    """
    mark, floor = pose_fingerprint(problem, reference), SAME * problem.model.size

    def order(one: tuple[Array, Array], other: tuple[Array, Array]) -> int:
        apart = [float(np.linalg.norm(x - mark)) if x.shape == mark.shape else np.inf for _, x in (one, other)]
        if apart[0] != apart[1] and not abs(apart[0] - apart[1]) <= floor:
            return -1 if apart[0] < apart[1] else 1
        return int(np.sign(first_difference(other[1], one[1], floor)))

    return [y for y, _ in sorted(((y, pose_fingerprint(problem, y)) for y in found), key=cmp_to_key(order))]
