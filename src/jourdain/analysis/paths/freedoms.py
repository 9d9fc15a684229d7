"""Which freedoms of a pose nothing drives: those that a joint's angle or displacement would drive, and idle ones.

A freedom is idle if no joint with an angle or a displacement moves in it, no point of any joint moves, and bodies turn
between at least two points that stay: the spin of a rod with a ball at either end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...engine.pose import Pose, null_space
from ...library.joints import kind_of
from ...mechanism.parts import GROUND
from ...model.flat import FlatModel
from ...results.body_motion import Motion
from ...results.joint_rates import joint_rates

Array = npt.NDArray[np.float64]

MOVES = 1e-6  # of the fastest, rotations counted at the mechanism's size


@dataclass(frozen=True)
class Undriven:
    """Motions that the constraints leave: how many are idle, which bodies these turn, and what could drive the rest."""

    count: int
    idle: int
    bodies: tuple[str, ...]
    drivable: tuple[str, ...]  # joints, with the coordinate where a joint has two

    @property
    def missing(self) -> int:
        return self.count - self.idle


def free_motions(pose: Pose, y: Array, t: float) -> Motion:
    """Motions that the constraints allow at a closed state: independent ones, in place of samples."""
    model = pose.model
    free = null_space(pose.scaled_jacobian(t, y)).T
    samples = np.tile(y, (len(free), 1))
    samples[:, model.layout.v] = free * pose.scales()
    return Motion(model, samples, np.zeros((len(free), model.nv)))


def scaled_rates(motion: Motion) -> dict[str, Array]:
    """Rates of joints as lengths a second: angles counted at the mechanism's size."""
    size = motion.model.size
    return {name: rate * (size if name.endswith(".angle") else 1.0) for name, rate in joint_rates(motion).items()}


def undriven(model: FlatModel, pose: Pose, y: Array, t: float) -> Undriven:
    """Look at the null space of the constraints at a closed state."""
    motion = free_motions(pose, y, t)
    count = len(motion.frame)
    if count == 0:
        return Undriven(0, 0, (), ())
    rates = scaled_rates(motion)
    # Idle motions are combinations of the null vectors that none of this sees.
    seen = np.array([*rates.values(), *_shifts(motion)]).reshape(-1, count)
    left = _kernel(seen)
    bodies = _turned(motion, left)
    idle = len(left) if all(len(_joint_points(model, body)) >= 2 for body in bodies) else 0
    drivable = tuple(_short(model, name) for name, r in rates.items() if np.max(np.abs(r)) > MOVES)
    return Undriven(count, idle, bodies if idle else (), drivable)


def _shifts(motion: Motion) -> list[Array]:
    """Velocities of all points at which joints act."""
    joints = motion.model.blueprint.joints
    ports = dict.fromkeys(p for joint in joints for p in (joint.first, joint.second) if p.body != GROUND)
    return [component for port in ports for component in motion.point(port)[1].T]


def _kernel(seen: Array) -> Array:
    """Combinations that vanish in all of `seen` (things, motions)."""
    if seen.size == 0:
        return np.eye(seen.shape[1])
    _, singular, Vt = np.linalg.svd(seen)
    return Vt[int(np.sum(singular > MOVES)) :]


def _turned(motion: Motion, left: Array) -> tuple[str, ...]:
    """Bodies that turn in these combinations of motions."""
    spins = np.einsum("km,mbi->kbi", left, motion.spin)
    names = [body.name for body in motion.model.blueprint.bodies]
    return tuple(
        name for b, name in enumerate(names) if np.max(np.abs(spins[:, b]), initial=0.0) > MOVES / motion.model.size
    )


def _joint_points(model: FlatModel, body: str) -> set[tuple[float, ...]]:
    ports = [p for joint in model.blueprint.joints for p in (joint.first, joint.second) if p.body == body]
    return {model.blueprint.port(port).at for port in ports}


def _short(model: FlatModel, channel: str) -> str:
    """The joint alone where that says enough."""
    joint, _, quantity = channel.rpartition(".")
    return joint if kind_of(model.blueprint.joint(joint)).coordinates[0] == quantity else channel
