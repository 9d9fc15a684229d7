"""What happens at events: records, parameters, parts switched on and off, the end of a run.

Joints, relations and motions that are switched change the equations, so each combination has a model of its own, made
when first needed. Switching one on stops the motion it forbids by an impulse in the mass metric: momentum in all
directions that stay free is conserved, and the kinetic energy lost is counted as dissipated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..assembly.prepare import Prepared, settle
from ..assembly.sentences import failure
from ..engine.plan import Plan
from ..engine.pose import Pose
from ..engine.time_loop import TimeLoop
from ..engine.workspace import Workspace
from ..engine.written_memory import in_order
from ..kernels.layout.returned import OK
from ..library.values import constant, with_tables
from ..mechanism.errors import SimulationError
from ..mechanism.parts import Event
from ..mechanism.ties import largest
from ..model.compile import compile_mechanism
from ..results.solution import Solution
from ..results.status import Statistics, Status
from .impulse import count, impulse_of
from .observer import Observer

Array = npt.NDArray[np.float64]

# A joint may be switched on if it is no more open than this, of the mechanism's size, or than others are that have
# drifted; projection closes the rest.
SWITCHABLE_GAP = 1e-6
# So many events within so short a time, s, or part of the time itself, come ever closer together.
MOST_AT_ONCE, AT_ONCE = 1000, 1e-9


@dataclass
class Moments:
    """Times, states and outputs at which one event happened."""

    t: list[float] = field(default_factory=list)
    y: list[Array] = field(default_factory=list)
    out: list[Array] = field(default_factory=list)


class Happened(NamedTuple):
    """An event that happened: when, which ones, and the largest jump of a velocity that it brought, m/s or rad/s."""

    t: float
    names: str
    jump: float


class Events:
    """Carries out the actions of events during a run, and keeps what they record."""

    def __init__(
        self, prepared: Prepared, choices: ch.Choices, loop: TimeLoop, observer: Observer, keeps: bool
    ) -> None:
        """`keeps`: records are kept; else nothing is but the present."""
        self._prepared = prepared
        self._choices = choices
        self._loop = loop
        self._observer = observer
        self._keeps = keeps
        self.before: Callable[[], None] = lambda: None  # called before anything changes
        self._recent: deque[float] = deque(maxlen=MOST_AT_ONCE)  # when events happened
        self.told: deque[Happened] = deque(maxlen=MOST_AT_ONCE)  # for those who look on; whoever reads it empties it
        self._events = prepared.model.blueprint.events
        self._known: dict[frozenset[str], Workspace] = {prepared.model.off: prepared.workspace}
        self.records = {event.name: Moments() for event in self._events}
        self.stopped_by = ""
        self.changed = False  # whether an event changed anything
        self.crowded = False  # events came ever closer together
        self.error: BaseException | None = None
        loop.on_event = self.happen

    def happen(self, t: float, fired: tuple[int, ...]) -> bool:
        """Do what the events that fired at t ask for. Returns whether to go on."""
        self.before()
        y = self._loop.y
        state = y.copy()
        out = self._observer.outputs(self._loop.workspace, np.array([t]), state[None])[0]
        left = [k - len(self._events) for k in fired if k >= len(self._events)]
        if left:
            self.error = SimulationError(self._left_table(left[0], t))
            return False
        moments = [Moment(self, self._events[k], t, state, out) for k in fired]
        for moment in moments:
            moment.prepare()
        off = self._loop.workspace.model.off
        kinds = {action.kind for moment in moments for action in moment.event.actions}
        self.changed |= bool(kinds - {"record", "stop"})
        for moment in moments:
            off = moment.act(off)
        try:
            self._hold_anew(moments, t, y)
            self._switch(off, t, y)
        except SimulationError as error:
            self.error = error
        stopping = [moment.event.name for moment in moments if moment.stopping]
        self.stopped_by = ", ".join(stopping)
        self._recent.append(t)
        v = self._loop.workspace.model.layout.v
        jump = float(np.max(np.abs(y[v] - state[v]), initial=0.0))
        self.told.append(Happened(t, ", ".join(moment.event.name for moment in moments), jump))
        close = t - self._recent[0] < AT_ONCE * max(1.0, abs(t))
        self.crowded = len(self._recent) == MOST_AT_ONCE and close
        return not stopping and not self.crowded and self.error is None

    def _left_table(self, k: int, t: float) -> str:
        """That the argument of a table leaves it here."""
        limit = self._loop.workspace.model.watched[k]
        return (
            f"stopped at t = {t:g} s: {limit.where}: its argument leaves the table, which covers {limit.low:g} to "
            + (f"{limit.high:g}; let it cover more, or say outside: hold or extrapolate")
        )

    def solution_at(self, t: Any, y: Any, out: Any) -> Solution:
        """A Solution of a few states, to read channels from."""
        model = self._loop.workspace.model
        p = self._prepared
        ended, counts = Status(True, "moments of an event"), Statistics(0, 0, 0, 0, 0, 0.0)
        return Solution(model, self._choices, np.array(t), np.array(y), np.array(out), ended, counts, p.redundancy)

    def recorded(self) -> dict[str, Solution]:
        """For each event a Solution whose samples are the moments at which it happened."""
        n, width = self._loop.y.size, self._loop.workspace.reported
        return {
            name: self.solution_at(r.t, np.reshape(r.y, (-1, n)), np.reshape(r.out, (-1, width)))
            for name, r in self.records.items()
        }

    def record(self, name: str, t: float, y: Array, out: Array) -> None:
        """One moment at which an event happened."""
        if self._keeps:
            record = self.records[name]
            record.t.append(t)
            record.y.append(y)
            record.out.append(out)

    def set_parameter(self, name: str, value: float) -> None:
        self._loop.workspace.set_numbers({name: value})

    def _hold_anew(self, moments: list[Moment], t: float, y: Array) -> None:
        """Rows whose parameters were set hold from here on: gears that shift, as gears that engage."""
        workspace = self._loop.workspace
        held = workspace.model.held_by
        owners = frozenset(o for moment in moments for name in moment.values for o in held.get(name, ()))
        if owners:
            self._hold_phases(workspace, owners, t, y)
            self._collide(workspace, owners, t, y)

    # Switching --------------------------------------------------------------------------------------------------

    def _switch(self, off: frozenset[str], t: float, y: Array) -> None:
        """Change to the equations without the parts in `off`, with velocities that agree with them."""
        loop = self._loop
        before = loop.workspace
        if off == before.model.off:
            return
        added = before.model.off - off
        workspace = self.workspace_without(off, added, t, y)
        workspace.set_numbers(before.numbers)
        self._hold_phases(workspace, added, t, y)
        if added:
            self._collide(workspace, added, t, y)
        loop.exchange(workspace)

    def state(self) -> dict[str, Any]:
        """What it knows besides what the workspace does, in plain numbers."""
        return {"stopped_by": self.stopped_by, "recent": list(self._recent)}

    def read(self, state: dict[str, Any], t: float) -> tuple[str, list[float]]:
        """What somebody else wrote at t, if it can be. Raises ValueError."""
        names, stopped = {event.name for event in self._events}, state["stopped_by"]
        if not isinstance(stopped, str) or (stopped and not set(stopped.split(", ")) <= names):
            raise ValueError(f"it was stopped by {stopped!r}, which is no event")
        recent = state["recent"]
        if not isinstance(recent, list) or len(recent) > MOST_AT_ONCE:
            raise ValueError("its events are no list of times")
        if not in_order(recent, t) or (recent and not self._events):
            raise ValueError("its events happened at times that cannot be")
        return stopped, [float(at) for at in recent]

    def restore(self, read: tuple[str, list[float]]) -> None:
        self.stopped_by, self.crowded, self.error = read[0], False, None
        self._recent = deque(read[1], maxlen=MOST_AT_ONCE)

    def cut(self, t: float) -> None:
        """Forget what was recorded after t."""
        for record in self.records.values():
            while record.t and record.t[-1] > t:
                for kept in (record.t, record.y, record.out):
                    kept.pop()

    def renew(self, prepared: Prepared, workspace: Workspace) -> None:
        """Numbers of the mechanism changed: other workspaces are made anew when they are needed."""
        self._prepared = prepared
        self._known = {workspace.model.off: workspace}

    def put(self, workspace: Workspace) -> None:
        """Equations as they are solved from now on, with the parts that are off now."""
        self._known[workspace.model.off] = workspace

    def workspace_without(self, off: frozenset[str], added: frozenset[str], t: float, y: Array) -> Workspace:
        """The workspace of the equations without the parts in `off`, made when first needed."""
        if off not in self._known:
            self._known[off] = self._new_workspace(off, added, t, y)
        return self._known[off]

    def _new_workspace(self, off: frozenset[str], added: frozenset[str], t: float, y: Array) -> Workspace:
        blueprint = self._prepared.model.blueprint
        old = self._prepared.model
        model = compile_mechanism(blueprint, old.set, off=off, tree=old.tree)
        numbers = self._loop.workspace.numbers
        plan = Plan(model, self._choices.treatment, self._choices.integrator, numbers=numbers)
        workspace = Workspace(plan.assembling)
        self._hold_phases(workspace, added, t, y)
        return settle(plan, workspace, y, t)[0]

    def _hold_phases(self, workspace: Workspace, added: frozenset[str], t: float, y: Array) -> None:
        """Floating rows that come into force hold the value they find: a clutch engages where it is."""
        owners = {row.row: row.joint for row in workspace.model.rows}
        new = {name: 0.0 for row, name in workspace.model.floating if owners[row] in added}
        if not new:
            return
        workspace.set_numbers(new)
        pose = Pose(workspace.model, workspace)
        found = pose.phases(t, y)
        workspace.set_numbers({name: found[name] for name in new})

    def _collide(self, workspace: Workspace, added: frozenset[str], t: float, y: Array) -> None:
        """The impulse: v changes by M^-1 J^T times what stops the forbidden motion."""
        model = workspace.model
        pose = Pose(model, workspace)
        found = list(zip(np.abs(pose.residual(t, y)), [r.joint for r in model.rows], strict=True))
        new = [pair for pair in found if pair[1] in added] or [(0.0, "")]
        gap, worst = new[largest(pair[0] for pair in new)]
        drift = max((pair[0] for pair in found if pair[1] not in added), default=0.0)  # where nothing is projected
        if gap > max(SWITCHABLE_GAP * model.size, drift):
            raise SimulationError(
                f"stopped at t = {t:g} s: {', '.join(sorted(added))} cannot come into force here: '{worst}' is "
                f"{gap:.3g} (m or rad) from closed; do it where it closes, or hold a speed, not a position"
            )
        # Recipes that project otherwise than by the mass metric must not do so with an impulse.
        impulse = Workspace(workspace.plan.colliding.with_(numbers=workspace.numbers))
        impulse.take_numbers(workspace)
        colliding, v = Pose(model, impulse), y[model.layout.v].copy()
        status = colliding.project(t, y)
        if status != OK:
            raise SimulationError(failure(status, t, model, impulse, y))
        before = y.copy()
        before[model.layout.v] = v
        count(model, y, impulse_of(colliding, t, before))


class Moment:
    """One event at one time. A user's function gets it: `moment.t`, `moment["crank.x"]`, and what can be done."""

    def __init__(self, events: Events, event: Event, t: float, y: Array, out: Array) -> None:
        self.event = event
        self.t = t
        self.stopping = False
        self._events = events
        self._y, self._out = y, out
        self._switches: list[tuple[str, bool]] = []
        self.values: dict[str, float] = {}

    def __getitem__(self, channel: str) -> float:
        """The value of a channel or parameter just before the event acts."""
        workspace = self._events._loop.workspace
        if channel in workspace.model.parameters:
            return workspace.numbers[channel]
        return float(self._events.solution_at([self.t], [self._y], [self._out])[channel][0])

    def set(self, parameter: str, value: float) -> None:
        """Give a parameter a new value."""
        self.values[parameter] = float(value)

    def on(self, part: str) -> None:
        """Switch a part on."""
        self._switches.append((part, True))

    def off(self, part: str) -> None:
        """Switch a part off."""
        self._switches.append((part, False))

    def stop(self) -> None:
        """End the run here."""
        self.stopping = True

    def prepare(self) -> None:
        """Find out what to do, from the state before anything is done."""
        for action in self.event.actions:
            if action.kind == "stop":
                self.stop()
            elif action.kind == "record":
                self._events.record(self.event.name, self.t, self._y, self._out)
            elif action.kind == "set":
                self.set(action.target, self._value(action.value))
            elif action.kind in ("on", "off"):
                self._switches.append((action.target, action.kind == "on"))
            else:
                try:
                    action.value(self)
                except BaseException as error:  # noqa: BLE001  (the run ends with it, and keeps what it has)
                    self._events.error = error
                    return

    def _value(self, source: Any) -> float:
        if isinstance(source, str):
            blueprint = self._events._loop.workspace.model.blueprint
            return with_tables(constant(source), blueprint, f"event '{self.event.name}'")(self.t, self.__getitem__)
        return float(source)

    def act(self, off: frozenset[str]) -> frozenset[str]:
        """Set parameters and switch forces; returns the rows that are off now."""
        workspace = self._events._loop.workspace
        for name, value in self.values.items():
            if name not in workspace.model.parameters:
                self._events.error = KeyError(f"there is no parameter '{name}'")
                return off
            self._events.set_parameter(name, value)
        blueprint = workspace.model.blueprint
        equations = {p.name for parts in (blueprint.joints, blueprint.relations, blueprint.motions) for p in parts}
        for part, on in self._switches:
            if f"{part}.on" in workspace.model.parameters:
                self._events.set_parameter(f"{part}.on", float(on))
            elif part not in equations:  # only a function can ask for it: what events name is prepared for
                self._events.error = KeyError(f"'{part}' cannot be switched; name it in on= or off= of an event")
                return off
            off = off - {part} if on else off | {part}
        return off
