"""What treatments that add to the diagonal of K, or iterate around it, have in common."""

from __future__ import annotations

from collections.abc import Sequence

from ..contract import Entry, Field, PlanLike, Use


def shifted_assemble(plan: PlanLike) -> Entry:
    """K with the penalties of its rows on the diagonal."""
    c = plan.coordinates
    return Entry("ASSEMBLE", "jourdain.kernels.treatments.iterated:make_shifted_assemble", (c.block, c.nv))


def iterated_memory(plan: PlanLike) -> Sequence[Field]:
    """The last multipliers are where the next iteration begins."""
    rows = plan.sizes.rows
    return (
        Field("SHIFT", (rows, 1), Use.SCRATCH),
        Field("GUESS", (rows, 1), Use.KEPT),
        Field("ITERATE", (4, rows), Use.SCRATCH),
        Field("FULL", (3, plan.sizes.v), Use.SCRATCH),
    )
