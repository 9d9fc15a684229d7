"""Runge-Kutta of order 6."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...kernels.layout.loops import RK6
from ..contract import Ability
from .woven import Woven


@dataclass(frozen=True)
class Rk6(Woven):
    """Runge-Kutta of order 6 in seven stages (Butcher 1964); steps as for rk4."""

    name: ClassVar[str] = "rk6"
    says: ClassVar[str] = "Runge-Kutta of order 6 in seven stages"
    source: ClassVar[str] = "Butcher 1964"
    abilities: ClassVar[frozenset[Ability]] = frozenset({Ability.COMPLEX})
    order: ClassVar[int] = 6
    code: ClassVar[int] = RK6
    loop: ClassVar[str] = "rk6"
    work_rows: ClassVar[int] = 8
    followed: ClassVar[bool] = True
