"""Another system under a run: subsystems and joints come and go; boxes that stay go on as they are.

A joint that is new must be closed to what projection may close; impulses on ports stop the motion that it forbids.
Nothing changes if the edit is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..mechanism.errors import ChoiceError, JourdainError
from ..session.editing import Outcome
from .box import Box
from .box_network import Network
from .impulses import Stopped, stopped
from .kept import Kept
from .own_box import MechanismBox
from .step import evaluated
from .system import System
from .whole import Whole, frozen

if TYPE_CHECKING:
    from .coupled import SystemSession


def edit(session: SystemSession, system: System | None) -> Outcome:
    """Go on with another system from where the session stands."""
    if not isinstance(system, System):
        raise ChoiceError(f"edit got {system!r}; expected a system: change a copy() of it")
    before = session.__dict__.copy()
    marks = {name: box.state() for name, box in session.boxes.items() if box.restores}
    try:
        return _changed(session, system)
    except JourdainError as error:
        session.__dict__.update(before)
        for name, mark in marks.items():
            session.boxes[name].restore(mark)
        return Outcome(False, f"nothing was changed: {error}")


def _changed(session: SystemSession, system: System) -> Outcome:
    t, old, states = session.t, session.whole, session.state()
    total, work, made = session["energy.total"], session.point.work, session.point.made
    from .coupled import box_of

    whole = session._with_choices(frozen(system))
    if whole.space != old.space:
        return Outcome(False, f"nothing was changed: the system is {old.space}, the new one {whole.space}")
    boxes: dict[str, Box] = {}
    fresh: list[str] = []
    for part in whole.boxes:
        box = _kept(session, old, whole, part.name)
        if box is None:
            box = box_of(whole, part)
            if isinstance(box, MechanismBox):
                box.begun_with = states.get(part.name)
            fresh.append(part.name)
        boxes[part.name] = box
    gone = [name for name in session.boxes if name not in boxes]
    session.whole, session.boxes, session.system = whole, boxes, system.copy()
    session.redundancy = None
    motion = _motions(session, boxes, fresh, t)
    session._link(motion, t)
    session._check_closed(t)
    network = session.network
    wrench = np.zeros((len(motion.position), network.width))
    lam = np.zeros(len(network.interface.rows))
    point = evaluated(network, t, motion, session.z, lam, wrench, (0.0, 0.0))
    network.motion = point.motion
    found = stopped(network, point)
    session.point = evaluated(network, t, network.motion, session.z, lam, wrench, (0.0, 0.0))
    network.motion = session.point.motion
    same = list(session.kept._rows) == list(boxes) and not fresh
    session.kept = Kept(session)
    _account(session, found, total, work, made)
    words = [f"edited at t = {t:g} s"]
    words += [f"gone: {', '.join(gone)}"] if gone else []
    words += [found.told()] if found.by_joint else []
    words += [] if same or (session.every is None and session.times is None) else ["samples begin anew here"]
    session.told.append("; ".join(words))
    session._look()
    return Outcome(True, "; ".join(words), found.by_joint, found.dissipated)


def _account(session: SystemSession, found: Stopped, total: float, work: float, made: float) -> None:
    """What the impulse took is dissipated; energy that comes or goes with parts is work of the operator."""
    point, layout = session.point, session.network.interface.model.layout
    point.work, point.made = work - found.dissipated + found.driven, made
    z = point.z
    z[layout.work("dissipated") - layout.z.start] += found.dissipated
    z[session.network.interface.driven] += found.driven
    z[session.network.interface.driven] += session["energy.total"] - total
    session.z = z


def _kept(session: SystemSession, old: Whole, new: Whole, name: str) -> Box | None:
    """The box of that name, if it is the very same subsystem with the same ports."""
    box = session.boxes.get(name)
    if box is None:
        return None
    before = next(part for part in old.boxes if part.name == name)
    after = next(part for part in new.boxes if part.name == name)
    same = before.blueprint is after.blueprint or before.blueprint == after.blueprint
    if not same or before.box is not after.box or dict(before.choices) != dict(after.choices):
        return None
    return box if after.box is not None or tuple(box.ports) == tuple(new.ports_of(name)) else None


def _motions(session: SystemSession, boxes: dict[str, Box], fresh: list[str], t: float) -> Any:
    """Motions of all ports: of boxes that stay as they were, of new ones at their start."""
    from .coupled import ports_alone

    network = Network(boxes, ports_alone(session.whole), 1)
    before = session.network
    found = []
    for name in network.names:
        if name in fresh:
            found.append(network._asked(name, "started", lambda box: box.start(t)))
        else:
            where = before.where[name]
            found.append(type(before.motion)(*(part[where] for part in before.motion)))
    return network._together(found)
