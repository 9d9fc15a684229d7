"""Penalty: the first round of the augmented Lagrangian."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..contract import Chosen, Entry, Field, PlanLike, Treatment
from ..positive import penalty
from ..stabilisations.baumgarte import Baumgarte
from .augmented_lagrangian import ALPHA_EXPECTED
from .kkt import RANK_REVEALING, block_factor, block_solve
from .shifted import iterated_memory, shifted_assemble


@dataclass(frozen=True)
class Penalty(Treatment):
    """The first round of the augmented Lagrangian: lam = alpha D (J v' - gamma + kv C' + kp C), D = diag(K)^-1.

    Accelerations and reactions are wrong by O(1 / alpha), of which Baumgarte's gains keep positions and velocities from
    drifting away: by default those from the step. Redundant rows share their load.
    """

    name: ClassVar[str] = "penalty"
    says: ClassVar[str] = "joints as stiff penalties on accelerations; wrong by 1 / alpha"
    source: ClassVar[str] = "Joli, Seguy and Feng 2008"
    keeps_rows: ClassVar[bool] = True
    approximate: ClassVar[bool] = True

    alpha: float = 1e7
    stabilisation: Any = field(default_factory=Baumgarte)

    def wrong(self) -> str | None:
        return penalty("alpha", self.alpha, ALPHA_EXPECTED)

    def refuses(self, chosen: Chosen) -> str | None:
        if self.stabilisation.name == "none":
            return "penalty lets accelerations be wrong, so without stabilisation joints come apart; use baumgarte"
        return None

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        return (shifted_assemble(plan), block_factor(plan), block_solve(plan), *RANK_REVEALING)

    def memory(self, plan: PlanLike) -> Sequence[Field]:
        return iterated_memory(plan)

    def settings(self, plan: PlanLike) -> Mapping[str, float]:
        return {"PENALTY": self.alpha, "PIVOT": 0.0}
