"""The recursion on the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..contract import Chosen, Entry, PlanLike, Treatment
from ..stabilisations import stabilisation_of

RELATIVE = "jourdain.kernels.tree.joint_coordinates"
SOLVED_AT = ("junction", "base")
LEVELS = ("position", "velocity", "acceleration")
LEVELLED = ("projection", "baumgarte")  # stabilisations that hold positions and velocities, or these alone


@dataclass(frozen=True)
class Recursion(Treatment):
    """Joint coordinates: accelerations and multipliers by one way inward and one outward on the tree (Wijckmans 1992).

    Rows of cut joints are carried inward and solved where their loops close (`solve` "junction"), or all at the base of
    the tree ("base": the ground, or the body that `Relative(base=..)` names); the first costs in proportion to the
    loops, the second grows with their square and more. Redundant rows are found at the start and bear no load.
    Cut joints are held by `stabilisation`, `projection`, `baumgarte` or `none`, at `level` "position" (positions and
    velocities), "velocity" (velocities alone) or "acceleration" (neither); the other joints cannot come apart.
    """

    name: ClassVar[str] = "recursion"
    says: ClassVar[str] = "one way inward and one outward on the tree of joint coordinates"
    source: ClassVar[str] = "Wijckmans 1992"
    direct: ClassVar[bool] = True

    stabilisation: Any = "projection"
    solve: str = "junction"
    level: str = "position"

    def __post_init__(self) -> None:
        super().__post_init__()
        held = self.stabilisation
        if self.level == "velocity" and held.name in LEVELLED:
            object.__setattr__(self, "stabilisation", replace(held, level="velocity"))
        elif self.level == "acceleration" and held.name == "projection":
            object.__setattr__(self, "stabilisation", stabilisation_of("none"))

    @property
    def own_coordinates(self) -> str:
        return "relative"

    def wrong(self) -> str | None:
        if self.solve not in SOLVED_AT:
            return f"solve of recursion is {self.solve!r}; expected {' or '.join(map(repr, SOLVED_AT))}"
        if self.level not in LEVELS:
            return f"level of recursion is {self.level!r}; expected {', '.join(map(repr, LEVELS))}"
        if self.level == "acceleration" and self.stabilisation.name == "baumgarte":
            return (
                "baumgarte feeds back positions and velocities, which level 'acceleration' does not hold; leave out one"
            )
        if self.level == "velocity" and self.stabilisation.name == "none":
            return "stabilisation 'none' holds nothing, and level 'velocity' velocities; leave out one"
        return self.stabilisation.wrong()

    def refuses(self, chosen: Chosen) -> str | None:
        if not chosen.set.joined:
            return f"recursion is for joint coordinates; use relative, not {chosen.set}, or kkt"
        if self.stabilisation.name not in (*LEVELLED, "none"):
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
