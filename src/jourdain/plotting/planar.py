"""Mechanisms of the plane, with the symbols engineers draw: pins, sliders, hatched ground, zigzag springs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..mechanism.parts import GROUND, Joint, PortName, SpringDamper
from .scene import (
    GREY,
    INK,
    MAX_NAMED_JOINTS,
    SPRING,
    Array,
    Scene,
    body_legend,
    ends,
    lighter,
    polygon,
    spread,
    strengths,
)

# Sizes on paper, in points; all shrink together where links are short.
LINK_WIDTH = 7.0
PIN = 7.5
BLOCK = (26.0, 15.0)
SUPPORT = 13.0
HATCH = 4.5
COIL = 5.0
MARGIN = 0.07


class Paper:
    """An axes with its scale: `points(n)` is the length in metres of n points on paper."""

    def __init__(self, ax: Any, places: Array, links: list[float]) -> None:
        low, high = places.min(axis=0), places.max(axis=0)
        span = max(float(np.max(high - low)), 1e-9)
        pad = MARGIN * span + np.zeros(2)
        width, height = (72.0 * s for s in self._inches(ax))
        room = high - low + 2 * pad
        self.ax = ax
        self.metre = float(min(width / room[0], height / room[1]))  # points of paper in a metre
        typical = float(np.median(links)) * self.metre if links else 100.0
        self.shrink = float(np.clip(typical / 60.0, 0.25, 1.0))
        border = self.points(SUPPORT + 2 * HATCH + 6)
        self.low, self.high = low - np.maximum(pad, border), high + np.maximum(pad, border)

    @staticmethod
    def _inches(ax: Any) -> Any:
        box = ax.get_position()
        return ax.figure.get_size_inches() * (box.width, box.height)

    def points(self, count: float) -> float:
        return count * self.shrink / self.metre

    def line(self, places: Any, **style: Any) -> None:
        places = np.asarray(places)
        style["linewidth"] = self.shrink * style.get("linewidth", 1.0)
        self.ax.plot(places[:, 0], places[:, 1], solid_capstyle="round", solid_joinstyle="round", **style)

    def shape(self, corners: Any, **style: Any) -> None:
        from matplotlib.patches import Polygon

        style["linewidth"] = self.shrink * style.get("linewidth", 1.0)
        self.ax.add_patch(Polygon(np.asarray(corners), closed=True, joinstyle="round", **style))

    def dot(self, place: Any, size: float, **style: Any) -> None:
        self.ax.plot(*place, linestyle="none", markersize=self.shrink * size, **style)

    def name(self, place: Any, text: str) -> None:
        frame = {"boxstyle": "round,pad=0.1", "facecolor": "white", "alpha": 0.75, "linewidth": 0}
        where = {"xytext": (7, 6), "textcoords": "offset points"}
        self.ax.annotate(text, place, **where, fontsize=9, color=INK, zorder=11, bbox=frame)


def figure_size(scene: Scene) -> tuple[float, float]:
    """Inches that suit the proportions of the mechanism, with room for labels and legend."""
    places = scene.everything()
    sides = places.max(axis=0) - places.min(axis=0)
    w, h = sides + 0.3 * max(float(np.max(sides)), 1e-9)
    scale = min(6.5 / w, 5.5 / h)
    return max(2.0, float(scale * w)) + 1.9, max(1.8, float(scale * h)) + 0.9


def draw(scene: Scene, ax: Any) -> None:
    """The whole drawing on one axes."""
    outlines = [scene.outline(b.name, scene.samples[-1]) for b in scene.blueprint.bodies]
    lengths = [float(np.max(np.ptp(o, axis=0))) for o in outlines]
    paper = Paper(ax, scene.everything(), [length for length in lengths if length > 0])
    last = scene.samples[-1]
    for k, strength in zip(scene.samples, strengths(len(scene.samples)), strict=True):
        if k != last:
            _pose(paper, scene, k, strength, layer=2 + strength)
    _ground(paper, scene, last)
    _pose(paper, scene, last, 1.0, layer=5.0)
    for spring in scene.springs:
        _spring(paper, scene, spring, last)
    for joint in scene.blueprint.joints:
        _joint(paper, scene, joint, last)
    _names(paper, scene, last)
    _finish(paper, scene)


# Bodies -------------------------------------------------------------------------------------------------------


def _pose(paper: Paper, scene: Scene, k: int, strength: float, layer: float) -> None:
    for body in scene.blueprint.bodies:
        colour = lighter(scene.colour[body.name], strength)
        edge = lighter(INK, strength)
        _body(paper, scene.outline(body.name, k), colour, edge, layer)
    if strength < 1:
        for joint in scene.blueprint.joints:
            if joint.type == "prismatic":
                _block(paper, scene, joint, k, strength, layer + 0.01)
            paper.dot(scene.place(joint.second, k), 0.4 * PIN, marker="o", color="white", zorder=layer + 0.02)


def _body(paper: Paper, outline: Array, colour: Any, edge: Any, layer: float) -> None:
    """A bar through points on a line, else a plate through the hull; a disc if there is one place only."""
    dimensions, directions = spread(outline)
    if dimensions == 0:
        paper.dot(outline[0], 1.3 * PIN, marker="o", color=colour, markeredgecolor=edge, zorder=layer)
    elif dimensions == 1:
        places = ends(outline, directions[0])
        paper.line(places, color=edge, linewidth=LINK_WIDTH + 1.6, zorder=layer)
        paper.line(places, color=colour, linewidth=LINK_WIDTH, zorder=layer)
    else:
        corners = polygon(outline, directions)
        paper.shape(corners, facecolor=edge, edgecolor=edge, linewidth=LINK_WIDTH + 1.6, zorder=layer)
        paper.shape(corners, facecolor=colour, edgecolor=colour, linewidth=LINK_WIDTH, zorder=layer)


# Joints -------------------------------------------------------------------------------------------------------


def _joint(paper: Paper, scene: Scene, joint: Joint, k: int) -> None:
    M, N = scene.place(joint.first, k), scene.place(joint.second, k)
    if joint.type == "revolute":
        _pin(paper, N)
    elif joint.type == "prismatic":
        _rail(paper, scene, joint, k)
        _block(paper, scene, joint, k)
    elif joint.type == "point-on-line":
        _rail(paper, scene, joint, k)
        _pin(paper, N)
    elif joint.type == "weld":
        paper.dot(N, 0.9 * PIN, marker="s", color=INK, zorder=9)
    elif joint.type == "distance":
        paper.line([M, N], color=INK, linewidth=2.0, zorder=7)
        _pin(paper, M)
        _pin(paper, N)
    else:  # parallel, perpendicular, custom: no symbol of their own
        paper.line([M, N], color=INK, linewidth=1.0, linestyle=":", zorder=8)
        paper.dot(N, PIN, marker="D", color="white", markeredgecolor=INK, zorder=9)


def _pin(paper: Paper, place: Array) -> None:
    paper.dot(place, PIN, marker="o", color="white", markeredgecolor=INK, markeredgewidth=1.3 * paper.shrink, zorder=9)


def _block(paper: Paper, scene: Scene, joint: Joint, k: int, strength: float = 1.0, layer: float = 7.0) -> None:
    """The sliding block: a rectangle on the second port, along x_i."""
    along, across = _frame(scene, joint, k)
    half = np.array([paper.points(BLOCK[0]) / 2 * along, paper.points(BLOCK[1]) / 2 * across])
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    corners = scene.place(joint.second, k) + signs @ half
    colour, edge = lighter(scene.colour[joint.second.body], strength), lighter(INK, strength)
    paper.shape(corners, facecolor=colour, edgecolor=edge, linewidth=1.2, zorder=layer)


def _frame(scene: Scene, joint: Joint, k: int) -> tuple[Array, Array]:
    """x_i and the direction across it that points up."""
    axes = scene.axes(joint, k)
    across = axes["y_i"]
    return axes["x_i"], across if across @ scene.up() >= 0 else -across


def _rail(paper: Paper, scene: Scene, joint: Joint, k: int) -> None:
    """The line that the second point slides on, as long as its travel; under the block and hatched on the ground."""
    along, across = _frame(scene, joint, k)
    low, high = scene.travel(joint)
    over = paper.points(0.8 * BLOCK[0])
    places = scene.place(joint.first, k) + np.outer([low - over, high + over], along)
    if joint.first.body != GROUND:
        paper.line(places, color=INK, linewidth=1.2, linestyle=(0, (4, 2)), zorder=6.5)
        return
    below = paper.points((BLOCK[1] if joint.type == "prismatic" else PIN) / 2 + 1)
    _hatched(paper, places - below * across, -across)


# Ground -------------------------------------------------------------------------------------------------------


def _ground(paper: Paper, scene: Scene, k: int) -> None:
    """A support under every ground point that carries a pin, an anchor where a spring ends."""
    up = scene.up()
    pinned = {j.first.point for j in scene.blueprint.joints if j.first.body == GROUND and not _slides(j)}
    pinned |= {j.second.point for j in scene.blueprint.joints if j.second.body == GROUND}
    railed = {j.first.point for j in scene.blueprint.joints if j.first.body == GROUND and _slides(j)}
    for point in sorted(pinned):
        place = np.array(scene.blueprint.ground[point].at)
        _support(paper, place, -up if _hangs(scene, point, up) else up)
    for spring in scene.springs:
        for here, there in ((spring.first, spring.second), (spring.second, spring.first)):
            if here.body == GROUND and here.point not in pinned:
                _anchor(paper, scene.place(here, k), scene.place(there, k), up)
    sprung = {p.point for s in scene.springs for p in (s.first, s.second) if p.body == GROUND}
    for point in sorted(set(scene.blueprint.ground) - pinned - railed - sprung):
        paper.dot(scene.blueprint.ground[point].at, 0.8 * PIN, marker="+", color=GREY, zorder=4)


def _hangs(scene: Scene, point: str, up: Array) -> bool:
    """Whether what is pinned to this ground point is below it most of the time: its support then is a ceiling."""
    motion = scene.run.motion
    height = 0.0
    for joint in scene.blueprint.joints:
        for here, there in ((joint.first, joint.second), (joint.second, joint.first)):
            if (here.body, here.point) == (GROUND, point):
                reach = [motion.point(PortName(there.body, p))[0] for p in scene.blueprint.ports_of(there.body)]
                height += float(np.mean((np.mean(reach, axis=0) - scene.place(here, 0)) @ up))
    return height < 0


def _slides(joint: Joint) -> bool:
    return joint.type in ("prismatic", "point-on-line")


def _support(paper: Paper, place: Array, up: Array) -> None:
    """A triangle standing on hatched ground, its tip in the pin."""
    side = np.array([up[1], -up[0]])
    size = paper.points(SUPPORT)
    foot = place - size * up
    paper.shape(
        [place, foot - 0.6 * size * side, foot + 0.6 * size * side],
        facecolor="white",
        edgecolor=INK,
        linewidth=1.2,
        zorder=4,
    )
    _hatched(paper, [foot - size * side, foot + size * side], -up)


def _anchor(paper: Paper, place: Array, other: Array, up: Array) -> None:
    """A short hatched wall across the spring that ends on it."""
    d = other - place
    along = d / np.linalg.norm(d) if np.linalg.norm(d) > 0 else up
    side = paper.points(0.8 * SUPPORT) * np.array([-along[1], along[0]])
    _hatched(paper, [place - side, place + side], -along)


def _hatched(paper: Paper, places: Any, away: Array) -> None:
    """A ground line with strokes on the side `away`."""
    a, b = np.asarray(places[0]), np.asarray(places[1])
    length = float(np.linalg.norm(b - a))
    along = (b - a) / length
    stroke = paper.points(HATCH)
    count = max(2, round(length / stroke))
    paper.line([a, b], color=INK, linewidth=1.3, zorder=4)
    for s in (np.arange(count) + 0.5) / count * length:
        foot = a + s * along
        paper.line([foot, foot + stroke * (away - along)], color=GREY, linewidth=0.9, zorder=3.9)


# Springs ------------------------------------------------------------------------------------------------------


def _spring(paper: Paper, scene: Scene, spring: SpringDamper, k: int) -> None:
    a, b = scene.place(spring.first, k), scene.place(spring.second, k)
    length = float(np.linalg.norm(b - a))
    if length < paper.points(2 * PIN):
        return
    along = (b - a) / length
    across = np.array([-along[1], along[0]])
    draw_it = _zigzag if spring.stiffness else _dashpot
    draw_it(paper, a, along, across, length)


def _zigzag(paper: Paper, a: Array, along: Array, across: Array, length: float) -> None:
    straight = min(0.2 * length, paper.points(2.5 * PIN))
    coils = int(np.clip((length - 2 * straight) / paper.points(1.8 * COIL), 3, 12))
    s = np.concatenate([[0.0], np.linspace(straight, length - straight, 2 * coils + 1), [length]])
    side = paper.points(COIL) * np.array([0.0, 0.0, *([1.0, -1.0] * coils)[:-1], 0.0, 0.0])
    paper.line(a + np.outer(s, along) + np.outer(side, across), color="white", linewidth=3.4, zorder=7.5)
    paper.line(a + np.outer(s, along) + np.outer(side, across), color=SPRING, linewidth=1.5, zorder=7.6)


def _dashpot(paper: Paper, a: Array, along: Array, across: Array, length: float) -> None:
    """A cup with a piston in it."""
    w, cup = paper.points(COIL), min(0.3 * length, paper.points(22))
    middle = length / 2
    style = {"color": SPRING, "linewidth": 1.5, "zorder": 7.6}

    def at(s: float, side: float) -> Array:
        return a + s * along + side * across

    paper.line([at(0, 0), at(middle - cup / 2, 0)], **style)
    rim = middle + cup / 2
    paper.line([at(rim, w), at(middle - cup / 2, w), at(middle - cup / 2, -w), at(rim, -w)], **style)
    paper.line([at(middle, 0.8 * w), at(middle, -0.8 * w)], **style)
    paper.line([at(middle, 0), at(length, 0)], **style)


# Names and frame ----------------------------------------------------------------------------------------------


def _names(paper: Paper, scene: Scene, k: int) -> None:
    """Names of joints beside their places, one text for joints that share a place; bodies in the legend."""
    texts: dict[tuple[float, ...], list[str]] = {}
    for joint in scene.blueprint.joints:
        rounded = np.round(scene.place(joint.second, k) / paper.points(1.0)) * paper.points(1.0)
        texts.setdefault(tuple(rounded), []).append(joint.name)
    if len(scene.blueprint.joints) <= MAX_NAMED_JOINTS:
        for place, names in texts.items():
            paper.name(place, ", ".join(names))
    body_legend(paper.ax, scene)


def _finish(paper: Paper, scene: Scene) -> None:
    ax = paper.ax
    ax.set(xlim=(paper.low[0], paper.high[0]), ylim=(paper.low[1], paper.high[1]), xlabel="x (m)", ylabel="y (m)")
    ax.set_aspect("equal")
    ax.set_title(scene.title, fontsize=11, loc="left")
    ax.grid(True, color="#e6e8eb", linewidth=0.7)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
