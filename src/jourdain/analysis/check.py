"""check: mobility, redundant equations and what to do about them, nearness to singular positions, odd numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ..assembly.prepare import Prepared, prepare
from ..assembly.redundancy import Redundancy
from ..assembly.why_open import idle_points
from ..engine.plan import Plan
from ..engine.pose import RANK_TOLERANCE, Pose
from ..engine.workspace import Workspace
from ..files.by_name import Given, or_file
from ..library.driven import is_driven
from ..mechanism.arguments import asked
from ..mechanism.builder import blueprint_of
from ..mechanism.equality import equal_by
from ..mechanism.machine import Machine, Report, or_machine
from ..mechanism.parts import Blueprint
from ..mechanism.ties import TIE, ordered
from ..model.compile import MAX_DENSE_ROWS, compile_mechanism
from ..plotting.cards import Card
from .mechanism_card import drawn
from .mobility.mobility import Mobility, mobility
from .mobility.proportions import axes_taken, out_of_proportion
from .mobility.relaxing import Change, proposals
from .mobility.sanity import hints

Array = npt.NDArray[np.float64]

NEAR = 1e-3  # smallest kept singular value against the largest: below that a position is called nearly singular
SHARE = 0.3  # of the largest part: joints and bodies with more are named


@dataclass(frozen=True)
class Nearness:
    """How far the pose is from one where equations depend on each other: 1 is far, 0 is there."""

    value: float  # smallest singular value that counts, over the largest, of the scaled Jacobian
    joints: tuple[str, ...]  # whose equations are the nearest to depending on each other
    bodies: tuple[str, ...]  # that such a position would let move

    def __str__(self) -> str:
        far = "nearly singular" if self.value > 0 else "singular"
        words = far if self.value < NEAR else "distance from singular positions"
        who = f"; nearest to dependent: joints {', '.join(self.joints)}, with bodies {', '.join(self.bodies)}"
        return f"{words}: {self.value:.2g} (smallest singular value over the largest){who}"


@equal_by()
@dataclass(frozen=True)
class Checked(Redundancy, Card):
    """All that `check` found; `print(found)` reads well."""

    mobility: Mobility | None = None  # None for more equations than dense matrices take
    advice: tuple[tuple[Change, ...], ...] = ()  # sets of changes; each removes redundancy and adds no freedom
    nearness: Nearness | None = None
    hints: tuple[str, ...] = ()
    axes: tuple[str, ...] = ()  # that were taken where none was written
    idle_points: tuple[str, ...] = ()  # of bodies, that nothing uses
    driven: bool = False  # by motions, or by the time in a joint's equation
    mechanism: Blueprint | None = field(default=None, compare=False, repr=False)  # for its picture

    @property
    def locked(self) -> bool:
        """Whether nothing can move, and nothing is driven either."""
        return self.freedoms == 0 and not self.driven

    def __str__(self) -> str:
        lines = super().__str__().splitlines()
        if self.mobility is not None:
            lines[1:1] = self.mobility.sentences()
        if self.locked:
            lines[1:1] = ["locked: no freedom is left, so nothing moves"]
        lines += [
            f"{'' if k else 'to remove redundancy: '}{_listed(change, k)}" for k, change in enumerate(self.advice)
        ]
        if self.nearness is not None:
            lines.append(str(self.nearness))
        lines += [f"axis taken: {axis}" for axis in self.axes]
        if self.idle_points:
            lines.append(f"points used by nothing: {', '.join(self.idle_points)}")
        return "\n".join([*lines, *(f"looks odd: {hint}" for hint in self.hints)])

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, for JSON."""
        m, n = self.mobility, self.nearness
        return {
            "equations": self.equations,
            "rank": self.rank,
            "degrees_of_freedom": self.freedoms,
            "singular": self.singular,
            "mobility": None
            if m is None
            else {
                "instantaneous": m.instantaneous,
                "finite": m.finite,
                "velocities": m.velocities,
                "branches": m.ways,
                "without_motions": m.without_motions,
                "idle": [{"bodies": list(i.bodies), "joints": list(i.joints)} for i in m.idle],
                "sentences": m.sentences(),
            },
            "redundant": [{"joint": row.joint, "meaning": row.meaning} for row in self.dropped],
            "self_stress": [{j: w.tolist() for j, w in stress.items()} for stress in self.self_stress],
            "unique_reactions": self.unique,
            "advice": [[str(change) for change in changes] for changes in self.advice],
            "nearness": None if n is None else {"value": n.value, "joints": n.joints, "bodies": n.bodies},
            "hints": list(self.hints),
            "locked": self.locked,
            "axes_taken": list(self.axes),
            "idle_points": list(self.idle_points),
        }

    def _words(self) -> str:
        """As printed, with a word before each line."""
        first, *others = str(self).splitlines()
        lines = [f"freedoms  {first}"]
        for line in others:
            word, found, rest = line.strip().partition(": ")
            lines.append(f"{word}  {rest}" if found and len(word) < 40 else line.strip())
        return "\n".join(lines)

    def _picture(self) -> Any:
        return None if self.mechanism is None else drawn(self.mechanism)


