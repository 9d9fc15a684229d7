"""Channels and other quantities as formulas over what the kernel knows: places and velocities of body vectors, z.

`resolve(formula, level)` replaces the leaves a person or a component wrote (channel names, points, axes) by those of
`model/tapes.py`. The level says what may stand there: an equation may depend on positions, a velocity constraint on
velocities too, a force also on reactions and accelerations (which are then iterated), an event on anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..equations.formula import Formula, FormulaError, apply, leaf
from ..equations.lowered import Lowered
from ..library.joints import KINDS as JOINT_KINDS
from ..mechanism.names import nearest
from ..mechanism.parts import GROUND, Blueprint, Joint, PortName, SpringDamper
from ..mechanism.port_axes import joint_axes
from .row_tables import Vectors

POSITION, VELOCITY, FORCE, EVENT = range(4)
_WORDS = {
    POSITION: "an equation may depend on positions, angles and t only",
    VELOCITY: "a velocity constraint may depend on positions, velocities and t only",
    FORCE: "a force cannot depend on it",
}
WRENCH = {2: ("fx", "fy", "mz"), 3: ("fx", "fy", "fz", "mx", "my", "mz")}
# Joints in space that have an angle, and those that have a displacement.
TURNING = tuple(kind.name for kind in JOINT_KINDS if kind.turns)
SLIDING = tuple(kind.name for kind in JOINT_KINDS if kind.slides)


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
        self._vectors = vectors
        self._parts = parts
        self._states = states
        self._joints = {joint.name: k for k, joint in enumerate(blueprint.joints)}
        self._springs = {f.name: f for f in blueprint.forces if isinstance(f, SpringDamper)}
        self._components = {c.name: c for c in blueprint.components}
        self._axes: dict[str, dict[str, Any]] = {}
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
            return self.channel(key, level) if "." in key else self._parameter(key)
        kind = key[0]
        if kind == "at":
            _, body, at, k, order = key
            return self._component(self._vectors.point(body, at), k, order, level)
        if kind == "axis":
            _, first, second, name, k, order = key
            axes = joint_axes(self._blueprint, Joint("", "", first, second))
            body = (first if name.endswith("_i") else second).body
            return self._component(self._vectors.axis(body, axes[name]), k, order, level)
        if kind == "symbol":  # a vector of the joint `owner`: M, N, x_i ... z_j
            _, name, k, order = key
            return self._component(self._symbol(self._blueprint.joint(owner), name), k, order, level)
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
        owner, _, rest = name.partition(".")
        if name in self._open:
            raise FormulaError(f"'{name}' depends on itself: {' -> '.join([*self._open, name])}")
        self._open.append(name)
        try:
            found = self._channel(owner, rest, level)
        finally:
            self._open.pop()
        if found is None:
            raise FormulaError(f"there is no channel '{name}'; {self._known(owner)}")
        return found

    def _channel(self, owner: str, rest: str, level: int) -> Formula | None:
        if owner in self._joints:
            return self._of_joint(self._blueprint.joint(owner), rest, level)
        if self._blueprint.has_body(owner):
            return self._of_body(owner, rest, level)
        if owner in self._springs:
            return self._of_spring(self._springs[owner], rest, level)
        if owner in self._parts:
            if (owner, rest) in self._states:
                return leaf(("state", self._states[owner, rest]))
            channels = self._parts[owner].channels
            return self.resolve(channels[rest], level, owner) if rest in channels else None
        if owner in ("energy", "violation"):
            return self._of_energy(owner, rest, level)
        return None

    def _known(self, owner: str) -> str:
        b = self._blueprint
        parts: tuple[Any, ...] = (*b.bodies, *b.joints)
        names = [GROUND, *(part.name for part in parts), *self._springs, *self._components, "energy"]
        if owner not in names:
            return f"there is nothing called '{owner}'; {nearest(owner, names)}"
        if owner in self._parts:
            own = [s for name, s in self._states if name == owner]
            return nearest("", [*own, *self._parts[owner].channels])
        return f"see the list of channels of '{owner}' in the documentation"

    def _component(self, vector: int, k: int, order: int, level: int) -> Formula:
        needed = (POSITION, VELOCITY, FORCE)[order]
        if level < needed:
            kind = ("a position", "a velocity", "an acceleration")[order]
            raise FormulaError(f"it depends on {kind}; {_WORDS[level]}")
        return leaf((("position", "velocity", "acceleration")[order], vector, k))

    def _vector(self, vector: int, order: int, level: int) -> Any:
        dim = self._blueprint.dim
        return np.array([self._component(vector, k, order, level) for k in range(dim)], dtype=object)

    def _of_body(self, body: str, rest: str, level: int) -> Formula | None:
        dim = self._blueprint.dim
        point, dot, channel = rest.rpartition(".")
        if dot:
            if point not in self._blueprint.ports_of(body):
                return None
            vector = self._vectors.point(body, self._blueprint.port(PortName(body, point)).at)
            return self._coordinate(vector, channel, level)
        if body == GROUND:
            return None
        if channel == "angle" and dim == 2:
            x = self._vector(self._vectors.axis(body, (1.0, 0.0)), 0, level)
            turn = (self._vectors.body_index(GROUND), self._vectors.body_index(body), self._vectors.fixed_axis(0))
            return self._wind(body, apply("atan2", x[1], x[0]), turn)
        if channel in ("spin", "spin_rate") and dim == 2:
            return self._spin(body, level, rate=channel == "spin_rate")[0]
        if channel[0] == "w" and dim == 3 and channel[1:2] in ("x", "y", "z") and channel[2:] in ("", "_rate"):
            return self._spin(body, level, rate=channel.endswith("_rate"))["xyz".index(channel[1])]
        if channel in ("qw", "qx", "qy", "qz") and dim == 3:
            raise FormulaError(
                "a quaternion and its negative are the same attitude, so nothing can depend on one; use the angle of "
                "a joint or the coordinates of points"
            )
        return self._coordinate(self._vectors.point(body, (0.0,) * dim), channel, level)

    def _coordinate(self, vector: int, channel: str, level: int) -> Formula | None:
        axes = "xyz"[: self._blueprint.dim]
        order = {"": 0, "v": 1, "a": 2}.get(channel[:-1])
        if channel[-1:] not in axes or not channel or order is None:
            return None
        return self._component(vector, axes.index(channel[-1]), order, level)

    def _spin(self, body: str, level: int, rate: bool = False) -> Any:
        """Angular velocity or acceleration in fixed axes, by the velocities of the body axes: sum u x u' / 2."""
        dim = self._blueprint.dim
        if body == GROUND:
            return np.array([Formula("const")] * (1 if dim == 2 else 3), dtype=object)
        if level >= FORCE and not rate:
            b = self._vectors.body_index(body)
            return np.array([leaf(("spin", b, k)) for k in range(1 if dim == 2 else 3)], dtype=object)
        axes = [self._vectors.axis(body, e) for e in np.eye(dim)]
        if dim == 2:
            u, du = self._vector(axes[0], 0, level), self._vector(axes[0], 2 if rate else 1, level)
            return np.array([u[0] * du[1] - u[1] * du[0]], dtype=object)
        pairs = [(self._vector(a, 0, level), self._vector(a, 2 if rate else 1, level)) for a in axes]
        return sum(0.5 * np.cross(u, du) for u, du in pairs)

    def _wind(self, name: str, angle: Formula, turn: tuple[int, int, int]) -> Formula:
        self.turns.setdefault(name, turn)
        self.wound.setdefault(name, Formula("wind", (angle,), key=name))
        return self.wound[name]

    # Joints ---------------------------------------------------------------------------------------------------

    def _axes_of(self, joint: Joint) -> dict[str, Any]:
        if joint.name not in self._axes:
            self._axes[joint.name] = joint_axes(self._blueprint, joint)
        return self._axes[joint.name]

    def _symbol(self, joint: Joint, name: str) -> int:
        if name in ("M", "N"):
            port = joint.first if name == "M" else joint.second
            return self._vectors.point(port.body, self._blueprint.port(port).at)
        body = (joint.first if name.endswith("_i") else joint.second).body
        return self._vectors.axis(body, self._axes_of(joint)[name])

    def _of_joint(self, joint: Joint, rest: str, level: int) -> Formula | None:
        dim = self._blueprint.dim
        side, channel = (0, rest[9:]) if rest.startswith("on_first.") else (1, rest)
        if channel in WRENCH[dim]:
            if level < FORCE:
                raise FormulaError(f"it depends on a reaction; {_WORDS[level]}")
            return leaf(("reaction", 2 * self._joints[joint.name] + side, WRENCH[dim].index(channel)))
        if rest == "load":
            parts = [self._of_joint(joint, f"f{axis}", level) for axis in "xyz"[:dim]]
            return apply("sqrt", sum(part * part for part in parts if part is not None))
        if rest == "angle":
            return self.joint_angle(joint, level)
        if rest == "displacement":
            M, N, a = self._slide(joint, 0, level)
            return np.dot(N - M, a)
        if rest == "speed":
            return self._joint_speed(joint, level)
        return None

    def _slide(self, joint: Joint, order: int, level: int) -> Any:
        names = ("M", "N", "x_i" if self._blueprint.dim == 2 else "z_i")
        return [self._vector(self._symbol(joint, name), order, level) for name in names]

    def joint_angle(self, joint: Joint, level: int) -> Formula:
        """From x_i to x_j about z_i, unwrapped."""
        if self._blueprint.dim == 3 and joint.type not in TURNING:
            raise FormulaError(f"a {joint.type} joint has no angle; {', '.join(TURNING)} have")
        x_j, x_i, y_i = (self._vector(self._symbol(joint, name), 0, level) for name in ("x_j", "x_i", "y_i"))
        angle = apply("atan2", np.dot(x_j, y_i), np.dot(x_j, x_i))
        return self._wind(joint.name, angle, self.turn_of(joint))

    def turn_of(self, joint: Joint) -> tuple[int, int, int]:
        first, second = (self._vectors.body_index(p.body) for p in (joint.first, joint.second))
        z = self._vectors.fixed_axis(0) if self._blueprint.dim == 2 else self._symbol(joint, "z_i")
        return first, second, z

    def _joint_speed(self, joint: Joint, level: int) -> Formula:
        if joint.type == "prismatic":
            M, N, a = self._slide(joint, 0, level)
            dM, dN, da = self._slide(joint, 1, level)
            return np.dot(dN - dM, a) + np.dot(N - M, da)
        if self._blueprint.dim == 2:
            return self._spin(joint.second.body, level)[0] - self._spin(joint.first.body, level)[0]
        if joint.type not in TURNING:
            raise FormulaError(f"a {joint.type} joint has no speed; {', '.join(TURNING)} and prismatic have")
        relative = self._spin(joint.second.body, level) - self._spin(joint.first.body, level)
        return np.dot(relative, self._vector(self._symbol(joint, "z_i"), 0, level))

    # Springs and energies --------------------------------------------------------------------------------------

    def _of_spring(self, spring: SpringDamper, rest: str, level: int) -> Formula | None:
        if rest not in ("length", "force"):
            return None
        ends = [self._vectors.point(p.body, self._blueprint.port(p).at) for p in (spring.first, spring.second)]
        M, N = (self._vector(v, 0, level) for v in ends)
        length = apply("sqrt", np.dot(N - M, N - M))
        if rest == "length":
            return length
        dM, dN = (self._vector(v, 1, level) for v in ends)
        speed = np.dot(N - M, dN - dM) / length
        return spring.stiffness * (length - spring.length) + spring.damping * speed

    def _of_energy(self, owner: str, rest: str, level: int) -> Formula | None:
        if owner == "violation":
            raise FormulaError("'violation' is known after a run only; nothing can depend on it")
        if level < EVENT:
            raise FormulaError(f"it depends on an energy of the whole mechanism; {_WORDS[level]}")
        n = len(self._states)
        works = {name: leaf(("state", n + k)) for k, name in enumerate(("dissipated", "driven", "stored"))}
        kinetic, potential = leaf(("energy", 0)), leaf(("energy", 1)) + works["stored"]
        return {
            "kinetic": kinetic,
            "potential": potential,
            "dissipated": works["dissipated"],
            "driven": works["driven"],
            "total": kinetic + potential + works["dissipated"] - works["driven"],
        }.get(rest)
