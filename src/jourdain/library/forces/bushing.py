"""Bushing: springs and dampers along and about the axes of a point."""

from __future__ import annotations

from collections.abc import Sequence

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
    turns = turn_of_plane(axes_i, axes_j) if blueprint.dim == 2 else rotation_vector(axes_i, axes_j)
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


def turn_of_plane(axes_i: list[Vector], axes_j: list[Vector]) -> Vector:
    """Angle from x_i to x_j, in (-pi, pi]."""
    return (apply("atan2", dot(axes_j[0], axes_i[1]), dot(axes_j[0], axes_i[0])),)


def rotation_vector(axes_i: list[Vector], axes_j: list[Vector]) -> Vector:
    """Rotation vector of j relative to i, in the axes of i (and of j: it is the axis of rotation), below half a turn.

    R_ab = a_i . b_j has trace 1 + 2 cos(phi), so w = cos(phi/2) = sqrt(1 + trace) / 2; its skew part over 4 w is the
    vector part of the quaternion, sin(phi/2) times the axis (Shabana, Dynamics of Multibody Systems, section 2.2).
    Beyond 120 degrees, where w is small, that would lose digits, all of them at half a turn.
    """
    R = [[dot(a, b) for b in axes_j] for a in axes_i]
    square = 1.0 + R[0][0] + R[1][1] + R[2][2]
    skew = (R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1])
    near = _exceeds(square, number(1.0))
    w = 0.5 * apply("sqrt", apply("max", square, number(0.25)))
    factor = near * Formula("turn_factor", (w,)) / (4.0 * w)
    return tuple(factor * s + (1.0 - near) * f for s, f in zip(skew, _beyond(R, square, skew), strict=True))


def _beyond(R: list[list[Formula]], square: Formula, skew: Vector) -> Vector:
    """The same where w is small: by the largest component of the vector part, which is at least 1/2 there.

    Of a quaternion p the products 4 p_a p_b are sums of elements of R, so that p is any of their columns, over 4 p_b.
    """
    squares = [2.0 - square + 2.0 * R[k][k] for k in range(3)]
    over = _exceeds(squares[0], squares[1])
    first = over * _exceeds(squares[0], squares[2])
    second = (1.0 - over) * _exceeds(squares[1], squares[2])
    chosen = (first, second, 1.0 - first - second)
    largest = 0.5 * apply("sqrt", apply("max", _combined(chosen, squares), number(0.25)))
    products = [[squares[a] if a == b else R[a][b] + R[b][a] for b in range(3)] for a in range(3)]
    vector = [_combined(chosen, products[a]) / (4.0 * largest) for a in range(3)]
    w = _combined(chosen, skew) / (4.0 * largest)
    side = 1.0 - 2.0 * _exceeds(number(0.0), w)  # p and -p are one rotation: that by less than half a turn
    factor = side * Formula("turn_factor", (side * w,))
    return tuple(factor * u for u in vector)


def _exceeds(a: Formula, b: Formula) -> Formula:
    """1 where a > b, else 0."""
    return apply("max", apply("sign", a - b), number(0.0))


def _combined(weights: tuple[Formula, ...], parts: Sequence[Formula]) -> Formula:
    return weights[0] * parts[0] + weights[1] * parts[1] + weights[2] * parts[2]


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
    example='m.bushing("rubber", frame["A"], arm["A"], stiffness=(1e5, 1e5, 200), damping=(50, 50, 1))',
)
