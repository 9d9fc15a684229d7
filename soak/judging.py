"""Whether two runs agree in every channel, and whether Newton's and Euler's equations hold along a run.

Both are told relative to the range of what is compared: of the channel itself, together with the other components of
the same vector, and at least LEAST of the largest range of that quantity in the machine.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from random_machines import Machine

Array = npt.NDArray[np.float64]

LEAST = 1e-3
TINY = 1e-4  # SI units: machines are of metres, kilograms and seconds; what should be zero has atol, not a range
TURNING = ("revolute", "cylindrical", "planar", "screw")  # in space, joints whose angle is defined everywhere
REACH = 3  # samples on each side of a moment, for its rates
RATES = np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / 60.0  # sixth order
APART = (1e-3, 1e-4, 1e-5)  # s between these samples; each next one where those before show something
AT = slice(1 + REACH, None, 2 * REACH + 1)  # of all samples, the first of which is the start: the moments themselves


def grid(duration: float, moments: int, apart: float = APART[0]) -> Array:
    """The start, and moments each with its neighbours."""
    middle = np.linspace(0.0, duration, moments + 1)[1:]
    around = apart * np.arange(-REACH, REACH + 1)
    return np.unique(np.concatenate([[0.0], (middle[:, None] + around).ravel()]))


# Channels -------------------------------------------------------------------------------------------------------------


def worst_channel(run: Any, other: Any, use: Array) -> tuple[float, str]:
    """The largest difference over its range, and the channel; of the samples in `use`."""
    groups: dict[tuple[str, str], list[tuple[str, Array, Array]]] = {}
    loose = _loose(run)
    # The angle of a ball joint is none where x of one port is along z of the other.
    vague = {joint.name for joint in run.blueprint.joints if run.blueprint.dim == 3 and joint.type not in TURNING}
    for name in run.channels:
        owner, _, quantity = name.rpartition(".")
        if owner == "violation" or owner.split(".")[0] in loose or (quantity == "angle" and owner in vague):
            continue
        a, b = run[name][use], other[name][use]
        if quantity[0] == "q" and quantity in ("qw", "qx", "qy", "qz"):  # either sign is the same attitude
            b = b * np.where(
                np.sum([run[f"{owner}.q{k}"][use] * other[f"{owner}.q{k}"][use] for k in "wxyz"], axis=0) < 0, -1, 1
            )
        kind = re.sub(r"(^|(?<=[qvawfm]))[wxyz](?=$|_)", "", quantity)
        kind = "energy" if owner == "energy" else kind  # the total has no range of its own
        groups.setdefault((owner, kind), []).append((name, a, b))
    ranges = {key: max(_range(key[1], b) for _, _, b in group) for key, group in groups.items()}
    widest: dict[str, float] = {}
    units = {key: str(run.quantity(group[0][0]).unit) for key, group in groups.items()}
    for key, size in ranges.items():
        widest[units[key]] = max(widest.get(units[key], 0.0), size)
    worst = (0.0, "")
    for key, group in groups.items():
        scale = max(ranges[key], LEAST * widest[units[key]], TINY)
        for name, a, b in group:
            off = most(a - b) / scale
            worst = max(worst, (off if off == off else np.inf, name))
    return worst


def _range(kind: str, values: Array) -> float:
    """Positions and angles have no zero that means anything; everything else has."""
    if kind in ("", "angle", "displacement", "length", "energy"):
        return float(np.ptp(values)) if values.size else 0.0
    return most(values)


def _loose(run: Any) -> set[str]:
    """Parts whose reactions are not determined: joints by name, and where there are such, all that holds."""
    loose = {name for name, reaction in run.reactions.items() if not reaction.is_unique}
    held = {part.name for part in (*run.blueprint.relations, *run.blueprint.motions)}
    return loose | held if run.redundancy.dropped else loose


# Newton and Euler -----------------------------------------------------------------------------------------------------


def unbalanced(machine: Machine, run: Any, use: Array, apart: float = APART[0]) -> tuple[float, str]:
    """What is missing in Newton's and Euler's equations, over the largest force or moment that acts on that body.

    Accelerations are rates of the sampled velocities, not what the run reports; loads are those that the machine was
    made with; `use` says which samples are such that all their neighbours are on the same side of every event.
    """
    dim = 2 if machine.planar else 3
    blueprint, zero = run.blueprint, np.zeros((run.t.size, dim))
    arms = {body.name: _Body(run, body, dim) for body in blueprint.bodies}
    force = {name: body.mass * np.array(blueprint.gravity) + zero for name, body in arms.items()}
    moment = {name: np.zeros((run.t.size, 1 if dim == 2 else 3)) for name in arms}  # about the mass centre

    largest = {name: [most(force[name]), 0.0] for name in arms}  # force and moment of anything that acts on a body

    def act(name: str, at: Array, value: Array) -> None:
        if name in arms:
            force[name] = force[name] + value
            largest[name][0] = max(largest[name][0], most(value))
            turn(name, _cross(at - arms[name].centre, value))

    def turn(name: str, value: Array) -> None:
        if name in arms:
            moment[name] = moment[name] + value
            largest[name][1] = max(largest[name][1], most(value))

    for joint in blueprint.joints:
        reaction = run.reactions[joint.name]
        for port, f, c in (
            (joint.second, reaction.force, reaction.moment),
            (joint.first, reaction.on_first_force, reaction.on_first_moment),
        ):
            act(port.body, _place(run, port, dim), f)
            turn(port.body, c)
    for name, point, value in machine.forces:
        act(name, _point(run, name, point, dim), value(run))
    for name, value in machine.torques:
        turn(name, value(run))
    for name, a, p, b, q in machine.springs:
        _spring(run, name, (a, _point(run, a, p, dim)), (b, _point(run, b, q, dim)), act)
    for joint_name, channel, quantity in machine.in_joints:
        joint, value = blueprint.joint(joint_name), run[channel][:, None]
        axis = _axis(run, arms, joint.first, dim)
        if quantity == "angle":
            turn(joint.second.body, value * (1.0 if dim == 2 else axis))
            turn(joint.first.body, -value * (1.0 if dim == 2 else axis))
        else:
            at = _place(run, joint.second, dim)
            act(joint.second.body, at, value * axis)
            act(joint.first.body, at, -value * axis)
    worst = (0.0, "")
    for name, body in arms.items():
        linear, angular = body.rates(use, apart)
        for k, words, missing in (
            (0, "Newton", linear - force[name][AT][use]),
            (1, "Euler", angular - moment[name][AT][use]),
        ):
            scale = max(largest[name][k], LEAST * max(sizes[k] for sizes in largest.values()), TINY)
            worst = max(worst, (most(missing) / scale, f"{words} of {name}"))
    return worst


def unideal(run: Any) -> tuple[float, str]:
    """What a joint exerts along what it leaves free, over its largest load or a thousandth of the largest of all."""
    dim = run.blueprint.dim
    arms = {body.name: _Body(run, body, dim) for body in run.blueprint.bodies}
    sizes = {name: (most(r.force), most(r.moment)) for name, r in run.reactions.items()}
    largest = max((max(pair) for pair in sizes.values()), default=0.0)
    worst = (0.0, "")
    for joint in run.blueprint.joints:
        reaction = run.reactions[joint.name]
        apart = _place(run, joint.second, dim) - _place(run, joint.first, dim)
        z = {port: _axis(run, arms, port, dim) for port in (joint.first, joint.second)}
        idle = _idle(joint.type, (reaction.force, reaction.moment), apart, z[joint.first], z[joint.second])
        scale = max(*sizes[joint.name], LEAST * largest, TINY)
        worst = max(worst, (most(idle) / scale, f"{joint.name} ({joint.type}) does work"))
    return worst


def _idle(kind: str, wrench: tuple[Array, Array], apart: Array, along: Array, second: Array) -> Array:
    """Components, at the second point, that the joint does not hold; `along` is its axis, `apart` between points."""
    force, moment = wrench
    pushes = _dot(force, along)[:, None]
    if force.shape[1] == 2:
        return {
            "revolute": moment,
            "prismatic": pushes,
            "distance": np.hstack([moment, _cross(apart, force)]),
            "point-on-line": np.hstack([moment, pushes]),
        }.get(kind, np.zeros((1, 1)))
    twists = _dot(moment, along)[:, None]
    return {
        "revolute": twists,
        "prismatic": pushes,
        "spherical": moment,
        "universal": np.cross(moment, np.cross(along, second)),
        "cylindrical": np.hstack([pushes, twists]),
        "planar": np.hstack([np.cross(force, along), twists]),
        "distance": np.hstack([moment, np.cross(apart, force)]),
        "point-in-plane": np.hstack([moment, np.cross(force, along)]),
        "point-on-line": np.hstack([moment, pushes]),
    }.get(kind, np.zeros((1, 1)))


def _dot(a: Array, b: Array) -> Array:
    found: Array = np.sum(a * b, axis=1)
    return found


class _Body:
    """Mass, inertia and motion of one body, from its channels alone."""

    def __init__(self, run: Any, body: Any, dim: int) -> None:
        self.run, self.dim, self.mass, name = run, dim, body.mass, body.name
        self.origin = np.stack([run[f"{name}.{k}"] for k in "xyz"[:dim]], axis=1)
        self.velocity = np.stack([run[f"{name}.v{k}"] for k in "xyz"[:dim]], axis=1)
        if dim == 2:
            angle = run[f"{name}.angle"]
            c, s = np.cos(angle), np.sin(angle)
            self.R = np.moveaxis(np.array([[c, -s], [s, c]]), -1, 0)
            self.spin = run[f"{name}.spin"][:, None]
            self.inertia = np.full((run.t.size, 1, 1), body.inertia)
        else:
            w, x, y, z = (run[f"{name}.q{k}"] for k in "wxyz")
            self.R = np.moveaxis(
                np.array([
                    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
                ]), -1, 0,
            )  # fmt: skip
            self.spin = np.stack([run[f"{name}.w{k}"] for k in "xyz"], axis=1)
            xx, yy, zz, xy, xz, yz = (*body.inertia, 0.0, 0.0, 0.0)[:6]
            local = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            self.inertia = self.R @ local @ np.swapaxes(self.R, 1, 2)
        arm = self.R @ np.array(body.centre)
        self.centre = self.origin + arm
        self.centre_velocity = self.velocity + _swing(self.spin, arm)

    def rates(self, use: Array, apart: float) -> tuple[Array, Array]:
        """Of momentum and of angular momentum about the mass centre, at the moments, by differences of samples."""
        momentum = self.mass * self.centre_velocity
        turning = np.einsum("tij,tj->ti", self.inertia, self.spin)
        return differences(momentum)[use] / apart, differences(turning)[use] / apart


def most(values: Array) -> float:
    return float(np.max(np.abs(values), initial=0.0))


def differences(values: Array) -> Array:
    """Rates at the moments, times the time between samples."""
    found: Array = np.einsum("k,mkc->mc", RATES, values[1:].reshape(-1, RATES.size, values.shape[1]))
    return found


def _swing(spin: Array, arm: Array) -> Array:
    return spin * np.stack([-arm[:, 1], arm[:, 0]], axis=1) if arm.shape[1] == 2 else np.cross(spin, arm)


def _cross(arm: Array, force: Array) -> Array:
    if arm.shape[1] == 2:
        return (arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0])[:, None]
    return np.cross(arm, force)


def _point(run: Any, body: str, point: str, dim: int) -> Array:
    return np.stack([run[f"{body}.{point}.{k}"] for k in "xyz"[:dim]], axis=1)


def _place(run: Any, port: Any, dim: int) -> Array:
    return _point(run, port.body, port.point, dim)


def _axis(run: Any, arms: dict[str, _Body], port: Any, dim: int) -> Array:
    """x of the first port in the plane, its z in space, in fixed axes."""
    local = np.array(run.blueprint.port(port).x if dim == 2 else run.blueprint.port(port).z)
    if port.body not in arms:
        return np.broadcast_to(local, (run.t.size, dim))
    found: Array = arms[port.body].R @ local
    return found


def _spring(run: Any, name: str, one: tuple[str, Array], two: tuple[str, Array], act: Any) -> None:
    part = next(force for force in run.blueprint.forces if force.name == name)
    apart = two[1] - one[1]
    length = np.linalg.norm(apart, axis=1)
    velocity = [np.stack([run[f"{body}.{port.point}.v{k}"] for k in "xyz"[: apart.shape[1]]], axis=1)
                for body, port in ((one[0], part.first), (two[0], part.second))]  # fmt: skip
    rate = np.sum(apart * (velocity[1] - velocity[0]), axis=1) / length
    pull = (part.stiffness * (length - part.length) + part.damping * rate) / length
    act(one[0], one[1], pull[:, None] * apart)
    act(two[0], two[1], -pull[:, None] * apart)
