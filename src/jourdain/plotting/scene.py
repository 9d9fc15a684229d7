"""What a drawing shows: places and axes of bodies, joints and forces at a sample, and the hull of a body's points.

Plane and space share this; how it is put on paper is `planar.py` and `spatial.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..compiled.ports import joint_axes
from ..mechanism.parts import GROUND, Joint, PortName
from .shapes import Circle, Link, circles, links

if TYPE_CHECKING:
    from ..results.record import Record

Array = npt.NDArray[np.float64]

PALETTE = ("#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#d9a400", "#9d755d")
INK = "#2b2f36"
GREY = "#8a9099"
SPRING = "#2a9d8f"
ROPE = "#8d6e63"
# More names than these on one drawing hide it.
MAX_NAMED_BODIES = 10
MAX_NAMED_JOINTS = 16
# Points nearer than this to a line or a plane, as a part of their extent, count as on it.
FLAT = 1e-6


class Scene:
    """A run seen at some samples, the last of which is drawn in full."""

    def __init__(self, run: Record, index: int | Sequence[int]) -> None:
        chosen = [index] if isinstance(index, int | np.integer) else list(index)
        if not chosen:
            raise ValueError("index is empty; expected a sample number or several")
        count = len(run.t)
        for k in chosen:
            if not -count <= k < count:
                raise IndexError(f"there is no sample {k}; the run has {count}, numbered 0 to {count - 1}")
        self.run = run
        self.blueprint = run.blueprint
        self.samples: list[int] = sorted({int(k) % count for k in chosen})
        self.colour = {b.name: PALETTE[k % len(PALETTE)] for k, b in enumerate(self.blueprint.bodies)}
        self.colour[GROUND] = GREY

    @property
    def title(self) -> str:
        times = [f"{self.run.t[k]:.4g}" for k in (self.samples[0], self.samples[-1])]
        return f"{self.run.name}, t = {' to '.join(dict.fromkeys(times))} s"

    @cached_property
    def links(self) -> list[Link]:
        """Springs, ropes and the like between points."""
        return links(self)

    def circles(self, k: int) -> list[Circle]:
        """Gears, pulleys and rolling discs at sample k."""
        return list(circles(self, k))

    def up(self) -> Array:
        """Against gravity; without gravity the last axis."""
        g = np.array(self.blueprint.gravity)
        size = float(np.linalg.norm(g))
        return -g / size if size > 0 else np.eye(g.size)[-1]

    def place(self, port: PortName, k: int) -> Array:
        """A point at sample k, fixed axes."""
        return self._fixed(port.body, self.blueprint.port(port).at, k)

    def direction(self, body: str, local: Array, k: int) -> Array:
        """A body axis at sample k, fixed axes."""
        if body == GROUND:
            return np.array(local)
        motion = self.run.poses
        return np.array(motion.frame[k, motion.index(body)] @ local)

    def axes(self, joint: Joint, k: int) -> dict[str, Array]:
        """Port axes of a joint at sample k, fixed axes."""
        side = {"i": joint.first.body, "j": joint.second.body}
        return {n: self.direction(side[n[-1]], a, k) for n, a in joint_axes(self.blueprint, joint).items()}

    def outline(self, body: str, k: int) -> Array:
        """The body's points and its mass centre at sample k."""
        b = self.blueprint.body(body)
        return np.array([self._fixed(body, at, k) for at in (*(p.at for p in b.ports.values()), b.centre)])

    def bounds(self) -> tuple[Array, Array]:
        """Lowest and highest coordinates of all places, never closer than a part of the mechanism's size."""
        found = [np.array(port.at) for port in self.blueprint.ground.values()]
        for body in self.blueprint.bodies:
            for k in self.samples:
                found += list(self.outline(body.name, k))
        for k in self.samples:
            for circle in self.circles(k):
                found += list(circle.points(9))
        low, high = np.min(found, axis=0), np.max(found, axis=0)
        if np.max(high - low) < 1e-3 * self.run.size:
            half = 0.1 * self.run.size
            low, high = low - half, high + half
        return low, high

    def length(self, link: Link, k: int | None = None) -> float:
        """Distance of a link's ends at sample k; the mean over the run without k."""
        M, N = (self.run.poses.place(port) for port in (link.first, link.second))
        apart = np.linalg.norm(N - M, axis=1)
        return float(np.mean(apart) if k is None else apart[k])

    def slack(self, link: Link, k: int) -> bool:
        """Whether a rope hangs loose at sample k."""
        return bool(self.run[f"{link.name}.stretch"][k] <= 0)

    def travel(self, joint: Joint) -> tuple[float, float]:
        """Least and greatest displacement of a sliding joint over the whole run."""
        s = self.run[f"{joint.name}.displacement"]
        return float(np.min(s)), float(np.max(s))

    def _fixed(self, body: str, local: Sequence[float], k: int) -> Array:
        if body == GROUND:
            return np.array(local, dtype=float)
        return np.array(self.run.poses.position[k, self.run.poses.index(body)]) + self.direction(
            body, np.array(local, dtype=float), k
        )


def spread(points: Array) -> tuple[int, Array]:
    """How many dimensions the points fill, and their principal directions as rows."""
    centred = points - points.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=True)
    if sizes[0] <= FLAT * max(float(np.max(np.abs(points))), 1e-300):
        return 0, directions
    return int(np.sum(sizes > FLAT * sizes[0])), directions


def ends(points: Array, direction: Array) -> Array:
    """The two outermost of points on a line."""
    along = points @ direction
    return points[[int(np.argmin(along)), int(np.argmax(along))]]


def polygon(points: Array, directions: Array) -> Array:
    """Convex hull of points in a plane, in order around it (Andrew's monotone chain)."""
    flat = (points - points.mean(axis=0)) @ directions[:2].T
    order = np.lexsort((flat[:, 1], flat[:, 0]))

    def chain(indices: Sequence[int]) -> list[int]:
        found: list[int] = []
        for i in indices:
            while len(found) > 1 and _turn(flat[found[-2]], flat[found[-1]], flat[i]) <= 0:
                found.pop()
            found.append(i)
        return found[:-1]

    return points[[*chain(list(order)), *chain(list(order[::-1]))]]


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def lighter(colour: str, strength: float) -> tuple[float, float, float]:
    """A colour mixed with white: strength 1 leaves it, 0 is white."""
    r, g, b = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return tuple(1 - strength * (1 - c) for c in (r, g, b))  # type: ignore[return-value]


def strengths(count: int) -> list[float]:
    """Of `count` poses in time order: the last in full, earlier ones lighter."""
    return [*np.linspace(0.15, 0.5, count - 1), 1.0] if count > 1 else [1.0]


def body_legend(ax: Any, scene: Scene) -> None:
    """The bodies' names beside the drawing, each with its colour."""
    from matplotlib.lines import Line2D

    bodies = scene.blueprint.bodies
    if 1 < len(bodies) <= MAX_NAMED_BODIES:
        style: dict[str, Any] = {"linewidth": 5, "solid_capstyle": "round"}
        marks = [Line2D([], [], color=scene.colour[b.name], label=b.name, **style) for b in bodies]
        ax.legend(handles=marks, frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
