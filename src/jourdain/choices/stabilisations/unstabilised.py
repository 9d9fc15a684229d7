"""No stabilisation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..contract import Entry, PlanLike, Stabilisation


@dataclass(frozen=True)
class Unstabilised(Stabilisation):
    """Drift grows as it will: for comparisons."""

    name: ClassVar[str] = "none"
    says: ClassVar[str] = "lets drift grow, for comparisons"

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        return (Entry("AFTER_STEP", "jourdain.kernels.treatments.projection:after_step_unprojected"),)
