"""How well the equations of joints hold: known after a run, for nothing in a mechanism can feel it."""

from __future__ import annotations

from collections.abc import Iterator

from ..levels import AFTER
from ..quantities import Quantity
from .definition import Channel, RowWise

OWNER = "violation"
WHY = "'violation' is known after a run only; nothing can depend on it"
POSITION, VELOCITY = Quantity("violation", "m or rad"), Quantity("rate of violation", "m/s or rad/s")
LARGEST, TOGETHER = "largest error of any equation, and of its rate", "Euclidean norm of all errors, and of their rates"
QUANTITIES = {
    "position": (POSITION, LARGEST),
    "velocity": (VELOCITY, LARGEST),
    "baumgarte": (
        Quantity("stabilising part", ""),
        "part of the constrained accelerations that is Baumgarte's stabilisation",
    ),
    "position_norm": (POSITION, TOGETHER),
    "velocity_norm": (VELOCITY, TOGETHER),
}


def channels() -> Iterator[Channel]:
    """In the order in which results list them."""
    for name, (quantity, says) in QUANTITIES.items():
        yield Channel(f"{OWNER}.{name}", AFTER, quantity, says, kept=(OWNER, name), refused=WHY, row_wise=RowWise.YES)
