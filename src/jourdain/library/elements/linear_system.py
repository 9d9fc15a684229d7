"""Linear system: a linear block of any size."""

from __future__ import annotations

from collections.abc import Iterator

from ...equations.formula import Formula, number
from ...equations.lowered import Lowered
from ...mechanism.fault import Fault
from .. import kinds as k
from ..kinds import ELEMENTS, Key, Kind, optional
from ..values import Values
from .element import unknown_units


def _sizes(values: Values) -> tuple[int, int, int]:
    return len(values.raw("A")), len(values.raw("inputs")), len(values.raw("outputs"))


def _check(values: Values) -> Iterator[Fault]:
    n, m, p = _sizes(values)
    for key, shape in {"A": (n, n), "B": (n, m), "C": (p, n), "D": (p, m)}.items():
        rows = values.raw(key) or ()
        found = (len(rows), len(rows[0]) if rows else 0)
        if rows and (found != shape or any(len(row) != shape[1] for row in rows)):
            words = f"{key} is {found[0]} x {found[1]}; expected {shape[0]} x {shape[1]}"
            yield values.fault(key, f"{words} for {n} states, {m} inputs and {p} outputs")
    if values.has("start") and len(values.raw("start")) != n:
        yield values.fault("start", f"start has {len(values.raw('start'))} numbers; expected {n}, one for each state")
    yield from unknown_units(values, [*(f"x{i + 1}" for i in range(n)), *values.raw("outputs")])
    if len(set(values.raw("outputs"))) < p:
        yield values.fault("outputs", "two outputs have one name")


def linear(row: tuple[float, ...], of: list[Formula]) -> Formula:
    """A sum of products, without those that are zero."""
    total = number(0.0)
    for factor, one in zip(row, of, strict=True):
        total = total + float(factor) * one if factor else total
    return total


def _linear_system(values: Values) -> Lowered:
    """x' = A x + B u, y = C x + D u (Ogata, Modern Control Engineering, section 2-4)."""
    n, _, p = _sizes(values)
    names = [f"x{i + 1}" for i in range(n)]
    x = [values.own(name) for name in names]
    u = [values.read(text, "inputs") for text in values.raw("inputs").values()]
    A, B, C = values.raw("A"), values.raw("B"), values.raw("C")
    D = values.raw("D") or ((0.0,) * len(u),) * p
    starts = values.raw("start") or (0.0,) * n
    rates = [linear(A[i], x) + linear(B[i], u) for i in range(n)]
    outputs = {name: linear(C[i], x) + linear(D[i], u) for i, name in enumerate(values.raw("outputs"))}
    return Lowered(states=tuple(zip(names, map(float, starts), rates, strict=True)), channels=outputs)


LINEAR_SYSTEM = Kind(
    "linear-system",
    {
        "inputs": Key(k.FORMULAS, help="name of each input and its channel or formula"),
        "outputs": optional(k.NAMES, ("output",), help="their names"),
        "A": Key(k.MATRIX, help="rates of the states over the states"),
        "B": Key(k.MATRIX, help="rates of the states over the inputs"),
        "C": Key(k.MATRIX, help="outputs over the states"),
        "D": optional(k.MATRIX, help="outputs over the inputs; by default zero"),
        "start": optional(k.NUMBERS, help="of the states; by default zero"),
        "units": optional(k.UNITS, {}, help="what states and outputs are in, by name; in SI, as their numbers are"),
    },
    _linear_system,
    "a linear block x' = A x + B u, y = C x + D u; channels x1, x2 .. and its outputs",
    ELEMENTS,
    _check,
    also_called=("state-space",),
    example='m.linear_system("lag", inputs={"u": "A.angle"}, A=((-10,),), B=((10,),), C=((1,),))',
)
