"""Backward differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..contract import EVENT_ROWS, Entry, Field, Number, PlanLike, Use
from .implicit import SHARED_ROWS, STEP, Implicit, exchanges
from .radau import Radau, radau_rows, radau_table

KERNEL = "jourdain.kernels.integrators.bdf"
FIRST_ROWS = 16  # before the Jacobian
MOST = 5  # order
SUBSTITUTE_STAGES = 3  # of radau, whose steps go to events: they need no history


@dataclass(frozen=True)
class Bdf(Implicit):
    """Backward differences of order 1 to 5 with error control, implicit: for large stiff machines and loose tolerances.

    `atol` as for dop853, `multipliers` as for radau.
    """

    name: ClassVar[str] = "bdf"
    says: ClassVar[str] = "backward differences of order 1 to 5 with error control, implicit"
    source: ClassVar[str] = "Shampine and Reichelt 1997"
    order: ClassVar[int] = 5  # at most

    def error_order(self) -> int:
        return 2  # of the first step, the only one whose length the loop finds

    def rows(self, plan: PlanLike) -> int:
        return FIRST_ROWS + 2 * self.solved(plan) + SHARED_ROWS

    def trying(self, plan: PlanLike) -> tuple[Entry, Entry]:
        return Entry("TRY", f"{STEP}:make_attempt", (self.name,)), Entry("DENSE", f"{KERNEL}:dense")

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        to_events = (Entry("SUBSTITUTE", f"{STEP}:make_attempt", (Radau.name,)),) if plan.sizes.events else ()
        return (*super().entries(plan), *to_events)

    def memory(self, plan: PlanLike) -> Sequence[Field]:
        own = (exchanges("METHOD_PIVOTS", 1, self, plan), _orders("METHOD_ORDERS"))
        if not plan.sizes.events:
            return (*super().memory(plan), *own)
        width = self.width(plan)
        to_events = radau_rows(SUBSTITUTE_STAGES, self.solved(plan)) + EVENT_ROWS
        return (
            Field("METHOD_WORK", (self.rows(plan) + EVENT_ROWS, width), Use.KEPT),
            Field("STEP_WORK", (to_events, width), Use.KEPT, Number.REAL),
            *own,
            exchanges("STEP_PIVOTS", SUBSTITUTE_STAGES, self, plan),
            _orders("STEP_ORDERS"),
            radau_table(SUBSTITUTE_STAGES),
        )

    def flags(self, plan: PlanLike) -> Mapping[str, int | str]:
        return {**super().flags(plan), "SUBSTITUTE": int(plan.sizes.events > 0)}


def _orders(name: str) -> Field:
    """Of this step and of the next."""
    return Field(name, (2, 1), Use.KEPT, Number.INT, below=MOST + 1)
