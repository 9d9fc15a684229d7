"""What is reported at a state: a function of time, state and numbers alone.

An observer has memory of its own, so that looking at a run changes nothing in it; and what it found at one state is no
guess for the next, so that it does not matter what was looked at before.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.pose import Pose
from ..engine.workspace import Workspace

Array = npt.NDArray[np.float64]


class Observer:
    """Outputs at states of a run, whatever workspace it is at."""

    def __init__(self) -> None:
        self._of: Workspace | None = None
        self._own: Workspace | None = None

    def pose(self, of: Workspace) -> Pose:
        """A pose in memory of its own, with the numbers of that workspace."""
        if self._own is None or self._of is not of:
            self._of, self._own = of, of.twin()
            self._pose = Pose(of.model, self._own)
        else:
            self._own.take_numbers(of)
        return self._pose

    @property
    def callbacks(self) -> tuple[Any, ...]:
        """Through which it calls users' functions."""
        return () if self._own is None else tuple(self._own.callbacks)

    def outputs(self, of: Workspace, times: Array, samples: Array) -> Array:
        """A row for each sample; what cannot be evaluated is not a number."""
        return self.pose(of).outputs(times, samples)[1]
