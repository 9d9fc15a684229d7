"""Pappalardo's direct correction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..contract import Entry, PlanLike, Stabilisation
from ..positive import positive


@dataclass(frozen=True)
class Euclidean(Stabilisation):
    """Positions and velocities are closed after each step by J^+, the paper's direct correction.

    Positions until no equation is off by more than `tolerance`, m or rad (the paper's table 10: 1e-12; None: 2e-14 of
    the size), or rounding stops it; velocities once.
    """

    name: ClassVar[str] = "euclidean"
    says: ClassVar[str] = "closes positions and velocities after each step by J^+, whatever the masses"
    source: ClassVar[str] = "Pappalardo and Guida 2018"
    projects: ClassVar[bool] = True

    tolerance: float | None = None

    def wrong(self) -> str | None:
        return None if self.tolerance is None else positive("tolerance of euclidean", self.tolerance)

    def settings(self, plan: PlanLike) -> Mapping[str, float]:
        return {} if self.tolerance is None else {"EUCLIDEAN": self.tolerance}

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        return (
            Entry("AFTER_STEP", "jourdain.kernels.treatments.projection:after_step_euclidean"),
            Entry("UNIT_WEIGH", "jourdain.kernels.treatments.block_factor:unit_weigh"),
        )
