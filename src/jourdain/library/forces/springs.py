"""Springs, dampers, bushings, ropes and stops: forces that follow the distance or the relative place of two ports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...equations.formula import Formula, apply, leaf, number
from ...equations.lowered import DISSIPATED, DRIVEN, OWN_POTENTIAL, STORED, Effort, Lowered
from ...equations.tables import Table, monotone
from ...mechanism.fault import Fault
from .. import kinds as k
from ..geometry import ANGLE, Vector, axis_of_ports, dot, length, separation
from ..kinds import FORCES, Key, Kind, optional
from ..values import Values
from .laws import ALONG, RATE, damper, dropped, here, one_sided, spring, total

# Torsion spring -----------------------------------------------------------------------------------------------------


def _torsion(values: Values) -> Lowered:
    q = values.coordinate()
    efforts = (
        spring(q.along, values.number("stiffness"), values.number("angle")),
        damper(q.along, values.number("damping")),
    )
    channels = {"angle": q.along, "torque": total(efforts, q.along, q.rate)}
    return Lowered(efforts=dropped(efforts), channels=channels)


# Spring of any characteristic ---------------------------------------------------------------------------------------


def _spring_check(values: Values) -> Iterator[Fault]:
    if values.has("force") == values.has("table"):
        yield values.fault("table", "expected either force or table" + (", not both" if values.has("force") else ""))


def _spring(values: Values) -> Lowered:
    """Pull F(l, l'), positive where the points are drawn together: the effort along the length is -F."""
    distance, rate = length(values.blueprint, *values.ports())
    efforts: tuple[Effort, ...]
    if values.has("table"):
        table = values.table(monotone, "table")
        energy = _energy(table, values.raw("table")).of(distance)
        efforts = (Effort(distance, -table.of(ALONG), OWN_POTENTIAL, energy),)
    else:
        efforts = _by_formula(distance, values.formula("force", {"length": ALONG, "rate": RATE}))
    efforts = (*efforts, *dropped((damper(distance, values.number("damping")),)))
    channels = {"length": distance, "rate": rate, "force": -total(efforts, distance, rate)}
    return Lowered(efforts=efforts, channels=channels)


def _by_formula(distance: Formula, pull: Formula) -> tuple[Effort, ...]:
    """What a pull is worth: at rest it is stored energy, the rest of it is friction; from outside it is drive.

    A pull of length and rate alone splits as F(l, l') = F(l, 0) + (F(l, l') - F(l, 0)).
    """
    keys = pull.quantities()
    channels = [key for key in keys if "." in str(key)]
    if channels or any(node.op == "t" for node in pull.nodes()):
        return (Effort(distance, -pull, DRIVEN),)
    if "rate" not in keys:
        return (Effort(distance, -pull, STORED),)
    at_rest = pull.resolved(lambda key: number(0.0) if key == "rate" else leaf(key))
    return dropped((Effort(distance, -at_rest, STORED), Effort(distance, -(pull - at_rest), DISSIPATED)))


def _energy(table: Table, points: object) -> Table:
    """The energy of a spring's table, zero at the point of least force."""
    integral = table.integral()
    zero = min(points, key=lambda p: abs(p[1]))[0]  # type: ignore[call-overload]
    shift = integral(zero)
    return replace(integral, coefficients=tuple((*c[:-1], c[-1] - shift) for c in integral.coefficients))


# Bushing ------------------------------------------------------------------------------------------------------------


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


# Rope and stop ------------------------------------------------------------------------------------------------------


def _rope(values: Values) -> Lowered:
    distance, rate = length(values.blueprint, *values.ports())
    free = values.number("length")
    efforts, (depth, pull) = one_sided(distance, free, 1.0, values.number("stiffness"), values.number("damping"))
    channels = {"length": distance, "stretch": here(depth, distance, rate), "force": here(pull, distance, rate)}
    return Lowered(efforts=efforts, channels=channels)


def _stop_check(values: Values) -> Iterator[Fault]:
    if values.has("joint") == values.has("between"):
        both = ", not both" if values.has("joint") else ""
        yield values.fault("between", f"expected either joint or between{both}")
    if not values.has("below") and not values.has("above"):
        yield values.fault("below", "expected a limit: below, above or both")
    elif values.has("below") and values.has("above") and values.start_of("below") >= values.start_of("above"):
        words = f"below is {values.start_of('below')} and above is {values.start_of('above')}; expected below < above"
        yield values.fault("below", words)


def _stop(values: Values) -> Lowered:
    if values.has("joint"):
        q = values.coordinate()
        along, rate = q.along, q.rate
    else:
        along, rate = length(values.blueprint, *values.ports())
    efforts: list[Effort] = []
    depth, force = number(0.0), number(0.0)
    for key, side in (("below", -1.0), ("above", 1.0)):
        if values.has(key):
            stiffness, damping = values.number("stiffness"), values.number("damping")
            found, (d, N) = one_sided(along, values.number(key), side, stiffness, damping)
            efforts += found
            depth, force = depth + here(d, along, rate), force - side * here(N, along, rate)
    return Lowered(efforts=tuple(efforts), channels={"depth": depth, "force": force})


_BETWEEN = Key(k.PORTS)
_CONTACT_DAMPING = "relative growth of the force per m/s (rad/s) of approach"

KINDS: dict[str, Kind] = {
    "torsion-spring-damper": Kind(
        {
            "joint": Key(k.JOINT, coordinate=ANGLE),
            "stiffness": optional(k.NOT_NEGATIVE, 0.0, unit="N m/rad"),
            "damping": optional(k.NOT_NEGATIVE, 0.0, unit="N m s/rad"),
            "angle": optional(k.NUMBER, 0.0, unit="rad", help="free angle"),
        },
        _torsion,
        "a torque in a joint that follows its angle and speed; torque: on the second body",
        FORCES,
    ),
    "spring": Kind(
        {
            "between": _BETWEEN,
            "force": optional(k.FORMULA, unit="N", local=("length", "rate"), help="pull, over length and rate"),
            "table": optional(k.TABLE, unit="m, N", help="pairs (length, pull); straight beyond them"),
            "damping": optional(k.NOT_NEGATIVE, 0.0, unit="N s/m"),
            "inputs": optional(k.NAMES, help="what a function takes, instead of length and rate"),
        },
        _spring,
        "a pull between two points by any formula of their distance, or by a table",
        FORCES,
        _spring_check,
    ),
    "bushing": Kind(
        {
            "between": _BETWEEN,
            "stiffness": Key(k.NOT_NEGATIVE, size="six", unit="N/m, N m/rad"),
            "damping": optional(k.NOT_NEGATIVE, 0.0, size="six", unit="N s/m, N m s/rad"),
        },
        _bushing,
        "springs and dampers along and about the axes of the first port",
        FORCES,
    ),
    "rope": Kind(
        {
            "between": _BETWEEN,
            "length": Key(k.NOT_NEGATIVE, unit="m"),
            "stiffness": Key(k.POSITIVE, unit="N/m"),
            "damping": optional(k.NOT_NEGATIVE, 0.0, unit="s/m", help=_CONTACT_DAMPING),
        },
        _rope,
        "pulls when longer than its length, never pushes",
        FORCES,
    ),
    "stop": Kind(
        {
            "joint": optional(k.JOINT, help="limits its coordinate; or between"),
            "between": optional(k.PORTS, help="limits their distance; or joint"),
            "below": optional(k.NUMBER, unit="m or rad", help="acts below this"),
            "above": optional(k.NUMBER, unit="m or rad", help="acts above this"),
            "stiffness": Key(k.POSITIVE, unit="N/m or N m/rad"),
            "damping": optional(k.NOT_NEGATIVE, 0.0, unit="s/m or s/rad", help=_CONTACT_DAMPING),
        },
        _stop,
        "an elastic limit of a joint's coordinate or of a distance; it never pulls",
        FORCES,
        _stop_check,
    ),
}
