"""How well the equations of joints hold: known after a run, for nothing in a mechanism can feel it."""

from __future__ import annotations

from collections.abc import Iterator

from .definition import AFTER, Channel
from .units import Quantity

OWNER = "violation"
WHY = "'violation' is known after a run only; nothing can depend on it"
QUANTITIES = {
    "position": (Quantity("violation", "m or rad"), "largest error of any equation, and of its rate"),
    "velocity": (Quantity("rate of violation", "m/s or rad/s"), "largest error of any equation, and of its rate"),
    "baumgarte": (
        Quantity("stabilising part", ""),
        "part of the constrained accelerations that is Baumgarte's stabilisation",
    ),
}


def channels() -> Iterator[Channel]:
    """In the order in which results list them."""
    for name, (quantity, says) in QUANTITIES.items():
        yield Channel(f"{OWNER}.{name}", AFTER, quantity, says, kept=(OWNER, name), refused=WHY)
