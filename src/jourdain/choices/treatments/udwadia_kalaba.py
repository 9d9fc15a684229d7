"""Udwadia and Kalaba's equations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..contract import Ability, Entry, PlanLike, Treatment
from .kkt import RANK_REVEALING, assembled, factors


@dataclass(frozen=True)
class UdwadiaKalaba(Treatment):
    """Udwadia-Kalaba: lam = K^+ (J M^-1 Q - gamma), Moore-Penrose where rows are redundant (Pappalardo 2018, sec. 4).

    All rows are kept; redundant ones share their load in the least-squares sense. Dense where the rank is deficient.
    """

    name: ClassVar[str] = "udwadia-kalaba"
    says: ClassVar[str] = "lam = K^+ b, Moore-Penrose where rows are redundant, which share their load"
    source: ClassVar[str] = "Udwadia and Kalaba 1992; Pappalardo and Guida 2018"
    abilities: ClassVar[frozenset[Ability]] = frozenset({Ability.COMPLEX})
    keeps_rows: ClassVar[bool] = True
    direct: ClassVar[bool] = True

    stabilisation: Any = "projection"

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        return (assembled(plan), *factors(plan), *RANK_REVEALING)

    def flags(self, plan: PlanLike) -> Mapping[str, int | str]:
        rank = plan.sizes.rows - plan.redundant if plan.redundant else 0  # 0: not known to be deficient
        return {"MOORE_PENROSE": 1, "EXPECTED_RANK": rank}
