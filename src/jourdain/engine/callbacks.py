"""Users' functions as C functions `int64 f(double *numbers, double *results)` that the kernel calls by address.

A function that numba compiled is wrapped in compiled code and runs inside the kernel. A plain Python function is called
back; an exception in it is kept, the kernel sees NaN and ends the run. The time spent in it is counted. Models hold
plain functions as they are written; each workspace calls them back through callbacks of its own, so that errors and
counts of one run are none of another's.
"""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..equations.user_functions import UserFunction
from ..mechanism.errors import JourdainError, SimulationError
from .kernel_cache import in_python

_Numbers = ctypes.POINTER(ctypes.c_double)
_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, _Numbers, _Numbers)


@dataclass(frozen=True)
class PlainFunction:
    """A plain Python function of a mechanism: which of its functions it is, and how many numbers it takes."""

    function: UserFunction
    number: int
    arguments: int
    address: int = 0  # a workspace has one for it


class Callback:
    """A plain Python function as a C function; remembers the first exception and what the calls cost."""

    def __init__(self, plain: PlainFunction) -> None:
        self.where = plain.function.where
        self.advice = "without branches on values" if plain.function.smooth else "compiled with numba.njit"
        self.clear()
        self._function = plain.function
        self._arguments = plain.arguments
        self.pointer = _SIGNATURE(self._call)

    def clear(self) -> None:
        """Forget what happened until now."""
        self.error: BaseException | None = None
        self.calls = 0
        self.seconds = 0.0

    def _call(self, numbers: Any, results: Any) -> int:
        smooth = self._function.smooth
        count = 3 * self._arguments if smooth else self._arguments
        outputs = 3 + self._arguments if smooth else self._function.outputs
        begun = time.perf_counter()
        try:
            if self.error is None:
                given = numbers[:count]
                found = self._function.smooth_results(given) if smooth else self._function.results(given)
                for k in range(outputs):
                    results[k] = found[k]
        except BaseException as error:  # noqa: BLE001  (nothing may pass through C; the run re-raises it)
            self.error = error
        if self.error is not None:
            for k in range(outputs):
                results[k] = math.nan
        self.calls += 1
        self.seconds += time.perf_counter() - begun
        return 0

    @property
    def address(self) -> int:
        return ctypes.cast(self.pointer, ctypes.c_void_p).value or 0


def own_callbacks(kept: Iterable[Any], functions: Any) -> tuple[tuple[Callback, ...], Any]:
    """Callbacks for the plain functions among the things that a model keeps, and the table FUNCTIONS with them."""
    plain = [held for held in kept if isinstance(held, PlainFunction)]
    if not plain:
        return (), functions
    callbacks, functions = tuple(Callback(held) for held in plain), functions.copy()
    for held, callback in zip(plain, callbacks, strict=True):
        functions[held.number, 0] = callback.address
    return callbacks, functions


def raise_errors(callbacks: Iterable[Callback], before: str = "") -> None:
    """Raise what users' functions have raised; `before` begins the sentence."""
    for callback in callbacks:
        if callback.error is not None:
            words = f"the function of {callback.where} raised {type(callback.error).__name__}: {callback.error}"
            raise SimulationError(before + words) from callback.error


def c_function(function: UserFunction, number: int, arguments: int) -> Any:
    """Something with an `address` that the kernel can call; keep it alive as long as the kernel runs.

    Plain functions have none until a workspace gives them one.
    """
    given: Any = function.function
    if function.compiled and in_python():  # a numba.cfunc; njit leaves functions as they are
        function = replace(function, function=given.__wrapped__)
    return _compiled(function, arguments) if function.compiled else PlainFunction(function, number, arguments)


def _compiled(function: UserFunction, arguments: int) -> Any:
    """A numba function wrapped in a C function, argument by argument."""
    import numba
    from numba import types
    from numba.core.errors import NumbaError

    groups, start = [], 0
    for length in function.vectors or ():
        inside = "".join(f"n[{start + k}], " for k in range(length))
        groups.append(f"({inside})")
        start += length
    call = ", ".join(groups) if function.vectors else ", ".join(f"n[{k}]" for k in range(arguments))
    inner: Any = function.function
    if not hasattr(inner, "py_func"):  # a numba.cfunc: call the function it was made of
        inner = numba.njit(inner.__wrapped__)
    # If it raises, nothing of an earlier call may stand as its result.
    nothing = "".join(f"    r[{k}] = nan\n" for k in range(function.outputs))
    several = "".join(f"    r[{k}] = found[{k}]\n" for k in range(function.outputs))
    pointer = types.CPointer(types.float64)
    reason = ""
    # One result is a number, or a sequence of one.
    for results in ("    r[0] = found\n", several) if function.outputs == 1 else (several,):
        names: dict[str, Any] = {"f": inner, "nan": math.nan}
        exec(f"def wrapper(n, r):\n{nothing}    found = f({call})\n{results}    return 0\n", names)
        try:
            return numba.cfunc(types.int64(pointer, pointer), error_model="numpy")(names["wrapper"])
        except NumbaError as error:
            reason = reason or str(error)
    raise JourdainError(f"numba cannot compile the function of {function.where} for plain numbers: {reason}")
