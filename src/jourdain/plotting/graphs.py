"""The picture of a system graph: the ground on top, bodies below it by depth, cut joints as dashed arcs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..mechanism.parts import GROUND

if TYPE_CHECKING:
    from ..model.topology.system_graph import SystemGraph

DPI = 150
TREE, CUT = "#4c566a", "#c1443c"
BOW = 0.25  # of the arcs, as a part of their length
NAMED = 60  # bodies up to which names fit


def places(graph: SystemGraph) -> dict[str, tuple[float, float]]:
    """Ends of branches side by side, every other body above the middle of its children; y is minus the depth."""
    x: dict[str, float] = {}
    ends = 0
    for link in reversed(graph.links):
        below = graph.children[link.body]
        if not below:
            x[link.body] = -float(ends)
            ends += 1
        else:
            x[link.body] = sum(x[body] for body in below) / len(below)
    at = {link.body: (x[link.body], -float(link.depth)) for link in graph.links}
    bases = [x[body] for body in graph.bases]
    return {GROUND: (sum(bases) / max(1, len(bases)), 0.0), **at}


def draw_graph(graph: SystemGraph, path: str | Path | None = None) -> Any:
    """A figure of tree and cuts, with the names of bodies and joints where there is room for them."""
    from .picture import picture

    at = places(graph)
    width = 1.0 + max(p[0] for p in at.values()) - min(p[0] for p in at.values())
    figure = picture(figsize=(min(16.0, 2.0 + 1.3 * width), min(16.0, 1.5 + 0.9 * graph.depth)), layout="constrained")
    ax = figure.add_subplot()
    ax.axis("off")
    ax.set_aspect("equal", adjustable="datalim")  # so that the middle of an arc is known
    ax.margins(0.12)
    named = len(graph.links) <= NAMED
    for link in graph.links:
        (x0, y0), (x1, y1) = at[link.parent], at[link.body]
        ax.plot((x0, x1), (y0, y1), color=TREE, linestyle=":" if link.joint is None else "-", zorder=1)
        if named:
            ax.text((x0 + x1) / 2, (y0 + y1) / 2, link.joint.name if link.joint else "free", **_style(TREE, 7))
    for joint in graph.cuts:
        a, b = at[joint.first.body], at[joint.second.body]
        arc = {"arrowstyle": "-", "connectionstyle": f"arc3,rad={BOW}", "linestyle": "--", "color": CUT}
        ax.annotate("", a, b, arrowprops=arc, zorder=1)
        if named:
            x, y = (a[0] + b[0] + BOW * (a[1] - b[1])) / 2, (a[1] + b[1] + BOW * (b[0] - a[0])) / 2
            ax.text(x, y, joint.name, **_style(CUT, 7))
    for name, (x, y) in at.items():
        if named or name == GROUND:
            box = {"boxstyle": "square" if name == GROUND else "round", "facecolor": "white", "edgecolor": TREE}
            ax.text(x, y, name, ha="center", va="center", fontsize=9, bbox=box, zorder=3)
        else:
            ax.plot(x, y, "o", color=TREE, markersize=3, zorder=3)
    ax.set_title(graph.mechanism, fontsize=11, loc="left")
    if path is not None:
        figure.savefig(path, dpi=DPI)
    return figure


def _style(colour: str, size: int) -> dict[str, Any]:
    patch = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    return {"color": colour, "fontsize": size, "ha": "center", "va": "center", "bbox": patch, "zorder": 2}
