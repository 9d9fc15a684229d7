"""Samples that a session keeps: they grow in blocks, so that a long run copies nothing twice on the way."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..engine.regime import Regime
from ..engine.workspace import Workspace

Array = npt.NDArray[np.float64]

BLOCK = 1024  # samples


class Samples:
    """Times, states and outputs, row by row."""

    def __init__(self, width: int, outputs: int) -> None:
        self._widths = (1, width, outputs)
        self._blocks: list[tuple[Array, Array, Array]] = []
        self._count = 0
        self._regimes: list[tuple[float, Regime]] = []  # from which time on

    def __len__(self) -> int:
        return self._count

    @property
    def last(self) -> float:
        """The time of the last sample."""
        return float(self._blocks[(self._count - 1) // BLOCK][0][(self._count - 1) % BLOCK, 0])

    def append(self, times: Array, states: Array, outputs: Array, computed_with: Workspace | None = None) -> None:
        """Further samples, in the order of time."""
        if computed_with is not None:
            self._note(computed_with, float(times[0]))
        done = 0
        while done < len(times):
            block, row = divmod(self._count, BLOCK)
            if block == len(self._blocks):
                t, y, out = (np.zeros((BLOCK, width)) for width in self._widths)
                self._blocks.append((t, y, out))
            take = min(BLOCK - row, len(times) - done)
            for kept, new in zip(self._blocks[block], (times[:, None], states, outputs), strict=True):
                kept[row : row + take] = new[done : done + take]
            self._count += take
            done += take

    def _note(self, workspace: Workspace, t: float) -> None:
        """What the samples from t on are computed with."""
        if not self._regimes or not self._regimes[-1][1].holds(workspace):
            self._regimes.append((t, Regime.of(workspace)))

    def regimes_of(self, workspace: Workspace) -> tuple[tuple[float, Regime], ...]:
        """From which time on, in the order of time; that of a workspace if none are kept."""
        return tuple(self._regimes) or ((-np.inf, Regime.of(workspace)),)

    def cut(self, t: float) -> None:
        """Forget what lies after t."""
        while self._regimes and self._regimes[-1][0] > t:
            self._regimes.pop()
        while self._count and self.last > t:
            self._count -= 1
        del self._blocks[-(-self._count // BLOCK) :]

    def cut_from(self, t: float) -> None:
        """Forget what lies at t and after."""
        self.cut(float(np.nextafter(t, -np.inf)))

    def arrays(self) -> tuple[Array, Array, Array]:
        """Times, states and outputs of all samples, as arrays of the caller's own."""
        n = self._count
        if not self._blocks:
            _, width, outputs = self._widths
            return np.zeros(0), np.zeros((0, width)), np.zeros((0, outputs))
        t, y, out = (np.concatenate([block[k] for block in self._blocks])[:n] for k in range(3))
        return t[:, 0].copy(), y, out
