"""Mathematics to be read: a small tree that prints itself as LaTeX, as plain text and as MathML.

Names come from users: every printer escapes them for itself. Plain text uses Unicode, so that it can be read anywhere;
MathML is what browsers render without help.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "theta": "θ", "lambda": "λ", "omega": "ω", "psi": "ψ", "phi": "φ",
    "tau": "τ", "rho": "ρ", "pi": "π", "Omega": "Ω", "Delta": "Δ", "epsilon": "ε",
}  # fmt: skip
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "^": r"\^{}", "#": r"\#", "$": r"\$", "%": r"\%",
    "&": r"\&", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}", "`": r"\textasciigrave{}",
}  # fmt: skip
_TEX_SYMBOLS = {
    "ω": r"$\omega$", "λ": r"$\lambda$", "γ": r"$\gamma$", "θ": r"$\theta$", "·": r"$\cdot$", "×": r"$\times$",
    "²": r"$^2$", "ᵀ": r"$^T$", "⁻": r"$^-$", "¹": r"$^1$", "⁺": r"$^+$", "→": r"$\to$", "'": r"$'$", "−": "--",
    "≠": r"$\neq$", "≥": r"$\geq$", "°": r"$^\circ$",
}  # fmt: skip


_TEX_SYMBOLS |= {letter: rf"$\{name}$" for name, letter in GREEK.items()}
THIN = '<mspace width="0.17em"/>'  # between factors
_SIGNS = {"Σ": r"\sum", "⊗": r"\otimes"}


def _words(text: str) -> str:
    """A name inside mathematics: a letter or a number as it is, anything else as words."""
    return text if len(text) == 1 and text.isascii() and text.isalnum() else rf"\text{{{tex_text(text)}}}"


def _index_parts(index: str) -> list[tuple[str, str]]:
    """Of an index its parts; those that are variables themselves with their own index."""
    found = []
    for part in index.split(","):
        head, _, of = part.partition("_")
        found.append((head, of) if len(head) == 1 and of else (part, ""))
    return found


def _index(index: str) -> str:
    parts = _index_parts(index)
    if not any(of for _, of in parts):
        return _words(index)
    names = {sign: rf"\{name}" for name, sign in GREEK.items()}
    return ",".join(f"{names.get(head, _words(head))}_{{{_words(of)}}}" if of else _words(head) for head, of in parts)


def tex_text(text: str) -> str:
    """Words of anybody as LaTeX; letters outside Latin-1 that it cannot be sure of become a question mark."""
    found = []
    for c in text:
        if c in _SPECIAL:
            found.append(_SPECIAL[c])
        elif c in _TEX_SYMBOLS:
            found.append(_TEX_SYMBOLS[c])
        else:
            found.append(c if 31 < ord(c) < 256 else "?")
    return "".join(found)


class Ink:
    """Something that can be printed; `strength` says how firmly it holds together: 1 sum, 2 product, 3 atom."""

    strength = 3

    def latex(self) -> str:
        raise NotImplementedError

    def text(self) -> str:
        raise NotImplementedError

    def mathml(self) -> str:
        raise NotImplementedError

    def within(self, strength: int) -> Ink:
        return self if self.strength >= strength else Bracketed(self)


@dataclass(frozen=True)
class Bracketed(Ink):
    inner: Ink

    def latex(self) -> str:
        return rf"\left({self.inner.latex()}\right)"

    def text(self) -> str:
        return f"({self.inner.text()})"

    def mathml(self) -> str:
        return f"<mrow><mo>(</mo>{self.inner.mathml()}<mo>)</mo></mrow>"


@dataclass(frozen=True)
class Symbol(Ink):
    """A name with an index, dots for time derivatives, bold where it is a vector."""

    name: str
    index: str = ""
    dots: int = 0
    vector: bool = False

    def latex(self) -> str:
        if self.name in GREEK:
            plain = f"\\{self.name}"
        elif len(self.name) == 1:
            plain = _SIGNS.get(self.name) or (
                self.name if self.name.isascii() and self.name.isalnum() else _words(self.name)
            )
        else:
            plain = _words(self.name)
        if self.vector:
            plain = (
                rf"\boldsymbol{{{plain}}}"
                if len(self.name) == 1 or self.name in GREEK
                else rf"\overrightarrow{{{plain}}}"
            )
        if self.dots:
            plain = rf"\{'d' * self.dots}ot{{{plain}}}"
        return f"{plain}_{{{_index(self.index)}}}" if self.index else plain

    def text(self) -> str:
        plain = GREEK.get(self.name, self.name)
        return f"{plain}{chr(39) * self.dots}" + (f"_{self.index}" if self.index else "")

    def mathml(self) -> str:
        variant = ' style="font-weight:bold"' if self.vector else ""
        plain = f"<mi{variant}>{escape(GREEK.get(self.name, self.name))}</mi>"
        if self.dots:
            plain = f'<mover accent="true">{plain}<mo>{"˙" if self.dots == 1 else "¨"}</mo></mover>'
        if not self.index:
            return plain
        parts = [
            f"<msub><mi>{escape(head)}</mi><mi>{escape(of)}</mi></msub>" if of else f"<mi>{escape(head)}</mi>"
            for head, of in _index_parts(self.index)
        ]
        return f"<msub>{plain}<mrow>{'<mo>,</mo>'.join(parts)}</mrow></msub>"


@dataclass(frozen=True)
class Number(Ink):
    value: float

    @property
    def strength(self) -> int:  # type: ignore[override]
        return 1 if self.value < 0 else 3

    def text(self) -> str:
        short = f"{self.value:.6g}"
        return short if float(short) == self.value else f"{self.value:.12g}"

    def latex(self) -> str:
        mantissa, _, exponent = self.text().partition("e")
        return rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if exponent else mantissa

    def mathml(self) -> str:
        return f"<mn>{self.text()}</mn>"


@dataclass(frozen=True)
class Sum(Ink):
    """Terms with their signs."""

    terms: tuple[tuple[int, Ink], ...]
    strength = 1

    def _joined(self, terms: Sequence[str], minus: str, plus: str, first: str) -> str:
        found = ""
        for k, ((sign, _), text) in enumerate(zip(self.terms, terms, strict=True)):
            found += (first if sign < 0 else "") if k == 0 else (minus if sign < 0 else plus)
            found += text
        return found or "0"

    def _parts(self) -> list[Ink]:
        return [term.within(2) for _, term in self.terms]

    def latex(self) -> str:
        return self._joined([t.latex() for t in self._parts()], " - ", " + ", "-")

    def text(self) -> str:
        return self._joined([t.text() for t in self._parts()], " - ", " + ", "-")

    def mathml(self) -> str:
        inner = self._joined([t.mathml() for t in self._parts()], "<mo>−</mo>", "<mo>+</mo>", "<mo>−</mo>")
        return f"<mrow>{inner}</mrow>" if self.terms else "<mn>0</mn>"


@dataclass(frozen=True)
class More(Ink):
    """Terms that go on on a line of their own, the sign of the first before it."""

    terms: tuple[tuple[int, Ink], ...]
    strength = 1

    def _after_sign(self, inner: str, minus: str, plus: str) -> str:
        return (minus if self.terms[0][0] < 0 else plus) + inner

    def _rest(self) -> Sum:
        return Sum(((1, self.terms[0][1]), *self.terms[1:]))

    def latex(self) -> str:
        return self._after_sign(self._rest().latex(), "- ", "+ ")

    def text(self) -> str:
        return self._after_sign(self._rest().text(), "- ", "+ ")

    def mathml(self) -> str:
        signed = self._after_sign(self._rest().mathml(), "<mo>−</mo>", "<mo>+</mo>")
        return f"<mrow>{signed}</mrow>"


@dataclass(frozen=True)
class Product(Ink):
    factors: tuple[Ink, ...]
    strength = 2

    def latex(self) -> str:
        return r"\,".join(f.within(2).latex() for f in self.factors)

    def text(self) -> str:
        return " ".join(f.within(2).text() for f in self.factors)

    def mathml(self) -> str:
        return f"<mrow>{THIN.join(f.within(2).mathml() for f in self.factors)}</mrow>"


@dataclass(frozen=True)
class Pairing(Ink):
    """a . b or a x b."""

    a: Ink
    b: Ink
    sign: str  # "." or "x"

    @property
    def strength(self) -> int:  # type: ignore[override]
        return 2

    def latex(self) -> str:
        return f"{_factor(self.a).latex()} {chr(92)}{'cdot' if self.sign == '.' else 'times'} {_factor(self.b).latex()}"

    def text(self) -> str:
        return f"{_factor(self.a).text()}{'·' if self.sign == '.' else ' × '}{_factor(self.b).text()}"

    def mathml(self) -> str:
        sign = "·" if self.sign == "." else "×"
        return f"<mrow>{_factor(self.a).mathml()}<mo>{sign}</mo>{_factor(self.b).mathml()}</mrow>"


def _factor(x: Ink) -> Ink:
    return Bracketed(x) if x.strength < 3 else x


@dataclass(frozen=True)
class Fraction(Ink):
    above: Ink
    below: Ink
    strength = 2

    def latex(self) -> str:
        return rf"\frac{{{self.above.latex()}}}{{{self.below.latex()}}}"

    def text(self) -> str:
        return f"{self.above.within(2).text()} / {self.below.within(3).text()}"

    def mathml(self) -> str:
        return f"<mfrac><mrow>{self.above.mathml()}</mrow><mrow>{self.below.mathml()}</mrow></mfrac>"


@dataclass(frozen=True)
class Power(Ink):
    base: Ink
    exponent: Ink

    def latex(self) -> str:
        return f"{_factor(self.base).latex()}^{{{self.exponent.latex()}}}"

    def text(self) -> str:
        exponent = self.exponent.text()
        return f"{_factor(self.base).text()}{'²' if exponent == '2' else f'^{exponent}'}"

    def mathml(self) -> str:
        return f"<msup><mrow>{_factor(self.base).mathml()}</mrow><mrow>{self.exponent.mathml()}</mrow></msup>"


@dataclass(frozen=True)
class Function(Ink):
    name: str
    arguments: tuple[Ink, ...]

    def latex(self) -> str:
        inner = ", ".join(a.latex() for a in self.arguments)
        if self.name == "sqrt":
            return rf"\sqrt{{{inner}}}"
        known = ("sin", "cos", "tan", "exp", "log", "min", "max", "sinh", "cosh", "tanh")
        head = f"\\{self.name}" if self.name in known else rf"\operatorname{{{tex_text(self.name)}}}"
        return rf"{head}\left({inner}\right)"

    def text(self) -> str:
        return f"{self.name}({', '.join(a.text() for a in self.arguments)})"

    def mathml(self) -> str:
        inner = "<mo>,</mo>".join(a.mathml() for a in self.arguments)
        if self.name == "sqrt":
            return f"<msqrt>{inner}</msqrt>"
        return f"<mrow><mi>{escape(self.name)}</mi><mo>(</mo>{inner}<mo>)</mo></mrow>"


@dataclass(frozen=True)
class Matrix(Ink):
    rows: tuple[tuple[Ink, ...], ...]

    def latex(self) -> str:
        rows = r" \\ ".join(" & ".join(x.latex() for x in row) for row in self.rows)
        return rf"\begin{{bmatrix}} {rows} \end{{bmatrix}}"

    def text(self) -> str:
        return "[" + "; ".join(", ".join(x.text() for x in row) for row in self.rows) + "]"

    def mathml(self) -> str:
        rows = "".join(f"<mtr>{''.join(f'<mtd>{x.mathml()}</mtd>' for x in row)}</mtr>" for row in self.rows)
        return f"<mrow><mo>[</mo><mtable>{rows}</mtable><mo>]</mo></mrow>"


@dataclass(frozen=True)
class Relation(Ink):
    """Both sides of an equation; `sign` may be another, such as ">"."""

    left: Ink
    right: Ink
    sign: str = "="
    strength = 0

    def latex(self) -> str:
        return f"{self.left.latex()} {self.sign} {self.right.latex()}"

    def text(self) -> str:
        return f"{self.left.text()} {self.sign} {self.right.text()}"

    def mathml(self) -> str:
        return f"<mrow>{self.left.mathml()}<mo>{escape(self.sign)}</mo>{self.right.mathml()}</mrow>"


@dataclass(frozen=True)
class Raised(Ink):
    """A matrix transposed or inverted: `mark` is T, -1 or +."""

    inner: Ink
    mark: str

    def latex(self) -> str:
        return f"{_factor(self.inner).latex()}^{{{self.mark}}}"

    def text(self) -> str:
        return _factor(self.inner).text() + {"T": "ᵀ", "-1": "⁻¹", "+": "⁺"}[self.mark]

    def mathml(self) -> str:
        return f"<msup>{_factor(self.inner).mathml()}<mo>{escape(self.mark)}</mo></msup>"


ZERO = Number(0.0)


def added(terms: Iterable[tuple[int, Ink]]) -> Ink:
    """A sum; of one positive term the term, of none zero."""
    found: list[tuple[int, Ink]] = []
    for sign, term in terms:
        if isinstance(term, Sum):
            found += [(sign * own, part) for own, part in term.terms]
        else:
            found.append((sign, term))
    if not found:
        return ZERO
    if len(found) == 1 and found[0][0] > 0:
        return found[0][1]
    return Sum(tuple(found))


def multiplied(*factors: Ink) -> Ink:
    """A product without its ones."""
    flat: list[Ink] = []
    for f in factors:
        flat += f.factors if isinstance(f, Product) else [f]
    flat = [f for f in flat if not (isinstance(f, Number) and f.value == 1.0)]
    if not flat:
        return Number(1.0)
    together: list[Ink] = []
    for f in flat:  # neighbours that are the same make a square
        if together and together[-1] == f and not isinstance(f, Number | Raised | Matrix):
            together[-1] = Power(f, Number(2.0))
        else:
            together.append(f)
    return together[0] if len(together) == 1 else Product(tuple(together))
