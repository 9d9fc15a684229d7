"""Coordinate partitioning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..contract import Chosen
from .reduced import Reduced


@dataclass(frozen=True)
class Partitioning(Reduced):
    """Independent coordinates by full pivoting of J (Wehage and Haug 1982), kept while their pivots stay good.

    Accelerations by the reduced system; after each step dependent positions by Newton's method, dependent velocities by
    the velocity equations. Dense, up to 600 rows. A new choice is made at the end of a step, and multistep methods
    start anew then.
    """

    name: ClassVar[str] = "partitioning"
    says: ClassVar[str] = "independent coordinates chosen by pivoting J, the others corrected after each step; dense"
    source: ClassVar[str] = "Wehage and Haug 1982"
    kind: ClassVar[int] = 0

    stabilisation: Any = "dependent"

    def refuses(self, chosen: Chosen) -> str | None:
        how = self.stabilisation
        if how.name == "dependent":
            return None
        return f"partitioning corrects its dependent coordinates; leave out '{how}', or use null-space with projection"
