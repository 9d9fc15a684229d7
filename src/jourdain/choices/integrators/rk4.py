"""Classical Runge-Kutta."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...kernels.layout.loops import RK4
from ..contract import Ability, Entry, Loop, PlanLike
from .woven import Woven


@dataclass(frozen=True)
class Rk4(Woven):
    """Classical Runge-Kutta of order 4. `step` is the longest step; steps divide output intervals evenly."""

    name: ClassVar[str] = "rk4"
    says: ClassVar[str] = "classical Runge-Kutta"
    source: ClassVar[str] = "Kutta 1901"
    abilities: ClassVar[frozenset[Ability]] = frozenset({Ability.COMPLEX, Ability.LANES})
    order: ClassVar[int] = 4
    code: ClassVar[int] = RK4
    loop: ClassVar[str] = "rk4"
    work_rows: ClassVar[int] = 4
    followed: ClassVar[bool] = True

    def loops(self, plan: PlanLike) -> Mapping[Loop, Entry]:
        return {**super().loops(plan), Loop.LANES: Entry("MARCH", "jourdain.kernels.batch.in_lanes:march_rk4")}
