"""Dormand-Prince of order 5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .dop853 import DormandPrince


@dataclass(frozen=True)
class Dopri5(DormandPrince):
    """Dormand-Prince of order 5 with error control; for loose tolerances and many corners. `atol` as for dop853."""

    name: ClassVar[str] = "dopri5"
    says: ClassVar[str] = "Dormand-Prince of order 5 with error control"
    source: ClassVar[str] = "Dormand and Prince 1980"
    order: ClassVar[int] = 5
    work_rows: ClassVar[int] = 16
