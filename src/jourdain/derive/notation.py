"""Lines of matrices written as a person types them, read into ink: `lambda = K^-1 (J a - gamma)`.

Names are letters with an index behind `_`, dots for rates behind it (`v'_i`), bold behind `*` where they are vectors;
`^T`, `^-1`, `^+` raise, `x` with spaces is the cross product, `[a, b; c, d]` a matrix. For our own lines only.
"""

from __future__ import annotations

import re

from .ink import Fraction, Ink, Matrix, Number, Pairing, Raised, Relation, Symbol, added, multiplied

_TOKEN = re.compile(r"\s*(\d+|[A-Za-zΣ⊗][A-Za-z~]*'*\*?(?:_[A-Za-z0-9]+(?:\+1)?)?|\^(?:-1|\+|T)|[-+=()\[\],;×/])")


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        at = 0
        while at < len(text.rstrip()):
            found = _TOKEN.match(text, at)
            if not found:
                raise ValueError(f"cannot read {text[at:]!r}")
            self.tokens.append(found.group(0).strip())
            at = found.end()
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def sum(self) -> Ink:
        terms: list[tuple[int, Ink]] = []
        sign = 1
        if self.peek() == "-":
            self.take()
            sign = -1
        terms.append((sign, self.product()))
        while self.peek() in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            terms.append((sign, self.product()))
        return added(terms)

    def product(self) -> Ink:
        factors = [self.factor()]
        while self.peek() not in ("", "+", "-", "=", ")", "]", ",", ";"):
            if self.peek() == "×":
                self.take()
                factors = [Pairing(multiplied(*factors), self.factor(), "x")]
            elif self.peek() == "/":
                self.take()
                factors = [Fraction(multiplied(*factors), self.factor())]
            else:
                factors.append(self.factor())
        return multiplied(*factors)

    def factor(self) -> Ink:
        token = self.take()
        if token == "(":
            found = self.sum()
            self.take()
        elif token == "[":
            found = self._matrix()
        elif token.isdigit():
            found = Number(float(token)) if token != "1" else Symbol("1")
        else:
            found = _name(token)
        while self.peek().startswith("^"):
            found = Raised(found, self.take()[1:])
        return found

    def _matrix(self) -> Ink:
        rows, row = [], [self.sum()]
        while (token := self.take()) != "]":
            if token == ";":
                rows.append(tuple(row))
                row = []
            row.append(self.sum())
        return Matrix((*rows, tuple(row)))


def _name(token: str) -> Ink:
    head, _, index = token.partition("_")
    vector = head.endswith("*")
    plain = head.rstrip("*")
    bare = plain.rstrip("'")
    return Symbol(bare, index, len(plain) - len(bare), vector)


def line_of(text: str) -> Ink:
    """An equation, or a sum."""
    reader = _Reader(text)
    left = reader.sum()
    if reader.peek() != "=":
        return left
    reader.take()
    return Relation(left, reader.sum())
