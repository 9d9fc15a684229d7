"""Profiles: functions that formulas know beside those of a pocket calculator, written with its operations.

`where`, `piecewise`, `mod`, `clip`, `step`, `ramp`, `trapezoid`, and laws of motion from 0 to 1 as cams have them. Each
is a formula of `min`, `max`, `floor`, `step` and `where`, so the kernel needs to know nothing of it. A law keeps beside
that formula how many of its derivatives have no jump, which its parts do not tell: see `smoothness`. At a corner the
derivatives are those behind it: a limit stands before what it limits, and of two that are equal the first is taken.

Cam laws over u = (x - x0) / (x1 - x0), after Norton, Cam Design and Manufacturing Handbook (2002), ch. 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from .formula import Formula, FormulaError, Law, apply, law, number


def where(condition: Formula, a: Formula, b: Formula) -> Formula:
    """a where the condition holds, else b."""
    if condition.constant:
        return a if condition.value else b
    return Formula("where", (condition, a, b))


def below(a: Formula, b: Formula) -> Formula:
    """1 where a < b, else 0."""
    return 1.0 - apply("step", a - b)


def not_above(a: Formula, b: Formula) -> Formula:
    """1 where a <= b, else 0."""
    return apply("step", b - a)


def mod(x: Formula, y: Formula) -> Formula:
    """What is left of x after whole multiples of y; it has the sign of y."""
    return law(Law("mod", -1), x - y * apply("floor", x / y), x, y)


def clip(x: Formula, low: Formula, high: Formula) -> Formula:
    if low.constant and high.constant and high.value < low.value:
        raise FormulaError(f"high is {high.value:g}, below low, {low.value:g}")
    return law(Law("clip", 0), apply("min", high, apply("max", low, x)), x, low, high)


def step(x: Formula, x0: Formula) -> Formula:
    """0, from x0 on 1."""
    return law(Law("step", -1), apply("step", x - x0), x, x0)


def ramp(x: Formula, x0: Formula, x1: Formula) -> Formula:
    """0 up to x0, straight to 1 at x1."""
    return law(Law("ramp", 0), _part(x, x0, x1), x, x0, x1)


def _part(x: Formula, x0: Formula, x1: Formula) -> Formula:
    """How much of the way from x0 to x1 is done, from 0 to 1."""
    if x0.constant and x1.constant and not x1.value > x0.value:
        raise FormulaError(f"it begins at {x0.value:g} and ends at {x1.value:g}; expected an end after the beginning")
    return apply("min", number(1.0), apply("max", number(0.0), (x - x0) / (x1 - x0)))


def trapezoid(x: Formula, x0: Formula, x1: Formula, x2: Formula, x3: Formula) -> Formula:
    """0 up to x0, 1 from x1 to x2, 0 from x3 on."""
    if x1.constant and x2.constant and x2.value < x1.value:
        raise FormulaError(f"x2 is {x2.value:g}, before x1, {x1.value:g}; expected x0 < x1 <= x2 < x3")
    found = apply("min", 1.0 - _part(x, x2, x3), _part(x, x0, x1))
    return law(Law("trapezoid", 0), found, x, x0, x1, x2, x3)


def piecewise(x: Formula, *rest: Formula) -> Formula:
    """f1 below x1, f2 below x2, and so on; the last from there on."""
    *pairs, last = rest
    limits = pairs[::2]
    for a, b in pairwise(limits):
        if a.constant and b.constant and not a.value < b.value:
            raise FormulaError(f"its limits {a.value:g} and {b.value:g} do not rise")
    found = last
    for limit, f in zip(limits[::-1], pairs[1::2][::-1], strict=True):
        found = where(below(x, limit), f, found)
    return found


# Laws of motion -----------------------------------------------------------------------------------------------------

_MODIFIED_SINE = 1.0 / (math.pi + 4.0)
_MODIFIED_TRAPEZOID = 1.0 / (math.pi + 2.0)


def _cycloid(u: Formula) -> Formula:
    return u - apply("sin", 2 * math.pi * u) / (2 * math.pi)


def _poly345(u: Formula) -> Formula:
    return u**3.0 * (10.0 + u * (6.0 * u - 15.0))


def _poly4567(u: Formula) -> Formula:
    return u**4.0 * (35.0 + u * (u * (70.0 - 20.0 * u) - 84.0))


def _harmonic(u: Formula) -> Formula:
    return 0.5 - 0.5 * apply("cos", math.pi * u)


def _modified_sine(u: Formula) -> Formula:
    """Sines of the acceleration: a quarter of a wave in each outer eighth, half a wave three times as long between."""
    c, pi = _MODIFIED_SINE, math.pi
    first = c * (pi * u - 0.25 * apply("sin", 4 * pi * u))
    between = c * (2.0 + pi * u - 2.25 * apply("sin", (4 * pi * u + pi) / 3.0))
    last = c * (4.0 + pi * u - 0.25 * apply("sin", 4 * pi * u))
    return piecewise(u, number(0.125), first, number(0.875), between, last)


def _modified_trapezoid(u: Formula) -> Formula:
    """Acceleration as a trapezoid whose flanks are sines of an eighth; the second half is the first, turned round."""

    def half(u: Formula) -> Formula:
        c, pi = _MODIFIED_TRAPEZOID, math.pi
        rise = c * (2.0 * u - apply("sin", 4 * pi * u) / (2 * pi))
        level = c * (4 * pi * u * u + (2.0 - pi) * u + pi / 16.0 - 0.5 / pi)
        fall = c * ((2.0 * pi + 2.0) * u - pi / 2.0 - apply("sin", 4 * pi * u - pi) / (2 * pi))
        return piecewise(u, number(0.125), rise, number(0.375), level, fall)

    return where(below(u, number(0.5)), half(u), 1.0 - half(1.0 - u))


def _of_law(name: str, f: Callable[[Formula], Formula], smooth: int) -> Callable[..., Formula]:
    def made(x: Formula, x0: Formula, x1: Formula) -> Formula:
        return law(Law(name, smooth), f(_part(x, x0, x1)), x, x0, x1)

    return made


# Name: least and most arguments, and what it is. Numbers behind laws: derivatives without a jump.
PROFILES: dict[str, tuple[int, int, Callable[..., Formula]]] = {
    "where": (3, 3, where),
    "piecewise": (4, 1000, piecewise),
    "mod": (2, 2, mod),
    "clip": (3, 3, clip),
    "step": (2, 2, step),
    "ramp": (3, 3, ramp),
    "trapezoid": (5, 5, trapezoid),
    **{
        name: (3, 3, _of_law(name, f, smooth))
        for name, f, smooth in (
            ("cycloid", _cycloid, 2),
            ("poly345", _poly345, 2),
            ("poly4567", _poly4567, 3),
            ("harmonic", _harmonic, 1),
            ("modified_sine", _modified_sine, 2),
            ("modified_trapezoid", _modified_trapezoid, 2),
        )
    },
}


def profile(name: str, args: list[Any]) -> Formula:
    """A profile by name, of formulas."""
    least, most, make = PROFILES[name]
    if not least <= len(args) <= most or (name == "piecewise" and len(args) % 2):
        words = "x, then limits and formulas in turn, and the last formula" if name == "piecewise" else f"{least}"
        raise FormulaError(f"{name} takes {words}{' arguments' if name != 'piecewise' else ''}, not {len(args)}")
    try:
        return make(*args)
    except FormulaError as error:
        raise FormulaError(f"{name}: {error}") from None
