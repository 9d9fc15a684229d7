"""The four building blocks of Pappalardo and Guida 2018 (sec. 3) by their names, for custom joints.

    generalized          a linear combination of world components of points and axes equals a number
    position             r_i - r_j = p
    orthogonality_first  v1_i . v2_j = a
    orthogonality_second v1_i . (r_i - r_j) = b

r_i is the first port's point M, r_j the second's N; v are port axes.
"""

from __future__ import annotations

from collections.abc import Sequence

from .vectors import M, N, Scalar, Vector, dot, e_x, e_y, e_z


def generalized(terms: Sequence[tuple[float, Vector, Vector]], value: float = 0.0) -> Scalar:
    """sum c (vector . fixed axis) = value, from (c, vector, fixed axis) triples such as (1.0, N, e_y)."""
    total = Scalar({})
    for c, vector, axis in terms:
        total = total + dot(vector, axis) * c
    return total - value


def position(p: Sequence[float] = (0.0, 0.0)) -> list[Scalar]:
    """r_i - r_j = p, one equation for each fixed axis (two or three, as p has components)."""
    return [dot(M - N, axis) - float(x) for x, axis in zip(p, (e_x, e_y, e_z), strict=False)]


def orthogonality_first(v1: Vector, v2: Vector, value: float = 0.0) -> Scalar:
    """v1_i . v2_j = value: an axis of one port against an axis of the other."""
    return dot(v1, v2) - value


def orthogonality_second(v1: Vector, value: float = 0.0) -> Scalar:
    """v1_i . (r_i - r_j) = value: an axis of the first port against the line between the points."""
    return dot(v1, M - N) - value
