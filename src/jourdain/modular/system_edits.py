"""Another system under a run: subsystems and joints come and go; boxes that stay go on as they are.

A joint that is new must be closed to what projection may close; impulses on ports stop the motion that it forbids.
Nothing changes if the edit is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..mechanism.errors import ChoiceError, JourdainError
from ..session.editing import Outcome
from .box import Box
from .box_network import Network
from .impulses import Stopped
from .kept import Kept
from .own_box import MechanismBox
from .system import System
from .trust import try_boxes
from .whole import Whole, frozen

if TYPE_CHECKING:
    from .coupled import SystemSession

Array = npt.NDArray[np.float64]


def edit(session: SystemSession, system: System | None, choices: Mapping[str, Any]) -> Outcome:
    """Go on with another system, or another coupling, from where the session stands."""
    if system is None and not choices:
        raise ChoiceError("edit got nothing; expected a system (change a copy() of session.system), or choices by name")
    if system is not None and not isinstance(system, System):
        raise ChoiceError(f"edit got {system!r}; expected a system: change a copy() of it")
    before = session.__dict__.copy()
    told, macro = list(session.told), session.macro.__dict__.copy()
    marks = {name: box.state() for name, box in session.boxes.items() if box.restores}
    try:
        session.choose(choices)
        if system is None:
            session.point.past = () if "coupling" in choices else session.point.past
            session.told.append(f"{session.options} from t = {session.t:g} s")
            return Outcome(True, session.told[-1])
        return _changed(session, system)
    except JourdainError as error:
        session.__dict__.update(before)
        session.told, session.macro.__dict__ = told, macro
        for name, mark in marks.items():
            session.boxes[name].restore(mark)
        return Outcome(False, f"nothing was changed: {error}")


def _changed(session: SystemSession, system: System) -> Outcome:
    from .coupled import box_of

    t, old, states = session.t, session.whole, session.state()
    total, work, made = session["energy.total"], session.point.work, session.point.made
    whole = session.with_choices(frozen(system))
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
    session.fits(boxes)
    session.whole, session.boxes, session.system = whole, boxes, system.copy()
    session.redundancy, session.numbers, session.first_numbers = None, {}, {}
    network = session.network
    motion, wrench, ended = _motions(session, boxes, fresh, t)
    found = session.link_again(motion, wrench, ended)
    try_boxes(session.network, fresh)
    network.close()
    session.kept = Kept(session)
    account(session, work, made, total, found)
    words = [f"edited at t = {t:g} s"]
    words += [f"gone: {', '.join(gone)}"] if gone else []
    words += [found.told()] if found.by_joint else []
    words += [] if session.every is None and session.times is None else ["samples begin anew here"]
    session.told.append("; ".join(words))
    session.look()
    return Outcome(True, "; ".join(words), found.by_joint, found.dissipated)


def account(session: SystemSession, work: float, made: float, total: float, found: Stopped | None = None) -> None:
    """What the impulse took is dissipated; energy that comes or goes with parts is work of the operator."""
    point, layout = session.point, session.network.interface.model.layout
    dissipated, driven = (0.0, 0.0) if found is None else (found.dissipated, found.driven)
    point.work, point.made = work - dissipated + driven, made
    z = point.z
    z[layout.work("dissipated") - layout.z.start] += dissipated
    z[session.network.interface.driven] += driven
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
    if not isinstance(box, MechanismBox):
        return box
    return box if tuple(box.ports) == tuple(new.ports_of(name)) and box.degree >= new.degree else None


def _motions(session: SystemSession, boxes: dict[str, Box], fresh: list[str], t: float) -> tuple[Any, Array, Array]:
    """Motions of all ports and the wrenches on them: of boxes that stay as they were, of new ones at their start."""
    from .coupled import ports_alone

    network = Network(boxes, ports_alone(session.whole), 1)
    before, point = session.network, session.point
    found, wrenches, ended = [], [], []
    for name in network.names:
        if name in fresh:
            found.append(network.asked(name, "started", lambda box: box.start(t)))
            wrenches.append(np.zeros((len(boxes[name].ports), network.width)))
            ended.append(wrenches[-1])
        else:
            where = before.where[name]
            found.append(type(point.motion)(*(part[where] for part in point.motion)))
            wrenches.append(point.wrench[where])
            ended.append(point.ended[where])
    return network.together(found), np.concatenate(wrenches), np.concatenate(ended)
