"""The recursion on the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..contract import Chosen, Entry, PlanLike, Treatment

RELATIVE = "jourdain.kernels.tree.joint_coordinates"


@dataclass(frozen=True)
class Recursion(Treatment):
    """Joint coordinates: accelerations and multipliers by one way inward and one outward on the tree (Wijckmans 1992).

    Rows of cut joints are carried inward and solved where their loops close; the cost grows with the number of bodies.
    Redundant rows are found at the start and bear no load. `stabilisation` is that of the cut joints, `projection` or
    `none`; the others cannot come apart.
    """

    name: ClassVar[str] = "recursion"
    says: ClassVar[str] = "one way inward and one outward on the tree of joint coordinates"
    source: ClassVar[str] = "Wijckmans 1992"
    direct: ClassVar[bool] = True

    stabilisation: Any = "projection"

    @property
    def own_coordinates(self) -> str:
        return "relative"

    def refuses(self, chosen: Chosen) -> str | None:
        if not chosen.set.joined:
            return f"recursion is for joint coordinates; use relative, not {chosen.set}, or kkt"
        if self.stabilisation.name not in ("projection", "none"):
            how = self.stabilisation
            return f"recursion projects its cut joints; leave out '{how}', or use kkt with other coordinates"
        return None

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        dim = plan.sizes.dim
        return (
            Entry("FACTOR", f"{RELATIVE}:factor"),
            Entry("SOLVE", f"{RELATIVE}:make_solve", (dim,)),
            Entry("DENSE_FACTOR", f"{RELATIVE}:make_dense_factor", (dim,), late=True),
            Entry("DENSE_SOLVE", "jourdain.kernels.treatments.rank_revealing:dense_solve", late=True),
        )
