"""What forces spread along a rod share.

A load along a rod is summed at Gauss-Legendre points: n of them are exact for loads of degree 2 n - 1 along the rod,
moments about the rod's middle included up to degree 2 n - 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...equations.formula import Formula, number
from ...equations.lowered import Load
from ...mechanism.fault import Fault
from ...mechanism.parts import GROUND
from .. import kinds as k
from ..kinds import Key, optional
from ..values import Values

# Gauss points of a rod unless told otherwise: exact up to degree 9.
GAUSS_POINTS = 5


def rod(values: Values) -> tuple[str, float, list[tuple[float, float, tuple[float, ...]]]]:
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


def rod_check(values: Values) -> Iterator[Fault]:
    first, second = values.ports()
    if first.body == GROUND:
        yield values.fault("between", "both points are on the ground, which does not move; name two points of a body")
    elif values.blueprint.port(first).at == values.blueprint.port(second).at:
        words = f"points '{first}' and '{second}' are in one place; expected a length between them"
        yield values.fault("between", words)


def summed(loads: Sequence[Load]) -> dict[str, Formula]:
    """Channels fx, fy[, fz]: the whole force."""
    channels = {}
    for c, name in enumerate(("fx", "fy", "fz")[: len(loads[0].vector)]):
        whole = number(0.0)
        for load in loads:
            whole = whole + load.vector[c]
        channels[name] = whole
    return channels


ROD = Key(k.PORTS, words=("same body",), help="two points of one body")


POINTS = optional(k.COUNT, GAUSS_POINTS, help="Gauss points along the rod")
