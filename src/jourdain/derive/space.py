"""Vectors and rotation matrices whose components are formulas. The plane is the space whose zeros fold away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..equations.formula import Formula, apply, number
from .symbolic_rates import ONE, ZERO, minus, negative, plus, times

Vec = tuple[Formula, ...]
Mat = tuple[Vec, ...]  # rows

NOTHING: Vec = (ZERO, ZERO, ZERO)
UNITS: Mat = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def numbers(values: Any) -> Vec:
    """Three components from two or three numbers."""
    found = [number(float(v)) for v in values]
    return tuple(found + [ZERO] * (3 - len(found)))


def add(*vectors: Vec) -> Vec:
    return tuple(plus(*parts) for parts in zip(*vectors, strict=True))


def subtract(a: Vec, b: Vec) -> Vec:
    return tuple(map(minus, a, b))


def opposite(a: Vec) -> Vec:
    return tuple(map(negative, a))


def scale(factor: Formula, a: Vec) -> Vec:
    return tuple(times(factor, part) for part in a)


def dot(a: Sequence[Formula], b: Sequence[Formula]) -> Formula:
    return plus(*(times(x, y) for x, y in zip(a, b, strict=True)))


def cross(a: Vec, b: Vec) -> Vec:
    return tuple(minus(times(a[(k + 1) % 3], b[(k + 2) % 3]), times(a[(k + 2) % 3], b[(k + 1) % 3])) for k in range(3))


def apply_matrix(A: Mat, x: Vec) -> Vec:
    return tuple(dot(row, x) for row in A)


def column(A: Mat, k: int) -> Vec:
    return tuple(row[k] for row in A)


def transposed(A: Mat) -> Mat:
    return tuple(column(A, k) for k in range(len(A[0])))


def multiply(A: Mat, B: Mat) -> Mat:
    columns = [apply_matrix(A, column(B, k)) for k in range(3)]
    return transposed(tuple(columns))


def rotation(axis: int, angle: Formula) -> Mat:
    """About a fixed axis, 0 to 2."""
    c, s = apply("cos", angle), apply("sin", angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    rows = [list(row) for row in UNITS]
    rows[j][j], rows[j][k], rows[k][j], rows[k][k] = c, negative(s), s, c
    return tuple(map(tuple, rows))


def rotation_of_parameters(p: Vec) -> Mat:
    """Of four Euler parameters, which need not have length one: R is quadratic in them."""
    p0, p1, p2, p3 = p
    two = number(2.0)

    def square(*signs: float) -> Formula:
        return plus(*(times(number(sign), x * x) for sign, x in zip(signs, p, strict=True)))

    def twice(a: Formula, b: Formula) -> Formula:
        return times(two, plus(a, b))

    return (
        (square(1, 1, -1, -1), twice(p1 * p2, negative(p0 * p3)), twice(p1 * p3, p0 * p2)),
        (twice(p1 * p2, p0 * p3), square(1, -1, 1, -1), twice(p2 * p3, negative(p0 * p1))),
        (twice(p1 * p3, negative(p0 * p2)), twice(p2 * p3, p0 * p1), square(1, -1, -1, 1)),
    )


def matrix_of(values: Any) -> Mat:
    """Numbers; of a 2 x 2 matrix the turn about z."""
    rows = [[float(v) for v in row] for row in values]
    if len(rows) == 2:
        rows = [[*rows[0], 0.0], [*rows[1], 0.0], [0.0, 0.0, 1.0]]
    return tuple(tuple(number(v) for v in row) for row in rows)
