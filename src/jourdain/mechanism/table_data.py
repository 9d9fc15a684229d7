"""Tables of measured or chosen points, as users give them: numbers, how they are joined, and what holds outside.

What curve goes through them depends on where a table stands too (equations/tables.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .csv_columns import read_columns
from .errors import TableError
from .names import nearest
from .units import UnitError, quantity

Array = npt.NDArray[np.float64]

LINEAR, SMOOTH, SPLINE = KINDS = ("linear", "smooth", "spline")
REFUSE, HOLD, EXTRAPOLATE = OUTSIDE = ("refuse", "hold", "extrapolate")
CLOSED = 1e-9  # of the period: a last row that near to one period after the first is the first again


class Table:
    """y over x, in SI: `m.motion("drive", joint="A", speed=jd.Table([0, 1, 3], [0, 2, 2]))`.

    `kind` is `linear`, `smooth` (a monotone cubic: no overshoot, acceleration jumps at points) or `spline`; without it
    speeds, forces and laws are linear, positions a spline unless it would turn where the table does not. `periodic` is
    after what it repeats, `outside` what holds beyond the points: `refuse`, `hold` or `extrapolate`. `over` is the
    channel or formula that it is a function of; without it the time, or the first quantity of the key where it stands.
    """

    def __init__(
        self,
        x: Sequence[float | str] | npt.NDArray[np.floating[Any]] | npt.NDArray[np.integer[Any]],
        y: Sequence[float | str] | npt.NDArray[np.floating[Any]] | npt.NDArray[np.integer[Any]],
        kind: str | None = None,
        periodic: float | str | None = None,
        outside: str = REFUSE,
        over: str | None = None,
        *,
        source: str = "",
    ) -> None:
        self.x, self.y = _column(x, "x"), _column(y, "y")
        self.kind, self.outside, self.over, self.source = kind, outside, over, source
        self.period = None if periodic is None else _period(periodic)
        _check(self)
        for array in (self.x, self.y):
            array.setflags(write=False)
        self._whole = True

    def __setattr__(self, name: str, value: Any) -> None:
        if "_whole" in self.__dict__:
            raise AttributeError("a table stays as it was made; make another one with what should be different")
        super().__setattr__(name, value)

    @classmethod
    def read(
        cls,
        path: str | Path,
        columns: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        *,
        kind: str | None = None,
        periodic: float | str | None = None,
        outside: str = REFUSE,
        over: str | None = None,
    ) -> Table:
        """Two columns of a CSV file, by name: the first two where none are named.

        Units stand behind the names in its header, as `angle (deg)` or `angle [deg]`, or are given; else it is SI.
        """
        found = read_columns(path, columns, units)
        return cls(found.x, found.y, kind, periodic, outside, over, source=str(path))

    def _key(self) -> tuple[Any, ...]:
        return self.x.tobytes(), self.y.tobytes(), self.kind, self.period, self.outside, self.over

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        of = f" of {self.source}" if self.source else ""
        return f"<Table{of}: {len(self.x)} points from {self.x[0]:g} to {self.x[-1]:g}>"


def _column(values: Any, name: str) -> Array:
    try:
        texts = isinstance(values, Sequence) and any(isinstance(value, str) for value in values)
        numbers = [quantity(v) if isinstance(v, str) else v for v in values] if texts else values
        found = np.array(numbers, dtype=float)
    except UnitError as error:
        raise TableError(f"{name} of a table: {error}") from None
    except (TypeError, ValueError, OverflowError):
        raise TableError(f"{name} of a table is {values!r}; expected numbers") from None
    if found.ndim != 1:
        raise TableError(f"{name} of a table has the shape {found.shape}; expected a row of numbers")
    return found


def _period(value: float | str) -> float:
    try:
        found = quantity(value) if isinstance(value, str) else float(value)
    except (UnitError, TypeError, ValueError) as error:
        raise TableError(f"periodic is {value!r}; expected a number or a quantity like '720 deg' ({error})") from None
    if not 0.0 < found < np.inf:
        raise TableError(f"periodic is {value!r}; expected a positive number")
    return found


def _check(table: Table) -> None:
    x, y, source = table.x, table.y, f"{table.source}: " if table.source else ""
    if len(x) != len(y):
        raise TableError(f"{source}x has {len(x)} numbers and y {len(y)}; expected as many")
    if len(x) < 2:
        raise TableError(f"{source}a table of {len(x)} points; expected at least two")
    bad = np.flatnonzero(~(np.isfinite(x) & np.isfinite(y)))
    if bad.size:
        raise TableError(f"{source}point {bad[0] + 1} is ({x[bad[0]]}, {y[bad[0]]}); expected finite numbers")
    wrong = np.flatnonzero(np.diff(x) <= 0)
    if wrong.size:
        k = int(wrong[0])
        what = "stands twice" if x[k] == x[k + 1] else "comes after a larger one"
        raise TableError(f"{source}x = {x[k + 1]:g} of point {k + 2} {what}; expected rising numbers")
    for name, value, known in (("kind", table.kind, (None, *KINDS)), ("outside", table.outside, OUTSIDE)):
        if value not in known:
            words = nearest(str(value), [word for word in known if word])
            raise TableError(f"{source}{name} is {value!r}; {words}")
    if table.over is not None and not isinstance(table.over, str):
        raise TableError(f"{source}over is {table.over!r}; expected a channel or a formula")
    if table.period is not None:
        span = x[-1] - x[0]
        if span > table.period * (1.0 + CLOSED):
            words = f"the points span {span:g}, more than the period {table.period:g}"
            raise TableError(f"{source}{words}; expected at most one period")
