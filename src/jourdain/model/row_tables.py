"""Vectors of bodies and the tables of constraint rows built on them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..equations.formula import Formula
from ..equations.lowered import Equation
from ..equations.vectors import FIXED_AXES, Scalar
from ..mechanism.fault import Fault
from ..mechanism.parts import GROUND, Blueprint
from .signals import Signals

# Body number, whether a point, components in body axes from the mass centre.
_Key = tuple[int, bool, tuple[float, ...]]


def is_pin(equations: Sequence[Scalar], dim: int) -> bool:
    """Whether the equations are just MN.e_k = 0 for every k, whoever wrote them."""
    if len(equations) < dim:
        return False
    for equation, axis in zip(equations, FIXED_AXES, strict=False):
        if not (equation.free.constant and equation.free.value == 0 and set(equation.products) == {("MN", axis)}):
            return False
        c = equation.products["MN", axis]
        if not (c.constant and c.value == 1.0):
            return False
    return True


class Vectors:
    """Points (from the mass centre) and axes of all bodies, each kept once. The ground's come last."""

    def __init__(self, blueprint: Blueprint, from_origin: bool) -> None:
        """Points are measured from the mass centre, or from the origin where the coordinates ask for that."""
        self._blueprint = blueprint
        self._from_origin = from_origin
        self._bodies = {body.name: k for k, body in enumerate(blueprint.bodies)}
        self._bodies[GROUND] = len(blueprint.bodies)
        self._known: dict[_Key, int] = {}
        self._keys: list[_Key] = []

    def __len__(self) -> int:
        return len(self._known)

    def body_index(self, body: str) -> int:
        return self._bodies[body]

    def moving(self, vector: int) -> int:
        """The moving body of a vector (numbers before `sort`), or -1 for the ground."""
        body = self._keys[vector][0]
        return body if body < len(self._blueprint.bodies) else -1

    def body_of(self, vector: int) -> int:
        """The body of a vector (numbers before `sort`); the ground's is the last."""
        return self._keys[vector][0]

    def key(self, vector: int) -> tuple[int, bool, tuple[float, ...]]:
        """Its body, whether it is a point, and its components (numbers before `sort`)."""
        return self._keys[vector]

    def is_point(self, vector: int) -> bool:
        return self._keys[vector][1]

    def point(self, body: str, at: Any) -> int:
        k = self._bodies[body]
        at = np.array(at, dtype=float)
        if body != GROUND and not self._from_origin:
            at = at - np.array(self._blueprint.bodies[k].centre)
        return self._add(k, True, at)

    def axis(self, body: str, direction: Any) -> int:
        return self._add(self._bodies[body], False, np.array(direction, dtype=float))

    def fixed_axis(self, k: int) -> int:
        return self.axis(GROUND, np.eye(self._blueprint.dim)[k])

    def _add(self, body: int, is_point: bool, local: Any) -> int:
        key = (body, is_point, tuple((np.asarray(local, dtype=np.float64) + 0.0).tolist()))
        if key not in self._known:
            self._known[key] = len(self._keys)
            self._keys.append(key)
        return self._known[key]

    def sort(self) -> list[int]:
        """Group by body; returns the new number of each old one."""
        old = self._keys
        ranked = sorted(range(len(old)), key=lambda k: (old[k][0], k))
        self._keys = [old[k] for k in ranked]
        self._known = {key: k for k, key in enumerate(self._keys)}
        renumbered = [0] * len(old)
        for new, k in enumerate(ranked):
            renumbered[k] = new
        return renumbered

    def ranges(self) -> list[tuple[int, int]]:
        bodies = [key[0] for key in self._keys]
        edges = np.searchsorted(bodies, range(len(self._blueprint.bodies) + 1))
        return list(pairwise(edges))

    def described(self) -> list[tuple[int, np.ndarray, float]]:
        """(moving body or -1, components, 1 for points) of every vector."""
        return [(self.moving(k), np.array(key[2]), float(key[1])) for k, key in enumerate(self._keys)]

    def local(self) -> list[tuple[float, ...]]:
        return [(*key[2], float(key[1])) for key in self._keys]

    def initial(self) -> np.ndarray:
        """VEC at the start: the ground's vectors never change after this."""
        dim = self._blueprint.dim
        vec = np.zeros((len(self), 4 * dim))
        for k, (body, _, local) in enumerate(self._keys):
            if body == len(self._blueprint.bodies):
                vec[k, :dim] = vec[k, dim : 2 * dim] = local
        return vec


