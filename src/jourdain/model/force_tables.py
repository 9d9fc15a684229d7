"""Springs, forces and torques as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..equations.formula import Formula
from .row_tables import Vectors


@dataclass
class Loads:
    """SPRINGS, SPRING, LOADS and TORQUES under construction (columns: kernels/core/context.py)."""

    springs: list[tuple[int, int]] = field(default_factory=list)
    spring_constants: list[tuple[float, float, float]] = field(default_factory=list)
    loads: list[tuple[int, ...]] = field(default_factory=list)
    torques: list[tuple[int, ...]] = field(default_factory=list)
    # Quantity, signal of the magnitude, account.
    efforts: list[tuple[Formula, int, int]] = field(default_factory=list)
    points: set[int] = field(default_factory=set)  # vectors that efforts act on

    def renumber(self, order: Sequence[int]) -> None:
        self.springs = [(order[a], order[b]) for a, b in self.springs]
        self.loads = [(order[p], *rest) for p, *rest in self.loads]
        self.points = {order[p] for p in self.points}

    def loaded(self, vectors: Vectors) -> list[tuple[int, int]]:
        """Every vector a force acts on, with its moving body or -1."""
        used = {v for pair in self.springs for v in pair} | {load[0] for load in self.loads} | self.points
        return [(v, vectors.moving(v)) for v in sorted(used)]
