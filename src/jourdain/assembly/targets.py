"""Channels that assembly can set: positions, angles and velocities by name, each with its value and its gradient.

Everything is written for the default coordinates, whose velocities are those of the mass centre and the spin of each
body in fixed axes. A velocity channel is the rate of a position channel, so that one gradient serves both:
`crank.spin` is the gradient of `crank.angle` times the velocities.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..files.unit_formulas import Faulty, expression
from ..files.units import fits, name_of, unit
from ..library.joints import DISPLACEMENT, Pair, kind_of
from ..mechanism.errors import MechanismError
from ..mechanism.names import nearest
from ..mechanism.parts import GROUND, Blueprint, Joint, PortName, SpringDamper
from ..mechanism.port_axes import joint_axes
from ..model.flat import FlatModel
from ..model.states import body_poses

Array = npt.NDArray[np.float64]

POSITION, VELOCITY = 0, 1
UNITS = {"angle": ("rad", "rad/s"), "length": ("m", "m/s")}
SHOWN_IN_DEGREES = 180.0 / math.pi


def tidy(value: float) -> str:
    """Six digits; what is only rounding is zero."""
    return f"{0.0 if abs(value) < 1e-11 else value:.6g}"


class View:
    """Where every body is at a state y of a model in default coordinates."""

    def __init__(self, model: FlatModel, y: Array) -> None:
        self.model = model
        self.centre, self.frame, self.attitude = body_poses(model, y)
        self.v = y[model.layout.v]
        self._index = {body.name: k for k, body in enumerate(model.blueprint.bodies)}

    @cached_property
    def dim(self) -> int:
        return self.model.blueprint.dim

    def slot(self, body: str) -> slice:
        """Where the body's velocity and spin stand among the velocities."""
        return self.model.layout.moves_of[self._index[body]]

    def mass_centre(self, body: str) -> Array:
        return np.asarray(self.centre[self._index[body]])

    def angle(self, body: str) -> float:
        """In the plane."""
        return float(self.attitude[self._index[body]])

    def arm(self, body: str, at: Any) -> Array:
        """From the mass centre to a point given in body axes from the origin; fixed axes."""
        k = self._index[body]
        return self.frame[k] @ (np.asarray(at, dtype=float) - self.model.body_data[k].centre)

    def place(self, body: str, at: Any) -> Array:
        if body == GROUND:
            return np.asarray(at, dtype=float)
        return self.centre[self._index[body]] + self.arm(body, at)

    def direction(self, body: str, axis: Array) -> Array:
        return axis if body == GROUND else self.frame[self._index[body]] @ axis

    def port(self, port: PortName) -> Array:
        return self.place(port.body, self.model.blueprint.port(port).at)

    def rate_along(self, body: str, at: Any, u: Array, row: Array) -> None:
        """Add to `row` the gradient of a point's velocity along u."""
        if body == GROUND:
            return
        r = self.arm(body, at)
        row[self.slot(body)][: self.dim] += u
        self.spin_about(body, np.array([r[0] * u[1] - r[1] * u[0]]) if self.dim == 2 else np.cross(r, u), row)

    def spin_about(self, body: str, axis: Array, row: Array) -> None:
        """Add to `row` the gradient of a body's spin about an axis (one number in the plane)."""
        if body != GROUND:
            row[self.slot(body)][self.dim :] += axis


Measure = Callable[[View], tuple[float, Array]]


@dataclass(frozen=True)
class Channel:
    """A quantity that assembly can set. `measure` gives the position quantity and its gradient."""

    name: str
    order: int  # POSITION or VELOCITY
    kind: str  # angle or length
    measure: Measure

    @property
    def unit(self) -> str:
        return UNITS[self.kind][self.order]

    def value(self, view: View) -> float:
        position, gradient = self.measure(view)
        return position if self.order == POSITION else float(gradient @ view.v)

    def short_of(self, found: float, wanted: float) -> float:
        """found - wanted; whole turns of an angle do not count."""
        if self.kind == "angle" and self.order == POSITION:
            return float(math.remainder(found - wanted, 2 * math.pi))
        return found - wanted

    def shown(self, value: float) -> str:
        """A value in words: angles in degrees, everything else in SI."""
        if self.kind == "angle" and self.order == POSITION:
            return f"{tidy(value * SHOWN_IN_DEGREES)} deg"
        return f"{tidy(value)} {self.unit}"


