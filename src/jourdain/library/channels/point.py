"""Channels of named points, of bodies and of the ground."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ...mechanism.parts import GROUND, Port
from .. import quantities
from ..levels import POSITION
from .body import coordinates, of_poses, spin
from .definition import Channel, Leaves, Rates

ANGLE_SAYS = "of the x axis of the point, plane only; counts the turns of its body"


def channels(body: str, point: str, port: Port) -> Iterator[Channel]:
    """Of a point, in the order in which results list them."""
    yield from (channel._replace(row_wise=of_poses(len(port.at))) for channel in _channels(body, point, port))


def _channels(body: str, point: str, port: Port) -> Iterator[Channel]:
    stem = f"{body}.{point}"
    for order in range(3):
        yield from coordinates(stem, body, port.at, order, "of a named point, also of the ground")
    if len(port.at) == 2:
        yield _angle(stem, body, port)


def _angle(stem: str, body: str, port: Port) -> Channel:
    turned = 0.0 if port.x is None else math.atan2(port.x[1], port.x[0])

    def value(leaves: Leaves) -> Any:
        return leaves.attitude(body) + turned

    rates = None if body == GROUND else Rates(f"{body}.spin", spin(body, 0, 0), spin(body, 0, 1))
    return Channel(f"{stem}.angle", POSITION, quantities.ANGLE, ANGLE_SAYS, value, None, rates)
