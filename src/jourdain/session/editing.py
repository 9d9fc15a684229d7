"""Another mechanism, or other choices, under a run: the state goes over by name, and nothing changes if that fails.

Bodies, elements and joints that count their turns are known by name. A joint that is gone leaves all as it is. One that
is new must be closed, to what projection may close; an impulse stops the motion that it forbids, and the energy that
this takes counts as dissipated. A force that becomes a joint of the same name (a bearing that was elastic) is another
model of one part: what it had given way is closed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..engine.body_states import whole_state
from ..engine.plan import Plan
from ..engine.pose import Pose
from ..engine.workspace import Workspace
from ..mechanism.builder import Mechanism, blueprint_of
from ..mechanism.errors import ChoiceError, JourdainError
from ..mechanism.names import counted
from ..mechanism.numbers import put
from ..mechanism.parts import Blueprint, Component
from ..mechanism.ties import largest
from ..model.compile import compile_mechanism
from ..model.flat import FlatModel
from ..model.states import to_vector
from .impulse import Impulse, count, impulse_of
from .preparing import chosen_for, prepared_for

if TYPE_CHECKING:
    from .session import Session

Array = npt.NDArray[np.float64]

CLOSES = 1e-6  # of the size: gaps that projection may close
GIVES = 1e-2  # of the size: what a part that was a force may have given way, and closes where it becomes a joint
MOST_NAMED = 3
ANGULAR = ("rotation", "angle")  # words of rows in rad


@dataclass(frozen=True)
class Outcome:
    """What became of an edit.

    `impulses` are by joint on its second body, at its port, fixed axes, in N s and N m s, and by motion or relation
    along its equations; `lost` is the kinetic energy that they dissipated, J.
    """

    ok: bool
    sentence: str
    impulses: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    lost: float = 0.0

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.sentence


def edit(session: Session, mechanism: Mechanism | Blueprint | None, written: Mapping[str, Any]) -> Outcome:
    """Go on with another mechanism or other choices from where the session stands."""
    if mechanism is not None and not isinstance(mechanism, Mechanism | Blueprint):
        raise ChoiceError(f"edit got {mechanism!r}; expected a mechanism, or choices by name")
    blueprint = session.blueprint if mechanism is None else blueprint_of(mechanism)
    try:
        if blueprint.space != session.blueprint.space:
            return Outcome(False, f"the mechanism is {session.blueprint.space}, the new one {blueprint.space}")
        complete = merged(session.written, written)
        choices = chosen_for(blueprint, complete)
        return change(session, blueprint, choices, complete, CLOSES)
    except JourdainError as error:
        return Outcome(False, f"nothing was changed: {error}")


def merged(before: Mapping[str, Any], written: Mapping[str, Any]) -> dict[str, Any]:
    """Choices as they were, with those that are written now: a recipe replaces all, an integrator its numbers too."""
    if "recipe" in written:
        return dict(written)
    numbers = ("step", "rtol", "atol", "max_step") if "integrator" in written else ()
    return {**{key: value for key, value in before.items() if key not in numbers}, **written}


def change(
    session: Session,
    blueprint: Blueprint,
    choices: ch.Choices,
    written: Mapping[str, Any],
    closes: float,
    names: Mapping[str, str] | None = None,
) -> Outcome:
    """The same with all decided; joints that are open by more than `closes` of the size are not closed.

    `names` are parts that have another name in the new mechanism.
    """
    old, t = session.loop.workspace, session.t
    values = changed_parameters(old)
    for name in values.keys() & blueprint.parameters.keys():
        if blueprint.parameters[name] == old.model.blueprint.parameters.get(name):
            blueprint = put(blueprint, ("parameters", name), values[name])
    whole = renamed_state(session, names or {})
    known = {part.name for part in blueprint.bodies} | {part.name for part in blueprint.joints}
    known |= {part.name for part in blueprint.components}
    state = {name: value for name, value in whole.items() if name in known}
    plain = compile_mechanism(blueprint, None)
    pose, before = Pose(plain, Workspace(Plan.of(plain))), to_vector(plain, state)
    gaps = gaps_of(pose, t, before)
    gave = {name: gaps[name] for name in exchanged(old.model.blueprint, blueprint) if name in gaps}
    if words := open_joints(
        gaps, {name: closes if name not in gave else max(closes, GIVES) for name in gaps}, plain.size
    ):
        return Outcome(False, f"nothing was changed: {words}")
    prepared = prepared_for(blueprint, choices, state, t)
    y = prepared.assembly.y
    closed = to_vector(plain, whole_state(prepared.model, y))
    closed[plain.layout.v] = before[plain.layout.v]
    found = impulse_of(pose, t, closed)
    if blueprint == old.model.blueprint and prepared.model.coordinates == old.model.coordinates:
        y[:] = session.y  # to the last bit
    else:
        carry_works(old.model, session.y, prepared.model, y)
        count(prepared.model, y, found)
    # What assembly changed is told as the impulse that it was.
    still = dict.fromkeys(prepared.assembly.moved, 0.0)
    told_anew = replace(prepared.assembly, moved=still, turned=still, speed_change=still, spin_change=still)
    prepared = replace(prepared, assembly=told_anew)
    switched = (old.model.off ^ old.model.blueprint.off) & known  # by events
    session.change_to(prepared, choices, written)
    session.begun_with = (state, t)
    off = prepared.model.off ^ switched
    if off != prepared.model.off:
        session.loop.exchange(session.events.workspace_without(off, frozenset(), t, y))
    now = session.loop.workspace
    places = now.model.parameters.keys() - {name for _, name in now.model.floating} - blueprint.parameters.keys()
    now.set_numbers({name: values[name] for name in values.keys() & places})
    sentence = told(t, [name for name in whole if name not in known], found)
    for name, gap in gave.items():
        if max(gap) > CLOSES * plain.size:
            sentence += f"; '{name}' had given way by {' and '.join(_gap(*gap))}, and was closed"
    if session.keeps and len(session.samples) == 1:
        sentence += "; samples begin anew here"
    session.told.append(sentence)
    return Outcome(True, sentence, found.by_part, found.dissipated)


def renamed_state(session: Session, names: Mapping[str, str]) -> dict[str, Any]:
    """State by name, with parts that have another name now under that."""
    return {names.get(name, name): value for name, value in session.state().items()}


def changed_parameters(workspace: Workspace) -> dict[str, float]:
    """Parameters that are no longer as they were at the start: events set them, or switched parts by them."""
    phases = {name for _, name in workspace.model.floating}
    before = workspace.first_numbers
    return {n: v for n, v in workspace.numbers.items() if n not in phases and v != before[n]}


def exchanged(before: Blueprint, after: Blueprint) -> list[str]:
    """Joints that were forces between the same points."""
    forces = {force.name: force.values.get("between") for force in before.forces if isinstance(force, Component)}
    return [joint.name for joint in after.joints if forces.get(joint.name) == (joint.first, joint.second)]


def open_joints(gaps: Mapping[str, Sequence[float]], closes: Mapping[str, float], size: float) -> str:
    """Which joints would have to be closed from farther away than they may; empty if none."""
    gaps = {name: gap for name, gap in gaps.items() if max(gap) > closes[name] * size}
    if not gaps:
        return ""
    parts = [f"'{name}' is {' and '.join(_gap(*gap))} from closed" for name, gap in list(gaps.items())[:MOST_NAMED]]
    more = f" and {len(gaps) - MOST_NAMED} more" if len(gaps) > MOST_NAMED else ""
    return f"{', '.join(parts)}{more}; edit where the joint closes, or move the parts together first"


def gaps_of(pose: Pose, t: float, y: Array) -> dict[str, list[float]]:
    """By how many metres and radians each joint is open."""
    model = pose.model
    floating = {row for row, _ in model.floating}
    gaps: dict[str, list[float]] = {}
    for row, gap in zip(model.rows, np.abs(pose.residual(t, y)), strict=True):
        if row.row not in floating and not row.velocity:
            kind = int(any(word in row.meaning for word in ANGULAR))
            together = gaps.setdefault(row.joint, [0.0, 0.0])
            together[kind] = float(np.hypot(together[kind], gap))
    for name, gap in gaps.items():
        gap[1] = turned(pose, name, gap[1])
    return gaps


def turned(pose: Pose, joint: str, sines: float) -> float:
    """rad, by which a joint is turned out of where it closes, at the state last placed.

    Its rows say sines, which are small again beyond a right angle; axes that must point the same way say the rest. Two
    pairs of such axes are two frames, and the angle is that of the rotation from one to the other.
    """
    pairs = [(pose.vector(sign.a), pose.vector(sign.b)) for sign in pose.model.signs if sign.joint == joint]
    if not pairs:
        return math.asin(min(1.0, sines))
    if len(pairs) == 1:
        (one, two) = pairs[0]
        return math.atan2(sines, float(one @ two))
    first, second = (np.array([a, b, np.cross(a, b)]) for a, b in zip(*pairs[:2], strict=True))
    R = first.T @ second
    axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return math.atan2(float(np.linalg.norm(axis)), float(np.trace(R)) - 1.0)


def _gap(metres: float, radians: float) -> list[str]:
    least = 1e-3 * max(metres, radians)
    return [f"{value:.3g} {unit}" for value, unit in ((metres, "m"), (radians, "rad")) if value > least]


def carry_works(old: FlatModel, y: Array, new: FlatModel, into: Array) -> None:
    """Works go on counting."""
    into[new.layout.works] = y[old.layout.works]


def told(t: float, gone: Sequence[str], found: Impulse) -> str:
    """What became of it, in a sentence."""
    words = [f"edited at t = {t:g} s"]
    if gone:
        words.append(f"the states of {', '.join(gone)} are gone with their parts")
    if found.by_part:
        sizes = {name: float(np.linalg.norm(part)) for name, part in found.by_part.items()}
        name = list(sizes)[largest(sizes.values())]
        who = counted(len(sizes), "joint or motion", "joints and motions")
        words.append(f"an impulse stopped what {who} {'forbids' if len(sizes) == 1 else 'forbid'}")
        words[-1] += f" (the largest at '{name}', {sizes[name]:.3g} N s) and took {found.dissipated:.3g} J"
    return "; ".join(words)
