"""Numbers with derivatives, for users' functions that cannot be traced because they branch on values.

A jet carries a value, its first and second derivative along the motion, and its gradient by the function's arguments.
`if x > 0:` looks at the value; arithmetic and numpy's functions carry the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

# Value, first and second derivative of each function.
_UNARY: dict[str, Callable[[float], tuple[float, float, float]]] = {
    "sin": lambda x: (math.sin(x), math.cos(x), -math.sin(x)),
    "cos": lambda x: (math.cos(x), -math.sin(x), -math.cos(x)),
    "tan": lambda x: (math.tan(x), 1 + math.tan(x) ** 2, 2 * math.tan(x) * (1 + math.tan(x) ** 2)),
    "arcsin": lambda x: (math.asin(x), (1 - x * x) ** -0.5, x * (1 - x * x) ** -1.5),
    "arccos": lambda x: (math.acos(x), -((1 - x * x) ** -0.5), -x * (1 - x * x) ** -1.5),
    "arctan": lambda x: (math.atan(x), 1 / (1 + x * x), -2 * x / (1 + x * x) ** 2),
    "sinh": lambda x: (math.sinh(x), math.cosh(x), math.sinh(x)),
    "cosh": lambda x: (math.cosh(x), math.sinh(x), math.cosh(x)),
    "tanh": lambda x: (math.tanh(x), 1 - math.tanh(x) ** 2, -2 * math.tanh(x) * (1 - math.tanh(x) ** 2)),
    "exp": lambda x: (math.exp(x), math.exp(x), math.exp(x)),
    "log": lambda x: (math.log(x), 1 / x, -1 / (x * x)),
    "sqrt": lambda x: (math.sqrt(x), 0.5 / math.sqrt(x), -0.25 * x**-1.5),
    "absolute": lambda x: (abs(x), math.copysign(1.0, x), 0.0),
    "sign": lambda x: (math.copysign(1.0, x) if x else 0.0, 0.0, 0.0),
}
_ALIASES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "fabs": "absolute", "abs": "absolute"}


@dataclass(frozen=True, eq=False)
class Jet:
    """value, first, second: along the motion; gradient: by the arguments."""

    value: float
    first: float
    second: float
    gradient: Any

    def _apply(self, f: float, d: float, dd: float) -> Jet:
        return Jet(f, d * self.first, dd * self.first**2 + d * self.second, d * self.gradient)

    def __add__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.value + float(other), self.first, self.second, self.gradient)
        return Jet(
            self.value + other.value,
            self.first + other.first,
            self.second + other.second,
            self.gradient + other.gradient,
        )

    __radd__ = __add__

    def __neg__(self) -> Jet:
        return self._apply(-self.value, -1.0, 0.0)

    def __pos__(self) -> Jet:
        return self

    def __sub__(self, other: Any) -> Jet:
        return self + (-other)

    def __rsub__(self, other: Any) -> Jet:
        return (-self) + other

    def __mul__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return self._apply(self.value * float(other), float(other), 0.0)
        a, b = self, other
        return Jet(
            a.value * b.value,
            a.first * b.value + a.value * b.first,
            a.second * b.value + 2 * a.first * b.first + a.value * b.second,
            a.gradient * b.value + a.value * b.gradient,
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Jet:
        return self * (other ** (-1) if isinstance(other, Jet) else 1.0 / float(other))

    def __rtruediv__(self, other: Any) -> Jet:
        return self ** (-1) * other

    def __pow__(self, other: Any) -> Jet:
        if isinstance(other, Jet):
            return (other * self.log()).exp()
        x, p = self.value, float(other)
        second = 0.0 if p in (0.0, 1.0) else p * (p - 1) * x ** (p - 2)
        return self._apply(x**p, 0.0 if p == 0.0 else p * x ** (p - 1), second)

    def __rpow__(self, other: Any) -> Jet:
        return (self * math.log(other)).exp()

    def __abs__(self) -> Jet:
        return self.absolute()

    def __getattr__(self, name: str) -> Callable[..., Jet]:
        """`x.sin()`, as numpy's functions want it."""
        name = _ALIASES.get(name, name)
        if name not in _UNARY:
            raise AttributeError(name)
        return lambda: self._apply(*_UNARY[name](self.value))

    def arctan2(self, x: Any) -> Jet:
        """atan2(self, x)."""
        x = x if isinstance(x, Jet) else self * 0.0 + x
        angle = (self / x).arctan() if abs(x.value) >= abs(self.value) else -(x / self).arctan()
        return Jet(math.atan2(self.value, x.value), angle.first, angle.second, angle.gradient)

    def _compared(self, other: Any) -> float:
        return other.value if isinstance(other, Jet) else float(other)

    def __lt__(self, other: Any) -> bool:
        return self.value < self._compared(other)

    def __le__(self, other: Any) -> bool:
        return self.value <= self._compared(other)

    def __gt__(self, other: Any) -> bool:
        return self.value > self._compared(other)

    def __ge__(self, other: Any) -> bool:
        return self.value >= self._compared(other)

    def __float__(self) -> float:
        raise TypeError("a number with derivatives is no float; use numpy's functions instead of math's")


def evaluated(function: Callable[..., Any], values: Sequence[float]) -> list[float]:
    """[value, first, second, gradient ...] of a function of n numbers given as n values, n rates, n second rates."""
    n = len(values) // 3
    unit = np.eye(n)
    found = function(*(Jet(values[k], values[n + k], values[2 * n + k], unit[k]) for k in range(n)))
    if isinstance(found, Real):  # it does not depend on its arguments
        return [float(found), 0.0, 0.0, *[0.0] * n]
    return [found.value, found.first, found.second, *found.gradient]
