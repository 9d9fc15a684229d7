"""Projection in the mass metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..contract import Entry, PlanLike, Stabilisation

ENTRIES = (Entry("AFTER_STEP", "jourdain.kernels.treatments.projection:after_step"),)


@dataclass(frozen=True)
class Projection(Stabilisation):
    """Positions and velocities are closed after each step, the shortest way in the mass metric."""

    name: ClassVar[str] = "projection"
    says: ClassVar[str] = "closes positions and velocities after each step, in the mass metric"
    projects: ClassVar[bool] = True

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        return ENTRIES
