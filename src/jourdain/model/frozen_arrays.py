"""Arrays that never change: models hand them to any number of runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..mechanism.frozen import Frozen


def frozen_arrays(arrays: Mapping[int, Any]) -> Mapping[int, Any]:
    """The arrays by field, each in one piece of memory, seen so that it cannot be written."""
    found = {}
    for field, array in arrays.items():
        found[field] = seen = np.ascontiguousarray(array).view()
        seen.setflags(write=False)
    return Frozen(found)


def nothing() -> Mapping[Any, Any]:
    """An empty table that stays so."""
    return Frozen({})
