"""`explicit`: for boxes that cannot go back. Each macro step is run once, with reactions extrapolated from the last.

Gaps and rates decay by Baumgarte's C'' + 2 alpha C' + alpha^2 C = 0 at macro points, alpha = 0.35/H: held reactions
diverge from alpha H = 1 on, linearly extrapolated ones from 0.51. What the reactions make of energy on the way,
-integral lam C' dtau, is the channel `@coupling.energy`, and with macro_step "auto" it controls the step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..mechanism.errors import ChoiceError
from .box_network import Network
from .port_path import guessed
from .step import Coupling, NoConvergenceError, Point, Step, landed, path

FARTHEST = 0.51  # alpha H, from which extrapolated reactions diverge
HELD = 1.0  # the same of held ones


@dataclass(frozen=True)
class Explicit(Coupling):
    """Reactions of the last macro points, straight on (or `held`); `alpha` times the macro step decides the decay."""

    name: ClassVar[str] = "explicit"
    restores: ClassVar[bool] = False

    alpha: float = 0.35
    held: bool = False

    def __post_init__(self) -> None:
        limit = HELD if self.held else FARTHEST
        if not 0.0 < self.alpha < limit:
            kind = "held" if self.held else "extrapolated"
            raise ChoiceError(
                f"alpha is {self.alpha!r}; expected above 0 and below {limit:g}, where {kind} reactions diverge"
            )

    def step(self, network: Network, point: Point, H: float) -> Step:
        slope = np.zeros_like(point.lam)
        if point.past and point.past[0][1].shape == point.lam.shape and not self.held:
            t, lam = point.past[0]
            slope = (point.lam - lam) * (H / max(point.t - t, 1e-300))
        alpha = self.alpha / H
        end = guessed(point.motion, H)
        lam = np.array([point.lam, slope])
        way = path(network, point, end, H, lam)
        end = network.advanced(H, way.wrenches)
        way = way.measured_on(path(network, point, end, H, lam, measured=True))
        found = landed(network, point, way, H, end, point.lam + slope, (2 * alpha, alpha * alpha))
        residual = float(np.max(np.abs(found.joints.C), initial=0.0)) / H**2
        if not np.isfinite(residual) or residual > 1e6 * max(point.scale, 1.0):
            raise NoConvergenceError([residual], network.named(0))
        error = float(np.max(np.abs(found.joints.C), initial=0.0))
        return Step(found, 1, residual, error)
