"""One file being read: its faults, its parameters, the names it may use, and values read by their keys."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..equations.parse import unknown_function
from ..equations.unit_formulas import Expression, Faulty, expression, renamed
from ..library import kinds as k
from ..library.kinds import Key
from ..mechanism.fault import Mark, TypeMark, Where
from ..mechanism.names import nearest
from ..mechanism.parts import PortName
from ..mechanism.units import PURE, Dimension, Unit, UnitError, fits, name_of, unit
from . import vocabulary
from .file_faults import Faults
from .nodes import Node
from .table_reading import Tables, is_table

# What a failed reading returns: the fault is noted, and the part goes on without the value.
MISSING: Any = object()
CONSTANTS = ("t", "pi", "e")
_DOTTED = re.compile(r"(?<![\w.])[^\W\d]\w*(?:\.[^\W\d]\w*){2,}")
_GROUND = re.compile(r"(?<![\w.])ground\.")


class Full(str):
    """The name of a part as the whole mechanism has it, where a file's own name is expected."""


@dataclass
class Scope:
    """The file, and what its formulas may name. `prefix` is that of an included file, or of a use of a type."""

    faults: Faults
    path: str
    dim: int = 2
    prefix: str = ""
    folder: Path = Path()  # that names of other files start from
    values: dict[str, float] = field(default_factory=dict)  # of the file's parameters, by the names in the file
    dimensions: dict[str, Dimension | None] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)  # names of the file's parts and parameters, as the file has them
    hints: list[str] = field(default_factory=list)  # what may be meant otherwise
    coordinates: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of joints, by their whole names
    # Of types (`types/`): those that may be used, and what stands for names in the type that is being read.
    types: Any = field(default_factory=tuple)
    uses: Any = None
    open_types: tuple[str, ...] = ()  # that contain this one
    whole: str = ""  # the name under which a type is used: `self`
    given: dict[str, Any] = field(default_factory=dict)  # other values of parameters of types, by their whole names
    used: Mark | None = None  # where a file of types is named
    links: dict[str, str] = field(default_factory=dict)  # formulas of gaps, in names of the whole mechanism
    ends: dict[str, Any] = field(default_factory=dict)  # points and joints that a type was given
    aliases: dict[str, str] = field(default_factory=dict)  # ports of assemblies: `leg3.foot`
    placed: Any = None
    known: dict[tuple[str, str], float] = field(default_factory=dict)  # texts read before, by unit: files repeat them

    # Names ---------------------------------------------------------------------------------------------------------

    def named(self, name: str) -> str:
        """The name a part of this file has in the whole mechanism; without one that of the use of a type."""
        return self.prefix + name if name else self.whole

    def named_table(self, name: str) -> str:
        """The same of a table, which formulas call: dots cannot stand in it."""
        return self.prefix.replace(".", "_") + name

    def reference(self, name: str) -> str:
        """A name of a part that a file uses, `crank` or `crank.angle`: its own ones have the prefix."""
        if isinstance(name, Full):
            return str(name)
        head, dot, rest = self.aliases.get(name, name).partition(".")
        return self._head(head) + dot + rest

    def _head(self, head: str) -> str:
        """The first word of a name, which may be an end of a type, its own part, or one of this file."""
        if head in self.ends:
            return str(self.ends[head])
        if head == "self" and self.whole:
            return self.whole
        return self.prefix + head if head in self.own else head

    def port(self, node: Node, where: Where) -> PortName | Any:
        found = self._port(node.value)
        if found is None:
            return self.wrong(node, where, "a point like crank.B")
        if self.uses is not None:
            self.uses.connected.add(found)
        return found

    def _port(self, text: Any) -> PortName | None:
        if isinstance(text, PortName):
            return text
        end = self.ends.get(text) if isinstance(text, str) else None
        if isinstance(end, PortName):
            return end
        if not isinstance(text, str) or "." not in text or not all(text.split(".")):
            return None
        text = self.aliases.get(text, text)
        if text.startswith("ground."):
            return PortName("ground", self.prefix + text.removeprefix("ground."))
        body, _, point = text.rpartition(".")
        return PortName(self.prefix + body, point)

    # Faults --------------------------------------------------------------------------------------------------------

    def fault(self, node: Node | Mark, where: Where, words: str) -> Any:
        mark = node if isinstance(node, Mark) else node.mark
        self.faults.add(where.fault(words).at(mark if self.used is None else TypeMark.of(self.used, mark)))
        return MISSING

    def wrong(self, node: Node, where: Where, expected: str) -> Any:
        items = node.value if isinstance(node.value, list) else []
        torn = any(isinstance(item.value, str) and item.value.count("(") != item.value.count(")") for item in items)
        hint = "; in a list a formula with a comma needs quotes" if torn else ""
        return self.fault(node, where, f"{where} is {shown(node)}; expected {expected}{hint}")

    def table(
        self, node: Node, where: Where, known: Collection[str], required: Collection[str] = (), part: str | None = None
    ) -> dict[str, Node]:
        """A mapping, with faults for what it should not hold and for what it lacks; `part` is whose keys they are."""
        if not isinstance(node.value, dict):
            if node.value is None and not required:
                return {}
            self.wrong(node, where, f"keys such as {', '.join(list(known)[:4])}")
            return {}
        self._miswritten(node, where)
        for name in node.value:
            if name not in known:
                self.fault(
                    node.keys[name], where.at(name), f"{where} has an unknown key '{name}'; {nearest(name, known)}"
                )
                meant = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
                if part is not None and meant:  # it is not missing, but misspelt
                    self.faults.mark_broken(part, meant[0])
        for name in required:
            if name not in node.value and not self.faults.is_broken(part, name):
                self.fault(node, where.at(name), f"{where}: {name} is missing")
        return {name: value for name, value in node.value.items() if name in known}

    def names(self, node: Node, where: Where) -> dict[str, Node]:
        """A mapping of names to parts."""
        if node.value is None:
            return {}
        if not isinstance(node.value, dict):
            self.wrong(node, where, "names, each with its keys")
            return {}
        self._miswritten(node, where)
        return dict(node.value)

    def _miswritten(self, node: Node, where: Where) -> None:
        for name in node.torn:
            whole = node[name].value
            words = f'between braces a comma ends a value; write it in quotes, {name}: "{whole}"'
            self.fault(node[name], where.at(name), f"{where}: {name} is torn apart: {words}")
        for name, mark in node.twice:
            first = node.keys[name].line
            self.fault(mark, where.at(name), f"{where}: '{name}' is written twice; the first is in line {first}")

    # Numbers and formulas ------------------------------------------------------------------------------------------

    def expression(self, node: Node, where: Where, allowed: str, local: Collection[str] = ()) -> Expression | Any:
        """A formula as written; MISSING where it cannot be read. Names in `local` are no parameters here."""
        names = {n: d for n, d in self.dimensions.items() if n not in local} if local else self.dimensions
        try:
            read = expression(node.value, names)
            for part in read.formula.nodes():
                if part.op == "named" and f"{part.key}()" not in names:
                    raise unknown_function(part.key, [n[:-2] for n in names if n.endswith("()")])
            return read
        except Faulty as error:
            words = str(error)
            said = "" if words.startswith(("'", "a formula of")) else f"{_quoted(node.value)}: "
            told = any(word in words for word in ("expected", "known:", "write"))
            return self.fault(node, where, f"{where}: {said}{words}{'' if told else f'; expected {allowed}'}")

    def number(self, node: Node, where: Where, units: str = "", plain: bool = False) -> float | Any:
        """A number now: what depends on parameters is evaluated."""
        if _is_number(node.value):
            return self._finite(node, float(node.value), where)
        expected = expected_number(units)
        if not isinstance(node.value, str):
            return self.wrong(node, where, expected)
        before = self.known.get((node.value, units))
        if before is not None:
            return before
        read = self.expression(node, where, expected)
        if read is MISSING or not self._fits(node, read, where, units, plain):
            return MISSING
        for name in read.formula.quantities():
            if name not in self.values:
                known = {**self.values, "pi": 0, "e": 0}
                return self.fault(
                    node, where, f"{where}: '{read.shown}': there is no parameter '{name}'; {nearest(name, known)}"
                )
        if any(part.op == "t" for part in read.formula.nodes()):
            return self.fault(
                node, where, f"{where}: '{read.shown}' depends on t; expected {expected}, the same at all times"
            )
        try:
            value = read.formula(0.0, self.values.__getitem__) * _scale(read, units)
        except (ArithmeticError, ValueError) as error:
            return self.fault(node, where, f"{where}: '{read.shown}' has no value ({error}); expected {expected}")
        if math.isfinite(value) and not plain:
            self.known[node.value, units] = value
        return self._finite(node, value, where)

    def formula(
        self, node: Node, where: Where, units: str = "", local: Collection[str] = (), plain: bool = False
    ) -> Any:
        """A number, or the text of a formula in SI that the kernel evaluates."""
        if _is_number(node.value):
            return self._finite(node, float(node.value), where)
        if is_table(node):
            return Tables(self, MISSING).read(node["table"], where.at("table"), units, local)[0]
        if not isinstance(node.value, str):
            return self.wrong(node, where, expected_number(units, formula=True))
        read = self.expression(node, where, expected_number(units, formula=True), local)
        if read is not MISSING and read.bare is not None:
            worth = f"{read.bare:g} is {read.bare:g} rad; write {read.bare:g} deg if degrees are meant"
            self.hints.append(f"{node.mark}: {where}: '{read.shown}': {worth}")
        if read is MISSING or not self._fits(node, read, where, units, plain):
            return MISSING
        scale = _scale(read, units)
        if read.formula.constant:
            return self._finite(node, read.formula.value * scale, where)
        text = self._renamed(read.text, local) if self.prefix or self.aliases else read.text
        return text if scale == 1.0 else f"({text})*{scale!r}"

    def _renamed(self, text: str, local: Collection[str]) -> str:
        def rename(name: str) -> str:
            if name in local or name in CONSTANTS:
                return name
            if name in self.links:
                return f"({self.links[name]})"
            if f"{name}()" in self.dimensions:
                return self.named_table(name)
            return self._head(name)

        if self.aliases:
            text = _DOTTED.sub(self._led, text)
        return renamed(_GROUND.sub(lambda _: f"ground.{self.prefix}", text), rename)

    def _led(self, found: re.Match[str]) -> str:
        """A channel of a port of an assembly as that of the point it leads to."""
        port, dot, channel = found[0].rpartition(".")
        if port not in self.aliases:
            return found[0]
        end = self._port(port)
        if self.uses is not None and end is not None:
            self.uses.connected.add(end)
        return self.aliases[port] + dot + channel

    def _finite(self, node: Node, value: float, where: Where) -> float | Any:
        if math.isfinite(value):
            return value
        return self.fault(node, where, f"{where} is {value}; expected a finite number")

    def _fits(self, node: Node, read: Expression, where: Where, units: str, plain: bool) -> bool:
        if read.dimension is None or (not units and not plain):
            return True
        wanted = [unit(text) for text in units.split(" or ")] if units else [Unit(1.0, PURE)]
        if any(fits(read.dimension, one.dimension) for one in wanted):
            return True
        words = " or ".join(dict.fromkeys(name_of(one.dimension) for one in wanted))
        self.fault(
            node,
            where,
            f"{where} is '{read.shown}', {name_of(read.dimension)}; expected {words}{f' ({units})' if units else ''}",
        )
        return False

    # Values by key -------------------------------------------------------------------------------------------------

    def value(self, node: Node, where: Where, key: Key, local: Collection[str] = (), now: bool = False) -> Any:
        """The value of a key as the builder takes it; MISSING, and the fault noted, where it is wrong.

        `now`: numbers must be known when the file is read. Otherwise formulas of parameters stay formulas.
        """
        plain = where.key.rpartition(".")[2] in vocabulary.PLAIN
        if key.what in _SCALARS:
            one = self._one(now, key, local, plain)
            count = key.count(self.dim)
            if count == 0 or (count == 1 and not isinstance(node.value, list)):
                return one(node, where, key.unit)
            return self._vector(node, where, key, count, one)
        if key.what == k.SIGNAL:
            if isinstance(node.value, list):
                return self.pairs(node, where, ("s", key.unit))
            return self.formula(node, where, key.unit, local)
        if key.what == k.TABLE:
            first, _, second = key.unit.partition(", ")
            if isinstance(node.value, dict):
                return Tables(self, MISSING).read(node, where, second)[0]
            return self.pairs(node, where, (first, second))
        if key.what in (k.NUMBERS, k.MATRIX):
            return self._numbers(node, where, key.what == k.MATRIX)
        if key.what in (k.FORMULAS, k.FUNCTION, k.STARTS):
            return self._mapping(node, where, key, local)
        return self._plain(node, where, key)

    def _one(self, now: bool, key: Key, local: Collection[str], plain: bool) -> Callable[[Node, Where, str], Any]:
        if now:
            return lambda node, where, units: self.number(node, where, units, plain)
        return lambda node, where, units: self.formula(node, where, units, local, plain)

    def _vector(self, node: Node, where: Where, key: Key, count: int, one: Callable[[Node, Where, str], Any]) -> Any:
        if not isinstance(node.value, list) or len(node.value) != count:
            what = {k.FORMULA: "numbers or formulas"}.get(key.what, "numbers")
            suffix = f" ({key.unit})" if key.unit else ""
            return self.wrong(node, where, f"a list of {count} {what}{suffix}")
        units = [_unit_at(key.unit, n, count) for n in range(count)]
        limits = key.what == k.NUMBER and key.size == 2  # null in a pair of limits: no limit on that side
        found = [
            None if limits and item.value is None else one(item, where, u)
            for item, u in zip(node.value, units, strict=True)
        ]
        return MISSING if any(value is MISSING for value in found) else tuple(found)

    def pairs(self, node: Node, where: Where, units: tuple[str, str]) -> Any:
        """Pairs of numbers, each with a unit of its own or in SI."""
        rows = node.value if isinstance(node.value, list) else []
        if len(rows) < 2 or not all(isinstance(row.value, list) and len(row.value) == 2 for row in rows):
            return self.wrong(node, where, "at least two pairs of numbers like [[0, 0], [1, 2]]")
        found = [[self.number(x, where, u) for x, u in zip(row.value, units, strict=True)] for row in rows]
        return MISSING if any(x is MISSING for row in found for x in row) else tuple(tuple(row) for row in found)

    def _numbers(self, node: Node, where: Where, rows: bool) -> Any:
        """A list of numbers of any length, or rows of them."""
        if not isinstance(node.value, list):
            return self.wrong(node, where, k.EXPECTED[k.MATRIX if rows else k.NUMBERS])
        read = [self._numbers(one, where, False) if rows else self.number(one, where) for one in node.value]
        return MISSING if any(one is MISSING for one in read) else tuple(read)

    def _mapping(self, node: Node, where: Where, key: Key, local: Collection[str]) -> Any:
        if not isinstance(node.value, dict):
            return self.wrong(node, where, "formulas by name" if key.what != k.STARTS else "numbers by name")
        self._miswritten(node, where)
        found = {name: self.formula(item, where.at(name), "", local) for name, item in node.items()}
        return MISSING if any(value is MISSING for value in found.values()) else found

    def _units(self, node: Node, where: Where) -> Any:
        found: dict[str, str] = {}
        for name, item in self.names(node, where).items():
            try:
                unit(item.value if isinstance(item.value, str) else "")
            except UnitError as error:
                self.fault(item, where.at(name), f"{where}: {name}: {error}")
                return MISSING
            found[name] = item.value
        return found

    def _plain(self, node: Node, where: Where, key: Key) -> Any:
        value = node.value
        if key.what == k.FLAG:
            return value if isinstance(value, bool) else self.wrong(node, where, "true or false")
        if key.what == k.COUNT:
            whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
            return value if whole else self.wrong(node, where, "a whole number from 1 on")
        if key.what == k.WORD:
            if value in key.words:
                return value
            return self.fault(node, where, f"{where} is {shown(node)}; expected {_choice(value, key.words)}")
        if key.what in (k.NAMES, vocabulary.NAMES_OR_NAME):
            return self._texts(node, where, key.what == vocabulary.NAMES_OR_NAME)
        if key.what == k.BODY and isinstance(end := self._port(value), PortName) and "." not in str(value):
            return end.body
        if key.what == k.UNITS:
            return self._units(node, where)
        if key.what in (k.JOINT, k.BODY):
            expected = "the name of a joint" if key.what == k.JOINT else "the name of a body"
            return self.reference(value) if isinstance(value, str) else self.wrong(node, where, expected)
        if key.what in (k.JOINTS, vocabulary.BODIES):
            texts = [item.value for item in value] if isinstance(value, list) else []
            if len(texts) != 2 or not all(isinstance(text, str) for text in texts):
                return self.wrong(node, where, "two names like [A, B]")
            return tuple(self.reference(text) for text in texts)
        if key.what == k.PORT:
            return self.port(node, where)
        if key.what in (k.PORTS, k.PLACES):
            if not isinstance(value, list) or (key.what == k.PORTS and len(value) != 2):
                return self.wrong(node, where, "two points like [crank.B, coupler.B]")
            ports = tuple(self.port(item, where) for item in value)
            return MISSING if any(port is MISSING for port in ports) else ports
        return value if isinstance(value, str) else self.wrong(node, where, "text")

    def _texts(self, node: Node, where: Where, one: bool) -> Any:
        if one and isinstance(node.value, str):
            return (node.value,)
        if not isinstance(node.value, list) or not all(isinstance(item.value, str) for item in node.value):
            return self.wrong(node, where, "a list of texts" if not one else "a name or a list of names")
        return tuple(item.value for item in node.value)


