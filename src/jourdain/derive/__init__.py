"""Derive: the equations of a joint or a mechanism, to read, to check, to take away.

Formulas are never expanded: an equation is a sum of scalar products, its derivatives are sums of scalar products, and
in coordinates they are formulas over shared parts, each printed once. Every derivation is compared with the kernels.
The room bears the name of its one public function, so it can be called: `jd.derive(mechanism)`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from .equations_of import derive

        return derive(*args, **kwargs)


sys.modules[__name__].__class__ = _Room
