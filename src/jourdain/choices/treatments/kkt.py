"""The KKT system by its Schur complement."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..contract import Ability, Entry, PlanLike, Treatment

BLOCKS = "jourdain.kernels.treatments.block_factor"
# Near singular positions, and where rows are redundant and kept.
RANK_REVEALING = (
    Entry("DENSE_FACTOR", "jourdain.kernels.treatments.rank_revealing:dense_factor", late=True),
    Entry("DENSE_SOLVE", "jourdain.kernels.treatments.rank_revealing:dense_solve", late=True),
)
LINEAR = "jourdain.kernels.treatments.linear_joints"
ELIMINATED = (Entry("FACTOR", f"{LINEAR}:eliminated_factor"), Entry("SOLVE", f"{LINEAR}:eliminated_solve"))


def assembled(plan: PlanLike) -> Entry:
    """K = J M^-1 J^T, block by block."""
    c = plan.coordinates
    return Entry("ASSEMBLE", f"{BLOCKS}:make_assemble", (c.block, c.nv, int(c.twists)))


def block_factor(plan: PlanLike) -> Entry:
    return Entry("FACTOR", f"{BLOCKS}:make_factor", (plan.coordinates.block,))


def block_solve(plan: PlanLike, slot: str = "SOLVE") -> Entry:
    return Entry(slot, f"{BLOCKS}:make_solve", (plan.coordinates.block,))


def factors(plan: PlanLike) -> tuple[Entry, ...]:
    """FACTOR and SOLVE: block by block, or with linear joints eliminated."""
    if plan.coordinates.eliminates:
        return ELIMINATED
    return block_factor(plan), block_solve(plan)


def by_blocks(plan: PlanLike) -> tuple[Entry, ...]:
    """K factored block by block; rows that depend on others for a moment are left out in the same blocks."""
    c = plan.coordinates
    if c.eliminates:
        return (assembled(plan), *ELIMINATED, *RANK_REVEALING)
    return _by_blocks(c.block, c.nv, int(c.twists))


@functools.cache
def _by_blocks(block: int, nv: int, twists: int) -> tuple[Entry, ...]:
    return (
        Entry("ASSEMBLE", f"{BLOCKS}:make_assemble", (block, nv, twists)),
        Entry("FACTOR", f"{BLOCKS}:make_factor", (block,)),
        Entry("SOLVE", f"{BLOCKS}:make_solve", (block,)),
        Entry("DENSE_FACTOR", f"{BLOCKS}:make_dropping", (block,), late=True),
        RANK_REVEALING[1],
    )


@dataclass(frozen=True)
class Kkt(Treatment):
    """Accelerations and multipliers from the KKT system by its Schur complement K = J M^-1 J^T.

    Redundant rows are found at the start and bear no load. `stabilisation`: `projection` in the mass metric after each
    step, `euclidean`, the paper's direct correction with J^+, `baumgarte`, `none`, or with `radau` and `bdf` `ggl`, the
    equations of Gear, Gupta and Leimkuhler with positions and velocities closed inside the step.
    """

    name: ClassVar[str] = "kkt"
    says: ClassVar[str] = "the KKT system by its Schur complement K, factored block by block; redundant rows left out"
    source: ClassVar[str] = "Marquis-Favre, Bideaux and Scavarda 2006"
    abilities: ClassVar[frozenset[Ability]] = frozenset({Ability.COMPLEX, Ability.LANES})
    direct: ClassVar[bool] = True

    stabilisation: Any = "projection"

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        return by_blocks(plan)
