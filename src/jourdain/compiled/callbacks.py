"""Users' functions as C functions `int64 f(double *numbers, double *results)` that the kernel calls by address.

A function that numba compiled is wrapped in compiled code and runs inside the kernel. A plain Python function is called
back; an exception in it is kept, the kernel sees NaN and ends the run. The time spent in it is counted.
"""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Iterable
from typing import Any

from ..equations.functions import UserFunction
from ..mechanism.errors import JourdainError, SimulationError

_Numbers = ctypes.POINTER(ctypes.c_double)
_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, _Numbers, _Numbers)


class Callback:
    """A plain Python function as a C function; remembers the first exception and what the calls cost."""

    def __init__(self, function: UserFunction, arguments: int) -> None:
        self.where = function.where
        self.advice = "without branches on values" if function.smooth else "compiled with numba.njit"
        self.error: BaseException | None = None
        self.calls = 0
        self.seconds = 0.0
        self._function = function
        self._arguments = arguments
        self.pointer = _SIGNATURE(self._call)

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


def raise_errors(kept: Iterable[Any], before: str = "") -> None:
    """Raise what users' functions among the kept things have raised; `before` begins the sentence."""
    for callback in kept:
        if isinstance(callback, Callback) and callback.error is not None:
            words = f"the function of {callback.where} raised {type(callback.error).__name__}: {callback.error}"
            raise SimulationError(before + words) from callback.error


def c_function(function: UserFunction, arguments: int) -> Any:
    """Something with an `address` that the kernel can call; keep it alive as long as the kernel runs."""
    return _compiled(function, arguments) if function.compiled else Callback(function, arguments)


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
