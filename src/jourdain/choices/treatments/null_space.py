"""The null space of J."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..contract import Chosen, PlanLike
from .reduced import Reduced


@dataclass(frozen=True)
class NullSpace(Reduced):
    """Accelerations from the reduced system T M T^T, T an orthonormal basis of the null space of J; lam afterwards.

    Dense, up to 600 rows. Redundant rows are found at the start and bear no load.
    """

    name: ClassVar[str] = "null-space"
    says: ClassVar[str] = "a reduced system in an orthonormal basis of the null space of J; dense"
    source: ClassVar[str] = "Kim and Vanderploeg 1986"
    kind: ClassVar[int] = 1

    stabilisation: Any = "projection"

    def refuses(self, chosen: Chosen) -> str | None:
        if self.stabilisation.name == "euclidean":
            return "null-space projects in the mass metric; use projection, or udwadia-kalaba with euclidean"
        return None

    def reflections(self, plan: PlanLike) -> int:
        return min(plan.sizes.rows, plan.sizes.v)
