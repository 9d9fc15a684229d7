"""Mechanisms of the plane, with the symbols engineers draw: pins, sliders, hatched ground, zigzag springs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..library.joints import Symbol, symbol_of
from ..library.joints.joint_kind import ON_RAILS, ROLLING
from ..library.kinds import LinkSymbol
from ..mechanism.parts import GROUND, Joint, PortName
from .links_and_wheels import DrawnLink
from .scene import (
    GREY,
    INK,
    MAX_NAMED_JOINTS,
    SPRING,
    Array,
    Scene,
    body_legend,
    lighter,
    strengths,
)
from .symbols import (
    BLOCK,
    LINK_WIDTH,
    PIN,
    Paper,
    anchor,
    cord,
    cylinder,
    dashpot,
    faded,
    gap,
    hatched,
    pin,
    rubber,
    support,
    zigzag,
)

EDGE = 16.0  # half the length of a knife edge or wheel, in points
UPRIGHT = 0.1  # of a direction: less of it upwards is upright
CLOSE = 9.0  # points: the names of joints nearer than that would cover each other


def figure_size(scene: Scene) -> tuple[float, float]:
    """Inches that suit the proportions of the mechanism, with room for labels and legend."""
    low, high = scene.bounds()
    w, h = high - low + 0.3 * np.max(high - low)
    scale = min(6.5 / w, 5.5 / h)
    return max(2.0, float(scale * w)) + 1.9, max(1.8, float(scale * h)) + 0.9


def draw(scene: Scene, ax: Any) -> None:
    """The whole drawing on one axes."""
    paper = begin(scene, ax)
    last = scene.samples[-1]
    for k, strength in zip(scene.samples, strengths(len(scene.samples)), strict=True):
        if k != last:
            _pose(paper, scene, k, strength, layer=2 + strength)
    draw_still(paper, scene)
    draw_moving(paper, scene)
    _names(paper, scene, last)


def begin(scene: Scene, ax: Any) -> Paper:
    """An axes made ready: limits, grid, title."""
    forms = (form.points(2) for form in scene.forms.values())
    lengths = [float(np.max(np.ptp(points, axis=0))) for points in forms if len(points)]
    paper = Paper(ax, scene, [length for length in lengths if length > 0])
    _finish(paper, scene)
    return paper


def draw_still(paper: Paper, scene: Scene) -> None:
    """What does not move: ground, rails fixed to it, floors, paths of points."""
    last = scene.samples[-1]
    _ground(paper, scene, last)
    for joint in scene.blueprint.joints:
        if joint.first.body == GROUND:
            if _slides(joint):
                _rail(paper, scene, joint, last)
            elif symbol_of(joint) is Symbol.DISC:
                _floor(paper, scene, joint, last)
    for port in scene.traces:
        paper.line(scene.path(port), color=scene.colour[port.body], linewidth=1.3, alpha=0.8, zorder=3.5)
    body_legend(paper.ax, scene)


def draw_moving(paper: Paper, scene: Scene) -> None:
    """Bodies, links and joints at the last sample of the scene."""
    last = scene.samples[-1]
    _pose(paper, scene, last, 1.0, layer=5.0)
    _supports(paper, scene, covered_points(scene), layer=6.4)
    off = scene.off(last)
    for link in scene.links:
        with faded(paper, link.name in off):
            _link(paper, scene, link, last)
    for joint in scene.blueprint.joints:
        with faded(paper, joint.name in off):
            _joint(paper, scene, joint, last)
    for port in scene.traces:
        paper.dot(scene.place(port, last), 0.6 * PIN, marker="o", color=scene.colour[port.body], zorder=9.5)


# Bodies -------------------------------------------------------------------------------------------------------


def _pose(paper: Paper, scene: Scene, k: int, strength: float, layer: float) -> None:
    for body in scene.blueprint.bodies:
        _body(paper, scene, body.name, k, strength, layer)
    _circles(paper, scene, k, strength, layer + 0.3)
    if strength < 1:
        for joint in scene.blueprint.joints:
            if symbol_of(joint) is Symbol.BLOCK:
                _block(paper, scene, joint, k, strength, layer + 0.01)
            paper.dot(scene.place(joint.second, k), 0.4 * PIN, marker="o", color="white", zorder=layer + 0.02)


def _body(paper: Paper, scene: Scene, body: str, k: int, strength: float, layer: float) -> None:
    """Shapes as they are; otherwise a bar or a plate through the points, or a disc if there is one place only."""
    form = scene.forms[body]
    colour, edge = lighter(scene.colour[body], strength), lighter(INK, strength)
    thin = {"edgecolor": edge, "linewidth": 1.1, "zorder": layer}
    for stem in form.stems:
        paper.line(scene.placed(body, stem, k), color=edge, linewidth=3.0, zorder=layer - 0.01)
        paper.line(scene.placed(body, stem, k), color=colour, linewidth=1.8, zorder=layer - 0.005)
    for face in form.faces:
        paper.shape(scene.placed(body, face, k), facecolor=lighter(scene.colour[body], 0.75 * strength), **thin)
    for spoke in form.spokes:
        paper.line(scene.placed(body, spoke, k), color=edge, linewidth=1.1, zorder=layer)
    for dot in form.dots:
        if not _blocks(scene, body):
            place = scene.placed(body, dot, k)[0]
            paper.dot(place, 1.3 * PIN, marker="o", color=colour, markeredgecolor=edge, zorder=layer)
    for bar in form.bars:
        places = scene.placed(body, bar, k)
        paper.line(places, color=edge, linewidth=LINK_WIDTH + 1.6, zorder=layer)
        paper.line(places, color=colour, linewidth=LINK_WIDTH, zorder=layer)
    for plate in form.plates:
        corners = scene.placed(body, plate, k)
        paper.shape(corners, facecolor=edge, edgecolor=edge, linewidth=LINK_WIDTH + 1.6, zorder=layer)
        paper.shape(corners, facecolor=colour, edgecolor=colour, linewidth=LINK_WIDTH, zorder=layer)


def _blocks(scene: Scene, body: str) -> bool:
    """Whether a sliding block stands for the body already."""
    return any(symbol_of(j) is Symbol.BLOCK and j.second.body == body for j in scene.blueprint.joints)


def _circles(paper: Paper, scene: Scene, k: int, strength: float, layer: float) -> None:
    """Gears and rolling discs, with a spoke that shows how they turn."""
    for circle in scene.circles(k):
        colour = lighter(scene.colour[circle.body], strength)
        paper.line(circle.points(), color=colour, linewidth=2.2, zorder=layer)
        if circle.spoke and circle.body != GROUND:
            paper.line([circle.centre, circle.centre + circle.u], color=colour, linewidth=1.4, zorder=layer)


# Joints -------------------------------------------------------------------------------------------------------


def _joint(paper: Paper, scene: Scene, joint: Joint, k: int) -> None:
    M, N, symbol = scene.place(joint.first, k), scene.place(joint.second, k), symbol_of(joint)
    if symbol in (Symbol.PIN, Symbol.BALL, Symbol.TOUCH):
        pin(paper, N)
    elif _slides(joint):
        if joint.first.body != GROUND:
            _rail(paper, scene, joint, k)
        if symbol is Symbol.BLOCK:
            _block(paper, scene, joint, k)
        else:
            pin(paper, N)
    elif symbol is Symbol.SQUARE:
        paper.dot(N, 0.9 * PIN, marker="s", color=INK, zorder=9)
    elif symbol is Symbol.ROD:
        paper.line([M, N], color=INK, linewidth=2.0, zorder=7)
        pin(paper, M)
        pin(paper, N)
    elif symbol is Symbol.DISC:
        if joint.first.body != GROUND:
            _floor(paper, scene, joint, k)
        paper.dot(N, 0.6 * PIN, marker="o", color="white", markeredgecolor=INK, zorder=9)
    elif symbol in ROLLING:
        along = paper.points(EDGE) * scene.axes(joint, k)["x_j"]
        width = 2.5 if symbol is Symbol.BLADE else 6.0
        paper.line([N - along, N + along], color=INK, linewidth=width, zorder=8)
    else:  # parallel, perpendicular, custom: no symbol of their own
        paper.line([M, N], color=INK, linewidth=1.0, linestyle=":", zorder=8)
        paper.dot(N, PIN, marker="D", color="white", markeredgecolor=INK, zorder=9)


def _block(paper: Paper, scene: Scene, joint: Joint, k: int, strength: float = 1.0, layer: float = 7.0) -> None:
    """The sliding block: a rectangle on the second port, along x_i; bodies with shapes of their own need none."""
    if joint.second.body != GROUND and scene.forms[joint.second.body].faces:
        return
    along, across = _frame(scene, joint, k)
    half = np.array([paper.points(BLOCK[0]) / 2 * along, paper.points(BLOCK[1]) / 2 * across])
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    corners = scene.place(joint.second, k) + signs @ half
    colour, edge = lighter(scene.colour[joint.second.body], strength), lighter(INK, strength)
    paper.shape(corners, facecolor=colour, edgecolor=edge, linewidth=1.2, zorder=layer)


def _frame(scene: Scene, joint: Joint, k: int) -> tuple[Array, Array]:
    """x_i and the direction across it that points up; of an upright rail on the ground, to where its body is."""
    axes = scene.axes(joint, k)
    across, body = axes["y_i"], joint.second.body
    side = float(across @ scene.up())
    if joint.first.body == GROUND != body and abs(side) < UPRIGHT:
        places = [scene.place(PortName(body, point), k) for point in scene.blueprint.ports_of(body)]
        places += [place for face in scene.forms[body].faces for place in scene.placed(body, face, k)]
        reach = (np.array(places) - scene.place(joint.second, k)) @ across
        lean = float(reach.max() + reach.min())
        side = lean if abs(lean) > UPRIGHT * scene.run.size else 1.0
    return axes["x_i"], across if side >= 0 else -across


def over_rail(scene: Scene, joint: Joint) -> Array:
    """On which side of its rail a block is seen."""
    return _frame(scene, joint, 0)[1]


def _rail(paper: Paper, scene: Scene, joint: Joint, k: int) -> None:
    """The line that the second point slides on, as long as its travel; under the block and hatched on the ground."""
    along, across = _frame(scene, joint, k)
    low, high = scene.travel(joint)
    over = max(paper.points(0.8 * BLOCK[0]), 1.2 * clearance(scene, joint, k, along))
    places = scene.place(joint.first, k) + np.outer([low - over, high + over], along)
    if joint.first.body != GROUND:
        paper.line(places, color=INK, linewidth=1.2, linestyle=(0, (4, 2)), zorder=6.5)
        return
    height = BLOCK[1] if symbol_of(joint) is Symbol.BLOCK else PIN
    below = max(paper.points(height / 2 + 1), clearance(scene, joint, k))
    hatched(paper, places - below * across, -across)


def clearance(scene: Scene, joint: Joint, k: int, direction: Array | None = None) -> float:
    """How far, in metres, the shapes of a sliding body reach below its point, or both ways in a direction."""
    body = joint.second.body
    faces = [] if body == GROUND or symbol_of(joint) is not Symbol.BLOCK else scene.forms[body].faces
    if not faces:
        return 0.0
    arms = scene.placed(body, np.concatenate(faces), k) - scene.place(joint.second, k)
    if direction is not None:
        return float(np.max(np.abs(arms @ direction)))
    _, across = _frame(scene, joint, k)
    return float(max(0.0, -np.min(arms @ across)))


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
    pinned = pinned_points(scene)
    railed = {j.first.point for j in scene.blueprint.joints if j.first.body == GROUND and _slides(j)}
    rolled = {j.first.point for j in scene.blueprint.joints if j.first.body == GROUND and _rolls(j)}
    _supports(paper, scene, pinned - covered_points(scene), layer=4.0)
    sprung: set[str] = set()
    for link in scene.links:
        for here, there in ((link.first, link.second), (link.second, link.first)):
            if here.body == GROUND and here.point not in pinned | sprung:
                sprung.add(here.point)
                anchor(paper, scene.place(here, k), scene.place(there, k), up)
    for point in sorted(set(scene.blueprint.ground) - pinned - railed - rolled - sprung):
        paper.dot(scene.blueprint.ground[point].at, 0.8 * PIN, marker="+", color=GREY, zorder=4)


def _supports(paper: Paper, scene: Scene, points: set[str], layer: float) -> None:
    up = scene.up()
    for point in sorted(points):
        place = np.array(scene.blueprint.ground[point].at)
        support(paper, place, -up if hangs(scene, point, up) else up, layer)


def covered_points(scene: Scene) -> set[str]:
    """Ground points with a pin in a body that has shapes: their supports are drawn in front of it."""
    found = set()
    for joint in scene.blueprint.joints:
        for here, there in ((joint.first, joint.second), (joint.second, joint.first)):
            if here.body == GROUND and there.body != GROUND and scene.forms[there.body].faces:
                found.add(here.point)
    return found & pinned_points(scene)


def pinned_points(scene: Scene) -> set[str]:
    """Ground points that stand on a support of their own."""
    joints = scene.blueprint.joints
    first = {j.first.point for j in joints if j.first.body == GROUND and not _slides(j) and not _rolls(j)}
    return first | {j.second.point for j in joints if j.second.body == GROUND}


def hangs(scene: Scene, point: str, up: Array) -> bool:
    """Whether what is pinned to this ground point is below it most of the time, and so is all the rest.

    Its support then is a ceiling. A crank that hangs down beside its machine stands on the floor all the same.
    """
    poses = scene.run.poses
    arms = []
    for joint in scene.blueprint.joints:
        for here, there in ((joint.first, joint.second), (joint.second, joint.first)):
            if (here.body, here.point) == (GROUND, point) and there.body != GROUND:
                reach = [poses.place(PortName(there.body, p)) for p in scene.blueprint.ports_of(there.body)]
                arms.append(np.mean(reach, axis=0) - scene.place(here, 0))
    if not arms:
        return False
    everything = np.concatenate([poses.position[:, b] for b in range(poses.position.shape[1])])
    return _below(np.concatenate(arms), up) and _below(everything - scene.blueprint.ground[point].at, up)


def _below(arms: Array, up: Array) -> bool:
    return bool(np.mean(arms @ up) < -0.25 * np.mean(np.linalg.norm(arms, axis=1)))


def _slides(joint: Joint) -> bool:
    return symbol_of(joint) in ON_RAILS


def _rolls(joint: Joint) -> bool:
    return symbol_of(joint) in ROLLING


# Forces -------------------------------------------------------------------------------------------------------


def _link(paper: Paper, scene: Scene, link: DrawnLink, k: int) -> None:
    a, b = scene.place(link.first, k), scene.place(link.second, k)
    if link.symbol is LinkSymbol.RUBBER:
        rubber(paper, a)
        return
    length = float(np.linalg.norm(b - a))
    if length < paper.points(2 * PIN):
        return
    along = (b - a) / length
    across = np.array([-along[1], along[0]])
    if link.symbol is LinkSymbol.ROPE:
        cord(paper, a, b, scene.slack(link, k))
    elif link.symbol is LinkSymbol.CYLINDER:
        cylinder(paper, a, along, across, length, 0.65 * scene.length(link))
    else:
        drawing = {LinkSymbol.COIL: zigzag, LinkSymbol.DASHPOT: dashpot, LinkSymbol.GAP: gap}[link.symbol]
        drawing(paper, a, along, across, length)
    for place in (a, b):
        paper.dot(place, 0.4 * PIN, marker="o", color=SPRING, zorder=8)


# Names and frame ----------------------------------------------------------------------------------------------


def _names(paper: Paper, scene: Scene, k: int) -> None:
    """Names of joints beside their places, one text for joints whose names would cover each other."""
    if len(scene.blueprint.joints) > MAX_NAMED_JOINTS:
        return
    texts: list[tuple[Array, list[str]]] = []
    for joint in scene.blueprint.joints:
        place = np.asarray(scene.place(joint.second, k), dtype=float)
        for other, names in texts:
            if np.linalg.norm(place - other) < paper.points(CLOSE):
                names.append(joint.name)
                break
        else:
            texts.append((place, [joint.name]))
    up = scene.up()
    ceilings = [scene.blueprint.ground[p].at for p in pinned_points(scene) if hangs(scene, p, up)]
    for place, names in texts:
        below = any(np.linalg.norm(place - at) < paper.points(CLOSE) for at in ceilings)
        paper.name(place, ", ".join(names), below=below)


def _finish(paper: Paper, scene: Scene) -> None:
    from matplotlib.ticker import MaxNLocator

    ax = paper.ax
    ax.set(xlim=(paper.low[0], paper.high[0]), ylim=(paper.low[1], paper.high[1]), xlabel="x (m)", ylabel="y (m)")
    inches = (paper.high[0] - paper.low[0]) * paper.metre / 72
    ax.xaxis.set_major_locator(MaxNLocator(nbins=int(np.clip(1.7 * inches, 2, 9)), steps=[1, 2, 2.5, 5, 10]))
    ax.set_aspect("equal")
    ax.set_title(scene.title, fontsize=11, loc="left")
    ax.grid(True, color="#e6e8eb", linewidth=0.7)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
