"""Channel names to numbers: `crank.x`, `crank.B.vx`, `joint.fx`, `joint.on_first.mz`, `spring.length` ..."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..mechanism.names import nearest
from ..mechanism.parts import GROUND, Joint, PortName, SpringDamper
from ..mechanism.port_axes import joint_axes
from ..model.formula_tables import switched
from .machine import SHAKING, SHAKING_CHANNELS, links_at, shaking_channel, transmission

if TYPE_CHECKING:
    from .solution import Solution

Array = npt.NDArray[np.float64]

BODY_CHANNELS = {
    2: ("x", "y", "angle", "vx", "vy", "spin", "ax", "ay", "spin_rate"),
    3: (
        *("x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"),
        *("ax", "ay", "az", "wx_rate", "wy_rate", "wz_rate"),
    ),
}
POINT_CHANNELS = {2: ("x", "y", "vx", "vy", "ax", "ay"), 3: ("x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az")}
WRENCH_CHANNELS = {2: ("fx", "fy", "mz"), 3: ("fx", "fy", "fz", "mx", "my", "mz")}
JOINT_CHANNELS = ("angle", "speed", "displacement", "load")
SPRING_CHANNELS = ("length", "force")
ENERGY_CHANNELS = ("kinetic", "potential", "dissipated", "driven", "total")
VIOLATION_CHANNELS = ("position", "velocity", "baumgarte")


def names(run: Solution) -> list[str]:
    """All channels of a run, in a fixed order."""
    blueprint = run.model.blueprint
    dim = blueprint.dim
    found = []
    for body in blueprint.bodies:
        found += [f"{body.name}.{c}" for c in BODY_CHANNELS[dim]]
        found += [f"{body.name}.{p}.{c}" for p in body.ports for c in POINT_CHANNELS[dim]]
    for joint in blueprint.joints:
        found += [f"{joint.name}.{c}" for c in (*WRENCH_CHANNELS[dim], *JOINT_CHANNELS)]
        found += [f"{joint.name}.on_first.{c}" for c in WRENCH_CHANNELS[dim]]
        found += [f"{joint.name}.transmission"] if links_at(blueprint, joint) else []
    found += [f"{f.name}.{c}" for f in blueprint.forces if isinstance(f, SpringDamper) for c in SPRING_CHANNELS]
    found += [f"{element}.{name}" for element, name in run.model.states] + list(run.model.reports)
    found += [f"{SHAKING}.{c}" for c in SHAKING_CHANNELS[dim] if not _taken(run, SHAKING)]
    found += [f"energy.{c}" for c in ENERGY_CHANNELS]
    return found + [f"violation.{c}" for c in VIOLATION_CHANNELS]


def _taken(run: Solution, name: str) -> bool:
    """Whether a part of the mechanism has this name, so that its channels are meant."""
    blueprint = run.model.blueprint
    parts = (*blueprint.bodies, *blueprint.joints, *blueprint.forces, *blueprint.components)
    return any(part.name == name for part in parts)


def value(run: Solution, name: str) -> Array:
    """The numbers of one channel, or of one over another: `rocker.spin/crank.spin`."""
    if "/" in name:
        over, _, under = (part.strip() for part in name.partition("/"))
        return run.ratio(over, under)
    owner, _, rest = name.partition(".")
    blueprint = run.model.blueprint
    found: Array | None = None
    if name == "t":
        return run.t
    if owner == "energy" and rest in ENERGY_CHANNELS:
        return getattr(run.energy, rest)
    if owner == "violation" and rest in VIOLATION_CHANNELS:
        return getattr(run.violation, rest)
    if owner == SHAKING and rest in SHAKING_CHANNELS[blueprint.dim] and not _taken(run, SHAKING):
        return shaking_channel(run, rest)
    if blueprint.has_body(owner):
        found = _body(run, owner, rest)
    if owner in run.joints:
        found = _joint(run, run.joints[owner], rest)
    for k, spring in enumerate(f for f in blueprint.forces if isinstance(f, SpringDamper)):
        if spring.name == owner and rest in SPRING_CHANNELS:
            by_motion = rest == "force" and owner in switched(blueprint)
            found = _spring_force(run, spring) if by_motion else run.springs[:, k, SPRING_CHANNELS.index(rest)]
    if found is None:
        found = run.reported(name)
    if found is None:
        raise KeyError(f"no channel '{name}'; {nearest(name, names(run))}")
    return found


def _spring_force(run: Solution, spring: SpringDamper) -> Array:
    """The pull of a spring that events switch, which the kernel does not report: what it exerts while it is on."""
    (M, dM), (N, dN) = (run.motion.point(port)[:2] for port in (spring.first, spring.second))
    length = np.linalg.norm(N - M, axis=1)
    direction = (N - M) / np.where(length > 0, length, 1.0)[:, None]
    rate = np.sum((dN - dM) * direction, axis=1)
    return spring.stiffness * (length - spring.length) + spring.damping * rate


def _component(channel: str, dim: int, position: Array, velocity: Array, acceleration: Array) -> Array:
    source = {"v": velocity, "a": acceleration}.get(channel[0], position)
    return source[:, "xyz".index(channel[-1])]


def _body(run: Solution, body: str, rest: str) -> Array | None:
    dim = run.model.blueprint.dim
    motion = run.motion
    point, dot, channel = rest.rpartition(".")
    if dot:
        if point not in run.model.blueprint.ports_of(body) or channel not in POINT_CHANNELS[dim]:
            return None
        return _component(channel, dim, *motion.point(PortName(body, point)))
    if channel not in BODY_CHANNELS[dim] or body == GROUND:
        return None
    b = motion.index(body)
    if channel == "angle":
        return motion.attitude[:, b]
    if channel in ("spin", "spin_rate"):
        return getattr(motion, channel)[:, b, 0]
    if channel[0] == "q":
        return motion.attitude[:, b, "wxyz".index(channel[1])]
    if channel[0] == "w":
        source = motion.spin_rate if channel.endswith("_rate") else motion.spin
        return source[:, b, "xyz".index(channel[1])]
    return _component(channel, dim, motion.position[:, b], motion.velocity[:, b], motion.acceleration[:, b])


def _joint(run: Solution, joint: Joint, rest: str) -> Array | None:
    dim = run.model.blueprint.dim
    side, channel = ("first", rest[9:]) if rest.startswith("on_first.") else ("second", rest)
    if channel in WRENCH_CHANNELS[dim]:
        reaction = run.reactions[joint.name]
        force, moment = (
            (reaction.on_first_force, reaction.on_first_moment)
            if side == "first"
            else (reaction.force, reaction.moment)
        )
        if channel[0] == "f":
            return force[:, "xyz".index(channel[1])]
        return moment[:, 0 if dim == 2 else "xyz".index(channel[1])]
    if rest == "transmission" and links_at(run.model.blueprint, joint):
        return transmission(run, joint)
    if rest not in JOINT_CHANNELS:
        return None
    if rest == "load":
        return np.linalg.norm(run.reactions[joint.name].force, axis=1)
    if rest == "displacement":
        return _displacement(run, joint)
    return _speed(run, joint) if rest == "speed" else _angle(run, joint)


def _axes(run: Solution, joint: Joint) -> dict[str, Array]:
    local = joint_axes(run.model.blueprint, joint)
    bodies = {"i": joint.first.body, "j": joint.second.body}
    return {name: run.motion.direction(bodies[name[-1]], axis) for name, axis in local.items()}


def _displacement(run: Solution, joint: Joint) -> Array:
    """MN along the sliding direction of the first port: its x in the plane, its z in space."""
    axis = _axes(run, joint)["x_i" if run.model.blueprint.dim == 2 else "z_i"]
    M, N = run.motion.point(joint.first)[0], run.motion.point(joint.second)[0]
    return np.sum((N - M) * axis, axis=1)


def _speed(run: Solution, joint: Joint) -> Array:
    """Rate of the joint's angle; of its displacement for a prismatic joint."""
    motion = run.motion
    if joint.type == "prismatic":
        axis = _axes(run, joint)["x_i" if run.model.blueprint.dim == 2 else "z_i"]
        return np.sum((motion.point(joint.second)[1] - motion.point(joint.first)[1]) * axis, axis=1)
    relative = motion.spin_of(joint.second.body) - motion.spin_of(joint.first.body)
    if run.model.blueprint.dim == 2:
        return relative[:, 0]
    return np.sum(relative * _axes(run, joint)["z_i"], axis=1)


def _angle(run: Solution, joint: Joint) -> Array:
    """From x_i to x_j about z_i, unwrapped; the first value lies in (-pi, pi] unless a motion says otherwise."""
    axes = _axes(run, joint)
    wrapped = np.arctan2(np.sum(axes["x_j"] * axes["y_i"], axis=1), np.sum(axes["x_j"] * axes["x_i"], axis=1))
    guess = run.turn_guess(joint)
    if guess is None:
        return np.unwrap(wrapped)
    if joint.name not in run.model.turns:
        guess = wrapped[0] + guess - guess[0]
    return wrapped + 2 * np.pi * np.round((guess - wrapped) / (2 * np.pi))
