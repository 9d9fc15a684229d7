"""Uzawa's iteration between joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..contract import Entry, Field, PlanLike, Treatment
from ..positive import MAX_ALPHA, penalty, positive, tolerance
from .kkt import RANK_REVEALING, assembled
from .shifted import iterated_memory

ITERATED = "jourdain.kernels.treatments.iterated"
COARSE = 1e-8  # tolerance where something is iterated around it


@dataclass(frozen=True)
class Uzawa(Treatment):
    """Uzawa's iteration between joints (Joli, Seguy and Feng 2008, eqs 26 and 36 mended): no matrix of the whole.

    lam_j += w K_jj^-1 (J_j v' - gamma_j), K_jj from the bodies of block j alone, begun with the last multipliers.
    `relaxation` is w; it must be below 2 over the largest number of blocks on one body. Without it, rounds go along
    conjugate directions, which converges far faster and through singular positions. Done when the accelerations that
    are left are below `tolerance` (the paper: 1e-2 or 1e-1) of what there was without multipliers. With `inside` (the
    paper: 1e4) the rows that keep bodies rigid are solved inside each body by the augmented Lagrangian with that alpha,
    and only joints are iterated. A run that does not converge in `most` rounds stops and says so.
    """

    name: ClassVar[str] = "uzawa"
    says: ClassVar[str] = "an iteration between joints that needs no matrix of the whole"
    source: ClassVar[str] = "Joli, Seguy and Feng 2008"
    keeps_rows: ClassVar[bool] = True

    tolerance: float = 1e-10
    relaxation: float | None = None
    most: int = 5000
    inside: float | None = None
    stabilisation: Any = "projection"

    def wrong(self) -> str | None:
        if words := tolerance(self.tolerance) or positive("most", self.most):
            return words
        if self.relaxation is not None and (words := positive("relaxation", self.relaxation)):
            return words
        if self.inside is not None:
            return penalty("inside", self.inside, f"expected an alpha from 1 to {MAX_ALPHA:g}, or None")
        return None

    def fits(self, plan: PlanLike) -> str | None:
        if self.inside is not None and not plan.coordinates.intrinsic:
            return (
                f"inside is for equations that keep bodies rigid, and {plan.coordinates} has none; "
                "leave it out, or use points or natural"
            )
        if self.relaxation is None:
            return None
        most = plan.blocks_on_body(but_rigid=self.inside is not None)
        if self.relaxation >= 2.0 / most:
            return (
                f"relaxation is {self.relaxation:g}; with {most} blocks of equations on one body uzawa converges "
                f"below {2.0 / most:.3g}; leave it out for conjugate directions, which need none"
            )
        return None

    def notes(self, plan: PlanLike) -> tuple[str, ...]:
        around = _iterated_around(plan)
        if not around or self.tolerance <= COARSE:
            return ()
        return (f"{around} are iterated around uzawa, so its tolerance is {COARSE:g} here, not {self.tolerance:g}",)

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        c = plan.coordinates
        factor = Entry("FACTOR", f"{ITERATED}:make_uzawa_factor", (c.block, c.nv))
        solve = Entry("SOLVE", f"{ITERATED}:make_uzawa_solve", (c.block,))
        return (assembled(plan), factor, solve, *RANK_REVEALING)

    def memory(self, plan: PlanLike) -> Sequence[Field]:
        return iterated_memory(plan)

    def settings(self, plan: PlanLike) -> Mapping[str, float]:
        """Without relaxation 0: conjugate directions."""
        coarse = bool(_iterated_around(plan))
        found: dict[str, float] = {
            "TOLERANCE": min(self.tolerance, COARSE) if coarse else self.tolerance,
            "MOST": self.most,
            "RELAXATION": self.relaxation or 0.0,
        }
        if self.inside is not None:
            c = plan.coordinates
            found["INSIDE"] = self.inside
            found["OWN"] = plan.sizes.bodies * -(-len(c.intrinsic) // c.block)  # blocks, the first of all
        return found

    def flags(self, plan: PlanLike) -> Mapping[str, int | str]:
        return {"MATRIX_FREE": 1}


def _iterated_around(plan: PlanLike) -> str:
    """What is iterated around uzawa, whose coarse tolerance would leave it anywhere; or nothing."""
    if plan.sizes.singular:
        return "bodies without full inertia"
    return "forces that depend on reactions or accelerations" if plan.sizes.feedback else ""
