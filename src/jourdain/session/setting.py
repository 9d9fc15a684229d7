"""Numbers of the mechanism that are changed under a run, by the names that sensitivities and batches use.

Parameters, spring-dampers and gravity go straight into the arrays, in microseconds; mass properties through the
function that compiling uses. What else there is means compiling; it is refused if a joint would open, for that is an
edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..library.number_units import number_in_si
from ..mechanism.errors import ChoiceError, JourdainError
from ..mechanism.numbers import get, path_of, put
from ..mechanism.parts import Blueprint
from ..model.patches import Patches, find_patches, is_faulty
from . import editing
from .preparing import prepared_for

if TYPE_CHECKING:
    from .session import Session

CLOSED = 1e-9  # of the size: joints that open by less stay closed
START = ("position", "velocity", "spin", "attitude", "initial", "start")


@dataclass(frozen=True)
class Slot:
    """A number by name: its path in the blueprint, and where it stands in the arrays, if it is copied there."""

    path: tuple[Any, ...]
    patches: Patches | None  # None: that takes compiling
    straight: bool  # it is copied, and that is all
    arrays: Mapping[int, Any]  # in which it was found; a session may go on with others


def slot(session: Session, number: str) -> Slot:
    """Where a number stands. Raises KeyError with the nearest name where there is none."""
    model = session.loop.workspace.model
    if number not in session.slots or session.slots[number].arrays is not model.fields:
        path = path_of(session.blueprint, number)
        patches = None if path[0] == "parameters" and path[1] in model.held_by else find_patches(model, [path])
        if patches is not None and patches.starts:
            patches = None
        session.slots[number] = Slot(path, patches, patches is not None and not patches.bodies, model.fields)
    return session.slots[number]


def put_number(session: Session, number: str, value: float | str) -> None:
    """Give a number another value from now on."""
    value = number_in_si(session.blueprint, number, value)
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise ChoiceError(f"{number} is {value!r}; expected a number")
    if not np.isfinite(value):
        raise ChoiceError(f"{number} is {value!r}; expected a finite number")
    found, value = slot(session, number), float(value)
    if session.begun and not set(START).isdisjoint(found.path):
        raise ChoiceError(f"'{number}' is a number of the start, and the session has begun; set it before, or use edit")
    if found.straight and found.patches is not None:
        _copy(session, number, found, found.patches, value)
    elif found.patches is None or not _weighed(session, found, found.patches, value):
        _compiled(session, number, found, value)
    session.numbers[number] = value


def _copy(session: Session, number: str, found: Slot, patches: Patches, value: float) -> None:
    if bool(is_faulty(found.path, value)):
        raise ChoiceError(f"{number} is {value:g}; it must not be negative")
    with session.work_of_the_operator():
        session.loop.workspace.patch((*place, value) for _, place in patches.copied)


def _weighed(session: Session, found: Slot, patches: Patches, value: float) -> bool:
    """Mass properties of bodies; False if that takes compiling, be it to say what is wrong with them."""
    blueprint: Blueprint = put(session.blueprint, found.path, value)
    model = patches.patched(blueprint)
    if model is None:
        return False
    with session.work_of_the_operator():
        session.loop.workspace.patch((key, i, j, model.fields[key][i, j]) for key, i, j in patches.places)
        session.weighed(model)
    return True


def _compiled(session: Session, number: str, found: Slot, value: float) -> None:
    """The mechanism with that number, compiled anew."""
    changed: Blueprint = put(session.blueprint, found.path, value)
    if not session.begun:
        session.renumber(prepared_for(changed, session.choices, session.given, session.t))
        return
    base, before = session.base, dict(session.numbers)
    try:
        outcome = editing.change(session, changed, session.choices, session.written, CLOSED)
    except JourdainError as error:
        raise ChoiceError(f"{number} cannot be {value:g} here: {error}") from error
    if not outcome.ok:
        reason = outcome.sentence.removeprefix("nothing was changed: ").partition(";")[0]
        raise ChoiceError(f"{number} = {value:g} would open a joint: {reason}; use edit")
    session.base, session.numbers = base, before
    session.told.pop()


def copied_back(session: Session, given: Mapping[str, float]) -> bool:
    """These numbers and no others, if all that differs is copied into the arrays; False if not, and nothing is done."""
    changed = [name for name in {**given, **session.numbers} if given.get(name) != session.numbers.get(name)]
    slots = {name: slot(session, name) for name in changed}
    if not all(found.straight for found in slots.values()):
        return False
    for name, found in slots.items():
        value = given.get(name, get(session.base, found.path))
        copied = found.patches.copied if found.patches is not None else ()
        session.loop.workspace.patch((*place, value) for _, place in copied)
    return True


def with_numbers(blueprint: Blueprint, given: Mapping[str, float]) -> Blueprint:
    """A mechanism with other values of numbers by name."""
    for number, value in given.items():
        blueprint = put(blueprint, path_of(blueprint, number), value)
    return blueprint


def refresh(session: Session) -> None:
    """The blueprints of models with the numbers that went straight into the arrays."""
    blueprint = session.prepared.model.blueprint
    for number, value in session.numbers.items():
        if number in session.slots and session.slots[number].patches is not None:
            blueprint = put(blueprint, session.slots[number].path, value)
    session.renamed(blueprint)