class RowTables:
    """PINS, ROWS, TERMS, ENTRIES and SLOTS under construction (columns: kernels/layout/fields.py)."""

    def __init__(self, blueprint: Blueprint, vectors: Vectors, signals: Signals, block: int) -> None:
        self._blueprint = blueprint
        self._vectors = vectors
        self._signals = signals
        self._block = block
        self.pins: list[list[int]] = []
        self.rows: list[tuple[int, int, int, int]] = []
        self.terms: list[list[int]] = []
        self.coefficients: list[float] = []
        self.entries: list[list[int]] = []
        self.slots: list[tuple[int, int]] = []
        self.infos: list[Any] = []
        # Rows that are formulas: formula, row, level, and for each of its leaves the gradient entry and component.
        self.formulas: list[tuple[Formula, int, int, dict[Any, tuple[int, int]]]] = []
        self.faults: list[Fault] = []
        self.blocks = 0
        self.pin_entries = self.pin_slots = 0
        self._used: set[int] = set()
        self._gradients: list[tuple[int, float]] = []

    def body_index(self, body: str) -> int:
        return self._vectors.body_index(body)

    def _joint_points(self, index: int) -> tuple[int, int]:
        joint = self._blueprint.joints[index]
        M, N = (self._vectors.point(p.body, self._blueprint.port(p).at) for p in (joint.first, joint.second))
        return M, N

    def _open_block(self, index: int) -> dict[int, int]:
        """A new block of rows; returns the slot of each moving body of the joint."""
        joint = self._blueprint.joints[index]
        slots = {}
        for port in (joint.first, joint.second):
            body = self._vectors.body_index(port.body)
            if body < len(self._blueprint.bodies):
                slots[body] = len(self.slots)
                self.slots.append((self.blocks, body))
        self.blocks += 1
        return slots

    def add_intrinsic(self, body: int, meanings: Sequence[str]) -> None:
        """Rows that keep the coordinates of one body those of a rigid body; the kernels fill them."""
        name = self._blueprint.bodies[body].name
        for start in range(0, len(meanings), self._block):
            self.slots.append((self.blocks, body))
            for k, meaning in enumerate(meanings[start : start + self._block]):
                row = self.blocks * self._block + k
                self._used.add(row)
                self.infos.append(((-1, len(self.infos)), name, meaning, row, False, True))
            self.blocks += 1

    def add_pin(self, index: int, meanings: Sequence[str]) -> None:
        joint = self._blueprint.joints[index]
        M, N = self._joint_points(index)
        row = self.blocks * self._block
        slots = self._open_block(index)
        i, j = (slots.get(self._vectors.body_index(p.body), -1) for p in (joint.first, joint.second))
        self.pins.append([M, N, row, i, j])
        for k, meaning in enumerate(meanings):
            self._used.add(row + k)
            self.infos.append(((index, k), joint.name, meaning, row + k, False))
            self.entries += [[i, k, M, row + k, 2 * index], [j, k, N, row + k, 2 * index + 1]]
            self._gradients += [(k, -1.0), (k, 1.0)]

    def end_pins(self) -> None:
        self.pin_entries, self.pin_slots = len(self.entries), len(self.slots)

    def add_block(self, index: int, rows: Sequence[tuple[int, Scalar, str, bool]], axes: dict[str, Any]) -> None:
        """Rows of one joint, at most a block full, from their equations."""
        joint = self._blueprint.joints[index]
        first_row = self.blocks * self._block
        slots = self._open_block(index)
        for k, (number, equation, meaning, dropped) in enumerate(rows):
            row = first_row + k
            entry_of: dict[int, int] = {}
            start = len(self.terms)
            for (a, b), c in equation.products.items():
                operands = [self._operand(index, a, axes), self._operand(index, b, axes)]
                vectors = [v for pair in operands for v in pair]
                places = [self._entry(index, v, row, k, slots, dropped, entry_of) for v in vectors]
                signal = 0 if c.constant else self._signals.add(c)
                self.terms.append([v for v, _ in vectors] + [signal] + places)
                self.coefficients.append(c.value if c.constant else 1.0)
            f = self._signals.add(equation.free)
            self.rows.append((row, start, len(self.terms), f))
            self.infos.append(((index, number), joint.name, meaning, row, dropped))
            if not dropped:
                self._used.add(row)
            if all(self._vectors.moving(v) < 0 for v in entry_of):
                words = f"joint '{joint.name}': {meaning} holds no vector of a moving body"
                self.faults.append(Fault(joint.name, "equations", words))

    def add_formulas(
        self,
        index: int,
        owner: str,
        rows: Sequence[tuple[int, Equation, Formula, bool]],
        sides: dict[int, int],
    ) -> None:
        """Rows from resolved formulas, a block at a time; `sides` gives the reaction side of each body's vectors."""
        for start in range(0, len(rows), self._block):
            chunk = rows[start : start + self._block]
            leaves = [self._leaves(formula, equation.velocity) for _, equation, formula, _ in chunk]
            bodies = sorted({self._vectors.moving(v) for row in leaves for _, v, _ in row} - {-1})
            slots = {body: len(self.slots) + k for k, body in enumerate(bodies)}
            self.slots += [(self.blocks, body) for body in bodies]
            for k, ((number, equation, formula, dropped), row_leaves) in enumerate(zip(chunk, leaves, strict=True)):
                row = self.blocks * self._block + k
                places: dict[Any, tuple[int, int]] = {}
                entry_of: dict[int, int] = {}
                for key, vector, component in row_leaves:
                    if vector not in entry_of:
                        body = self._vectors.moving(vector)
                        entry_of[vector] = len(self.entries)
                        slot = -1 if dropped else slots.get(body, -1)
                        self.entries.append([slot, k, vector, row, sides.get(self._vectors.body_of(vector), -1)])
                    places[key] = entry_of[vector], component
                level = 1 if equation.velocity else 2 if equation.floating else 0
                self.formulas.append((formula, row, level, places))
                self.infos.append(((index, number), owner, equation.meaning, row, dropped, False, equation.velocity))
                if not dropped:
                    self._used.add(row)
                if not slots:
                    self.faults.append(Fault(owner, "", f"'{owner}': {equation.meaning} holds nothing that moves"))
            self.blocks += 1

    @staticmethod
    def _leaves(formula: Formula, velocity: bool) -> list[tuple[Any, int, int]]:
        """(key, vector, component) of the leaves by which the row's gradient is taken."""
        kind = "velocity" if velocity else "position"
        return [(key, key[1], key[2]) for key in formula.quantities() if key[0] == kind]

    def _operand(self, index: int, name: str, axes: dict[str, Any]) -> tuple[tuple[int, int], tuple[int, int]]:
        """(vector, side) of the plus and minus parts of an operand; vector -1 where there is none, side -1 if fixed."""
        none = (-1, -1)
        if name in ("OM", "ON", "MN"):
            M, N = self._joint_points(index)
            return {"OM": ((M, 0), none), "ON": ((N, 1), none), "MN": ((N, 1), (M, 0))}[name]
        if name in FIXED_AXES:
            return (self._vectors.fixed_axis(FIXED_AXES.index(name)), -1), none
        joint = self._blueprint.joints[index]
        side = 0 if name.endswith("_i") else 1
        body = (joint.first if side == 0 else joint.second).body
        return (self._vectors.axis(body, axes[name]), side), none

    def _entry(
        self,
        index: int,
        operand: tuple[int, int],
        row: int,
        k: int,
        slots: dict[int, int],
        dropped: bool,
        entry_of: dict[int, int],
    ) -> int:
        """The gradient entry of (row, vector); -1 for fixed axes and absent operands."""
        vector, side = operand
        if vector < 0 or side < 0:
            return -1
        if vector not in entry_of:
            entry_of[vector] = len(self.entries)
            slot = -1 if dropped else slots.get(self._vectors.moving(vector), -1)
            self.entries.append([slot, k, vector, row, 2 * index + side])
        return entry_of[vector]

    def renumber(self, order: Sequence[int]) -> None:
        for pin in self.pins:
            pin[0], pin[1] = order[pin[0]], order[pin[1]]
        for term in self.terms:
            term[:4] = [order[v] if v >= 0 else -1 for v in term[:4]]
        for entry in self.entries:
            entry[2] = order[entry[2]]

    def unit_rows(self) -> list[int]:
        """Rows that only fill a block, or were dropped as redundant."""
        return [r for r in range(self.blocks * self._block) if r not in self._used]

    def block_slots(self) -> list[tuple[int, int]]:
        edges = np.searchsorted([b for b, _ in self.slots], range(self.blocks + 1))
        return list(pairwise(edges))

    def initial_gradient(self, dim: int) -> np.ndarray:
        """Pins have constant gradients: -e_k at M, e_k at N."""
        gradient = np.zeros((len(self.entries), dim))
        for e, (k, sign) in enumerate(self._gradients):
            gradient[e, k] = sign
        return gradient

    def initial_jacobian(self, block: int, nv: int) -> np.ndarray:
        """Translational columns of pins never change."""
        J = np.zeros((len(self.slots), block, nv))
        for pin in self.pins:
            for slot, sign in ((pin[3], -1.0), (pin[4], 1.0)):
                if slot >= 0:
                    J[slot, :block, :block] = sign * np.eye(block)
        return J.reshape(len(self.slots), block * nv)
