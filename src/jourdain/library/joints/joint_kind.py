"""The contract of a joint kind. One file holds one kind, a frozen `JointKind`; `__init__.py` lists them all.

Whoever wants to know something of a joint asks its kind; nobody else knows kinds by name. A kind says

    1.  name, summary            what it is called in files, and what it does in one sentence
    2.  plane, space             its equations there: rows, a function of the joint that gives them, or None
    3.  instead                  what to do in the plane where it makes no sense there
    4.  keys                     what must be written beside its two points: the pitch of a screw
    5.  coordinates, speed       which of `angle` and `displacement` it has, the one first that is meant where none is
                                 named; and of which its `speed` is the rate
    6.  plane_tree, space_tree   how it carries a link in joint coordinates (tree_motions.py); None: it is always cut.
                                 The freedoms that the recursion gives it follow from there
    7.  anywhere                 the second port somewhere at random where the joint allows; None: it places nothing
    8.  pair                     what it is to a linkage: a pin, a slide, a rod
    9.  plane_relaxed, space_relaxed, bearing   what it could be instead where it holds too much; and whether machines
                                 have it as a bearing, so that it is proposed before others
    10. rubs, guided             whether dry friction knows the surfaces that rub, and whether they are a guide
    11. symbol                   how it is drawn
    12. written, does, also_called   for the tables of the documentation, where rows do not say it themselves; and
                                 what others call it
    13. two_axes                 a pin on each body: one axis of the drawn pose cannot be that of both points
    14. axis_does                what it does with an axis, where one has to be chosen: "turns about"

The axes that its ports need are those in its equations; angles are about z (from x_i to x_j), and displacements along x
of the first port in the plane, along its z in space.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from typing import Any

import numpy as np
import numpy.typing as npt

from ...equations.lowered import Equation
from ...equations.vectors import Scalar
from ...mechanism.frozen import Frozen
from ...mechanism.parts import Joint
from ..kinds import Key
from .tree_motions import TreeJoint

Array = npt.NDArray[np.float64]
Signed = tuple[str, str]  # two axes that must not point against each other

ANGLE, DISPLACEMENT = "angle", "displacement"


@dataclass(frozen=True)
class JointRows:
    """The equations of a joint with the words for their axes, and the products of axes that must be positive.

    Newton's method converges happily to a flipped revolute or a half-turned weld; the signs are checked after assembly
    and after projections.
    """

    equations: tuple[Scalar, ...]
    meanings: tuple[str, ...]
    signs: tuple[Signed, ...] = ()
    formulas: tuple[Equation, ...] = ()  # rows that are no sums of scalar products


class Pair(Enum):
    """What a joint is to a linkage."""

    PIN = auto()
    SLIDE = auto()
    SLOT = auto()  # a pin that slides
    ROD = auto()  # a link of its own with a pin, or a ball, at either end
    BALL = auto()
    HOOKE = auto()
    OTHER = auto()


class Symbol(StrEnum):
    """What a joint is drawn as; the pages of `plotting/` know how, in the plane and in space."""

    PIN = "pin"
    BALL = "ball"
    TOUCH = "touch"  # of a point on a surface
    SLEEVE = "sleeve"  # on a rail
    CROSS = "cross"
    BLOCK = "block"  # on a rail
    SLOT = "slot"  # a pin on a rail
    SQUARE = "square"
    ROD = "rod"
    BLADE = "blade"
    TYRE = "tyre"
    DISC = "disc"  # of its `radius`, on a floor
    DIAMOND = "diamond"  # of what has no symbol of its own


ON_RAILS = (Symbol.SLEEVE, Symbol.BLOCK, Symbol.SLOT)
# They touch their first body anywhere, so that their first point needs no support.
ROLLING = (Symbol.DISC, Symbol.BLADE, Symbol.TYRE)


@dataclass(frozen=True)
class Draw:
    """Numbers at random for one joint: slides as long as the mechanism, a turn about z, and any turn at all."""

    rng: np.random.Generator
    slides: Array  # three in space, one in the plane
    about_z: Array
    anyhow: Array

    @property
    def dim(self) -> int:
        return len(self.about_z)

    def along(self) -> Array:
        """A place on the line a joint slides along."""
        return np.array([self.slides[0], 0.0] if self.dim == 2 else [0.0, 0.0, self.slides[2]])

    def over_plane(self) -> Array:
        """A place in the plane with normal z."""
        return np.array([*self.slides[:2], 0.0])


@dataclass(frozen=True, eq=False)
class Relaxed:
    """A kind to take instead, what to note, and the loads that are no more held: words of rows, or axes of a port."""

    kind: JointKind
    note: str
    freed: tuple[str, ...]


Rows = JointRows | Callable[[Joint], JointRows]
Anywhere = Callable[[Draw, Joint], tuple[Array, Array]]  # place and turn of the second port, in axes of the first


@dataclass(frozen=True, eq=False)
class JointKind:
    """A kind of joint; its fields are numbered in the head of this file."""

    name: str
    summary: str
    plane: Rows | None = None
    space: Rows | None = None
    instead: str = ""
    keys: Mapping[str, Key] = field(default_factory=lambda: Frozen({}))
    coordinates: tuple[str, ...] = ()
    speed: str = ANGLE
    plane_tree: TreeJoint | None = None
    space_tree: TreeJoint | None = None
    anywhere: Anywhere | None = None
    pair: Pair = Pair.OTHER
    plane_relaxed: tuple[Relaxed, ...] = ()
    space_relaxed: tuple[Relaxed, ...] = ()
    bearing: bool = False
    rubs: bool = False
    guided: bool = False
    symbol: Symbol = Symbol.DIAMOND
    written: str = ""
    does: str = ""
    also_called: tuple[str, ...] = ()
    two_axes: bool = False
    axis_does: str = ""

    def rows(self, dim: int) -> Rows | None:
        return self.plane if dim == 2 else self.space

    def tree(self, dim: int) -> TreeJoint | None:
        return self.plane_tree if dim == 2 else self.space_tree

    def relaxed(self, dim: int) -> tuple[Relaxed, ...]:
        return self.plane_relaxed if dim == 2 else self.space_relaxed

    @property
    def turns(self) -> bool:
        """Whether its angle has a meaning in space; in the plane every angle has one."""
        return ANGLE in self.coordinates

    @property
    def slides(self) -> bool:
        return DISPLACEMENT in self.coordinates


class JointError(ValueError):
    """Why there are no rows for a joint, and the key that is to blame."""

    def __init__(self, key: str, words: str) -> None:
        self.key = key
        super().__init__(words)


def number_of_joint(joint: Joint, key: str, expected: str, fits: Callable[[float], bool]) -> float:
    """A number that the joint must have; raises JointError with what was found instead."""
    value: Any = joint.values.get(key)
    if not isinstance(value, int | float) or not abs(value) < float("inf") or not fits(value):
        raise JointError(key, f"{key} is {value!r}; expected {expected}")
    return float(value)


def positive_of_joint(joint: Joint, key: str) -> float:
    return number_of_joint(joint, key, "a positive number", lambda value: value > 0)
