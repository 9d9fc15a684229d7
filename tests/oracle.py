"""A mechanism in plain numpy: the value of every leaf of a formula, for bodies that move freely.

Each body goes straight and turns uniformly, R(t) = exp(t [w]) R(0), joints or no joints: an effort is a force along a
quantity whatever holds the bodies. It shares nothing with the formulas but the meaning of their leaves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from jourdain.equations.formula import Formula
from jourdain.mechanism.parts import GROUND, Blueprint, Joint, PortName
from jourdain.mechanism.port_axes import joint_axes


@dataclass
class World:
    """Bodies on random straight paths; `extra` holds whatever is not kinematics (reactions, states)."""

    blueprint: Blueprint
    seed: int = 0
    extra: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        random = np.random.default_rng(self.seed)
        dim = self.blueprint.dim
        self.paths: dict[str, tuple[Any, Any, Any, Any]] = {}
        for body in self.blueprint.bodies:
            turn = random.normal(size=1 if dim == 2 else 3) * 0.4
            spin = random.normal(size=1 if dim == 2 else 3)
            self.paths[body.name] = (random.normal(size=dim), random.normal(size=dim), turn, spin)

    def rotation(self, body: str, time: float) -> Any:
        dim = self.blueprint.dim
        if body == GROUND:
            return np.eye(dim)
        _, _, turn, spin = self.paths[body]
        if dim == 2:
            a = turn[0] + time * spin[0]
            return np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
        return Rotation.from_rotvec(time * spin).as_matrix() @ Rotation.from_rotvec(turn).as_matrix()

    def turned(self, body: str, local: Any, time: float, order: int) -> Any:
        """A vector of a body in fixed axes, or its rate."""
        v = self.rotation(body, time) @ np.asarray(local, dtype=float)
        if order == 0:
            return v
        if body == GROUND:
            return 0.0 * v
        spin = self.paths[body][3]
        return spin[0] * np.array([-v[1], v[0]]) if len(v) == 2 else np.cross(spin, v)

    def point(self, body: str, at: Any, time: float, order: int) -> Any:
        arm = self.turned(body, at, time, order)
        if body == GROUND:
            return arm
        p, v, _, _ = self.paths[body]
        return arm + (v if order else p + time * v)

    def value(self, key: Any, time: float) -> float:
        if isinstance(key, tuple):
            return self._special(key, time)
        if key in self.extra:
            return self.extra[key]
        if key in self.blueprint.parameters:
            return self.blueprint.parameters[key]
        owner, _, rest = key.partition(".")
        joints = [j for j in self.blueprint.joints if j.name == owner]
        if joints:
            return self._joint(joints[0], rest, time)
        point, _, channel = rest.rpartition(".")
        if channel == "angle":
            return float(self.paths[owner][2][0] + time * self.paths[owner][3][0])
        if channel in ("spin", "wx", "wy", "wz"):
            return float(self.paths[owner][3]["xyz".index(channel[1]) if channel[0] == "w" else 0])
        at = self.blueprint.port(PortName(owner, point)).at if point else (0.0,) * self.blueprint.dim
        return float(self.point(owner, at, time, int(channel[0] == "v"))["xyz".index(channel[-1])])

    def _special(self, key: tuple[Any, ...], time: float) -> float:
        if key[0] == "at":
            _, body, at, k, order = key
            return float(self.point(body, at, time, order)[k])
        _, first, second, name, k, order = key
        axes = joint_axes(self.blueprint, Joint("", "", first, second))
        return float(self.turned((first if name[-1] == "i" else second).body, axes[name], time, order)[k])

    def _joint(self, joint: Joint, channel: str, time: float) -> float:
        local = joint_axes(self.blueprint, joint)
        bodies = {"i": joint.first.body, "j": joint.second.body}

        def quantity(name: str, when: float) -> float:
            axes = {n: self.turned(bodies[n[-1]], v, when, 0) for n, v in local.items()}
            if name == "angle":
                return math.atan2(axes["x_j"] @ axes["y_i"], axes["x_j"] @ axes["x_i"])
            ports = [self.point(p.body, self.blueprint.port(p).at, when, 0) for p in (joint.first, joint.second)]
            return float((ports[1] - ports[0]) @ axes["x_i" if self.blueprint.dim == 2 else "z_i"])

        if channel != "speed":
            return quantity(channel, time)
        name = "displacement" if joint.type == "prismatic" else "angle"
        return slope(lambda when: quantity(name, when), time)

    def __call__(self, f: Formula, time: float = 0.0, **local: float) -> float:
        """The value of a formula; `along=` and `rate=` as inside an effort."""
        return f(time, lambda key: local[key] if key in local else self.value(key, time))


STEP = 1e-4


def slope(function: Any, x: float) -> float:
    """Derivative by central differences of fourth order: truncation h^4, rounding eps/h, so about 1e-11."""
    h = STEP
    return (8.0 * (function(x + h) - function(x - h)) - (function(x + 2 * h) - function(x - 2 * h))) / (12.0 * h)
