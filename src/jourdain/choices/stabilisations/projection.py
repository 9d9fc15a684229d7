"""Projection in the mass metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..contract import Entry, PlanLike, Stabilisation

ENTRIES = {
    "position": (Entry("AFTER_STEP", "jourdain.kernels.treatments.projection:after_step"),),
    "velocity": (Entry("AFTER_STEP", "jourdain.kernels.treatments.projection:after_step_velocities"),),
}


@dataclass(frozen=True)
class Projection(Stabilisation):
    """Positions and velocities are closed after each step, the shortest way in the mass metric.

    At `level` "velocity" only velocities are: gaps of positions then grow with the errors of the integrator.
    """

    name: ClassVar[str] = "projection"
    says: ClassVar[str] = "closes positions and velocities after each step, in the mass metric"
    projects: ClassVar[bool] = True

    level: str = "position"

    def wrong(self) -> str | None:
        if self.level not in ENTRIES:
            return f"level of projection is {self.level!r}; expected 'position' or 'velocity'"
        return None

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        return ENTRIES[self.level]
