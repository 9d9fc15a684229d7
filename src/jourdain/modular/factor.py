"""K of the coupling joints, factored: dense with what has no stiffness cut off, or sparse where there are many.

K = J Y J^T is positive semi-definite. Where it loses rank (redundant joints, change points) the small part counts as
none: K^+ with a cut, and multipliers kept in the range of K. Rows are scaled by the root of their diagonal, so that
metres and radians do not mix.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.linalg import splu

Array = npt.NDArray[np.float64]

REGULAR = 1e-4  # of the scaled K: eigenvalues above are far from none
CUT = 1e-8  # of the largest eigenvalue of the scaled K


class Factor:
    """Solves with K; `rank` and the eigenvectors of its null space are known where it is dense."""

    def __init__(self, K: Any) -> None:
        self._K = K
        diagonal = np.asarray(K.diagonal(), dtype=float)
        largest = float(np.max(diagonal, initial=0.0))
        self._scale = 1.0 / np.sqrt(np.where(diagonal > CUT * CUT * largest, diagonal, largest or 1.0))
        self._lu: Any = None
        if sparse.issparse(K):
            self._begin_sparse(K)
        else:
            self._begin_dense(np.asarray(K))

    @property
    def size(self) -> int:
        return self._scale.size

    @property
    def regular(self) -> bool:
        """Whether it is far from losing rank."""
        return self.rank == self.size and (self._lu is not None or bool(np.min(self._values, initial=1.0) > REGULAR))

    @property
    def weights(self) -> Array:
        """One over the root of the diagonal of K: the size of a multiplier that accelerates its row by one."""
        return self._scale

    def _begin_dense(self, K: Array) -> None:
        scaled = self._scale[:, None] * K * self._scale
        values, vectors = np.linalg.eigh(0.5 * (scaled + scaled.T))
        kept = values > CUT * max(float(np.max(values, initial=0.0)), 1e-300)
        self.rank = int(np.sum(kept))
        self._range, self._values = vectors[:, kept], values[kept]
        self.null = self._scale[:, None] * vectors[:, ~kept]

    def _begin_sparse(self, K: Any) -> None:
        D = sparse.diags(self._scale)
        scaled = (D @ K @ D).tocsc()
        try:
            lu = splu(scaled, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        except RuntimeError:
            return self._begin_dense(K.toarray())
        pivots = np.abs(lu.U.diagonal())
        if np.min(pivots) < CUT * np.max(pivots):
            return self._begin_dense(K.toarray())
        self._lu, self.rank, self.null = lu, self.size, np.zeros((self.size, 0))

    def solve(self, rows: Array) -> Array:
        """K^+ rows."""
        scaled = self._scale * rows
        if self._lu is not None:
            return np.asarray(self._scale * self._lu.solve(scaled))
        return np.asarray(self._scale * (self._range @ ((self._range.T @ scaled) / self._values)))

    def within(self, lam: Array) -> Array:
        """The part of multipliers that does something."""
        if self._lu is not None or self.rank == self.size:
            return lam
        scaled = lam / self._scale
        return np.asarray(self._scale * (self._range @ (self._range.T @ scaled)))

    def mixed(self, rates: Array, gaps: Array, velocity: npt.NDArray[np.bool_]) -> Array:
        """a and b of a correction where some rows hold velocities alone: their b stays as it was.

        K (a + b/2) = rates for all rows, K (a/2 + b/6) = gaps for those that hold positions.
        """
        K = self._K.toarray() if sparse.issparse(self._K) else np.asarray(self._K)
        held = np.flatnonzero(~velocity)
        scale = self._scale
        K = scale[:, None] * K * scale
        A = np.block([[K, 0.5 * K[:, held]], [0.5 * K[held], K[np.ix_(held, held)] / 6.0]])
        found = np.linalg.lstsq(A, np.concatenate([scale * rates, (scale * gaps)[held]]), rcond=CUT)[0]
        n = len(rates)
        b = np.zeros(n)
        b[held] = found[n:]
        return np.concatenate([scale * found[:n], scale * b])
