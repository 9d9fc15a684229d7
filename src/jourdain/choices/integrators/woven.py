"""Methods with a fixed step whose loops have the step woven in: what they have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ..contract import Entry, FixedStep, Loop, PlanLike

FIXED = "jourdain.kernels.integrators.fixed_loop"


@dataclass(frozen=True)
class Woven(FixedStep):
    """`code` is the method's number in kernels/layout/loops.py, `loop` what its loops are called."""

    woven: ClassVar[bool] = True
    code: ClassVar[int]
    loop: ClassVar[str]
    followed: ClassVar[bool] = False  # has a loop in complex numbers

    def stepper(self, plan: PlanLike) -> Entry:
        return Entry("STEP", f"{FIXED}:make_step", (self.code,))

    def loops(self, plan: PlanLike) -> Mapping[Loop, Entry]:
        found = {
            Loop.RUN: Entry("ADVANCE", f"{FIXED}:advance_{self.loop}"),
            Loop.MANY: Entry("DRIVE", "jourdain.kernels.batch.one_by_one:make_drive", (self.code,)),
        }
        if self.followed:
            found[Loop.FOLLOW] = Entry("FOLLOW", f"{FIXED}:follow_{self.loop}")
        return found
