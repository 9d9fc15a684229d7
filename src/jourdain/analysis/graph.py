"""graph: what is joined to what, as a tree from the ground outwards and the joints that close its loops."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..files.by_name import Given, or_file
from ..library.mechanism_faults import joint_entries
from ..mechanism.arguments import asked
from ..mechanism.builder import blueprint_of
from ..model.topology.system_graph import SystemGraph, system_graph
from ..plotting.cards import Card


class Graph(SystemGraph, Card):
    """The tree of a mechanism and its cut joints. `print(graph)` shows it, `graph.draw("graph.png")` draws it."""

    _drawn_in_letters = True

    def draw(self, path: str | Path | None = None) -> Any:
        """A picture of tree and cuts; saved if `path` is given."""
        from ..plotting.graphs import draw_graph

        return draw_graph(self, path)

    def _picture(self) -> Any:
        return self.draw()


@or_file
@asked
def graph(mechanism: Given, cuts: Collection[str] = (), base: str | None = None) -> Graph:
    """The graph of a mechanism: `print(jd.graph(m))`.

    The tree leaves fewest equations to cut joints and is shallow; joints named in `cuts` stay out of it. It grows
    from the ground, or from the body `base`.
    """
    blueprint = blueprint_of(mechanism)
    joint_entries(blueprint)  # raises all faults at once, unknown types of joints among them
    return with_picture(system_graph(blueprint, cuts, base))


def with_picture(found: SystemGraph) -> Graph:
    """The same, that can be drawn."""
    return Graph(**{field.name: getattr(found, field.name) for field in fields(found)})
