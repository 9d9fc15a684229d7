"""Dormand-Prince of order 8."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ..contract import Ability, Adaptive, Entry, Loop, PlanLike

KERNEL = "jourdain.kernels.integrators.dormand_prince"


@dataclass(frozen=True)
class DormandPrince(Adaptive):
    """An explicit method with error control, whose loops need nothing but a right-hand side."""

    abilities: ClassVar[frozenset[Ability]] = frozenset({Ability.COMPLEX, Ability.LANES})
    work_rows: ClassVar[int]

    def rows(self, plan: PlanLike) -> int:
        return self.work_rows

    def trying(self, plan: PlanLike) -> tuple[Entry, Entry]:
        return _tried(self.name)

    def loops(self, plan: PlanLike) -> Mapping[Loop, Entry]:
        return {**super().loops(plan), **_more_loops(self.name)}


@functools.cache
def _tried(name: str) -> tuple[Entry, Entry]:
    return Entry("TRY", f"{KERNEL}:make_attempt", (name,)), Entry("DENSE", f"{KERNEL}:make_dense", (name,))


@functools.cache
def _more_loops(name: str) -> Mapping[Loop, Entry]:
    return {
        Loop.FOLLOW: Entry("FOLLOW_ADAPTIVE", "jourdain.kernels.integrators.adaptive_loop:follow"),
        Loop.LANES: Entry("MARCH", f"jourdain.kernels.batch.in_lanes:march_{name}"),
    }


@dataclass(frozen=True)
class Dop853(DormandPrince):
    """Dormand-Prince of order 8 with error control. `atol` None: `rtol` times the smaller of 1 and the size in m."""

    name: ClassVar[str] = "dop853"
    says: ClassVar[str] = "Dormand-Prince of order 8 with error control"
    source: ClassVar[str] = "Hairer, Norsett and Wanner 1993"
    order: ClassVar[int] = 8
    work_rows: ClassVar[int] = 29

    rtol: float = 1e-9
