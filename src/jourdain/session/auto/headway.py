"""Runs that make no headway: why, in words, while they still run, so that nobody waits for hours in the dark.

It looks at the clock after each piece of a run. Where the rest would take hours at the speed of the last seconds, it
finds the fastest motion that the equations allow where the run stands, which body takes part in it most and which
force drives it. It reads with memory of its own and changes nothing: a run is the same with and without.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from ...engine.plan import Plan
from ...engine.pose import Pose, rank_of
from ...engine.time_loop import TimeLoop
from ...engine.workspace import Workspace
from ...kernels.layout import returned as st
from ...mechanism.errors import JourdainError
from ...mechanism.ties import largest
from ...model.compile import MAX_DENSE_ROWS, compile_mechanism
from ...model.flat import FlatModel
from ...results.status import SimulationWarning
from ..progress import duration

Array = npt.NDArray[np.float64]

FIRST_LOOK, BETWEEN = 2.0, 2.0  # s of computing
HOPELESS = 3600.0  # s of computing that are left: more is worth a sentence
FAST = 100.0  # s, that are gone through in one of computing
MOST_VELOCITIES, MOST_FORCES = 200, 40  # larger machines are not looked at in such detail
SINGULAR = 1e-4  # of the largest singular value of J: lost ranks are 1e-6 of it, or less
NUDGE = 1e-7  # of the size, or rad; and so much of it a second
SETS_THE_STEP = 0.01, 100.0  # step times the rate of a motion: between these it is what holds the steps short


class Headway:
    """Watches a loop."""

    def __init__(self, loop: TimeLoop, told: list[str], end: Callable[[], float]) -> None:
        """Sentences go into `told`; the run is to go on to `end`."""
        self._loop, self._told, self._end = loop, told, end
        self._seen = 0.0, loop.t  # seconds of computing and time at the last look
        self._done = False

    def look(self) -> int | None:
        """After each piece: a status with which to stop, or None."""
        loop = self._loop
        if loop.spent.rank_losses and _too_light(loop):
            return st.TOO_LIGHT
        seconds, t = self._seen
        if self._done or loop.seconds < max(FIRST_LOOK, seconds + BETWEEN):
            return None
        left = self._end() - loop.t
        gone, spent = loop.t - t, loop.seconds - seconds
        self._seen = loop.seconds, loop.t
        if 0.0 < left < np.inf and left * spent > HOPELESS * gone:
            self._done = True
            rest = f"the rest would take {duration(left * spent / gone)}" if gone > 0 else "it gets nowhere"
            words = f"{loop.steps} steps so far, now of {max(loop.next_step, 0.0):.2g} s; {rest}"
            if gone > FAST * spent:  # the machine is not to blame
                words = f"a long way to t = {self._end():.6g} s: at t = {loop.t:.6g} s {words}: ask for a shorter run"
            else:
                words = f"hardly any headway at t = {loop.t:.6g} s: {words}: {why(loop)}"
            words = f"{words}; interrupt it to have what was computed"
            self._told.append(words)
            warnings.warn(words, SimulationWarning, stacklevel=2)
        return None


def _too_light(loop: TimeLoop) -> bool:
    """Whether a rank was lost to rounding: masses differ too much, and the machine is in no singular position."""
    model = loop.workspace.model
    if model.flags.get("REFINED") != 1 or len(model.rows) > MAX_DENSE_ROWS:
        return False
    try:
        J = pose_beside(model, loop).scaled_jacobian(loop.t, loop.y)
    except JourdainError:  # that is another matter
        return False
    kept = J[[not row.dropped for row in model.rows]]
    return rank_of(kept, SINGULAR) == len(kept)


def why(loop: TimeLoop) -> str:
    """Which motion sets the step: its rate, the body that takes part most, the force that drives it."""
    model, t, y = loop.workspace.model, loop.t, loop.y.copy()
    if model.nv > MOST_VELOCITIES:
        return "the machine is too large to tell which motion sets the step"
    try:
        found = _fastest(pose_beside(model, loop), t, y)
        if found is None:
            return "its accelerations cannot be evaluated beside where it stands"
        low, high = SETS_THE_STEP
        if not low < loop.next_step * found.rate < high:
            return (
                f"no motion is that fast (the fastest, {found}): a force changes abruptly there, or its values are "
                "noise, as of a body far too light"
            )
        force = _driver(model, loop, found, t, y)
    except JourdainError:
        return "its accelerations cannot be evaluated beside where it stands"
    return f"{found} sets the step" + (f"; '{force}' drives it" if force else "")


@dataclass(frozen=True)
class _Motion:
    rate: float  # 1/s
    damped: bool
    body: str

    def __str__(self) -> str:
        kind = f"a decay at {self.rate:.2g} 1/s" if self.damped else f"a vibration at {self.rate:.2g} rad/s"
        return f"{kind}, mostly of body '{self.body}'"


def pose_beside(model: FlatModel, loop: TimeLoop) -> Pose:
    same = model is loop.workspace.model
    plan = loop.workspace.plan if same else Plan.of(model)
    return Pose(model, Workspace(plan.with_(numbers=loop.workspace.numbers) if same else plan))


def _fastest(pose: Pose, t: float, y: Array) -> _Motion | None:
    model, at, nv = pose.model, pose.model.layout, pose.model.nv
    sizes = pose.scales() * model.size  # of 1 m, or of as many rad
    A = np.zeros((2 * nv, 2 * nv))
    A[:nv, nv:] = np.eye(nv)
    for k, nudge in enumerate(NUDGE * np.diag(sizes)):
        for column, moved in ((k, pose.retract), (nv + k, partial(_faster, pose))):
            ahead, behind = (_acceleration(pose, t, moved(y, sign * nudge)) for sign in (1.0, -1.0))
            if ahead is None or behind is None:
                return None
            A[nv:, column] = (ahead - behind) / (2.0 * NUDGE) / sizes
    if nv == 0 or not np.all(np.isfinite(A)):
        return None
    values, vectors = np.linalg.eig(A)
    k = int(np.argmax(np.abs(values)))
    way = np.abs(vectors[:nv, k]) if np.any(vectors[:nv, k]) else np.abs(vectors[nv:, k])
    share = [float(np.max(way[part])) for part in at.moves_of]
    damped = abs(values[k].real) > abs(values[k].imag)
    return _Motion(float(abs(values[k])), damped, at.owners[largest(share)])


def _faster(pose: Pose, y: Array, change: Array) -> Array:
    moved = y.copy()
    moved[pose.model.layout.v] += change
    return moved


def _acceleration(pose: Pose, t: float, y: Array) -> Array | None:
    status, slope = pose.slope(t, y)
    return slope[pose.model.layout.v] if status == st.OK else None


def _driver(model: FlatModel, loop: TimeLoop, found: _Motion, t: float, y: Array) -> str | None:
    """The force without which the motion would be slowest, if that makes a difference."""
    forces = model.blueprint.forces
    if len(forces) > MOST_FORCES:
        return None
    rates = []
    for k in range(len(forces)):
        without = replace(model.blueprint, forces=(*forces[:k], *forces[k + 1 :]))
        other = compile_mechanism(without, model.set, tree=model.tree)
        slower = _fastest(pose_beside(other, loop), t, y) if other.length == model.length else None
        rates.append(np.inf if slower is None else slower.rate)
    best = int(np.argmin(rates)) if rates else 0
    return forces[best].name if rates and rates[best] < 0.9 * found.rate else None
