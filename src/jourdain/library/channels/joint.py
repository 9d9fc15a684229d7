"""Channels of joints: their coordinates, and what they bear."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...mechanism.parts import Blueprint, Joint
from .. import quantities
from ..joints import DISPLACEMENT, KINDS, kind_of
from ..levels import AFTER, POSITION, REACTION, VELOCITY
from . import transmission
from .definition import FIRST, SECOND, Channel, Leaves, Rates, RowWise, Value, axes_of, dot, norm

WRENCH = {2: ("fx", "fy", "mz"), 3: ("fx", "fy", "fz", "mx", "my", "mz")}
BODIES = {FIRST: "first", SECOND: "second"}


def channels(blueprint: Blueprint, joint: Joint) -> Iterator[Channel]:
    """Of a joint, in the order in which results list them."""
    yield from _wrench(blueprint, joint, SECOND, joint.name)
    yield _angle(blueprint, joint)
    yield _speed(blueprint, joint)
    yield _displacement(blueprint, joint)
    says = "size of its force"
    yield Channel(
        f"{joint.name}.load", REACTION, quantities.FORCE, says, _load(joint, blueprint.dim), row_wise=RowWise.YES
    )
    if blueprint.dim == 3:
        yield from _in_body_axes(joint, SECOND, joint.name)
    yield from _wrench(blueprint, joint, FIRST, f"{joint.name}.on_first")
    if blueprint.dim == 3:
        yield from _in_body_axes(joint, FIRST, f"{joint.name}.on_first")
    yield from transmission.channels(blueprint, joint)


# Coordinates ------------------------------------------------------------------------------------------------------


def _turns(blueprint: Blueprint, joint: Joint) -> bool:
    """Whether it has an angle about one axis: in the plane always."""
    return blueprint.dim == 2 or kind_of(joint).turns


def _with_angles() -> str:
    return ", ".join(kind.name for kind in KINDS if kind.turns)


def _angle(blueprint: Blueprint, joint: Joint) -> Channel:
    """From x_i to x_j about z_i, unwrapped."""
    first, second = joint.first.body, joint.second.body

    def value(leaves: Leaves) -> Any:
        axes = axes_of(blueprint, joint)
        x_j = leaves.axis(second, axes["x_j"])
        x_i, y_i = (leaves.axis(first, axes[name]) for name in ("x_i", "y_i"))
        return leaves.wound(joint, np.arctan2(dot(x_j, y_i), dot(x_j, x_i)))

    def second_rate(leaves: Leaves) -> Any:
        change = leaves.spin(second, 1) - leaves.spin(first, 1)
        if blueprint.dim == 2:
            return change.T[0]
        axes = axes_of(blueprint, joint)
        z, turning = leaves.axis(first, axes["z_i"]), leaves.axis(first, axes["z_i"], 1)
        return dot(change, z) + dot(leaves.spin(second) - leaves.spin(first), turning)

    turns = _turns(blueprint, joint)
    return Channel(
        f"{joint.name}.angle",
        POSITION if turns else AFTER,
        quantities.ANGLE,
        "of the second body against the first, unwrapped",
        value,
        rates=Rates(f"{joint.name}.speed", _turning(blueprint, joint), second_rate) if turns else None,
        refused="" if turns else f"a {joint.type} joint has no angle; {_with_angles()} have",
    )


def _turning(blueprint: Blueprint, joint: Joint) -> Value:
    """Rate of the angle."""
    first, second = joint.first.body, joint.second.body

    def value(leaves: Leaves) -> Any:
        relative = leaves.spin(second) - leaves.spin(first)
        if blueprint.dim == 2:
            return relative.T[0]
        return dot(relative, leaves.axis(first, axes_of(blueprint, joint)["z_i"]))

    return value


def _speed(blueprint: Blueprint, joint: Joint) -> Channel:
    """Rate of the angle; of the displacement where that is all there is."""
    name, says = f"{joint.name}.speed", "rate of the angle; of the displacement if prismatic"
    if kind_of(joint).speed == DISPLACEMENT:
        return Channel(name, VELOCITY, quantities.VELOCITY, says, _sliding(blueprint, joint, 1))
    turns = _turns(blueprint, joint)
    return Channel(
        name,
        VELOCITY if turns else AFTER,
        quantities.SPIN,
        says,
        _turning(blueprint, joint),
        refused="" if turns else f"a {joint.type} joint has no speed; {_with_angles()} and prismatic have",
    )


def _displacement(blueprint: Blueprint, joint: Joint) -> Channel:
    """MN along the sliding direction of the first port: its x in the plane, its z in space."""
    says = "along x (plane) or z (space) of the first point"
    rate = f"{joint.name}.speed" if kind_of(joint).speed == DISPLACEMENT else f"{joint.name}.displacement_rate"
    rates = Rates(rate, _sliding(blueprint, joint, 1), _sliding(blueprint, joint, 2))
    value = _sliding(blueprint, joint, 0)
    return Channel(f"{joint.name}.displacement", POSITION, quantities.POSITION, says, value, rates=rates)


def _sliding(blueprint: Blueprint, joint: Joint, order: int) -> Value:
    def value(leaves: Leaves) -> Any:
        axis = axes_of(blueprint, joint)["x_i" if blueprint.dim == 2 else "z_i"]
        at = blueprint.port(joint.first).at, blueprint.port(joint.second).at

        def derivative(k: int) -> tuple[object, object]:
            M, N = leaves.point(joint.first.body, at[0], k), leaves.point(joint.second.body, at[1], k)
            return N - M, leaves.axis(joint.first.body, axis, k)

        d, a = derivative(0)
        if order == 0:
            return dot(d, a)
        dd, da = derivative(1)
        if order == 1:
            return dot(dd, a) + dot(d, da)
        ddd, dda = derivative(2)
        return dot(ddd, a) + 2 * dot(dd, da) + dot(d, dda)

    return value


# What it bears ----------------------------------------------------------------------------------------------------


def _wrench(blueprint: Blueprint, joint: Joint, side: int, stem: str) -> Iterator[Channel]:
    says = f"on the {BODIES[side]} body, at its point"
    for k, c in enumerate(WRENCH[blueprint.dim]):
        quantity = quantities.FORCE if c[0] == "f" else quantities.MOMENT
        yield Channel(
            f"{stem}.{c}", REACTION, quantity, says, kept=("wrench", joint.name, side, k), row_wise=RowWise.YES
        )


def _in_body_axes(joint: Joint, side: int, stem: str) -> Iterator[Channel]:
    body = (joint.second if side == SECOND else joint.first).body
    for k, c in enumerate("xyz"):
        says = f"its moment in axes of the {BODIES[side]} body, space only"
        yield Channel(
            f"{stem}.m{c}_body", REACTION, quantities.MOMENT, says, _along(joint, side, body, k), row_wise=RowWise.YES
        )


def _along(joint: Joint, side: int, body: str, k: int) -> Value:
    axis = tuple(np.eye(3)[k])
    return lambda leaves: dot(leaves.wrench(joint.name, side)[..., 3:], leaves.axis(body, axis))


def _load(joint: Joint, dim: int) -> Value:
    return lambda leaves: norm(leaves.wrench(joint.name, SECOND)[..., :dim])
