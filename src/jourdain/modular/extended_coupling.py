"""`extended`: multipliers linear over the macro step, such that gaps and their rates vanish at its end.

After Schweizer and Lu. With lam = a + b tau/H the end of a step changes by C' -= K (a + b/2) H, C -= K (a/2 + b/6) H^2
to first order, K = J Y J^T where the step begins. So a correction is

    u = K^-1 C'/H,  v = K^-1 C/H^2,   a += 6 v - 2 u,   b += 6 u - 12 v

and of rows that hold velocities alone, b stays as it was. Corrections are combined by Broyden's method, which costs no
run of the boxes (Kelley, Iterative Methods for Linear and Nonlinear Equations, 1995, section 7.3).
"""

from __future__ import annotations

from dataclasses import dataclass
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
QUARTER = 0.25  # of a step
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
        marks = network.marks()
        a, b = self._predicted(point, H)
        end = guessed(point.motion, H)
        broyden = Broyden(_factor(network, point, H), network.interface.velocity)
        history: list[float] = []
        worst, exerts, last = 0, network.interface.exerts, None
        try:
            for k in range(self.most):
                way = path(network, point, end, H, a, b)
                settled = not exerts or (last is not None and self._same(way.wrenches, last))
                last = way.wrenches
                if k:
                    network.back(marks)
                end = network.advanced(H, way.wrenches)
                joints = network.joints(point.t + H, end, point.z + H * way.z_rate, matrix=False)
                position = np.where(network.interface.velocity, 0.0, joints.C)
                residual, worst = _residual(position, joints.rate, H)
                history.append(residual)
                if settled and residual <= self._limit(point, end.position, end.velocity, H):
                    return self._done(network, point, way, H, end, a, b, history)
                best = int(np.argmin(history))
                if not np.isfinite(residual) or (k - best >= MISSES and residual > 0.0):
                    break
                if residual > 0.0:
                    da, db = broyden.correction(joints.rate / H, position / H**2)
                    a, b = a + da, b + db
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

    def _predicted(self, point: Point, H: float) -> tuple[Array, Array]:
        """Multipliers go on as they did, as far as they do anything.

        Of a parabola lam + d1 s + d2 s^2 the line that moves the boxes alike has a = lam - d2/6, b = d1 + d2.
        """
        past = [(t, lam) for t, lam in point.past if lam.shape == point.lam.shape]
        if not past:
            return point.lam.copy(), np.zeros_like(point.lam)
        slope = (point.lam - past[0][1]) * (H / max(point.t - past[0][0], 1e-300))
        a, b = point.lam, slope
        if len(past) > 1:
            earlier = (past[0][1] - past[1][1]) * (H / max(past[0][0] - past[1][0], 1e-300))
            bend = (slope - earlier) * (H / max(point.t - past[1][0], 1e-300))
            a, b = point.lam - bend / 6.0, slope + bend * ((point.t - past[0][0]) / H + 1.0)
        return point.factor.within(a), point.factor.within(b)

    def _same(self, wrenches: Array, last: Array) -> bool:
        """Whether forces of springs and their like, which go by where the ports are, no longer change."""
        change = float(np.max(np.abs(wrenches - last), initial=0.0))
        return change <= self.tolerance * max(float(np.max(np.abs(wrenches), initial=0.0)), 1e-9)

    def _limit(self, point: Point, position: Array, velocity: Array, H: float) -> float:
        reach, speed = float(np.max(np.abs(position), initial=1.0)), float(np.max(np.abs(velocity), initial=0.0))
        return max(self.tolerance * point.scale, ROUNDING * (reach / H**2 + speed / H))

    def _done(
        self,
        network: Network,
        point: Point,
        way: Path,
        H: float,
        end: PortMotion,
        a: Array,
        b: Array,
        history: list[float],
    ) -> Step:
        way = way.measured_on(path(network, point, end, H, a, b, measured=True))
        found = landed(network, point, way, H, end, a + b, (0.0, 0.0))
        error = _error(point, found, a, b, H)
        if not network.interface.constant:
            error += _between(network, point, way.wrenches, end, H, a, b)
        return Step(found, len(history), history[-1], error, history)


def _error(point: Point, found: Point, a: Array, b: Array, H: float) -> float:
    """What the bend of lam over the step, which a + b s has not, does to positions.

    Reactions at both ends are known better than a and a + b are: the difference is the bend. Its double integral over
    the step vanishes with C, so what is left is a part of it, which falls with the turning of directions over H.
    """
    bend = 0.5 * np.abs((found.lam - (a + b)) + (point.lam - a))
    size = np.abs(found.lam) + np.abs(point.lam)
    share = float(np.max(bend, initial=0.0)) / max(float(np.max(size, initial=0.0)), 1e-300)
    return share * share * point.scale * H * H


def _between(network: Network, point: Point, wrenches: Array, end: PortMotion, H: float, a: Array, b: Array) -> float:
    """What parabolas through the wrenches at three times do to positions, judged by a fourth time.

    The rest at s is that of a third derivative D, D s (s - 1/2) (s - 1) / 6: at 1/4 it is D/128, and its double
    integral over the step is D/720.
    """
    motion, t = network.between(point.motion, end, H, QUARTER), point.t + QUARTER * H
    lam = a + QUARTER * b
    joints = network.joints(t, motion, point.z)
    there = network.wrenches(joints.J, lam)
    if network.interface.exerts:
        there = there + network.applied(t, motion, point.z, lam)[0].reshape(there.shape)
    rest = there - np.tensordot(QUARTER ** np.arange(len(wrenches)), wrenches, axes=1)
    moved = network.algebra.moved(point.Y, rest.ravel())
    return float(np.max(np.abs(moved), initial=0.0)) * (128 / 720) * H * H


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
    """Corrections of a and b, each with what the ones before showed of the true Jacobian."""

    def __init__(self, factor: Factor, velocity: npt.NDArray[np.bool_]) -> None:
        self._factor, self._velocity = factor, velocity
        self._mixed = bool(np.any(velocity)) and not bool(np.all(velocity))
        self._steps: list[Array] = []
        self._scale = np.tile(1.0 / np.maximum(factor.weights, 1e-300), 2)

    def correction(self, u_rows: Array, v_rows: Array) -> tuple[Array, Array]:
        """From C'/H and C/H^2 at the end of the step."""
        step = self._first(u_rows, v_rows) * self._scale
        if self._steps:
            for one, two in zip(self._steps[:-1], self._steps[1:], strict=True):
                step = step + two * (one @ step) / (one @ one)
            last = self._steps[-1]
            rest = 1.0 - (last @ step) / (last @ last)
            step = step / rest if abs(rest) > 1e-3 else step
        self._steps.append(step)
        n = step.size // 2
        step = step / self._scale
        return step[:n], step[n:]

    def _first(self, u_rows: Array, v_rows: Array) -> Array:
        solve = self._factor.solve
        u = solve(u_rows)
        if not np.any(self._velocity):
            v = solve(v_rows)
            return np.concatenate([6.0 * v - 2.0 * u, 6.0 * u - 12.0 * v])
        if not self._mixed:
            return np.concatenate([u, np.zeros_like(u)])
        return self._factor.mixed(u_rows, v_rows, self._velocity)
