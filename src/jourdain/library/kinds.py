"""What a type of component is: its keys, what each expects, and how it is lowered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ..equations.lowered import Lowered
from ..equations.smoothness import FREE, POSITION, SPEED
from ..mechanism.fault import Expected, Fault
from ..mechanism.frozen import Frozen
from .levels import OF_FORCE
from .quantities import Quantity

if TYPE_CHECKING:
    from .values import Values

# What a key may hold. A number may also be written over parameters ("2*k"), so that it can be changed during a run.
NUMBER, POSITIVE, NOT_NEGATIVE = "number", "positive number", "number not negative"
FORMULA = "formula"  # number, text over channels, parameters and t, Formula, or function (of `inputs`, otherwise of t)
SIGNAL = "formula or table"  # the same, or a table of pairs over t
FUNCTION = "function or formulas"  # an element's: mapping of names to formulas, or a function
FORMULAS = "formulas"  # mapping of names to formulas
STARTS = "start values"  # mapping of names to numbers
JOINT, JOINTS = "joint", "two joints"
PORT, PORTS, PLACES = "point", "two points", "points"
BODY = "body"
FLAG, WORD, COUNT, NAMES = "flag", "word", "count", "names"
TABLE = "table"
NUMBERS, MATRIX = "list of numbers", "matrix"
UNITS = "units"  # mapping of names to units

EXPECTED = {
    NUMBER: "a number",
    POSITIVE: "a positive number",
    NOT_NEGATIVE: "zero or a positive number",
    FORMULA: "a number, a formula, a table or a function",
    SIGNAL: "a number, a formula, a table or a function of t",
    FUNCTION: "formulas by name or a function",
    FORMULAS: "formulas by name",
    STARTS: "numbers by name",
    JOINT: "the name of a joint",
    JOINTS: "the names of two joints",
    PORT: "a point like crank['B']",
    PORTS: "two points like crank['B']",
    PLACES: "points like crank['B']",
    BODY: "a body",
    FLAG: "True or False",
    WORD: "a word",
    COUNT: "a whole number from 1 on",
    NAMES: "a sequence of names",
    TABLE: "at least two pairs of numbers",
    NUMBERS: "a list of numbers",
    MATRIX: "rows of numbers, all of one length",
    UNITS: "units by name",
}
# The same in a file, where that is something else.
IN_FILE = {
    FORMULA: "a number, a formula or a table",
    SIGNAL: "a number, a formula or a table",
    PORT: "a point like crank.B",
    PORTS: "two points like crank.B",
    PLACES: "points like crank.B",
    FLAG: "true or false",
}
_MANY = {
    NUMBER: "numbers",
    POSITIVE: "positive numbers",
    NOT_NEGATIVE: "numbers, none negative",
    FORMULA: "numbers, formulas or functions",
}


@dataclass(frozen=True)
class Key:
    """One key of a component. `size` is how many such values stand in a sequence (0: one value, no sequence).

    A size may also be "dim" (2 in the plane, 3 in space) or "turns" (1 and 3), or "six" (3 and 6). `coordinate`
    restricts a joint to those that have it. Names in `local` have a meaning inside the formula of this key only;
    other names must be quantities of an `allowed` kind. With `derivatives` a formula is differentiated twice, unless it
    is a `rate`, which is differentiated once.
    """

    what: str
    required: bool = True
    default: Any = None
    unit: str = ""
    size: int | str = 0
    coordinate: str = ""
    local: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    allowed: tuple[str, ...] = OF_FORCE
    derivatives: bool = False
    rate: bool = False
    states: bool = False  # the names of the component's own states and outputs mean something there too
    help: str = ""
    example: str = ""

    @property
    def needed(self) -> int:
        """How many derivatives of what stands there must not jump (equations/smoothness.py)."""
        return (SPEED if self.rate else POSITION) if self.derivatives else FREE

    def count(self, dim: int) -> int:
        """How many values are expected in a sequence; 0 for a single value."""
        if isinstance(self.size, int):
            return self.size
        return {"dim": (2, 3), "turns": (1, 3), "six": (3, 6)}[self.size][dim - 2]

    def expected(self, dim: int) -> Expected:
        """What to write, in words."""
        count = self.count(dim)
        if self.words and self.what == WORD:
            words = " or ".join(f"'{word}'" for word in self.words)
            return Expected(words, words)
        if count > 1:
            many = "numbers or formulas" if self.what == FORMULA else _MANY[self.what]
            return Expected(f"{count} {_MANY[self.what]}", f"{count} {many}")
        return Expected(EXPECTED[self.what], IN_FILE.get(self.what, EXPECTED[self.what]))


def optional(what: str, default: Any = None, **more: Any) -> Key:
    """A key that may be left out."""
    return Key(what, required=False, default=default, **more)


class LinkSymbol(StrEnum):
    """What is drawn between the two points of a component; the pages of `plotting/` know how."""

    NONE = ""
    COIL = "coil"
    DASHPOT = "dashpot"
    ROPE = "rope"
    CYLINDER = "cylinder"
    GAP = "gap"
    RUBBER = "rubber"


@dataclass(frozen=True, eq=False)
class Kind:
    """The contract of a kind of component: a relation, a motion, a force, an element. One file holds one.

    1.  name               what it is called in files
    2.  keys               what is written, each with what is expected there
    3.  lower              its equations, efforts, loads, couples, states and channels (equations/lowered.py)
    4.  summary            what it does, in a few words: the schema and the reference of files show them
    5.  section            where it stands in a file
    6.  check              what the keys alone do not tell, asked after they were found right
    7.  symbol             what is drawn between its points
    8.  wheels             radii of the circles it has about the joints it joins, from the distance of these
    9.  dry                whether it is dry friction, which has no slope at rest
    10. also_called        what others call it
    11. measures           quantity and unit of its channels and states, by name; the others are plain numbers, as those
                           that have whatever unit its inputs have
    12. example            how it is written in Python: the builder and the reference show it
    """

    name: str
    keys: Mapping[str, Key]
    lower: Callable[[Values], Lowered]
    summary: str
    section: str
    check: Callable[[Values], Iterator[Fault]] | None = None
    symbol: LinkSymbol = LinkSymbol.NONE
    wheels: Callable[[Values, float], tuple[float, ...]] | None = None
    dry: bool = False
    also_called: tuple[str, ...] = ()
    measures: Mapping[str, Quantity] = field(default_factory=lambda: Frozen({}))
    example: str = ""


RELATIONS, MOTIONS, FORCES, ELEMENTS = "relations", "motions", "forces", "elements"
