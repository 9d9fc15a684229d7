"""Whether a run follows its forces: rates of the continuous solution against accelerations, at every sample.

Functions of time that formulas can say are looked at ahead of the steps (model/time_marks.py). What is left are Python
functions that nobody can look into, and what is short in positions or speeds. A step that goes over such a thing has no
trace of it in its dense output; a sample there has its acceleration.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..choices.integrators.implicit import Implicit
from ..mechanism.ties import largest
from ..model.flat import FlatModel
from .auto.stiffness import Takeover

Array = npt.NDArray[np.float64]

# Of the largest velocity so far, and of what accelerations make of it in a step: what rates that differ may make of it.
# Error control keeps it far smaller; what decays in a step of a stiff machine may show in accelerations what velocities
# have lost long ago.
OFF, OFF_IF_STIFF = 0.02, 0.5
MOST_VELOCITIES = 10_000  # rows of samples are three times as long, which is much memory where there are more
TOLERANCES = 1e3  # of error control: what is left of a step that was barely good enough


class Followed:
    """Compares sample by sample and remembers the first that does not fit."""

    def __init__(self, model: FlatModel, method: ch.Integrator, takeover: Takeover | None) -> None:
        self._model, self._method, self._takeover = model, method, takeover
        self._sizes = np.where(model.set.lengths_of(model), 1.0, model.size)  # m that a unit of each velocity moves
        self._fastest = self._strongest = 0.0  # m/s and m/s2 so far
        looked_at = isinstance(method, ch.Adaptive) and self._sizes.size <= MOST_VELOCITIES
        self.columns = 2 * self._sizes.size + 1 if looked_at else 0  # behind the state
        self.since, self.words = np.inf, ""

    def look(self, times: Array, rows: Array, out: Array) -> None:
        """At samples in rows with rates, speeds and steps, and what is reported at them."""
        model, at, n = self._model, self._model.layout.v, self._model.length
        if not isinstance(self._method, ch.Adaptive) or rows.shape[1] == n or self.words:
            return
        accelerations = out[:, model.outputs.accelerations] * self._sizes
        nv, steps = self._sizes.size, rows[:, -1]
        rates, speeds = rows[:, n : n + nv] * self._sizes, rows[:, n + nv : -1]
        speeds = np.max(np.abs(np.hstack([rows[:, at], speeds]) * np.tile(self._sizes, 2)), axis=1, initial=0.0)
        strengths = np.max(np.abs(accelerations), axis=1, initial=0.0)
        speeds, strengths = (np.fmax.accumulate(x) for x in (speeds, strengths))
        speeds, strengths = np.fmax(speeds, self._fastest), np.fmax(strengths, self._strongest)
        self._fastest, self._strongest = float(speeds[-1]), float(strengths[-1])
        stiff = isinstance(self._method, Implicit) or (self._takeover is not None and self._takeover.count > 0)
        part = max(OFF_IF_STIFF if stiff else OFF, TOLERANCES * self._method.rtol)
        apart = np.abs(rates - accelerations)
        atol = self._method.rtol * model.size if self._method.atol is None else self._method.atol
        allowed = part * (speeds + strengths * steps) + TOLERANCES * atol
        lost = np.flatnonzero(np.any(apart * steps[:, None] > allowed[:, None], axis=1))
        if lost.size:
            k = int(lost[0])
            self._tell(float(times[k]), float(steps[k]), apart[k])

    def _tell(self, t: float, step: float, apart: Array) -> None:
        at = self._model.layout
        off = [float(np.max(apart[part], initial=0.0)) for part in at.moves_of]
        self.since = t
        self.words = (
            f"do not trust the motion from t = {t:g} s on: a step of {step:.2g} s went over what acts there, which the "
            f"accelerations show (mostly of body '{at.owners[largest(off)]}'); something short acts, in a place or in "
            "a function that cannot be looked into ahead: give a max_step that is shorter"
        )

    def take_over(self, before: Followed) -> None:
        """What was found before a change of the machine."""
        self.since, self.words = before.since, before.words

    def forget(self, t: float) -> None:
        """What was found after t."""
        if self.since > t:
            self.since, self.words = np.inf, ""
