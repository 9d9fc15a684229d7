"""Entries that few runs call: compiled when one calls them for the first time.

Until then the table has the address of a Python function, which brings the entry, puts it into the table and calls it.
"""

from __future__ import annotations

import _thread
import ctypes
import threading
import traceback
from collections.abc import Callable
from typing import Any

from ..kernels.layout import fields as f
from ..kernels.layout import returned
from .kernel_cache import announced

_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)

LATER = 0.1  # s after which an interrupt from the keyboard is raised once more: by then the kernel has returned


class Stub:
    """An entry yet to be compiled; `bring` does that. Lives as long as the process."""

    def __init__(self, slot: str, name: str, bring: Callable[[], Any]) -> None:
        self._place = f.H_COUNT + getattr(f, f"F_{slot}")
        self._name = name
        self._bring = bring
        self._pointer = _SIGNATURE(self._call)
        self.address = ctypes.cast(self._pointer, ctypes.c_void_p).value or 0

    def _call(self, t: float, a: int, b: int, table: int) -> int:
        try:
            with announced("what singular positions need", self._name):
                address = self._bring().address
        except BaseException as error:  # noqa: BLE001  (nothing may pass through C)
            if isinstance(error, KeyboardInterrupt):
                threading.Timer(LATER, _thread.interrupt_main).start()
            else:
                traceback.print_exc()
            return int(returned.RANK_LOST)
        ctypes.c_int64.from_address(table + ctypes.sizeof(ctypes.c_int64) * self._place).value = address
        return int(_SIGNATURE(address)(t, a, b, table))
