"""A run once more from one of its states on: for what lies between its samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..choices import Choices
from ..mechanism.parts import Blueprint
from .preparing import prepared_for

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class GoesOn:
    """Goes the way of a run once more, from one of its states on."""

    blueprint: Blueprint
    choices: Choices

    def __call__(self, state: Mapping[str, Any], begin: float, times: Array) -> tuple[Array, Array]:
        """States and outputs at times after `begin`."""
        from .session import Session  # which makes these

        prepared = prepared_for(self.blueprint, self.choices, state, begin)
        again = Session(prepared, self.choices, begin, times=times)
        again.advance(to=float(times[-1]))
        _, samples, out = again.samples.arrays()
        known = np.minimum(np.arange(1, len(times) + 1), len(samples) - 1)  # where it stops short, it stays
        return samples[known], out[known]
