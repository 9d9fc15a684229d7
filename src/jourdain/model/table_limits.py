"""Tables that refuse to be asked outside their points: where they end, and how a run notices.

Over time a run stops at the end. Over anything else an event of the model, behind those of the user, happens where the
argument leaves the table; other analyses look at its value at their samples. A stage that only tries does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..equations.formula import Formula, apply
from ..equations.tables import REFUSE, Curve

SLACK = 1e-9  # of its span, by which a table may be left: rounding of what begins or turns at its end


@dataclass(frozen=True)
class TableLimit:
    """The ends of a table, and whether it is a function of time alone."""

    where: str
    low: float
    high: float
    of_time: bool

    @property
    def slack(self) -> float:
        return SLACK * (self.high - self.low)

    def refusal(self, value: float) -> str:
        """That it was asked for a value that it does not have."""
        words = f"{self.where}: the table covers {self.low:g} to {self.high:g} and was asked for {value:.9g}"
        return f"{words}; let it cover more, or say outside: hold or extrapolate"

    def excess(self, value: float) -> bool:
        return not self.low - self.slack <= value <= self.high + self.slack


def limits_of(formulas: Iterable[Formula]) -> Iterator[tuple[TableLimit, Formula]]:
    """Each table that refuses, with its argument, once for each pair of them."""
    seen: set[Any] = set()
    for formula in formulas:
        for node in formula.nodes():
            if node.op != "table" or not isinstance(node.key, Curve) or node.key.outside != REFUSE:
                continue
            argument = node.args[0]
            if (id(node.key), argument) in seen:
                continue
            seen.add((id(node.key), argument))
            low, high = node.key.span
            yield TableLimit(node.key.where, low, high, argument.op == "t"), argument


def inside(limit: TableLimit, argument: Formula) -> Formula:
    """Positive where the argument lies inside the table."""
    return apply("min", argument - (limit.low - limit.slack), (limit.high + limit.slack) - argument)


def time_refused(limits: Iterable[TableLimit], times: npt.NDArray[np.float64]) -> str | None:
    """Why a table over time cannot be asked at one of these times."""
    for limit in limits:
        for t in times:
            if limit.of_time and limit.excess(float(t)):
                return limit.refusal(float(t))
    return None
