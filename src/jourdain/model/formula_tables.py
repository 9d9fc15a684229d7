"""Components and everything else that is a formula: collected, resolved, and written as tapes.

Two passes: `FormulaParts` resolves all formulas while vectors may still be added; `fields` writes the tapes once every
vector, row and place in z has its number.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import library
from ..equations.formula import Formula, FormulaError, leaf
from ..equations.lowered import DISSIPATED, DRIVEN, OWN_POTENTIAL, STORED, Effort, Equation, Lowered
from ..equations.smoothness import POSITION as POSITIONS
from ..equations.smoothness import SPEED, rough
from ..kernels.layout import fields as f
from ..library.joints import JointRows
from ..library.values import constant, with_tables
from ..mechanism.fault import Fault
from ..mechanism.parts import Blueprint, PointForce, SpringDamper, Torque
from .force_tables import Loads
from .measures import EVENT, FORCE, POSITION, VELOCITY, Measures
from .polynomials import polynomial_rows
from .row_tables import RowTables, Vectors
from .signals import Signals
from .table_limits import TableLimit, inside, limits_of
from .tapes import Tape

ACCOUNTS = {DISSIPATED: 0, DRIVEN: 1, STORED: 2, OWN_POTENTIAL: 3}
# Channels that say what a part exerts: nothing, while it is off.
EFFORT_CHANNELS = ("force", "torque", "power", "normal", "fx", "fy", "fz")
# Number of an equation in its owner, the equation, its formula resolved, whether it was dropped as redundant.
_Row = tuple[int, Equation, Formula, bool]
_FED_BACK = ("reaction", "acceleration", "multiplier")


def switched(blueprint: Blueprint) -> set[str]:
    """Parts that events switch, or that are off at the start."""
    targets = {a.target for event in blueprint.events for a in event.actions if a.kind in ("on", "off")}
    return targets | set(blueprint.off)


def channels_of_components(blueprint: Blueprint) -> tuple[dict[str, Lowered], dict[tuple[str, str], int]]:
    """Every component as its parts, and the place in z of each of their states."""
    parts = {component.name: library.lowered(component, blueprint) for component in blueprint.components}
    names = [(name, state) for name, part in parts.items() for state, _, _ in part.states]
    return parts, {key: k for k, key in enumerate(names)}


@dataclass
class FormulaParts:
    """All formulas of a mechanism, resolved."""

    blueprint: Blueprint
    measures: Measures
    signals: Signals
    tables: RowTables
    loads: Loads
    parts: dict[str, Lowered]
    states: dict[tuple[str, str], int]
    starts: list[float] = field(default_factory=list)
    rates: list[Formula] = field(default_factory=list)
    potentials: list[Formula] = field(default_factory=list)
    powers: dict[str, Formula] = field(default_factory=dict)  # W, by account: counted beside those of forces
    reports: dict[str, Formula] = field(default_factory=dict)
    events: list[tuple[Formula, int]] = field(default_factory=list)
    floating: list[tuple[int, str]] = field(default_factory=list)  # row, name of the parameter that holds its phase
    limits: list[TableLimit] = field(default_factory=list)  # of tables that refuse what lies outside
    faults: list[Fault] = field(default_factory=list)

    @contextlib.contextmanager
    def noting(self, part: str, where: str, key: str = "") -> Iterator[None]:
        """Note a formula's fault and go on, so that all are reported together."""
        try:
            yield
        except (FormulaError, RecursionError) as error:
            words = "the formula is too long" if isinstance(error, RecursionError) else str(error)
            self.faults.append(Fault(part, key, f"{where}: {words}"))

    # Rows -----------------------------------------------------------------------------------------------------

    def add_rows(self, entries: list[JointRows], dropped: set[tuple[str, int]], off: frozenset[str]) -> None:
        """Formula rows of joints, then of relations, motions and equations."""
        joints = self.blueprint.joints
        for index, (joint, entry) in enumerate(zip(joints, entries, strict=True)):
            if entry.formulas:
                body = self.tables.body_index
                sides = {body(joint.first.body): 2 * index, body(joint.second.body): 2 * index + 1}
                rows = self._resolved(joint.name, entry.formulas, len(entry.equations), dropped)
                if joint.name not in off:
                    self._add_equations(joint.name, rows, len(entry.equations), index, sides)
        for k, (name, part) in enumerate(self.parts.items()):
            rows = self._resolved(name, part.equations, 0, dropped)
            if name not in off:
                self._add_equations(name, rows, 0, len(joints) + k, {})

    def _resolved(self, owner: str, equations: Any, first: int, dropped: set[tuple[str, int]]) -> list[_Row]:
        """Rows to add: also of parts that are off, so that z and parameters are laid out alike for all that switch."""
        rows: list[_Row] = []
        for k, equation in enumerate(equations):
            with self.noting(owner, f"'{owner}', {equation.meaning}"):
                formula = self.measures.resolve(equation.formula, VELOCITY if equation.velocity else POSITION, owner)
                if reason := rough(
                    formula, SPEED if equation.velocity else POSITIONS
                ):  # also of what the channels in it stand for
                    raise FormulaError(reason)
                if equation.floating:
                    formula = formula - self.measures.add_parameter(f"{owner}.phase.{k}", 0.0)
                rows.append((first + k, equation, formula, (owner, first + k) in dropped))
        return rows

    def _add_equations(self, owner: str, rows: list[_Row], first: int, index: int, sides: dict[int, int]) -> None:
        before = len(self.tables.formulas)
        self.tables.add_formulas(index, owner, rows, sides)
        for (number, equation, _, _), (_, row, _, _) in zip(rows, self.tables.formulas[before:], strict=True):
            self.measures.rows[owner, number - first] = row
            if equation.floating:
                self.floating.append((row, f"{owner}.phase.{number - first}"))

    # Forces ---------------------------------------------------------------------------------------------------

    def add_forces(self, vectors: Vectors) -> None:
        """Springs, forces and torques in the order written; then what components exert."""
        for force in self.blueprint.forces:
            if isinstance(force, SpringDamper):
                self._spring(force, vectors)
            elif isinstance(force, PointForce | Torque):
                self._exert(force.name, library.lowered(force, self.blueprint), vectors)
        for name, part in self.parts.items():
            self._exert(name, part, vectors)
            for state, start, rate in part.states:
                with self.noting(name, f"'{name}.{state}'"):
                    self.rates.append(self.measures.resolve(rate, FORCE, name))
                    self.starts.append(start)
        for name, part in self.parts.items():
            on = self._switch(name)
            for channel, formula in part.channels.items():
                with self.noting(name, f"'{name}.{channel}'"):
                    found = self.measures.resolve(formula, EVENT, name)
                    off_too = on is not None and channel in EFFORT_CHANNELS
                    self.reports[f"{name}.{channel}"] = found * on if off_too else found

    def _exert(self, name: str, part: Lowered, vectors: Vectors) -> None:
        on = self._switch(name)
        for effort in part.efforts:
            with self.noting(name, f"'{name}'"):
                self._effort(effort, vectors, on, name)
        self._energy(part, on, name)
        for load in part.loads:
            with self.noting(name, f"'{name}'"):
                signals = self._components(load.vector, on, name)
                self.loads.loads.append((vectors.point(load.body, load.at), ACCOUNTS[load.account], *signals))
        for couple in part.couples:
            with self.noting(name, f"'{name}'"):
                signals = self._components(couple.vector, on, name)
                self.loads.torques.append((vectors.body_index(couple.body), ACCOUNTS[couple.account], *signals))

    def _energy(self, part: Lowered, on: Formula | None, owner: str) -> None:
        """The potential of a part as a whole, and what it turns into heat."""
        if part.potential is not None:
            with self.noting(owner, f"'{owner}': potential", "potential"):
                found = self.measures.resolve(part.potential, POSITION, owner)
                if on is None:
                    self.potentials.append(found)
        if part.dissipated is not None:
            with self.noting(owner, f"'{owner}': dissipated", "dissipated"):
                heat = self.measures.resolve(part.dissipated, FORCE, owner)
                heat = heat if on is None else heat * on
                self._power(DISSIPATED, heat)
                if part.potential is None or on is not None:  # the account of its efforts is `stored`
                    self._power(STORED, -heat)

    def _power(self, account: str, watts: Formula) -> None:
        self.powers[account] = self.powers[account] + watts if account in self.powers else watts

    def _switch(self, name: str) -> Formula | None:
        """A factor that events set to 1 or 0, for parts that are switched."""
        if name not in switched(self.blueprint):
            return None
        key = f"{name}.on"
        if key not in self.measures.places:
            return self.measures.add_parameter(key, 0.0 if name in self.blueprint.off else 1.0)
        return leaf(("parameter", self.measures.places[key]))

    def _signal(self, formula: Formula, on: Formula | None) -> int:
        return self.signals.add(formula if on is None else formula * on)

    def _spring(self, spring: SpringDamper, vectors: Vectors) -> None:
        ends = [vectors.point(p.body, self.blueprint.port(p).at) for p in (spring.first, spring.second)]
        # A switched spring keeps its place, without strength: length and force are reported by place.
        fixed = spring.name not in switched(self.blueprint)
        strength = (spring.stiffness, spring.damping) if fixed else (0.0, 0.0)
        self.loads.springs.append((ends[0], ends[1]))
        self.loads.spring_constants.append((*strength, spring.length))
        if not fixed:
            self._exert(spring.name, library.lowered(spring, self.blueprint), vectors)

    def _components(self, formulas: Any, on: Formula | None, owner: str = "") -> list[int]:
        return [self._signal(self.measures.resolve(formula, FORCE, owner), on) for formula in formulas]

    def _effort(self, effort: Effort, vectors: Vectors, on: Formula | None, owner: str) -> None:
        along = self.measures.resolve(effort.along, POSITION, owner)
        if any(node.op == "t" or (node.op == "leaf" and node.key[0] == "state") for node in along.nodes()):
            raise FormulaError("a force acts along a quantity that moves by itself; expected one of positions only")
        for node in along.nodes():
            if node.op == "call":  # its gradient is the direction of the force
                raise FormulaError(rough(node))
        number = len(self.loads.efforts)
        magnitude = self.measures.resolve(effort.magnitude, FORCE, owner)
        magnitude = magnitude.resolved(lambda key: leaf((key, number) if isinstance(key, str) else key))
        account = effort.account
        if account == OWN_POTENTIAL and on is not None:  # what is switched has no potential that lasts
            account = STORED
        elif effort.potential is not None:
            self.potentials.append(self.measures.resolve(effort.potential, POSITION, owner))
        self.loads.efforts.append((along, self._signal(magnitude, on), ACCOUNTS[account]))
        self.loads.points |= {key[1] for key in along.quantities() if key[0] == "position" and vectors.is_point(key[1])}

    def add_events(self) -> None:
        for event in self.blueprint.events:
            with self.noting(event.name, f"event '{event.name}'", "when"):
                formula = with_tables(constant(event.when), self.blueprint, f"event '{event.name}'")
                self.events.append((self.measures.resolve(formula, EVENT), event.direction))

        self._watch_tables()

    def _watch_tables(self) -> None:
        """An event behind those of the user for each table that refuses, where its argument is not the time."""
        efforts = self.loads.efforts

        def written(key: Any) -> Formula:
            return efforts[key[1]][0] if key[0] == "along" else leaf(key)

        for limit, argument in limits_of([*(row[0] for row in self.tables.formulas), *self._all_signals()]):
            argument = argument.resolved(written)
            if any(key[0] in ("rate", *_FED_BACK) for key in argument.quantities()):
                continue  # known while forces are found only
            self.limits.append(limit)
            if not limit.of_time:
                self.events.append((inside(limit, argument), -1))

    def _all_signals(self) -> Iterator[Formula]:
        yield from (formula for _, formula in self.signals.of_time)
        yield from self._all()

    def check_states_of_rows(self) -> None:
        """Rows that depend on states need their rates, without those of velocities or reactions in them."""
        for formula, row, level, _ in self.tables.formulas:
            for key in self._state_keys(formula):
                for other in self.rates[key].quantities() if key < len(self.rates) else ():
                    if other[0] in _FED_BACK or (level != 1 and other[0] in ("velocity", "spin")):
                        owner = next(info[1] for info in self.tables.infos if info[3] == row)
                        words = f"it is moved by a state whose rate depends on a {other[0]}; use a motion of speed"
                        self.faults.append(Fault(owner, "", f"'{owner}': {words}, or let one more state lie between"))
                        break

    def held_by(self) -> dict[str, frozenset[str]]:
        """Parameters that rows depend on, and the owners of these rows; phases do not count."""
        names = {place: name for name, place in self.measures.places.items()}
        owners = {info.row: info.joint for info in self.tables.infos}
        found: dict[str, set[str]] = {}
        for formula, row, _, _ in self.tables.formulas:
            for key in formula.quantities():
                if key[0] == "parameter" and ".phase." not in names[key[1]]:
                    found.setdefault(names[key[1]], set()).add(owners[row])
        return {name: frozenset(found[name]) for name in found}

    def kinked(self) -> bool:
        """Whether a force has a kink: one that is zero as long as nothing touches shows nothing to error control."""
        kinks = ("min", "max", "abs", "sign", "floor", "step", "where")

        def kinked(node: Formula) -> bool:
            return node.op in kinks or (node.op == "table" and node.key.smooth < 2)

        return any(kinked(node) for _, formula in self.signals.of_state for node in formula.nodes())

    @staticmethod
    def _state_keys(formula: Formula) -> list[int]:
        return [key[1] for key in formula.quantities() if key[0] == "state"]

    # Flags ----------------------------------------------------------------------------------------------------

    def _all(self) -> Iterator[Formula]:
        yield from (formula for _, formula in self.signals.of_state)
        yield from self.rates
        yield from self.powers.values()

    def flags(self, vectors: Vectors) -> dict[str, int]:
        """Words that say which of the costlier ways the kernels must go."""
        forces = {key[0] for formula in self._all() for key in formula.quantities()}
        events = {key[0] for formula, _ in self.events for key in formula.quantities()}
        reported = {key[0] for formula in self.reports.values() for key in formula.quantities()}
        ns = len(self.rates)
        moved = any(key < ns for formula, *_ in self.tables.formulas for key in self._state_keys(formula))
        axes = any(not vectors.is_point(key[1]) for along, *_ in self.loads.efforts for key in _positions(along))
        return {
            "STATES": ns,
            "TORQUES": int(bool(self.loads.torques) or axes),
            "FEEDBACK": int(bool(forces & set(_FED_BACK))),
            "KINKED": int(self.kinked()),
            "MOTION_STATES": int(moved),
            "NONLINEAR": int(any(not equation.linear for part in self.parts.values() for equation in part.equations)),
            "EVENT_LEVEL": int(bool(events & {*_FED_BACK, "energy"})),
            "ACCELERATIONS": int("acceleration" in forces | events | reported),
        }

    # Tapes ----------------------------------------------------------------------------------------------------

    def _growing(self) -> Iterator[tuple[int, Formula]]:
        """Rates by place in z: of states, then of the works that are counted beside those of forces."""
        yield from enumerate(self.rates)
        yield from ((len(self.rates) + ACCOUNTS[account], watts) for account, watts in self.powers.items())

    def fields(self, tape: Tape, order: list[int], vectors: Vectors, turns: dict[str, int]) -> dict[int, Any]:
        """All tapes, after vectors, rows and z have their final numbers."""
        rows: list[Any] = []
        row_leaves: list[Any] = []
        for formula, row, level, places in self.tables.formulas:
            first, last, nodes = tape.add(formula)
            start = len(row_leaves)
            row_leaves += [(nodes[key], *places[key]) for key in places]
            rows.append((first, last, row, level, start, len(row_leaves)))
        efforts: list[Any] = []
        effort_leaves: list[Any] = []
        for along, signal, account in self.loads.efforts:
            first, last, nodes = tape.add(along)
            start = len(effort_leaves)
            for key in _positions(along):
                v = order[key[1]]
                body = vectors.moving(v)
                if vectors.is_point(v) or body >= 0:  # axes of the ground bear their couples themselves
                    effort_leaves.append((nodes[key], v, key[2], -1 if vectors.is_point(v) else body))
            efforts.append((first, last, signal, account, start, len(effort_leaves)))

        def ranges(formulas: Any) -> list[tuple[int, int]]:
            return [tape.add(formula)[:2] for formula in formulas]

        def numbered(pairs: Any) -> list[tuple[int, int, int]]:
            return [(*tape.add(formula)[:2], number) for number, formula in pairs]

        found = {
            f.SIGNALS: _ints(numbered(self.signals.of_time), 3),
            f.VALUE_TAPES: _ints(numbered(self.signals.of_state), 3),
            f.POLYNOMIALS: polynomial_rows(self.signals.polynomials),
            f.STATE_TAPES: _ints(numbered(self._growing()), 3),
            f.POTENTIALS: _ints(ranges(self.potentials), 2),
            f.REPORTS: _ints(ranges(self.reports.values()), 2),
            f.WINDINGS: _ints(numbered((turns[name], angle) for name, angle in self.measures.wound.items()), 3),
            f.EVENTS: _ints(numbered((direction, formula) for formula, direction in self.events), 3),
            f.ROW_TAPES: _ints(rows, 6),
            f.ROW_LEAVES: _ints(row_leaves, 3),
            f.EFFORTS: _ints(efforts, 6),
            f.EFFORT_LEAVES: _ints(effort_leaves, 4),
            f.QUANTITY: np.zeros((len(efforts), 2)),
            f.REPORTED: np.zeros((len(self.reports), 1)),
            f.PARAMETERS: _reals(list(self.measures.parameters.values()), 1),
        }
        return {
            **found,
            f.TAPE: _ints(tape.nodes, 4),
            f.CONSTANTS: _reals(tape.constants, 1),
            f.NODES: np.zeros((len(tape.nodes), 6)),
            f.ARGUMENTS: _ints(tape.arguments, 1),
            f.FUNCTIONS: _ints(tape.functions, 3),
            f.TABLES: _ints(tape.tables, 3),
            f.TABLE: _reals(tape.table_values, 1),
            f.CALL_IN: np.zeros((tape.most_arguments, 1)),
            f.RESULTS: np.zeros((tape.results, 1)),
        }


def _positions(formula: Formula) -> list[Any]:
    return [key for key in formula.quantities() if key[0] == "position"]


def _ints(rows: Any, columns: int) -> np.ndarray:
    return np.array(list(rows), dtype=np.int64).reshape(-1, columns)


def _reals(rows: Any, columns: int) -> np.ndarray:
    return np.array(rows, dtype=np.float64).reshape(-1, columns)
