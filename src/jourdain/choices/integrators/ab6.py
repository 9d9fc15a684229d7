"""Adams-Bashforth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...kernels.layout.loops import AB6, RK6
from ..contract import Ability, Entry, PlanLike
from .woven import FIXED, Woven


@dataclass(frozen=True)
class Ab6(Woven):
    """Adams-Bashforth of order 6, one evaluation a step, started by rk6; steps as for rk4. Not for stiff machines.

    A run whose errors of earlier steps begin to grow is stopped.
    """

    name: ClassVar[str] = "ab6"
    says: ClassVar[str] = "Adams-Bashforth, one evaluation a step"
    source: ClassVar[str] = "Pappalardo and Guida 2018"
    abilities: ClassVar[frozenset[Ability]] = frozenset({Ability.COMPLEX})
    order: ClassVar[int] = 6
    code: ClassVar[int] = AB6
    loop: ClassVar[str] = "ab6"
    work_rows: ClassVar[int] = 13  # six slopes and the stages of rk6
    followed: ClassVar[bool] = True

    step: float = 1e-3

    def stepper(self, plan: PlanLike) -> Entry:
        """Steps to events are those of rk6, which needs no history and starts it again afterwards."""
        return Entry("STEP", f"{FIXED}:make_step", (RK6,))
