"""Energies of the whole mechanism; total = kinetic + potential + dissipated - driven is constant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import quantities
from ..levels import ENERGY
from .definition import KINETIC, POTENTIAL, Channel, Leaves, RowWise

OWNER = "energy"
SAYS = "of the whole mechanism; the total is constant"


def channels() -> Iterator[Channel]:
    """In the order in which results list them."""
    yield _channel("kinetic", kept=KINETIC)
    yield _channel("potential", value=potential)
    yield _channel("dissipated", kept=("work", "dissipated"))
    yield _channel("driven", kept=("work", "driven"))
    yield _channel("total", value=total)


def _channel(name: str, **how: Any) -> Channel:
    return Channel(f"{OWNER}.{name}", ENERGY, quantities.ENERGY, SAYS, row_wise=RowWise.YES, **how)


def potential(leaves: Leaves) -> Any:
    """Of gravity, springs and what else has a potential, with what is stored by others."""
    return leaves.kept(POTENTIAL) + leaves.kept(("work", "stored"))


def total(leaves: Leaves) -> Any:
    kinetic, dissipated, driven = (leaves.kept(key) for key in (KINETIC, ("work", "dissipated"), ("work", "driven")))
    return kinetic + potential(leaves) + dissipated - driven
