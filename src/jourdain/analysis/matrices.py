"""matrices: the equations of motion at one state as dense matrices with names, in every coordinate set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..assembly.prepare import Prepared, prepare
from ..choices import Coordinates, coordinates_of
from ..choices.coordinates.euler import SEQUENCES, Euler
from ..engine.callbacks import raise_errors
from ..engine.cold_start import compile_for
from ..engine.lagrange_bias import lagrange_bias
from ..engine.plan import Plan
from ..engine.pose import Pose
from ..engine.pose_matrices import MotionMatrices, matrices_of
from ..engine.workspace import Workspace
from ..files.by_name import Given, or_file
from ..kernels.layout.returned import OK
from ..mechanism.arguments import asked
from ..mechanism.builder import blueprint_of
from ..mechanism.equality import equal_by
from ..mechanism.errors import ChoiceError
from ..mechanism.names import nearest
from ..mechanism.parts import Blueprint
from ..model.compile import compile_mechanism
from ..model.flat import FlatModel
from ..model.states import check_state, drawn_state, to_vector
from ..plotting.cards import Card
from .eliminated import elimination

Array = npt.NDArray[np.float64]


def _none() -> Array:
    return np.zeros(0)


@equal_by()
@dataclass(frozen=True)
class Matrices(Card):
    """M v' = Q + bias - J^T lam and J v' = gamma at one state; C is how far the joints are from closed there.

    `coordinates` names the columns, which are velocities: the rates of coordinates, in space with `quaternion` the
    spins `wx wy wz`. `rows` names the equations, `joint: what it holds`; those of the coordinates themselves come
    first. `q`, `v` are the state in these coordinates, `positions` the names of q. All rows are there, redundant ones
    too; M is without anything that solvers add to make it regular.
    """

    M: Array
    J: Array
    gamma: Array
    Q: Array
    bias: Array
    C: Array
    partial: Array  # C_t: J v + C_t is the rate at which joints open
    coordinates: tuple[str, ...]
    rows: tuple[str, ...]
    positions: tuple[str, ...]
    q: Array
    v: Array
    t: float
    set: str  # the coordinate set, by name
    _lagrange: Callable[[], Array] = field(default=_none, repr=False, compare=False)

    @cached_property
    def bias_lagrange(self) -> Array:
        """The inertia terms by Lagrange's equations, where `bias` is by those of Newton and Euler: they are equal.

        Where coordinates have rows of their own, equal but for what these rows take up.
        """
        return self._lagrange()

    def table(self, what: str = "M", digits: int = 4) -> str:
        """One of `M J gamma Q bias C` with the names of its rows and columns, to be read."""
        parts = ("M", "J", "gamma", "Q", "bias", "C", "partial", "bias_lagrange", "q", "v")
        if what not in parts:
            raise ChoiceError(f"there is no '{what}'; {nearest(what, parts)}", "what")
        values = np.asarray(getattr(self, what))
        rows = {"q": self.positions}.get(what, self.rows if what in ("J", "gamma", "C", "partial") else None)
        names = self.coordinates if rows is None else rows
        columns = self.coordinates if values.ndim == 2 else (what,)
        cells = [[f"{x + 0.0:.{digits}g}" for x in row] for row in values.reshape(len(names), -1)]
        left = max((len(name) for name in names), default=0)
        widths = [max(len(c), *(len(row[k]) for row in cells)) if cells else len(c) for k, c in enumerate(columns)]
        lines = ["  ".join([" " * left, *(c.rjust(w) for c, w in zip(columns, widths, strict=True))])]
        for name, row in zip(names, cells, strict=True):
            lines.append("  ".join([name.ljust(left), *(x.rjust(w) for x, w in zip(row, widths, strict=True))]))
        return "\n".join(line.rstrip() for line in lines)

    def __str__(self) -> str:
        free = len(self.coordinates) - len(self.rows)
        return (
            f"{len(self.coordinates)} velocities, {len(self.rows)} equations in coordinates '{self.set}'"
            f" ({free} between them); M and J at t = {self.t:g} s"
        )


class Evaluator:
    """Matrices of one mechanism in one coordinate set, at any state: closed or not."""

    def __init__(self, plan: Plan, start: Array, solvable: Prepared | None = None) -> None:
        self.model: FlatModel = plan.model
        self.start = start
        self._pose = Pose(plan.model, Workspace(plan))
        self._closing = self._pose
        self._solvable = None if solvable is None else Pose(solvable.model, solvable.workspace)
        self.positions, self.coordinates = coordinate_names(plan.model)
        self.rows = tuple(f"{row.joint}: {row.meaning}" for row in plan.model.rows)

    @classmethod
    def assembled(cls, prepared: Prepared) -> Evaluator:
        """Of a mechanism that was closed, with all its rows again."""
        model = prepared.model
        whole = compile_mechanism(model.blueprint, model.set, off=model.off, tree=model.tree)
        plan = prepared.plan.with_(model=whole, redundant=0, numbers=prepared.workspace.numbers)
        solvable = None
        if whole.flags["FEEDBACK"]:
            solvable = prepare(model.blueprint, None) if model.set.joined else prepared
        found = cls(plan, prepared.assembly.y.copy(), solvable)
        found._closing = Pose(prepared.model, prepared.workspace)  # without redundant rows
        return found

    @classmethod
    def drawn(cls, blueprint: Blueprint, coordinates: str | Coordinates | None = None) -> Evaluator:
        """Of a mechanism as it is drawn, whether its joints close there or not."""
        plan = Plan.of(compile_mechanism(blueprint, coordinates))
        compile_for(plan)
        return cls(plan, to_vector(plan.model, drawn_state(plan.model)))

    def of(self, t: float, y: Array) -> MotionMatrices:
        """At time t and y = [q | v | z]."""
        found = matrices_of(self._pose, t, np.ascontiguousarray(y, dtype=float), self._solvable)
        raise_errors(self._pose.workspace.callbacks)
        return found

    def lagrange(self, t: float, y: Array) -> Array:
        """The inertia terms by Lagrange's equations."""
        return lagrange_bias(self._pose, t, np.ascontiguousarray(y, dtype=float))

    def rates(self, t: float, y: Array) -> Array:
        """q' of y."""
        return self._pose.rates(t, y)

    def reactions(self, lam: Array) -> Array:
        """Wrenches (joint, side, component) of multipliers at the state last asked for."""
        return self._pose.reactions(lam)

    @property
    def sequences(self) -> tuple[str, ...]:
        """Of Euler angles, the sequence that each body starts in; empty for other coordinates."""
        if not isinstance(self.model.set, Euler):
            return ()
        return tuple(SEQUENCES[int(self.start[part][-1])] for part in self.model.layout.q_of)

    def moved(self, t: float, y: Array, delta: Array, velocities: Array) -> Array:
        """y moved by delta, with other velocities and its turns counted on; joints need not close."""
        found = self._pose.retract(y, delta)
        found[self.model.layout.v] = velocities
        self._pose.wind(t, found)
        return found

    def closed(self, t: float, y: Array) -> Array | None:
        """y with positions and velocities closed, or None where they cannot be."""
        found = y.copy()
        status = self._closing.project(t, found)
        self._closing.forget()
        return found if status == OK and bool(np.all(np.isfinite(found))) else None

    @property
    def numbers(self) -> Mapping[str, float]:
        """Parameters, and phases that assembly found."""
        return self._pose.workspace.numbers


