"""Functions of time as numbered signals: constants, formulas as programs, users' functions by address.

Signal 0 is the constant 1. A plain Python function is called back from the kernel; an exception in it is kept
(`CallbackError`), the kernel sees NaN and ends the run.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator
from typing import Any

from ..equations.formula import Formula, FormulaError
from ..equations.parse import formula
from ..equations.vectors import Scalar
from ..mechanism.parts import Blueprint, PointForce, SpringDamper

_SIGNAL_TYPE = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)


class Callback:
    """A user's Python function as a C function; remembers the first exception."""

    def __init__(self, function: Callable[[float], float], where: str) -> None:
        self.where = where
        self.error: BaseException | None = None
        self._function = function
        self.pointer = _SIGNAL_TYPE(self._call)

    def _call(self, t: float) -> float:
        if self.error is not None:
            return math.nan
        try:
            return float(self._function(t))
        except BaseException as error:  # noqa: BLE001  (nothing may pass through C; the run re-raises it)
            self.error = error
            return math.nan

    @property
    def address(self) -> int:
        return ctypes.cast(self.pointer, ctypes.c_void_p).value or 0


class Signals:
    """Collects signals while a mechanism is compiled."""

    def __init__(self) -> None:
        self.values: list[tuple[float, float, float]] = [(1.0, 0.0, 0.0)]
        self.todo: list[tuple[int, int, int, int]] = []
        self.program: list[float] = []
        self.keepalive: list[Any] = []

    def add(self, source: Any, where: str = "", derivatives: bool = False) -> int:
        """The number of a signal made from a number, a formula (text or tree) or a function of t."""
        index = len(self.values)
        tree = formula(source) if isinstance(source, str) else source
        if isinstance(tree, Formula) and tree.constant:
            tree = tree.value
        if isinstance(tree, Formula):
            self.values.append((0.0, 0.0, 0.0))
            for order in range(3 if derivatives else 1):
                code = tree.program()
                self.todo.append((index, order, len(self.program), len(self.program) + len(code)))
                self.program += code
                if order < 2 and derivatives:
                    tree = tree.derivative()
        elif callable(tree):
            self.values.append((0.0, 0.0, 0.0))
            # A numba.cfunc has an address already and runs inside the kernel without Python.
            callback = tree if hasattr(tree, "address") else Callback(tree, where)
            self.keepalive.append(callback)
            self.todo.append((index, 0, callback.address, -1))
        else:
            self.values.append((float(tree), 0.0, 0.0))
        return index

    def load_faults(self, blueprint: Blueprint) -> Iterator[str]:
        """Formulas of loads that cannot be read."""
        for force in blueprint.forces:
            if isinstance(force, SpringDamper):
                continue
            components = force.vector if isinstance(force, PointForce) else force.torque
            kind = "force" if isinstance(force, PointForce) else "torque"
            for component in components:
                try:
                    if isinstance(component, str):
                        formula(component).program()
                except (FormulaError, ValueError) as error:
                    yield f"{kind} '{force.name}': {error}"


def derivative_faults(equation: Scalar) -> str | None:
    """Why a joint's equation cannot be differentiated twice in time, or None."""
    try:
        for f in (*equation.products.values(), equation.free):
            for _ in range(3):
                f.program()
                f = f.derivative()
    except FormulaError as error:
        return str(error)
    except RecursionError:
        return "the formula is too long"
    return None
