"""Matrices of natural coordinates whose linear joints are eliminated: what is left of them in independent ones.

    J_L v' = gamma_L   =>   v' = T z'' + p      =>   T^T M T z'' = T^T (Q + bias - M p - J_N^T lam_N)

Independent coordinates are some of those there are. Origins of bodies are given up before axes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..engine.pose_matrices import MotionMatrices
from ..model.flat import FlatModel

Array = npt.NDArray[np.float64]

VANISHES = 1e-9  # of the largest entry: nothing is left of a row but rounding


class Elimination(NamedTuple):
    """Of the linear rows of a model: places of what stays, T, and p of the rows' right sides."""

    columns: tuple[int, ...]
    rows: tuple[int, ...]
    T: Array
    particular: Array  # p = particular @ gamma_L
    linear: tuple[int, ...]  # places of the rows that were eliminated

    def reduced(self, found: MotionMatrices) -> MotionMatrices:
        """The equations of motion in independent coordinates."""
        T, rows, linear = self.T, list(self.rows), list(self.linear)
        J = found.J[rows]
        p, drift = self.particular @ found.gamma[linear], -self.particular @ found.partial[linear]
        return MotionMatrices(
            M=T.T @ found.M @ T,
            J=J @ T,
            gamma=found.gamma[rows] - J @ p,
            Q=T.T @ found.Q,
            bias=self.bias(found, found.bias),
            C=found.C[rows],
            partial=found.partial[rows] + J @ drift,
        )

    def bias(self, found: MotionMatrices, whole: Array) -> Array:
        """Inertia terms, from those of all coordinates."""
        return self.T.T @ (whole - found.M @ (self.particular @ found.gamma[list(self.linear)]))


def elimination(model: FlatModel, J: Array) -> Elimination:
    """From the linear rows of J, by Gauss and Jordan."""
    block = model.set.block
    linear = [k for k, row in enumerate(model.rows) if model.linear_blocks[row.row // block]]
    A = np.hstack([J[linear], np.eye(len(linear))])
    lengths = np.array(model.set.lengths_of(model))
    pivots: list[int] = []
    smallest = VANISHES * np.max(np.abs(J[linear]), initial=0.0)
    for column in np.argsort(~lengths, kind="stable"):
        done = len(pivots)
        if done == len(linear):
            break
        best = done + int(np.argmax(np.abs(A[done:, column])))
        if abs(A[best, column]) <= smallest:
            continue
        A[[done, best]] = A[[best, done]]
        A[done] /= A[done, column]
        others = np.arange(len(A)) != done
        A[others] -= np.outer(A[others, column], A[done])
        pivots.append(int(column))
    columns = tuple(k for k in range(model.nv) if k not in pivots)
    T, particular = np.zeros((model.nv, len(columns))), np.zeros((model.nv, len(linear)))
    T[list(columns)] = np.eye(len(columns))
    T[pivots] = -A[: len(pivots), list(columns)]
    particular[pivots] = A[: len(pivots), model.nv :]
    rows = tuple(k for k in range(len(model.rows)) if k not in linear)
    return Elimination(columns, rows, T, particular, tuple(linear))
