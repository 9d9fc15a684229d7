"""A treatment of one's own: the multipliers by conjugate gradients, without a matrix of the whole machine.

K lam = b with K = J M^-1 J^T is solved by products with J and M^-1 J^T alone. `factor` has nothing to do, `solve` is
the method; the projection after each step uses both, as every treatment's.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import jourdain as jd
from jourdain.choices import Entry, Field, Treatment, Use
from jourdain.kernels.author import (
    F_CORRECT,
    F_TIMES,
    FULL,
    H_DENSE,
    H_ROWS,
    H_V,
    ITERATE,
    NO_CONVERGENCE,
    OK,
    S_MOST,
    S_TOLERANCE,
    SETTINGS,
    reals,
    run,
    state,
    table,
    vector_at,
)


def factor(t, q_, v_, ctx_):
    """J and M^-1 J^T are there already."""
    table(ctx_)[H_DENSE] = 0
    return OK


def solve(t, x_, unused_, ctx_):
    """K x = b in place, until what is left of b is below the tolerance."""
    ctx = table(ctx_)
    x = vector_at(x_, ctx[H_ROWS])
    settings = reals(ctx, SETTINGS)
    moved = state(ctx, FULL, x)
    work = state(ctx, ITERATE, x)
    n = x.size
    rest, p, image = work[:n], work[n : 2 * n], work[2 * n : 3 * n]
    left = 0.0
    for i in range(n):
        rest[i] = x[i]
        p[i] = x[i]
        x[i] = 0.0
        left += rest[i] * rest[i]
    enough = settings[S_TOLERANCE, 0] ** 2 * left
    for _ in range(int(settings[S_MOST, 0])):
        if left <= enough:
            return OK
        for i in range(ctx[H_V]):
            moved[i] = 0.0
        run(ctx, F_CORRECT, t, moved, p)  # moved = -M^-1 J^T p
        run(ctx, F_TIMES, t, moved, image)  # image = -K p
        bend = 0.0
        for i in range(n):
            bend -= p[i] * image[i]
        if not bend > 0.0:
            return OK  # what is left cannot be reached: rows that depend on others
        length = left / bend
        before, left = left, 0.0
        for i in range(n):
            x[i] += length * p[i]
            rest[i] += length * image[i]
            left += rest[i] * rest[i]
        for i in range(n):
            p[i] = rest[i] + left / before * p[i]
    return OK if left <= enough else NO_CONVERGENCE


@dataclass(frozen=True)
class ConjugateGradients(Treatment):
    """Multipliers by conjugate gradients, to `tolerance` of the right-hand side, in at most `most` rounds."""

    name: ClassVar[str] = "conjugate-gradients"
    says: ClassVar[str] = "the multipliers by conjugate gradients, without a matrix of the whole"
    source: ClassVar[str] = "Hestenes and Stiefel 1952"
    keeps_rows: ClassVar[bool] = True  # redundant rows share their load

    tolerance: float = 1e-12
    most: int = 1000
    stabilisation: Any = "projection"

    def entries(self, plan) -> Sequence[Entry]:
        return (Entry("FACTOR", "conjugate_gradients:factor"), Entry("SOLVE", "conjugate_gradients:solve"))

    def memory(self, plan) -> Sequence[Field]:
        rows, velocities = plan.sizes.rows, plan.sizes.v
        return (Field("ITERATE", (3, rows), Use.SCRATCH), Field("FULL", (1, velocities), Use.SCRATCH))

    def settings(self, plan) -> Mapping[str, float]:
        return {"TOLERANCE": self.tolerance, "MOST": self.most}

    def flags(self, plan) -> Mapping[str, int | str]:
        return {"MATRIX_FREE": 1}  # J and M^-1 J^T must be of one pose whenever `solve` is called


def main() -> None:
    m = jd.example("four_bar")
    run = jd.simulate(m, 1.0, treatment=ConjugateGradients())
    print(run.summary())
    beside = jd.compare(m, 1.0, coordinates="angle", treatments=["kkt", ConjugateGradients()], integrators="dop853")
    print(beside)
    if len(sys.argv) > 1:
        beside.plot(sys.argv[1])


if __name__ == "__main__":
    main()
