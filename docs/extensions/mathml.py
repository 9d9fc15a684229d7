"""Formulas as MathML, which browsers draw themselves: no script, no network, and screen readers can read them."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

LOG = logging.getLogger(__name__)
# Commands that the converter does not know, as ones that it does.
PLAIN = {r"\tfrac": r"\frac", r"\dfrac": r"\frac", r"\lVert": r"\|", r"\rVert": r"\|", r"\lvert": "|", r"\rvert": "|"}


MATHML = "http://www.w3.org/1998/Math/MathML"
SUP, SUBSUP = f"{{{MATHML}}}msup", f"{{{MATHML}}}msubsup"
PRIMES = set("′″‴")
PRIMED = re.compile(r"(\\?[A-Za-z]+)('+)\^")  # a prime and a power, which the converter takes for two powers


def as_mathml(latex: str, display: str) -> str:
    for command, known in PLAIN.items():
        latex = latex.replace(command, known)
    latex = PRIMED.sub(r"{\1\2}^", latex)
    try:
        found = str(convert(latex.strip(), display=display))
    except Exception as error:  # noqa: BLE001  (the converter's own errors, of many classes)
        LOG.warning("this formula cannot be read (%s): %s", type(error).__name__, latex)
        return latex
    if "\\" in found.partition(">")[2]:  # a command that came out as text
        LOG.warning("this formula is not read whole: %s", latex)
    return _primes_beside(found).replace("<mover>", '<mover accent="true">')  # dots and hats stand close above


def _primes_beside(text: str) -> str:
    """A prime is high by itself: it stands beside its letter, not above it; what else is raised stays raised."""
    ElementTree.register_namespace("", MATHML)
    root = ElementTree.fromstring(text)
    for node in root.iter():
        if node.tag in (SUP, SUBSUP) and len(node) and node[-1].text and set(node[-1].text) <= PRIMES:
            base, *others, prime = list(node)
            row = ElementTree.Element(f"{{{MATHML}}}mrow")
            mark = ElementTree.Element(f"{{{MATHML}}}mo", {"lspace": "0", "rspace": "0"})
            mark.text = prime.text
            row.extend([base, mark])
            for child in (base, *others, prime):
                node.remove(child)
            node.tag = f"{{{MATHML}}}{'msub' if others else 'mrow'}"
            node.extend([row, *others])
    return ElementTree.tostring(root, encoding="unicode")


def inline(self: Any, node: nodes.math) -> None:
    self.body.append(as_mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def block(self: Any, node: nodes.math_block) -> None:
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    self.body.append(f'<div class="formula">{as_mathml(node.astext(), "block")}{number}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
