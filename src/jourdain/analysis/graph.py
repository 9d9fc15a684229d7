"""graph: what is joined to what, as a tree from the ground outwards and the joints that close its loops."""

from __future__ import annotations

from collections.abc import Collection

from ..compiled.compile import catalogue_entries
from ..mechanism.builder import Mechanism, blueprint_of
from ..mechanism.parts import Blueprint
from ..topology.graph import SystemGraph, system_graph


def graph(mechanism: Mechanism | Blueprint, cuts: Collection[str] = ()) -> SystemGraph:
    """The graph of a mechanism: `print(jd.graph(m))`.

    The tree leaves fewest equations to cut joints and is shallow; joints named in `cuts` stay out of it.
    """
    blueprint = blueprint_of(mechanism)
    catalogue_entries(blueprint)  # raises all faults at once, unknown types of joints among them
    return system_graph(blueprint, cuts)
