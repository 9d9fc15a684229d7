"""The augmented Lagrangian in accelerations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..contract import Entry, Field, PlanLike, Treatment
from ..positive import MAX_ALPHA, penalty, positive, tolerance
from .kkt import RANK_REVEALING, block_factor, block_solve
from .shifted import iterated_memory, shifted_assemble

ALPHA_EXPECTED = f"expected 1 to {MAX_ALPHA:g}: beyond that rounding is multiplied"


@dataclass(frozen=True)
class AugmentedLagrangian(Treatment):
    """Bayo's augmented Lagrangian in accelerations (Joli, Seguy and Feng 2008, eqs 23 and 24 mended), to `tolerance`.

    The penalty of each row is `alpha` over its diagonal of K, so one number suits rows in any unit; an eigenvalue k of
    K against its diagonal converges by 1 / (1 + alpha k) a round. Singular positions and redundant rows, which are all
    kept and share their load, need nothing special. A run that does not converge in `most` rounds stops and says so.
    """

    name: ClassVar[str] = "augmented-lagrangian"
    says: ClassVar[str] = "penalties on the diagonal of K, iterated to a tolerance, singular positions included"
    source: ClassVar[str] = "Bayo 1988; Joli, Seguy and Feng 2008"
    keeps_rows: ClassVar[bool] = True

    alpha: float = 1e6
    tolerance: float = 1e-12
    most: int = 200
    stabilisation: Any = "projection"

    def wrong(self) -> str | None:
        return penalty("alpha", self.alpha, ALPHA_EXPECTED) or tolerance(self.tolerance) or positive("most", self.most)

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        solve = Entry("SOLVE", "jourdain.kernels.treatments.iterated:augmented_solve")
        inside = block_solve(plan, "BLOCK_SOLVE")
        return (shifted_assemble(plan), block_factor(plan), solve, inside, *RANK_REVEALING)

    def memory(self, plan: PlanLike) -> Sequence[Field]:
        return iterated_memory(plan)

    def settings(self, plan: PlanLike) -> Mapping[str, float]:
        """The shift keeps pivots positive, and small ones are meant to be."""
        return {"PENALTY": self.alpha, "PIVOT": 0.0, "TOLERANCE": self.tolerance, "MOST": self.most}
