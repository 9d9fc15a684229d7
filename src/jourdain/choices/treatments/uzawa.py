"""Uzawa's iteration between joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...mechanism.names import nearest
from ..contract import Entry, Field, Number, PlanLike, Treatment, Use
from ..positive import MAX_ALPHA, penalty, positive, tolerance
from .kkt import RANK_REVEALING, assembled
from .shifted import iterated_memory

ITERATED = "jourdain.kernels.treatments.iterated"
Array = npt.NDArray[np.float64]

STOPS = RESIDUAL, CHANGE = ("residual", "change")  # in the order of kernels/layout/fields.py
COARSE = 1e-8  # tolerance where something is iterated around it


@dataclass(frozen=True)
class Uzawa(Treatment):
    """Uzawa's iteration between joints (Joli, Seguy and Feng 2008, eqs 26 and 36 mended): no matrix of the whole.

    lam_j += w K_jj^-1 (J_j v' - gamma_j), K_jj from the bodies of block j alone, begun with the last multipliers.
    `relaxation` is w; it must be below 2 over the largest number of blocks on one body. Without it, rounds go along
    conjugate directions, which converges far faster and through singular positions. Done when the accelerations that
    are left are below `tolerance` of what there was without multipliers. With `inside` (the paper: 1e4) the rows that
    keep bodies rigid are solved inside each body by the augmented Lagrangian with that alpha, and only joints are
    iterated. A run that does not converge in `most` rounds stops and says so.

    As printed: `rho`, kg, in place of w K_jj^-1 (eq. 27), one number or one for each joint by name (joints not named
    take 1); it must be below 2 over the largest eigenvalue of K, which nobody knows beforehand. `warm=False` begins
    with lam = 0 (eq. 25). `stop="change"` ends when no round changes the multipliers by more than `tolerance` of
    themselves (eq. 28; the paper: 1e-2 or 1e-1), which is for `rho` and `relaxation`.
    """

    name: ClassVar[str] = "uzawa"
    says: ClassVar[str] = "an iteration between joints that needs no matrix of the whole"
    source: ClassVar[str] = "Joli, Seguy and Feng 2008"
    keeps_rows: ClassVar[bool] = True

    tolerance: float = 1e-10
    relaxation: float | None = None
    most: int = 5000
    inside: float | None = None
    rho: float | Mapping[str, float] | None = None
    warm: bool = True
    stop: str = RESIDUAL
    stabilisation: Any = "projection"

    def wrong(self) -> str | None:
        if words := tolerance(self.tolerance) or positive("most", self.most):
            return words
        if self.relaxation is not None and (words := positive("relaxation", self.relaxation)):
            return words
        if words := self._wrong_rho():
            return words
        if self.stop not in STOPS:
            return f"stop of uzawa is {self.stop!r}; expected 'residual' or 'change'"
        if self.stop == CHANGE and self.rho is None and self.relaxation is None:
            return (
                "stop='change' is for rounds that go by rho or relaxation; conjugate directions change the multipliers "
                "little where they are far off; use stop='residual'"
            )
        if self.inside is not None:
            return penalty("inside", self.inside, f"expected an alpha from 1 to {MAX_ALPHA:g}, or None")
        return None

    def _wrong_rho(self) -> str | None:
        if self.rho is None:
            return None
        if self.relaxation is not None:
            return "rho and relaxation were both given; rho stands in place of relaxation times K_jj^-1; give one"
        if self.rho == ():
            return "rho names no joint; give a number of kg, or one by joint"
        numbers = self.rho if isinstance(self.rho, tuple) else (("rho", self.rho),)
        for name, value in numbers:
            if words := positive(name if name == "rho" else f"rho of '{name}'", value):
                return words
        return None

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.rho, Mapping):  # as a tuple it can be hashed, as all choices can
            object.__setattr__(self, "rho", tuple(self.rho.items()))

    def _rho_of(self, plan: PlanLike) -> Array | None:
        """Of each row, kg: 0 for those inside bodies, which do not go by it."""
        if self.rho is None:
            return None
        named: dict[str, float] = dict(self.rho) if isinstance(self.rho, tuple) else {}
        usual = 1.0 if named else float(self.rho)  # type: ignore[arg-type]
        found = np.zeros((plan.sizes.rows, 1))
        for row in plan.row_owners:
            found[row.row] = named.get(row.joint, usual)
        return found

    def fits(self, plan: PlanLike) -> str | None:
        if isinstance(self.rho, tuple):
            known = {row.joint for row in plan.row_owners if not row.intrinsic}
            if unknown := [name for name, _ in self.rho if name not in known]:
                return f"rho names '{unknown[0]}', which has no equations; {nearest(unknown[0], sorted(known))}"
        if self.rho is not None and self.inside is None and plan.coordinates.intrinsic:
            return (
                f"rho multiplies accelerations of joints; rows that keep bodies rigid, which {plan.coordinates} has, "
                "would diverge with it; give inside=1e4, so that bodies hold themselves"
            )
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
        rho = self._rho_of(plan)
        start = np.zeros((0, 1)) if rho is None else rho
        return *iterated_memory(plan), Field("RHO", start.shape, Use.CONSTANT, Number.REAL, start=start)

    def settings(self, plan: PlanLike) -> Mapping[str, float]:
        """Without relaxation 0: conjugate directions."""
        coarse = bool(_iterated_around(plan))
        found: dict[str, float] = {
            "TOLERANCE": min(self.tolerance, COARSE) if coarse else self.tolerance,
            "MOST": self.most,
            "RELAXATION": self.relaxation or 0.0,
            "WARM": 1.0 if self.warm else 0.0,
            "STOP": STOPS.index(self.stop),
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
