"""Drag of a rod across itself."""

from __future__ import annotations

from collections.abc import Iterator

from ...equations.formula import apply
from ...equations.lowered import DISSIPATED, Load, Lowered
from ...mechanism.fault import Fault
from .. import kinds as k
from .. import quantities as measured
from ..geometry import dot, minus, place, point
from ..kinds import FORCES, Kind, optional
from ..values import Values
from .rods import POINTS, ROD, rod, rod_check, summed

# m/s; keeps |v| smooth at rest, far below the speeds at which drag matters.
SMALLEST_SPEED = 1e-9


def _drag_check(values: Values) -> Iterator[Fault]:
    yield from rod_check(values)
    if not values.has("quadratic") and not values.has("linear"):
        yield values.fault("quadratic", "expected a coefficient: quadratic, linear or both")


def _drag(values: Values) -> Lowered:
    """Per metre -(linear + quadratic |n|) n, where n is the velocity across the rod (Morison's drag term)."""
    body, length, stations = rod(values)
    first, second = values.ports()
    u = tuple(c / length for c in minus(place(values.blueprint, second), place(values.blueprint, first)))
    linear, quadratic = values.number("linear"), values.number("quadratic")
    loads = []
    for _, weight, at in stations:
        v = point(body, at, 1)
        along = dot(v, u)
        across = tuple(c - along * e for c, e in zip(v, u, strict=True))
        speed = apply("sqrt", dot(across, across) + SMALLEST_SPEED**2)
        factor = -weight * (linear + quadratic * speed)
        loads.append(Load(body, at, tuple(factor * c for c in across), DISSIPATED))
    return Lowered(loads=tuple(loads), channels=summed(loads))


DRAG = Kind(
    "drag",
    {
        "between": ROD,
        "quadratic": optional(k.NOT_NEGATIVE, 0.0, unit="N s^2/m^3"),
        "linear": optional(k.NOT_NEGATIVE, 0.0, unit="N s/m^2"),
        "points": POINTS,
    },
    _drag,
    "resistance per metre of a rod against its velocity across itself",
    FORCES,
    _drag_check,
    measures=measured.FORCES,
    example='m.drag("water", oar["A"], oar["B"], quadratic=40)',
)
