"""Pappalardo's direct correction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..contract import Entry, PlanLike, Stabilisation


@dataclass(frozen=True)
class Euclidean(Stabilisation):
    """Positions and velocities are closed after each step by J^+, the paper's direct correction."""

    name: ClassVar[str] = "euclidean"
    says: ClassVar[str] = "closes positions and velocities after each step by J^+, whatever the masses"
    source: ClassVar[str] = "Pappalardo and Guida 2018"
    projects: ClassVar[bool] = True

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        return (
            Entry("AFTER_STEP", "jourdain.kernels.treatments.projection:after_step_euclidean"),
            Entry("UNIT_WEIGH", "jourdain.kernels.treatments.block_factor:unit_weigh"),
        )
