"""A mechanism of ours as a box: any coordinates, treatment and integrator, on a session of its own.

The wrenches on its ports are forces and torques of the mechanism, formulas whose coefficients are parameters. At each
macro point the integrator begins anew: there the wrenches have a kink, and so all that a later step reads is time,
state and the length of steps.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..engine.body_states import body_motion
from ..engine.box_group import BoxGroup, Seat, may_sit
from ..engine.interface import PortLoads
from ..kernels.layout.returned import OK
from ..mechanism.errors import ChoiceError, SimulationError
from ..mechanism.frozen import Frozen
from ..mechanism.parts import Blueprint, PointForce, Torque
from ..mechanism.rotations import swung
from ..model.states import attitude_from_frames
from ..results.solution import Solution
from ..session.begin import begin
from ..session.notes import statistics
from ..session.session import Session
from .box import Box, PortMotion, width_of
from .port_names import CHOICES, PREFIX, port_name

Array = npt.NDArray[np.float64]

DEGREE = 3  # of the polynomials of time, at most
HEAD = struct.Struct("<4sddd")
LIGHT, WHOLE = b"JDbl", b"JDbw"


class MechanismBox(Box):
    """A mechanism with ports at points of its bodies (`frame.H`)."""

    def __init__(
        self, name: str, blueprint: Blueprint, ports: Sequence[str], choices: Mapping[str, Any], degree: int = DEGREE
    ) -> None:
        """`degree` is the highest that wrenches have: each costs time in every evaluation."""
        self.name, self.written = name, dict(choices)
        self.first = self.base = blueprint  # as it came, and with the numbers that were set since
        self.space, self.ports = blueprint.space, tuple(ports)
        self.gravity = blueprint.gravity
        self.begun_with: Mapping[str, Any] | None = None  # a state by name, for the next start
        self._width = width_of(blueprint.space)
        self.degree = degree
        self._loaded, self._clock, self._names = loaded(blueprint, self.ports, degree)
        self._session: Session | None = None
        self._group: BoxGroup | None = None
        self._k, self._seen = 0, 0  # its place there; changes of the group that the session has seen

    # Promises of a box -----------------------------------------------------------------------------------------------

    @property
    def session(self) -> Session:
        """Where the box is in Python; brought to where it stands in its group."""
        if self._session is None:
            raise SimulationError(f"subsystem '{self.name}' was not started")
        if self._group is not None and self._group.changes != self._seen:
            self._seen = self._group.changes
            session, own, k = self._session, self._group.own, self._k
            t, y = float(own.t[k]), own.y[k].copy()
            session.stands(t, y, OK, session.reference)
            session.loop.counts[:] = own.counts[k]
            session.loop.clock[:] = own.clock[k]
            session.loop.begin_anew(t, y)
            self._last = self.last.copy()
        return self._session

    def start(self, t: float) -> PortMotion:
        try:
            self._session = session = begin(
                self._loaded, times=[t] if t else None, state=self.begun_with, **self.written
            )
        except ChoiceError as error:
            raise ChoiceError(f"subsystem '{self.name}': {error}", *error.keys) from error
        method = session.choices.integrator
        self.step = getattr(method, "step", None)
        self._light = self.step is not None and not self.base.events
        self._places = self._find_places()
        self._last = np.zeros((len(self.ports), self._width))
        self.sit()
        self._loads.put(session.loop.workspace, t, 1.0, self._last[None])
        return self._motion()

    def advance(self, H: float, wrenches: Array) -> PortMotion:
        if self._group is not None:
            group = self.alone()
            mark = group.mark
            if group.takes(H):
                group.go(H, np.ascontiguousarray(wrenches)[None], 0, 1)
                if not group.has_failed:
                    return PortMotion(*group.motion(0))
                group.back(mark)
        session = self.session
        t = session.t
        self._load(t, H, wrenches)
        if not (self._light and self._stepped(t, H)):
            session.loop.begin_anew(t, session.y)
            status = session.advance(to=t + H)
            if not status.ok:
                raise SimulationError(f"subsystem '{self.name}' came to t = {session.t:g} s: {status.sentence}")
        self._stands()
        return self._motion()

    def _stepped(self, t: float, H: float) -> bool:
        """The time loop alone, which is all of an advance where nothing happens; False, and back, if something did."""
        session = self.session
        loop, y = session.loop, session.y
        loop.workspace.begin_anew()
        loop.begin_anew(t, y)
        times = np.array([t + H])
        if loop.go(times, np.empty((1, y.size))) == OK:
            session.stands(float(times[0]), loop.y, OK, session.reference)
            return True
        loop.workspace.begin_anew()
        return False

    def mobility(self) -> Array:
        """Accelerations are linear in the wrenches: one evaluation a component, by the factor of the treatment."""
        if self._group is not None:
            group = self.alone()
            found: Array = group.mobilities()[0]
            if not group.has_failed:
                return found
        P, w, session = len(self.ports), self._width, self.session
        n = P * w
        held, scales = self.last, np.tile(self._scales(), P)
        states = np.tile(session.y, (n + 1, 1))
        accelerations = np.empty((n + 1, session.prepared.model.nv))
        for k in range(n + 1):
            trial = held.ravel().copy()
            if k < n:
                trial[k] += scales[k]
            self._loads.put(session.loop.workspace, session.t, 1.0, trial.reshape(1, P, w))
            accelerations[k] = self._accelerations()
        self._loads.put(session.loop.workspace, session.t, 1.0, held[None])
        rates = self._port_rates(states, accelerations)
        return np.asarray(((rates[:n] - rates[n]) / scales[:, None]).T)

    def kick(self, impulses: Array) -> PortMotion:
        """v jumps by what the impulses, as forces for a second, would do to accelerations."""
        session, last = self.session, self.last
        workspace, layout = session.loop.workspace, session.prepared.model.layout
        self._loads.put(workspace, session.t, 1.0, last[None])
        before = self._accelerations()
        self._loads.put(workspace, session.t, 1.0, (last + impulses)[None])
        jump = self._accelerations() - before
        self._loads.put(workspace, session.t, 1.0, last[None])
        y = session.y.copy()
        driven = layout.work("driven")
        energy = session["energy.kinetic"]
        y[layout.v] += jump
        session.stands(session.t, y, session.outcome, session.reference)
        y[driven] += session["energy.kinetic"] - energy
        session.stands(session.t, y, session.outcome, session.reference)
        session.loop.begin_anew(session.t, y)
        self._stands()
        return self._motion()

    def state(self) -> bytes:
        """Time, state and length of steps; of methods and machines with more to remember, a checkpoint."""
        session = self.session
        loop = session.loop
        if self._light:
            return HEAD.pack(LIGHT, session.t, loop.next_step, loop.usual_step) + self._tail() + session.y.tobytes()
        return HEAD.pack(WHOLE, session.t, loop.next_step, loop.usual_step) + self._tail() + session.checkpoint()

    def _tail(self) -> bytes:
        return self.last.tobytes()

    def restore(self, state: bytes) -> None:
        session = self.session
        kind, t, step, usual = HEAD.unpack_from(state)
        size = self._last.nbytes
        self._last = np.frombuffer(state[HEAD.size : HEAD.size + size]).reshape(self._last.shape).copy()
        body = state[HEAD.size + size :]
        if kind == WHOLE:
            session.restore(body)
        else:
            y = np.frombuffer(body).copy()
            session.stands(t, y, session.outcome, session.reference)
            session.loop.begin_anew(t, y)
        session.loop.next_step, session.loop.usual_step = step, usual
        self._loads.put(session.loop.workspace, t, 1.0, self._last[None])
        self._stands()

    # In a group ------------------------------------------------------------------------------------------------------

    def sit(self) -> None:
        """In a group of its own, if it can be in one; to be called anew where its numbers have become others."""
        session = self.session
        if self._group is not None:
            self._group.complete = False
            self._group = None
        workspace, shape = session.loop.workspace, (self.degree + 1, *self._last.shape)
        self._loads = PortLoads(workspace, self._clock, self._names, shape)
        if not (self._light and may_sit(session.loop)):
            return
        bodies, arms = self._places
        looking = session.observer.pose(workspace)
        self.seat = Seat(session.loop, looking, self._loads, tuple(bodies), arms, self._scales())
        self._by_itself()

    def _by_itself(self) -> None:
        session = self.session
        self.join(BoxGroup([self.seat], [session.t], [session.y]), 0)
        self._stands()

    def join(self, group: BoxGroup, k: int) -> None:
        """It is box k of a group, which has its state."""
        if self._group is not None and self._group is not group:
            self._group.complete = False
        self._group, self._k, self._seen = group, k, group.changes

    def alone(self) -> BoxGroup:
        """The group that it is in by itself; among others it cannot be asked alone."""
        if self._grouped().size > 1:
            self._by_itself()
        return self._grouped()

    @property
    def grouped(self) -> bool:
        return self._group is not None

    def went(self) -> None:
        """The group is elsewhere."""
        self._seen = -1

    @property
    def last(self) -> Array:
        """The wrenches that act where it stands."""
        return self._last if self._group is None else self._group.wrench[self._k]

    def _grouped(self) -> BoxGroup:
        assert self._group is not None
        return self._group

    def _stands(self) -> None:
        """The group learns where the session is."""
        if self._group is not None and self._session is not None:
            self._group.stands(self._k, self._session.t, self._session.y, self._last)
            self._seen = self._group.changes

    # What a system asks besides of its own boxes ---------------------------------------------------------------------

    @property
    def t(self) -> float:
        return self.session.t

    @property
    def size(self) -> float:
        """m."""
        return float(self.session.prepared.model.size)

    def motion_under(self, wrenches: Array) -> PortMotion:
        """The motion where it stands, with these wrenches on its ports."""
        self._load(self.session.t, 1.0, np.ascontiguousarray(wrenches)[None])
        self._stands()
        return self._motion()

    def observe(self, wrenches: Array) -> tuple[Array, Array]:
        """State and outputs where it stands, with these wrenches on its ports."""
        session, workspace = self.session, self.session.loop.workspace
        self._loads.put(workspace, session.t, 1.0, np.ascontiguousarray(wrenches)[None])
        out = session.observer.outputs(workspace, np.array([session.t]), session.y[None])
        self._loads.put(workspace, session.t, 1.0, self.last[None])
        return session.y.copy(), out[0]

    def solution(self, t: Array, samples: Array, out: Array, status: Any) -> Solution:
        """What was observed, as a run gives it."""
        session = self.session
        p, events = session.prepared, session.events.recorded()
        return Solution(
            p.model, session.choices, t, samples, out, status, statistics(session.loop), p.redundancy, events
        )

    def fixed_step(self) -> float | None:
        """s, of the method that is written, before it is started."""
        choices = ch.with_defaults({**dict.fromkeys(CHOICES), **self.written}, self.base.defaults)
        return getattr(ch.resolve(self.base.space, **choices).integrator, "step", None)

    # Within ----------------------------------------------------------------------------------------------------------

    def _load(self, t: float, H: float, wrenches: Array) -> None:
        self._loads.put(self.session.loop.workspace, t, H, wrenches)
        self._last = np.sum(wrenches, axis=0)

    def _accelerations(self) -> Array:
        session = self.session
        model = session.prepared.model
        out = session.observer.outputs(session.loop.workspace, np.array([session.t]), session.y[None])[0]
        if not np.isfinite(out[model.outputs.accelerations]).all():
            raise SimulationError(f"subsystem '{self.name}': accelerations are not finite at t = {session.t:g} s")
        return np.asarray(out[model.outputs.accelerations])

    def _scales(self) -> Array:
        """Forces and couples that accelerate it by about 1 m/s2 and 1 rad/s2."""
        mass = sum(body.mass for body in self.base.bodies)
        dim = self.base.dim
        return np.array([mass] * dim + [mass * self.size**2] * (self._width - dim))

    def _find_places(self) -> tuple[list[int], Array]:
        """The body of each port, and the port from its mass centre in body axes."""
        bodies = {body.name: k for k, body in enumerate(self.base.bodies)}
        names = [port_name(port) for port in self.ports]
        arms = [np.array(self.base.port(n).at) - np.array(self.base.body(n.body).centre) for n in names]
        return [bodies[name.body] for name in names], np.array(arms).reshape(-1, self.base.dim)

    def _motion(self) -> PortMotion:
        if self._group is not None:
            group = self.alone()
            group.move(group.wrench.copy())
            if not group.has_failed:
                return PortMotion(*group.motion(0))
        session = self.session
        model = session.prepared.model
        bodies, arms = self._places
        found = body_motion(model, session.y[None], self._accelerations()[None])
        centre, frame, speed, spin, rate, spin_rate = (found[k][0] for k in (0, 1, 3, 4, 5, 6))
        R, w, a = frame[bodies], spin[bodies], spin_rate[bodies]
        r = np.einsum("pij,pj->pi", R, arms)
        turned = attitude_from_frames(R) if found[2] is None else found[2][0][bodies]
        velocity = speed[bodies] + swung(w, r)
        acceleration = rate[bodies] + swung(a, r) + swung(w, swung(w, r))
        return PortMotion(centre[bodies] + r, turned, velocity, w, acceleration, a)

    def _port_rates(self, states: Array, accelerations: Array) -> Array:
        """Rates of velocity and spin of all ports, sample by sample, less what needs no acceleration."""
        bodies, arms = self._places
        found = body_motion(self.session.prepared.model, states, accelerations)
        r = np.einsum("pij,pj->pi", found[1][0][bodies], arms)
        spin_rate = found[6][:, bodies]
        rates = found[5][:, bodies] + swung(spin_rate, np.broadcast_to(r, (len(states), *r.shape)))
        return np.asarray(np.concatenate([rates, spin_rate], axis=2).reshape(len(states), -1))


def loaded(blueprint: Blueprint, ports: Sequence[str], most: int) -> tuple[Blueprint, tuple[str, str], list[str]]:
    """The mechanism with loads on its ports, and the names of their parameters: of the clock, and coefficients."""
    taken = {*blueprint.parameters, *(body.name for body in blueprint.bodies)}
    prefix = PREFIX
    while any(name.startswith(prefix) for name in taken):
        prefix += "_"
    clock = f"{prefix}_t", f"{prefix}_rate"
    dim, width = blueprint.dim, width_of(blueprint.space)
    s = f"((t - {clock[0]})*{clock[1]})"
    forces: list[PointForce | Torque] = []

    def name(degree: int, port: int, component: int) -> str:
        return f"{prefix}_{port}_{component}_{degree}"

    def polynomial(port: int, component: int) -> str:
        words = name(most, port, component)
        for k in reversed(range(most)):
            words = f"{name(k, port, component)} + {s}*({words})"
        return words

    for p, port in enumerate(ports):
        parts = tuple(polynomial(p, c) for c in range(width))
        at = port_name(port)
        forces += [PointForce(f"{prefix}_{p}_force", at, parts[:dim])]
        forces += [Torque(f"{prefix}_{p}_torque", at.body, parts[dim:])]
    names = [name(k, p, c) for k in range(most + 1) for p in range(len(ports)) for c in range(width)]
    numbers = {**blueprint.parameters, clock[0]: 0.0, clock[1]: 1.0, **dict.fromkeys(names, 0.0)}
    more = replace(blueprint, forces=(*blueprint.forces, *forces), parameters=Frozen(numbers))
    return more, clock, names
