"""Channels and other quantities as formulas over what the kernel knows: places and velocities of body vectors, z.

`resolve(formula, level)` replaces the leaves a person or a component wrote (channel names, points, axes) by those of
`model/tapes.py`; channels are those of `library/channels`, with leaves that are formulas. The level says what may stand
there: an equation may depend on positions, a velocity constraint on velocities too, a force also on reactions and
accelerations (which are then iterated), an event on anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..equations.formula import Formula, FormulaError, apply, leaf
from ..equations.lowered import Lowered
from ..library.channels import Channels
from ..library.channels.definition import axes_of
from ..library.channels.joint import WRENCH
from ..mechanism.names import nearest
from ..mechanism.parts import GROUND, Blueprint, Joint, SpringDamper
from ..mechanism.port_axes import joint_axes
from .layout import WORKS
from .row_tables import Vectors

POSITION, VELOCITY, FORCE, EVENT = range(4)
_WORDS = {
    POSITION: "an equation may depend on positions, angles and t only",
    VELOCITY: "a velocity constraint may depend on positions, velocities and t only",
    FORCE: "a force cannot depend on it",
}


class Measures:
    """Resolves quantities; registers the vectors and turns they need."""

    def __init__(
        self,
        blueprint: Blueprint,
        vectors: Vectors,
        parts: Mapping[str, Lowered],
        states: Mapping[tuple[str, str], int],
    ) -> None:
        self._blueprint = blueprint
        self.dim = blueprint.dim
        self.vectors = vectors
        self._parts = parts
        self._states = states
        self._joints = {joint.name: k for k, joint in enumerate(blueprint.joints)}
        self._channels = Channels(blueprint)
        self._open: list[str] = []  # channels being resolved, to notice circles
        self.parameters: dict[str, float] = dict(blueprint.parameters)
        self.places = {name: k for k, name in enumerate(self.parameters)}
        self.rows: dict[tuple[str, int], int] = {}  # row of each equation of a component, once known
        # Turns to be counted: first body, second body, vector z_i (unused in the plane).
        self.turns: dict[str, tuple[int, int, int]] = {}
        self.wound: dict[str, Formula] = {}  # the unwrapped angle of each turn that formulas use

    def add_parameter(self, name: str, value: float) -> Formula:
        self.places[name] = len(self.places)
        self.parameters[name] = value
        return leaf(("parameter", self.places[name]))

    def resolve(self, formula: Formula, level: int, owner: str = "") -> Formula:
        """The formula in quantities of the kernel; `owner` is the component whose own names it may use."""
        return formula.resolved(lambda key: self._quantity(key, level, owner))

    def _quantity(self, key: Any, level: int, owner: str) -> Formula:
        if isinstance(key, str):
            if key in ("along", "rate"):
                return leaf(key)
            is_channel = "." in key and key not in self._blueprint.parameters
            return self.channel(key, level) if is_channel else self._parameter(key)
        kind = key[0]
        if kind == "at":
            _, body, at, k, order = key
            return self.component(self.vectors.point(body, at), k, order, level)
        if kind == "axis":
            _, first, second, name, k, order = key
            axes = joint_axes(self._blueprint, Joint("", "", first, second))
            body = (first if name.endswith("_i") else second).body
            return self.component(self.vectors.axis(body, axes[name]), k, order, level)
        if kind == "symbol":  # a vector of the joint `owner`: M, N, x_i ... z_j
            _, name, k, order = key
            return self.component(self._symbol(self._blueprint.joint(owner), name), k, order, level)
        if kind == "multiplier":
            row = self.rows.get((owner, key[1]))
            return Formula("const") if row is None else leaf(("multiplier", row))
        if kind == "state":
            return leaf(("state", self._states[owner, key[1]]))
        return leaf(key)

    def _parameter(self, name: str) -> Formula:
        if name in self.places:
            return leaf(("parameter", self.places[name]))
        raise FormulaError(f"unknown name '{name}'; {nearest(name, ['t', 'pi', 'e', *self._blueprint.parameters])}")

    # Channels -------------------------------------------------------------------------------------------------

    def channel(self, name: str, level: int) -> Formula:
        """A channel by name."""
        name = self._blueprint.full_name(name)
        if name in self._open:
            raise FormulaError(f"'{name}' depends on itself: {' -> '.join([*self._open, name])}")
        self._open.append(name)
        try:
            found = self._channel(name, level)
        finally:
            self._open.pop()
        if found is None:
            raise FormulaError(f"there is no channel '{name}'; {self._known(self._blueprint.owner_of(name)[0])}")
        return found

    def _channel(self, name: str, level: int) -> Formula | None:
        owner, rest = self._blueprint.owner_of(name)
        if owner in self._parts:
            if (owner, rest) in self._states:
                return leaf(("state", self._states[owner, rest]))
            own = self._parts[owner].channels
            return self.resolve(own[rest], level, owner) if rest in own else None
        channel = self._channels.find(name)
        if channel is None:
            return None
        if channel.refused:
            raise FormulaError(channel.refused)
        found: Formula = channel.over(_Leaves(self, level))
        return found

    def _known(self, owner: str) -> str:
        b = self._blueprint
        parts: tuple[Any, ...] = (*b.bodies, *b.joints)
        springs = (force.name for force in b.forces if isinstance(force, SpringDamper))
        names = [GROUND, *(part.name for part in parts), *springs, *self._parts, "energy"]
        if owner not in names:
            return f"there is nothing called '{owner}'; {nearest(owner, names)}"
        if owner in self._parts:
            own = [s for name, s in self._states if name == owner]
            return nearest("", [*own, *self._parts[owner].channels])
        return f"see the list of channels of '{owner}' in the documentation"

    # Leaves of channels ----------------------------------------------------------------------------------------

    def component(self, vector: int, k: int, order: int, level: int) -> Formula:
        needed = (POSITION, VELOCITY, FORCE)[order]
        if level < needed:
            kind = ("a position", "a velocity", "an acceleration")[order]
            raise FormulaError(f"it depends on {kind}; {_WORDS[level]}")
        return leaf((("position", "velocity", "acceleration")[order], vector, k))

    def vector(self, vector: int, order: int, level: int) -> Any:
        dim = self._blueprint.dim
        return np.array([self.component(vector, k, order, level) for k in range(dim)], dtype=object)

    def spin(self, body: str, order: int, level: int) -> Any:
        """Angular velocity or acceleration in fixed axes, by the velocities of the body axes: sum u x u' / 2."""
        dim = self._blueprint.dim
        if body == GROUND:
            return np.array([Formula("const")] * (1 if dim == 2 else 3), dtype=object)
        if level >= FORCE and order == 0:
            b = self.vectors.body_index(body)
            return np.array([leaf(("spin", b, k)) for k in range(1 if dim == 2 else 3)], dtype=object)
        axes = [self.vectors.axis(body, e) for e in np.eye(dim)]
        if dim == 2:
            u, du = self.vector(axes[0], 0, level), self.vector(axes[0], order + 1, level)
            return np.array([u[0] * du[1] - u[1] * du[0]], dtype=object)
        pairs = [(self.vector(a, 0, level), self.vector(a, order + 1, level)) for a in axes]
        return sum(0.5 * np.cross(u, du) for u, du in pairs)

    def angle(self, body: str, level: int) -> Formula:
        """Of a body in the plane, with its turns."""
        if body == GROUND:
            return Formula("const")
        x = self.vector(self.vectors.axis(body, (1.0, 0.0)), 0, level)
        turn = (self.vectors.body_index(GROUND), self.vectors.body_index(body), self.vectors.fixed_axis(0))
        return self.wind(body, apply("atan2", x[1], x[0]), turn)

    def wind(self, name: str, angle: Formula, turn: tuple[int, int, int]) -> Formula:
        """An angle brought to the turn that z counts."""
        self.turns.setdefault(name, turn)
        self.wound.setdefault(name, Formula("wind", (angle,), key=name))
        return self.wound[name]

    def wrench(self, joint: str, side: int, level: int) -> Any:
        if level < FORCE:
            raise FormulaError(f"it depends on a reaction; {_WORDS[level]}")
        place = 2 * self._joints[joint] + side
        return np.array([leaf(("reaction", place, k)) for k in range(len(WRENCH[self._blueprint.dim]))], dtype=object)

    def energy(self, kind: str, name: str, level: int) -> Formula:
        if level < EVENT:
            raise FormulaError(f"it depends on an energy of the whole mechanism; {_WORDS[level]}")
        if kind == "work":
            return leaf(("state", len(self._states) + WORKS.index(name)))
        return leaf(("energy", ("kinetic", "potential").index(name)))

    def _symbol(self, joint: Joint, name: str) -> int:
        if name in ("M", "N"):
            port = joint.first if name == "M" else joint.second
            return self.vectors.point(port.body, self._blueprint.port(port).at)
        body = (joint.first if name.endswith("_i") else joint.second).body
        return self.vectors.axis(body, axes_of(self._blueprint, joint)[name])

    def turn_of(self, joint: Joint) -> tuple[int, int, int]:
        first, second = (self.vectors.body_index(p.body) for p in (joint.first, joint.second))
        z = self.vectors.fixed_axis(0) if self._blueprint.dim == 2 else self._symbol(joint, "z_i")
        return first, second, z


class _Leaves:
    """Leaves of channels as formulas of the tape, for a place where only a level may stand."""

    def __init__(self, measures: Measures, level: int) -> None:
        self._measures, self._level = measures, level

    @property
    def dim(self) -> int:
        return self._measures.dim

    def point(self, body: str, at: Any, order: int = 0) -> Any:
        return self._measures.vector(self._measures.vectors.point(body, at), order, self._level)

    def axis(self, body: str, local: Any, order: int = 0) -> Any:
        return self._measures.vector(self._measures.vectors.axis(body, local), order, self._level)

    def spin(self, body: str, order: int = 0) -> Any:
        return self._measures.spin(body, order, self._level)

    def attitude(self, body: str) -> Any:
        return self._measures.angle(body, self._level)

    def wound(self, joint: Joint, angle: Any) -> Any:
        return self._measures.wind(joint.name, angle, self._measures.turn_of(joint))

    def wrench(self, joint: str, side: int) -> Any:
        return self._measures.wrench(joint, side, self._level)

    def kept(self, key: tuple[Any, ...]) -> Any:
        kind, name, *rest = key
        if kind == "wrench":
            side, component = rest
            return self.wrench(name, side)[component]
        return self._measures.energy(kind, name, self._level)
