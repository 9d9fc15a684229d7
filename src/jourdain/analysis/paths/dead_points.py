"""Dead points of a path: where a joint's angle or displacement stops and turns back while the driver goes on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...library.geometry import split_joint
from ...results.body_motion import Motion
from ...results.joint_rates import joint_rates
from .path import Path, PathEndError, PathPoint

Array = npt.NDArray[np.float64]

STILL = 1e-9  # of the fastest rate: a joint that is slower does not move
ZERO = 1e-12  # of a joint's own fastest rate: rounding
ROUNDS = 8  # of the secant method


class Dead(NamedTuple):
    """Channel of the joint, when, and the state there."""

    channel: str
    t: float
    y: Array


def dead_points(path: Path) -> list[Dead]:
    """All of them, in the order of the joints, found between the nodes of the trail, not between samples."""
    trail, path.trail = path.trail, []  # looking for them leaves a trail too
    if len(trail) < 2:
        return []
    t = np.array([node.t for node in trail])
    rates = joint_rates(_motion(path, [node.y for node in trail]))
    fastest = max((float(np.max(np.abs(r))) for r in rates.values()), default=0.0)
    found: list[Dead] = []
    for name, rate in rates.items():
        most = float(np.max(np.abs(rate)))
        if most <= STILL * fastest:
            continue
        signs = np.sign(np.where(np.abs(rate) > ZERO * most, rate, 0.0))
        for k in np.flatnonzero((signs[:-1] * signs[1:] < 0) | ((signs[:-1] == 0) & (signs[1:] != 0))):
            ends = ((trail[k], float(rate[k])), (trail[k + 1], float(rate[k + 1])))
            found.append(_refined(path, name, *ends))
    joints = path.model.blueprint.joints_by_name
    own = {split_joint(m.values.get("joint") or "", joints)[0] for m in path.model.blueprint.motions}
    # Where the driver itself turns back, everything does.
    turned = np.array([dead.t for dead in found if dead.channel.rpartition(".")[0] in own])
    near = 1e-6 * abs(t[-1] - t[0])
    others = [dead for dead in found if dead.channel.rpartition(".")[0] not in own]
    return [dead for dead in others if not np.any(np.abs(turned - dead.t) < near)]


def _motion(path: Path, states: list[Array]) -> Motion:
    return Motion(path.model, np.array(states), np.zeros((len(states), path.model.nv)))


def _refined(path: Path, name: str, first: tuple[PathPoint, float], last: tuple[PathPoint, float]) -> Dead:
    """By the secant method between two nodes with the rates there."""
    node = first[0]
    low, high = sorted((node.t, last[0].t))
    (t0, f0), (t1, f1) = (node.t, first[1]), (last[0].t, last[1])
    t, y = node.t, node.y
    if f0 == 0.0:
        return Dead(name, t, y)
    for _ in range(ROUNDS):
        if f1 == f0:
            break
        t = float(np.clip(t1 - f1 * (t1 - t0) / (f1 - f0), low, high))
        y = _between(path, node, t)
        if abs(t - t1) <= 1e-15 * max(1.0, abs(t)):
            break
        (t0, f0), (t1, f1) = (t1, f1), (t, float(joint_rates(_motion(path, [y]))[name][0]))
    return Dead(name, t, y)


def _between(path: Path, node: PathPoint, t: float) -> Array:
    """The state at a time a little behind a node of the trail."""
    window = next((w for w in path.windows if w.covers(t)), None)
    if window is not None:
        return path.inside(window, t)[0]
    found = path.node(node.t, node.y.copy())
    if found is None or t == node.t:
        return node.y
    try:
        return path.march(found, t).y
    except PathEndError:
        return node.y
