"""`extended`: multipliers over the macro step such that gaps and their rates vanish at its end.

After Schweizer and Lu. With lam = a + b s + c (6 s^2 - 6 s + 1), s = tau/H, the end of a step changes by
C' -= K (a + b/2) H, C -= K (a/2 + b/6) H^2 to first order, K = J Y J^T in the middle of the step; c changes neither. So
a correction is

    u = K^-1 C'/H,  v = K^-1 C/H^2,   a += 6 v - 2 u,   b += 6 u - 12 v

and of rows that hold velocities alone, b stays as it was. c is such that lam(0) + lam(1) is the sum of the reactions
that accelerations at both ends ask for: what a parabola leaves out of them has then neither mean nor first nor second
moment over the step, but for what directions turn in it. Lines alone (c = 0) are of order 4, parabolas of order 6;
where K is near losing rank, or they do not converge, lines do. Corrections are combined by Broyden's method, which
costs no run of the boxes (Kelley, Iterative Methods for Linear and Nonlinear Equations, 1995, section 7.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..mechanism.errors import ChoiceError, SimulationError
from .box import PortMotion
from .box_network import Network
from .factor import Factor
from .port_path import guessed
from .step import Coupling, NoConvergenceError, Path, Point, Step, landed, path

Array = npt.NDArray[np.float64]

ROUNDING = 4e-15  # of the reach of the ports: what C and C' cannot fall below
DIVERGES = 10.0  # times the least residual: from there on it is
HALF = 0.5  # of a step, where no node is
PUSHED = 0.2  # of H^2 times an acceleration: how far it moves while it acts for a part of a step
# From a, b and c to the powers of s of a + b s + c (6 s^2 - 6 s + 1).
POWERS = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, -6.0], [0.0, 0.0, 6.0]])
# From powers of s, the third among them, to a, b and c: what moves boxes alike (Legendre's polynomials).
LEGENDRE = np.array([[1.0, 0.0, -1 / 6, -1 / 5], [0.0, 1.0, 1.0, 9 / 10], [0.0, 0.0, 1 / 6, 1 / 4]])
MISSES = 6  # corrections without progress after which it is given up


@dataclass(frozen=True)
class Extended(Coupling):
    """Gaps and rates vanish at macro points. `tolerance` is of the accelerations there; `most` corrections a step."""

    name: ClassVar[str] = "extended"
    estimates: ClassVar[bool] = True

    tolerance: float = 1e-9
    most: int = 30

    def __post_init__(self) -> None:
        if not 1e-13 <= self.tolerance <= 1e-2:
            raise ChoiceError(f"tolerance is {self.tolerance!r}; expected 1e-13 to 1e-2")
        if self.most < 1:
            raise ChoiceError(f"most is {self.most!r}; expected at least 1")

    def step(self, network: Network, point: Point, H: float) -> Step:
        factor = _factor(network, point, H)
        if factor.regular:
            with suppress(NoConvergenceError):
                return self._step(network, point, H, factor, True)
        return self._step(network, point, H, factor, False)

    def _step(self, network: Network, point: Point, H: float, factor: Factor, bent: bool) -> Step:
        """Multipliers with the bend that accelerations at both ends ask for, or straight ones."""
        marks = network.marks()
        x = self._predicted(network, point, H, bent)
        end = guessed(point.motion, H)
        broyden = Broyden(factor, network.interface.velocity)
        history: list[float] = []
        limit = self._limit(point, H)
        worst, exerts, last = 0, network.interface.exerts, None
        try:
            for k in range(self.most):
                lam = POWERS[: len(x), : len(x)] @ x
                way = path(network, point, end, H, lam)
                settled = not exerts or (last is not None and self._same(way.wrenches, last))
                last = way.wrenches
                if k:
                    network.back(marks)
                end = network.advanced(H, way.wrenches)
                turning = bent and not network.interface.constant
                joints = network.joints(point.t + H, end, point.z + H * way.z_rate, matrix=turning)
                position = np.where(network.interface.velocity, 0.0, joints.C)
                residual, worst = _residual(position, joints.rate, H)
                history.append(residual)
                if settled and residual <= limit:
                    return self._done(network, point, way, H, end, lam, history)
                best = int(np.argmin(history))
                if not np.isfinite(residual) or (k - best >= MISSES and residual > 0.0):
                    break
                if residual > 0.0:
                    rows = [joints.rate / H, position / H**2]
                    if bent:
                        rates = network.algebra.times(joints.J if turning else point.joints.J, network.rates(end))
                        rows.append(0.5 * (rates - joints.gamma))
                    x = x + broyden.correction(rows, point.lam - lam[0])
        except SimulationError as error:
            network.back_if_possible(marks)
            if history and history[-1] > DIVERGES * min(history):  # forces that grew beyond what a box can bear
                raise NoConvergenceError(history, network.named(worst)) from error
            raise
        except Exception:
            network.back_if_possible(marks)
            raise
        network.back(marks)
        raise NoConvergenceError(history, network.named(worst))

    def _predicted(self, network: Network, point: Point, H: float, bent: bool) -> Array:
        """Multipliers go on as they did, as far as they do anything: a polynomial through the last macro points."""
        past = [(t, lam) for t, lam in point.past if lam.shape == point.lam.shape]
        s = np.array([0.0, *((t - point.t) / H for t, _ in past)])
        values = np.array([point.lam, *(lam for _, lam in past)])
        x = LEGENDRE[:, : len(s)] @ np.linalg.solve(np.vander(s, increasing=True), values)
        if bent:
            x[2, network.interface.velocity] = 0.0
            return np.asarray(x)
        return np.array([point.factor.within(one) for one in x[:2]])

    def _same(self, wrenches: Array, last: Array) -> bool:
        """Whether forces of springs and their like, which go by where the ports are, no longer change."""
        change = float(np.max(np.abs(wrenches - last), initial=0.0))
        return change <= self.tolerance * max(float(np.max(np.abs(wrenches), initial=0.0)), 1e-9)

    def _limit(self, point: Point, H: float) -> float:
        reach = float(np.max(np.abs(point.motion.position), initial=1.0))
        speed = float(np.max(np.abs(point.motion.velocity), initial=0.0)) + H * point.scale
        return max(self.tolerance * point.scale, ROUNDING * (reach / H**2 + speed / H))

    def _done(
        self, network: Network, point: Point, way: Path, H: float, end: PortMotion, lam: Array, history: list[float]
    ) -> Step:
        way = way.measured_on(path(network, point, end, H, lam, measured=True))
        found = landed(network, point, way, H, end, np.sum(lam, axis=0), (0.0, 0.0))
        error = _error(point, found, lam, H)
        if not network.interface.constant:
            error += _between(network, point, way.wrenches, end, H, lam)
        return Step(found, len(history), history[-1], error, history)


def _error(point: Point, found: Point, lam: Array, H: float) -> float:
    """What the polynomial of the multipliers leaves out does to positions.

    Reactions at both ends are known better than those of the polynomial: the difference is what it leaves out. Its
    double integral over the step vanishes with C, so what is left is a part of it, which falls with the turning of
    directions over H; multipliers bend about as much as these turn. In the steps that matter, of falling four-bars and
    slider-cranks at macro steps from fine to far too long, that is 1 to 4 times the error.
    """
    largest = max(float(np.max(np.abs(found.lam) + np.abs(point.lam), initial=0.0)), 1e-300)
    out = 0.5 * (np.abs(found.lam - np.sum(lam, axis=0)) + np.abs(point.lam - lam[0]))
    share = float(np.max(out, initial=0.0)) / largest
    bend = float(np.max(np.abs(lam[2]), initial=0.0)) / (6.0 * largest) if len(lam) > 2 else 0.0
    return share * max(share, bend) * point.scale * H * H


def _between(network: Network, point: Point, wrenches: Array, end: PortMotion, H: float, lam: Array) -> float:
    """What cubics through the wrenches at four times leave out, judged by a fifth time, and what that does to places.

    Were it a fourth power of time alone, it would do nothing: NODES are such. It counts as if all of it pushed one way.
    """
    motion, t = network.between(point.motion, end, H, HALF), point.t + HALF * H
    here = HALF ** np.arange(len(lam)) @ lam
    joints = network.joints(t, motion, point.z)
    there = network.wrenches(joints.J, here)
    if network.interface.exerts:
        there = there + network.applied(t, motion, point.z, here)[0].reshape(there.shape)
    rest = there - np.tensordot(HALF ** np.arange(len(wrenches)), wrenches, axes=1)
    moved = network.algebra.moved(point.Y, rest.ravel())
    return float(np.max(np.abs(moved), initial=0.0)) * PUSHED * H * H


def _residual(C: Array, rate: Array, H: float) -> tuple[float, int]:
    """max(C/H^2, C'/H), and its row."""
    both = np.maximum(np.abs(C) / H**2, np.abs(rate) / H)
    if not both.size:
        return 0.0, 0
    worst = int(np.argmax(both))
    return float(both[worst]), worst


def _factor(network: Network, point: Point, H: float) -> Factor:
    """K of the middle of the step to come, as mobilities went on so far; that of its beginning where K is not regular.

    With that of the beginning, corrections shrink the residual by what boxes turn in a step; so, by its square.
    """
    if point.before is None or not point.factor.regular:
        return point.factor
    t, Y = point.before
    if Y.shape != point.Y.shape or not point.t > t:
        return point.factor
    ahead = network.factor(point.joints.J, point.Y + (0.5 * H / (point.t - t)) * (point.Y - Y))
    return ahead if ahead.regular else point.factor


class Broyden:
    """Corrections of a, b and c, each with what the ones before showed of the true Jacobian."""

    def __init__(self, factor: Factor, velocity: npt.NDArray[np.bool_]) -> None:
        self._factor, self._velocity = factor, velocity
        self._any, self._all = bool(np.any(velocity)), bool(np.all(velocity))
        self._steps: list[Array] = []

    def correction(self, rows: Sequence[Array], missing: Array) -> Array:
        """From C'/H and C/H^2 at the end of the step, and, where there is a c, from C''/2 and what p(0) misses."""
        scale = 1.0 / np.maximum(self._factor.weights, 1e-300)
        step = (self._first(rows, missing) * scale).ravel()
        if not np.any(step):  # nothing that multipliers can do
            return np.zeros((len(rows), len(scale)))
        if self._steps:
            for one, two in pairwise(self._steps):
                step = step + two * (one @ step) / (one @ one)
            last = self._steps[-1]
            rest = 1.0 - (last @ step) / (last @ last)
            step = step / rest if abs(rest) > 1e-3 else step
        self._steps.append(step)
        return np.asarray(step.reshape(len(rows), -1) / scale)

    def _first(self, rows: Sequence[Array], missing: Array) -> Array:
        solve = self._factor.solve
        if not self._any:
            u, v = solve(rows[0]), solve(rows[1])
            found = [6.0 * v - 2.0 * u, 6.0 * u - 12.0 * v]
        elif self._all:
            u = solve(rows[0])
            found = [u, np.zeros_like(u)]
        else:
            found = list(self._factor.mixed(rows[0], rows[1], self._velocity).reshape(2, -1))
        if len(rows) > 2:
            bend = solve(rows[2]) + 0.5 * missing - found[0] - 0.5 * found[1]
            found.append(np.where(self._velocity, 0.0, bend))
        return np.array(found)
