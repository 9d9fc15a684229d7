"""Kinematics: a Solution whose motion the drivers decide, and what is special about it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..library.geometry import split_joint
from ..mechanism.equality import equal_by
from ..mechanism.names import counted
from ..mechanism.parts import Joint, PortName
from .solution import Solution

ANGLE = "angle"
SHOWN = 4  # places that a summary lists before it goes on with dots


def _ports(joint: Joint) -> tuple[PortName, PortName]:
    return joint.first, joint.second


@dataclass(frozen=True)
class Drive:
    """What is driven through a range: the motion's name, its joint and coordinate, from where to where, how fast."""

    name: str
    joint: str
    quantity: str
    start: float  # rad or m
    end: float
    speed: float  # rad/s or m/s, positive
    origin: str = "given"  # of the speed: `given`, the name of the motion that has it, or nothing

    @property
    def channel(self) -> str:
        return f"{self.joint}.{self.quantity}"

    @property
    def rate(self) -> float:
        """The speed with its sign."""
        return math.copysign(self.speed, self.end - self.start)

    @property
    def pace(self) -> str:
        """The speed, and whose it is."""
        speed = f"{self.speed:.6g} m/s"
        if self.quantity == ANGLE:
            speed = f"{self.speed:.6g} rad/s ({self.speed * 30 / math.pi:.6g} rpm)"
        if not self.origin:
            return f"at {speed}: no speed is given, and velocities and loads are for this one"
        return f"at {speed}" + ("" if self.origin == "given" else f", the speed of motion '{self.origin}'")

    def value(self, t: float) -> float:
        return self.start + self.rate * t

    def shown(self, value: float) -> str:
        """For people: degrees or metres, without the dust of rounding."""
        return f"{round(math.degrees(value), 9):.9g} deg" if self.quantity == ANGLE else f"{round(value, 12):.9g} m"


@dataclass(frozen=True)
class Limit:
    """A limit of travel: the drivers cannot pass it. `state` is the pose there, by body, at rest."""

    t: float
    value: float | None  # of the driver, rad or m
    state: dict[str, Any]


@dataclass(frozen=True)
class ChangePoint:
    """A position from which the mechanism could go on in two ways; it went straight on."""

    t: float
    value: float | None


@dataclass(frozen=True)
class DeadPoint:
    """A joint's angle or displacement that stops and turns back while the driver goes on: a dead centre, a toggle."""

    channel: str
    t: float
    value: float | None  # of the driver
    at: float  # the angle or displacement itself


@equal_by("blueprint", "choices", "t", "samples", "outputs", "status", "metadata")
class Kinematics(Solution):
    """Positions, velocities, accelerations and what it takes to move so, at all samples.

    `driver` is what was driven through a range, None where the mechanism's own motions ran through time. `limits`,
    `change_points` and `dead_points` are the special positions met. Everything else is as in a Solution.
    """

    driver: Drive | None = None
    limits: tuple[Limit, ...] = ()
    change_points: tuple[ChangePoint, ...] = ()
    dead_points: tuple[DeadPoint, ...] = ()

    @property
    def main_axis(self) -> str:
        return "t" if self.driver is None else self.driver.channel

    def special(self) -> list[str]:
        """The special positions in words."""
        lines = [f"limit of travel at {self.place(x.t, x.value)}" for x in self.limits]
        lines += [f"change point at {self.place(x.t, x.value)}: two ways to go on" for x in self.change_points]
        by_channel: dict[str, list[DeadPoint]] = {}
        for dead in self.dead_points:
            by_channel.setdefault(dead.channel, []).append(dead)
        for channel, found in by_channel.items():
            places = ", ".join(self.place(x.t, x.value) for x in found[:SHOWN])
            more = ", ..." if len(found) > SHOWN else ""
            lines.append(f"dead points of {channel} at {places}{more}")
        return lines

    def place(self, t: float, value: float | None) -> str:
        """Where something is: by the driver, else by time."""
        if self.driver is None or value is None:
            return f"t = {t:.9g} s"
        return f"{self.driver.channel} = {self.driver.shown(value)}"

    def transmission(self) -> list[str]:
        """Extremes of the transmission angles, in words."""
        found = []
        driven = [split_joint(motion.values.get("joint") or "", self.joints)[0] for motion in self.blueprint.motions]
        ports = [port for name in driven if name in self.joints for port in _ports(self.joints[name])]
        cranks = {port.body for port in ports}
        for name in self.channels:
            joint = self.joints.get(name.rpartition(".")[0])
            if name.endswith(".transmission") and joint and not cranks & {port.body for port in _ports(joint)}:
                low, high = np.degrees(np.min(self[name])), np.degrees(np.max(self[name]))
                found.append(f"{name.rpartition('.')[0]} {low:.4g} to {high:.4g} deg")
        return found

    def summary(self) -> str:
        """A few lines a person likes to read."""
        blueprint, d = self.blueprint, self.driver
        bodies, joints = counted(self.model.bodies, "body", "bodies"), counted(len(blueprint.joints), "joint")
        driven = f"{len(blueprint.motions)} motions" if len(blueprint.motions) != 1 else blueprint.motions[0].name
        if d is not None:
            driven = f"{d.channel} from {d.shown(d.start)} to {d.shown(d.end)} {d.pace}"
        rows = [
            ("mechanism", f"{self.name}: {bodies}, {joints}"),
            ("driven", driven),
            ("time", f"{self.t[0]:g} to {self.t[-1]:g} s, {len(self.t)} samples"),
            ("joints", f"closed to {np.max(self.violation.position, initial=0.0):.2g}"),
            *(("transmits", words) for words in self.transmission()),
            *(("special", words) for words in self.special()),
            ("status", str(self.status)),
        ]
        return "\n".join(f"{key:>10}  {text}" for key, text in rows)

    @property
    def metadata(self) -> dict[str, Any]:
        kept = super().metadata
        for key in ("integrator", "rtol", "atol", "max_step", "recipe"):
            kept.pop(key, None)
        kept["analysis"] = "kinematics"
        kept["special"] = self.special()
        if self.driver is not None:
            kept["driver"] = self.driver.channel
        return kept

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Kinematics of {self.name}: {len(self.t)} samples; {self.status.sentence}>"
