"""A record of arrays as kernels look it up: a table of addresses (kernels/core/records.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

WORDS = 5  # of a field: address and shape, or a number


def addresses(record: tuple[Any, ...]) -> npt.NDArray[np.int64]:
    """Of all fields in order. Whoever has the table keeps the arrays alive, and in place."""
    table = np.zeros((len(record), WORDS), dtype=np.int64)
    for row, field in zip(table, record, strict=True):
        if isinstance(field, np.ndarray):
            if not field.flags.c_contiguous:
                raise ValueError("an array of a record is not contiguous")
            row[: 1 + field.ndim] = field.__array_interface__["data"][0], *field.shape
        else:
            row[0] = field
    return table.ravel()
