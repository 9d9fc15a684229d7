"""Where a path cannot simply go on: limits of travel are found exactly, change points are crossed straight on.

Near a singular position places and time are unknowns together, X = (q, t), and the step is along the curve C(X) = 0
instead of along time (Keller 1977). At a limit of travel the curve turns back in time: dt/ds = 0, and the drivers
cannot pass. At a change point two curves meet, and the one that goes on straight is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...mechanism.ties import smallest
from .path import Path, PathEndError, PathPoint, Window

Array = npt.NDArray[np.float64]

BACK = 4e-3  # of the size: how far before the singular position the curve is entered
LONGEST = 2e-3  # steps along the curve, of the size
SHORTEST = 1e-6
BEND = 0.9  # cosine of the angle by which a step may change the direction
MOST_STEPS = 5000
CUTOFF = 1e-9
NEWTONS = 12
ROUNDS = 80


@dataclass(frozen=True)
class Point:
    """A point of the curve and its direction there; the last component of `along` is that of time.

    `sign` is that of the determinant of constraints and direction, which a regular curve keeps.
    """

    t: float
    y: Array
    along: Array
    sign: float


class Curve:
    """C(q, t) = 0 by arc length. Times count as lengths: what the fastest coordinate passes in them."""

    def __init__(self, path: Path, node: PathPoint) -> None:
        self.path = path
        speed = path.speed(path.velocity(node.y))
        size = path.model.size
        second = size / speed if speed > 0 else 1.0  # that count as one size
        self.scales = np.append(path.scales * size, second)

    def start(self, node: PathPoint, forward: float) -> Point:
        first = np.append(self.path.velocity(node.y), 1.0) / self.scales * forward
        return self._point(node.t, node.y, first)

    def _matrix(self, t: float, y: Array) -> Array:
        J = self.path.pose.position_jacobian(t, y)
        return np.column_stack([J, self.path.pose.partial()]) * self.scales

    def _point(self, t: float, y: Array, before: Array) -> Point:
        """With the direction of the curve that is nearest to the one before."""
        A = self._matrix(t, y)
        rank = self.path.model.nv - self.path.idle
        free = np.linalg.svd(A, full_matrices=True)[2][rank:]
        along = free.T @ (free @ before)
        along /= np.linalg.norm(along)
        idle = np.pad(self.path.idle_basis, ((0, 0), (0, 1)))
        sign, _ = np.linalg.slogdet(np.vstack([A[self.path.chosen_rows], idle, along]))
        return Point(t, y, along, float(sign))

    def ahead(self, point: Point, s: float) -> Point | None:
        """The point of the curve that lies s along the direction of another, or None."""
        path = self.path
        X = s * point.along * self.scales
        y = path.pose.retract(point.y, X[:-1])
        t = point.t + X[-1]
        path.pose.wind(t, y)
        for _ in range(NEWTONS):
            residual = path.pose.residual(t, y)
            A = np.vstack([self._matrix(t, y), point.along])
            step = np.linalg.lstsq(A, np.append(-residual, 0.0), rcond=CUTOFF)[0] * self.scales
            y, t = path.pose.retract(y, step[:-1]), t + step[-1]
            path.pose.wind(t, y)
            if path.speed(step[:-1]) <= 1e-13 * path.model.size:
                break
        if np.max(np.abs(path.pose.residual(t, y)), initial=0.0) > 1e-10 * path.model.size:
            return None
        return self._point(t, y, point.along)


def through_singular(path: Path, way: list[PathPoint], target: float) -> Window:
    """Cross a change point, or raise PathEndError at a limit of travel."""
    last = way[-1]
    node = next((n for n in reversed(way) if path.distance(n.y, last.y) >= BACK * path.model.size), way[0])
    forward = float(np.sign(target - last.t))
    beyond = path.distance(node.y, last.y) + BACK * path.model.size
    curve = Curve(path, node)
    _raise_at_fold(curve, curve.start(node, forward), forward, node, beyond)
    return _crossed(curve, node, forward, beyond, last)


def _raise_at_fold(curve: Curve, point: Point, forward: float, node: PathPoint, beyond: float) -> None:
    """Follow the curve round every bend; at a change point, where no step is short enough, leave it to others."""
    s = LONGEST
    for _ in range(MOST_STEPS):
        following = curve.ahead(point, s)
        if following is None or following.sign != point.sign or following.along @ point.along < BEND:
            s *= 0.5
            if s < SHORTEST:
                return
            continue
        if following.along[-1] * forward <= 0.0:
            t, y = _fold(curve, point, following, s, forward)
            raise PathEndError("limit of travel", t, y, limit=True)
        point = following
        s = min(1.5 * s, LONGEST)
        if curve.path.distance(node.y, point.y) >= beyond:
            return


def _crossed(curve: Curve, node: PathPoint, forward: float, beyond: float, last: PathPoint) -> Window:
    """Straight on over a change point, with steps too long to see it."""
    path, point = curve.path, curve.start(node, forward)
    found: PathPoint | None = None
    seen = [(node.t, node.sign)]
    while path.distance(node.y, point.y) < beyond:
        following = curve.ahead(point, LONGEST)
        if following is None or following.along[-1] * forward <= 0.0:
            raise PathEndError("a singular position from which no way on was found", last.t, last.y)
        point = following
        found = path.node(point.t, point.y.copy())
        if found is not None and np.all(np.isfinite(found.rates)):
            seen.append((found.t, found.sign * float(np.exp(found.log - node.log))))
    if found is None or found.t != point.t:
        raise PathEndError("a singular position from which no way on was found", last.t, last.y)
    return Window(node, path.choose_rows(found), _crossing(seen, last.t))


def _crossing(seen: list[tuple[float, float]], near: float) -> float:
    """When the determinant is zero: by the polynomial through its values on both sides."""
    t, values = np.array(seen).T
    fit = np.polynomial.Polynomial.fit(t, values, len(t) - 1)
    roots = fit.roots()
    real = np.sort(roots.real[np.abs(roots.imag) < 1e-3 * abs(t[-1] - t[0])])
    return float(real[smallest(np.abs(real - near))]) if real.size else near


def _fold(curve: Curve, point: Point, far: Point, step: float, forward: float) -> tuple[float, Array]:
    """Where dt/ds = 0 between a point and one step ahead: regula falsi (Illinois) on the direction."""
    low, high = 0.0, step
    f_low, f_high = point.along[-1] * forward, far.along[-1] * forward
    best, side = point, 0
    for _ in range(ROUNDS):
        s = (low * f_high - high * f_low) / (f_high - f_low)
        found = curve.ahead(point, s)
        if found is None:
            break
        best, f = found, found.along[-1] * forward
        if abs(f) < 1e-13 or high - low < 1e-15:
            break
        if f > 0:
            low, f_low, f_high, side = s, f, f_high * (0.5 if side > 0 else 1.0), 1
        else:
            high, f_high, f_low, side = s, f, f_low * (0.5 if side < 0 else 1.0), -1
    return best.t, best.y
