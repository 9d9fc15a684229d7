"""Tables as functions: pairs (x, y) joined smoothly, for motions and for forces.

`smooth` runs through the points with four continuous derivatives (a quintic spline, of lower degree where there are
few points): a motion's acceleration has no corners. `monotone` never overshoots between points (PCHIP), and goes on
straight beyond them: a spring's table is not bent where nobody measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .formula import Formula, FormulaError


@dataclass(frozen=True)
class Table:
    """A piecewise polynomial: interval k from breaks[k] has coefficients of falling powers of (x - breaks[k])."""

    breaks: tuple[float, ...]
    coefficients: tuple[tuple[float, ...], ...]
    where: str = ""

    @property
    def span(self) -> tuple[float, float]:
        return self.breaks[0], self.breaks[-1]

    @cached_property
    def _polynomial(self) -> Any:
        from scipy.interpolate import PPoly

        return PPoly(np.array(self.coefficients).T, np.array(self.breaks))

    def __call__(self, x: float, order: int = 0) -> float:
        """Value, or derivative of that order: the oracle of the kernel."""
        return float(self._polynomial(x, order))

    def of(self, argument: Formula) -> Formula:
        """This function of a formula."""
        return Formula("table", (argument,), key=self)

    def integral(self) -> Table:
        """The function whose derivative this is, zero at the first break (energy of a spring's table)."""
        return _table(self._polynomial.antiderivative(), self.where)


def smooth(points: Any, where: str) -> Table:
    """Through all points, as smooth as their number allows (degree 5 from six points on)."""
    from scipy.interpolate import PPoly, make_interp_spline

    x, y = _points(points, where, 2)
    degree = 5 if len(x) >= 6 else 3 if len(x) >= 4 else 1
    if degree == 1 and len(x) > 2:
        raise FormulaError(f"{where}: a motion by table needs two points, or at least four; got {len(x)}")
    try:
        return _table(PPoly.from_spline(make_interp_spline(x, y, k=degree)), where)
    except (ValueError, np.linalg.LinAlgError) as error:
        raise _too_far(where, error) from None


def monotone(points: Any, where: str) -> Table:
    """Through all points without overshoot, straight beyond the first and the last."""
    from scipy.interpolate import PchipInterpolator, PPoly

    x, y = _points(points, where, 2)
    with np.errstate(all="ignore"):
        try:
            inner = PchipInterpolator(x, y)
        except ValueError as error:
            raise _too_far(where, error) from None
    slope = inner.derivative()
    far = 10.0 * (x[-1] - x[0])
    left, right = float(slope(x[0])), float(slope(x[-1]))
    degree = inner.c.shape[0]
    before, after = np.zeros(degree), np.zeros(degree)
    before[-2:] = left, y[0] - far * left
    after[-2:] = right, y[-1]
    c = np.column_stack([before, inner.c, after])
    return _table(PPoly(c, np.concatenate([[x[0] - far], inner.x, [x[-1] + far]])), where)


def _too_far(where: str, error: Exception) -> FormulaError:
    return FormulaError(
        f"{where}: no smooth curve goes through the table, its steps are too steep or too small: {error}"
    )


def _points(points: Any, where: str, least: int) -> tuple[Any, Any]:
    try:
        array = np.array(points, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise FormulaError(f"{where}: the table is {points!r}; expected pairs of numbers") from None
    if array.ndim != 2 or array.shape[1] != 2 or len(array) < least:
        raise FormulaError(f"{where}: expected at least {least} pairs (x, y), got an array of shape {array.shape}")
    if not np.all(np.isfinite(array)) or np.any(np.diff(array[:, 0]) <= 0):
        raise FormulaError(f"{where}: the table's numbers must be finite and its first column increasing")
    return array[:, 0], array[:, 1]


def _table(polynomial: Any, where: str) -> Table:
    x = np.asarray(polynomial.x)
    keep = np.flatnonzero(np.diff(x) > 0)  # splines repeat their end knots
    breaks = [*(float(x[k]) for k in keep), float(x[keep[-1] + 1])]
    if not np.all(np.isfinite(polynomial.c)):
        raise FormulaError(f"{where}: the slopes of the table are no numbers any more; its steps are too steep")
    return Table(tuple(breaks), tuple(tuple(float(v) for v in polynomial.c[:, k]) for k in keep), where)