_SCALARS = (k.NUMBER, k.POSITIVE, k.NOT_NEGATIVE, k.FORMULA)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def shown(node: Node, longest: int = 60) -> str:
    """What was found, short enough for a line."""
    value = node.value
    if value is None:
        return "empty"
    if isinstance(value, dict):
        keys = ", ".join(list(value)[:3]) + (", ..." if len(value) > 3 else "")
        return f"a table ({keys})" if keys else "an empty table"
    if isinstance(value, list):
        return f"a list of {len(value)}" if len(value) != 1 else "a list of one"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _quoted(value, longest) if isinstance(value, str) else f"{value:g}"


def _quoted(text: str, longest: int = 60) -> str:
    return f"'{text if len(text) <= longest else text[: longest - 3] + '...'}'"


def _choice(value: Any, words: tuple[str, ...]) -> str:
    hint = nearest(value, words) if isinstance(value, str) else ""
    close = hint[hint.index(" (did") :] if "(did" in hint else ""
    return " or ".join(f"'{word}'" for word in words) + close


def expected_number(units: str, formula: bool = False) -> str:
    """What a number key wants, in words."""
    what = "a number or a formula" if formula else "a number"
    return f"{what} ({units})" if units else what


def _unit_at(units: str, index: int, count: int) -> str:
    """The unit of one component: `N/m, N m/rad` is that of the shifts and that of the turns."""
    if ", " not in units:
        return units
    shifts, turns = units.split(", ")
    return shifts if index < (2 if count == 3 else 3) else turns


def _scale(read: Expression, units: str) -> float:
    """From SI to the unit of the key, where that is not SI: metres a turn. Only for what says its angle."""
    if "turn" not in units or read.dimension is None or " or " in units:
        return 1.0
    wanted = unit(units)
    return 1.0 / float(wanted.factor) if read.dimension == wanted.dimension else 1.0
