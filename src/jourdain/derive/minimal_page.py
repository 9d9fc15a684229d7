"""The minimal form on paper, in the same print as everything else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..equations.formula import Formula
from .components import write_names
from .formula_ink import Abbreviations
from .ink import Ink, Relation, Symbol, added, multiplied
from .machine_formulas import MachineFormulas
from .sheet import Sheet, Table
from .sympy_ink import FormulasOf, tidied
from .sympy_objects import load_sympy
from .written_names import Names

RATES = ("Delta", "k", "l")  # symbols of lines about velocities and accelerations


def write_minimal(
    document: Sheet, machine: MachineFormulas, found: dict[str, Any], closed: Any, u: list[int], w: list[int]
) -> None:
    """Coordinates, positions, rates, masses and forces, and the equations of motion."""
    page = _Page(machine, found, u)
    q, sp = found["q"], load_sympy()
    freedoms = range(len(u))
    parts: list[tuple[str, str, list[tuple[Ink, Any, str]]]] = []
    if w and closed is not None:
        lines = [(page.name(left), right, "") for left, right in closed.lines]
        parts.append(("Positions of the dependent links, in closed form", "", lines))
    elif w:
        lines = [(Symbol("C", str(k + 1)), found["C"][k], machine.rows[k].meaning) for k in found["rows"]]
        words = "No closed form was found: these are zero."
        parts.append(("Positions of the dependent links, implicitly", words, lines))
    if w:
        rates = [(left, right) for left, right in found["lines"] if found["printed"][left][0] in RATES]
        over = found["over"]
        lines = [
            (multiplied(page.name(over[left]), page.name(left)), right * over[left], "")
            if left in over
            else (page.name(left), right, "")
            for left, right in rates
        ]
        parts.append(("Velocities and accelerations of the dependent links", "", lines))
        tree = [(left, right) for left, right in found["lines"] if found["printed"][left][0] not in RATES]
        words = "Of the tree, as if its loops were open; forces less what the dependent links take without u''."
        parts.append(("Masses and forces", words, [(page.name(left), right, "") for left, right in tree]))
    mass = [(page.entry("M", a, b), found["mass"][a, b], "") for a in freedoms for b in freedoms if b <= a]
    force = [(page.entry("f", a), found["force"][a], "") for a in freedoms]
    parts.append(("Equation of motion" if len(u) == 1 else "Equations of motion", "", [*mass, *force]))
    page.read(sp.sympify(e) for _, _, lines in parts for _, e, _ in lines)
    section = document.section("Coordinates")
    section.items.append(Table(("coordinate", "is"), tuple((page.q[k], _role(k, u, q)) for k in range(len(q)))))
    write_names(document, machine, page.short)
    for title, words, lines in parts:
        section = document.section(title)
        if words:
            section.say(words)
        if lines is parts[-1][2]:
            section.line(page.motion(), "lines of null-space, with R = [1; k]")
        for left, e, source in lines:
            section.line(Relation(left, page.short(page.formula(e))), source)
        if title.startswith("Velocities"):
            for k in w:
                section.line(*page.rate(k))
                section.line(*page.acceleration(k))


def _role(k: int, u: list[int], q: list[Any]) -> str:
    return f"{q[k].name}, {'independent' if k in u else 'dependent'}"


class _Page:
    """Names of a minimal form on paper, and its expressions as formulas with abbreviations."""

    def __init__(self, machine: MachineFormulas, found: dict[str, Any], u: list[int]) -> None:
        self._names = Names(machine.evaluator)
        self.q, self._found, self._u = self._names.q, found, u
        self._keys = {symbol: ("q", k) for k, symbol in enumerate(found["q"])}
        self._keys |= {symbol: ("v", k) for k, symbol in enumerate(found["v"])}
        self._keys |= {symbol: ("given", symbol.name) for symbol in found["constants"]}
        self._keys |= {symbol: ("new", *place) for symbol, place in found["printed"].items()}
        self._formulas: dict[Any, Formula] = {}

    def index(self, k: int) -> str:
        return self._names.angle(("q", k))

    def name(self, symbol: Any) -> Ink:
        return self._leaf(self._key(symbol))

    def _key(self, symbol: Any) -> Any:
        if symbol not in self._keys:  # of a closed form: A_1
            self._keys[symbol] = ("new", *symbol.name.split("_"), -1)
        return self._keys[symbol]

    def _leaf(self, key: Any) -> Ink:
        if key[0] == "sympy":
            return Symbol(str(key[1]))
        if key[0] != "new":
            return self._names(key)
        head, where, freedom = key[1:]
        if head in ("m", "F"):
            return Symbol(head, ",".join(map(self.index, where)))
        if head in ("k", "l"):
            several = f",{self.index(self._u[freedom])}" if head == "k" and len(self._u) > 1 else ""
            return Symbol(head, self.index(where) + several)
        return Symbol(head, str(where))

    def read(self, expressions: Any) -> None:
        """All that is printed, so that what is shared has a name."""
        listed = list(dict.fromkeys(expressions))
        for symbol in {s for e in listed for s in e.free_symbols}:
            if symbol != self._found["t"]:
                self._key(symbol)
        of = FormulasOf(self._keys, self._found["t"])
        shorter = tidied([of(e) for e in listed])
        self._formulas = dict(zip(listed, shorter, strict=True))
        self.short = Abbreviations(shorter, self._leaf, self._names.angle)

    def formula(self, expression: Any) -> Formula:
        return self._formulas[load_sympy().sympify(expression)]

    def entry(self, head: str, *places: int) -> Ink:
        return Symbol(head, ",".join(self.index(self._u[a]) for a in places) if len(self._u) > 1 else "")

    def _dotted(self, k: int, dots: int) -> Ink:
        ink = self.q[k]
        return replace(ink, dots=dots) if isinstance(ink, Symbol) else ink

    def _along(self, k: int, dots: int) -> list[tuple[int, Ink]]:
        R = self._found["velocities"]
        return [(1, multiplied(self.name(R[k, f]), self._dotted(n, dots))) for f, n in enumerate(self._u)]

    def rate(self, k: int) -> tuple[Ink, str]:
        return Relation(self._dotted(k, 1), added(self._along(k, 1))), "theory, rate"

    def acceleration(self, k: int) -> tuple[Ink, str]:
        last = self.name(self._found["accelerations"][k])
        return Relation(self._dotted(k, 2), added([*self._along(k, 2), (1, last)])), "theory, gamma"

    def motion(self) -> Ink:
        u = self._dotted(self._u[0], 2) if len(self._u) == 1 else Symbol("u", dots=2)
        return Relation(multiplied(Symbol("M"), u), Symbol("f"))
