"""Methods that solve the index-3 equations inside a step: what generalized-alpha and hht have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ...kernels.layout.loops import ALPHA
from ...mechanism.names import nearest
from ..contract import Chosen, Entry, Field, Number, PlanLike, Treatment, Use
from ..treatments.index3 import Index3
from .woven import Woven

NEWTONS = ("auto", "exact", "modified")  # in the order of the codes AUTO, EXACT_ONLY and MODIFIED_ONLY
MANY = 600  # velocities that are many for a dense matrix
EXACT_ROWS = 5  # behind the factors of the exact iteration matrix


class Index3Method(Woven):
    """A step of order 2 with four parameters, iterated with one of NEWTONS."""

    order: ClassVar[int] = 2
    code: ClassVar[int] = ALPHA
    loop: ClassVar[str] = "alpha"
    work_rows: ClassVar[int] = 5

    newton: str  # a field of the methods themselves, behind their own number

    @property
    def implies(self) -> Treatment:
        return Index3()

    @property
    def parameters(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma."""
        raise NotImplementedError

    def wrong(self) -> str | None:
        if words := super().wrong():
            return words
        if self.newton not in NEWTONS:
            return f"newton is {self.newton!r}; {nearest(str(self.newton), NEWTONS)}"
        return None

    def refuses(self, chosen: Chosen) -> str | None:
        if not isinstance(chosen.treatment, Index3):
            return f"{self} solves the index-3 equations itself; leave out '{chosen.treatment}', or use rk4"
        if chosen.set.charts:
            return f"{self} cannot change from one Euler sequence to another; use quaternion, not {chosen.set}"
        return None

    def fits(self, plan: PlanLike) -> str | None:
        if self.newton == "exact" and plan.sizes.v > MANY:
            return (
                f"newton='exact' has a dense matrix and takes up to {MANY} velocities; these coordinates have "
                f"{plan.sizes.v}; use newton='auto', which takes it only where nothing else helps, or a shorter step"
            )
        return None

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        """EXACT only once a step has asked for it: few machines do, and it takes seconds to compile."""
        exact = (
            (Entry("EXACT", "jourdain.kernels.integrators.generalized_alpha_exact:solve_step"),) if plan.exact else ()
        )
        return (*super().entries(plan), *exact)

    def memory(self, plan: PlanLike) -> Sequence[Field]:
        found = super().memory(plan)
        if not plan.exact:
            return found
        n = plan.sizes.v + plan.sizes.states + plan.sizes.rows
        matrix = Field("EXACT", (n + EXACT_ROWS, n), Use.KEPT, Number.REAL)
        return (*found, matrix, Field("EXACT_PIVOTS", (1, n), Use.KEPT, Number.INT, below=n))

    def settings(self, plan: PlanLike) -> Mapping[str, float]:
        numbers = zip(("AM", "AF", "BETA", "GAMMA"), self.parameters, strict=True)
        return {**dict(numbers), "NEWTON": NEWTONS.index(self.newton)}
