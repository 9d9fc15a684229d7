"""Gear, Gupta and Leimkuhler's equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..contract import Ability, Chosen, Entry, PlanLike, Stabilisation


@dataclass(frozen=True)
class Ggl(Stabilisation):
    """Positions and velocities are closed inside the step, with two multipliers a row among its unknowns."""

    name: ClassVar[str] = "ggl"
    says: ClassVar[str] = "closes positions and velocities inside the steps of an implicit method"
    source: ClassVar[str] = "Gear, Gupta and Leimkuhler 1985"
    projects: ClassVar[bool] = True
    unknowns: ClassVar[int] = 2

    def refuses(self, chosen: Chosen) -> str | None:
        if Ability.UNKNOWNS not in chosen.integrator.abilities:
            return (
                "ggl closes positions and velocities inside the steps of an implicit method, which "
                f"{chosen.integrator} is not; use projection, or radau"
            )
        if chosen.treatment.name != "kkt":
            return (
                f"ggl has the multipliers among the unknowns of a step, and {chosen.treatment} would find them by "
                "itself; use kkt, or projection"
            )
        return None

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        after = Entry("AFTER_STEP", "jourdain.kernels.treatments.projection:after_step")
        if plan.integrator is None or plan.sizes.rows == 0:
            return (after,)
        return (after, Entry("DAE", "jourdain.kernels.treatments.unknown_multipliers:stabilised"))
