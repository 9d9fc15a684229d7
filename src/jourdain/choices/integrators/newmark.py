"""Newmark's trapezoidal rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...kernels.layout.loops import NEWMARK
from ..contract import PlanLike
from .woven import Woven


@dataclass(frozen=True)
class Newmark(Woven):
    """Newmark's trapezoidal rule as predictor and corrector, one evaluation a correction (Joli, Seguy and Feng 2008).

    Of order 1 with one correction, of order 2 with two; steps as for rk4.
    """

    name: ClassVar[str] = "newmark"
    says: ClassVar[str] = "Newmark's trapezoidal rule as predictor and corrector"
    source: ClassVar[str] = "Joli, Seguy and Feng 2008"
    order: ClassVar[int] = 2
    code: ClassVar[int] = NEWMARK
    loop: ClassVar[str] = "newmark"
    work_rows: ClassVar[int] = 4

    corrections: int = 2

    def wrong(self) -> str | None:
        if words := super().wrong():
            return words
        if self.corrections not in (1, 2):
            return f"corrections is {self.corrections!r}; newmark takes 1 (order 1) or 2 (order 2)"
        return None

    def settings(self, plan: PlanLike) -> Mapping[str, float]:
        return {"CORRECTIONS": self.corrections}
