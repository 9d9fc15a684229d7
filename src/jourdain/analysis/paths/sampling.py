"""From a path to samples, and from samples to a Kinematics: accelerations, efforts, works, special positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import choices as ch
from ...assembly.prepare import Prepared
from ...engine.body_states import from_vector
from ...engine.counts import counts
from ...engine.regime import Regime
from ...engine.table_bounds import outside
from ...mechanism.names import counted
from ...model.states import to_vector
from ...results.driven_motion import ChangePoint, DeadPoint, Drive, Kinematics, Limit
from ...results.status import Statistics, Status
from ...session.end_of_travel import driven_channel, end_of_travel
from .dead_points import dead_points
from .freedoms import Undriven
from .path import Path, PathEndError, PathPoint
from .travel_limits import through_singular

Array = npt.NDArray[np.float64]


@dataclass
class Sweep:
    """Samples of a path, as far as it goes: states, their rates, and why it ended early."""

    path: Path
    t: Array
    samples: Array
    rates: Array
    end: PathEndError | None = None

    @classmethod
    def run(cls, path: Path, y: Array, t0: float, grid: Array) -> Sweep:
        """Raises PathEndError if not even the first time can be reached."""
        node = path.node(t0, y.copy())
        if node is None:
            raise PathEndError("the start cannot be closed", t0, y)
        node = path.choose_rows(node)
        node = _begun(path, node, float(grid[0]), float(grid[-1]))
        path.trail = [node]
        length = len(grid)
        sweep = cls(path, grid, np.zeros((length, y.size)), np.zeros((length, y.size)))
        for k, t in enumerate(grid):
            try:
                node = sweep._take(k, float(t), node)
            except PathEndError as end:
                if k == 0:
                    raise
                return sweep._cut(k, end)
        return sweep

    def _take(self, k: int, t: float, node: PathPoint) -> PathPoint:
        window = next((w for w in self.path.windows if w.covers(t)), None)
        if window is None and node.t != t:
            node = self.path.march(node, t)
            window = next((w for w in self.path.windows if w.covers(t)), None)
        if window is None:
            self.samples[k], self.rates[k] = node.y, node.rates
            return node
        at = self.path.model.layout
        self.samples[k], self.rates[k, at.v] = self.path.inside(window, t)
        self.rates[k, at.z] = 0.5 * (window.entry.rates + window.exit.rates)[at.z]
        return node

    def _cut(self, k: int, end: PathEndError) -> Sweep:
        parts = (self.t[:k], self.samples[:k], self.rates[:k])
        return Sweep(self.path, *parts, end)


def _begun(path: Path, node: PathPoint, first: float, last: float) -> PathPoint:
    """The node to begin with: at the first time, or beside a change point there, on the side of the last."""
    if node.t == first:
        return node
    came = np.sign(first - node.t)
    node = path.march(node, first)
    window = next((w for w in path.windows if w.covers(first)), None)
    if window is not None and came != np.sign(last - first):
        return window.entry
    return node


def swept(
    prepared: Prepared, free: Undriven, sweep: Sweep, asked: Array, driver: Drive | None, seconds: float
) -> Kinematics:
    """The result of a sweep."""
    path, model = sweep.path, prepared.model
    samples = _with_works(sweep)
    out = _outputs(sweep, samples)
    usual = ch.UdwadiaKalaba() if prepared.redundancy.dropped else ch.Kkt()
    treatment = model.set.own_treatment or usual
    choices = ch.resolve(model.blueprint.space, coordinates=model.set, treatment=treatment)
    done = counts([path.workspace])
    statistics = Statistics(
        steps=path.trials - path.rejected,
        rejected=path.rejected,
        evaluations=done.evaluations,
        newton_steps=done.newton_steps,
        rank_losses=done.rank_losses,
        seconds=seconds,
    )
    status = _status(prepared, free, sweep, asked, driver, _stopped_by(sweep, choices) if driver is None else "")
    run = Kinematics(model, choices, sweep.t, samples, out, status, statistics, prepared.redundancy)
    run.driver = driver
    run.regimes = ((-np.inf, Regime.of(path.workspace)),)
    run.between = partial(_between, prepared, free)
    value = driver.value if driver is not None else (lambda t: None)
    if sweep.end is not None and sweep.end.limit:
        y = sweep.end.y.copy()
        path.velocity(y)[:] = 0.0
        run.limits = (Limit(sweep.end.t, value(sweep.end.t), from_vector(model, y)),)
    near = 1e-6 * float(sweep.t[-1] - sweep.t[0])
    met = [w.t for w in path.windows if sweep.t[0] - near <= w.t <= sweep.t[-1] + near]
    run.change_points = tuple(ChangePoint(t, value(t)) for t in dict.fromkeys(met))
    run.dead_points = _dead_points(path, run)
    return run


def _dead_points(path: Path, run: Kinematics) -> tuple[DeadPoint, ...]:
    """With the value of the driver and of the joint itself at each."""
    found = [dead for dead in dead_points(path) if run.t[0] <= dead.t <= run.t[-1]]
    if not found:
        return ()
    t, states = np.array([dead.t for dead in found]), np.array([dead.y for dead in found])
    nothing = np.zeros((len(t), run.model.outputs.length))
    there = Kinematics(run.model, run.choices, t, states, nothing, None, None, None)
    value = run.driver.value if run.driver is not None else (lambda t: None)
    at = [float(there[dead.channel][k]) for k, dead in enumerate(found)]
    return tuple(DeadPoint(d.channel, d.t, value(d.t), x) for d, x in zip(found, at, strict=True))


def _between(
    prepared: Prepared, free: Undriven, state: Mapping[str, Any], begin: float, times: Array
) -> tuple[Array, Array]:
    """States and outputs at times, from a state of a sweep before; where the path ends it stays."""
    path = Path(prepared.workspace, free.idle, through_singular)
    sweep = Sweep.run(path, to_vector(prepared.model, state), begin, times)
    out = _outputs(sweep, sweep.samples)
    lacking = len(times) - len(sweep.t)
    samples, outs = (np.concatenate([rows, np.repeat(rows[-1:], lacking, axis=0)]) for rows in (sweep.samples, out))
    return samples, outs


def _outputs(sweep: Sweep, samples: Array) -> Array:
    """What the kernel reports at every sample."""
    path, model = sweep.path, sweep.path.model
    out = np.vstack([path.pose.outputs(np.array([t]), samples[k : k + 1])[1] for k, t in enumerate(sweep.t)])
    out[:, model.outputs.accelerations] = sweep.rates[:, model.layout.v]
    return out


def _with_works(sweep: Sweep) -> Array:
    """Samples with the works (dissipated, driven, stored) integrated over time by a spline through their powers."""
    works = sweep.path.model.layout.works
    samples = sweep.samples.copy()
    if len(sweep.t) > 1:
        from scipy.interpolate import make_interp_spline

        degree = min(5, len(sweep.t) - 1)
        degree -= 1 - degree % 2
        powers = make_interp_spline(sweep.t, sweep.rates[:, works], k=max(degree, 1))
        done = powers.antiderivative()(sweep.t)
        samples[:, works] = done - done[0]
    return samples


def _stopped_by(sweep: Sweep, choices: ch.Choices) -> str:
    """Which joint a motion over time drives beyond which place; empty where no motion of a joint is at its end."""
    end, model = sweep.end, sweep.path.model
    if end is None or not end.limit:
        return ""
    nothing = np.zeros((1, model.outputs.length))
    there = Kinematics(model, choices, np.array([end.t]), end.y[None], nothing, None, None, None)
    driven = {driven_channel(model.blueprint, motion) for motion in model.blueprint.motions} - {""}
    return end_of_travel(model, end.t, end.y.copy(), {name: float(there[name][0]) for name in driven})


def _status(
    prepared: Prepared, free: Undriven, sweep: Sweep, asked: Array, driver: Drive | None, stopped_by: str
) -> Status:
    notes = [*prepared.notes, *prepared.model.table_notes]
    redundancy, blueprint = prepared.redundancy, prepared.model.blueprint
    if redundancy.dropped:
        names = ", ".join(f"{row.joint} ({row.meaning})" for row in redundancy.dropped)
        words = counted(len(redundancy.dropped), "equation")
        notes.append(f"{words} redundant; reactions share their loads by least squares: {names}")
    if free.idle:
        who = ", ".join(free.bodies)
        notes.append(
            f"{counted(free.idle, 'idle freedom')}: {who} can turn and moves nothing else; it moves as little as it can"
        )
    if prepared.model.states:
        notes.append("states of elements stay as they start: kinematics does not integrate them")
    if blueprint.events:
        notes.append("events do not happen in kinematics")
    end = sweep.end
    if (left := outside(sweep.path.pose, sweep.t, sweep.samples)) is not None:
        return Status(False, f"at t = {sweep.t[left[0]]:g} s: {left[1]}", tuple(notes))
    if end is None:
        words = f"completed to t = {sweep.t[-1]:g} s"
        if driver is not None:
            words = f"{driver.channel} driven from {driver.shown(driver.start)} to {driver.shown(driver.end)}"
        return Status(True, words, tuple(notes))
    where = f"t = {end.t:.9g} s" if driver is None else driver.shown(driver.value(end.t))
    kept = f"{len(sweep.t)} of {len(asked)} samples are kept"
    if not end.limit or stopped_by:
        return Status(False, f"stopped at {where}: {stopped_by or end}; {kept}", tuple(notes))
    if driver is None:
        words = f"the motions cannot be followed beyond {where}: limit of travel"
    else:
        words = (
            f"'{driver.joint}' cannot be driven beyond {where}: limit of travel (asked for {driver.shown(driver.end)})"
        )
    return Status(False, f"{words}; {kept}", tuple(notes))
