"""Mechanisms of the plane, with the symbols engineers draw: pins, sliders, hatched ground, zigzag springs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..mechanism.parts import GROUND, Joint, PortName
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
from .shapes import COIL, CYLINDER, DASHPOT, GAP, ROLLING, ROPE, RUBBER, Link
from .symbols import (
    BLOCK,
    LINK_WIDTH,
    PIN,
    Paper,
    anchor,
    cord,
    cylinder,
    dashpot,
    gap,
    hatched,
    pin,
    rubber,
    support,
    zigzag,
)

EDGE = 16.0  # half the length of a knife edge or wheel, in points


def figure_size(scene: Scene) -> tuple[float, float]:
    """Inches that suit the proportions of the mechanism, with room for labels and legend."""
    low, high = scene.bounds()
    w, h = high - low + 0.3 * np.max(high - low)
    scale = min(6.5 / w, 5.5 / h)
    return max(2.0, float(scale * w)) + 1.9, max(1.8, float(scale * h)) + 0.9


def draw(scene: Scene, ax: Any) -> None:
    """The whole drawing on one axes."""
    outlines = [scene.outline(b.name, scene.samples[-1]) for b in scene.blueprint.bodies]
    lengths = [float(np.max(np.ptp(o, axis=0))) for o in outlines]
    paper = Paper(ax, scene, [length for length in lengths if length > 0])
    last = scene.samples[-1]
    for k, strength in zip(scene.samples, strengths(len(scene.samples)), strict=True):
        if k != last:
            _pose(paper, scene, k, strength, layer=2 + strength)
    _ground(paper, scene, last)
    _pose(paper, scene, last, 1.0, layer=5.0)
    for link in scene.links:
        _link(paper, scene, link, last)
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
    _circles(paper, scene, k, strength, layer + 0.3)
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


def _circles(paper: Paper, scene: Scene, k: int, strength: float, layer: float) -> None:
    """Gears and rolling discs, with a spoke that shows how they turn."""
    for circle in scene.circles(k):
        colour = lighter(scene.colour[circle.body], strength)
        paper.line(circle.points(), color=colour, linewidth=2.2, zorder=layer)
        if circle.spoke and circle.body != GROUND:
            paper.line([circle.centre, circle.centre + circle.u], color=colour, linewidth=1.4, zorder=layer)


# Joints -------------------------------------------------------------------------------------------------------


def _joint(paper: Paper, scene: Scene, joint: Joint, k: int) -> None:
    M, N = scene.place(joint.first, k), scene.place(joint.second, k)
    if joint.type == "revolute":
        pin(paper, N)
    elif joint.type == "prismatic":
        _rail(paper, scene, joint, k)
        _block(paper, scene, joint, k)
    elif joint.type == "point-on-line":
        _rail(paper, scene, joint, k)
        pin(paper, N)
    elif joint.type == "weld":
        paper.dot(N, 0.9 * PIN, marker="s", color=INK, zorder=9)
    elif joint.type == "distance":
        paper.line([M, N], color=INK, linewidth=2.0, zorder=7)
        pin(paper, M)
        pin(paper, N)
    elif joint.type == "rolling-disc":
        _floor(paper, scene, joint, k)
        paper.dot(N, 0.6 * PIN, marker="o", color="white", markeredgecolor=INK, zorder=9)
    elif joint.type in ROLLING:
        along = paper.points(EDGE) * scene.axes(joint, k)["x_j"]
        width = 2.5 if joint.type == "knife-edge" else 6.0
        paper.line([N - along, N + along], color=INK, linewidth=width, zorder=8)
    else:  # parallel, perpendicular, custom: no symbol of their own
        paper.line([M, N], color=INK, linewidth=1.0, linestyle=":", zorder=8)
        paper.dot(N, PIN, marker="D", color="white", markeredgecolor=INK, zorder=9)


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
    hatched(paper, places - below * across, -across)


def _floor(paper: Paper, scene: Scene, joint: Joint, k: int) -> None:
    """The line that a disc rolls on."""
    axes, radius = scene.axes(joint, k), joint.values["radius"]
    low, high = scene.travel(joint)
    places = scene.place(joint.first, k) + np.outer([low - radius, high + radius], axes["x_i"])
    if joint.first.body == GROUND:
        hatched(paper, places, -axes["y_i"])
    else:
        paper.line(places, color=INK, linewidth=1.2, zorder=4)


# Ground -------------------------------------------------------------------------------------------------------


def _ground(paper: Paper, scene: Scene, k: int) -> None:
    """A support under every ground point that carries a pin, an anchor where a spring ends."""
    up = scene.up()
    pinned = _pinned(scene)
    railed = {j.first.point for j in scene.blueprint.joints if j.first.body == GROUND and _slides(j)}
    rolled = {j.first.point for j in scene.blueprint.joints if j.first.body == GROUND and j.type in ROLLING}
    for point in sorted(pinned):
        place = np.array(scene.blueprint.ground[point].at)
        support(paper, place, -up if _hangs(scene, point, up) else up)
    sprung: set[str] = set()
    for link in scene.links:
        for here, there in ((link.first, link.second), (link.second, link.first)):
            if here.body == GROUND and here.point not in pinned | sprung:
                sprung.add(here.point)
                anchor(paper, scene.place(here, k), scene.place(there, k), up)
    for point in sorted(set(scene.blueprint.ground) - pinned - railed - rolled - sprung):
        paper.dot(scene.blueprint.ground[point].at, 0.8 * PIN, marker="+", color=GREY, zorder=4)


def _pinned(scene: Scene) -> set[str]:
    """Ground points that stand on a support of their own."""
    joints = scene.blueprint.joints
    first = {j.first.point for j in joints if j.first.body == GROUND and not _slides(j) and j.type not in ROLLING}
    return first | {j.second.point for j in joints if j.second.body == GROUND}


def _hangs(scene: Scene, point: str, up: Array) -> bool:
    """Whether what is pinned to this ground point is below it most of the time: its support then is a ceiling."""
    poses = scene.run.poses
    arms = []
    for joint in scene.blueprint.joints:
        for here, there in ((joint.first, joint.second), (joint.second, joint.first)):
            if (here.body, here.point) == (GROUND, point) and there.body != GROUND:
                reach = [poses.place(PortName(there.body, p)) for p in scene.blueprint.ports_of(there.body)]
                arms.append(np.mean(reach, axis=0) - scene.place(here, 0))
    if not arms:
        return False
    all_arms = np.concatenate(arms)
    return bool(np.mean(all_arms @ up) < -0.25 * np.mean(np.linalg.norm(all_arms, axis=1)))


def _slides(joint: Joint) -> bool:
    return joint.type in ("prismatic", "point-on-line")


# Forces -------------------------------------------------------------------------------------------------------


def _link(paper: Paper, scene: Scene, link: Link, k: int) -> None:
    a, b = scene.place(link.first, k), scene.place(link.second, k)
    if link.symbol == RUBBER:
        rubber(paper, a)
        return
    length = float(np.linalg.norm(b - a))
    if length < paper.points(2 * PIN):
        return
    along = (b - a) / length
    across = np.array([-along[1], along[0]])
    if link.symbol == ROPE:
        cord(paper, a, b, scene.slack(link, k))
    elif link.symbol == CYLINDER:
        cylinder(paper, a, along, across, length, 0.65 * scene.length(link))
    else:
        {COIL: zigzag, DASHPOT: dashpot, GAP: gap}[link.symbol](paper, a, along, across, length)
    for place in (a, b):
        paper.dot(place, 0.4 * PIN, marker="o", color=SPRING, zorder=8)


# Names and frame ----------------------------------------------------------------------------------------------


def _names(paper: Paper, scene: Scene, k: int) -> None:
    """Names of joints beside their places, one text for joints that share a place; bodies in the legend."""
    texts: dict[tuple[float, ...], list[str]] = {}
    up = scene.up()
    ceilings = {_rounded(paper, scene.blueprint.ground[p].at) for p in _pinned(scene) if _hangs(scene, p, up)}
    for joint in scene.blueprint.joints:
        texts.setdefault(_rounded(paper, scene.place(joint.second, k)), []).append(joint.name)
    if len(scene.blueprint.joints) <= MAX_NAMED_JOINTS:
        for place, names in texts.items():
            paper.name(place, ", ".join(names), below=place in ceilings)
    body_legend(paper.ax, scene)


def _rounded(paper: Paper, place: Any) -> tuple[float, ...]:
    """A place to the nearest two points on paper, so that places which look the same are the same."""
    unit = paper.points(2.0)
    return tuple(float(x) for x in np.round(np.asarray(place) / unit) * unit)


def _finish(paper: Paper, scene: Scene) -> None:
    ax = paper.ax
    ax.set(xlim=(paper.low[0], paper.high[0]), ylim=(paper.low[1], paper.high[1]), xlabel="x (m)", ylabel="y (m)")
    ax.set_aspect("equal")
    ax.set_title(scene.title, fontsize=11, loc="left")
    ax.grid(True, color="#e6e8eb", linewidth=0.7)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
