"""One structure of a live machine: the document as it was, the session of its equations, hands on it, joints closing.

A change of structure begins another session from the state by name; the old one stays as it was, for those who go back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.plan import Plan
from ..engine.pose import Pose
from ..engine.workspace import Workspace
from ..mechanism.errors import JourdainError
from ..mechanism.parts import Blueprint, Joint, PortName
from ..model.compile import compile_mechanism
from ..model.states import to_vector
from ..session import editing
from ..session.editing import CLOSES, Outcome
from ..session.preparing import chosen_for
from ..session.session import Session
from .document import Document
from .hands import Grip, Hold, with_hands
from .locks import Lock, with_locks
from .operations import NOW, RAMP, OperationError
from .ramps import SECONDS, ramped
from .resting import Run

Array = npt.NDArray[np.float64]

STUCK = 1e-6  # of the largest speed: what a joint must not leave of the motion that it forbids


@dataclass(frozen=True)
class Grid:
    """Steps and times: step n ends at t0 + (n - n0) h, whoever looks, so that a run does not depend on frames."""

    n0: int
    t0: float
    h: float

    def times(self, first: int, last: int, parts: int = 1) -> Array:
        """Ends of steps, each divided into so many parts."""
        ends = np.asarray(self.t0 + self.h * (np.arange(first, last + 1) - self.n0), dtype=np.float64)
        if parts == 1:
            return ends
        fine = ends[:, None] - self.h * (parts - 1 - np.arange(parts)) / parts
        return np.asarray(fine.ravel())

    def at(self, n: int) -> float:
        return float(self.t0 + self.h * (n - self.n0))

    def nearest(self, t: float) -> int:
        """The step that ends nearest to t."""
        return self.n0 + round((t - self.t0) / self.h)

    def step_at(self, t: float) -> int:
        """The last step that does not end after t."""
        return self.n0 + int(np.floor((t - self.t0) / self.h + 1e-6))


@dataclass(frozen=True)
class Ramp:
    """A joint that closes until a time."""

    joint: Joint
    end: float


@dataclass(frozen=True, eq=False)
class Structure:
    """What runs."""

    document: Document
    run: Run
    grid: Grid
    grips: tuple[Grip, ...] = ()
    ramps: tuple[Ramp, ...] = ()
    locks: tuple[Lock, ...] = ()

    @property
    def session(self) -> Session:
        """Of its equations."""
        return self.run.session

    @property
    def hold(self) -> Hold:
        """All hands on it."""
        if self.run.hold is None:
            self.run.hold = Hold(self.session, self.grips)
        self.run.hold.grips = self.grips  # which may be aimed elsewhere
        return self.run.hold

    def aimed(self, grips: Sequence[Grip]) -> Structure:
        """The same with other aims of its hands."""
        return replace(self, grips=tuple(grips))

    @property
    def next_stop(self) -> int | None:
        """The step at which the next joint has closed."""
        return min((self.grid.nearest(ramp.end) for ramp in self.ramps), default=None)

    def without_ramps(self, n: int) -> tuple[Structure | None, Outcome]:
        """Joints that have closed at step n are themselves again."""
        rest = tuple(ramp for ramp in self.ramps if self.grid.nearest(ramp.end) > n)
        return changed(self, n, ramps=rest)


def _whole(document: Document, grips: Sequence[Grip], ramps: Sequence[Ramp], locks: Sequence[Lock]) -> Blueprint:
    blueprint = document.blueprint
    closing = {ramp.joint.name: ramp.joint for ramp in ramps}
    if closing:
        blueprint = replace(blueprint, joints=tuple(closing.get(joint.name, joint) for joint in blueprint.joints))
    return with_hands(with_locks(blueprint, locks), grips)


def changed(
    old: Structure,
    n: int,
    *,
    document: Document | None = None,
    grips: Sequence[Grip] | None = None,
    ramps: Sequence[Ramp] | None = None,
    locks: Sequence[Lock] | None = None,
    close: str = RAMP,
    written: Mapping[str, Any] | None = None,
    renamed: Sequence[str] = (),
) -> tuple[Structure | None, Outcome]:
    """Another structure from step n on, and what became of it; None where it is refused.

    `renamed` are the section, the old name and the new one of a part, or those of a point of a body.
    """
    document = old.document if document is None else document
    grips = tuple(old.grips if grips is None else grips)
    held = tuple(old.locks if locks is None else locks)
    if renamed:
        grips = tuple(_called(grip, renamed) for grip in grips)
        held = tuple(_lock_called(lock, renamed) for lock in held)
        ramps = tuple(replace(ramp, joint=_joint_called(ramp.joint, renamed)) for ramp in old.ramps)
    parts = {renamed[1]: renamed[2]} if len(renamed) == 3 else {}
    names = {joint.name for joint in document.blueprint.joints}
    bodies = {body.name for body in document.blueprint.bodies}
    ramps = tuple(ramp for ramp in (old.ramps if ramps is None else ramps) if ramp.joint.name in names)
    grips = tuple(grip for grip in grips if grip.port.body in bodies)
    held = tuple(lock for lock in held if lock.body in bodies)
    session = old.session.fork()
    try:
        if document.blueprint.space != session.blueprint.space:
            return None, Outcome(False, "a live machine stays in the plane or in space; begin another one")
        blueprint = _whole(document, grips, ramps, held)
        if close != NOW and _may_open(old, document):
            more = _closing(session, blueprint, old.grid, n, parts)
            ramps = (*ramps, *more)
            blueprint = _whole(document, grips, ramps, held) if more else blueprint
        complete = editing.merged(session.written, written or {})
        choices = chosen_for(blueprint, complete)
        step = getattr(choices.integrator, "step", None)
        if step is None:
            name = choices.integrator.name
            words = f"a live machine goes on by equal steps, and {name} chooses its own; take rk4 or generalized-alpha"
            return None, Outcome(False, f"nothing was changed: {words}")
        closes = np.inf if close == NOW else CLOSES
        before, freedoms = session["energy.total"], session.prepared.redundancy.freedoms
        outcome = editing.change(session, blueprint, choices, complete, float(closes), parts)
        if not outcome.ok:
            return None, outcome
        if words := _locks(session, freedoms if locks is None else 0):  # who locks a body may lock all of them
            return None, Outcome(False, f"nothing was changed: {words}")
    except (JourdainError, np.linalg.LinAlgError) as error:
        return None, Outcome(False, f"nothing was changed: {error}")
    same_total(session, before)
    grid = Grid(n, session.t, float(step))
    if grid.h == old.grid.h:
        grid = old.grid
    sentence = outcome.sentence + _closing_words(ramps, old.ramps, grid, n)
    found = Structure(document, Run(session), grid, grips, ramps, held)
    return found, Outcome(True, sentence, outcome.impulses, outcome.lost)


def _may_open(old: Structure, document: Document) -> bool:
    """Whether joints may be open that were closed: others are there, or points elsewhere."""
    before, after = old.document.blueprint, document.blueprint
    if before is after:
        return False
    ports = {body.name: (body.ports, body.centre) for body in before.bodies}
    if before.ground != after.ground or any(ports.get(b.name) != (b.ports, b.centre) for b in after.bodies):
        return True
    rooms = ("joints", "relations", "motions")
    return any(part not in getattr(before, room) for room in rooms for part in getattr(after, room))


def _called(grip: Grip, renamed: Sequence[str]) -> Grip:
    """A grip on what has another name now."""
    return replace(grip, port=_port_called(grip.port, renamed))


def _lock_called(lock: Lock, renamed: Sequence[str]) -> Lock:
    if len(renamed) == 3 and renamed[0] == "bodies" and lock.body == renamed[1]:
        return replace(lock, body=renamed[2])
    return lock


def _port_called(port: PortName, renamed: Sequence[str]) -> PortName:
    if len(renamed) == 3:
        section, old, new = renamed
        return replace(port, body=new) if section == "bodies" and port.body == old else port
    body, old, new = renamed[1:]
    return replace(port, point=new) if (port.body, port.point) == (body, old) else port


def _joint_called(joint: Joint, renamed: Sequence[str]) -> Joint:
    """A joint that closes, and has another name now, or its bodies have."""
    found = replace(joint, first=_port_called(joint.first, renamed), second=_port_called(joint.second, renamed))
    if len(renamed) == 3 and renamed[0] == "joints" and joint.name == renamed[1]:
        found = replace(found, name=renamed[2])
    return found


def _closing(session: Session, blueprint: Blueprint, grid: Grid, n: int, names: Mapping[str, str]) -> tuple[Ramp, ...]:
    """Joints that are open where the session stands, as ramps. Raises OperationError."""
    known = {part.name for parts in (blueprint.bodies, blueprint.joints, blueprint.components) for part in parts}
    state = {name: value for name, value in editing.renamed_state(session, names).items() if name in known}
    plain = compile_mechanism(blueprint, None)
    pose, y = Pose(plain, Workspace(Plan.of(plain))), to_vector(plain, state)
    gaps = editing.gaps_of(pose, session.t, y)
    open_ = [name for name, gap in gaps.items() if max(gap) > CLOSES * plain.size]
    joints = {joint.name: joint for joint in blueprint.joints}
    if wrong := [name for name in open_ if name not in joints]:
        raise OperationError(f"'{wrong[0]}' contradicts the pose; insert it with from: drawn, or where it fits")
    steps = max(1, round(SECONDS / grid.h))
    start, end = grid.at(n), grid.at(n + steps)
    return tuple(Ramp(ramped(blueprint, pose, joints[k], start, end - start), end) for k in open_)


def _closing_words(new: Sequence[Ramp], old: Sequence[Ramp], grid: Grid, n: int) -> str:
    names = [ramp.joint.name for ramp in new if ramp not in old]
    if not names:
        return ""
    seconds = round(max(ramp.end for ramp in new) - grid.at(n), 9)
    return f"; {', '.join(names)} {'closes' if len(names) == 1 else 'close'} within {seconds:g} s"


def _locks(session: Session, freedoms: int) -> str:
    """Why a machine could not go on after a change; empty if it can."""
    model, left = session.prepared.model, session.prepared.redundancy.freedoms
    if left == 0 and freedoms > 0 and not model.blueprint.motions:
        return "that would lock the machine: no freedom would be left; remove a joint first"
    rate = session.observer.pose(session.loop.workspace).rate(session.t, session.y)
    speed = max(1.0, float(np.max(np.abs(session.y[model.layout.v]), initial=0.0)))
    if rate.size and not np.max(np.abs(rate)) <= STUCK * speed:
        row = model.rows[int(np.argmax(np.abs(rate)))]
        return f"that would lock the machine: '{row.joint}' ({row.meaning}) cannot follow what the others prescribe"
    return ""


def same_total(session: Session, before: float) -> None:
    """The energy that jumps is work of the operator."""
    jump = session["energy.total"] - before
    if np.isfinite(jump) and jump != 0.0:
        y = session.y.copy()
        y[session.prepared.model.layout.work("driven")] += jump
        session.stand(y)
