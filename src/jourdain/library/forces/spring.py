"""Spring of any characteristic between two points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...equations.formula import Formula, leaf, number
from ...equations.lowered import DISSIPATED, DRIVEN, OWN_POTENTIAL, STORED, Effort, Lowered
from ...equations.tables import Curve, monotone
from ...mechanism.fault import Fault
from ...mechanism.table_data import Table
from .. import kinds as k
from .. import quantities as measured
from ..geometry import length
from ..kinds import FORCES, Kind, LinkSymbol, optional
from ..shared_keys import BETWEEN
from ..values import Values
from .laws import ALONG, RATE, damper, dropped, total_effort


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
        efforts = _by_formula(values, distance, values.formula("force", {"length": ALONG, "rate": RATE}))
    efforts = (*efforts, *dropped((damper(distance, values.number("damping")),)))
    channels = {"length": distance, "rate": rate, "force": -total_effort(efforts, distance, rate)}
    return Lowered(efforts=efforts, channels=channels)


def _by_formula(values: Values, distance: Formula, pull: Formula) -> tuple[Effort, ...]:
    """What a pull is worth: at rest it is stored energy, the rest of it is friction; from outside it is drive.

    A pull of length and rate alone splits as F(l, l') = F(l, 0) + (F(l, l') - F(l, 0)).
    """
    keys = pull.quantities()
    channels = [key for key in keys if "." in str(key) and key not in values.blueprint.parameters]
    if channels or any(node.op == "t" for node in pull.nodes()):
        return (Effort(distance, -pull, DRIVEN),)
    if "rate" not in keys:
        return (Effort(distance, -pull, STORED),)
    at_rest = pull.resolved(lambda key: number(0.0) if key == "rate" else leaf(key))
    return dropped((Effort(distance, -at_rest, STORED), Effort(distance, -(pull - at_rest), DISSIPATED)))


def _energy(table: Curve, points: object) -> Curve:
    """The energy of a spring's table, zero at the point of least force."""
    integral = table.integral()
    pairs = zip(points.x, points.y, strict=True) if isinstance(points, Table) else points
    zero = min(pairs, key=lambda p: abs(p[1]))[0]  # type: ignore[call-overload]
    shift = integral(zero)
    return replace(integral, coefficients=tuple((*c[:-1], c[-1] - shift) for c in integral.coefficients))


SPRING = Kind(
    "spring",
    {
        "between": BETWEEN,
        "force": optional(k.FORMULA, unit="N", local=("length", "rate"), help="pull, over length and rate"),
        "table": optional(k.TABLE, unit="m, N", help="pairs (length, pull); straight beyond them"),
        "damping": optional(k.NOT_NEGATIVE, 0.0, unit="N s/m"),
        "inputs": optional(k.NAMES, help="what a function takes, instead of length and rate"),
    },
    _spring,
    "a pull between two points by any formula of their distance, or by a table",
    FORCES,
    _spring_check,
    symbol=LinkSymbol.COIL,
    measures={"length": measured.LENGTH, "rate": measured.VELOCITY, "force": measured.FORCE},
    example='m.spring("S", a["P"], b["Q"], force="200*(length - 1)**3")',
)
