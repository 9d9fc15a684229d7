"""What builders take, as types: numbers may be quantities ("25 mm"), rows may be arrays, loads may be functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt

from .handles import BodyHandle
from .parts import PortName
from .table_data import Table

DRAWN = "drawn"  # in the place of a length: that of the drawn pose


class Expression(Protocol):
    """A formula or a sum of scalar products that was made of symbols instead of text."""

    def __neg__(self) -> Any: ...


Numbers: TypeAlias = npt.NDArray[np.floating[Any]] | npt.NDArray[np.integer[Any]]
# A number, a quantity like "25 mm", or, of kinds, a formula over parameters like "2*k".
Amount: TypeAlias = float | str
Amounts: TypeAlias = Sequence[Amount] | Numbers
# The same, where one that is left open is None.
Limits: TypeAlias = Sequence[Amount | None] | Numbers
Rows: TypeAlias = Sequence[Sequence[float]] | Numbers
Pairs: TypeAlias = Sequence[Sequence[Amount]] | Numbers | Table
Seconds: TypeAlias = float | str
# A number, a formula over channels and t, a table, or a function.
Load: TypeAlias = float | str | Table | Expression | Callable[..., Any]
Loads: TypeAlias = Load | Sequence[Load] | Numbers
Place: TypeAlias = Amounts | Mapping[str, Any]  # of a point, with or without axes
Initial: TypeAlias = Mapping[str, Amount]
Bodies: TypeAlias = tuple[BodyHandle, BodyHandle]
PartValue: TypeAlias = (
    "float | str | PortName | BodyHandle | Expression | Table | Numbers | Callable[..., Any]"
    " | Sequence[PartValue] | Mapping[str, PartValue] | None"
)


class AxisKeys(TypedDict, total=False):
    """Axes of a point."""

    angle: Amount
    axis: Amounts
    x: Amounts
    z: Amounts
