"""What treatments on a reduced system have in common: dense matrices of the motions that the rows allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ..contract import Entry, Field, Number, PlanLike, Treatment, Use
from .kkt import RANK_REVEALING, assembled

REDUCED = "jourdain.kernels.treatments.reduced"
MAX_DENSE_ROWS = 600  # the cost of dense systems grows with the cube of the rows


class Reduced(Treatment):
    """`kind` is the treatment's number in kernels/treatments/reduced.py."""

    kind: ClassVar[int]

    def fits(self, plan: PlanLike) -> str | None:
        if plan.sizes.rows <= MAX_DENSE_ROWS:
            return None
        return (
            f"{self} is dense and takes up to {MAX_DENSE_ROWS} rows; these coordinates have {plan.sizes.rows}; "
            "use kkt, whose cost grows with the number of bodies"
        )

    def reflections(self, plan: PlanLike) -> int:
        """Householder vectors."""
        return 0

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        factor = Entry("FACTOR", f"{REDUCED}:make_reduced_factor", (self.kind,))
        solve = Entry("SOLVE", f"{REDUCED}:make_reduced_solve", (self.kind,))
        return (assembled(plan), factor, solve, plan.coordinates.mass_entry(), *RANK_REVEALING)

    def memory(self, plan: PlanLike) -> Sequence[Field]:
        """Which velocities are independent lasts from step to step, and so do factors that a state begins with."""
        rows, v = plan.sizes.rows, plan.sizes.v
        return (
            Field("COLUMN_ORDER", (v, 1), Use.KEPT, Number.INT, below=v),
            Field("ITERATE", (4, rows), Use.SCRATCH),
            Field("DENSE_ROWS", (rows, v), Use.KEPT),
            Field("REFLECTIONS", (self.reflections(plan), v), Use.KEPT),
            Field("TANGENT", (v, v), Use.KEPT),
            Field("REDUCED", (v, v), Use.KEPT),
            Field("FULL", (3, v), Use.SCRATCH),
        )
