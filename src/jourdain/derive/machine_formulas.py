"""A mechanism as formulas in one coordinate set: M, J, gamma, Q, bias, C.

Every row is one formula over positions (and velocities) of body vectors, whether it is a sum of scalar products or not:

    C(X, t)            J = sum dC/dX . dX/dv       gamma = -(d2C/dt2 at v' = 0)       holonomic
    p(X, X', t) = 0    J = sum dp/dX' . dX/dv      gamma = -(dp/dt at v' = 0)         velocity rows

and every force is one too: gradients of what it acts along, times its size. What a mechanism consists of is asked of
the library; what kernels make of it is not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .. import library
from ..analysis.matrices import Evaluator
from ..equations.formula import Formula, FormulaError, leaf, number
from ..equations.lowered import Effort, Lowered
from ..equations.vectors import FIXED_AXES, Scalar
from ..library.mechanism_faults import joint_entries
from ..mechanism.parts import GROUND, Blueprint, Joint
from ..mechanism.port_axes import joint_axes
from ..model.formula_tables import channels_of_components, switched
from ..model.measures import FORCE, POSITION, VELOCITY, Measures
from ..model.row_tables import Vectors
from .chain_formulas import chain_formulas
from .moving_bodies import Givens, Moved
from .set_formulas import SetFormulas, formulas_of
from .space import NOTHING, cross
from .symbolic_rates import ONE, ZERO, derivative, gradient, is_zero, minus, negative, plus, times
from .tidy import Tidy

FED_BACK = ("reaction", "acceleration", "multiplier")


@dataclass(frozen=True)
class RowFormulas:
    """One equation: C (the rate it holds, of a velocity row), J by column, gamma, and C_t."""

    owner: str
    meaning: str
    C: Formula
    J: Mapping[int, Formula]
    gamma: Formula
    partial: Formula
    velocity: bool = False


@dataclass
class MachineFormulas:
    """Formulas of a whole mechanism. `problems` says what of it cannot be written down."""

    blueprint: Blueprint
    evaluator: Evaluator
    given: Givens = field(default_factory=Givens)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)  # joints or bodies whose turns the formulas count
    forces: dict[str, dict[int, Formula]] = field(default_factory=dict)  # Q of each part by column
    rows: list[RowFormulas] = field(default_factory=list)
    unwritten: list[int] = field(default_factory=list)  # rows of the kernel that cannot be written down
    state_rates: list[Formula] = field(default_factory=list)

    def __post_init__(self) -> None:
        model, b = self.evaluator.model, self.blueprint
        names = [body.name for body in b.bodies]
        self.set: SetFormulas
        if model.set.joined:
            self.set = chain_formulas(model.tree, names, model.body_data, self.given, b.dim)
        else:
            self.set = formulas_of(model.set, names, model.body_data, self.given, self.evaluator.sequences)
        self.vectors = Vectors(b, True)
        parts, states = channels_of_components(b)
        self.parts: dict[str, Lowered] = parts
        self.measures = Measures(b, self.vectors, parts, states)
        self._moved: dict[int, Moved] = {}
        self._add_rows()
        self._add_forces()
        self._tidy()

    def _tidy(self) -> None:
        """The same formulas, shorter."""
        s = self.set
        held = [f for row in self.rows for f in (row.C, *row.J.values(), row.gamma, row.partial)]
        forces = [f for part in self.forces.values() for f in part.values()]
        tidy = Tidy([*s.M.values(), *s.bias.values(), *s.rates, *held, *forces, *self.state_rates])

        def of_columns(found: Mapping[Any, Formula]) -> dict[Any, Formula]:
            shorter = {key: tidy(f) for key, f in found.items()}
            return {key: f for key, f in shorter.items() if not is_zero(f)}

        self.set = replace(s, M=of_columns(s.M), bias=of_columns(s.bias), rates=tuple(map(tidy, s.rates)))
        self.rows = [
            replace(row, C=tidy(row.C), J=of_columns(row.J), gamma=tidy(row.gamma), partial=tidy(row.partial))
            for row in self.rows
        ]
        self.forces = {name: of_columns(part) for name, part in self.forces.items()}
        self.state_rates = list(map(tidy, self.state_rates))

    # Vectors ---------------------------------------------------------------------------------------------------------

    def moved(self, vector: int) -> Moved:
        """A registered vector in these coordinates."""
        if vector not in self._moved:
            body, point, at = self.vectors.key(vector)
            name = self.blueprint.bodies[body].name if body < len(self.blueprint.bodies) else GROUND
            self._moved[vector] = self.vector(name, at, point)
        return self._moved[vector]

    def vector(self, body: str, at: Any, point: bool) -> Moved:
        """A vector of a body given in body axes from its origin."""
        if body == GROUND:
            return Moved(self.given.vector(f"{GROUND}.{self._label(body, at, point)}", at, not point))
        at = np.asarray(at, dtype=float)
        motion = self.set.bodies[body]
        label = self._label(body, at, point)
        if point and self.set.centred:
            at = at - np.asarray(self.blueprint.body(body).centre)
        if point and motion.start is not None:
            return motion.vector(motion.start.to(self.given, body, label, at), point)
        return motion.vector(self.given.vector(f"{body}.{label}", at, not point), point)

    def _label(self, body: str, at: Any, point: bool) -> str:
        if point and body != GROUND and np.array_equal(at, self.blueprint.body(body).centre):
            return "centre"
        if point:
            for label, port in self.blueprint.ports_of(body).items():
                if np.array_equal(np.asarray(port.at, dtype=float), at):
                    return label
            return "point"
        return "axis"

    def spin(self, body: str) -> Moved:
        return Moved(NOTHING) if body == GROUND else self.set.bodies[body].spin

    # Leaves ----------------------------------------------------------------------------------------------------------

    def written(self, f: Formula) -> Formula:
        """A resolved formula in coordinates; of laws the formulas that they are."""
        return self._wound(f.bare()).resolved(self._quantity)

    def _quantity(self, key: Any) -> Formula:
        kind = key[0]
        if kind in ("position", "velocity", "lift"):
            moved = self.moved(key[1])
            found: Formula = {"position": moved.X, "velocity": moved.V, "lift": moved.A}[kind][key[2]]
            return found
        if kind == "spin":
            spin = self.spin(self.blueprint.bodies[key[1]].name).X
            return spin[2] if self.blueprint.dim == 2 else spin[key[2]]
        if kind == "parameter":
            name = next(n for n, place in self.measures.places.items() if place == key[1])
            value = self.evaluator.numbers.get(name, self.measures.parameters[name])
            return self.given(name, value)
        return leaf(key)

    def _wound(self, f: Formula) -> Formula:
        """Unwrapped angles: coordinates where the set has them, otherwise with their turns counted in z."""
        new: dict[int, Formula] = {}
        for node in f.nodes():
            args = tuple(new[id(a)] for a in node.args)
            if node.op == "wind":
                new[id(node)] = self._unwrapped(node.key, args)
            else:
                same = all(a is b for a, b in zip(args, node.args, strict=True))
                new[id(node)] = node if same else Formula(node.op, args, node.value, node.key)
        return new[id(f)]

    def _unwrapped(self, name: str, args: tuple[Formula, ...]) -> Formula:
        angles = self.set.angles
        if name in angles:
            return angles[name]
        joint = self.blueprint.joints_by_name.get(name)
        if joint is not None and self.blueprint.dim == 2 and not self.evaluator.model.set.joined and angles:
            ends = [ZERO if p.body == GROUND else angles[p.body] for p in (joint.first, joint.second)]
            axes = joint_axes(self.blueprint, joint)
            tilt = [float(np.arctan2(axes[a][1], axes[a][0])) for a in ("x_i", "x_j")]
            whole = _whole_turns(joint, self.evaluator, tilt)
            return plus(minus(ends[1], ends[0]), self.given(f"{name}.zero", tilt[1] - tilt[0] + whole))
        if name not in self.turns:
            self.turns.append(name)
        return Formula("wind", args, key=name)

    # Rows ------------------------------------------------------------------------------------------------------------

    def _add_rows(self) -> None:
        b, model = self.blueprint, self.evaluator.model
        carried = model.tree.joints if model.set.joined else frozenset()
        for own in self.set.own:
            self.rows.append(RowFormulas(own.body, own.meaning, own.C, own.J, own.gamma, ZERO))
        for joint, entry in zip(b.joints, joint_entries(b), strict=True):
            if joint.name in model.off or joint.name in carried:
                continue
            for scalar, meaning in zip(entry.equations, entry.meanings, strict=True):
                self.rows.append(self.row(joint.name, meaning, self._scalar(joint, scalar)))
            self._formula_rows(joint.name, entry.formulas, len(entry.equations))
        for name, part in self.parts.items():
            if name not in model.off:
                self._formula_rows(name, part.equations, 0)

    def _scalar(self, joint: Joint, scalar: Scalar) -> Formula:
        """A sum of scalar products over components of the joint's vectors."""
        axes = joint_axes(self.blueprint, joint)

        def components(name: str) -> list[Formula]:
            dim = self.blueprint.dim
            if name in FIXED_AXES:
                return [number(float(k == FIXED_AXES.index(name))) for k in range(dim)]
            if name in ("OM", "ON"):
                port = joint.first if name == "OM" else joint.second
                vector = self.vectors.point(port.body, self.blueprint.port(port).at)
            else:
                body = (joint.first if name.endswith("_i") else joint.second).body
                vector = self.vectors.axis(body, axes[name])
            return [leaf(("position", vector, k)) for k in range(dim)]

        def operand(name: str) -> list[Formula]:
            if name == "MN":
                return [minus(n, m) for m, n in zip(components("OM"), components("ON"), strict=True)]
            return components(name)

        products = (
            times(c, plus(*(times(x, y) for x, y in zip(operand(a), operand(e), strict=True))))
            for (a, e), c in scalar.products.items()
        )
        return plus(*products, scalar.free)

    def _formula_rows(self, owner: str, equations: Any, first: int) -> None:
        for k, equation in enumerate(equations):
            level = VELOCITY if equation.velocity else POSITION
            try:
                f = self.measures.resolve(equation.formula, level, owner)
                if equation.floating:
                    f = f - self.measures.add_parameter(f"{owner}.phase.{k}", 0.0)
                self.rows.append(self.row(owner, equation.meaning, f, equation.velocity))
            except FormulaError as error:
                self.problems.append(f"'{owner}', {equation.meaning}: {error}")
                self.unwritten.append(len(self.rows) + len(self.unwritten))

    def row(self, owner: str, meaning: str, f: Formula, velocity: bool = False) -> RowFormulas:
        """From a formula over positions of vectors and t; with `velocity` over velocities too."""
        rate = derivative(f, _rate, ONE)
        first = derivative(f, lambda key: None, ONE)
        second = rate if velocity else derivative(rate, _rate, ONE)
        kind = "velocity" if velocity else "position"
        J = self._columns(gradient(f, lambda key: key[0] == kind))
        states = [key for key in f.quantities() if key[0] == "state"]
        if states:
            raise FormulaError("it depends on a state of an element; only simulate knows its rate")
        if velocity:
            still = f.resolved(lambda key: ZERO if key[0] == "velocity" else leaf(key))
            first, C = still, f
        else:
            C = f
        return RowFormulas(
            owner, meaning, self.written(C), J, negative(self.written(second)), self.written(first), velocity
        )

    def _columns(self, gradients: Mapping[Any, Formula]) -> dict[int, Formula]:
        """Sum of gradients times dX/dv."""
        found: dict[int, Formula] = {}
        for (_, vector, k), g in gradients.items():
            written = self.written(g)
            for n, B in self.moved(vector).B.items():
                found[n] = plus(found.get(n, ZERO), times(written, B[k]))
        return {n: f for n, f in sorted(found.items()) if not is_zero(f)}

    # Forces ----------------------------------------------------------------------------------------------------------

    def _add_forces(self) -> None:
        b = self.blueprint
        weight: dict[int, Formula] = {}
        g = self.given.vector("gravity", b.gravity)
        for body, data in zip(b.bodies, self.evaluator.model.body_data, strict=True):
            mass = self.given(f"{body.name}.mass", data.mass)
            self._push(weight, self.vector(body.name, body.centre, True), tuple(times(mass, c) for c in g))
        self.forces["gravity"] = weight
        others = [force for force in b.forces if force.name not in self.parts]
        lowered = {force.name: library.lowered(force, b) for force in others} | self.parts
        for name, part in lowered.items():
            if name in b.off:
                self.notes.append(f"'{name}' is off at the start and left out")
                continue
            try:
                self._exert(name, part)
            except FormulaError as error:
                self.problems.append(f"'{name}': {error}")
            for _, _, rate in part.states:
                self._add_state(name, rate)
        for name in sorted(switched(b) - set(b.off)):
            self.notes.append(f"'{name}' is switched by an event; here it is on")

    def _add_state(self, name: str, rate: Formula) -> None:
        """Every state has its place, also where its rate cannot be written down."""
        try:
            self.state_rates.append(self._of_force(rate, name))
        except FormulaError as error:
            self.state_rates.append(ZERO)
            self.problems.append(f"'{name}': {error}")

    def _along(self, effort: Effort, name: str) -> dict[int, Formula]:
        """Q of a force along a quantity."""
        along = self.measures.resolve(effort.along, POSITION, name)
        local = {"along": along, "rate": derivative(along, _rate)}
        size = self._of_force(effort.magnitude.resolved(lambda key: key_or(key, local)), name)
        gradients = gradient(along, lambda key: key[0] == "position")
        return {n: times(size, f) for n, f in self._efforts(gradients).items()}

    def _exert(self, name: str, part: Lowered) -> None:
        Q: dict[int, Formula] = {}
        for effort in part.efforts:
            for n, f in self._along(effort, name).items():
                Q[n] = plus(Q.get(n, ZERO), f)
        for load in part.loads:
            vector = [self._of_force(f, name) for f in load.vector]
            if load.body != GROUND:
                self._push(Q, self.vector(load.body, load.at, True), tuple(vector))
        for couple in part.couples:
            vector = [self._of_force(f, name) for f in couple.vector]
            if couple.body != GROUND:
                vector = [ZERO, ZERO, *vector] if self.blueprint.dim == 2 else vector
                for n, S in self.spin(couple.body).B.items():
                    Q[n] = plus(Q.get(n, ZERO), *(times(t, s) for t, s in zip(vector, S, strict=True)))
        if part.efforts or part.loads or part.couples:
            self.forces[name] = {n: f for n, f in Q.items() if not is_zero(f)}

    def _efforts(self, gradients: Mapping[Any, Formula]) -> dict[int, Formula]:
        """What a unit force along a quantity gives each velocity: gradients by points are forces there, and those by
        axes couples a x g on their bodies, whatever coordinates do with axes that are not rigid.
        """
        points = {key: g for key, g in gradients.items() if self.vectors.is_point(key[1])}
        found = self._columns(points)
        bodies = self.blueprint.bodies
        axes: dict[int, list[Formula]] = {}
        for (_, vector, k), g in gradients.items():
            if not self.vectors.is_point(vector) and self.vectors.moving(vector) >= 0:
                axes.setdefault(vector, [ZERO] * 3)[k] = self.written(g)
        for vector, slopes in axes.items():
            couple = cross(self.moved(vector).X, tuple(slopes))
            for n, S in self.spin(bodies[self.vectors.moving(vector)].name).B.items():
                found[n] = plus(found.get(n, ZERO), *(times(c, e) for c, e in zip(couple, S, strict=True)))
        return {n: f for n, f in sorted(found.items()) if not is_zero(f)}

    def _of_force(self, f: Formula, owner: str) -> Formula:
        resolved = f.resolved(lambda key: self._force_leaf(key, owner))
        for node in resolved.nodes():
            if node.op == "call":
                raise FormulaError("it is a function of Python, which cannot be written out; write it as a formula")
            if node.op == "leaf" and node.key[0] in FED_BACK:
                raise FormulaError("it depends on reactions or accelerations, which only a solver knows")
        return self.written(resolved)

    def _force_leaf(self, key: Any, owner: str) -> Formula:
        if isinstance(key, tuple) and key[0] in ("position", "velocity", "lift", "parameter", "spin"):
            return leaf(key)
        return self.measures.resolve(leaf(key), FORCE, owner)

    def _push(self, Q: dict[int, Formula], point: Moved, force: tuple[Formula, ...]) -> None:
        for n, B in point.B.items():
            Q[n] = plus(Q.get(n, ZERO), *(times(f, c) for f, c in zip(force, B, strict=False)))

    @property
    def Q(self) -> dict[int, Formula]:
        """All applied forces by column."""
        found: dict[int, Formula] = {}
        for part in self.forces.values():
            for n, f in part.items():
                found[n] = plus(found.get(n, ZERO), f)
        return found


def key_or(key: Any, local: Mapping[str, Formula]) -> Formula:
    """What `along` and `rate` of an effort stand for; other quantities as they are."""
    return local[key] if isinstance(key, str) and key in local else leaf(key)


def _rate(key: Any) -> Formula | None:
    """Along the motion at v' = 0: positions have velocities, velocities what lifts them."""
    if key[0] == "position":
        return leaf(("velocity", *key[1:]))
    return leaf(("lift", *key[1:])) if key[0] == "velocity" else None


def _whole_turns(joint: Joint, evaluator: Evaluator, tilt: list[float]) -> float:
    """Whole turns between the difference of the bodies' angles and the angle that the joint counts at the start."""
    model, y = evaluator.model, evaluator.start
    if joint.name not in model.turns:
        return 0.0
    at = {name: k for k, name in enumerate(model.layout.owners)}
    q = y[model.layout.q]
    ends = [
        0.0 if p.body == GROUND else q[model.layout.q_of[at[p.body]].start + 2] for p in (joint.first, joint.second)
    ]
    plain = ends[1] - ends[0] + tilt[1] - tilt[0]
    return 2 * np.pi * round((y[model.layout.turn(joint.name)] - plain) / (2 * np.pi))
