"""What a drawing shows: places and axes of bodies, joints and forces at a sample, and paths of points.

Plane and space share this; how it is put on paper is `drawing_planar.py` and `drawing_spatial.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..mechanism.errors import PictureError
from ..mechanism.names import nearest
from ..mechanism.parts import GROUND, Body, Joint, PortName
from ..mechanism.port_axes import joint_axes
from .forms import form_of
from .links_and_wheels import Circle, DrawnLink, circles, links
from .shown import Shown
from .switches import Off, Switches
from .wheels import wheel_of

Array = npt.NDArray[np.float64]

# Paul Tol's "bright" scheme and a brown: any two are apart with any kind of colour-blindness (tests/test_colours.py).
PALETTE = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#5b3a1e", "#bbbbbb")
INK = "#2b2f36"
GREY = "#8a9099"
SPRING = "#2a9d8f"
ROPE = "#8d6e63"
# More names than these on one drawing hide it.
MAX_NAMED_BODIES = 10
MAX_NAMED_JOINTS = 16
# Samples that the extent of a whole motion is taken from.
MOST_BOUNDING = 500
SLIMMEST = 0.3  # width against height of a drawing in the plane, and the other way round


class Scene:
    """A run seen at some samples, the last of which is drawn in full.

    `traces` are points whose paths are drawn, beside those that bodies ask for themselves. `whole` makes room for the
    whole motion, whatever samples are shown. Paths go through the samples of `paths_from`, by default those of the run.
    """

    def __init__(
        self,
        run: Shown,
        index: int | Sequence[int],
        traces: Sequence[str] = (),
        *,
        whole: bool = False,
        paths_from: Shown | None = None,
    ) -> None:
        chosen = [index] if isinstance(index, int | np.integer) else list(index)
        if not chosen:
            raise PictureError("index is empty; expected a sample number or several")
        count = len(run.t)
        for k in chosen:
            if not -count <= k < count:
                raise IndexError(f"there is no sample {k}; the run has {count}, numbered 0 to {count - 1}")
        self.run = run
        self.blueprint = run.blueprint
        self.samples: list[int] = sorted({int(k) % count for k in chosen})
        self.whole = whole
        self._paths_from = paths_from or run
        self.colour = {b.name: _colour(b, k) for k, b in enumerate(self.blueprint.bodies)}
        self.colour[GROUND] = GREY
        self.traces = [*self._own_traces(), *(self._point(name) for name in traces)]
        self._travels: dict[str, tuple[float, float]] = {}
        self.forms = {body.name: form_of(body) for body in self.blueprint.bodies}
        self.switches = Switches(run)
        taken = {circle.body for circle in self.circles(0)}
        for body in self.blueprint.bodies:
            wheel = None if body.name in taken else wheel_of(self.blueprint, body, self.forms[body.name], run.size)
            self.forms[body.name] = wheel or self.forms[body.name]

    def _own_traces(self) -> Iterator[PortName]:
        for body in self.blueprint.bodies:
            if body.look is not None:
                yield from (self._point(f"{body.name}.{point}") for point in body.look.traces)

    def _point(self, name: str) -> PortName:
        """A point of a body by its name with a dot."""
        name = self.blueprint.full_name(name)
        body, _, point = name.rpartition(".")
        known = [f"{b.name}.{p}" for b in self.blueprint.bodies for p in b.ports]
        if name not in known:
            alike = [port for port in known if port.endswith(f".{name}")]
            hint = f" (did you mean '{alike[0]}'?)" if alike else ""
            raise KeyError(f"there is no point '{name}' to trace; {nearest(name, known)}{hint}")
        return PortName(body, point)

    def moved_to(self, k: int) -> Scene:
        """The same scene at another sample."""
        other = copy(self)
        other.samples = [k]
        return other

    @property
    def title(self) -> str:
        times = [f"{self.run.t[k]:.4g}" for k in (self.samples[0], self.samples[-1])]
        return f"{self.run.name}, t = {' to '.join(dict.fromkeys(times))} s"

    @cached_property
    def links(self) -> list[DrawnLink]:
        """Springs, ropes and the like between points."""
        return links(self)

    def off(self, k: int) -> Off:
        """Parts that are switched off at sample k."""
        return self.switches.off_at(float(self.run.t[k]))

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

    def placed(self, body: str, local: Array, k: int) -> Array:
        """Places of a body (n, dim), given in body axes, at sample k."""
        b = self.run.poses.index(body)
        return np.asarray(self.run.poses.position[k, b] + local @ self.run.poses.frame[k, b].T)

    def path(self, port: PortName) -> Array:
        """Where a point goes over the whole run, (time, dim)."""
        return self._paths_from.poses.place(port)

    def bounds(self) -> tuple[Array, Array]:
        """Lowest and highest coordinates of all places, never closer than a part of the mechanism's size."""
        samples = self.samples
        if self.whole:
            samples = sorted({int(k) for k in np.linspace(0, len(self.run.t) - 1, MOST_BOUNDING)})
        found = [np.array(port.at, dtype=float)[None] for port in self.blueprint.ground.values()]
        poses = self.run.poses
        for body in self.blueprint.bodies:
            local = self.forms[body.name].points(self.blueprint.dim)
            b = poses.index(body.name)
            places = poses.position[samples, b][:, None] + np.einsum("tij,nj->tni", poses.frame[samples, b], local)
            found.append(places.reshape(-1, self.blueprint.dim))
        found += [self.path(port) for port in self.traces]
        for k in samples:
            found += [circle.points(9) for circle in self.circles(k)]
        finite = [places[np.all(np.isfinite(places), axis=1)] for places in found]
        everything = np.concatenate(finite) if finite else np.zeros((1, self.blueprint.dim))
        if not len(everything):
            everything = np.zeros((1, self.blueprint.dim))
        low, high = np.min(everything, axis=0), np.max(everything, axis=0)
        if np.max(high - low) < 1e-3 * self.run.size:
            half = 0.1 * self.run.size
            low, high = low - half, high + half
        if self.blueprint.dim == 2:  # room for the numbers of an axis
            lack = np.maximum(SLIMMEST * np.max(high - low) - (high - low), 0.0) / 2
            low, high = low - lack, high + lack
        return low, high

    def length(self, link: DrawnLink, k: int | None = None) -> float:
        """Distance of a link's ends at sample k; the mean over the run without k."""
        M, N = (self.run.poses.place(port) for port in (link.first, link.second))
        apart = np.linalg.norm(N - M, axis=1)
        return float(np.mean(apart) if k is None else apart[k])

    def slack(self, link: DrawnLink, k: int) -> bool:
        """Whether a rope hangs loose at sample k."""
        return bool(self.run[f"{link.name}.stretch"][k] <= 0)

    def travel(self, joint: Joint) -> tuple[float, float]:
        """Least and greatest displacement of a sliding joint over the whole run."""
        if joint.name not in self._travels:
            s = self.run[f"{joint.name}.displacement"]
            self._travels[joint.name] = float(np.min(s)), float(np.max(s))
        return self._travels[joint.name]

    def _fixed(self, body: str, local: Sequence[float], k: int) -> Array:
        if body == GROUND:
            return np.array(local, dtype=float)
        return np.array(self.run.poses.position[k, self.run.poses.index(body)]) + self.direction(
            body, np.array(local, dtype=float), k
        )


def _colour(body: Body, k: int) -> str:
    """The colour a body asks for, as #rrggbb, or the next of the palette."""
    if body.look is None or body.look.colour is None:
        return PALETTE[k % len(PALETTE)]
    from matplotlib.colors import to_hex

    try:
        return str(to_hex(body.look.colour))
    except ValueError:
        words = (
            f"body '{body.name}': there is no colour '{body.look.colour}'; use a name like 'steelblue', or '#4c78a8'"
        )
        raise PictureError(words) from None


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
