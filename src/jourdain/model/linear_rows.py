"""Which rows are linear in coordinates in which body vectors are: their gradients are constant, whatever the position.

Pins are, and equations that are sums of vectors along fixed axes, or axes of the ground. What varies with time alone
does not matter; a product of two moving vectors, a formula or a velocity does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..kernels.layout import fields as f


def linear_blocks(fields: Mapping[int, Any], block: int, rows: int) -> tuple[bool, ...]:
    """Of each block; one is linear if all its rows are, and not all of them fill it up."""
    linear = np.zeros(rows, dtype=bool)
    for pin in fields[f.PINS]:
        linear[pin[2] : pin[2] + block] = True
    first_of_ground = int(np.max(fields[f.BODY_VECTORS], initial=0))
    for row, start, end, _ in fields[f.ROWS]:
        linear[row] = all(_is_linear(term, first_of_ground) for term in fields[f.TERMS][start:end])
    unit = np.zeros(rows, dtype=bool)
    unit[fields[f.UNIT_ROWS][:, 0]] = True
    parts = zip(linear.reshape(-1, block), unit.reshape(-1, block), strict=True)
    return tuple(bool(np.all(own | filled) and np.any(own & ~filled)) for own, filled in parts)


def _is_linear(term: Any, first_of_ground: int) -> bool:
    """A product of vectors a and b, each a sum of two or one, times a number that may vary: 0 is no signal."""
    a, b, signal = term[:2], term[2:4], term[4]
    fixed = [all(v < 0 or v >= first_of_ground for v in pair) for pair in (a, b)]
    return signal == 0 and any(fixed)
