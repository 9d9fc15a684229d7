"""Hilber, Hughes and Taylor's method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .index3_methods import Index3Method


@dataclass(frozen=True)
class Hht(Index3Method):
    """Hilber, Hughes and Taylor's method of order 2 on the index-3 equations; `alpha` from 0 (no damping) to 1/3.

    `newton` as for generalized-alpha.
    """

    name: ClassVar[str] = "hht"
    says: ClassVar[str] = "Hilber, Hughes and Taylor's method on the index-3 equations, damping by alpha"
    source: ClassVar[str] = "Hilber, Hughes and Taylor 1977"

    step: float
    alpha: float = 0.05
    newton: str = "auto"

    def wrong(self) -> str | None:
        if words := super().wrong():
            return words
        if not 0 <= self.alpha <= 1 / 3:
            return f"alpha is {self.alpha!r}; expected 0 (damps nothing) to 1/3 (damps most)"
        return None

    @property
    def parameters(self) -> tuple[float, float, float, float]:
        return 0.0, self.alpha, 0.25 * (1 + self.alpha) ** 2, 0.5 + self.alpha
