"""Vector symbols and the scalar products made of them (Marquis-Favre 2006, eqs 14 and 24).

The six vectors of a planar joint, nine in space, are `M`, `N` (the two port points) and the axes `x_i, y_i, z_i`,
`x_j, y_j, z_j` of the first and second port; `e_x, e_y, e_z` are the fixed axes. An equation is

    sum_k c_k(t) a_k . b_k + f(t) = 0

with a and b drawn from OM, ON, MN, the port axes and the fixed axes. MN is kept as a vector of its own: written
out, OM.OM - 2 OM.ON + ON.ON cancels far from the origin.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .formula import Formula, _formula, number

FIXED_AXES = ("e_x", "e_y", "e_z")
PORT_AXES = ("x_i", "y_i", "z_i", "x_j", "y_j", "z_j")


class EquationError(ValueError):
    """An expression that is no sum of scalar products."""


@dataclass(frozen=True)
class Vector:
    """A linear combination of the symbols, coefficients may depend on time."""

    parts: dict[str, Formula]

    def __add__(self, other: Any) -> Vector:
        if not isinstance(other, Vector):
            raise EquationError("a vector can only be added to a vector")
        parts = dict(self.parts)
        for name, c in other.parts.items():
            parts[name] = parts[name] + c if name in parts else c
        return Vector(parts)

    __radd__ = __add__

    def __neg__(self) -> Vector:
        return self * -1.0

    def __sub__(self, other: Any) -> Vector:
        if not isinstance(other, Vector):
            raise EquationError("a vector can only be subtracted from a vector")
        return self + (-other)

    def __mul__(self, factor: Any) -> Vector:
        if isinstance(factor, Vector):
            raise EquationError("use dot(a, b) to multiply two vectors")
        if isinstance(factor, Scalar):
            raise EquationError("a vector can only be scaled by a number or a formula in t")
        return Vector({name: c * _formula(factor) for name, c in self.parts.items()})

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Vector:
        if isinstance(divisor, Vector | Scalar):
            raise EquationError("a vector can only be divided by a number or a formula in t")
        return self * (number(1.0) / _formula(divisor))

    def operands(self) -> dict[str, Formula]:
        """The parts, with `N - M` put together as MN."""
        parts = {name: c for name, c in self.parts.items() if not (c.constant and c.value == 0)}
        if "OM" in parts and "ON" in parts:
            total = parts["OM"] + parts["ON"]
            if (total.constant and total.value == 0) or parts["OM"] == -parts["ON"]:
                parts["MN"] = parts.pop("ON")
                parts.pop("OM")
        return parts


@dataclass(frozen=True)
class Scalar:
    """A sum of scalar products plus a function of time."""

    products: dict[tuple[str, str], Formula]
    free: Formula = field(default_factory=lambda: number(0.0))

    def __add__(self, other: Any) -> Scalar:
        if isinstance(other, Vector):
            raise EquationError("a scalar cannot be added to a vector; use dot(a, b)")
        if not isinstance(other, Scalar):
            return Scalar(self.products, self.free + _formula(other))
        products = dict(self.products)
        for pair, c in other.products.items():
            products[pair] = products[pair] + c if pair in products else c
        return Scalar(products, self.free + other.free)

    __radd__ = __add__

    def __neg__(self) -> Scalar:
        return self * -1.0

    def __sub__(self, other: Any) -> Scalar:
        return self + (-other)

    def __rsub__(self, other: Any) -> Scalar:
        return (-self) + other

    def __mul__(self, factor: Any) -> Scalar:
        if isinstance(factor, Scalar | Vector):
            raise EquationError("a product of two scalar products is not allowed in a joint equation")
        c = _formula(factor)
        return Scalar({pair: old * c for pair, old in self.products.items()}, self.free * c)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Scalar:
        if isinstance(divisor, Scalar | Vector):
            raise EquationError("a joint equation can only be divided by a number or a formula in t")
        return self * (number(1.0) / _formula(divisor))


def dot(a: Any, b: Any) -> Scalar:
    """The scalar product of two vector expressions."""
    if not isinstance(a, Vector) or not isinstance(b, Vector):
        raise EquationError("dot(a, b) needs two vectors, such as dot(N - M, y_i)")
    products: dict[tuple[str, str], Formula] = {}
    free = number(0.0)
    for name_a, c_a in a.operands().items():
        for name_b, c_b in b.operands().items():
            if name_a in FIXED_AXES and name_b in FIXED_AXES:
                free = free + (c_a * c_b if name_a == name_b else number(0.0))
                continue
            pair = (name_a, name_b) if name_a <= name_b else (name_b, name_a)
            products[pair] = products[pair] + c_a * c_b if pair in products else c_a * c_b
    return Scalar(products, free)


def symbol(name: str) -> Vector:
    return Vector({name: number(1.0)})


M, N = symbol("OM"), symbol("ON")
x_i, y_i, z_i, x_j, y_j, z_j = (symbol(name) for name in PORT_AXES)
e_x, e_y, e_z = (symbol(name) for name in FIXED_AXES)
SYMBOLS = {
    "M": M,
    "N": N,
    "OM": M,
    "ON": N,
    "MN": N - M,
    **{name: symbol(name) for name in PORT_AXES + FIXED_AXES},
}
