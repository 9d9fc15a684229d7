"""Baumgarte's feedback."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..contract import Chosen, Entry, PlanLike, Stabilisation
from ..positive import positive

DAMPING = 0.1


@dataclass(frozen=True)
class Baumgarte(Stabilisation):
    """C'' + 2 alpha C' + beta^2 C = 0 in place of C'' = 0; alpha and beta in 1/s. Nothing is projected.

    Without alpha and beta they come from the step: beta = 0.2 pi / step and alpha = `damping` beta (Joli, Seguy and
    Feng 2008, sec. 2), which needs a fixed step. Drift stays bounded, and is not zero. Rows that hold velocities decay
    with 2 alpha. At `level` "velocity" only velocities decay: C'' + 2 alpha C' = 0.
    """

    name: ClassVar[str] = "baumgarte"
    says: ClassVar[str] = "lets drift decay: C'' + 2 alpha C' + beta^2 C = 0"
    source: ClassVar[str] = "Baumgarte 1972; Joli, Seguy and Feng 2008"

    alpha: float | None = None
    beta: float | None = None
    damping: float = DAMPING
    level: str = "position"

    def wrong(self) -> str | None:
        if words := positive("damping", self.damping):
            return words
        if self.level not in ("position", "velocity"):
            return f"level of baumgarte is {self.level!r}; expected 'position' or 'velocity'"
        if self.alpha is None and self.beta is None:
            return None
        if self.alpha is None or self.beta is None:
            return "baumgarte has one of alpha and beta; give both, or none to take them from the step"
        if words := positive("alpha", self.alpha) or positive("beta", self.beta):
            return words
        if self.damping != DAMPING:
            return "damping is for gains from the step, and alpha and beta were given; leave out one"
        return None

    def refuses(self, chosen: Chosen) -> str | None:
        if self.alpha is None and not chosen.integrator.fixed:
            return (
                f"the gains of baumgarte come from the step, and {chosen.integrator} has no fixed one; give "
                "Baumgarte(alpha=..., beta=...), or use rk4 with step="
            )
        return None

    def with_step(self, step: float | None) -> Stabilisation:
        if self.alpha is not None or step is None:
            return self
        beta = 0.2 * math.pi / step
        return Baumgarte(self.damping * beta, beta, self.damping, self.level)

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        return (
            Entry("AFTER_STEP", "jourdain.kernels.treatments.projection:after_step_unprojected"),
            Entry("BAUMGARTE", "jourdain.kernels.treatments.iterated:baumgarte"),
        )

    def gains(self) -> tuple[float, float]:
        """kv and kp."""
        return 2.0 * (self.alpha or 0.0), (self.beta or 0.0) ** 2 if self.level == "position" else 0.0

    def settings(self, plan: PlanLike) -> Mapping[str, float]:
        return dict(zip(("KV", "KP"), self.gains(), strict=True))

    def flags(self, plan: PlanLike) -> Mapping[str, int | str]:
        return {"BAUMGARTE": 1}
