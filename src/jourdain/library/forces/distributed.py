"""Forces spread along a rod, and forces that turn with a body.

A load along a rod is summed at Gauss-Legendre points: n of them are exact for loads of degree 2 n - 1 along the rod,
moments about the rod's middle included up to degree 2 n - 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...equations.formula import Formula, apply, number
from ...equations.lowered import DISSIPATED, Couple, Load, Lowered
from ...mechanism.fault import Fault
from ...mechanism.parts import GROUND
from .. import kinds as k
from ..geometry import Vector, body_axes, combined, dot, minus, place, point
from ..kinds import FORCES, Key, Kind, optional
from ..values import Values

# Gauss points of a rod unless told otherwise: exact up to degree 9.
GAUSS_POINTS = 5
# m/s; keeps |v| smooth at rest, far below the speeds at which drag matters.
SMALLEST_SPEED = 1e-9


def _rod(values: Values) -> tuple[str, float, list[tuple[float, float, tuple[float, ...]]]]:
    """Body, length, and the Gauss points: (s, weight in metres, place in body axes)."""
    first, second = values.ports()
    a, b = (np.array(values.blueprint.port(p).at) for p in (first, second))
    length = float(np.linalg.norm(b - a))
    nodes, weights = np.polynomial.legendre.leggauss(values.raw("points"))
    s = 0.5 * (nodes + 1.0)
    stations = [
        (float(x), float(0.5 * w * length), tuple(float(c) for c in a + x * (b - a)))
        for x, w in zip(s, weights, strict=True)
    ]
    return first.body, length, stations


def _rod_check(values: Values) -> Iterator[Fault]:
    first, second = values.ports()
    if first.body == GROUND:
        yield values.fault("between", "both points are on the ground, which does not move; name two points of a body")
    elif values.blueprint.port(first).at == values.blueprint.port(second).at:
        words = f"points '{first}' and '{second}' are in one place; expected a length between them"
        yield values.fault("between", words)


def _summed(loads: Sequence[Load]) -> dict[str, Formula]:
    """Channels fx, fy[, fz]: the whole force."""
    channels = {}
    for c, name in enumerate(("fx", "fy", "fz")[: len(loads[0].vector)]):
        whole = number(0.0)
        for load in loads:
            whole = whole + load.vector[c]
        channels[name] = whole
    return channels


def _line_load(values: Values) -> Lowered:
    body, _, stations = _rod(values)
    loads = []
    for s, weight, at in stations:
        vector: Vector = tuple(weight * f for f in values.formulas("vector", {"s": number(s)}))
        if values.raw("axes") == "body":
            vector = combined(vector, body_axes(values.blueprint, body))
        loads.append(Load(body, at, vector))
    return Lowered(loads=tuple(loads), channels=_summed(loads))


def _drag_check(values: Values) -> Iterator[Fault]:
    yield from _rod_check(values)
    if not values.has("quadratic") and not values.has("linear"):
        yield values.fault("quadratic", "expected a coefficient: quadratic, linear or both")


def _drag(values: Values) -> Lowered:
    """Per metre -(linear + quadratic |n|) n, where n is the velocity across the rod (Morison's drag term)."""
    body, length, stations = _rod(values)
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
    return Lowered(loads=tuple(loads), channels=_summed(loads))


# Followers ----------------------------------------------------------------------------------------------------------


def _force(values: Values) -> Lowered:
    on = values.raw("on")
    vector = combined(values.formulas("vector"), body_axes(values.blueprint, on.body))
    load = Load(on.body, values.blueprint.port(on).at, vector)
    return Lowered(loads=(load,), channels=_summed([load]))


def _force_check(values: Values) -> Iterator[Fault]:
    if values.raw("on").body == GROUND:
        yield values.fault("on", "acts on the ground, which does not move; name a point of a body")


def _torque(values: Values) -> Lowered:
    vector = values.formulas("torque")
    if values.blueprint.dim == 3:
        vector = combined(vector, body_axes(values.blueprint, values.raw("on")))
    names = ("torque",) if len(vector) == 1 else ("mx", "my", "mz")
    return Lowered(couples=(Couple(values.raw("on"), vector),), channels=dict(zip(names, vector, strict=True)))


_ROD = Key(k.PORTS, words=("same body",), help="two points of one body")
_POINTS = optional(k.COUNT, GAUSS_POINTS, help="Gauss points along the rod")
_INPUTS = optional(k.NAMES, help="what a function takes")

KINDS: dict[str, Kind] = {
    "line-load": Kind(
        {
            "between": _ROD,
            "vector": Key(k.FORMULA, size="dim", unit="N/m", local=("s",), help="s runs from 0 to 1 along the rod"),
            "axes": optional(k.WORD, "fixed", words=("fixed", "body")),
            "points": _POINTS,
            "inputs": _INPUTS,
        },
        _line_load,
        "a force per metre along a rod",
        FORCES,
        _rod_check,
    ),
    "drag": Kind(
        {
            "between": _ROD,
            "quadratic": optional(k.NOT_NEGATIVE, 0.0, unit="N s^2/m^3"),
            "linear": optional(k.NOT_NEGATIVE, 0.0, unit="N s/m^2"),
            "points": _POINTS,
        },
        _drag,
        "resistance per metre of a rod against its velocity across itself",
        FORCES,
        _drag_check,
    ),
    "follower-force": Kind(
        {"on": Key(k.PORT), "vector": Key(k.FORMULA, size="dim", unit="N"), "inputs": _INPUTS},
        _force,
        "a force on a point, components in body axes",
        FORCES,
        _force_check,
    ),
    "follower-torque": Kind(
        {"on": Key(k.BODY), "torque": Key(k.FORMULA, size="turns", unit="N m"), "inputs": _INPUTS},
        _torque,
        "a torque on a body, components in body axes",
        FORCES,
    ),
}
