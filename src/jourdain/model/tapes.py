"""Formulas to tapes: the nodes, constants, tables and functions that `kernels/core/tape.py` runs.

Leaves must be resolved to quantities of the kernel first (`model/measures.py`), with keys

    ("position" | "velocity" | "acceleration", vector, component)    ("spin", body, component)
    ("state", place in z)   ("parameter", place)   ("reaction", side, component)   ("multiplier", row)   ("energy", k)
    ("along" | "rate", effort)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..equations.formula import LONGEST_TAPE, Formula, FormulaError
from ..kernels.layout import tape_operations as operations
from .called_functions import c_function

_LEAVES = {
    "position": "POSITION",
    "velocity": "VELOCITY",
    "acceleration": "POINT_ACCELERATION_OF",
    "spin": "SPIN",
    "state": "STATE",
    "parameter": "PARAMETER",
    "reaction": "REACTION",
    "multiplier": "MULTIPLIER",
    "energy": "ENERGY_OF",
    "along": "ALONG",
    "rate": "RATE",
}


class Tape:
    """TAPE, CONSTANTS, ARGUMENTS, FUNCTIONS, TABLES and TABLE under construction (columns: layout/fields.py)."""

    def __init__(self, dim: int, width: int, order: Callable[[int], int], turns: Callable[[str], int]) -> None:
        """`order` gives the final number of a vector, `turns` the place in z of a turn; `width` numbers a wrench."""
        self._dim = dim
        self._width = width
        self._order = order
        self._turns = turns
        self.nodes: list[tuple[int, int, int, int]] = []
        self.constants: list[float] = []
        self.arguments: list[int] = []
        self.functions: list[tuple[int, int, int]] = []
        self.tables: list[tuple[int, int, int]] = []
        self.table_values: list[float] = []
        self.curves: list[Any] = []  # of the tables
        self.results = 0
        self.most_arguments = 1
        self.keepalive: list[Any] = []
        self._table_of: dict[int, int] = {}

    def add(self, formula: Formula) -> tuple[int, int, dict[Any, int]]:
        """First and past-last node of a formula's part of the tape, and the node of each of its leaves."""
        formula = formula.bare()
        first = len(self.nodes)
        place: dict[int, int] = {}
        known: dict[Any, int] = {}
        leaves: dict[Any, int] = {}
        for node in formula.nodes():
            arguments = tuple(map(place.__getitem__, map(id, node.args)))
            if node.op == "call":
                place[id(node)] = self._call(node, arguments, known)
                continue
            identity = (node.op, arguments, node.value, id(node.key) if node.op == "table" else node.key)
            if identity not in known:
                known[identity] = self._node(node, arguments)
            place[id(node)] = known[identity]
            if node.op == "leaf":
                leaves[node.key] = place[id(node)]
        if len(self.nodes) - first > LONGEST_TAPE:
            raise FormulaError(f"the formula takes {len(self.nodes) - first} steps (at most {LONGEST_TAPE}); split it")
        return first, len(self.nodes), leaves

    def _emit(self, name: str, a: int = 0, b: int = 0, c: int = 0, constant: float = 0.0) -> int:
        self.nodes.append((getattr(operations, name), a, b, c))
        self.constants.append(constant)
        return len(self.nodes) - 1

    def _node(self, node: Formula, arguments: tuple[int, ...]) -> int:
        if node.op == "const":
            return self._emit("CONST", constant=node.value)
        if node.op == "leaf":
            kind = node.key[0]
            return self._emit(_LEAVES[kind], self._place_of(kind, *node.key[1:]))
        if node.op == "wind":
            return self._emit("WIND", arguments[0], self._turns(node.key))
        if node.op == "table":
            return self._emit("TABLE_OF", arguments[0], self._table(node.key))
        return self._emit(node.op.upper(), *arguments)

    def _place_of(self, kind: str, *rest: int) -> int:
        if kind in ("position", "velocity"):
            return self._order(rest[0]) * 4 * self._dim + rest[1]
        if kind == "acceleration":
            return self._order(rest[0]) * self._dim + rest[1]
        if kind == "spin":
            return rest[0] * (1 if self._dim == 2 else 3) + rest[1]
        if kind == "reaction":
            return rest[0] * self._width + rest[1]
        return rest[0]

    def _table(self, table: Any) -> int:
        if id(table) not in self._table_of:
            self._table_of[id(table)] = len(self.tables)
            self.curves.append(table)
            terms = len(table.coefficients[0])
            self.tables.append((len(self.table_values), len(table.coefficients), terms))
            self.table_values += [*table.breaks, *(c for piece in table.coefficients for c in piece)]
        return self._table_of[id(table)]

    def _call(self, node: Formula, arguments: tuple[int, ...], known: dict[Any, int]) -> int:
        """One call of the function, however many of its results are used."""
        call = ("call", id(node.key), arguments)
        if call not in known:
            number, start = len(self.functions), len(self.arguments)
            function = c_function(node.key, number, len(arguments))
            self.keepalive += [function, node.key]
            self.functions.append((function.address, len(arguments), self.results))
            self.arguments += arguments
            self.most_arguments = max(self.most_arguments, 3 * len(arguments))
            kind = "SMOOTH_CALL" if node.key.smooth else "CALL"
            known[call] = self._emit(kind, start, len(arguments), number)
            known[(*call, "results")] = self.results
            self.results += 3 + len(arguments) if node.key.smooth else node.key.outputs
        if node.key.smooth:
            return known[call]
        return self._emit("PICK", known[(*call, "results")] + int(node.value))
