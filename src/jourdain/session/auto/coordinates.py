"""Which coordinates `auto` takes: those of bodies, or of joints where the recursion is the faster right choice.

Measured, one evaluation in microseconds, coordinates of bodies against joints: planar chains of 10, 30 and 100 links
1.1 and 0.3, 3.2 and 0.8, 10.5 and 2.6; spatial ones 8.2 and 1.3, 25 and 3.7, 85 and 12. Loops in the plane take 1.2 to
1.5 times as long in joint coordinates; in space Bricard's takes 0.4 times, a Stewart platform the same. Small machines
are left as they are: their runs take no time either way, and another set of coordinates takes seconds to compile once.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ... import choices as ch
from ...mechanism.names import counted
from ...mechanism.parts import PLANAR, Blueprint
from ...model.body_data import body_data
from ...model.extent import extent_of
from ...model.topology.system_graph import system_graph
from ...model.tree.tree_arrays import cuttable

MANY = 20  # bodies
BODIES_A_LOOP = 4  # in space


def with_best_coordinates(blueprint: Blueprint, choices: ch.Choices) -> ch.Choices:
    """The choices, with joint coordinates where these were left to us and pay; they say why."""
    if not choices.any_coordinates or len(blueprint.bodies) < MANY or not _fits(blueprint):
        return choices
    graph = system_graph(blueprint, cuttable(blueprint))
    loops = len(graph.cuts) + len(blueprint.motions) + len(blueprint.relations)
    if loops > (0 if blueprint.space == PLANAR else len(blueprint.bodies) // BODIES_A_LOOP):
        return choices
    bodies, closed = (
        counted(len(blueprint.bodies), "body", "bodies"),
        counted(loops, "loop or relation", "loops and relations"),
    )
    why = f"auto: joint coordinates are faster for {bodies} with {closed}"
    relative = ch.coordinates_of(blueprint.space, "relative")
    return replace(choices, set=relative, treatment=ch.Recursion(), why=why)


def _fits(blueprint: Blueprint) -> bool:
    """Whether every body has inertia in every direction: a tree cannot turn one that has none about its own joint."""
    sizes = extent_of(blueprint).of_bodies
    return not any(np.any(body_data(blueprint, *pair).extra) for pair in zip(blueprint.bodies, sizes, strict=True))
