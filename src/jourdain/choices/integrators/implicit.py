"""Implicit methods with error control: what radau and bdf have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..contract import Ability, Adaptive, Chosen, Entry, Field, Number, PlanLike, Unknowns, Use

STEP = "jourdain.kernels.integrators.implicit_step"
SHARED_ROWS = 6  # of kernels/integrators/adaptive_loop.py, behind those of a method


@dataclass(frozen=True)
class Implicit(Adaptive):
    """Solves for the slopes of a step, and for multipliers beside them if asked to."""

    abilities: ClassVar[frozenset[Ability]] = frozenset({Ability.UNKNOWNS})

    multipliers: bool = False

    def wrong(self) -> str | None:
        if words := super().wrong():
            return words
        return None if isinstance(self.multipliers, bool) else no_flag("multipliers", self.multipliers)

    def refuses(self, chosen: Chosen) -> str | None:
        """Multipliers that are unknowns of a step go with a treatment that leaves them to it."""
        ggl = chosen.treatment.stabilisation.unknowns > 0
        if ggl and self.multipliers:
            return "ggl has the multipliers among its unknowns in any case; leave out multipliers=True"
        if self.multipliers and chosen.treatment.name != "kkt":
            return (
                f"multipliers=True of {self} has the multipliers among the unknowns of a step, and {chosen.treatment} "
                "would find them by itself; use kkt, or leave out multipliers=True"
            )
        return None

    def unknowns(self, plan: PlanLike) -> Unknowns:
        if self.multipliers and plan.sizes.rows:
            return Unknowns(plan.sizes.rows, "DAE")
        return super().unknowns(plan)

    def solved(self, plan: PlanLike) -> int:
        """Numbers that a step solves for."""
        return plan.sizes.controlled + self.unknowns(plan).count

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        dae = (
            (Entry("DAE", "jourdain.kernels.treatments.unknown_multipliers:index_one"),)
            if self.multipliers and plan.sizes.rows
            else ()
        )
        return (*super().entries(plan), *dae)


def no_flag(key: str, value: object) -> str:
    return f"{key} is {value!r}; expected True or False"


def exchanges(name: str, rows: int, method: Implicit, plan: PlanLike) -> Field:
    """Row exchanges of factors that a later step uses again."""
    return Field(name, (rows, method.width(plan)), Use.KEPT, Number.INT, below=method.solved(plan))
