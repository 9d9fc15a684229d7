"""K of the coupling joints, factored: by Cholesky, or with what has no stiffness cut off.

K = J Y J^T is positive semi-definite. Where it loses rank (redundant joints, change points) the small part counts as
none: K^+ with a cut, and multipliers kept in the range of K. Rows are scaled by the root of their diagonal, so that
metres and radians do not mix.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.linalg.lapack import dpbtrf, dpbtrs, dpotrf, dpotrs
from scipy.sparse.linalg import splu

from ..engine.port_algebra import Stiffness

Array = npt.NDArray[np.float64]
Solver = Callable[[Array], Array]

REGULAR = 1e-4  # of the scaled K: eigenvalues above are far from none
NEAR = 1e-3  # of the scaled K: squares of Cholesky's pivots above are far from none
CUT = 1e-8  # of the largest eigenvalue of the scaled K


class Factor:
    """Solves with K; where it loses rank, `null` are the multipliers that do nothing."""

    def __init__(self, K: Stiffness) -> None:
        self._K, self.size, self.rank = K, K.pattern.size, K.pattern.size
        diagonal = K.diagonal
        largest = float(np.max(diagonal, initial=0.0))
        self._scale = 1.0 / np.sqrt(np.where(diagonal > CUT * CUT * largest, diagonal, largest or 1.0))
        self.null = np.zeros((self.size, 0))
        self.regular = True  # far from losing rank
        self._solved = self._whole() or self._of_columns() or self._of_band()
        if self._solved is None:
            self._by_eigenvalues()

    @property
    def weights(self) -> Array:
        """One over the root of the diagonal of K: the size of a multiplier that accelerates its row by one."""
        return self._scale

    def solve(self, rows: Array) -> Array:
        """K^+ rows."""
        scaled = self._scale * rows
        if self._solved is not None:
            return np.asarray(self._scale * self._solved(scaled))
        return np.asarray(self._scale * (self._range @ ((self._range.T @ scaled) / self._values)))

    def within(self, lam: Array) -> Array:
        """The part of multipliers that does something."""
        if self.rank == self.size:
            return lam
        scaled = lam / self._scale
        return np.asarray(self._scale * (self._range @ (self._range.T @ scaled)))

    # Three ways, by the pattern, to what solves with K scaled; none where it is near losing rank --------------------

    def _whole(self) -> Solver | None:
        if self._K.pattern.kind != "dense":
            return None
        if not self.size:  # forces alone
            return lambda b: b
        L, info = dpotrf(self._scale[:, None] * self._K.dense() * self._scale, lower=1)
        if info or np.min(np.diagonal(L), initial=1.0) ** 2 < NEAR:
            return None
        return lambda b: dpotrs(L, b, lower=1)[0]

    def _of_band(self) -> Solver | None:
        pattern = self._K.pattern
        if pattern.kind != "band":
            return None
        n, order = pattern.size, pattern.order
        scale = self._scale[order]
        band = self._K.values.reshape(-1, n) * scale
        for distance, row in enumerate(band):
            row[: n - distance] *= scale[distance:]
        L, info = dpbtrf(band, lower=1)
        if info or np.min(L[0]) ** 2 < CUT:
            return None

        def solved(b: Array) -> Array:
            found = np.empty(n)
            found[order] = dpbtrs(L, b[order], lower=1)[0]
            return found

        return solved

    def _of_columns(self) -> Solver | None:
        if self._K.pattern.kind != "columns":
            return None
        D = sparse.diags(self._scale)
        try:
            lu = splu(
                (D @ self._K.by_columns() @ D).tocsc(),
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
        except RuntimeError:
            return None
        pivots = np.abs(lu.U.diagonal())
        return lu.solve if np.min(pivots) >= CUT * np.max(pivots) else None

    def _by_eigenvalues(self) -> None:
        scaled = self._scale[:, None] * self._K.dense() * self._scale
        values, vectors = np.linalg.eigh(0.5 * (scaled + scaled.T))
        kept = values > CUT * max(float(np.max(values, initial=0.0)), 1e-300)
        self.rank = int(np.sum(kept))
        self._range, self._values = vectors[:, kept], values[kept]
        self.null = self._scale[:, None] * vectors[:, ~kept]
        self.regular = self.rank == self.size and bool(np.min(values, initial=1.0) > REGULAR)

    def mixed(self, rates: Array, gaps: Array, velocity: npt.NDArray[np.bool_]) -> Array:
        """a and b of a correction where some rows hold velocities alone: their b stays as it was.

        K (a + b/2) = rates for all rows, K (a/2 + b/6) = gaps for those that hold positions.
        """
        K = self._K.dense()
        held = np.flatnonzero(~velocity)
        scale = self._scale
        K = scale[:, None] * K * scale
        A = np.block([[K, 0.5 * K[:, held]], [0.5 * K[held], K[np.ix_(held, held)] / 6.0]])
        found = np.linalg.lstsq(A, np.concatenate([scale * rates, (scale * gaps)[held]]), rcond=CUT)[0]
        n = len(rates)
        b = np.zeros(n)
        b[held] = found[n:]
        return np.concatenate([scale * found[:n], scale * b])
