"""What all couplings have in common: where a run stands at a macro point, and the wrenches over a macro step."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from .box import PortMotion
from .box_network import Joints, Network
from .factor import Factor

Array = npt.NDArray[np.float64]

# Lobatto's: what a cubic through values there leaves out has neither a mean nor a first moment, so that velocities and
# places at the end of a step do not see it.
NODES = (0.0, 0.5 - 0.5 / 5**0.5, 0.5 + 0.5 / 5**0.5, 1.0)
WEIGHTS = (1 / 12, 5 / 12, 5 / 12, 1 / 12)
CUBIC = np.linalg.inv(np.vander(NODES, increasing=True))  # its coefficients over powers of s


@dataclass
class Point:
    """A macro point: boxes stand there, and reactions are those of the accelerations there."""

    t: float
    motion: PortMotion
    z: Array  # works and turns of the joints
    lam: Array
    wrench: Array  # by port, under which the rates in `motion` are
    joints: Joints
    factor: Factor
    scale: float  # m/s2 or rad/s2: by which residuals are judged
    ended: Array  # by port: the wrench that the boxes themselves felt last
    Y: Array  # mobilities of all boxes, one behind the other
    before: tuple[float, Array] | None = None  # time and mobilities of the macro point before
    past: tuple[tuple[float, Array], ...] = ()  # times and multipliers of the macro points before, the last first
    work: float = 0.0  # J, of all wrenches on ports since the start
    made: float = 0.0  # J, made by the coupling since the start


@dataclass
class Step:
    """What became of a macro step."""

    point: Point
    rounds: int
    residual: float
    error: float  # m, or rad times the size, at its end: an estimate
    history: list[float] = field(default_factory=list)


class NoConvergenceError(Exception):
    """A macro step did not close its joints; boxes are to be restored."""

    def __init__(self, history: list[float], joint: str) -> None:
        super().__init__("no convergence")
        self.history, self.joint = history, joint


class Coupling:
    """A way to find the wrenches between boxes, by name."""

    name: ClassVar[str] = ""
    restores: ClassVar[bool] = True  # boxes must go back
    estimates: ClassVar[bool] = False  # errors of a step are those of places, and add up

    def step(self, network: Network, point: Point, H: float) -> Step:
        raise NotImplementedError

    def __str__(self) -> str:
        return self.name


def evaluated(
    network: Network,
    t: float,
    motion: PortMotion,
    z: Array,
    lam: Array,
    wrench: Array,
    gains: tuple[float, float],
    ended: Array | None = None,
) -> Point:
    """A macro point, its reactions found from accelerations: `motion` has the rates under `wrench`, of `lam`.

    With gains kv and kp, C'' + kv C' + kp C = 0 instead of C'' = 0. `ended` is the wrench that boxes felt last, if that
    is another.
    """
    joints = network.joints(t, motion, z)
    Y = network.mobility()
    factor = network.factor(joints.J, Y)
    algebra = network.algebra
    kv, kp = gains
    position = np.where(network.interface.velocity, 0.0, joints.C)
    rates, applied = network.rates(motion), np.zeros_like(wrench)
    new = wrench
    found = lam
    for _ in range(FEEDBACKS if network.interface.exerts else 1):
        wanted = algebra.times(joints.J, rates) - joints.gamma + kv * joints.rate + kp * position
        found = factor.within(found + factor.solve(wanted))
        if network.interface.exerts:
            network.joints(t, motion, z, matrix=False)
            applied = network.applied(t, motion, z, found)[0].reshape(wrench.shape)
        last, new = new, network.wrenches(joints.J, found) + applied
        rates = rates + algebra.moved(Y, (new - last).ravel())
        if np.max(np.abs(new - last), initial=0.0) <= SETTLED * np.max(np.abs(new), initial=0.0):
            break
    answer = algebra.answered(joints.J, Y, found)
    scale = max(float(np.max(np.abs(rates), initial=0.0)), float(np.max(np.abs(answer), initial=0.0)), TINY)
    felt = wrench if ended is None else ended
    return Point(t, network.with_rates(motion, rates), z, found, new, joints, factor, scale, felt, Y)


FEEDBACKS = 100  # rounds of forces that depend on reactions
SETTLED = 1e-13
TINY = 1e-9  # m/s2
PAST = 3  # macro points before, from which multipliers are foretold


@dataclass(frozen=True)
class Path:
    """Wrenches over a macro step as polynomials, and what they do between their joints."""

    wrenches: Array  # (degree + 1, port, component)
    z_rate: Array  # mean over the step
    work: float  # J, done on the boxes
    made: float  # J, by joints that are not closed between the macro points

    @property
    def at_end(self) -> Array:
        return np.asarray(np.sum(self.wrenches, axis=0))

    def measured_on(self, other: Path) -> Path:
        """The wrenches of this one, with works as they were on the way that the ports took."""
        return replace(other, wrenches=self.wrenches)


def path(network: Network, point: Point, end: PortMotion, H: float, lam: Array, measured: bool = False) -> Path:
    """Wrenches of multipliers (over powers of s) in a step that goes to `end`, and of all else between the ports.

    Directions that turn are taken where they are: along the way between both ends. Works are found if `measured`, else
    only where they cost nothing.
    """
    if network.interface.constant:
        polynomial = np.array([network.wrenches(point.joints.J, one) for one in lam])
        found = (
            _measured_pins(network, point, end, H, lam, polynomial) if measured else (np.zeros_like(point.z), 0.0, 0.0)
        )
        return Path(polynomial, *found)
    start, z, t = point.motion, point.z, point.t
    values, rates, work, made = [], [], 0.0, 0.0
    for s, weight in zip(NODES, WEIGHTS, strict=True):
        motion = start if s == 0.0 else end if s == 1.0 else network.between(start, end, H, s)
        now = t + s * H
        here = s ** np.arange(len(lam)) @ lam
        joints = network.joints(now, motion, z)
        wrench = network.wrenches(joints.J, here)
        if network.interface.exerts or measured:
            applied, rate = network.applied(now, motion, z, here)
            wrench = wrench + applied.reshape(wrench.shape)
            rate[network.interface.driven] += here @ joints.partial  # of motions; theory, eq. 12 (power)
            rates.append(weight * rate)
        values.append(wrench)
        work += weight * H * float(np.sum(wrench * network.speeds(motion)))
        made -= weight * H * float(here @ joints.rate)
    z_rate = np.sum(rates, axis=0) if rates else np.zeros_like(z)
    return Path(np.tensordot(CUBIC, np.array(values), axes=1), z_rate, work, made)


def _measured_pins(
    network: Network, point: Point, end: PortMotion, H: float, lam: Array, polynomial: Array
) -> tuple[Array, float, float]:
    """Rates of z, work and what joints make, where J never changes and nothing else acts: from speeds alone.

    All that is in z are turns, which are counted on where the step has landed (Interface.wind).
    """
    work = made = 0.0
    for s, weight in zip(NODES, WEIGHTS, strict=True):
        between = network.between(point.motion, end, H, s) if 0.0 < s < 1.0 else (end if s else point.motion)
        speeds, powers = network.speeds(between), s ** np.arange(len(lam))
        work += weight * H * float(np.tensordot(powers, polynomial, axes=1).ravel() @ speeds.ravel())
        made -= weight * H * float((powers @ lam) @ network.algebra.times(point.joints.J, speeds.ravel()))
    if not len(point.z):
        return np.zeros(0), work, made
    network.joints(point.t, point.motion, point.z, matrix=False)
    return network.applied(point.t, point.motion, point.z, point.lam)[1], work, made


def landed(network: Network, point: Point, way: Path, H: float, end: PortMotion, lam: Array, gains: Any) -> Point:
    """The macro point at the end of a step."""
    t = point.t + H
    z = point.z + H * way.z_rate
    network.motion = end
    if len(z):
        y = network.vector(end, z)
        network.interface.wind(t, y)
        z = y[network.interface.model.layout.z].copy()
    found = evaluated(network, t, end, z, lam, way.at_end, gains)
    found.work, found.made = point.work + way.work, point.made + way.made
    found.past = ((point.t, point.lam), *point.past[: PAST - 1])
    found.before = point.t, point.Y
    network.motion, network.t = found.motion, t
    return found
