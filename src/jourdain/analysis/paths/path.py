"""The path of a driven mechanism: from one time to another by prediction and correction, on the branch it is on.

Between two points of a path the step is short enough that the predicted velocity holds, and the determinant of the
constraints keeps its sign: the other branch of a loop has the other sign, and lies nearer than any prediction error
would tell where the two almost touch. Where steps would have to become shorter than any that mean something, the
position is singular, and `turning.py` finds out whether it is a limit of travel or a change point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...engine.pose import Pose
from ...engine.workspace import Workspace
from ...kernels.layout.returned import OK

Array = npt.NDArray[np.float64]

# What a step may miss: velocities, and places, both relative to the step. The first decides the length of steps.
VELOCITY_MISS = 0.1
PLACE_MISS = 0.1
LONGEST = 0.3  # of the mechanism's size, and radians
# Relative to the size: branches that are nearer to each other cannot be told apart. Lengths rounded to 1e-16 of the
# size open a change point by 1e-8 of it.
SHORTEST = 1e-6
LANDED = 1.5  # the determinant fell by e^1.5 in one step: that is no point beside a singular one, but the very point
FALLEN = 5.0  # by e^5 on the way: one is there
WORSE = 3.0  # rows are chosen anew when their determinant has fallen by e^3
GROWTH = 2.0
KEPT = 400  # points of the way that are remembered


@dataclass(frozen=True)
class PathPoint:
    """A point of the path: state y, rates of y, and the determinant of the chosen rows (sign, logarithm)."""

    t: float
    y: Array
    rates: Array
    sign: float
    log: float


@dataclass(frozen=True)
class Window:
    """A change point between two nodes, whose path goes straight through."""

    entry: PathPoint
    exit: PathPoint
    t: float

    def covers(self, t: float) -> bool:
        low, high = sorted((self.entry.t, self.exit.t))
        return low < t < high


QUATERNION_POSE = 7  # coordinates of a body whose attitude is a quaternion


class PathEndError(Exception):
    """The path cannot be followed any further: at a limit of travel (`limit`), or for a reason in words."""

    def __init__(self, words: str, t: float, y: Array, limit: bool = False) -> None:
        super().__init__(words)
        self.t = t
        self.y = y
        self.limit = limit


class Path:
    """Marches through times. `through_singular` is asked where steps become too short (see turning.py)."""

    def __init__(
        self, workspace: Workspace, idle: int, through_singular: Callable[[Path, list[PathPoint], float], Window]
    ) -> None:
        self.workspace = workspace
        self.model = workspace.model
        self.pose = Pose(self.model, workspace)
        self.idle = idle
        self.windows: list[Window] = []
        self.trail: list[PathPoint] = []  # all nodes, in order
        self.trials = 0
        self.rejected = 0
        self._through_singular = through_singular
        m = self.model
        self.scales = self.pose.scales()
        self._v_scale = 1.0 / self.scales
        self._q_scale = self._coordinate_scales()
        self.chosen_rows = np.arange(len(m.rows))
        self._best = -np.inf
        self.idle_basis = np.zeros((0, m.nv))
        self._still = np.zeros(m.nv)

    def _coordinate_scales(self) -> Array:
        """Of coordinates, metres each: as of their rates; quaternions are half an angle, and charts are no place."""
        at, size = self.model.layout, self.model.size
        found = np.zeros(at.q.stop)
        for q_of, moves in zip(at.q_of, at.moves_of, strict=True):
            width = q_of.stop - q_of.start
            if self.model.set.twists and width == QUATERNION_POSE:
                found[q_of] = [1.0, 1.0, 1.0, *[2 * size] * 4]
            else:
                known = self._v_scale[moves][:width]
                found[q_of.start : q_of.start + len(known)] = known
        return found

    # One point ---------------------------------------------------------------------------------------------------

    def speed(self, v: Array) -> float:
        """m/s: the fastest coordinate, rotations counted at the mechanism's size."""
        return float((np.abs(v) * self._v_scale).max())

    def distance(self, a: Array, b: Array) -> float:
        """m between two states, likewise."""
        q = self.model.layout.q
        return float((np.abs(a[q] - b[q]) * self._q_scale).max())

    def velocity(self, y: Array) -> Array:
        return y[self.model.layout.v]

    def acceleration(self, node: PathPoint) -> Array:
        return self.velocity(node.rates)

    def node(self, t: float, y: Array) -> PathPoint | None:
        """The point of a closed state, velocities found anew; None where that fails."""
        if self.idle:
            self.velocity(y)[:] = 0.0  # the least motion, whatever came before
        if self.pose.project(t, y) != OK:
            self.pose.forget(whole=True)
            return None
        status, rates = self.pose.slope(t, y, reuse=True)
        if status != OK:
            return None
        self.pose.refine(t, self.velocity(rates))  # under loads a slow motion is lost in their rounding
        sign, log = self._determinant()
        return PathPoint(t, y, rates, sign, log)

    def _jacobian(self) -> Array:
        """J of all rows at the state last evaluated, columns scaled to lengths."""
        return self.pose.jacobian_here() * self.scales

    def _determinant(self) -> tuple[float, float]:
        """Of the chosen rows at the state last evaluated; idle motions, which no row sees, are rows of their own."""
        chosen = self._jacobian()[self.chosen_rows]
        if self.idle:
            chosen = np.vstack([chosen, self.idle_basis])
        if chosen.shape[0] != chosen.shape[1]:
            return 1.0, 0.0
        sign, log = np.linalg.slogdet(chosen)
        return float(sign), float(log)

    def choose_rows(self, node: PathPoint) -> PathPoint:
        """Take the best independent rows at a node, and the idle motions there, and its determinant with them."""
        self.pose.place(node.t, node.y)
        J = self._jacobian()
        rank = self.model.nv - self.idle
        if J.shape[0] > rank:
            from scipy.linalg import qr

            _, _, order = qr(J.T, mode="economic", pivoting=True)
            self.chosen_rows = np.sort(order[:rank])
        if self.idle:
            self.idle_basis = np.linalg.svd(J, full_matrices=True)[2][rank:]
        sign, log = self._determinant()
        self._best = log
        return PathPoint(node.t, node.y, node.rates, sign, log)

    # One step ----------------------------------------------------------------------------------------------------

    def predicted(self, node: PathPoint, h: float) -> Array:
        """The state at t + h by velocity and acceleration."""
        v, a = self.velocity(node.y), self.acceleration(node)
        y = self.pose.retract(node.y, h * v + (0.5 * h * h) * a)
        self.velocity(y)[:] = v + h * a
        return y

    def trial(self, node: PathPoint, h: float, t: float | None = None) -> PathPoint | None:
        """The point a step of h away, or None where the step is too long to be sure of it."""
        self.trials += 1
        guess = self.predicted(node, h)
        found = self.node(node.t + h if t is None else t, guess.copy())
        if found is None or not np.isfinite(found.rates).all():
            return None
        v, a, new = self.velocity(node.y), self.acceleration(node), self.velocity(found.y)
        fastest = max(self.speed(v), self.speed(new), abs(h) * self.speed(a))
        floor = 1e-9 * self.model.size
        missed = self.speed(new - v - h * a) * abs(h) > VELOCITY_MISS * fastest * abs(h) + floor
        apart = self.distance(found.y, guess) > PLACE_MISS * abs(h) * fastest + floor
        if missed or apart or found.sign != node.sign or found.log < node.log - LANDED:
            return None
        return found

    def march(self, node: PathPoint, target: float) -> PathPoint:
        """The node at `target`, or beyond it where a change point lies around it (`windows`). Raises PathEndError."""
        way = [node]
        h = target - node.t
        while node.t != target:
            left = target - node.t
            h = self._length(node, left, h)
            found = self.trial(node, h, target if h == left else None)
            stuck = self._negligible(way, h, target)
            if found is None:
                self.rejected += 1
                h *= 0.5
            elif not (stuck and h == left and found.log < max(n.log for n in way) - FALLEN):
                node = self.choose_rows(found) if self._redundant and found.log < self._best - WORSE else found
                way.append(node)
                del way[:-KEPT]
                self.trail.append(node)
                h *= GROWTH
                continue
            if stuck:
                node = self._singular(way, target)
                way, h = [node], target - node.t
                if h * left <= 0:
                    return node
        return node

    def _length(self, node: PathPoint, left: float, h: float) -> float:
        """The next step: as long as may be, and never so that a tiny one would be left."""
        fastest = self.speed(self.velocity(node.y))
        longest = LONGEST * self.model.size / fastest if fastest > 0 else np.inf
        h = min(abs(h), longest)
        if h < abs(left) < 2 * h:
            h = 0.5 * abs(left)
        return left if h >= abs(left) else float(np.sign(left)) * h

    def _negligible(self, way: list[PathPoint], h: float, target: float) -> bool:
        """Whether a step is shorter than any that means something."""
        moved = abs(h) * self.speed(self.velocity(way[-1].y))
        return moved < 4 * SHORTEST * self.model.size and abs(h) < 1e-4 * abs(target - way[0].t)

    @property
    def _redundant(self) -> bool:
        return len(self.model.rows) > self.model.nv - self.idle or self.idle > 0

    def _singular(self, way: list[PathPoint], target: float) -> PathPoint:
        window = self._through_singular(self, way, target)
        self.windows.append(window)
        self.trail.append(window.exit)
        return window.exit

    def inside(self, window: Window, t: float) -> tuple[Array, Array]:
        """State and accelerations at a time in a window, joined smoothly: the constraints decide nothing there."""
        a, b = window.entry, window.exit
        h = b.t - a.t
        s = (t - a.t) / h
        ends = (a.y, b.y, h * a.rates, h * b.rates)
        weights = ((1 + 2 * s) * (1 - s) ** 2, s * s * (3 - 2 * s), s * (1 - s) ** 2, s * s * (s - 1))
        y = sum(w * x for w, x in zip(weights, ends, strict=True))
        slopes = (6 * s * s - 6 * s, 6 * s - 6 * s * s, 3 * s * s - 4 * s + 1, 3 * s * s - 2 * s)
        rates = sum(w * x for w, x in zip(slopes, ends, strict=True)) / h
        return self.pose.retract(np.asarray(y), self._still), self.velocity(np.asarray(rates))
