"""Channels of plain spring-dampers, which kernels know by themselves; those of components are in `component.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...mechanism.parts import Blueprint, SpringDamper
from .. import quantities
from ..levels import POSITION, VELOCITY
from .definition import Channel, Leaves, Rates, RowWise, dot, norm

REPORTED = ("length", "force")  # in the order of the outputs


def channels(blueprint: Blueprint, spring: SpringDamper) -> Iterator[Channel]:
    """Of a spring-damper. One that events switch goes on to report the force that its length and speed would give."""

    def apart(leaves: Leaves, order: int) -> Any:
        M, N = (leaves.point(p.body, blueprint.port(p).at, order) for p in (spring.first, spring.second))
        return N - M

    def length(leaves: Leaves) -> Any:
        return norm(apart(leaves, 0))

    def rate(leaves: Leaves) -> Any:
        d = apart(leaves, 0)
        return dot(d, apart(leaves, 1)) / np.sqrt(dot(d, d) + blueprint.no_length**2)

    def force(leaves: Leaves) -> Any:
        return spring.stiffness * (length(leaves) - spring.length) + spring.damping * rate(leaves)

    name = spring.name
    rates, kept = Rates(f"{name}.rate", rate), ("spring", name, 0)
    yield Channel(
        f"{name}.length", POSITION, quantities.LENGTH, "of a spring-damper", length, kept, rates, row_wise=RowWise.YES
    )
    says = "pull of a spring-damper; while it is off, what its length and speed would give"
    yield Channel(f"{name}.force", VELOCITY, quantities.FORCE, says, force, ("spring", name, 1), row_wise=RowWise.YES)
