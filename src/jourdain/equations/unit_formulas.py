"""Formulas with units to formulas in SI: `1500 rpm * t` to `157.07963267948966 * t`, with its dimension.

A unit follows a number, with or without a space between; units are multiplied by a space (`N m`), divided by a slash
without spaces (`N/m`), raised by `^` (`m^2`). A slash with spaces around it divides by what follows, like a star.
Numbers without a unit fit every dimension, and so does what is computed with them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from ..mechanism.units import (
    ANGLE,
    PURE,
    TIME,
    UNITS,
    Dimension,
    UnitError,
    fits,
    in_si,
    name_of,
    nearest_unit,
    times,
    unit,
)
from .formula import FUNCTIONS, Formula, FormulaError
from .parse import MAX_LENGTH
from .parse import formula as parsed
from .profiles import PROFILES
from .vectors import EquationError

_NUMBER = re.compile(r"(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\d.])")
_WORD = r"([^\W\d²³]+|°)(?![^\W²³]|[(.])"
_NAME = re.compile(rf"[ ]*{_WORD}")
_ANY_NAME = re.compile(r"[ ]*([^\W\d]\w*|°)")
_NEXT = re.compile(rf"(?:/|[ ]+|·){_WORD}")
_FACTOR = r"([^\W\d²³]+)(?:\^-?\d+|[²³])?"
_GROUP = re.compile(rf"/\([ ]*{_FACTOR}(?:[ ·/]{_FACTOR})*[ ]*\)")
_POWER = re.compile(r"\^-?\d+|[²³]")
_IDENTIFIER = re.compile(r"(?<![\w.])([^\W\d]\w*)(?=(\s*\()?)")
# What sqrt, abs and their like do to a dimension; others take a plain number or an angle, and give a plain number.
_KEEP = ("abs", "min", "max", "mod", "clip")
TURN = 6.3  # rad: numbers added to an angle that are larger are perhaps degrees
_TURNS = ("asin", "acos", "atan", "atan2")


@dataclass(frozen=True)
class Expression:
    """A formula in SI, as text and as a tree, and its dimension; None where it may be anything."""

    text: str
    formula: Formula
    dimension: Dimension | None
    shown: str
    bare: float | None = None  # a number without a unit, larger than a turn, that is added to an angle


@lru_cache(maxsize=4096)
def without_units(text: str) -> tuple[str, dict[int, Dimension]]:
    """The text with every quantity as a number in SI, and the dimension of each by where it stands there, in bytes."""
    if len(text) > MAX_LENGTH:
        raise FormulaError(f"a formula of {len(text)} characters is too long (at most {MAX_LENGTH})")
    out = ""
    found: dict[int, Dimension] = {}
    place = 0
    for number in _NUMBER.finditer(text):
        end = _unit_end(text, number.end())
        if end == number.end():
            continue
        worth = unit(text[number.end() : end].strip())
        if text.startswith("**", end):
            shown = text[number.start() : end]
            raise FormulaError(f"'{shown}**' can be read two ways; write '{shown}^2' or '({shown})**2'")
        out += text[place : number.start()]
        found[len(out.encode())] = worth.dimension
        out += repr(in_si(number[0], worth))
        place = end
    return out + text[place:], found


def _unit_end(text: str, start: int) -> int:
    """Where the unit behind a number ends; `start` if there is none."""
    first = _NAME.match(text, start)
    if first is None or first[1] not in UNITS:
        wrong = _ANY_NAME.match(text, start)
        if wrong is not None and wrong[1] not in ("if", "else", "and", "or", "is", "not", "for"):
            raise UnitError(f"unknown unit '{wrong[1]}' after a number; {nearest_unit(wrong[1])}")
        return start
    end = first.end()
    while True:
        power = _POWER.match(text, end)
        end = power.end() if power else end
        group, more = _GROUP.match(text, end), _NEXT.match(text, end)
        if group is not None and all(name in UNITS for name in re.findall(r"[^\W\d²³]+", group[0])):
            end = group.end()
        elif more is not None and more[1] in UNITS:
            end = more.end()
        else:
            return end


def unit_places(text: str) -> list[tuple[int, int]]:
    """Where units stand in a text, behind their numbers; nowhere behind a number with an unknown one."""
    found = []
    for number in _NUMBER.finditer(text):
        try:
            found.append((number.end(), _unit_end(text, number.end())))
        except UnitError:
            continue
    return found


def expression(text: str, names: Mapping[str, Dimension | None]) -> Expression:
    """Read a formula; `names` are the dimensions of parameters. Raises FormulaError, EquationError or UnitError."""
    plain, quantities = without_units(text.strip())
    f = parsed(plain, quantities=True)
    dimension: Dimension | None = None
    if quantities or any(name in names and names[name] is not None for name in _names(f)):
        found = _Dimensions(names, quantities)
        dimension = found.of_text(plain)
        return Expression(plain, f, dimension, text.strip(), found.bare)
    return Expression(plain, f, dimension, text.strip())


def _names(f: Formula) -> list[str]:
    keys = f.quantities()
    return [key for key in keys if isinstance(key, str)]


def dimension_of(text: str, names: Mapping[str, Dimension | None]) -> Dimension | None:
    """Of a formula over channels whose dimensions are known; None where it may be anything."""
    plain, quantities = without_units(text.strip())
    return _Dimensions(names, quantities, plain_numbers=True).of_text(plain)


def renamed(text: str, rename: Callable[[str], str]) -> str:
    """A formula without units with its names, the first of dotted ones and those of tables, replaced."""
    kept = {*FUNCTIONS, *PROFILES, "dot"}
    return _IDENTIFIER.sub(lambda m: m[1] if m[2] and m[1] in kept else rename(m[1]), text)


class _Loose(tuple[float, ...]):
    """The dimension of `t` alone: a time where it meets a quantity, otherwise anything: 1 rad/s may be meant by it."""


class _Dimensions:
    """The dimension of a formula, found node by node; faults where unlike things are added."""

    def __init__(
        self, names: Mapping[str, Dimension | None], quantities: Mapping[int, Dimension], plain_numbers: bool = False
    ) -> None:
        """`plain_numbers`: numbers without a unit are none of anything, where they multiply."""
        self.names = names
        self.plain_numbers = plain_numbers
        self.quantities = quantities
        self.bare: float | None = None

    def of_text(self, text: str) -> Dimension | None:
        try:
            found = self._of(ast.parse(text, mode="eval").body)
            return None if isinstance(found, _Loose) else found
        except (SyntaxError, RecursionError, MemoryError):
            raise FormulaError("a formula is nested too deeply") from None

    def _of(self, node: ast.expr) -> Dimension | None:
        if isinstance(node, ast.Constant):
            return self.quantities.get(node.col_offset) if node.lineno == 1 else None
        if isinstance(node, ast.Name):
            return _Loose(TIME) if node.id == "t" else self.names.get(node.id)
        if isinstance(node, ast.Attribute):
            return self.names.get(ast.unparse(node))
        if isinstance(node, ast.UnaryOp):
            return self._of(node.operand)
        if isinstance(node, ast.BinOp):
            return self._binary(node, self._of(node.left), self._of(node.right))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._call(node.func.id, [self._of(arg) for arg in node.args])
        if isinstance(node, ast.Compare):
            self._alike("a comparison", [self._of(side) for side in (node.left, *node.comparators)])
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                self._of(value)
        return None

    def _alike(self, name: str, args: list[Dimension | None]) -> Dimension | None:
        """The dimension that all of these have; a fault where two differ."""
        known = [arg for arg in args if arg is not None and not isinstance(arg, _Loose)]
        for other in known[1:]:
            if not (fits(known[0], other) or fits(other, known[0])):
                raise FormulaError(f"{name} of {name_of(known[0])} and {name_of(other)} means nothing")
        return known[0] if known else None

    def _binary(self, node: ast.BinOp, a: Dimension | None, b: Dimension | None) -> Dimension | None:
        if isinstance(node.op, ast.Add | ast.Sub):
            a, b = (None if isinstance(x, _Loose) else x for x in (a, b))
            if a is not None and b is not None and not (fits(a, b) or fits(b, a)):
                raise FormulaError(f"{name_of(a)} and {name_of(b)} cannot be added")
            for side, other in ((node.left, b), (node.right, a)):
                if isinstance(side, ast.Constant) and other == ANGLE and abs(float(side.value)) > TURN:  # type: ignore[arg-type]
                    self.bare = None if side.col_offset in self.quantities else float(side.value)  # type: ignore[arg-type]
            return b if a is None else a
        if isinstance(node.op, ast.Pow):
            exponent = node.right
            if a is not None and isinstance(exponent, ast.Constant) and isinstance(exponent.value, int | float):
                power = times(PURE, a, exponent.value)
                return _Loose(power) if isinstance(a, _Loose) else power
            return PURE if a == PURE else None
        if self.plain_numbers:
            a, b = (
                PURE if x is None and isinstance(side, ast.Constant) else x
                for x, side in ((a, node.left), (b, node.right))
            )
        if a is None or b is None:
            return None
        product = times(a, b, 1 if isinstance(node.op, ast.Mult) else -1)
        return _Loose(product) if isinstance(a, _Loose) and isinstance(b, _Loose) else product

    def _call(self, name: str, args: list[Dimension | None]) -> Dimension | None:
        known = [arg for arg in args if arg is not None and not isinstance(arg, _Loose)]
        if name in _KEEP or name == "atan2":
            found = self._alike(name, args)
            return ANGLE if name == "atan2" else found
        if name == "where":
            return self._alike(name, args[1:])
        if name == "piecewise":
            self._alike(name, [args[0], *args[1:-1:2]])
            return self._alike(name, [*args[2:-1:2], args[-1]])
        if name in PROFILES:
            self._alike(name, args)
            return PURE
        if name not in FUNCTIONS:
            return self.names.get(f"{name}()")
        if name == "sqrt":
            return times(PURE, known[0], 0.5) if known else None
        if name != "sign" and known and known[0][:-1] != PURE[:-1]:
            raise FormulaError(f"{name} of {name_of(known[0])} means nothing; expected an angle or a plain number")
        return ANGLE if name in _TURNS else PURE


Faulty = (FormulaError, EquationError, UnitError)
