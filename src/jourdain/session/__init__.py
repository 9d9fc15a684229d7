"""One object owns a run: time loop, events, what `auto` does on the way, samples, checkpoints, edits.

The room bears the name of its one public function, so it can be called: `jd.session(mechanism)`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from ..mechanism.machine import Machine
        from .begin import begin

        if args and isinstance(args[0], Machine):
            return args[0].session(*args[1:], **kwargs)
        return begin(*args, **kwargs)


sys.modules[__name__].__class__ = _Room
