"""Polynomials of a time of their own, all their numbers parameters: what acts on the ports of a subsystem.

They are c0 + s (c1 + s (c2 ...)) with s = (t - t0) rate. Kernels have them as they are, without a tape: a box evaluates
several of them whenever it is asked for accelerations, and nothing else may be in the way of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..equations.formula import Formula

HEAD = 4  # columns before the coefficients


class Polynomial(NamedTuple):
    """Places among the parameters."""

    start: int
    rate: int
    coefficients: tuple[int, ...]  # from the constant on


def polynomial_of_time(formula: Formula) -> Polynomial | None:
    """The polynomial that a resolved formula is, if it is one of degree one or more."""
    clock: tuple[int, int] | None = None
    found: list[int] = []
    while formula.op == "add":
        constant, rest = formula.args
        place = _place(constant)
        if place is None or rest.op != "mul":
            return None
        own = _clock(rest.args[0])
        if own is None or (clock is not None and own != clock):
            return None
        clock, formula = own, rest.args[1]
        found.append(place)
    last = _place(formula)
    if clock is None or last is None:
        return None
    return Polynomial(*clock, (*found, last))


def polynomial_rows(polynomials: list[tuple[int, Polynomial]]) -> npt.NDArray[np.int64]:
    """POLYNOMIALS, all rows as long as the longest."""
    longest = max((len(one.coefficients) for _, one in polynomials), default=0)
    found = np.zeros((len(polynomials), HEAD + longest), dtype=np.int64)
    for row, (signal, one) in zip(found, polynomials, strict=True):
        row[:HEAD] = signal, one.start, one.rate, len(one.coefficients)
        row[HEAD : HEAD + len(one.coefficients)] = one.coefficients
    return found


def _place(formula: Formula) -> int | None:
    return formula.key[1] if formula.op == "leaf" and formula.key[0] == "parameter" else None


def _clock(formula: Formula) -> tuple[int, int] | None:
    """t0 and rate of (t - t0) rate."""
    if formula.op != "mul" or formula.args[0].op != "sub" or formula.args[0].args[0].op != "t":
        return None
    start, rate = _place(formula.args[0].args[1]), _place(formula.args[1])
    return None if start is None or rate is None else (start, rate)
