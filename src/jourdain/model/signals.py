"""Numbers that change while running, each with a place in SIGNAL: functions of time, and what forces are made of.

Signal 0 is the constant 1. Functions of time are evaluated with two derivatives before the rows; everything that
depends on the state of the mechanism, or calls a user's function, when forces are. So are polynomials of time whose
coefficients are parameters, which need no tape.
"""

from __future__ import annotations

from ..equations.formula import Formula
from .polynomials import Polynomial, polynomial_of_time


class Signals:
    """Collects signals while a mechanism is compiled."""

    def __init__(self) -> None:
        self.values: list[tuple[float, float, float]] = [(1.0, 0.0, 0.0)]
        self.of_time: list[tuple[int, Formula]] = []
        self.of_state: list[tuple[int, Formula]] = []
        self.polynomials: list[tuple[int, Polynomial]] = []

    def add(self, source: Formula) -> int:
        """The number of a signal made from a resolved formula."""
        index = len(self.values)
        self.values.append((source.value if source.constant else 0.0, 0.0, 0.0))
        if found := polynomial_of_time(source):
            self.polynomials.append((index, found))
        elif not source.constant:
            plain = all(node.op not in ("leaf", "wind", "call") for node in source.nodes())
            (self.of_time if plain else self.of_state).append((index, source))
        return index
