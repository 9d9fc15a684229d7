"""The balance of energy while hands pull: steps that are too long for it are divided.

Drift of `energy.total` against all that was exchanged: what became of kinetic and potential energy, of works and of
what was dissipated, frame by frame, without signs.
"""

from __future__ import annotations

from ..session.session import Session

LARGEST = 2e-7  # of the energy exchanged in a frame that may be out of balance
CALM = 1e-10  # below which longer parts would do, for so many frames
PATIENCE = 60
FEW = 0.01  # a frame that exchanges less than this of the mean is judged by that
FINEST = 64
CHANNELS = ["energy.kinetic", "energy.potential", "energy.dissipated", "energy.driven"]


class Balance:
    """Drift and exchange, frame by frame, of one structure after the other."""

    def __init__(self) -> None:
        self._of: Session | None = None
        self.drift = self.exchanged = 0.0
        self._mean, self._calm = 0.0, 0

    def parts(self, session: Session, parts: int) -> int:
        """Into how many parts steps should be divided after this frame, if they are into `parts` now."""
        now = session[CHANNELS]
        total = now[0] + now[1] + now[2] - now[3]
        before, self._of = self._of, session
        last, self._last = getattr(self, "_last", (now, total)), (now, total)
        if before is not session:
            return parts
        exchanged, drift = float(abs(now - last[0]).sum()), float(total - last[1])
        self.exchanged += exchanged
        self.drift += drift
        self._mean += 0.02 * (exchanged - self._mean)
        part = abs(drift) / max(exchanged, FEW * self._mean, 1e-300)
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
