"""Long lines of mathematics in several: broken before the signs of their outermost sum, or, where that is not enough,
before signs inside brackets too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .ink import THIN, Bracketed, Fraction, Function, Ink, More, Product, Relation, Sum

_LONG_ROOT = 60  # characters: a longer root is written as a power, so that it can be broken


@dataclass(frozen=True)
class Form:
    """How a printer writes what lines are put together of."""

    ink: Callable[[Ink], str]
    space: str
    plus: str
    minus: str
    left: str
    right: str
    times: str
    comma: str
    over: str
    name: Callable[[str], str]
    sign: Callable[[str], str]
    half: str


TEXT = Form(lambda i: i.text(), " ", "+ ", "- ", "(", ")", " ", ",", " / ", lambda n: n, lambda s: f" {s} ", "^(1/2)")
LATEX = Form(
    lambda i: i.latex(), " ", "+ ", "- ", r"\bigl(", r"\bigr)", r"\,", ",", " / ", lambda n: rf"\operatorname{{{n}}}",
    lambda s: f" &{s} ", "^{1/2}",
)  # fmt: skip
MATHML = Form(
    lambda i: i.mathml(), "", "<mo>+</mo>", "<mo>−</mo>", "<mo>(</mo>", "<mo>)</mo>", THIN,
    "<mo>,</mo>", "<mo>/</mo>", lambda n: f"<mi>{n}</mi>", lambda s: f"<mo>{s}</mo>",
    "<msup><mrow></mrow><mn>1/2</mn></msup>",
)  # fmt: skip

Chunk = tuple[str, int]  # what is printed, and how long it is as text


def lines_of(ink: Ink, form: Form, wide: int) -> list[str]:
    """The line, or what it is broken into; the first has the sign of the relation."""
    if not isinstance(ink, Relation):
        return [form.ink(ink)]
    if len(ink.text()) <= wide:
        return [_related(ink, form, form.ink(ink.right))]
    room = wide - len(ink.left.text()) - 3
    pieces = _by_terms(ink.right, room)
    if all(len(piece.text()) <= room for piece in pieces):
        found = [form.ink(piece) for piece in pieces]
    else:
        found = _filled(_opened(ink.right, form), form, room)
    return [_related(ink, form, found[0]), *found[1:]]


def _related(ink: Relation, form: Form, right: str) -> str:
    return f"{form.ink(ink.left)}{form.sign(ink.sign)}{right}"


def _by_terms(ink: Ink, room: int) -> list[Ink]:
    """A sum in several lines of terms."""
    if not isinstance(ink, Sum):
        return [ink]
    lines: list[list[tuple[int, Ink]]] = [[]]
    used = 0
    for sign, term in ink.terms:
        long = len(term.text()) + 3
        if lines[-1] and used + long > room:
            lines.append([])
            used = 0
        lines[-1].append((sign, term))
        used += long
    return [Sum(tuple(lines[0])), *(More(tuple(line)) for line in lines[1:])]


def _filled(chunks: list[Chunk], form: Form, room: int) -> list[str]:
    lines, used = [""], 0
    for text, long in chunks:
        if lines[-1] and used + long + 1 > room:
            lines.append("")
            used = 0
        lines[-1] += (form.space if lines[-1] else "") + text
        used += long + 1
    return lines


def _opened(ink: Ink, form: Form) -> list[Chunk]:
    """Chunks between which a line may be broken."""
    if isinstance(ink, Sum) and ink.terms:
        found: list[Chunk] = []
        for k, (sign, term) in enumerate(ink.terms):
            first, *rest = _opened(term.within(2), form)
            mark = form.minus if sign < 0 else form.plus if k else ""
            found += [(mark + first[0], first[1] + 2), *rest]
        return found
    if isinstance(ink, Bracketed):
        return _between(form.left, _opened(ink.inner, form), form.right)
    if isinstance(ink, Product):
        return _joined([_opened(f.within(2), form) for f in ink.factors], form.times)
    if isinstance(ink, Fraction):
        return _joined([_opened(ink.above.within(2), form), _opened(ink.below.within(3), form)], form.over)
    if isinstance(ink, Function) and ink.name == "sqrt":
        if len(ink.text()) <= _LONG_ROOT:
            return [(form.ink(ink), len(ink.text()))]
        return _between(form.left, _opened(ink.arguments[0], form), form.right + form.half)
    if isinstance(ink, Function):
        inner: list[Chunk] = []
        for k, argument in enumerate(ink.arguments):
            part = _opened(argument, form)
            inner += part if k == len(ink.arguments) - 1 else _between("", part, form.comma)
        return _between(form.name(ink.name) + form.left, inner, form.right)
    return [(form.ink(ink), len(ink.text()))]


def _between(left: str, chunks: list[Chunk], right: str) -> list[Chunk]:
    found = list(chunks)
    found[0] = left + found[0][0], found[0][1] + 1
    found[-1] = found[-1][0] + right, found[-1][1] + 1
    return found


def _joined(parts: list[list[Chunk]], mark: str) -> list[Chunk]:
    found = parts[0]
    for part in parts[1:]:
        last, first = found[-1], part[0]
        found = [*found[:-1], (last[0] + mark + first[0], last[1] + 1 + first[1]), *part[1:]]
    return found
