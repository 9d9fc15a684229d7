"""The index-3 equations as they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..contract import Chosen, Entry, PlanLike, Treatment
from .kkt import by_blocks


@dataclass(frozen=True)
class Index3(Treatment):
    """The equations M v' + J^T lam = f and C(q, t) = 0 as they stand, solved together in every step.

    Only `generalized-alpha` and `hht` do that. Redundant rows are found at the start and bear no load.
    """

    name: ClassVar[str] = "index3"
    says: ClassVar[str] = "the index-3 equations as they stand, solved in the steps of generalized-alpha and hht"
    source: ClassVar[str] = "Arnold and Bruls 2007"
    direct: ClassVar[bool] = True  # the start is closed, and impulses are found, as kkt does

    stabilisation: Any = "projection"

    def refuses(self, chosen: Chosen) -> str | None:
        if not isinstance(chosen.integrator.implies, Index3):
            return (
                f"index3 is solved inside a step, which {chosen.integrator} cannot do; use generalized-alpha or hht, "
                "or kkt instead"
            )
        if self.stabilisation.name != "projection":
            return f"index3 closes positions in its steps; leave out '{self.stabilisation}', or use kkt with rk4"
        return None

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        return by_blocks(plan)
