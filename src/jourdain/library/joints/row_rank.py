"""Whether equations of a joint depend on each other wherever its ports are: then they say one thing twice, or two that
cannot both hold.

The gradient of all equations by shifts and turns of both ports is taken at a few random places; equations that are
independent anywhere are so almost everywhere.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ...equations.vectors import Scalar
from ...mechanism.names import counted
from .joint_kind import JointRows

Array = npt.NDArray[np.float64]

PLACES = 3
STEP = 1e-5  # of differences, m and rad
RANK = 1e-6  # of the largest singular value; differences are right to some 1e-10
TRIES, ROUNDS = 12, 40  # starts and steps of the search for a place where all hold
HOLD = 1e-7


def dependent(rows: JointRows, dim: int) -> str:
    """Why these equations cannot be those of a joint, in words; empty if they can."""
    if rows.formulas or not rows.equations:
        return ""
    return _dependent(tuple(_Row.of(one) for one in rows.equations), dim)


class _Row(tuple[Any, ...]):
    """A scalar equation at t = 0: ((a, b, coefficient), ..), free."""

    @classmethod
    def of(cls, scalar: Scalar) -> _Row:
        parts = tuple((a, b, float(c(0.0, lambda _: 0.0))) for (a, b), c in sorted(scalar.products.items()))
        return cls((parts, float(scalar.free(0.0, lambda _: 0.0))))


@lru_cache(maxsize=256)
def _dependent(rows: tuple[_Row, ...], dim: int) -> str:
    rng = np.random.default_rng(1)
    ranks = []
    for _ in range(PLACES):
        J = _gradient(rows, rng.uniform(-1.0, 1.0, 2 * _size(dim)), dim)
        sizes = np.linalg.norm(J, axis=1)
        s = np.linalg.svd(J / np.where(sizes > 0, sizes, 1.0)[:, None], compute_uv=False)
        ranks.append(int(np.sum(s > RANK * max(s[0], 1e-300))) if np.all(sizes > RANK) else 0)
    if max(ranks) == len(rows):
        return ""
    if len(rows) == 1 and _can_hold(rows, dim, rng):
        return "its equation holds wherever its ports are, so that it says nothing"
    count = f"{counted(len(rows), 'equation')} of rank {max(ranks)} wherever its ports are"
    if _can_hold(rows, dim, rng):
        return f"{count}: some say what others say already"
    return f"{count}, and there is no place where all of them hold: they contradict each other"


def _size(dim: int) -> int:
    return 3 if dim == 2 else 6


def _turn(v: Array, dim: int) -> Array:
    """A rotation by a rotation vector (Rodrigues), or by an angle."""
    if dim == 2:
        c, s = np.cos(v[0]), np.sin(v[0])
        return np.array([[c, -s], [s, c]])
    angle = float(np.linalg.norm(v))
    K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    if angle < 1e-12:
        return np.eye(3) + K
    return np.eye(3) + np.sin(angle) / angle * K + (1 - np.cos(angle)) / angle**2 * (K @ K)


def _values(rows: tuple[_Row, ...], p: Array, dim: int) -> Array:
    """All equations where the ports are shifted and turned by p."""
    n = _size(dim)
    vectors: dict[str, Array] = {f"e_{axis}": row for axis, row in zip("xyz", np.eye(dim), strict=False)}
    for side, point, part in (("i", "OM", p[:n]), ("j", "ON", p[n:])):
        vectors[point] = part[:dim]
        R = _turn(part[dim:], dim)
        vectors |= {f"{axis}_{side}": R[:, k] for k, axis in enumerate("xyz"[:dim])}
    vectors["MN"] = vectors["ON"] - vectors["OM"]
    return np.array([free + sum(c * float(vectors[a] @ vectors[b]) for a, b, c in parts) for parts, free in rows])


def _gradient(rows: tuple[_Row, ...], p: Array, dim: int) -> Array:
    steps = STEP * np.eye(len(p))
    columns = [(_values(rows, p + h, dim) - _values(rows, p - h, dim)) / (2 * STEP) for h in steps]
    return np.array(columns).T


def _can_hold(rows: tuple[_Row, ...], dim: int, rng: np.random.Generator) -> bool:
    """Whether there is a place where all equations vanish, found by Newton's method from random ones."""
    for _ in range(TRIES):
        p = rng.uniform(-1.0, 1.0, 2 * _size(dim))
        for _ in range(ROUNDS):
            C = _values(rows, p, dim)
            if np.max(np.abs(C)) < HOLD:
                return True
            step = np.linalg.lstsq(_gradient(rows, p, dim), -C, rcond=1e-6)[0]
            p = p + step * min(1.0, 1.0 / max(float(np.max(np.abs(step))), 1e-300))
    return False
