"""Multipliers of every equation, and what each equation of a joint has of its reaction, found at the samples of a run.

Multipliers are solved for at each sample with what the run was computed with there (engine/regime.py). In joint
coordinates the joints of the tree have no equations. What they bear is known, though, and it is linear in the
multipliers that the same joints have in coordinates of bodies: w = W lam, with a column of W for each equation, so
lam = W^+ w. Of equations that depend on each other the smallest are given.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..engine.body_states import whole_state
from ..engine.pose_matrices import absolute
from ..engine.regime import Regime, multipliers
from ..mechanism.equality import same
from ..mechanism.errors import ResultsError
from ..mechanism.names import Named
from ..model.flat import Row
from ..model.states import to_vector
from .reactions import Reaction

if TYPE_CHECKING:
    from .solution import Solution

Array = npt.NDArray[np.float64]

ROUNDING = 1e-12  # of the largest singular value: equations of a joint that hold the same


class Multipliers(Named[Array]):
    """Arrays (sample, row) by name; `rows` has what each row holds."""

    def __init__(self, values: Mapping[str, Array], rows: Mapping[str, tuple[str, ...]]) -> None:
        super().__init__("equations of", values)
        self.rows = Named("equations of", rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Multipliers) and same(dict(self), dict(other)) and self.rows == other.rows

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Multipliers, (dict(self), dict(self.rows))


def row_multipliers(run: Solution) -> Multipliers:
    """Of all equations of a run."""
    looks = _looks(run)
    joined = run.model.set.joined
    bearing = {joint.name for joint in run.blueprint.joints} if joined else set()
    names: dict[str, tuple[str, ...]] = {}
    for look in looks.values():
        names = {**look.meanings(), **names}
    values = {name: np.zeros((len(run.t), len(rows))) for name, rows in names.items()}
    for k, look in _at_samples(run, looks):
        lam = multipliers(look.pose, float(run.t[k]), run.samples[k])
        for name, indices in places_of(look.pose.model.rows).items():
            if name not in bearing:
                values[name][k] = lam[indices]
        if joined:
            borne = run.model.outputs.by_joint(run.outputs[k : k + 1])[0]
            for name, (index, W) in look.units(float(run.t[k]), run.samples[k]).items():
                flat = W.reshape(len(W), -1)
                values[name][k] = np.linalg.lstsq(flat.T, borne[index].ravel(), rcond=ROUNDING)[0]
    return Multipliers(values, names)


def shares_of(run: Solution) -> Named[Named[Reaction]]:
    """Reactions of single equations, by joint and by what each holds."""
    dim, n = run.blueprint.dim, len(run.t)
    lam, rows = run.multipliers, run.multipliers.rows
    width = run.model.outputs.wrench_length
    parts = {j.name: np.zeros((n, len(rows.get(j.name, ())), 2, width)) for j in run.blueprint.joints}
    for k, look in _at_samples(run, _looks(run)):
        for name, (_, W) in look.units(float(run.t[k]), run.samples[k]).items():
            parts[name][k] = lam[name][k][:, None, None] * W
    found = {}
    for joint in run.blueprint.joints:
        unique = run.redundancy.unique[joint.name]
        shares = {}
        for r, words in enumerate(_apart(rows.get(joint.name, ()))):
            w = parts[joint.name][:, r]
            sides = w[:, 1, :dim], w[:, 1, dim:], w[:, 0, :dim], w[:, 0, dim:]
            shares[words] = Reaction(joint, *sides, unique=unique, _motion=run.motion)
        found[joint.name] = Named("equation", shares)
    return Named("joint", found)


class Look:
    """A regime looked at: as it was solved, and with equations of all joints."""

    def __init__(self, regime: Regime) -> None:
        self.pose = regime.pose()
        self._joined = self.pose.model.set.joined
        self._whole = absolute(self.pose) if self._joined else self.pose
        self._rows = places_of(self._whole.model.rows)
        self._joints = {joint.name: k for k, joint in enumerate(self._whole.model.blueprint.joints)}

    def meanings(self) -> dict[str, tuple[str, ...]]:
        """What the equations of each owner hold, in the order written; of joints on a tree, those they would have."""
        found: dict[str, tuple[str, ...]] = {}
        for model in (self._whole.model, self.pose.model):
            for name, places in places_of(model.rows).items():
                found.setdefault(name, tuple(model.rows[place].meaning for place in places))
        return found

    def units(self, t: float, y: Array) -> dict[str, tuple[int, Array]]:
        """By joint: which one, and what each equation of it exerts with a multiplier of one (row, side, component)."""
        whole = self._whole
        whole.place(t, to_vector(whole.model, whole_state(self.pose.model, y)) if self._joined else y)
        lam = np.zeros(len(whole.model.rows))
        found = {}
        for name, places in self._rows.items():
            if name in self._joints:
                wrenches = []
                for place in places:
                    lam[place] = 1.0
                    wrenches.append(whole.reactions(lam)[self._joints[name]])
                    lam[place] = 0.0
                found[name] = self._joints[name], np.array(wrenches)
        return found


def places_of(rows: tuple[Row, ...]) -> dict[str, list[int]]:
    """Places of the equations of each owner."""
    found: dict[str, list[int]] = {}
    for k, row in enumerate(rows):
        found.setdefault(row.joint, []).append(k)
    return found


def _looks(run: Solution) -> dict[int, Look]:
    """At every regime that a sample is of."""
    if not run.regimes:
        words = "multipliers are found again at the samples of a single run; simulate it by itself"
        raise ResultsError(f"this result does not know any more what it was computed with: {words}")
    return {which: Look(run.regimes[which][1]) for which in sorted({_which(run, t) for t in run.t})}


def _at_samples(run: Solution, looks: Mapping[int, Look]) -> Iterator[tuple[int, Look]]:
    return ((k, looks[_which(run, t)]) for k, t in enumerate(run.t))


def _which(run: Solution, t: float) -> int:
    """The regime that a sample is of."""
    return max(bisect_right(run.regimes, t, key=lambda pair: pair[0]) - 1, 0)


def _apart(words: tuple[str, ...]) -> list[str]:
    """The same, with a number behind those that stand twice."""
    seen: dict[str, int] = {}
    found = []
    for one in words:
        seen[one] = seen.get(one, 0) + 1
        found.append(one if seen[one] == 1 else f"{one} ({seen[one]})")
    return found