@or_file
@asked
def matrices(
    mechanism: Given,
    state: Mapping[str, Any] | None = None,
    *,
    coordinates: str | Coordinates | None = None,
    t: float = 0.0,
) -> Matrices:
    """The equations of motion of a mechanism at a state: `jd.matrices(m).M`.

    `state` is by name, as runs give it, and is taken as it is; without one it is the assembled start. `coordinates` are
    `angle` in the plane and `quaternion` in space if none are given; with `Natural(eliminate=True)` the matrices are
    those of what is left when joints that are linear are eliminated.
    """
    blueprint = blueprint_of(mechanism)
    chosen = coordinates_of(blueprint.space, coordinates)
    found = Evaluator.assembled(prepare(blueprint, chosen, None, t))
    if state is not None:
        check_state(blueprint, state)
    y = found.start if state is None else to_vector(found.model, state)
    at = found.model.layout
    parts, q, v = found.of(t, y), y[at.q].copy(), y[at.v].copy()
    names, rows, positions = found.coordinates, found.rows, found.positions
    lagrange: Callable[[], Array] = partial(found.lagrange, t, y)
    if chosen.eliminates:
        whole, left = parts, elimination(found.model, parts.J)
        names, positions = (tuple(them[k] for k in left.columns) for them in (names, positions))
        rows, q, v = tuple(rows[k] for k in left.rows), q[list(left.columns)], v[list(left.columns)]
        parts, lagrange = left.reduced(whole), lambda: left.bias(whole, found.lagrange(t, y))
    return Matrices(
        *parts,
        coordinates=names,
        rows=rows,
        positions=positions,
        q=q,
        v=v,
        t=t,
        set=found.model.coordinates,
        _lagrange=lagrange,
    )


def coordinate_names(model: FlatModel) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Of coordinates and velocities, in their order."""
    if model.set.joined:
        return model.tree.coordinates, model.tree.velocities
    q, v = model.set.called
    owners = model.layout.owners
    return tuple(f"{o}.{n}" for o in owners for n in q), tuple(f"{o}.{n}" for o in owners for n in v)
