"""What impulses do to bodies, by Newton's and Euler's laws: an oracle that knows masses, places and nothing of rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jourdain.engine.body_states import body_motion
from jourdain.mechanism.parts import GROUND

Array = npt.NDArray[np.float64]


class Moving(NamedTuple):
    """Bodies by name at a moment: in space, also those of the plane."""

    momentum: dict[str, Array]
    spin: dict[str, Array]  # moment of momentum about the own centre
    energy: float  # kinetic


def _in_space(vector: Any) -> Array:
    return np.append(np.asarray(vector, dtype=float), np.zeros(3 - len(vector)))


def moving(session: Any) -> Moving:
    """Momenta of all bodies now."""
    model, y = session.prepared.model, session.y
    _, axes, _, speed, spin, _, _ = body_motion(model, y[None], np.zeros((1, model.nv)))
    momentum, turning, energy = {}, {}, 0.0
    for b, body in enumerate(model.blueprint.bodies):
        v, mass = speed[0, b], model.body_data[b].mass
        w = np.atleast_1d(np.asarray(spin[0, b], dtype=float))
        if model.blueprint.dim == 2:
            L = np.array([0.0, 0.0, float(body.inertia) * w[0]])
            w = np.array([0.0, 0.0, w[0]])
        else:
            xx, yy, zz, xy, xz, yz = (*body.inertia, 0.0, 0.0, 0.0)[:6]
            R = axes[0, b]
            L = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T @ w
        momentum[body.name], turning[body.name] = mass * _in_space(v), L
        energy += 0.5 * mass * float(v @ v) + 0.5 * float(w @ L)
    return Moving(momentum, turning, energy)


def explained(session: Any, impulses: Mapping[str, tuple[float, ...]]) -> Moving:
    """Changes of momenta that impulses of joints make, where the session stands."""
    model, y = session.prepared.model, session.y
    blueprint = model.blueprint
    centre, axes, *_ = body_motion(model, y[None], np.zeros((1, model.nv)))
    names = [body.name for body in blueprint.bodies]
    momentum = {name: np.zeros(3) for name in names}
    turning = {name: np.zeros(3) for name in names}
    for joint in blueprint.joints:
        if joint.name not in impulses:
            continue
        given = impulses[joint.name]
        if blueprint.dim == 2:
            force, couple = _in_space(given[:2]), np.array([0.0, 0.0, given[2] if len(given) > 2 else 0.0])
        else:
            force, couple = np.array(given[:3]), np.array(given[3:6])
        second = joint.second
        at = np.asarray(blueprint.port(second).at, dtype=float)
        if second.body != GROUND:
            b = names.index(second.body)
            at = centre[0, b] + axes[0, b] @ (at - np.asarray(model.body_data[b].centre))
        for name, sign in ((second.body, 1.0), (joint.first.body, -1.0)):
            if name == GROUND:
                continue
            arm = _in_space(at - centre[0, names.index(name)])
            momentum[name] += sign * force
            turning[name] += sign * (couple + np.cross(arm, force))
    return Moving(momentum, turning, 0.0)


def unexplained(
    before: Moving, session: Any, impulses: Mapping[str, tuple[float, ...]], open_joints: Collection[str] = ()
) -> float:
    """The largest part of a body's jump that its joints' impulses do not say, of the largest momentum there is.

    A joint that is open pulls at two places: of the moment at its first body nothing is told. Bodies that a motion
    drives are left out: it has one number, along its joint.
    """
    after, told = moving(session), explained(session, impulses)
    size = session.prepared.model.size
    scale = max(float(np.linalg.norm(p)) for one in (before, after) for p in one.momentum.values())
    turn = max(float(np.linalg.norm(p)) for one in (before, after) for p in one.spin.values())
    scale, turn = max(scale, turn / size, 1e-12), max(turn, scale * size, 1e-12)
    worst, untold = 0.0, {j.first.body for j in session.blueprint.joints if j.name in open_joints}
    driven = {motion.values["joint"] for motion in session.blueprint.motions if motion.name in impulses}
    pairs = [(j.first.body, j.second.body) for j in session.blueprint.joints if j.name in driven]
    for name in (before.momentum.keys() & after.momentum.keys()) - {body for pair in pairs for body in pair}:
        p = after.momentum[name] - before.momentum[name] - told.momentum[name]
        L = after.spin[name] - before.spin[name] - told.spin[name]
        worst = max(worst, float(np.linalg.norm(p)) / scale)
        if name not in untold:
            worst = max(worst, float(np.linalg.norm(L)) / turn)
    return worst
