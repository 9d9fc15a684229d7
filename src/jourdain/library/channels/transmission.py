"""The transmission angle at a pin: between its two links, or between the rod and the normal of a slide.

In space sin(mu) = |u . v|, u along the coupler and v the direction in which the follower lets the pin move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...mechanism.parts import GROUND, Blueprint, Joint, PortName
from .. import quantities
from ..joints import Pair, kind_of
from ..levels import POSITION
from .definition import Channel, Leaves, Rates, Value, axes_of, dot, norm

PINS = (Pair.PIN, Pair.BALL, Pair.HOOKE)
DIRECTED = (*PINS, Pair.SLIDE)
ON_AXIS = 1e-9  # of the distance to the bearing
SAYS = "[transmission angle](machine-figures.md#transmission-angle), where there is one"

Links = tuple[Joint, Joint]


def channels(blueprint: Blueprint, joint: Joint) -> Iterator[Channel]:
    """The one there is, or none."""
    try:
        found = links_at(blueprint, joint)
    except (KeyError, ValueError, ArithmeticError):
        return  # a joint or a port is at fault, and told so itself
    if found is not None:
        name = f"{joint.name}.transmission"
        rates = Rates(f"{name}_rate", _rate(blueprint, joint, found))
        yield Channel(name, POSITION, quantities.ANGLE, SAYS, angle(blueprint, joint, found), rates=rates)


def _joints_of(blueprint: Blueprint, body: str) -> Sequence[Joint]:
    if "joints of bodies" not in blueprint.derived:
        table: dict[str, list[Joint]] = {}
        for joint in blueprint.joints:
            for name in {joint.first.body, joint.second.body}:
                table.setdefault(name, []).append(joint)
        blueprint.derived["joints of bodies"] = table
    found: Sequence[Joint] = blueprint.derived["joints of bodies"].get(body, ())
    return found


def links_at(blueprint: Blueprint, joint: Joint) -> Links | None:
    """The other joint of either body of a pin, where each has just one other that gives it a direction."""
    if kind_of(joint).pair not in PINS or GROUND in (joint.first.body, joint.second.body):
        return None
    found = []
    for body in (joint.first.body, joint.second.body):
        others = [j for j in _joints_of(blueprint, body) if j is not joint]
        if len(others) != 1 or kind_of(others[0]).pair not in DIRECTED:
            return None
        found.append(others[0])
    pairs = {kind_of(other).pair for other in found}
    # In space a follower that turns or slides, and a coupler between two balls.
    if blueprint.dim == 3 and not (pairs & {Pair.PIN, Pair.SLIDE} and pairs & {Pair.BALL, Pair.HOOKE}):
        return None
    if blueprint.dim == 3 and any(
        _on_axis(blueprint, *pair) for pair in zip((joint.first, joint.second), found, strict=True)
    ):
        return None
    return None if pairs == {Pair.SLIDE} else (found[0], found[1])


def _on_axis(blueprint: Blueprint, pin: PortName, bearing: Joint) -> bool:
    """Whether a pin lies on the axis about which its body turns, so that it moves nowhere: the joint of a shaft."""
    if kind_of(bearing).pair is not Pair.PIN:
        return False
    own = _own(bearing, pin.body)
    axis = axes_of(blueprint, bearing)["z_i" if own is bearing.first else "z_j"]
    arm = np.subtract(blueprint.port(pin).at, blueprint.port(own).at)
    return bool(np.linalg.norm(np.cross(axis, arm)) <= ON_AXIS * np.linalg.norm(arm))


def _own(joint: Joint, body: str) -> PortName:
    return joint.first if joint.first.body == body else joint.second


def angle(blueprint: Blueprint, joint: Joint, others: Links) -> Value:
    """Of a pin between the links that the other joints give."""

    def value(leaves: Leaves) -> Any:
        u, v = _directions(blueprint, joint, others, leaves)
        across, along = (_crossed(u, v), dot(u, v)) if leaves.dim == 2 else (dot(u, v), norm(np.cross(u, v)))
        return np.arctan2(np.abs(across), along)

    return value


def _rate(blueprint: Blueprint, joint: Joint, others: Links) -> Value:
    def value(leaves: Leaves) -> Any:
        u, v = _directions(blueprint, joint, others, leaves)
        du, dv = _directions(blueprint, joint, others, leaves, 1)
        if leaves.dim == 2:
            s, ds = _crossed(u, v), _crossed(du, v) + _crossed(u, dv)
            c, dc = dot(u, v), dot(du, v) + dot(u, dv)
        else:
            n = np.cross(u, v)
            s, ds = dot(u, v), dot(du, v) + dot(u, dv)
            c = norm(n)
            dc = dot(n, np.cross(du, v) + np.cross(u, dv)) / np.where(c > 0, c, 1.0)
        return (c * np.sign(s) * ds - np.abs(s) * dc) / (s * s + c * c)

    return value


def _crossed(a: Any, b: Any) -> Any:
    return a.T[0] * b.T[1] - a.T[1] * b.T[0]


def _directions(blueprint: Blueprint, joint: Joint, others: Links, leaves: Leaves, order: int = 0) -> Any:
    """Along one link and along, or across, the other; order 1: their rates."""
    pairs = list(zip((joint.first, joint.second), others, strict=True))
    if leaves.dim == 2:
        return [_line(blueprint, port, other, leaves, order) for port, other in pairs]
    pairs.sort(key=lambda p: kind_of(p[1]).pair in (Pair.PIN, Pair.SLIDE))
    (port, far), (driven, bearing) = pairs
    u = _between(blueprint, port, _own(far, port.body), leaves, order)
    first, local = bearing.first.body, axes_of(blueprint, bearing)["z_i"]
    if kind_of(bearing).pair is not Pair.PIN:
        return u, leaves.axis(first, local, order)
    own = _own(bearing, driven.body)
    arm, axis = _between(blueprint, own, driven, leaves), leaves.axis(first, local)
    if order == 0:
        return u, np.cross(axis, arm)
    rate = np.cross(leaves.axis(first, local, 1), arm)
    return u, rate + np.cross(axis, _between(blueprint, own, driven, leaves, 1))


def _line(blueprint: Blueprint, port: PortName, other: Joint, leaves: Leaves, order: int) -> Any:
    """From a pin along its link in the plane: to the other pin, or normal to the slide."""
    if kind_of(other).pair is Pair.SLIDE:
        axis = leaves.axis(other.first.body, axes_of(blueprint, other)["x_i"], order)
        return np.stack([-axis.T[1], axis.T[0]], axis=-1)
    return _between(blueprint, port, _own(other, port.body), leaves, order)


def _between(blueprint: Blueprint, start: PortName, end: PortName, leaves: Leaves, order: int = 0) -> Any:
    tip, tail = (leaves.point(p.body, blueprint.port(p).at, order) for p in (end, start))
    return tip - tail
