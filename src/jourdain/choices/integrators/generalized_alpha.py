"""Generalized-alpha."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .index3_methods import Index3Method


@dataclass(frozen=True)
class GeneralizedAlpha(Index3Method):
    """Generalized-alpha of order 2 on the index-3 equations (Chung and Hulbert 1993; Arnold and Bruls 2007).

    `rho` is the spectral radius at infinite frequency: 1 damps nothing, 0 damps what a step does not resolve at once.
    Positions are closed in every step, velocities to the accuracy of the method. `newton` says with which matrix the
    equations of a step are iterated: "modified" has the masses only, which costs nothing; "exact" also what stiffness,
    damping and element states do, and is dense; "auto" takes the exact one where the other converges slowly.
    """

    name: ClassVar[str] = "generalized-alpha"
    says: ClassVar[str] = "generalized-alpha on the index-3 equations, damping by rho"
    source: ClassVar[str] = "Chung and Hulbert 1993; Arnold and Bruls 2007"

    step: float
    rho: float = 0.9
    newton: str = "auto"

    def wrong(self) -> str | None:
        if words := super().wrong():
            return words
        return None if 0 <= self.rho <= 1 else f"rho is {self.rho!r}; expected 0 (damps most) to 1 (damps nothing)"

    @property
    def parameters(self) -> tuple[float, float, float, float]:
        am, af = (2 * self.rho - 1) / (self.rho + 1), self.rho / (self.rho + 1)
        gamma = 0.5 - am + af
        return am, af, 0.25 * (gamma + 0.5) ** 2, gamma
