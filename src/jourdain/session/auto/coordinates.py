"""Which coordinates `auto` takes: those of bodies, or of joints where the recursion is the faster right choice.

What an evaluation takes is counted beforehand (model/topology/counting.py); what a multiplication, a row and a body or
velocity cost is fitted to steps of rk4 of eighteen machines, whose times it gives to a third. In the plane trees
without loops take a third of the time in joint coordinates, loops 1.5 to 2 times as long; in space chains take a tenth,
Bricard's loop and chains with a loop a third, a Stewart platform 0.8. Small machines are left as they are: their runs
take no time either way, and another set of coordinates takes half a minute to compile once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ... import choices as ch
from ...mechanism.names import counted
from ...mechanism.parts import PLANAR, SPATIAL, Blueprint
from ...model.body_data import body_data
from ...model.extent import extent_of
from ...model.topology.counting import Work, in_bodies, in_joints
from ...model.topology.system_graph import SystemGraph, system_graph
from ...model.tree.tree_arrays import cuttable

MANY = 20  # bodies
PAYS = 0.8  # of the time in coordinates of bodies, or less


class _Costs(NamedTuple):
    """ns a step of rk4, of each body or velocity, multiplication and row."""

    unit: float
    product: float
    row: float

    def of(self, work: Work) -> float:
        return self.unit * work.units + self.product * work.products + self.row * work.rows


BODIES = {PLANAR: _Costs(0.0, 1.4, 85.0), SPATIAL: _Costs(0.0, 1.1, 270.0)}
JOINTS = {PLANAR: _Costs(320.0, 2.5, 320.0), SPATIAL: _Costs(450.0, 2.8, 660.0)}  # where rows are carried


def with_best_coordinates(blueprint: Blueprint, choices: ch.Choices) -> ch.Choices:
    """The choices, with joint coordinates where these were left to us and pay; they say why."""
    if not choices.any_coordinates or len(blueprint.bodies) < MANY or not _fits(blueprint):
        return choices
    graph = system_graph(blueprint, cuttable(blueprint))
    loops = len(graph.cuts) + len(blueprint.motions) + len(blueprint.relations)
    if loops and not _pays(blueprint, graph):
        return choices
    bodies, closed = (
        counted(len(blueprint.bodies), "body", "bodies"),
        counted(loops, "loop or relation", "loops and relations"),
    )
    why = f"auto: joint coordinates are faster for {bodies} with {closed}"
    relative = ch.coordinates_of(blueprint.space, "relative")
    return replace(choices, set=relative, treatment=ch.Recursion(), why=why)


def _pays(blueprint: Blueprint, graph: SystemGraph) -> bool:
    """Whether a machine with loops is faster in joint coordinates."""
    space = blueprint.space
    return JOINTS[space].of(in_joints(blueprint, graph)) < PAYS * BODIES[space].of(in_bodies(blueprint))


def _fits(blueprint: Blueprint) -> bool:
    """Whether every body has inertia in every direction: a tree cannot turn one that has none about its own joint."""
    sizes = extent_of(blueprint).of_bodies
    return not any(np.any(body_data(blueprint, *pair).extra) for pair in zip(blueprint.bodies, sizes, strict=True))