@dataclass(frozen=True)
class Target:
    """A channel, what it should be, and how much that matters."""

    channel: Channel
    wanted: float
    must: bool

    @property
    def name(self) -> str:
        return self.channel.name

    def __str__(self) -> str:
        return f"{self.name} = {self.channel.shown(self.wanted)}"


def read_targets(blueprint: Blueprint, must: Mapping[str, Any] | None, about: Mapping[str, Any] | None) -> list[Target]:
    """Targets by channel name; values are numbers in SI and radians, or texts with units. All faults at once."""
    faults: list[str] = []
    found = []
    for values, strict in ((must or {}, True), (about or {}, False)):
        for name, value in values.items():
            channel = channel_of(blueprint, name, faults)
            if channel is None:
                continue
            if not strict and must and name in must:
                faults.append(f"target '{name}' is both a must and a wish; give it once")
                continue
            number = read_value(blueprint, channel, value, faults)
            if number is not None:
                found.append(Target(channel, number, strict))
    if faults:
        raise MechanismError(blueprint.name, faults)
    return found


def read_value(blueprint: Blueprint, channel: Channel, value: Any, faults: list[str]) -> float | None:
    where = f"target '{channel.name}'"
    expected = f"a number in {channel.unit}, or a text with a unit such as '{_EXAMPLES[channel.unit]}'"
    number: float | None = None
    if isinstance(value, str):
        try:
            read = expression(value, dict.fromkeys(blueprint.parameters))
            dimension = unit(channel.unit).dimension
            if read.dimension is not None and not fits(read.dimension, dimension):
                faults.append(f"{where}: '{value}' is {name_of(read.dimension)}; expected {name_of(dimension)}")
                return None
            unknown = [name for name in read.formula.quantities() if name not in blueprint.parameters]
            if unknown:
                faults.append(
                    f"{where}: '{value}': there is no parameter '{unknown[0]}'; "
                    f"{nearest(str(unknown[0]), blueprint.parameters)}"
                )
                return None
            number = float(read.formula(0.0, blueprint.parameters.__getitem__))
        except Faulty as error:
            faults.append(f"{where}: '{value}': {error}")
            return None
        except (ArithmeticError, ValueError) as error:
            faults.append(f"{where}: '{value}' has no value ({error}); expected {expected}")
            return None
    elif not isinstance(value, bool) and isinstance(value, int | float | np.number):
        number = float(value)
    if number is None or not math.isfinite(number):
        faults.append(f"{where} is {value!r}; expected {expected}")
        return None
    return number


_EXAMPLES = {"rad": "30 deg", "rad/s": "1500 rpm", "m": "20 mm", "m/s": "0.5 m/s"}


# Channels by name -----------------------------------------------------------------------------------------------------


def channel_of(blueprint: Blueprint, name: Any, faults: list[str]) -> Channel | None:
    """The channel of that name; without one, a fault that names the nearest."""
    known = all_channels(blueprint)
    if name in known:
        return known[name]
    words = f"there is no channel '{name}' that assembly can set; {nearest(str(name), known)}"
    owner, _, rest = str(name).partition(".")
    if rest in ("qw", "qx", "qy", "qz"):
        words = f"'{name}': a quaternion cannot be a target; use the angle of a joint or the coordinates of points"
    elif rest in ("fx", "fy", "fz", "mx", "my", "mz") or owner in ("energy", "violation"):
        words = f"'{name}' is no position and no velocity; only these can be targets of assembly"
    elif rest.rpartition(".")[2] in ("ax", "ay", "az") or rest.endswith("_rate"):
        words = f"'{name}' is an acceleration; only positions and velocities can be targets of assembly"
    faults.append(words)
    return None


