"""The balance of energy while hands pull: steps that are too long for it are divided.

Drift of `energy.total` against all that was exchanged: what became of kinetic and potential energy, of works and of
what was dissipated, frame by frame, without signs.
"""

from __future__ import annotations

import numpy as np

from ..session.session import Session

LARGEST = 2e-7  # of the energy exchanged in a frame that may be out of balance; beyond, the next ones are finer
CALM = 1e-9  # below which parts twice as long would do: rk4 errs 32 times as much with them
PATIENCE = 30  # frames for which it is so
FEW = 0.01  # a frame that exchanges less than this of the mean is judged by that
FINEST = 64
CHANNELS = ["energy.kinetic", "energy.potential", "energy.dissipated", "energy.driven"]
SIGNS = np.array([1.0, 1.0, 1.0, -1.0])


class Balance:
    """Drift and exchange, frame by frame, of one structure after the other."""

    def __init__(self) -> None:
        self._of: Session | None = None
        self._last = np.zeros(len(CHANNELS))
        self.drift = self.exchanged = 0.0
        self._mean, self._calm = 0.0, 0

    def wrong(self, session: Session) -> float:
        """The part of the energy exchanged since the last frame that is out of balance."""
        return self._frame(session)[2]

    def _frame(self, session: Session) -> tuple[float, float, float]:
        """Drift and exchange since the last frame, and the part that is out of balance."""
        if self._of is not session:
            return 0.0, 0.0, 0.0
        change = session[CHANNELS] - self._last
        exchanged, drift = float(np.abs(change).sum()), float(change @ SIGNS)
        return drift, exchanged, abs(drift) / max(exchanged, FEW * self._mean, 1e-300)

    def parts(self, session: Session, parts: int) -> int:
        """Into how many parts steps should be divided after this frame, if they are into `parts` now."""
        known = self._of is session
        drift, exchanged, part = self._frame(session)
        self._of, self._last = session, session[CHANNELS]
        if not known:
            return parts
        self.exchanged += exchanged
        self.drift += drift
        self._mean += 0.02 * (exchanged - self._mean)
        if part > LARGEST:
            self._calm = 0
            return min(FINEST, 2 * parts)
        self._calm = self._calm + 1 if part < CALM else 0
        if self._calm >= PATIENCE and parts > 1:
            self._calm = 0
            return parts // 2
        return parts

    @property
    def part(self) -> float:
        """Of the energy exchanged that is out of balance."""
        return abs(self.drift) / self.exchanged if self.exchanged > 0 else 0.0
