"""Channels of a body: its origin, attitude, velocities and accelerations."""

from __future__ import annotations

from collections.abc import Iterator

from .. import quantities
from ..levels import ACCELERATION, AFTER, POSITION, VELOCITY
from .attitude import bryan
from .definition import Channel, Rates, RowWise, Value

QUATERNIONS = ("qw", "qx", "qy", "qz")
NO_QUATERNION = (
    "a quaternion and its negative are the same attitude, so nothing can depend on one; use the angle of a joint or "
    "the coordinates of points"
)
ORDERS = (
    ("", POSITION, quantities.POSITION),
    ("v", VELOCITY, quantities.VELOCITY),
    ("a", ACCELERATION, quantities.ACCELERATION),
)


def body_coordinate(body: str, at: tuple[float, ...], k: int, order: int) -> Value:
    """Component k of a point, or of a derivative of it."""
    return lambda leaves: leaves.point(body, at, order).T[k]


def spin(body: str, k: int, order: int) -> Value:
    return lambda leaves: leaves.spin(body, order).T[k]


def quaternion(body: str, k: int) -> Value:
    return lambda leaves: leaves.attitude(body).T[k]


def coordinates(stem: str, body: str, at: tuple[float, ...], order: int, says: str) -> Iterator[Channel]:
    """`stem.x`, `.y` ... of a point, or its velocity, or its acceleration."""
    letter, level, quantity = ORDERS[order]
    for k, axis in enumerate("xyz"[: len(at)]):
        rates = None
        if level == POSITION:
            rates = Rates(f"{stem}.v{axis}", body_coordinate(body, at, k, 1), body_coordinate(body, at, k, 2))
        yield Channel(f"{stem}.{letter}{axis}", level, quantity, says, body_coordinate(body, at, k, order), None, rates)


def channels(name: str, dim: int) -> Iterator[Channel]:
    """Of a body, in the order in which results list them."""
    for channel in _channels(name, dim):
        continued = channel.quantity == quantities.QUATERNION  # they take the sign that continues the last one
        yield channel if continued else channel._replace(row_wise=of_poses(dim))


def of_poses(dim: int) -> RowWise:
    """Of what poses and their rates alone enter."""
    return RowWise.WITH_TURNS if dim == 2 else RowWise.YES


def _channels(name: str, dim: int) -> Iterator[Channel]:
    for order, stands in enumerate(("pose", "twist", "")):
        words = "of the origin" if order else "origin of the body axes"
        for found in coordinates(name, name, (0.0,) * dim, order, words):
            kept = (stands, name, found.name.rpartition(".")[2]) if stands else None
            yield found._replace(kept=kept)
        yield from _in_plane(name, order) if dim == 2 else _in_space(name, order)


def _in_plane(name: str, order: int) -> Iterator[Channel]:
    if order == 0:
        rates = Rates(f"{name}.spin", spin(name, 0, 0), spin(name, 0, 1))
        says, kept = "plane only; counts turns", ("pose", name, "angle")
        yield Channel(f"{name}.angle", POSITION, quantities.ANGLE, says, lambda x: x.attitude(name), kept, rates)
    elif order == 1:
        kept = ("twist", name, "spin")
        yield Channel(f"{name}.spin", VELOCITY, quantities.SPIN, "plane only", spin(name, 0, 0), kept)
    else:
        yield Channel(f"{name}.spin_rate", ACCELERATION, quantities.SPIN_RATE, "plane only", spin(name, 0, 1))


def _in_space(name: str, order: int) -> Iterator[Channel]:
    if order == 0:
        for k, c in enumerate(QUATERNIONS):
            says, kept = "unit quaternion, space only", ("pose", name, c)
            value = quaternion(name, k)
            yield Channel(f"{name}.{c}", AFTER, quantities.QUATERNION, says, value, kept, refused=NO_QUATERNION)
        yield from bryan(name)
        return
    for k, axis in enumerate("xyz"):
        if order == 1:
            says, kept = "angular velocity, space only", ("twist", name, f"w{axis}")
            yield Channel(f"{name}.w{axis}", VELOCITY, quantities.SPIN, says, spin(name, k, 0), kept)
        else:
            says = "angular acceleration, space only"
            yield Channel(f"{name}.w{axis}_rate", ACCELERATION, quantities.SPIN_RATE, says, spin(name, k, 1))


# What channels of bodies are called, in the plane or in space: no point of a body may be called so.
NAMES = frozenset(channel.name.removeprefix("b.") for dim in (2, 3) for channel in channels("b", dim))
