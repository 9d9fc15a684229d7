"""Formulas made shorter without expanding them: sums and products put in order, and nothing else.

A product is a number times factors, a sum a number and terms. What is put together: equal terms, equal factors, signs,
numbers, and a sine and a cosine squared with the same factors, which are those factors. A part that several formulas
share stays a part of its own, so that it can be named once.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from typing import Any

from ..equations.formula import Formula, number
from .symbolic_rates import ZERO

LONG = 6  # operations: a part that is used twice and is longer gets a name
_MOST_TERMS = 40  # of a sum that is looked through for squares of sines and cosines

Factors = tuple[int, ...]  # numbers of parts, in the order in which they came
NO_FACTORS: Factors = ()


class Tidy:
    """Formulas written in one way: parts that are the same are one object."""

    def __init__(self, formulas: Iterable[Formula]) -> None:
        self._parts: list[Formula] = []
        self._number: dict[Any, int] = {}
        self._done: dict[int, Formula] = {}
        self._known: dict[int, int] = {}
        self._products: dict[int, tuple[float, Factors]] = {}  # by number of a part
        self._sums: dict[int, list[tuple[float, Factors]]] = {}
        self._given = list(formulas)  # ids stay those of these
        self._uses = _uses(self._given)

    def __call__(self, f: Formula) -> Formula:
        for node in new_nodes(f, self._done):
            self._given.append(node)
            self._done[id(node)] = self._made(node, [self._done[id(a)] for a in node.args])
        return self._done[id(f)]

    def _made(self, node: Formula, args: list[Formula]) -> Formula:
        if node.op in ("add", "sub"):
            second = -1.0 if node.op == "sub" else 1.0
            terms = self._terms(args[0], node.args[0], 1.0) + self._terms(args[1], node.args[1], second)
            return self._sum(terms)
        if node.op == "neg":
            return self._sum(self._terms(args[0], node.args[0], -1.0))
        if node.op == "mul":
            c, factors = 1.0, NO_FACTORS
            for arg in args:
                own, more = self._product(arg)
                c, factors = c * own, (*factors, *more)
            return self._sum([(c, self._ordered(factors))])
        if node.op == "pow" and args[1].op == "const" and args[1].value in (2.0, 3.0):
            c, factors = self._product(args[0])
            n = int(args[1].value)
            return self._sum([(c**n, self._ordered(factors * n))])
        if node.op == "div" and args[1].op == "const" and args[1].value:
            return self._sum([(c / args[1].value, x) for c, x in self._terms(args[0], node.args[0], 1.0)])
        if not node.args:
            return self._kept(node)
        return self._kept(replace(node, args=tuple(args)))

    # Parts -----------------------------------------------------------------------------------------------------------

    def _key(self, f: Formula) -> int:
        """The number of a part whose arguments are known."""
        if id(f) not in self._known:
            args = tuple(map(self._key, f.args))
            key = (f.op, args, f.value, id(f.key) if f.op in ("table", "table_slope", "call") else f.key)
            if key not in self._number:
                self._number[key] = len(self._parts)
                self._parts.append(f)
            self._given.append(f)
            self._known[id(f)] = self._number[key]
        return self._known[id(f)]

    def _kept(self, f: Formula) -> Formula:
        return self._parts[self._key(f)]

    def _product(self, f: Formula) -> tuple[float, Factors]:
        if f.op == "const":
            return f.value, ()
        k = self._key(f)
        return self._products.get(k, (1.0, (k,)))

    def _terms(self, f: Formula, before: Formula, sign: float) -> list[tuple[float, Factors]]:
        """Of a sum that stands here alone, or is short, its terms; of one that others use too itself."""
        k = self._key(f)
        if k in self._sums and (self._uses.get(id(before), 0) <= 1 or _size(self._sums[k]) <= LONG):
            return [(sign * c, x) for c, x in self._sums[k]]
        c, factors = self._product(f)
        return [(sign * c, factors)]

    @staticmethod
    def _ordered(factors: Factors) -> Factors:
        """Equal ones beside each other, as they first came."""
        return tuple(sorted(factors, key=factors.index))

    # Sums ------------------------------------------------------------------------------------------------------------

    def _sum(self, terms: list[tuple[float, Factors]]) -> Formula:
        found: dict[Factors, tuple[float, Factors]] = {}
        for c, factors in terms:
            key = tuple(sorted(factors))
            known = found.get(key, (0.0, factors))
            found[key] = known[0] + c, known[1]
        kept = [(c, x) for c, x in found.values() if c != 0.0]
        if 1 < len(kept) <= _MOST_TERMS:
            kept = self._without_squares(kept)
        return self._written(kept)

    def _without_squares(self, terms: list[tuple[float, Factors]]) -> list[tuple[float, Factors]]:
        """c sin^2 x + c cos^2 x is c x, whatever stands beside."""
        for k, (c, factors) in enumerate(terms):
            for part in set(factors):
                f = self._parts[part]
                if f.op not in ("sin", "cos") or factors.count(part) < 2:
                    continue
                other = self._key(Formula("cos" if f.op == "sin" else "sin", f.args))
                rest = list(factors)
                rest.remove(part)
                rest.remove(part)
                wanted = sorted([*rest, other, other])
                for n, (d, more) in enumerate(terms):
                    if n != k and d == c and sorted(more) == wanted:
                        left = [term for m, term in enumerate(terms) if m not in (n, k)]
                        left.insert(min(n, k), (c, tuple(rest)))
                        return self._without_squares(left)
        return terms

    def _written(self, terms: list[tuple[float, Factors]]) -> Formula:
        if not terms:
            return ZERO
        if len(terms) == 1:
            return self._term(*terms[0])
        if all(c < 0 for c, _ in terms):
            return self._term(-1.0, (self._key(self._written([(-c, x) for c, x in terms])),))
        lead = next((k for k, (c, x) in enumerate(terms) if c > 0 and x), 0)
        if terms[lead][0] > 0:  # a sum begins with a term that has no sign
            terms = [terms[lead], *terms[:lead], *terms[lead + 1 :]]
        found = self._term(*terms[0])
        for c, factors in terms[1:]:
            op = "sub" if c < 0 else "add"
            found = self._kept(Formula(op, (found, self._term(abs(c), factors))))
        self._sums[self._key(found)] = terms
        return found

    def _term(self, c: float, factors: Factors) -> Formula:
        if not factors:
            return self._kept(number(c))
        found = self._parts[factors[0]]
        for part in factors[1:]:
            found = self._kept(Formula("mul", (found, self._parts[part])))
        if abs(c) != 1.0:
            found = self._kept(Formula("mul", (self._kept(number(abs(c))), found)))
        if c < 0:
            found = self._kept(Formula("neg", (found,)))
        if len(factors) > 1 or c != 1.0:
            self._products[self._key(found)] = c, factors
        return found


def _size(terms: list[tuple[float, Factors]]) -> int:
    """Operations."""
    return sum(len(factors) for _, factors in terms) - 1


def _uses(formulas: list[Formula]) -> dict[int, int]:
    found: dict[int, int] = {}
    seen: set[int] = set()
    for f in formulas:
        found[id(f)] = found.get(id(f), 0) + 1
        for node in new_nodes(f, seen):
            seen.add(id(node))
            for a in node.args:
                found[id(a)] = found.get(id(a), 0) + 1
    return found


def new_nodes(f: Formula, known: Container[int]) -> list[Formula]:
    """Nodes whose ids are not known, each once, arguments before what uses them."""
    found: list[Formula] = []
    seen: set[int] = set()
    stack = [(f, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            found.append(node)
        elif id(node) not in seen and id(node) not in known:
            seen.add(id(node))
            stack.append((node, True))
            stack += [(arg, False) for arg in reversed(node.args)]
    return found
