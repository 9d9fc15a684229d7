"""Correction of dependent coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..contract import Chosen, Entry, PlanLike, Stabilisation


@dataclass(frozen=True)
class Dependent(Stabilisation):
    """Dependent positions by Newton's method and dependent velocities by their equations, after each step."""

    name: ClassVar[str] = "dependent"
    says: ClassVar[str] = "corrects the dependent coordinates of partitioning after each step"
    source: ClassVar[str] = "Wehage and Haug 1982"
    projects: ClassVar[bool] = True

    def refuses(self, chosen: Chosen) -> str | None:
        if chosen.treatment.name != "partitioning":
            return f"{chosen.treatment} has no dependent coordinates; use projection, or partitioning"
        return None

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        return (Entry("AFTER_STEP", "jourdain.kernels.treatments.reduced:after_step_dependent"),)
