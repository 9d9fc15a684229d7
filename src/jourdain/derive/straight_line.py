"""Formulas as straight-line code: each shared part is computed once, under a name, before it is used.

Parts are the same if they are written the same, wherever they come from. What is used once stands where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ..equations.formula import Formula
from .tidy import new_nodes

PLAIN = ("const", "leaf", "t")
_BINARY = {"add": ("+", 1), "sub": ("-", 1), "mul": ("*", 2), "div": ("/", 2)}
NEGATIVE, ATOM = 3, 9


@dataclass
class Language:
    """How a programming language writes what is not the same in all of them."""

    leaf: Callable[[Any], str]
    number: Callable[[float], str]
    power: Callable[[str, str], str]
    call: Callable[[Formula, list[str]], str]


@dataclass
class StraightLine:
    """Statements `name = expression`, and the expressions of results, in one language."""

    language: Language
    lines: list[tuple[str, str]] = field(default_factory=list)
    prefix: str = "a"
    _ids: dict[Any, int] = field(default_factory=dict)
    _nodes: list[Formula] = field(default_factory=list)
    _args: list[tuple[int, ...]] = field(default_factory=list)
    _of: dict[int, int] = field(default_factory=dict)
    _keep: list[Formula] = field(default_factory=list)

    def results(self, formulas: Iterable[Formula]) -> list[str]:
        """Expressions of these, after the lines that they need."""
        wanted = [self._number(f) for f in formulas]
        uses = [0] * len(self._nodes)
        for n in wanted:
            uses[n] += 1
        reached = set()
        stack = list(wanted)
        while stack:
            n = stack.pop()
            if n in reached:
                continue
            reached.add(n)
            for a in self._args[n]:
                uses[a] += 1
                stack.append(a)
        written: dict[int, tuple[str, int]] = {}
        for n in sorted(reached):
            text, strength = self._expression(n, written)
            node = self._nodes[n]
            if node.op not in PLAIN and (uses[n] > 1 or len(text) > 400) and not _is_sign(node):
                name = f"{self.prefix}{len(self.lines) + 1}"
                self.lines.append((name, text))
                text, strength = name, ATOM
            written[n] = text, strength
        return [written[n][0] for n in wanted]

    def _number(self, f: Formula) -> int:
        """The number of a formula among those known, arguments before what uses them."""
        self._keep.append(f)  # so that no other object gets its id
        for node in new_nodes(f, self._of):
            args = tuple(self._of[id(a)] for a in node.args)
            key = (node.op, args, node.value, id(node.key) if node.op in ("table", "table_slope") else node.key)
            if key not in self._ids:
                self._ids[key] = len(self._nodes)
                self._nodes.append(node)
                self._args.append(args)
            self._of[id(node)] = self._ids[key]
        return self._of[id(f)]

    def _expression(self, n: int, written: dict[int, tuple[str, int]]) -> tuple[str, int]:
        node = self._nodes[n]
        args = [written[a] for a in self._args[n]]
        if node.op == "const":
            text = self.language.number(node.value)
            return text, NEGATIVE - 2 if text.startswith("-") else ATOM
        if node.op == "t":
            return "t", ATOM
        if node.op == "leaf":
            return self.language.leaf(node.key), ATOM
        if node.op == "neg":
            return f"-{_within(args[0], 2)}", 1
        if node.op in _BINARY:
            sign, strength = _BINARY[node.op]
            (left, right) = args
            firm = strength + (node.op in ("sub", "div"))
            return (
                f"{_within(left, strength)} {sign} {_within(right, firm + (strength == 2 and node.op == 'mul'))}",
                strength,
            )
        if node.op == "pow":
            return self.language.power(_within(args[0], ATOM), args[1][0]), ATOM
        return self.language.call(node, [text for text, _ in args]), ATOM


def _is_sign(node: Formula) -> bool:
    """A bare sign before a plain quantity costs nothing."""
    return node.op == "neg" and node.args[0].op in PLAIN


def _within(part: tuple[str, int], strength: int) -> str:
    """Bracketed where it binds less."""
    text, own = part
    return text if own >= strength else f"({text})"
