"""What happens at events: records, parameters, parts switched on and off, the end of a run.

Joints, relations and motions that are switched change the equations, so each combination has a model of its own, made
when first needed. Switching one on stops the motion it forbids by an impulse in the mass metric: momentum in all
directions that stay free is conserved, and the kinetic energy lost is counted as dissipated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ...compiled import choices as ch
from ...compiled.compile import compile_mechanism
from ...compiled.flat import Workspace
from ...compiled.formulas import WORKS
from ...compiled.kernels import load_kernels
from ...equations.parse import formula
from ...mechanism.errors import SimulationError
from ...mechanism.parts import Event
from ...mechanism.ties import largest
from ...results.solution import Solution
from ..starting.assemble import set_parameters
from ..starting.linear import Pose
from ..starting.prepare import Prepared, parameters, settle
from .loop import Loop
from .sentences import failure

Array = npt.NDArray[np.float64]

# A joint may be switched on if it is no more open than this, of the mechanism's size, or than others are that have
# drifted; projection closes the rest.
SWITCHABLE_GAP = 1e-6


@dataclass
class Record:
    """Times, states and outputs at which one event happened."""

    t: list[float] = field(default_factory=list)
    y: list[Array] = field(default_factory=list)
    out: list[Array] = field(default_factory=list)


class Events:
    """Carries out the actions of events during a run, and keeps what they record."""

    def __init__(self, prepared: Prepared, choices: ch.Choices, loop: Loop) -> None:
        self._prepared = prepared
        self._choices = choices
        self._loop = loop
        self._events = prepared.model.blueprint.events
        self._known: dict[frozenset[str], Workspace] = {prepared.model.off: prepared.workspace}
        self.records = {event.name: Record() for event in self._events}
        self.stopped_by = ""
        self.error: BaseException | None = None
        loop.on_event = self.happen

    def happen(self, t: float, fired: tuple[int, ...]) -> bool:
        """Do what the events that fired at t ask for. Returns whether to go on."""
        y = self._loop.y
        state = y.copy()
        out = self._loop.report_at(t, state)
        moments = [Moment(self, self._events[k], t, state, out) for k in fired]
        for moment in moments:
            moment.prepare()
        off = self._loop.workspace.model.off
        for moment in moments:
            off = moment.act(off)
        try:
            self._hold_anew(moments, t, y)
            self._switch(off, t, y)
        except SimulationError as error:
            self.error = error
        stopping = [moment.event.name for moment in moments if moment.stopping]
        self.stopped_by = ", ".join(stopping)
        return not stopping and self.error is None

    def solution_at(self, t: Any, y: Any, out: Any) -> Solution:
        """A Solution of a few states, to read channels from."""
        model = self._loop.workspace.model
        p = self._prepared
        return Solution(model, self._choices, np.array(t), np.array(y), np.array(out), None, None, p.redundancy)

    def recorded(self) -> dict[str, Solution]:
        """For each event a Solution whose samples are the moments at which it happened."""
        n, width = self._loop.y.size, self._loop.width
        return {
            name: self.solution_at(r.t, np.reshape(r.y, (-1, n)), np.reshape(r.out, (-1, width)))
            for name, r in self.records.items()
        }

    def set_parameter(self, name: str, value: float) -> None:
        set_parameters(self._loop.workspace, {name: value})

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
        if off not in self._known:
            self._known[off] = self._new_workspace(off, added, t, y)
        workspace = self._known[off]
        set_parameters(workspace, parameters(before))
        self._hold_phases(workspace, added, t, y)
        if added:
            self._collide(workspace, added, t, y)
        loop.exchange(workspace)

    def _new_workspace(self, off: frozenset[str], added: frozenset[str], t: float, y: Array) -> Workspace:
        blueprint = self._prepared.model.blueprint
        old = self._prepared.model
        model = compile_mechanism(blueprint, old.coordinates, off=off, tree=old.tree)
        workspace = Workspace(model, integrator=self._choices.integrator.loop)
        set_parameters(workspace, parameters(self._loop.workspace))
        self._hold_phases(workspace, added, t, y)
        return settle(model, workspace, y, t, self._choices.treatment, self._choices.integrator.loop)[1]

    def _hold_phases(self, workspace: Workspace, added: frozenset[str], t: float, y: Array) -> None:
        """Floating rows that come into force hold the value they find: a clutch engages where it is."""
        owners = {row.row: row.joint for row in workspace.model.rows}
        new = {name: 0.0 for row, name in workspace.model.floating if owners[row] in added}
        if not new:
            return
        set_parameters(workspace, new)
        pose = Pose(workspace.model, workspace)
        pose.place(t, y)
        residual = workspace[load_kernels().context.RESIDUAL][:, 0]
        set_parameters(workspace, {n: float(residual[row]) for row, n in workspace.model.floating if n in new})

    def _collide(self, workspace: Workspace, added: frozenset[str], t: float, y: Array) -> None:
        """The impulse: v changes by M^-1 J^T times what stops the forbidden motion."""
        k = load_kernels()
        model = workspace.model
        found = list(zip(np.abs(Pose(model, workspace).residual(t, y)), [r.joint for r in model.rows], strict=True))
        new = [pair for pair in found if pair[1] in added] or [(0.0, "")]
        gap, worst = new[largest(pair[0] for pair in new)]
        drift = max((pair[0] for pair in found if pair[1] not in added), default=0.0)  # where nothing is projected
        if gap > max(SWITCHABLE_GAP * model.size, drift):
            raise SimulationError(
                f"stopped at t = {t:g} s: {', '.join(sorted(added))} cannot come into force here: '{worst}' is "
                f"{gap:.3g} (m or rad) from closed; do it where it closes, or hold a speed, not a position"
            )
        kinetic = self._kinetic(workspace, t, y)
        # Recipes that project otherwise than by the mass metric must not do so with an impulse.
        impulse = Workspace(model)
        set_parameters(impulse, parameters(workspace))
        for header in (k.context.H_MOORE_PENROSE, k.context.H_EXPECTED_RANK):
            impulse.ctx[header] = workspace.ctx[header]
        status = k.system.project(impulse.ctx, t, y)
        if status not in (k.context.OK, k.context.RESTART):
            raise SimulationError(failure(status, t, model, impulse, y))
        lost = kinetic - self._kinetic(workspace, t, y)
        works = model.nq + model.nv + len(model.states)
        # A motion that is switched on may push: energy gained was driven.
        y[works + WORKS.index("dissipated")] += max(lost, 0.0)
        y[works + WORKS.index("driven")] += max(-lost, 0.0)

    @staticmethod
    def _kinetic(workspace: Workspace, t: float, y: Array) -> float:
        k = load_kernels()
        nq, nv = workspace.model.nq, workspace.model.nv
        q, v = y[:nq].copy(), y[nq : nq + nv].copy()
        for entry in (k.context.F_PLACE, k.context.F_ENERGY):
            k.system.call_entry(workspace.ctx, entry, t, q, v)
        return float(workspace[k.context.ENERGY][0, 0])


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
            return parameters(workspace)[channel]
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
                record = self._events.records[self.event.name]
                record.t.append(self.t)
                record.y.append(self._y)
                record.out.append(self._out)
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
            return formula(source, quantities=True)(self.t, self.__getitem__)
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
