"""Rows that several kinds of joints share: scalar products that vanish, each with the words for what it holds.

`MN` stands for N - M, from the first port to the second.
"""

from __future__ import annotations

from typing import Any

from ...equations.vectors import Vector, dot, e_x, e_y, e_z, symbol, x_i, x_j, y_i, y_j, z_i, z_j
from .joint_kind import JointRows, Signed

MN = symbol("MN")
DIRECTION, ALIGNED = ("z_i", "z_j"), ("x_i", "x_j")


def rows(listed: list[tuple[Any, str]], *signs: Signed) -> JointRows:
    """Equations with their words, in the order of the list."""
    return JointRows(tuple(row for row, _ in listed), tuple(words for _, words in listed), signs)


def _point(axes: tuple[Vector, ...]) -> list[tuple[Any, str]]:
    return [(dot(MN, e), f"translation along fixed {name}") for e, name in zip(axes, "xyz", strict=False)]


PIN_IN_PLANE = _point((e_x, e_y))
PIN = _point((e_x, e_y, e_z))
TILT = [(dot(z_i, x_j), "rotation about y_j"), (dot(z_i, y_j), "rotation about x_j")]
LINE = [(dot(MN, x_i), "translation along x_i"), (dot(MN, y_i), "translation along y_i")]
ACROSS = (dot(MN, y_i), "translation along y_i")
HEIGHT = (dot(MN, z_i), "translation along z_i")
TURN_IN_PLANE = (dot(x_i, y_j), "rotation")
TURN = (dot(x_i, y_j), "rotation about z_i")
SQUARE = (dot(z_i, z_j), "rotation about z_i x z_j")
# The words of TILT, where a joint that holds less does without it.
TILTS = tuple(words for _, words in TILT)
