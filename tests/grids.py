"""Large grids and many seeds: some of them in `make test`, all in `make soak`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

WHOLE = os.environ.get("JOURDAIN_GRIDS") == "whole"


def some(grid: Sequence[Any], count: int) -> Sequence[Any]:
    """The first of a grid that is random from its beginning to its end, or all."""
    return grid if WHOLE else grid[:count]
