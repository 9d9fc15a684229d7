"""A tree of links alone as integrators see it: no rows, nothing chosen but how time goes on."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..choices import DEFAULT_COORDINATES, Coordinates, Integrator, Kkt, Stabilisation, Treatment, coordinates_of
from ..choices.contract import Sizes
from ..model.tree.links import TreeModel


@dataclass(frozen=True)
class TreePlan:
    """What `engine/plan.py` is for a mechanism with all its choices."""

    model: TreeModel
    integrator: Integrator
    redundant: int = 0
    exact: bool = False

    @property
    def coordinates(self) -> Coordinates:
        """Of which integrators ask nothing but their part of the tolerance."""
        space = self.model.blueprint.space
        return coordinates_of(space, DEFAULT_COORDINATES[space])

    @property
    def treatment(self) -> Treatment:
        return Kkt("none")

    @property
    def stabilisation(self) -> Stabilisation:
        how: Stabilisation = self.treatment.stabilisation
        return how

    def blocks_on_body(self, but_rigid: bool) -> int:
        return 0

    @property
    def sizes(self) -> Sizes:
        model, blueprint = self.model, self.model.blueprint
        return Sizes(
            space=blueprint.space,
            dim=blueprint.dim,
            bodies=len(blueprint.bodies),
            q=model.nq,
            v=model.nv,
            z=0,
            states=0,
            rows=0,
            forces=0,
            events=0,
            extent=math.inf,
            singular=False,
            feedback=False,
        )
