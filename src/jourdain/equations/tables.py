"""Tables as functions: the curve through points, as they are given and where they stand.

`linear` is straight between points. `smooth` is a monotone cubic (PCHIP: Fritsch and Butland, SIAM J. Sci. Stat.
Comput. 5, 1984): it never overshoots, and its second derivative jumps at points. `spline` has four continuous
derivatives (degree 5; lower where there are few points). A position may not be linear, since its speed would jump.
Without a kind a position is a spline where that turns only beside a turning point of the table, else smooth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..mechanism.table_data import CLOSED, EXTRAPOLATE, HOLD, LINEAR, REFUSE, SMOOTH, SPLINE, Table
from .formula import Formula, FormulaError, Law, apply, law
from .smoothness import POSITION, SPEED

Array = npt.NDArray[np.float64]

LOOKS = np.linspace(0.0, 1.0, 33)  # where a spline is looked at, of an interval
FLAT = 1e-9  # of the range of a table: what deviates by less is flat, and ends that differ by less are the same
BEYOND = 0.5  # of the range of a table, by which a spline may leave it beside a turning point
MEETS = 1e-12  # of the range: a knot where slopes differ by less than this in a step is none


_WITHIN = Law("table", math.inf)  # an argument brought into a table: how smooth that is, its curve knows


@dataclass(frozen=True)
class Curve:
    """A piecewise polynomial: interval k from breaks[k] has coefficients of falling powers of (x - breaks[k]).

    `smooth` of its derivatives have no jump. `period` is 0 where it does not repeat. `kind` is how points are joined.
    """

    breaks: tuple[float, ...]
    coefficients: tuple[tuple[float, ...], ...]
    where: str = ""
    kind: str = SPLINE
    smooth: float = math.inf
    period: float = 0.0
    outside: str = EXTRAPOLATE
    jumps: bool = False  # at the end of a period
    chosen: bool = False  # its kind, by the shape of the table
    swings: tuple[float, float] | None = None  # from where to where it goes, if it turns where its points do not

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

    def over(self, x: Any, order: int = 0) -> Any:
        """The same for many numbers at once."""
        return self._polynomial(x, order)

    def of(self, argument: Formula) -> Formula:
        """This function of a formula."""
        first, last = self.span
        if self.period:
            turns = apply("floor", (argument - first) / self.period)
            argument = law(_WITHIN, argument - self.period * turns, argument)
        elif self.outside == HOLD:
            argument = law(_WITHIN, apply("min", apply("max", argument, first), last), argument)
        return Formula("table", (argument,), key=self)

    def integral(self) -> Curve:
        """The function whose derivative this is, zero at the first break (energy of a spring's table)."""
        return _curve(self._polynomial.antiderivative(), self.where)

    def too_rough(self, needed: int) -> str:
        """Why it cannot stand where so many derivatives must not jump, and what to do."""
        if self.jumps:
            return "the table jumps at the end of its period; let its last value be its first"
        if needed == SPEED:
            return "the table jumps; let it go on from its last value"
        words = "a position by a table of straight lines, whose speed would jump at its points"
        return f"{words}; use kind: smooth or spline"

    @cached_property
    def corners(self) -> tuple[float, ...]:
        """Where its slope or curvature jumps, and its ends, but for those that a period closes smoothly."""
        x, c = np.array(self.breaks), np.array(self.coefficients)
        steps = np.diff(x)
        reach = max(float(np.max(np.abs(c[:, -1]))), 1e-300)
        starts, ends = _derivatives(c, np.zeros_like(steps)), _derivatives(c, steps)
        first = starts[:, :1] if self.period else np.full((3, 1), np.inf)
        lengths = np.stack([np.ones_like(steps), steps, steps**2])
        jump = np.max(np.abs(np.hstack([starts[:, 1:], first]) - ends) * lengths, axis=0) > MEETS * reach
        inner = x[1:][jump].tolist()
        return tuple(inner) if self.period else (self.breaks[0], *inner)


def _derivatives(c: Array, h: Array) -> Array:
    """Value and two derivatives of each piece at h from its break (order, piece)."""
    f, d, dd = np.zeros_like(h), np.zeros_like(h), np.zeros_like(h)
    for column in c.T:
        dd = dd * h + 2.0 * d
        d = d * h + f
        f = f * h + column
    return np.array([f, d, dd])


# Curves of tables ---------------------------------------------------------------------------------------------------


def curve(table: Table, where: str, needed: int) -> Curve:
    """The curve of a table that stands where so many derivatives must not jump (smoothness.py)."""
    x, y, closed = _points_of(table, where, needed)
    kind = table.kind or (_kind_of_position(x, y, table, where) if needed == POSITION else LINEAR)
    if kind == LINEAR and needed == POSITION and len(x) > 2:
        raise FormulaError(f"{where}: a position by a table of straight lines: its speed would jump; use smooth")
    made = _made(kind, x, y, table, where)
    held = table.outside == HOLD and table.period is None
    order = {LINEAR: 0.0, SMOOTH: 1.0}.get(kind, made.smooth)
    if kind == LINEAR and len(x) == 2 and not held and table.period is None:
        order = math.inf
    period = table.period or 0.0
    swings = None
    if table.kind == SPLINE and not turns_only_beside_turning_points(made, x, y):
        values = made.over(np.linspace(x[:-1], x[1:], LOOKS.size))
        swings = float(values.min()), float(values.max())
    made = replace(made, swings=swings)
    found = replace(made, kind=kind, smooth=order if closed else -1, period=period, jumps=not closed)
    chosen = table.kind is None and needed == POSITION and len(table.x) > 2
    return replace(found, outside=EXTRAPOLATE if period else table.outside, chosen=chosen)


def _points_of(table: Table, where: str, needed: int) -> tuple[Array, Array, bool]:
    """The points, one period of them where they repeat; and whether the ends of a period are the same."""
    x, y = table.x, table.y
    if table.period is None:
        return x, y, True
    span, size = x[-1] - x[0], max(float(np.ptp(y)), 1e-300)
    if span < table.period * (1.0 - CLOSED):
        return np.append(x, x[0] + table.period), np.append(y, y[0]), True
    x = np.append(x[:-1], x[0] + table.period)
    if abs(y[-1] - y[0]) <= FLAT * size:
        return x, np.append(y[:-1], y[0]), True
    if needed >= SPEED:
        words = f"the table begins with {y[0]:g} and ends its period with {y[-1]:g}: it would jump there"
        raise FormulaError(f"{where}: {words}; let its last value be its first")
    return x, y, False


def _kind_of_position(x: Array, y: Array, table: Table, where: str) -> str:
    """A spline if it turns only where the table does."""
    if len(x) == 2:
        return LINEAR if table.outside != HOLD and table.period is None else SMOOTH
    if len(x) == 3:
        return SMOOTH
    return SPLINE if turns_only_beside_turning_points(_spline(x, y, table, where), x, y) else SMOOTH


def turns_only_beside_turning_points(made: Curve, x: Array, y: Array) -> bool:
    """Whether a curve stays flat where its points do, and goes on rising or falling between them where they do.

    Beside a turning point of the table it may turn too, but not swing far out.
    """
    size = float(np.ptp(y)) or 1.0
    way = np.sign(np.where(np.abs(np.diff(y)) <= FLAT * size, 0.0, np.diff(y)))
    before, after = np.append(0.0, way[:-1]), np.append(way[1:], 0.0)
    crest = (way == 0) & (before * after < 0)  # two equal values about a turning point
    beside = (way != 0) & ((before * way < 0) | (after * way < 0))
    beside |= (way != 0) & (np.append(False, crest[:-1]) | np.append(crest[1:], False))
    at = x[:-1, None] + np.diff(x)[:, None] * LOOKS
    values = made.over(at)
    flat = np.max(np.abs(values - y[:-1, None]), axis=1) <= FLAT * size
    monotone_ = np.min(np.diff(values, axis=1) * way[:, None], axis=1) >= -FLAT * size
    near = bool(values.max() <= y.max() + BEYOND * size and values.min() >= y.min() - BEYOND * size)
    return near and bool(np.all(crest | beside | np.where(way == 0, flat, monotone_)))


def _made(kind: str, x: Array, y: Array, table: Table, where: str) -> Curve:
    from scipy.interpolate import PPoly

    if kind == LINEAR:
        return _curve(PPoly(np.array([np.diff(y) / np.diff(x), y[:-1]]), x), where)
    if kind == SMOOTH:
        return _pchip(x, y, table, where)
    return _spline(x, y, table, where)


def _spline(x: Array, y: Array, table: Table, where: str) -> Curve:
    from scipy.interpolate import PPoly, make_interp_spline

    degree = 5 if len(x) >= 6 else 3 if len(x) >= 4 else 1
    if degree == 1 and len(x) > 2:
        raise FormulaError(f"{where}: a spline needs two points, or at least four; got {len(x)}")
    ends: Any = None
    if table.period is not None:
        ends = "periodic"
        degree = min(degree, 3) if len(x) < 8 else degree
    elif table.outside == HOLD:  # nothing moves beyond
        clamped = [(1, 0.0), (2, 0.0)] if degree == 5 else [(1, 0.0)]
        ends = (clamped, clamped) if degree > 1 else None
    try:
        made = _curve(PPoly.from_spline(make_interp_spline(x, y, k=degree, bc_type=ends)), where, x[0], x[-1])
    except (ValueError, np.linalg.LinAlgError) as error:
        raise _too_far(where, error) from None
    held = table.outside == HOLD and table.period is None
    return replace(made, smooth=float(min(degree - 1, 2 if degree == 5 else 1)) if held else float(degree - 1))


def _pchip(x: Array, y: Array, table: Table, where: str) -> Curve:
    from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

    with np.errstate(all="ignore"):
        try:
            if table.period is not None:  # the slopes of three periods, of which the middle one is taken
                n, period = len(x) - 1, table.period
                xs = np.concatenate([x[:-1] - period, x[:-1], x + period])
                slopes = PchipInterpolator(xs, np.concatenate([y[:-1], y[:-1], y])).derivative()(x)
                slopes[n] = slopes[0]
            else:
                slopes = PchipInterpolator(x, y).derivative()(x)
                if table.outside == HOLD:
                    slopes[[0, -1]] = 0.0
            return _curve(CubicHermiteSpline(x, y, slopes), where)
        except ValueError as error:
            raise _too_far(where, error) from None


def smooth(points: Any, where: str) -> Curve:
    """Through all points, as smooth as their number allows (degree 5 from six points on)."""
    x, y = _points(points, where, 2)
    return _spline(x, y, Table(x, y, outside=EXTRAPOLATE), where)


def monotone(points: Any, where: str) -> Curve:
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
    return _curve(PPoly(c, np.concatenate([[x[0] - far], inner.x, [x[-1] + far]])), where)


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


def _curve(polynomial: Any, where: str, first: float = -math.inf, last: float = math.inf) -> Curve:
    """The pieces between two ends."""
    x = np.asarray(polynomial.x)
    middle = 0.5 * (x[:-1] + x[1:])
    # Splines repeat their end knots, and periodic ones have some beyond.
    keep = np.flatnonzero((np.diff(x) > 0) & (middle > first) & (middle < last))
    breaks = [*(float(x[k]) for k in keep), float(x[keep[-1] + 1])]
    if not np.all(np.isfinite(polynomial.c)):
        raise FormulaError(f"{where}: the slopes of the table are no numbers any more; its steps are too steep")
    return Curve(tuple(breaks), tuple(tuple(float(v) for v in polynomial.c[:, k]) for k in keep), where)


__all__ = ["EXTRAPOLATE", "HOLD", "REFUSE", "Curve", "curve", "monotone", "smooth"]
