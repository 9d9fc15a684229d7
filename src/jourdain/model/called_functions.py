"""Users' functions as C functions `int64 f(double *numbers, double *results)` that the kernel calls by address.

A function that numba compiled is wrapped in compiled code and runs inside the kernel. Plain Python functions are held
as they are written; each workspace calls them back through callbacks of its own (engine/callbacks.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from ..equations.user_functions import UserFunction
from ..interrupts import held_back
from ..mechanism.errors import JourdainError


@dataclass(frozen=True)
class PlainFunction:
    """A plain Python function of a mechanism: which of its functions it is, and how many numbers it takes."""

    function: UserFunction
    number: int
    arguments: int
    address: int = 0  # a workspace has one for it


def c_function(function: UserFunction, number: int, arguments: int) -> Any:
    """Something with an `address` that the kernel can call; keep it alive as long as the kernel runs.

    Plain functions have none until a workspace gives them one.
    """
    if not function.compiled:
        return PlainFunction(function, number, arguments)
    import numba

    if numba.config.DISABLE_JIT:  # a numba.cfunc, which kernels in Python call as Python
        given: Any = function.function
        return PlainFunction(replace(function, function=given.__wrapped__), number, arguments)
    return _compiled(function, arguments)


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
            with held_back():
                return numba.cfunc(types.int64(pointer, pointer), error_model="numpy")(names["wrapper"])
        except NumbaError as error:
            reason = reason or str(error)
    raise JourdainError(f"numba cannot compile the function of {function.where} for plain numbers: {reason}")
