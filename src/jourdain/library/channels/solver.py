"""What solving took: found by name, not listed, since it says nothing of the mechanism."""

from __future__ import annotations

from collections.abc import Iterator

from ..levels import AFTER
from ..quantities import Quantity
from .definition import Channel, RowWise

OWNER = "@solver"
WHY = "'@solver' is known after a run only; nothing can depend on it"
ROUNDS = "rounds that an iteration for the multipliers takes at the sample, begun with none; 0 where nothing iterates"


def channels() -> Iterator[Channel]:
    """All there are."""
    name, kept = f"{OWNER}.rounds", (OWNER, "rounds")
    yield Channel(name, AFTER, Quantity("rounds", ""), ROUNDS, kept=kept, refused=WHY, row_wise=RowWise.YES)
