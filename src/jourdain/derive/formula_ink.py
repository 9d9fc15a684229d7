"""Formulas as ink, with parts that occur often under a name of their own, printed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..equations.formula import Formula
from .ink import Fraction, Function, Ink, Number, Power, Symbol, added, multiplied
from .tidy import LONG

Leaf = Callable[[Any], Ink]
Known = Callable[[Formula], "Ink | None"]


def ink_of(f: Formula, leaf: Leaf, known: Known = lambda node: None) -> Ink:
    """A formula in the names of `leaf`; parts that are `known` under theirs."""
    done: dict[int, Ink] = {}
    for node in f.nodes():
        done[id(node)] = known(node) or _ink(node, [done[id(a)] for a in node.args], leaf)
    return done[id(f)]


def _ink(node: Formula, args: list[Ink], leaf: Leaf) -> Ink:
    op = node.op
    if op == "const":
        return Number(node.value)
    if op == "t":
        return Symbol("t")
    if op == "leaf":
        return leaf(node.key)
    if op == "add":
        return added([(1, args[0]), (-1, node_of(args[1])) if _negative(args[1]) else (1, args[1])])
    if op == "sub":
        return added([(1, args[0]), (1, node_of(args[1])) if _negative(args[1]) else (-1, args[1])])
    if op == "neg":
        return added([(-1, args[0])])
    if op == "mul":
        return multiplied(*(a.within(2) for a in args))
    if op == "div":
        return Fraction(args[0], args[1])
    if op == "pow":
        return Power(args[0], args[1])
    if op == "wind":
        return args[0]
    if op == "law":  # its formula may be long: its name and what it depends on say more
        return args[1] if node.key.name == "table" else Function(node.key.name, tuple(args[1:]))
    if op in ("table", "table_slope"):
        return Function(_table_name(node.key.where) + ("'" if op != "table" else ""), tuple(args))
    return Function(op, tuple(args))


def _angles(f: Formula) -> list[Any]:
    """The coordinates that an angle is the sum of; none where it is something else."""
    if f.op == "leaf":
        return [f.key] if f.key[0] == "q" else []
    if f.op == "add":
        first, second = map(_angles, f.args)
        return [*first, *second] if first and second else []
    return []


def _table_name(where: str) -> str:
    """Of a table by the last of the words that say where it stands."""
    last = where.rpartition(": ")[2]
    return last if last.isidentifier() else "table"


def _negative(x: Ink) -> bool:
    return isinstance(x, Number) and x.value < 0


def node_of(x: Ink) -> Ink:
    return Number(-x.value) if isinstance(x, Number) else x


class Abbreviations:
    """Names for cosines and sines, and for long parts that formulas share; each with its definition, in order."""

    def __init__(self, formulas: Sequence[Formula], leaf: Leaf, angle_name: Callable[[Any], str]) -> None:
        self._leaf = leaf
        self.lines: list[tuple[Ink, Ink]] = []
        self._keys: dict[int, Any] = {}
        self._names: dict[Any, Ink] = {}
        self._number: dict[Any, int] = {}
        counts, sizes, nodes = self._count(formulas)
        shared = 0
        for key, node in nodes.items():
            if node.op in ("cos", "sin") and (angles := _angles(node.args[0])):
                names = [angle_name(angle) for angle in angles]
                name: Ink = Symbol(node.op[0], ("" if all(len(n) == 1 for n in names) else ",").join(names))
            elif counts[key] > 1 and sizes[key] > LONG and node.op != "neg":
                shared += 1
                name = Symbol("a", str(shared))
            else:
                continue
            self.lines.append((name, ink_of(node, leaf, self._known(key))))
            self._names[key] = name

    def _count(self, formulas: Sequence[Formula]) -> tuple[dict[Any, int], dict[Any, int], dict[Any, Formula]]:
        counts: dict[Any, int] = {}
        sizes: dict[Any, int] = {}
        nodes: dict[Any, Formula] = {}
        self._formulas = list(formulas)  # ids stay those of these
        for f in formulas:
            for node in f.nodes():
                if id(node) in self._keys:
                    continue
                args = tuple(self._keys[id(a)] for a in node.args)
                written = (node.op, args, node.value, node.key if node.op != "table" else id(node.key))
                key = self._number.setdefault(written, len(self._number))
                self._keys[id(node)] = key
                if key not in nodes:
                    nodes[key] = node
                    sizes[key] = 1 + sum(sizes[a] for a in args) if args else 0
                    for a in args:
                        counts[a] = counts.get(a, 0) + 1
            counts[self._keys[id(f)]] = counts.get(self._keys[id(f)], 0) + 1
        return {key: counts.get(key, 0) for key in nodes}, sizes, nodes

    def _known(self, besides: Any = None) -> Known:
        def find(node: Formula) -> Ink | None:
            key = self._keys.get(id(node))
            return None if key == besides else self._names.get(key)

        return find

    @property
    def constants(self) -> list[str]:
        """Names of the constants that the formulas use."""
        return list(dict.fromkeys(key[1] for f in self._formulas for key in f.quantities() if key[0] == "given"))

    def __call__(self, f: Formula) -> Ink:
        """One of the formulas, with abbreviations."""
        return ink_of(f, self._leaf, self._known())
