"""Mechanisms in space on a 3-D axes: the same symbols as in the plane, as far as they have a meaning there."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..library.joints import Symbol, symbol_of
from ..library.joints.joint_kind import ON_RAILS, ROLLING
from ..library.kinds import LinkSymbol
from ..mechanism.parts import GROUND, Joint
from ..mechanism.rotations import perpendicular
from ..mechanism.ties import TIE, largest
from .links_and_wheels import DrawnLink
from .scene import (
    GREY,
    INK,
    MAX_NAMED_JOINTS,
    ROPE,
    SPRING,
    Array,
    Scene,
    body_legend,
    lighter,
    strengths,
)
from .symbols import faded

FIGURE_SIZE = (7.5, 6.0)
# Sizes as parts of the largest extent of the drawing.
AXLE = 0.035
BLOCK = (0.09, 0.05, 0.05)
PLATE = 0.05
COIL = 0.02
LINK_WIDTH = 5.0  # points
DEPTH = 0.35
LABEL_PAD, OWN_PAD = 8.0, 21.0  # points; the second is what Matplotlib adds
LIGHT = np.array([0.35, -0.5, 0.79])


class Room:
    """A 3-D axes and the extent of what is drawn in it."""

    def __init__(self, ax: Any, scene: Scene) -> None:
        low, high = scene.bounds()
        self.ax = ax
        self.vertical = largest(np.abs(scene.up()))  # the axis that is drawn upright
        self.made: list[Any] = []  # artists, in the order they were made
        self.size = float(np.max(high - low))
        # A flat mechanism gets some depth all the same: a room of no depth cannot be looked into.
        pad = np.maximum(0.08 * self.size, (DEPTH * self.size - (high - low)) / 2)
        self.thickness = high - low
        self.low, self.high = low - pad, high + pad

    def nearness(self, scene: Scene, body: str, k: int) -> int:
        """How near the middle of a body is to the eye, in tenths of the size; what is nearer is drawn later.

        Bodies about as near as each other are drawn in the order they were given: a sleeve over its shaft.
        """
        places = [place for piece in scene.forms[body].pieces() for place in piece]
        if not places:
            return 0
        middle = scene.placed(body, np.mean(places, axis=0)[None, :], k)
        # Just between two tenths, as drawn machines often are, rounding must not choose.
        return round(10 * self.towards_eye(middle) / self.size - TIE)

    def towards_eye(self, places: Any) -> float:
        """How near the middle of some places is to the eye, in metres from the origin."""
        elevation, azimuth = np.radians(self.ax.elev), np.radians(self.ax.azim)
        level = np.cos(elevation)
        eye = np.array([level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation)])
        return float(np.mean(places, axis=0) @ np.roll(eye, self.vertical - 2))

    def line(self, places: Any, **style: Any) -> None:
        self.made += self.ax.plot(*np.asarray(places).T, solid_capstyle="round", **style)

    def dot(self, place: Any, size: float, **style: Any) -> None:
        self.made += self.ax.plot(*np.asarray(place)[:, None], linestyle="none", markersize=size, **style)

    def faces(self, faces: Any, **style: Any) -> None:
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        # Faces of unlike numbers of corners would be filled up with whatever is in memory, which may overflow; so
        # corners are repeated, each as often as the others: faces are sorted by the mean depth of their corners.
        most = max(len(face) for face in faces)
        even = [np.asarray(face)[np.arange(most) * len(face) // most] for face in faces]
        self.made.append(self.ax.add_collection3d(Poly3DCollection(even, **style)))


def draw(scene: Scene, ax: Any) -> None:
    """The whole drawing on one 3-D axes."""
    room = begin(scene, ax)
    draw_still(room, scene)
    last = scene.samples[-1]
    for layer, (k, strength) in enumerate(zip(scene.samples, strengths(len(scene.samples)), strict=True), start=2):
        if k != last:
            _pose(room, scene, k, strength, layer)
    draw_moving(room, scene)
    if len(scene.blueprint.joints) <= MAX_NAMED_JOINTS:
        _names(room, scene, last, 4 + len(scene.samples))


def _names(room: Room, scene: Scene, k: int, layer: int) -> None:
    """Names of joints beside their places, one text for joints that share a place."""
    from matplotlib.patheffects import withStroke

    texts: dict[tuple[float, ...], list[str]] = {}
    for joint in scene.blueprint.joints:
        place = np.round(scene.place(joint.second, k) / room.size, 2) * room.size
        texts.setdefault(tuple(place), []).append(joint.name)
    halo = [withStroke(linewidth=2.5, foreground="white", alpha=0.8)]
    for (x, y, z), names in texts.items():
        room.ax.text(x, y, z, f"   {', '.join(names)}", fontsize=9, color=INK, zorder=layer, path_effects=halo)


def begin(scene: Scene, ax: Any) -> Room:
    """An axes made ready: limits, view, title."""
    ax.computed_zorder = False
    room = Room(ax, scene)
    _finish(room, scene)
    return room


def draw_still(room: Room, scene: Scene) -> None:
    """What does not move: the ground, rails fixed to it, paths of points."""
    last = scene.samples[-1]
    _ground(room, scene)
    for joint in scene.blueprint.joints:
        if joint.first.body == GROUND and symbol_of(joint) in ON_RAILS:
            _rail(room, scene, joint, last, 1)
    for port in scene.traces:
        room.line(scene.path(port), color=scene.colour[port.body], linewidth=1.3, alpha=0.8, zorder=1.5)
    body_legend(room.ax, scene)


def draw_moving(room: Room, scene: Scene) -> None:
    """Bodies, links and joints at the last sample of the scene."""
    last, top = scene.samples[-1], 2 + len(scene.samples)
    _pose(room, scene, last, 1.0, top - 1)
    off = scene.off(last)
    for link in scene.links:
        with faded(room, link.name in off):
            _link(room, scene, link, last, top)
    for joint in scene.blueprint.joints:
        with faded(room, joint.name in off):
            _joint(room, scene, joint, last, top + 1)
    for port in scene.traces:
        room.dot(scene.place(port, last), 5, marker="o", color=scene.colour[port.body], zorder=top + 1)


def _pose(room: Room, scene: Scene, k: int, strength: float, layer: int) -> None:
    for body in sorted(scene.forms, key=lambda name: room.nearness(scene, name, k)):
        _body(room, scene, body, k, strength, layer)
    for circle in scene.circles(k):
        if circle.body != GROUND and scene.forms[circle.body].faces:
            continue
        colour = lighter(scene.colour[circle.body], strength)
        room.faces([circle.points()], facecolor=colour, edgecolor=lighter(INK, strength), alpha=0.5, zorder=layer)
        room.line([circle.centre, circle.centre + circle.u], color=lighter(INK, strength), zorder=layer)


def _body(room: Room, scene: Scene, body: str, k: int, strength: float, layer: int) -> None:
    """Shapes as they are; otherwise a bar, a plate or a solid through the points; axes where all are in one place."""
    form = scene.forms[body]
    colour, edge = lighter(scene.colour[body], strength), lighter(INK, strength)
    for stem in form.stems:
        room.line(scene.placed(body, stem, k), color=colour, linewidth=2.2, zorder=layer)
    for bar in form.bars:
        places = scene.placed(body, bar, k)
        room.line(places, color=edge, linewidth=LINK_WIDTH + 1.5, zorder=layer)
        room.line(places, color=colour, linewidth=LINK_WIDTH, zorder=layer)
    if form.plates:
        faces = [scene.placed(body, plate, k) for plate in form.plates]
        room.faces(faces, facecolor=colour, edgecolor=edge, linewidth=0.8, alpha=0.85, zorder=layer)
    if form.faces:
        faces = [scene.placed(body, face, k) for face in form.faces]
        shades = [_shade(colour, face) for face in faces]
        thin = 0.8 if len(faces) < 10 else 0.0
        style = {"facecolors": shades, "edgecolors": edge if thin else shades, "linewidth": thin or 0.4}
        room.faces(faces, **style, alpha=0.95, zorder=layer)
    for number, spoke in enumerate(form.spokes):
        hub, behind = (scene.placed(body, x[None, :], k) for x in (spoke[0], form.behind.get(number, spoke[0])))
        if room.towards_eye(hub) >= room.towards_eye(behind) - TIE * room.size:  # else its face is turned away
            room.line(scene.placed(body, spoke, k), color=edge, linewidth=1.0, zorder=layer)
    for dot in form.dots:
        place = scene.placed(body, dot, k)[0]
        lone = not scene.blueprint.body(body).ports  # nothing but its axes shows how it turns
        for axis, shade in zip(np.eye(3), ("#e45756", "#54a24b", "#4c78a8"), strict=True):
            tip = place + 4 * lone * AXLE * room.size * scene.direction(body, axis, k)
            room.line([place, tip], color=lighter(shade, strength), linewidth=2, zorder=layer)
        room.dot(place, 7, marker="o", color=colour, markeredgecolor=edge, zorder=layer)


def _shade(colour: tuple[float, float, float], face: Array) -> tuple[float, float, float]:
    """Light from above and the left: faces that are turned away are darker."""
    normal = np.cross(face[1] - face[0], face[2] - face[1])
    length = float(np.linalg.norm(normal))
    light = abs(float(normal @ LIGHT)) / length if length > 0 else 0.5
    r, g, b = (min(1.0, c * (0.68 + 0.36 * light)) for c in colour)
    return r, g, b


def _joint(room: Room, scene: Scene, joint: Joint, k: int, layer: int) -> None:
    M, N = scene.place(joint.first, k), scene.place(joint.second, k)
    axes, symbol = scene.axes(joint, k), symbol_of(joint)
    if symbol is Symbol.BALL:
        room.dot(N, 8, marker="o", color="white", markeredgecolor=INK, markeredgewidth=1.3, zorder=layer)
    elif symbol is Symbol.PIN:
        _axle(room, N, axes["z_i"], 1.0, layer)
    elif symbol is Symbol.SLEEVE:
        _moving_rail(room, scene, joint, k, layer)
        _axle(room, N, axes["z_i"], 1.5, layer)
    elif symbol is Symbol.CROSS:
        _axle(room, N, axes["z_i"], 1.0, layer)
        _axle(room, N, axes["z_j"], 1.0, layer)
    elif symbol is Symbol.BLOCK:
        _moving_rail(room, scene, joint, k, layer)
        _block(room, scene, joint, k, layer)
    elif symbol is Symbol.SLOT:
        _moving_rail(room, scene, joint, k, layer)
        room.dot(N, 7, marker="o", color="white", markeredgecolor=INK, zorder=layer)
    elif symbol is Symbol.SQUARE:
        room.dot(N, 7, marker="s", color=INK, zorder=layer)
    elif symbol is Symbol.ROD:
        room.line([M, N], color=INK, linewidth=2, zorder=layer)
        for place in (M, N):
            room.dot(place, 6, marker="o", color="white", markeredgecolor=INK, zorder=layer)
    elif symbol is Symbol.BLADE:
        along = 2 * AXLE * room.size * axes["x_j"]
        room.line([N - along, N + along], color=INK, linewidth=3, zorder=layer)
    elif symbol in ROLLING:
        _axle(room, N, axes["z_j"], 1.0, layer)
    else:
        room.line([M, N], color=INK, linewidth=1, linestyle=":", zorder=layer)
        room.dot(N, 6, marker="D", color="white", markeredgecolor=INK, zorder=layer)


def _axle(room: Room, place: Array, axis: Array, length: float, layer: int) -> None:
    """A short cylinder along the axis of rotation: a dark line with a light one inside."""
    half = length * AXLE * room.size * axis
    room.line([place - half, place + half], color=INK, linewidth=7, zorder=layer)
    room.line([place - half, place + half], color="white", linewidth=4, zorder=layer)


def _moving_rail(room: Room, scene: Scene, joint: Joint, k: int, layer: int) -> None:
    """Rails on the ground stand still and are drawn with it."""
    if joint.first.body != GROUND:
        _rail(room, scene, joint, k, layer)


def _rail(room: Room, scene: Scene, joint: Joint, k: int, layer: int) -> None:
    low, high = scene.travel(joint)
    over = BLOCK[0] * room.size
    M, axis = scene.place(joint.first, k), scene.axes(joint, k)["z_i"]
    colour = GREY if joint.first.body == GROUND else INK
    room.line(M + np.outer([low - over, high + over], axis), color=colour, linewidth=1.5, linestyle="--", zorder=layer)


def _block(room: Room, scene: Scene, joint: Joint, k: int, layer: int) -> None:
    """A box on the second port, its length along z_i; bodies with shapes of their own need none."""
    if joint.second.body != GROUND and scene.forms[joint.second.body].faces:
        return
    axes = scene.axes(joint, k)
    half = np.stack([axes["z_i"] * BLOCK[0], axes["x_i"] * BLOCK[1], axes["y_i"] * BLOCK[2]]) * room.size / 2
    N = scene.place(joint.second, k)
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    faces = [N + np.insert(square, axis, side, axis=1) @ half for axis in range(3) for side in (-1, 1)]
    colour = scene.colour[joint.second.body]
    room.faces(faces, facecolor=colour, edgecolor=INK, linewidth=0.8, alpha=0.9, zorder=layer)


def _ground(room: Room, scene: Scene) -> None:
    """A hatched plate under every ground point."""
    up = scene.up()
    side = -perpendicular(up)
    other = np.cross(up, side)
    s = PLATE * room.size
    for port in scene.blueprint.ground.values():
        foot = np.array(port.at) - 0.8 * s * up
        corners = [foot + s * (a * side + b * other) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        room.faces([corners], facecolor="#eceef1", edgecolor=GREY, linewidth=0.8, zorder=1)
        for c in np.linspace(-0.75, 0.75, 7):
            a, b = foot + s * (c * side - 0.95 * other), foot + s * (c * side + 0.95 * other)
            room.line([a, b], color=GREY, linewidth=0.5, zorder=1)
        room.line([foot, port.at], color=INK, linewidth=1.5, zorder=1)


def _link(room: Room, scene: Scene, link: DrawnLink, k: int, layer: int) -> None:
    """A helix for a spring, a thick line with a thin one for a cylinder, a ring for a bushing; else a plain line."""
    a, b = scene.place(link.first, k), scene.place(link.second, k)
    if link.symbol is LinkSymbol.RUBBER:
        room.dot(a, 10, marker="o", color="#5b6470", markeredgecolor=INK, zorder=layer)
        return
    if link.symbol is LinkSymbol.ROPE:
        style = {"linestyle": (0, (3, 2))} if scene.slack(link, k) else {}
        room.line([a, b], color=ROPE, linewidth=1.5, zorder=layer, **style)
        return
    length = float(np.linalg.norm(b - a))
    if link.symbol is LinkSymbol.CYLINDER and length > 0:
        barrel = a + min(0.65 * scene.length(link) / length, 0.9) * (b - a)
        room.line([a, b], color=INK, linewidth=2.5, zorder=layer)
        room.line([a, barrel], color=INK, linewidth=8.5, zorder=layer)
        room.line([a, barrel], color="#dfe5ea", linewidth=7, zorder=layer)
        return
    if length < 4 * COIL * room.size:
        return
    along = (b - a) / length
    side = -perpendicular(along)
    s = np.linspace(0, 1, 300)
    radius = COIL * room.size * np.clip(np.minimum(s, 1 - s) / 0.08 - 1, 0, 1) * (link.symbol is LinkSymbol.COIL)
    turns = 2 * np.pi * 10 * s
    ring = np.outer(radius * np.cos(turns), side) + np.outer(radius * np.sin(turns), np.cross(along, side))
    room.line(a + np.outer(s * length, along) + ring, color=SPRING, linewidth=1.3, zorder=layer)


def _label_pad(sides: Array, k: int) -> float:
    """Points between the numbers and the name of an axis.

    Matplotlib moves both away from the axis by parts of the other two sides, so where these are short, names would
    stand on the numbers.
    """
    slender = float(np.max(sides) / np.mean(np.delete(sides, k)))
    return (LABEL_PAD + OWN_PAD) * max(slender, 1.0) - OWN_PAD


def _finish(room: Room, scene: Scene) -> None:
    from matplotlib.ticker import MaxNLocator

    ax = room.ax
    limits = zip(("xlim", "ylim", "zlim"), zip(room.low, room.high, strict=True), strict=True)
    ax.set(**dict(limits), xlabel="x (m)", ylabel="y (m)", zlabel="z (m)")
    vertical = room.vertical
    first, second = room.thickness[(vertical + 1) % 3], room.thickness[(vertical + 2) % 3]
    ax.view_init(elev=20, azim=-30 if first < second else -60, vertical_axis="xyz"[vertical])
    sides = room.high - room.low
    tall, long = sides[vertical] > 0.8 * np.max(sides), np.max(sides) > 1.6 * np.median(sides)
    ax.set_box_aspect(sides, zoom=0.95 if tall or long else 1.05)
    for axis, side in zip((ax.xaxis, ax.yaxis, ax.zaxis), sides / np.max(sides), strict=True):
        axis.set_major_locator(MaxNLocator(nbins=max(2, round(6 * side))))
    ax.set_title(scene.title, fontsize=11, loc="left")
    for k, axis in enumerate((ax.xaxis, ax.yaxis, ax.zaxis)):
        axis.labelpad = _label_pad(sides, k)
        axis.set_pane_color((0.97, 0.975, 0.98, 1.0))
        axis.line.set_color(GREY)
    ax.grid(True)
