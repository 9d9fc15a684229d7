"""What to change where equations are redundant: joints that may hold less, without giving the mechanism more freedom.

A joint that stops holding d directions of load loses redundancy, and no mobility, if and only if self-stress can load
these directions independently: with S the self-stress basis (null space of J^T, one column each) and Q the directions
in the space of rows, if Q^T S has rank d. Every proposal is checked once more by the rank of what would remain of J.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from ...engine.pose import RANK_TOLERANCE, Pose, rank_of
from ...library.joints import kind_of
from ...mechanism.parts import Joint
from ...mechanism.port_axes import joint_axes
from ...model.flat import FlatModel

Array = npt.NDArray[np.float64]

LOADED = 1e-6  # of the largest: self-stress below that does not load a direction
SHOWN = 4  # proposals
MOST_SETS = 3000  # of changes to be tried together
NOTHING = "nothing"
_FIXED = "translation along fixed "


@dataclass(frozen=True)
class Change:
    """A joint and the type it could have instead; `freed` is how many directions of load that gives up."""

    joint: str
    old: str
    new: str
    freed: int
    note: str = ""

    def __str__(self) -> str:
        if self.new == NOTHING:
            return f"leave out {self.old} '{self.joint}'"
        return f"make {self.old} '{self.joint}' {self.new}{f' ({self.note})' if self.note else ''}"


@dataclass(frozen=True)
class _Option:
    change: Change
    directions: Array  # (rows, freed), orthonormal
    bearing: bool  # one that machines have


def proposals(pose: Pose, y: Array, t: float) -> list[tuple[Change, ...]]:
    """Sets of changes, each of which removes all redundancy that joints can give up; the fewest changes first."""
    model = pose.model
    J = pose.jacobian(t, y) * pose.scales()
    rank = rank_of(pose.scaled_jacobian(t, y))
    U, _, _ = np.linalg.svd(J, full_matrices=True)
    S = U[:, rank:]
    if S.shape[1] == 0:
        return []
    options = [option for option in _options(model, pose) if _independent([option], S)]
    most = min(S.shape[1], _loaded([o.directions for o in options], S))
    if not options or most == 0:
        return []
    found = [c for c in _searched(options, S, most) if _keeps_rank(pose, y, t, c, rank)]
    return [tuple(option.change for option in chosen) for chosen in found[:SHOWN]]


def _searched(options: Sequence[_Option], S: Array, most: int) -> list[tuple[_Option, ...]]:
    """Sets that free exactly as much as can be freed; by a greedy choice where there are too many to try."""
    found: list[tuple[_Option, ...]] = []
    tried = 0
    for size in range(1, len(options) + 1):
        before = len(found)
        for chosen in combinations(options, size):
            tried += 1
            if tried > MOST_SETS:
                break
            joints = {option.change.joint for option in chosen}
            freed = sum(option.change.freed for option in chosen)
            if len(joints) == size and freed == most and _independent(chosen, S):
                found.append(chosen)
        if before or tried > MOST_SETS:  # one change more may still be the better proposal
            break
    if found:
        return sorted(found, key=_cost)
    picked: list[_Option] = []
    for option in options:
        apart = option.change.joint not in {o.change.joint for o in picked}
        if apart and _independent([*picked, option], S):
            picked.append(option)
    return [tuple(picked)] if picked else []


def _cost(chosen: Sequence[_Option]) -> float:
    """The fewest changes first; bearings that machines have before balls in tubes and parts left out."""
    return sum(1.0 if option.bearing else 2.5 for option in chosen)


def _loaded(directions: Sequence[Array], S: Array) -> int:
    if not directions:
        return 0
    A = np.hstack(directions).T @ S
    values = np.linalg.svd(A, compute_uv=False)
    return int(np.sum(values > LOADED))


def _independent(chosen: Sequence[_Option], S: Array) -> bool:
    return _loaded([option.directions for option in chosen], S) == sum(option.change.freed for option in chosen)


def _keeps_rank(pose: Pose, y: Array, t: float, chosen: Sequence[_Option], rank: int) -> bool:
    """The rank of the rows that remain, found anew."""
    J = pose.jacobian(t, y) * pose.scales()
    Q = np.hstack([option.directions for option in chosen])
    left = J - Q @ (Q.T @ J)
    values = np.linalg.svd(left, compute_uv=False)
    return int(np.sum(values > RANK_TOLERANCE * values[0])) == rank


# What each joint could be instead -------------------------------------------------------------------------------------


def _options(model: FlatModel, pose: Pose) -> Iterator[_Option]:
    blueprint = model.blueprint
    frames = pose.frames()
    for joint in blueprint.joints:
        places = [k for k, row in enumerate(model.rows) if row.joint == joint.name and not row.velocity]
        if not places:
            continue
        words = {model.rows[k].meaning: k for k in places}
        options = [(r.kind.name, r.note, r.freed, r.kind.bearing) for r in kind_of(joint).relaxed(blueprint.dim)]
        for new, note, parts, bearing in (*options, (NOTHING, "", tuple(words), False)):
            columns = [_direction(model, joint, frames, words, part) for part in parts]
            if len(words) == len(places) and all(column is not None for column in columns):
                Q = np.array(columns, dtype=float).T
                yield _Option(Change(joint.name, joint.type, new, len(parts), note), Q, bearing)


def _direction(
    model: FlatModel, joint: Joint, frames: dict[str, Array], words: dict[str, int], part: str
) -> Array | None:
    """A direction in the space of rows: one row, or a translation along an axis of the first port."""
    column = np.zeros(len(model.rows))
    if part in words:
        column[words[part]] = 1.0
    elif part in ("x_i", "y_i", "z_i"):
        axis = frames[joint.first.body] @ joint_axes(model.blueprint, joint)[part]
        for k, name in enumerate("xyz"[: model.blueprint.dim]):
            if _FIXED + name not in words:
                return None
            column[words[_FIXED + name]] = axis[k]
    else:
        return None
    return column
