"""Bushing: springs and dampers along and about the axes of a point."""

from __future__ import annotations

from ...equations.formula import Formula, apply, number
from ...equations.lowered import Effort, Lowered
from .. import kinds as k
from .. import quantities as measured
from ..geometry import Vector, axis_of_ports, dot, separation
from ..kinds import FORCES, Key, Kind, LinkSymbol, optional
from ..shared_keys import BETWEEN
from ..values import Values
from .laws import damper, dropped, spring


def _bushing(values: Values) -> Lowered:
    """Springs along the axes of the first port, and about them by the components of the rotation vector."""
    blueprint, (first, second) = values.blueprint, values.ports()
    names = "xyz"[: blueprint.dim]
    axes_i = [axis_of_ports(blueprint, first, second, f"{n}_i") for n in names]
    axes_j = [axis_of_ports(blueprint, first, second, f"{n}_j") for n in names]
    apart = separation(blueprint, first, second)
    shifts = [dot(apart, a) for a in axes_i]
    turns = _turn_of_plane(axes_i, axes_j) if blueprint.dim == 2 else rotation_vector(axes_i, axes_j)
    quantities = (*shifts, *turns)
    stiffness, damping = values.numbers("stiffness"), values.numbers("damping")
    damping = damping if len(damping) > 1 else damping * len(quantities)
    efforts: list[Effort] = []
    for along, s, d in zip(quantities, stiffness, damping, strict=True):
        efforts += dropped((spring(along, s, number(0.0)), damper(along, d)))
    turn_names = ("angle",) if blueprint.dim == 2 else ("rx", "ry", "rz")
    channels = dict(zip((*names, *turn_names), quantities, strict=True))
    moved = separation(blueprint, first, second, 1)
    for n, a, shift, s, d in zip(names, axes_i, shifts, stiffness, damping, strict=False):
        rate = dot(moved, a) + dot(apart, axis_of_ports(blueprint, first, second, f"{n}_i", 1))
        channels[f"f{n}"] = -(s * shift) - d * rate
    return Lowered(efforts=tuple(efforts), channels=channels)


def _turn_of_plane(axes_i: list[Vector], axes_j: list[Vector]) -> Vector:
    """Angle from x_i to x_j, in (-pi, pi]."""
    return (apply("atan2", dot(axes_j[0], axes_i[1]), dot(axes_j[0], axes_i[0])),)


def rotation_vector(axes_i: list[Vector], axes_j: list[Vector]) -> Vector:
    """Rotation vector of j relative to i, in the axes of i (and of j: it is the axis of rotation), below half a turn.

    R_ab = a_i . b_j has trace 1 + 2 cos(phi), so w = cos(phi/2) = sqrt(1 + trace) / 2; its skew part over 4 w is the
    vector part of the quaternion, sin(phi/2) times the axis (Shabana, Dynamics of Multibody Systems, section 2.2).
    """
    (x_i, y_i, z_i), (x_j, y_j, z_j) = axes_i, axes_j
    w = 0.5 * apply("sqrt", 1.0 + dot(x_i, x_j) + dot(y_i, y_j) + dot(z_i, z_j))
    skew = (
        dot(z_i, y_j) - dot(y_i, z_j),
        dot(x_i, z_j) - dot(z_i, x_j),
        dot(y_i, x_j) - dot(x_i, y_j),
    )
    factor = Formula("turn_factor", (w,)) / (4.0 * w)
    return tuple(factor * s for s in skew)


BUSHING = Kind(
    "bushing",
    {
        "between": BETWEEN,
        "stiffness": Key(k.NOT_NEGATIVE, size="six", unit="N/m, N m/rad"),
        "damping": optional(k.NOT_NEGATIVE, 0.0, size="six", unit="N s/m, N m s/rad"),
    },
    _bushing,
    "springs and dampers along and about the axes of the first port",
    FORCES,
    symbol=LinkSymbol.RUBBER,
    measures={
        **dict.fromkeys("xyz", measured.POSITION),
        **dict.fromkeys(("angle", "rx", "ry", "rz"), measured.ANGLE),
        **measured.FORCES,
    },
)
