"""Channels of components: relations, motions, forces and elements report under their names what they say themselves.

Their formulas are those of `Lowered.channels`, and what these measure is in `measures` of their kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..levels import RESULT
from ..quantities import Quantity
from .definition import Channel, RowWise

SAYS = "of a component"


def channels(
    states: Iterable[tuple[str, str]], reports: Iterable[str], measured: Mapping[str, Mapping[str, Quantity]]
) -> Iterator[Channel]:
    """States of elements by owner and name, then what components report, by full name."""

    def quantity(owner: str, name: str) -> Quantity:
        """What the kind says, or a number with its own name: of one's own elements nobody knows the units."""
        return measured.get(owner, {}).get(name) or Quantity(name, "")

    for owner, name in states:
        yield Channel(
            f"{owner}.{name}", RESULT, quantity(owner, name), SAYS, kept=("state", owner, name), row_wise=RowWise.YES
        )
    for report in reports:
        owner, _, name = report.rpartition(".")
        yield Channel(report, RESULT, quantity(owner, name), SAYS, kept=("report", report), row_wise=RowWise.YES)
