"""Coordinates of each body with v = q': what those on kernels/coordinates/rate_sets.py have in common.

Such a set has one compiled function of its own, BODIES, which says what a body vector and its derivatives are; masses,
forces, contraction and projection come from there (docs/adding-coordinates.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from ..contract import Entry, PlanLike
from .coordinate_set import Coordinates

GENERAL = "jourdain.kernels.coordinates.rate_sets"
BLOCKS = "jourdain.kernels.treatments.block_factor"


def block_products(block: int, nv: int) -> tuple[Entry, Entry]:
    """J v, and x - M^-1 J^T lam, by blocks."""
    return (
        Entry("TIMES", f"{BLOCKS}:make_times", (block, nv)),
        Entry("CORRECT", f"{BLOCKS}:make_correct", (block, nv)),
    )


class RateSet(Coordinates):
    """A set of one's own gives `name`, `nv`, `lengths`, `bodies_entry`, `constants`, and poses in and out."""

    vector_jacobian: ClassVar[bool] = True
    constant_mass: ClassVar[bool] = False  # MASS and its inverse are among the constants

    def bodies_entry(self) -> Entry:
        """(t, q, v): fills VEC, VECTOR_JACOBIAN, OMEGA, SPIN_JACOBIAN, and MASS, BIAS, intrinsic rows if any."""
        raise NotImplementedError

    def chart_entry(self) -> Entry:
        """(t, y, y): looks after singularities, where there are `charts`."""
        raise NotImplementedError

    def mass_entry(self) -> Entry:
        return Entry("MASS", f"{GENERAL}:make_mass", (self.nv,))

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        return (*self._entries, self._shift) if plan.sizes.singular else self._entries

    @cached_property
    def _shift(self) -> Entry:
        return Entry("SHIFT", f"{GENERAL}:make_shift", (self.nv,))

    @cached_property
    def _entries(self) -> tuple[Entry, ...]:
        dim, nq, nv, block = self.dim, self.nq, self.nv, self.block
        own = -(-len(self.intrinsic) // block)
        chart = (self.chart_entry(),) if self.charts else ()
        return (
            self.bodies_entry(),
            Entry("PLACE", f"{GENERAL}:make_place", (dim, nv, block, own)),
            Entry("WEIGH", f"{GENERAL}:make_weigh", (nv, block, int(self.constant_mass))),
            Entry("LOAD", f"{GENERAL}:make_load", (dim, nv)),
            Entry("RATES", f"{GENERAL}:make_rates", (nq, nv)),
            Entry("RETRACT", f"{GENERAL}:make_retract", (nq, nv)),
            Entry("ENERGY", f"{GENERAL}:make_energy", (dim, nv)),
            *block_products(block, nv),
            *chart,
        )

    def flags(self, plan: PlanLike) -> Mapping[str, int | str]:
        return {"CHARTS": int(self.charts), "BLOCK": self.block, "BODY_V": self.nv}


class TwistSet(Coordinates):
    """Coordinates whose v of a body is the velocity of its mass centre, then its spin, with `kernel` of their own."""

    twists: ClassVar[bool] = True
    kernel: ClassVar[str]

    def mass_entry(self) -> Entry:
        return Entry("MASS", f"{self.kernel}:mass")

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        return (*self._entries, self._shift) if plan.sizes.singular else self._entries

    @cached_property
    def _shift(self) -> Entry:
        return Entry("SHIFT", f"{self.kernel}:shift")

    @cached_property
    def _entries(self) -> tuple[Entry, ...]:
        own = ("PLACE", "WEIGH", "LOAD", "RATES", "RETRACT", "ENERGY")
        found = tuple(Entry(slot, f"{self.kernel}:{slot.lower()}") for slot in own)
        return (*found, *block_products(self.block, self.nv))

    def flags(self, plan: PlanLike) -> Mapping[str, int | str]:
        return {"CHARTS": 0, "BLOCK": self.block, "BODY_V": self.nv}
