"""Printed lines of matrices as numbers: what a page says is what is checked, not a copy of it.

A line `name = right` gives its name a value; `A name = right` is solved for it; a line whose names are all known must
hold. A name that ends in `_k+1` is the next value of the one that ends in `_k`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .ink import Fraction, Function, Ink, Matrix, Number, Pairing, Power, Product, Raised, Relation, Sum, Symbol

Values = dict[str, Any]
_NUMPY: dict[str, Any] = {"atan2": np.arctan2, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan}


def value(ink: Ink, known: Values) -> Any:
    """A number, a vector (1-D) or a matrix."""
    if isinstance(ink, Number):
        return ink.value
    if isinstance(ink, Symbol):
        return known[ink.text()]
    if isinstance(ink, Sum):
        return sum((sign * value(term, known) for sign, term in ink.terms[1:]), _first(ink, known))
    if isinstance(ink, Product):
        return _product(ink.factors, known)
    if isinstance(ink, Fraction):
        return value(ink.above, known) / value(ink.below, known)
    if isinstance(ink, Power):
        return value(ink.base, known) ** value(ink.exponent, known)
    if isinstance(ink, Pairing):
        a, b = value(ink.a, known), value(ink.b, known)
        return np.cross(a, b) if ink.sign == "x" else np.dot(a, b)
    if isinstance(ink, Function):
        function: Any = _NUMPY.get(ink.name) or getattr(np, ink.name)
        return function(*(value(a, known) for a in ink.arguments))
    if isinstance(ink, Raised):
        inner = value(ink.inner, known)
        marks: dict[str, Any] = {"T": np.transpose, "-1": _inverse, "+": np.linalg.pinv}
        return marks[ink.mark](inner)
    if isinstance(ink, Matrix):
        return _matrix(ink, known)
    inner = getattr(ink, "inner", None)
    if inner is None:
        raise TypeError(f"{ink.text()} has no value here")
    return value(inner, known)


def _first(ink: Sum, known: Values) -> Any:
    sign, term = ink.terms[0]
    return sign * value(term, known)


def _inverse(x: Any) -> Any:
    return np.linalg.inv(x) if np.ndim(x) == 2 else 1.0 / x


def _product(factors: tuple[Ink, ...], known: Values) -> Any:
    """From the right, so that a matrix meets a vector; a Kronecker product binds all before it with all behind."""
    for k, factor in enumerate(factors):
        if isinstance(factor, Symbol) and factor.name == "⊗":
            return np.kron(_product(factors[:k], known), _product(factors[k + 1 :], known))
    found = value(factors[-1], known)
    for factor in factors[-2::-1]:
        left = value(factor, known)
        found = left * found if np.ndim(left) == 0 or np.ndim(found) == 0 else left @ found
    return found


def _matrix(ink: Matrix, known: Values) -> Any:
    """Blocks; a bare 0 or 1 is a zero or unit block of the size that the others leave it."""
    cells = [[_block(x, known) for x in row] for row in ink.rows]
    filled = [x for row in cells for x in row if not isinstance(x, str)]
    if all(np.ndim(x) == 0 for x in filled):
        return np.array([[float(x) for x in row] for row in cells])
    if len(ink.rows[0]) == 1 and all(np.ndim(x) == 1 for x in filled):
        blank = np.zeros(len(known["1"])) if len(filled) < len(cells) else None
        return np.concatenate([blank if isinstance(row[0], str) else row[0] for row in cells])
    columns = list(zip(*cells, strict=True))
    high = [next((len(x) for x in row if not isinstance(x, str)), 0) for row in cells]
    wide = [next((x.shape[1] for x in column if not isinstance(x, str)), 0) for column in columns]
    high = [h or next(w for w in wide if w) for h in high]
    wide = [w or high[k] for k, w in enumerate(wide)]
    blocks = [[_sized(x, high[r], wide[c]) for c, x in enumerate(row)] for r, row in enumerate(cells)]
    return np.block(blocks)


def _sized(x: Any, rows: int, columns: int) -> Any:
    """A block, or zeros or the unit matrix that a bare 0 or 1 stands for."""
    if not isinstance(x, str):
        return x
    return np.eye(rows, columns) if x == "1" else np.zeros((rows, columns))


def _block(x: Ink, known: Values) -> Any:
    text = x.text()
    return text if text in ("0", "1") else value(x, known)


def read(lines: Iterable[Ink], known: Values) -> list[tuple[str, Any, Any]]:
    """Gives names their values, line by line, and says what was compared: line, left, right.

    A line that has several unknown names waits until others have given them values.
    """
    compared: list[tuple[str, Any, Any]] = []
    waiting = list(lines)
    while waiting:
        later = [line for line in waiting if not _taken(line, known, compared)]
        if len(later) == len(waiting):
            raise KeyError(f"nothing gives {later[0].text()} a value")
        waiting = later
    return compared


def _taken(line: Ink, known: Values, compared: list[tuple[str, Any, Any]]) -> bool:
    if not isinstance(line, Relation):
        return True
    left = line.left
    try:
        right = value(line.right, known)
        if _new(left, known):
            known[left.text()] = right
        elif (
            isinstance(left, Product) and isinstance(left.factors[-1], Symbol) and left.factors[-1].text() not in known
        ):
            known[left.factors[-1].text()] = np.linalg.solve(_product(left.factors[:-1], known), right)
        else:
            compared.append((line.text(), value(left, known), right))
    except KeyError:
        return False
    return True


def _new(ink: Ink, known: Values) -> bool:
    return isinstance(ink, Symbol) and ink.text() not in known
