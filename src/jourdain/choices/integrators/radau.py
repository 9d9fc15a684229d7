"""Radau IIA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..contract import Chosen, Entry, Field, Number, PlanLike, Unknowns, Use
from .implicit import SHARED_ROWS, STEP, Implicit, exchanges, no_flag

KERNEL = "jourdain.kernels.integrators.radau"
FIRST_ROWS, GROUPS = 4, 5  # rows before those of the stages, and rows a stage


def radau_rows(stages: int, solved: int) -> int:
    """Work rows of a step."""
    return first_matrix(stages) + (1 + stages) * solved + SHARED_ROWS


def first_matrix(stages: int) -> int:
    """Row of the Jacobian among them."""
    return FIRST_ROWS + GROUPS * stages


def radau_table(stages: int) -> Field:
    """Coefficients, which the kernel reads from memory."""
    made = Entry("METHOD_TABLE", "jourdain.kernels.integrators.radau_table:table", (stages,))
    return Field("METHOD_TABLE", (3 + 4 * stages, stages), Use.CONSTANT, Number.REAL, start=made)


@dataclass(frozen=True)
class Radau(Implicit):
    """Radau IIA with error control, implicit: for stiff machines. `atol` as for dop853.

    `stages` 3, 5 or 7 have order 5, 9 or 13; more for tight tolerances. `multipliers`: they are unknowns of a step,
    beside the motion, instead of being solved for in each evaluation. `forces`: those of springs, dampers and other
    forces along a line or about an axis are, which lets steps be long where stiff ones turn with the machine.
    """

    name: ClassVar[str] = "radau"
    says: ClassVar[str] = "Radau IIA with error control, implicit: for stiff machines"
    source: ClassVar[str] = "Hairer and Wanner 1996"
    order: ClassVar[int] = 5  # of three stages

    stages: int = 3
    forces: bool = False

    def wrong(self) -> str | None:
        if words := super().wrong():
            return words
        if self.stages not in (3, 5, 7):
            return f"stages is {self.stages!r}; radau has 3 (order 5), 5 (order 9) or 7 (order 13)"
        if not isinstance(self.forces, bool):
            return no_flag("forces", self.forces)
        if self.forces and self.multipliers:
            return "radau takes multipliers or forces as unknowns, not both; leave out one"
        return None

    def refuses(self, chosen: Chosen) -> str | None:
        if self.forces and chosen.treatment.stabilisation.unknowns:
            return "ggl has multipliers among its unknowns, and no forces; leave out forces=True, or ggl"
        return super().refuses(chosen)

    def error_order(self) -> int:
        return self.stages + 1

    def unknowns(self, plan: PlanLike) -> Unknowns:
        if self.forces:
            count = plan.sizes.forces
            return Unknowns(count, "DAE" if count else "RHS", forces=True)
        return super().unknowns(plan)

    def rows(self, plan: PlanLike) -> int:
        return radau_rows(self.stages, self.solved(plan))

    def trying(self, plan: PlanLike) -> tuple[Entry, Entry]:
        return Entry("TRY", f"{STEP}:make_attempt", (self.name,)), Entry("DENSE", f"{KERNEL}:dense")

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        dae = (
            (Entry("DAE", "jourdain.kernels.treatments.unknown_multipliers:given_forces"),)
            if self.forces and plan.sizes.forces
            else ()
        )
        return (*super().entries(plan), *dae)

    def fastest(self, plan: PlanLike, work: npt.NDArray[np.float64]) -> float:
        first, n, solved = first_matrix(self.stages), plan.sizes.controlled, self.solved(plan)
        matrix = work[first : first + solved, :solved]
        jacobian = matrix[:n, :n] + matrix[:n, n:] @ matrix[n:, :n]  # forces follow from the motion
        return float(np.max(np.abs(np.linalg.eigvals(jacobian)), initial=0.0))

    def memory(self, plan: PlanLike) -> Sequence[Field]:
        pivots: tuple[Field, ...] = (exchanges("METHOD_PIVOTS", self.stages, self, plan),)
        if plan.sizes.events:
            pivots += (exchanges("STEP_PIVOTS", self.stages, self, plan),)
        return (*super().memory(plan), *pivots, radau_table(self.stages))
