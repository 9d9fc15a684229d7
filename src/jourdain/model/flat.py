"""FlatModel: a mechanism as arrays that never change.

Fields are those of kernels/layout/fields.py, which gives shape, frame and unit of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..choices.contract import Sizes
from ..choices.coordinates import Coordinates
from ..equations.tables import Curve
from ..kernels.layout import fields as f
from ..library import channels_with
from ..library.channels import Channels
from ..mechanism.parts import Blueprint, SpringDamper
from ..mechanism.table_data import SMOOTH
from .body_data import BodyData
from .frozen_arrays import nothing
from .layout import OutputLayout, StateLayout
from .linear_rows import linear_blocks
from .table_limits import TableLimit

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One scalar equation: whose it is, what it forbids, and where it sits among the padded rows."""

    joint: str  # or the body, for an intrinsic row of the coordinates
    meaning: str
    row: int
    dropped: bool
    intrinsic: bool = False
    velocity: bool = False  # holds a velocity, and no position


@dataclass(frozen=True)
class Sign:
    """A condition a.b > 0 of a joint, by vector index."""

    joint: str
    words: str
    a: int
    b: int


@dataclass(frozen=True)
class FlatModel:
    """The compiled mechanism. `fields` maps fields to arrays, `flags` and `settings` names of words to numbers."""

    blueprint: Blueprint
    set: Coordinates
    fields: Mapping[int, Any]
    flags: Mapping[str, int]
    settings: Mapping[str, float]
    rows: tuple[Row, ...]
    signs: tuple[Sign, ...]
    states: tuple[tuple[str, str], ...]  # element and name of each state, the first of z
    starts: tuple[float, ...]  # their values at the start
    turns: tuple[str, ...]  # joints (bodies in the plane) whose turns are counted, the last of z
    reports: tuple[str, ...]  # channels that components report, in order
    parameters: Mapping[str, int]  # place of each in PARAMETERS
    held_by: Mapping[str, frozenset[str]]  # parameters that rows depend on, and whose rows these are
    floating: tuple[tuple[int, str], ...]  # rows whose phase the assembled pose decides, and the parameter holding it
    kinked: bool  # some force has a kink (a stop, a rope): long steps could pass over a contact unseen
    off: frozenset[str]  # joints, relations and motions without rows
    size: float  # m, extent of the mechanism, or of its smallest part that joints hold together
    body_sizes: tuple[float, ...]  # m, extent of the part that each body belongs to
    nq: int
    nv: int
    nz: int
    padded: int  # constraint rows with padding
    body_data: tuple[BodyData, ...] = field(repr=False)
    keepalive: tuple[Any, ...] = field(default=(), repr=False)
    curves: tuple[Curve, ...] = field(default=(), repr=False)  # of the tables in its formulas, by number
    limits: tuple[TableLimit, ...] = ()  # of tables that refuse; those not over time have events, the last of all
    tree: Any = field(default=None, repr=False)  # TreeModel, of joint coordinates; so is the next
    # Link at which each block of rows is solved.
    carried: Mapping[int, int] = field(default_factory=nothing, repr=False)

    @property
    def coordinates(self) -> str:
        """The coordinate set by name."""
        return self.set.name

    @property
    def bodies(self) -> int:
        return len(self.blueprint.bodies)

    @cached_property
    def layout(self) -> StateLayout:
        """What stands where in a state y = [q | v | z]."""
        return StateLayout(*self.set.shares(self), self.states, self.turns)

    @cached_property
    def outputs(self) -> OutputLayout:
        """What stands where in what a sample reports."""
        b = self.blueprint
        springs = tuple(force.name for force in b.forces if isinstance(force, SpringDamper))
        joints = tuple(joint.name for joint in b.joints)
        return OutputLayout(self.nv, springs, self.reports, joints, 3 if b.dim == 2 else 6)

    @cached_property
    def channels(self) -> Channels:
        """What can be read of it, by name."""
        return channels_with(self.blueprint, self.states, self.reports)

    @cached_property
    def table_notes(self) -> tuple[str, ...]:
        """How the points of tables are joined that did not say so."""
        joined = [_joined(curve) for curve in self.curves if curve.chosen]
        swinging = [_swinging(curve) for curve in self.curves if curve.swings is not None]
        jumping = [_jumping(curve) for curve in self.curves if curve.jumps]
        return tuple(dict.fromkeys([*joined, *swinging, *jumping]))

    @cached_property
    def linear_blocks(self) -> tuple[bool, ...]:
        """Of each block of rows, whether their gradients are constant, in coordinates in which vectors are linear."""
        return linear_blocks(self.fields, self.set.block, self.padded)

    @property
    def watched(self) -> tuple[TableLimit, ...]:
        """Limits of tables by the events that watch them, which come behind those of the mechanism."""
        return tuple(limit for limit in self.limits if not limit.of_time)

    @property
    def length(self) -> int:
        """Length of y."""
        return self.layout.length

    @cached_property
    def templates(self) -> dict[Any, Any]:
        """Of workspaces, which are made from it again and again (engine/template.py)."""
        return {}

    @cached_property
    def sizes(self) -> Sizes:
        """What choices may ask of it."""
        blueprint, fields, flags = self.blueprint, self.fields, self.flags
        return Sizes(
            space=blueprint.space,
            dim=blueprint.dim,
            bodies=self.bodies,
            q=self.nq,
            v=self.nv,
            z=self.nz,
            states=flags["STATES"],
            rows=self.padded,
            forces=int(fields[f.GIVEN].size),
            events=len(fields[f.EVENTS]),
            extent=self.size,
            singular=flags["SINGULAR"] == 1,
            feedback=flags["FEEDBACK"] == 1,
        )


def _joined(curve: Curve) -> str:
    if curve.kind == SMOOTH:
        words = "a monotone cubic (smooth), since a spline would turn where the table does not"
        return f"{curve.where}: the table is joined by {words}; its acceleration jumps at the points"
    return f"{curve.where}: the table is joined by a spline of degree {len(curve.coefficients[0]) - 1}"


def _swinging(curve: Curve) -> str:
    low, high = curve.swings or curve.span
    words = f"the spline turns where the table does not, and goes from {low:g} to {high:g}"
    return f"{curve.where}: {words}; kind: smooth does not overshoot"


def _jumping(curve: Curve) -> str:
    last = curve(curve.breaks[-1])
    return f"{curve.where}: the table jumps from {last:g} to {curve(curve.breaks[0]):g} at the end of its period"
