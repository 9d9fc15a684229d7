"""Users' plain Python functions as C functions that the kernel calls back by address (see model/called_functions.py).

An exception in one is kept, the kernel sees NaN and ends the run. The time spent in it is counted. Each workspace has
callbacks of its own, so that errors and counts of one run are none of another's.
"""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Iterable
from typing import Any

from ..mechanism.errors import SimulationError
from ..model.called_functions import PlainFunction

_Numbers = ctypes.POINTER(ctypes.c_double)
_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, _Numbers, _Numbers)


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
