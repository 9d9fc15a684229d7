"""Targets of assembly: positions and velocities by name (library/channels), each with its value and its gradient.

Everything is written for the default coordinates, whose velocities are those of the mass centre and the spin of each
body in fixed axes. The gradient of a position is its rate at unit velocities, and so is that of a velocity itself:
`crank.spin` has the gradient of `crank.angle`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..equations.unit_formulas import Faulty, expression
from ..library.channels import Channel, Channels
from ..library.channels.body import QUATERNIONS
from ..library.levels import AFTER, LEVELS
from ..library.levels import POSITION as POSITIONS
from ..library.levels import VELOCITY as VELOCITIES
from ..mechanism.names import nearest
from ..mechanism.parts import GROUND, Blueprint, Joint, PortName
from ..mechanism.rotations import swung
from ..mechanism.units import fits, name_of, unit
from ..model.flat import FlatModel
from ..model.states import body_poses

Array = npt.NDArray[np.float64]

POSITION, VELOCITY = 0, 1
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

    def spin_of(self, body: str) -> Array:
        return np.zeros(1 if self.dim == 2 else 3) if body == GROUND else self.v[self.slot(body)][self.dim :]

    def speed_of(self, body: str) -> Array:
        """Of the mass centre."""
        return np.zeros(self.dim) if body == GROUND else self.v[self.slot(body)][: self.dim]


class _Here:
    """Leaves of channels at the pose and the velocities of a view."""

    def __init__(self, view: View) -> None:
        self.view = view

    @property
    def dim(self) -> int:
        return self.view.dim

    def point(self, body: str, at: Any, order: int = 0) -> Array:
        if order == 0:
            return self.view.place(body, at)
        arm = np.zeros(self.dim) if body == GROUND else self.view.arm(body, at)
        return self.speed(body) + swung(self.spin(body), arm)

    def axis(self, body: str, local: Any, order: int = 0) -> Array:
        u = self.view.direction(body, np.asarray(local, dtype=float))
        return swung(self.spin(body), u) if order else u

    def spin(self, body: str, order: int = 0) -> Array:
        return self.view.spin_of(body)

    def speed(self, body: str) -> Array:
        return self.view.speed_of(body)

    def attitude(self, body: str) -> float:
        return 0.0 if body == GROUND else self.view.angle(body)

    def wound(self, joint: Joint, angle: float) -> float:
        return angle  # whole turns of targets do not count

    def wrench(self, joint: str, side: int) -> Any:
        raise NotImplementedError("a pose bears nothing")

    def kept(self, key: tuple[Any, ...]) -> Any:
        raise NotImplementedError("a pose reports nothing")


class _Unit(_Here):
    """The same at every unit velocity in turn: velocities are (unit velocity, component)."""

    def _rows(self, body: str, first: int, count: int) -> Array:
        found = np.zeros((self.view.v.size, count))
        if body != GROUND:
            start = self.view.slot(body).start + first
            found[start : start + count] = np.eye(count)
        return found

    def spin(self, body: str, order: int = 0) -> Array:
        return self._rows(body, self.dim, 1 if self.dim == 2 else 3)

    def speed(self, body: str) -> Array:
        return self._rows(body, 0, self.dim)


@dataclass(frozen=True)
class Settable:
    """A channel that assembly can set: a position or a velocity."""

    channel: Channel

    @property
    def name(self) -> str:
        return self.channel.name

    @property
    def order(self) -> int:
        return POSITION if self.channel.level == POSITIONS else VELOCITY

    @property
    def unit(self) -> str:
        return self.channel.quantity.unit

    @property
    def kind(self) -> str:
        return "angle" if self.channel.is_angle else "length"

    def value(self, view: View) -> float:
        return float(self.channel.over(_Here(view)))

    def gradient(self, view: View) -> Array:
        """By the velocities: of a position's rate, or of the velocity itself."""
        rates = self.channel.rates
        rate = self.channel.over if rates is None else rates.first
        return np.asarray(rate(_Unit(view)) + np.zeros(view.v.size))

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

    channel: Settable
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
        raise blueprint.refused(faults)
    return found


def read_value(blueprint: Blueprint, channel: Settable, value: Any, faults: list[str]) -> float | None:
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


def channel_of(blueprint: Blueprint, name: Any, faults: list[str]) -> Settable | None:
    """The channel of that name; without one, a fault that says why it cannot be set, or names the nearest."""
    found = Channels(blueprint).find(str(name))
    if found is not None and is_settable(found):
        return Settable(found)
    owner, rest = blueprint.owner_of(str(name))
    only = "only positions and velocities of bodies, points, joints and springs can be targets of assembly"
    if any(part.name == owner for part in blueprint.components):
        words = f"'{name}' is of a component; {only}"
    elif found is None:
        words = (
            f"there is no channel '{name}' that assembly can set; {nearest(str(name), settable_channels(blueprint))}"
        )
    elif rest in QUATERNIONS:
        words = f"'{name}': a quaternion cannot be a target; use the angle of a joint or the coordinates of points"
    elif found.level == AFTER:
        words = f"'{name}': {found.refused}"
    elif found.level in (POSITIONS, VELOCITIES):
        words = f"'{name}' is a {found.quantity.name}; {only}"
    else:
        words = f"'{name}' is {LEVELS[found.level][0]}; {only}"
    faults.append(words)
    return None


def is_settable(channel: Channel) -> bool:
    """Positions whose rate is known, and velocities; a pull of a spring may depend on a speed, but is none."""
    if channel.level == POSITIONS:
        return channel.rates is not None
    return channel.level == VELOCITIES and channel.quantity.unit in _EXAMPLES


def settable_channels(blueprint: Blueprint) -> dict[str, Settable]:
    """Every channel that assembly can set, by name."""
    return {channel.name: Settable(channel) for channel in Channels(blueprint) if is_settable(channel)}
