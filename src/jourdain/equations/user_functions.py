"""A user's own function inside a formula: called with the values of its arguments, by the kernel, at every evaluation.

A plain Python function works and costs a call back into Python; a function compiled by numba (`@njit`) runs inside
the kernel. Either takes numbers and returns one number, or a sequence of `outputs` of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .formula import Formula
from .jets import evaluated


@dataclass(frozen=True)
class UserFunction:
    """`function(*numbers)`; with `vectors` it takes sequences instead, of these lengths."""

    function: Callable[..., Any]
    where: str
    outputs: int = 1
    vectors: tuple[int, ...] = ()
    smooth: bool = False  # its derivatives are wanted too, and are found by running it with jets

    @property
    def compiled(self) -> bool:
        """Whether numba compiled it, so that the kernel can call it without Python."""
        return not self.smooth and (hasattr(self.function, "py_func") or hasattr(self.function, "native_name"))

    def smooth_results(self, numbers: Sequence[float]) -> list[float]:
        """[value, first, second, gradient ...] from values, rates and second rates of the arguments."""
        return evaluated(self.function, numbers)

    def results(self, numbers: Sequence[float]) -> list[float]:
        """What the function returns for these arguments, as a list."""
        arguments: Sequence[Any] = numbers
        if self.vectors:
            arguments, start = [], 0
            for length in self.vectors:
                arguments.append(tuple(numbers[start : start + length]))
                start += length
        found = self.function(*arguments)
        if self.outputs == 1 and not isinstance(found, Sequence) and not hasattr(found, "__len__"):
            return [float(found)]
        values = [float(x) for x in found]
        if len(values) != self.outputs:
            raise ValueError(f"{self.where} returned {len(values)} numbers; expected {self.outputs}")
        return values

    def of(self, *arguments: Formula) -> tuple[Formula, ...]:
        """Its results as formulas."""
        return tuple(Formula("call", arguments, float(k), self) for k in range(self.outputs))
