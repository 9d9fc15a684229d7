"""Numbers of a system that are changed under a run: of its subsystems, by their own ways, and of what is between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..mechanism.errors import ChoiceError, MechanismError
from ..mechanism.names import nearest
from ..mechanism.numbers import get, path_of, put
from ..session.setting import with_numbers
from .link_names import DOT
from .own_box import MechanismBox
from .step import evaluated
from .system_edits import account

if TYPE_CHECKING:
    from .coupled import SystemSession

PLACES = ("bodies", "ground")  # where points and joints are: to change them is an edit


def put_number(session: SystemSession, number: str, value: float) -> None:
    """Give a number another value from now on."""
    for name, box in session.boxes.items():
        if not number.startswith(f"{name}."):
            continue
        if not isinstance(box, MechanismBox):
            raise KeyError(f"subsystem '{name}' is a box whose numbers nobody but itself can set")
        own = number.removeprefix(f"{name}.")
        box.session.set(own, value)
        _remember(session, name, box)
        _again(session, name, box)
        return
    _between(session, number, value)


def _remember(session: SystemSession, name: str, box: MechanismBox) -> None:
    """The subsystem as it is now: what goes on, and what an edit begins with."""
    box.sit()
    blueprint = box.base = with_numbers(box.first, box.session.numbers)
    whole = session.whole
    boxes = tuple(replace(b, blueprint=blueprint) if b.name == name else b for b in whole.boxes)
    session.whole = replace(whole, boxes=boxes)
    session.system.boxes[name] = replace(session.system.boxes[name], blueprint=blueprint)


def _again(session: SystemSession, name: str, box: MechanismBox) -> None:
    """Reactions where it stands, after something changed in a box."""
    p, network = session.point, session.network
    where = network.where[name]
    changed = box.motion_under(p.wrench[where])
    parts = [part.copy() for part in p.motion]
    for part, new in zip(parts, changed, strict=True):
        part[where] = new
    motion = type(p.motion)(*parts)
    ended = p.ended.copy()
    ended[where] = p.wrench[where]
    found = evaluated(network, p.t, motion, p.z, p.lam, p.wrench, (0.0, 0.0), ended)
    found.work, found.made = p.work, p.made
    session.point = found
    network.motion = found.motion


def _between(session: SystemSession, number: str, value: float) -> None:
    """A parameter of the system, or a number of a joint or force between subsystems."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not np.isfinite(value):
        raise ChoiceError(f"{number} is {value!r}; expected a finite number")
    links, name = session.whole.links, number
    for part in (*links.joints, *links.forces, *links.components):
        own = part.name.replace(DOT, ".")
        if number.startswith(f"{own}."):
            name = part.name + number.removeprefix(own)
    name = name if "." in name else name.replace(".", DOT)
    try:
        path = path_of(links, name)
    except KeyError:
        known = [*session.boxes, *links.parameters, *(part.name for part in (*links.joints, *links.forces))]
        raise KeyError(f"no number '{number}'; {nearest(number.partition('.')[0], known)}") from None
    if path[0] in PLACES:
        raise ChoiceError(f"'{number}' is of a port; use edit")
    change_links(session, {name: float(value)})


def change_links(session: SystemSession, values: Mapping[str, float]) -> None:
    """Other numbers between the boxes; nothing changes where a joint would open."""
    before = session.__dict__.copy()
    point, total, links = session.point, session["energy.total"], session.whole.links
    first = {name: float(get(links, path_of(links, name))) for name in values}
    for name, value in values.items():
        links = put(links, path_of(links, name), value)
    try:
        session.whole = replace(session.whole, links=links)
        session.link_again(point.motion, point.wrench, point.ended)
    except MechanismError as error:
        session.__dict__.update(before)
        raise ChoiceError(
            f"{min(values)} cannot be {values[min(values)]:g} here: {error.faults[0]}; use edit"
        ) from error
    before["network"].close()
    session.first_numbers = {**first, **session.first_numbers}
    session.numbers = {**session.numbers, **values}
    account(session, point.work, point.made, total)
    session.system.take_links(session.whole.links)


def set_back(session: SystemSession, between: Mapping[str, float], inside: Mapping[str, Mapping[str, float]]) -> None:
    """The numbers that a checkpoint was written with, and no others."""
    for name, numbers in inside.items():
        box = session.boxes[name]
        if isinstance(box, MechanismBox) and dict(numbers) != dict(box.session.numbers):
            box.session.renumbered(dict(numbers))
            _remember(session, name, box)
    if dict(between) != dict(session.numbers):
        wanted = {**session.first_numbers, **between}
        change_links(session, {name: wanted[name] for name in {**session.numbers, **between}})
        session.numbers = dict(between)
