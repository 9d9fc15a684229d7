"""From a path to samples, and from samples to a Kinematics: accelerations, efforts, works, special positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..compiled import choices as ch
from ..compiled.states import from_vector
from ..mechanism.names import counted
from ..results.joint_rates import joint_rates
from ..results.kinematics import ChangePoint, DeadPoint, Driver, Kinematics, Limit
from ..results.motion import Motion
from ..results.status import Statistics, Status
from .freedoms import Undriven
from .path import Node, Path, PathEndError
from .prepare import Prepared

Array = npt.NDArray[np.float64]

STILL = 1e-9  # of the fastest rate of its kind: a joint that is slower does not move
ROUNDS = 6  # of the secant method on dead points
LEVEL = 1e-6  # of the largest rate: an end of the range this near to a dead point is one


@dataclass
class Sweep:
    """Samples of a path, as far as it goes: states, their rates, and why it ended early."""

    path: Path
    t: Array
    samples: Array
    rates: Array
    smooth: npt.NDArray[np.bool_]  # samples at a change point, which come from their neighbours
    end: PathEndError | None = None

    @classmethod
    def run(cls, path: Path, y: Array, t0: float, grid: Array) -> Sweep:
        """Raises PathEndError if not even the first time can be reached."""
        node = path.node(t0, y.copy())
        if node is None:
            raise PathEndError("the start cannot be closed", t0, y)
        node = path.choose_rows(node)
        node = _begun(path, node, float(grid[0]), float(grid[-1]))
        length = len(grid)
        sweep = cls(path, grid, np.zeros((length, y.size)), np.zeros((length, y.size)), np.zeros(length, dtype=bool))
        for k, t in enumerate(grid):
            try:
                node = sweep._take(k, float(t), node)
            except PathEndError as end:
                if k == 0:
                    raise
                return sweep._cut(k, end)
        return sweep

    def _take(self, k: int, t: float, node: Node) -> Node:
        window = next((w for w in self.path.windows if w.covers(t)), None)
        if window is None and node.t != t:
            node = self.path.march(node, t)
            window = next((w for w in self.path.windows if w.covers(t)), None)
        if window is None:
            self.samples[k], self.rates[k] = node.y, node.rates
            return node
        nq, nv = self.path.model.nq, self.path.model.nv
        self.samples[k], self.rates[k, nq : nq + nv] = self.path.inside(window, t)
        self.rates[k, nq + nv :] = 0.5 * (window.entry.rates + window.exit.rates)[nq + nv :]
        self.smooth[k] = True
        return node

    def _cut(self, k: int, end: PathEndError) -> Sweep:
        parts = (self.t[:k], self.samples[:k], self.rates[:k], self.smooth[:k])
        return Sweep(self.path, *parts, end)


def _begun(path: Path, node: Node, first: float, last: float) -> Node:
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
    prepared: Prepared, free: Undriven, sweep: Sweep, asked: Array, driver: Driver | None, seconds: float
) -> Kinematics:
    """The result of a sweep."""
    path, model = sweep.path, prepared.model
    samples = _with_works(sweep)
    out = _outputs(sweep, samples)
    treatment = ch.UdwadiaKalaba() if prepared.redundancy.dropped else ch.Kkt()
    choices = ch.resolve(model.blueprint.space, coordinates=model.coordinates, treatment=treatment)
    ctx, c = path.workspace.ctx, path.c
    statistics = Statistics(
        steps=path.trials - path.rejected,
        rejected=path.rejected,
        evaluations=int(ctx[c.H_EVALUATIONS]),
        newton_steps=int(ctx[c.H_NEWTONS]),
        rank_losses=int(ctx[c.H_RANK_LOSSES]),
        seconds=seconds,
    )
    status = _status(prepared, free, sweep, asked, driver)
    run = Kinematics(model, choices, sweep.t, samples, out, status, statistics, prepared.redundancy)
    run.driver = driver
    value = driver.value if driver is not None else (lambda t: None)
    if sweep.end is not None and sweep.end.limit:
        y = sweep.end.y.copy()
        path.velocity(y)[:] = 0.0
        run.limits = (Limit(sweep.end.t, value(sweep.end.t), from_vector(model, y)),)
    near = 1e-6 * float(sweep.t[-1] - sweep.t[0])
    met = [w.t for w in path.windows if sweep.t[0] - near <= w.t <= sweep.t[-1] + near]
    run.change_points = tuple(ChangePoint(t, value(t)) for t in dict.fromkeys(met))
    run.dead_points = tuple(DeadPoint(name, t, value(t), at) for name, t, at in _dead_points(sweep, run))
    return run


def _outputs(sweep: Sweep, samples: Array) -> Array:
    """What the kernel reports at every sample."""
    path, model = sweep.path, sweep.path.model
    w, c = path.workspace, path.c
    width = int(model.nv + 2 + w[c.ENERGY].size + w[c.REPORTED].size + w[c.WRENCHES].size + 1)
    out = np.full((len(sweep.t), width), np.nan)
    for k, t in enumerate(sweep.t):
        path.k.system.sample_outputs(w.ctx, np.array([t]), samples[k : k + 1], out[k : k + 1])
        if sweep.smooth[k]:
            out[k, : model.nv] = sweep.rates[k, model.nq : model.nq + model.nv]
    return out


def _with_works(sweep: Sweep) -> Array:
    """Samples with the works (dissipated, driven, stored) integrated over time by a spline through their powers."""
    model = sweep.path.model
    first = model.nq + model.nv + len(model.states)
    samples = sweep.samples.copy()
    if len(sweep.t) > 1:
        from scipy.interpolate import make_interp_spline

        degree = min(5, len(sweep.t) - 1)
        degree -= 1 - degree % 2
        powers = make_interp_spline(sweep.t, sweep.rates[:, first : first + 3], k=max(degree, 1))
        works = powers.antiderivative()(sweep.t)
        samples[:, first : first + 3] = works - works[0]
    return samples


def _status(prepared: Prepared, free: Undriven, sweep: Sweep, asked: Array, driver: Driver | None) -> Status:
    notes = [*prepared.notes]
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
    if end is None:
        words = f"completed to t = {sweep.t[-1]:g} s"
        if driver is not None:
            words = f"{driver.channel} driven from {driver.shown(driver.start)} to {driver.shown(driver.end)}"
        return Status(True, words, tuple(notes))
    where = f"t = {end.t:.9g} s" if driver is None else driver.shown(driver.value(end.t))
    kept = f"{len(sweep.t)} of {len(asked)} samples are kept"
    if not end.limit:
        return Status(False, f"stopped at {where}: {end}; {kept}", tuple(notes))
    if driver is None:
        words = f"the motions cannot be followed beyond {where}: limit of travel"
    else:
        words = (
            f"'{driver.joint}' cannot be driven beyond {where}: limit of travel (asked for {driver.shown(driver.end)})"
        )
    return Status(False, f"{words}; {kept}", tuple(notes))


def _dead_points(sweep: Sweep, run: Kinematics) -> list[tuple[str, float, float]]:
    """Where joints stop and turn back: channel, time, value; by the secant method on the path itself."""
    if len(sweep.t) < 3:
        return []
    rates = joint_rates(run.motion)
    fastest = max((float(np.max(np.abs(r))) for r in rates.values()), default=0.0)
    found: list[tuple[str, int, float]] = []
    for name, rate in rates.items():
        most = float(np.max(np.abs(rate)))
        if most <= STILL * fastest:
            continue
        signs = np.sign(np.where(np.abs(rate) > LEVEL * LEVEL * most, rate, 0.0))
        for k in np.flatnonzero((signs[:-1] * signs[1:] < 0) | ((signs[:-1] == 0) & (signs[1:] != 0))):
            share = rate[k] / (rate[k] - rate[k + 1])
            found.append((name, int(k), float(sweep.t[k] + share * (sweep.t[k + 1] - sweep.t[k]))))
    refined = _refined(sweep, run, found)
    own = {(m.values.get("joint") or "").partition(".")[0] for m in run.blueprint.motions}
    # Where the driver itself turns back, everything does.
    turned = np.array([t for name, t, _ in refined if name.partition(".")[0] in own])
    near = 1e-6 * float(sweep.t[-1] - sweep.t[0])
    others = [dead for dead in refined if dead[0].partition(".")[0] not in own]
    return [dead for dead in others if not np.any(np.abs(turned - dead[1]) < near)]


def _refined(sweep: Sweep, run: Kinematics, found: list[tuple[str, int, float]]) -> list[tuple[str, float, float]]:
    """All dead points at once, each from the sample before it."""
    if not found:
        return []
    model, path = run.model, sweep.path
    before = np.array([sweep.t[k] for _, k, _ in found])
    guess = np.array([t for _, _, t in found])
    rates = joint_rates(run.motion)
    f_before = np.array([rates[name][k] for name, k, _ in found])
    low, high = before.copy(), np.array([sweep.t[k + 1] for _, k, _ in found])
    last: Kinematics | None = None
    for _ in range(ROUNDS):
        states = np.array([_between(path, sweep, k, t) for (_, k, _), t in zip(found, guess, strict=True)])
        motion = Motion(model, states, np.zeros((len(found), model.nv)))
        now = joint_rates(motion)
        f = np.array([now[name][j] for j, (name, _, _) in enumerate(found)])
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(f != f_before, f * (guess - before) / (f - f_before), 0.0)
        before, f_before = guess, f
        guess = np.clip(np.where(np.isfinite(step), guess - step, guess), low, high)
        if np.max(np.abs(guess - before)) <= 1e-15 * max(1.0, float(np.max(np.abs(guess)))):
            break
    states = np.array([_between(path, sweep, k, t) for (_, k, _), t in zip(found, guess, strict=True)])
    last = Kinematics(model, run.choices, guess, states, np.zeros((len(found), run._out.shape[1])), None, None, None)
    return [(name, float(guess[j]), float(last[name][j])) for j, (name, _, _) in enumerate(found)]


def _between(path: Path, sweep: Sweep, k: int, t: float) -> Array:
    """The state at a time a little behind sample k."""
    node = Node(float(sweep.t[k]), sweep.samples[k], sweep.rates[k], 0.0, 0.0)
    found = path.node(t, path.predicted(node, t - node.t)) if t != node.t else None
    return sweep.samples[k] if found is None else found.y
