"""How a body and its vectors move, as formulas over coordinates q and velocities v.

A body vector l has X, X', the part X''0 of its acceleration at v' = 0, and one column dX/dv for each velocity that
moves it. For a body with rotation R, spin w and columns S of the spin these follow from its origin (theory, eq. 2):

    X = O + R l,   X' = O' + w x R l,   X''0 = O''0 + w0 x R l + w x (w x R l),   dX/dv_n = dO/dv_n + S_n x R l
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..equations.formula import Formula, leaf, number
from .space import NOTHING, Mat, Vec, add, apply_matrix, cross
from .symbolic_rates import ZERO, by, derivative, negative

Columns = dict[int, Vec]


def q_of(n: int) -> Formula:
    """Coordinate n."""
    return leaf(("q", n))


def v_of(n: int) -> Formula:
    """Velocity n."""
    return leaf(("v", n))


@dataclass(frozen=True)
class Moved:
    """A vector in fixed axes: value, rate, what remains of its acceleration at v' = 0, and columns dX/dv."""

    X: Vec
    V: Vec = NOTHING
    A: Vec = NOTHING
    B: Columns = field(default_factory=dict)


@dataclass(frozen=True)
class Start:
    """Where points of a body are counted from, if not its origin: the port of the joint that carries it."""

    joint: str
    at: tuple[float, ...]

    def to(self, given: Givens, body: str, label: str, at: Any) -> Vec:
        """The vector from there to a point of the body, in its axes."""
        found = [float(x) - o for x, o in zip(at, self.at, strict=True)]
        return given.vector(f"{body}.{self.joint}_to_{label}", found)


class Moving(Protocol):
    """A body."""

    @property
    def start(self) -> Start | None:
        """Where its points are counted from; None: its origin."""

    @property
    def spin(self) -> Moved:
        """X is the angular velocity, A its rate at v' = 0, B its columns."""

    @property
    def frame(self) -> Mat:
        """Body axes to fixed axes."""

    def vector(self, local: Vec, point: bool) -> Moved:
        """A body vector given from the origin of the coordinates."""


@dataclass(frozen=True)
class RigidMotion:
    """Of a body whose origin, rotation and spin are known."""

    origin: Moved
    frame: Mat
    spin: Moved
    start: Start | None = None

    def vector(self, local: Vec, point: bool) -> Moved:
        arm = apply_matrix(self.frame, local)
        w = self.spin.X
        swing = cross(w, arm)
        bias = add(cross(self.spin.A, arm), cross(w, swing))
        columns = {n: cross(S, arm) for n, S in self.spin.B.items()}
        if not point:
            return Moved(arm, swing, bias, columns)
        o = self.origin
        for n, B in o.B.items():
            columns[n] = add(B, columns[n]) if n in columns else B
        return Moved(add(o.X, arm), add(o.V, swing), add(o.A, bias), columns)


@dataclass(frozen=True)
class RateMotion:
    """Of a body whose vectors are given by `place(local, point)` alone, with v = q': the rest is differentiation."""

    place: Any
    frame: Mat
    spin: Moved
    first: int
    count: int
    start: Start | None = None

    def vector(self, local: Vec, point: bool) -> Moved:
        X = self.place(local, point)
        V = tuple(along(x) for x in X)
        A = tuple(along(x) for x in V)
        columns = {}
        for n in range(self.first, self.first + self.count):
            B = tuple(by(x, ("q", n)) for x in X)
            if any(b.op != "const" or b.value != 0.0 for b in B):
                columns[n] = B
        return Moved(X, V, A, columns)


def along(f: Formula) -> Formula:
    """The rate of a formula over q and v at v' = 0, where v = q'."""
    return derivative(f, lambda key: v_of(key[1]) if key[0] == "q" else None)


@dataclass(frozen=True)
class OwnRow:
    """A row that keeps coordinates those of a rigid body."""

    body: str
    meaning: str
    C: Formula
    J: Mapping[int, Formula]
    gamma: Formula


def own_row(body: str, meaning: str, C: Formula, first: int, count: int) -> OwnRow:
    """From C(q) alone, where v = q'."""
    J = {n: by(C, ("q", n)) for n in range(first, first + count)}
    gamma = along(along(C))
    return OwnRow(body, meaning, C, {n: f for n, f in J.items() if f.op != "const" or f.value}, negative(gamma))


@dataclass
class Givens:
    """Constants by name, with their values; zeros are numbers, and so are the ones of directions."""

    values: dict[str, float] = field(default_factory=dict)

    def __call__(self, name: str, value: float, direction: bool = False) -> Formula:
        value = float(value)
        if value == 0.0 or (direction and abs(value) == 1.0):
            return number(value)
        while name in self.values and self.values[name] != value:
            name += "_"
        self.values[name] = value
        return leaf(("given", name))

    def vector(self, name: str, values: Any, direction: bool = False) -> Vec:
        found = [self(f"{name}.{c}", v, direction) for c, v in zip("xyz", values, strict=False)]
        return tuple(found + [ZERO] * (3 - len(found)))