def _listed(changes: tuple[Change, ...], k: int) -> str:
    return ("  or " if k else "") + " and ".join(map(str, changes))


@overload
def check(mechanism: Given) -> Checked: ...
@overload
def check(mechanism: Machine[Any, Any, Report, Any]) -> Report: ...
@or_file  # type: ignore[misc]
@or_machine
@asked
def check(mechanism: Given) -> Checked:
    """Close the joints as drawn and report mobility, rank, redundancy, self-stress, unique reactions and what is odd.

    Raises MechanismError with all faults at once if the mechanism cannot be assembled. `print(check(m))` reads well.
    """
    blueprint = blueprint_of(mechanism)
    prepared = prepare(blueprint, None)
    base: dict[str, Any] = {f.name: getattr(prepared.redundancy, f.name) for f in fields(Redundancy)}
    odd = (*blueprint.hints, *hints(blueprint), *out_of_proportion(blueprint))
    base |= {"axes": tuple(axes_taken(blueprint)), "driven": is_driven(blueprint), "mechanism": blueprint}
    base |= {"idle_points": tuple(idle_points(blueprint))}
    if len(prepared.model.rows) > MAX_DENSE_ROWS or not blueprint.bodies:
        return Checked(**base, hints=odd)
    pose, y = _whole(prepared), prepared.assembly.y
    found = mobility(pose, y, 0.0, independent=prepared.redundancy.rank_here == prepared.redundancy.equations)
    advice: list[tuple[Change, ...]] = []
    if prepared.redundancy.dropped:
        advice = proposals(pose, found.ordinary, 0.0)
    odd = (*odd, *_without_inertia(pose, y))
    return Checked(**base, mobility=found, advice=tuple(advice), nearness=_nearness(pose, y, base["rank"]), hints=odd)


def _whole(prepared: Prepared) -> Pose:
    """All rows of the mechanism, those that a run would drop included."""
    model = prepared.model
    if not prepared.redundancy.dropped:
        return Pose(model, prepared.workspace)
    whole = compile_mechanism(model.blueprint, model.set)
    workspace = Workspace(Plan.of(whole).with_(numbers=prepared.workspace.numbers))
    return Pose(whole, workspace)


def _without_inertia(pose: Pose, y: Array) -> Iterator[str]:
    """Bodies that can turn where they have no inertia: a moment there would turn them infinitely fast."""
    model = pose.model
    pose.place(0.0, y)
    frames = pose.frames()
    J = pose.jacobian(0.0, y)
    for k, (body, data) in enumerate(zip(model.blueprint.bodies, model.body_data, strict=True)):
        extra = np.atleast_2d(data.extra)
        if not np.any(extra):
            continue
        turns = frames[body.name] @ extra if model.blueprint.dim == 3 else extra
        spin = J[:, model.layout.moves_of[k]][:, model.blueprint.dim :]
        held = np.linalg.norm(spin @ turns, axis=0)
        if np.any((held <= 1e-9 * np.max(np.abs(turns))) & (np.linalg.norm(turns, axis=0) > 0)):
            words = f"body '{body.name}' has no inertia in a direction in which nothing holds it from turning"
            yield f"{words}; give it one, or a joint that holds it"


def _nearness(pose: Pose, y: Array, kept: int) -> Nearness | None:
    """Of the singular values that are not zero all along the motion, `kept` in number, the smallest."""
    U, s, Vt = np.linalg.svd(pose.scaled_jacobian(0.0, y), full_matrices=False)
    if kept == 0 or s[0] == 0.0:
        return None
    # Equal singular values have no directions of their own, only a space: all of it counts.
    equal = np.flatnonzero(np.abs(s[:kept] - s[kept - 1]) <= TIE * s[kept - 1])
    by_joint: dict[str, float] = {}
    for row, part in zip(pose.model.rows, np.linalg.norm(U[:, equal], axis=1), strict=True):
        by_joint[row.joint] = max(by_joint.get(row.joint, 0.0), float(part))
    parts = np.linalg.norm(pose.model.layout.moves_by_body(Vt[equal]), axis=(0, 2))
    by_body = {body.name: float(x) for body, x in zip(pose.model.blueprint.bodies, parts, strict=True)}
    value = float(s[kept - 1] / s[0])
    return Nearness(value if value > RANK_TOLERANCE else 0.0, _largest(by_joint), _largest(by_body))


def _largest(parts: dict[str, float]) -> tuple[str, ...]:
    most = max(parts.values())
    names = ordered((name for name, x in parts.items() if x >= SHARE * most), key=lambda name: -parts[name])
    return tuple(names[:4])
