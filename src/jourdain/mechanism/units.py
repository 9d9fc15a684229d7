"""Units: what each is worth in SI, and the algebra of dimensions.

A dimension is the powers of (kg, m, s, A, K, rad). The angle is kept apart so that `50 Hz` is not taken for rad/s, and
so that a mass in degrees is refused; otherwise it does not count: N m and N m/rad, m and m/turn fit each other.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from .names import nearest

Dimension = tuple[float, ...]

BASE = ("kg", "m", "s", "A", "K", "rad")
PURE: Dimension = (0, 0, 0, 0, 0, 0)
TIME: Dimension = (0, 0, 1, 0, 0, 0)
ANGLE: Dimension = (0, 0, 0, 0, 0, 1)


class UnitError(ValueError):
    """A unit that does not exist or cannot be read."""


@dataclass(frozen=True)
class Unit:
    """Worth in SI, as a decimal where it is one, and dimension."""

    factor: Decimal | float
    dimension: Dimension


def _unit(factor: str | float, kg: int = 0, m: int = 0, s: int = 0, A: int = 0, K: int = 0, rad: int = 0) -> Unit:
    return Unit(Decimal(factor) if isinstance(factor, str) else factor, (kg, m, s, A, K, rad))


_PREFIXES = {"n": "1e-9", "u": "1e-6", "µ": "1e-6", "m": "1e-3", "k": "1e3", "M": "1e6", "G": "1e9"}
_WITH_PREFIX = {
    "g": _unit("1e-3", kg=1),
    "m": _unit("1", m=1),
    "s": _unit("1", s=1),
    "A": _unit("1", A=1),
    "N": _unit("1", kg=1, m=1, s=-2),
    "Pa": _unit("1", kg=1, m=-1, s=-2),
    "J": _unit("1", kg=1, m=2, s=-2),
    "W": _unit("1", kg=1, m=2, s=-3),
    "V": _unit("1", kg=1, m=2, s=-3, A=-1),
    "ohm": _unit("1", kg=1, m=2, s=-3, A=-2),
    "H": _unit("1", kg=1, m=2, s=-2, A=-2),
    "F": _unit("1", kg=-1, m=-2, s=4, A=2),
    "Hz": _unit("1", s=-1),
    "rad": _unit("1", rad=1),
    "bar": _unit("1e5", kg=1, m=-1, s=-2),
}
UNITS: dict[str, Unit] = {
    **{
        prefix + name: Unit(Decimal(worth) * Decimal(unit.factor), unit.dimension)
        for name, unit in _WITH_PREFIX.items()
        for prefix, worth in {"": "1", **_PREFIXES}.items()
    },
    "cm": _unit("1e-2", m=1),
    "dm": _unit("1e-1", m=1),
    "K": _unit("1", K=1),
    "%": _unit("0.01"),
    "min": _unit("60", s=1),
    "h": _unit("3600", s=1),
    "deg": _unit(math.pi / 180, rad=1),
    "°": _unit(math.pi / 180, rad=1),
    "turn": _unit(2 * math.pi, rad=1),
    "rev": _unit(2 * math.pi, rad=1),
    "rpm": _unit(2 * math.pi / 60, s=-1, rad=1),
    "l": _unit("1e-3", m=3),
    "inch": _unit("0.0254", m=1),
    "in": _unit("0.0254", m=1),
    "ft": _unit("0.3048", m=1),
    "lb": _unit("0.45359237", kg=1),
    "lbf": _unit("4.4482216152605", kg=1, m=1, s=-2),
    "psi": _unit("6894.757293168", kg=1, m=-1, s=-2),
}

_NAMES: dict[Dimension, str] = {
    PURE: "a plain number",
    ANGLE: "an angle",
    TIME: "a time",
    (1, 0, 0, 0, 0, 0): "a mass",
    (0, 1, 0, 0, 0, 0): "a length",
    (0, 2, 0, 0, 0, 0): "an area",
    (0, 3, 0, 0, 0, 0): "a volume",
    (0, 1, -1, 0, 0, 0): "a speed",
    (0, 0, -1, 0, 0, 1): "an angular speed",
    (0, 0, -1, 0, 0, 0): "a frequency",
    (0, 1, -2, 0, 0, 0): "an acceleration",
    (1, 1, -2, 0, 0, 0): "a force",
    (1, 2, -2, 0, 0, 0): "a torque or an energy",
    (1, 0, -2, 0, 0, 0): "a stiffness",
    (1, 0, -1, 0, 0, 0): "a damping",
    (1, 2, -2, 0, 0, -1): "a stiffness in turning",
    (1, 2, -1, 0, 0, -1): "a damping in turning",
    (1, 2, 0, 0, 0, 0): "an inertia",
    (1, -3, 0, 0, 0, 0): "a density",
    (1, -1, -2, 0, 0, 0): "a pressure",
    (1, 2, -3, 0, 0, 0): "a power",
    (1, 2, -3, -1, 0, 0): "a voltage",
    (0, 0, 0, 1, 0, 0): "a current",
}
_POWERS = str.maketrans({"²": "^2", "³": "^3", "·": " "})
_TOKEN = re.compile(r"\s*([^\W\d]+|°|%|/|\(|\)|\^-?\d+|1)")


def times(a: Dimension, b: Dimension, power: float = 1) -> Dimension:
    """a * b**power."""
    return tuple(x + power * y for x, y in zip(a, b, strict=True))


def fits(found: Dimension, expected: Dimension) -> bool:
    """Whether a quantity may stand where another dimension is expected; see the head of this file about angles."""
    if found[:-1] != expected[:-1]:
        return False
    if found[-1] == expected[-1]:
        return True
    cycles = expected[:-1] == (0, 0, -1, 0, 0) or expected == PURE
    return not cycles


def name_of(dimension: Dimension) -> str:
    """In words; by its SI unit where there is no word."""
    return _NAMES.get(dimension) or of_base_units(dimension)


def of_base_units(dimension: Dimension) -> str:
    """`kg/(m s)`."""
    up = " ".join(_power(unit, p) for unit, p in zip(BASE, dimension, strict=True) if p > 0)
    down = " ".join(_power(unit, -p) for unit, p in zip(BASE, dimension, strict=True) if p < 0)
    return (up or "1") + (f"/({down})" if " " in down else f"/{down}" if down else "")


def _power(unit: str, power: float) -> str:
    return unit if power == 1 else f"{unit}^{power:g}"


@cache
def unit(text: str) -> Unit:
    """A product of units such as `N s/m`, `kg m^2` or `m^3/(s Pa)`; a slash divides by the next unit only."""
    tokens: list[str] = []
    plain = text.translate(_POWERS).strip()
    place = 0
    while place < len(plain):
        found = _TOKEN.match(plain, place)
        if found is None:
            raise UnitError(_unreadable(text))
        tokens.append(found[1])
        place = found.end()
    factor, dimension, rest = _product(tokens, text)
    if rest:
        raise UnitError(_unreadable(text))
    return Unit(factor, dimension)


def is_unit(text: object) -> bool:
    """Whether a value is the text of a unit."""
    try:
        return isinstance(text, str) and bool(unit(text))
    except UnitError:
        return False


def si_name(text: str) -> str:
    """A unit by which a number in SI may be called: the same where it is one of SI, else that of its dimension."""
    found = unit(text)
    return text if float(found.factor) == 1.0 else of_base_units(found.dimension)


def _unreadable(text: str) -> str:
    """That it is no unit, and how it is written where that can be told."""
    said = f"'{text}' cannot be read as a unit"
    if re.match(r",\d", text):
        return f"{said}; decimals are written with a point, as 1.5"
    if "*" in text:
        return f"{said}; units are multiplied by a space, as '{re.sub(r' *[*]+ *', ' ', text)}', and have powers by ^"
    return said


def _product(tokens: list[str], text: str) -> tuple[Decimal | float, Dimension, list[str]]:
    factor: Decimal | float = Decimal(1)
    dimension = PURE
    sign = 1
    while tokens and tokens[0] != ")":
        token, *tokens = tokens
        if token == "/":
            sign = -1
            continue
        if token == "(":
            worth, inner, tokens = _product(tokens, text)
            if not tokens:
                raise UnitError(f"'{text}' has a bracket that is not closed")
            tokens = tokens[1:]
        elif token == "1":
            worth, inner = Decimal(1), PURE
        elif token in UNITS:
            worth, inner = UNITS[token].factor, UNITS[token].dimension
        else:
            raise UnitError(f"unknown unit '{token}'; {nearest_unit(token)}")
        power = sign
        if tokens and tokens[0].startswith("^"):
            power *= int(tokens[0][1:])
            tokens = tokens[1:]
        if abs(power) > 9:
            raise UnitError(f"'{text}' has a power that no quantity has")
        factor = _multiplied(factor, worth, power)
        dimension = times(dimension, inner, power)
        sign = 1
    return factor, dimension, tokens


def _multiplied(a: Decimal | float, b: Decimal | float, power: int) -> Decimal | float:
    if isinstance(a, Decimal) and isinstance(b, Decimal):
        return a * b**power
    return float(a) * float(b) ** power


def nearest_unit(name: str) -> str:
    """What may have been meant, and the common ones."""
    common = "N, m, mm, kg, s, deg, rad, rpm, ..."
    found = nearest(name, UNITS)
    hint = found[found.index(" (did you mean") :] if "did you mean" in found else ""
    return f"known: {common}{hint}"


def in_si(literal: str, unit: Unit) -> float:
    """A number with its unit, rounded once: 25 mm is 0.025."""
    if math.isinf(float(literal)):
        raise UnitError("a number is too large")
    if isinstance(unit.factor, Decimal):
        return float(Decimal(literal) * unit.factor)
    return float(literal) * unit.factor


_QUANTITY = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)$", re.DOTALL)


class Measured(float):
    """A number in SI that was written with a unit: `text` is how, for whoever checks whether the unit fits."""

    text: str

    @classmethod
    def of(cls, text: str) -> Measured | str:
        """The number of a text like `3 N/mm`; any other text stays as it is."""
        found = _QUANTITY.match(text)
        if found is None or not found[2].strip():
            return text
        try:
            number = cls(quantity(text))
        except UnitError:
            return text
        number.text = text
        return number


def written_unit(text: str) -> str:
    """The unit of `40 mm`; nothing where it has none."""
    found = _QUANTITY.match(text)
    return found[2].strip() if found else ""


def quantity(text: str, expected: str = "") -> float:
    """`40 mm` as a number in SI; `expected` are units that it must fit, `rad/s or m/s`. A bare number is in SI.

    Raises UnitError with what is wrong with the unit, another ValueError where no number stands before it.
    """
    found = _QUANTITY.match(text)
    if found is None or len(text) > 200:
        raise ValueError(f"'{text[:60]}' is no number with a unit like '40 mm'")
    literal, rest = found[1], found[2].strip()
    if not rest:
        return in_si(literal, Unit(1.0, PURE))
    measure = unit(rest)
    wanted = [unit(one) for one in expected.split(" or ")] if expected else []
    if wanted and not any(fits(measure.dimension, one.dimension) for one in wanted):
        words = " or ".join(dict.fromkeys(name_of(one.dimension) for one in wanted))
        raise UnitError(f"'{text}' is {name_of(measure.dimension)}; expected {words} ({expected})")
    return in_si(literal, measure)
