"""Entries that few runs call: compiled when one calls them for the first time.

Until then the table has the address of a Python function, which brings the entry, puts it into the table and calls it.
"""

from __future__ import annotations

import _thread
import ctypes
import traceback
from collections.abc import Callable
from typing import Any

from .kernels import announced, load_kernels

_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class Stub:
    """An entry yet to be compiled; `bring` does that. Lives as long as the process."""

    def __init__(self, function: int, name: str, bring: Callable[[], Any]) -> None:
        self._function = function
        self._name = name
        self._bring = bring
        self._pointer = _SIGNATURE(self._call)
        self.address = ctypes.cast(self._pointer, ctypes.c_void_p).value or 0

    def _call(self, t: float, a: int, b: int, table: int) -> int:
        c = load_kernels().context
        try:
            with announced("what singular positions need", self._name):
                address = self._bring().address
        except BaseException as error:  # noqa: BLE001  (nothing may pass through C)
            if isinstance(error, KeyboardInterrupt):
                _thread.interrupt_main()  # raised once more when Python has its turn
            else:
                traceback.print_exc()
            return int(c.RANK_LOST)
        place = ctypes.sizeof(ctypes.c_int64) * (c.H_COUNT + self._function)
        ctypes.c_int64.from_address(table + place).value = address
        return int(_SIGNATURE(address)(t, a, b, table))
