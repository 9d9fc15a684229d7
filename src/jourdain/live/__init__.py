"""A machine that one can touch: the document it is written in, and the run that goes on while both change.

The room bears the name of its one public function, so it can be called: `jd.live(mechanism)`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from .beginning import begin

        return begin(*args, **kwargs)


sys.modules[__name__].__class__ = _Room