def all_channels(blueprint: Blueprint) -> dict[str, Channel]:
    """Every channel that assembly can set, by name."""
    found: dict[str, Channel] = {}

    def add(name: str, rate: str, kind: str, measure: Measure) -> None:
        if name:
            found[name] = Channel(name, POSITION, kind, measure)
        if rate:
            found[rate] = Channel(rate, VELOCITY, kind, measure)

    axes = "xyz"[: blueprint.dim]
    for body in blueprint.bodies:
        for k, a in enumerate(axes):
            origin = _coordinate(body.name, (0.0,) * blueprint.dim, k)
            add(f"{body.name}.{a}", f"{body.name}.v{a}", "length", origin)
            for point, port in body.ports.items():
                measure = _coordinate(body.name, port.at, k)
                add(f"{body.name}.{point}.{a}", f"{body.name}.{point}.v{a}", "length", measure)
            if blueprint.dim == 3:
                add("", f"{body.name}.w{a}", "angle", _spin(body.name, np.eye(3)[k]))
        if blueprint.dim == 2:
            add(f"{body.name}.angle", f"{body.name}.spin", "angle", _attitude(body.name))
    for joint in blueprint.joints:
        kind = kind_of(joint)
        if kind.turns if blueprint.dim == 3 else kind.pair not in (Pair.SLIDE, Pair.ROD):
            add(f"{joint.name}.angle", f"{joint.name}.speed", "angle", _joint_angle(blueprint, joint))
        if kind.slides:
            rate = f"{joint.name}.speed" if kind.speed == DISPLACEMENT else ""
            add(f"{joint.name}.displacement", rate, "length", _displacement(blueprint, joint))
    for force in blueprint.forces:
        if isinstance(force, SpringDamper):
            add(f"{force.name}.length", "", "length", _distance(force.first, force.second))
    return found


def _coordinate(body: str, at: Any, k: int) -> Measure:
    def measure(view: View) -> tuple[float, Array]:
        row = np.zeros(view.v.size)
        view.rate_along(body, at, np.eye(view.dim)[k], row)
        return float(view.place(body, at)[k]), row

    return measure


def _attitude(body: str) -> Measure:
    def measure(view: View) -> tuple[float, Array]:
        row = np.zeros(view.v.size)
        view.spin_about(body, np.ones(1), row)
        return view.angle(body), row

    return measure


def _spin(body: str, axis: Array) -> Measure:
    def measure(view: View) -> tuple[float, Array]:
        row = np.zeros(view.v.size)
        view.spin_about(body, axis, row)
        return 0.0, row

    return measure


def _joint_angle(blueprint: Blueprint, joint: Joint) -> Measure:
    axes = joint_axes(blueprint, joint)

    def measure(view: View) -> tuple[float, Array]:
        x_j = view.direction(joint.second.body, axes["x_j"])
        x_i, y_i = (view.direction(joint.first.body, axes[a]) for a in ("x_i", "y_i"))
        z_i = np.ones(1) if view.dim == 2 else view.direction(joint.first.body, axes["z_i"])
        row = np.zeros(view.v.size)
        view.spin_about(joint.second.body, z_i, row)
        view.spin_about(joint.first.body, -z_i, row)
        return math.atan2(x_j @ y_i, x_j @ x_i), row

    return measure


def _displacement(blueprint: Blueprint, joint: Joint) -> Measure:
    axis = joint_axes(blueprint, joint)["x_i" if blueprint.dim == 2 else "z_i"]
    ends = [(port.body, blueprint.port(port).at) for port in (joint.first, joint.second)]

    def measure(view: View) -> tuple[float, Array]:
        u = view.direction(joint.first.body, axis)
        M, N = (view.place(*end) for end in ends)
        row = np.zeros(view.v.size)
        view.rate_along(*ends[1], u, row)
        view.rate_along(*ends[0], -u, row)
        d = N - M
        turn = np.array([u[0] * d[1] - u[1] * d[0]]) if view.dim == 2 else np.cross(u, d)
        view.spin_about(joint.first.body, turn, row)
        return float(d @ u), row

    return measure


def _distance(first: PortName, second: PortName) -> Measure:
    def measure(view: View) -> tuple[float, Array]:
        d = view.port(second) - view.port(first)
        length = float(np.linalg.norm(d))
        u = d / length if length > 0 else np.eye(view.dim)[0]
        row = np.zeros(view.v.size)
        view.rate_along(second.body, view.model.blueprint.port(second).at, u, row)
        view.rate_along(first.body, view.model.blueprint.port(first).at, -u, row)
        return length, row

    return measure
