"""Paper and pen: the symbols of planar drawings, in sizes that stay the same on paper whatever the mechanism's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .scene import GREY, INK, ROPE, SPRING, Array, Scene

# Sizes on paper, in points; all shrink together where links are short.
LINK_WIDTH = 7.0
PIN = 7.5
BLOCK = (26.0, 15.0)
SUPPORT = 13.0
HATCH = 4.5
MAX_STROKES = 500
COIL = 5.0
MARGIN = 0.07
FADED = 0.25


class Paper:
    """An axes with its scale: `points(n)` is the length in metres of n points on paper."""

    def __init__(self, ax: Any, scene: Scene, links: list[float]) -> None:
        low, high = scene.bounds()
        span = float(np.max(high - low))
        pad = MARGIN * span + np.zeros(2)
        width, height = (72.0 * s for s in self._inches(ax))
        room = high - low + 2 * pad
        self.ax = ax
        self.made: list[Any] = []  # artists, in the order they were made
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
        self.made += self.ax.plot(places[:, 0], places[:, 1], solid_capstyle="round", solid_joinstyle="round", **style)

    def shape(self, corners: Any, **style: Any) -> None:
        from matplotlib.patches import Polygon

        style["linewidth"] = self.shrink * style.get("linewidth", 1.0)
        self.made.append(self.ax.add_patch(Polygon(np.asarray(corners), closed=True, joinstyle="round", **style)))

    def dot(self, place: Any, size: float, **style: Any) -> None:
        self.made += self.ax.plot(*place, linestyle="none", markersize=self.shrink * size, **style)

    def name(self, place: Any, text: str, below: bool) -> None:
        frame = {"boxstyle": "round,pad=0.1", "facecolor": "white", "alpha": 0.75, "linewidth": 0}
        offset = {"xytext": (9, -9) if below else (8, 6), "textcoords": "offset points"}
        self.ax.annotate(text, place, **offset, fontsize=9, color=INK, zorder=11, bbox=frame)


@contextmanager
def faded(sheet: Any, wanted: bool) -> Iterator[None]:
    """What is drawn on a paper or in a room meanwhile is pale, if that is wanted: parts that are switched off."""
    before = len(sheet.made)
    yield
    for artist in sheet.made[before:] if wanted else ():
        artist.set_alpha(FADED)


def pin(paper: Paper, place: Array) -> None:
    paper.dot(place, PIN, marker="o", color="white", markeredgecolor=INK, markeredgewidth=1.3 * paper.shrink, zorder=9)


def support(paper: Paper, place: Array, up: Array, layer: float = 4.0) -> None:
    """A triangle standing on hatched ground, its tip in the pin."""
    side = np.array([up[1], -up[0]])
    size = paper.points(SUPPORT)
    foot = place - size * up
    paper.shape(
        [place, foot - 0.6 * size * side, foot + 0.6 * size * side],
        facecolor="white",
        edgecolor=INK,
        linewidth=1.2,
        zorder=layer,
    )
    hatched(paper, [foot - size * side, foot + size * side], -up, layer)


def anchor(paper: Paper, place: Array, other: Array, up: Array) -> None:
    """A short hatched wall across the spring that ends on it."""
    d = other - place
    along = d / np.linalg.norm(d) if np.linalg.norm(d) > 0 else up
    side = paper.points(0.8 * SUPPORT) * np.array([-along[1], along[0]])
    hatched(paper, [place - side, place + side], -along)


def hatched(paper: Paper, places: Any, away: Array, layer: float = 4.0) -> None:
    """A ground line with strokes on the side `away`."""
    a, b = np.asarray(places[0]), np.asarray(places[1])
    length = float(np.linalg.norm(b - a))
    along = (b - a) / length
    stroke = paper.points(HATCH)
    count = int(np.clip(length / stroke, 2, MAX_STROKES))
    feet = a + np.outer((np.arange(count) + 0.5) / count * length, along)
    strokes = np.stack([feet, feet + stroke * (away - along), np.full_like(feet, np.nan)], axis=1).reshape(-1, 2)
    paper.line([a, b], color=INK, linewidth=1.3, zorder=layer)
    paper.line(strokes, color=GREY, linewidth=0.9, zorder=layer - 0.1)


def zigzag(paper: Paper, a: Array, along: Array, across: Array, length: float) -> None:
    straight = min(0.2 * length, paper.points(2.5 * PIN))
    coils = int(np.clip((length - 2 * straight) / paper.points(1.8 * COIL), 3, 12))
    s = np.concatenate([[0.0], np.linspace(straight, length - straight, 2 * coils + 1), [length]])
    side = paper.points(COIL) * np.array([0.0, 0.0, *([1.0, -1.0] * coils)[:-1], 0.0, 0.0])
    paper.line(a + np.outer(s, along) + np.outer(side, across), color="white", linewidth=3.4, zorder=7.5)
    paper.line(a + np.outer(s, along) + np.outer(side, across), color=SPRING, linewidth=1.5, zorder=7.6)


def dashpot(paper: Paper, a: Array, along: Array, across: Array, length: float) -> None:
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


def cord(paper: Paper, a: Array, b: Array, slack: bool) -> None:
    """A rope: a thin line, dashed where it hangs loose."""
    style = {"linestyle": (0, (3, 2))} if slack else {}
    paper.line([a, b], color=ROPE, linewidth=1.6, zorder=6.8, **style)


def gap(paper: Paper, a: Array, along: Array, across: Array, length: float) -> None:
    """A stop: two plates that face each other."""
    w, half = paper.points(COIL), min(0.12 * length, paper.points(COIL))
    style = {"color": SPRING, "linewidth": 1.5, "zorder": 7.6}
    for s, end in ((length / 2 - half, 0.0), (length / 2 + half, length)):
        paper.line([a + end * along, a + s * along], **style)
        paper.line([a + s * along - w * across, a + s * along + w * across], **style)


def rubber(paper: Paper, place: Array) -> None:
    """A bushing: a ring."""
    for size, colour in ((1.9, "#5b6470"), (1.1, "white")):
        paper.dot(place, size * PIN, marker="o", color=colour, markeredgecolor=INK, markeredgewidth=0.9, zorder=8.5)


def cylinder(paper: Paper, a: Array, along: Array, across: Array, length: float, barrel: float) -> None:
    """A barrel at the first end, with a rod to the second."""
    w, barrel = paper.points(0.9 * COIL), min(barrel, 0.9 * length)
    corners = [a + s * along + side * w * across for s, side in ((0, -1), (barrel, -1), (barrel, 1), (0, 1))]
    paper.line([a, a + length * along], color=INK, linewidth=3.0, zorder=7.4)
    paper.line([a, a + length * along], color="#cfd4da", linewidth=1.6, zorder=7.45)
    paper.shape(corners, facecolor="#dfe5ea", edgecolor=INK, linewidth=1.2, zorder=7.5)
