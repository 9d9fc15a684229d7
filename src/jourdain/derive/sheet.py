"""A derivation on paper: sections of sentences, lines of mathematics with their sources, tables and pictures."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field
from html import escape

from .broken import LATEX, MATHML, TEXT, lines_of
from .grid import Grid
from .ink import Ink, Relation, Symbol, tex_text


@dataclass(frozen=True)
class Line:
    """One line of mathematics, and the equation of the paper or of the theory that it is."""

    ink: Ink
    source: str = ""


Cell = str | Ink


@dataclass(frozen=True)
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Drawing:
    """Characters in a grid, such as a graph."""

    lines: tuple[str, ...]


Item = str | Line | Table | Drawing | Grid


@dataclass
class Section:
    title: str
    items: list[Item] = field(default_factory=list)

    def say(self, *sentences: str) -> None:
        self.items += sentences

    def line(self, ink: Ink, source: str = "") -> None:
        self.items.append(Line(ink, source))


@dataclass
class Sheet:
    title: str
    sections: list[Section] = field(default_factory=list)

    def section(self, title: str) -> Section:
        self.sections.append(Section(title))
        return self.sections[-1]


def _grouped(items: list[Item]) -> list[Item | list[Line]]:
    """Lines that follow each other belong together."""
    found: list[Item | list[Line]] = []
    for item in items:
        if not isinstance(item, Line):
            found.append(item)
        elif found and isinstance(found[-1], list):
            found[-1].append(item)
        else:
            found.append([item])
    return found


_AXIS = re.compile(r"(?<![\w.])([xyze])_([ijxyz])(?!\w)")  # axes named in sentences


# Markdown ------------------------------------------------------------------------------------------------------

_TEXT_WIDE = 110


def markdown(document: Sheet, level: int = 1) -> str:
    """Plain Markdown: formulas are Unicode text in code blocks, which every reader shows, without a network too."""
    found = [f"{'#' * level} {_md(document.title)}", ""]
    for section in document.sections:
        found += [f"{'#' * (level + 1)} {_md(section.title)}", ""]
        for item in _grouped(section.items):
            found += ["```text", *_aligned(item), "```", ""] if isinstance(item, list) else _md_item(item)
    return "\n".join(found).rstrip("\n") + "\n"


def _aligned(lines: list[Line]) -> list[str]:
    """Sources stand behind the lines, one below the other."""
    texts: list[tuple[str, str]] = []
    for line in lines:
        pieces = lines_of(line.ink, TEXT, _TEXT_WIDE)
        indent = " " * (pieces[0].find(" = ") + 1)
        pieces = [pieces[0], *(indent + piece for piece in pieces[1:])]
        texts += [*((piece, "") for piece in pieces[:-1]), (pieces[-1], line.source)]
    width = min(_TEXT_WIDE, max(len(text) for text, _ in texts))
    return [f"{text:<{width}}   ({source})" if source else text for text, source in texts]


def _md_item(item: Item) -> list[str]:
    if isinstance(item, Table):
        head = f"| {' | '.join(map(_md, item.head))} |"
        rows = [f"| {' | '.join(_md(c if isinstance(c, str) else c.text()) for c in row)} |" for row in item.rows]
        return [head, "|" + "---|" * len(item.head), *rows, ""]
    if isinstance(item, Drawing | Grid):
        return ["```text", *(item.lines if isinstance(item, Drawing) else item.text()), "```", ""]
    return [_md(item), ""] if isinstance(item, str) and item else []


def _md(text: str) -> str:
    """Signs that Markdown would read; underscores inside words and signs between spaces are as they are."""
    found = re.sub(r"([\\`*<|\[\]])", r"\\\1", text)
    return re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", found)


# HTML ----------------------------------------------------------------------------------------------------------

_STYLE = (
    "body{font-family:Georgia,serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222;line-height:1.45}"
    "h1{font-size:1.6em}h2{font-size:1.2em;margin-top:1.6em}"
    ".line{display:flex;justify-content:space-between;gap:2em;margin:.5em 0 .5em 1.5em;overflow:auto hidden;"
    "padding:.15em 0}.more{margin-left:4em}.source{color:#777;font-size:.85em;white-space:nowrap}"
    "table{border-collapse:collapse;margin:1em 0}td,th{border-bottom:1px solid #ccc;padding:.2em .8em;text-align:left}"
    "pre{background:#f6f6f4;padding:.8em;overflow-x:auto;line-height:1.2}math{font-size:1.05em}svg{max-width:100%}"
)


def html(document: Sheet) -> str:
    """A page of its own: MathML, no script, nothing from a network."""
    body = [f"<h1>{escape(document.title)}</h1>"]
    body += [_html_section(section) for section in document.sections]
    title = escape(document.title)
    head = f'<meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(body) + "\n</body></html>\n"


def fragment(document: Sheet) -> str:
    """The same without a page around it, for notebooks and reports."""
    return (
        "<div>" + "\n".join([f"<h3>{escape(document.title)}</h3>", *map(_html_section, document.sections)]) + "</div>"
    )


def _html_section(section: Section) -> str:
    found = [f"<h2>{_html_words(section.title)}</h2>"]
    for item in section.items:
        if isinstance(item, Line):
            found += _html_line(item)
        elif isinstance(item, Table):
            head = "".join(f"<th>{escape(c)}</th>" for c in item.head)
            rows = "".join(f"<tr>{''.join(f'<td>{_html_cell(c)}</td>' for c in row)}</tr>" for row in item.rows)
            found.append(f"<table><tr>{head}</tr>{rows}</table>")
        elif isinstance(item, Drawing):
            found.append(f"<pre>{escape(chr(10).join(item.lines))}</pre>")
        elif isinstance(item, Grid):
            found.append(item.svg())
        else:
            found.append(f"<p>{_html_words(item)}</p>")
    return "\n".join(found)


def _html_line(line: Line) -> list[str]:
    pieces = lines_of(line.ink, MATHML, _TEXT_WIDE)
    source = f'<span class="source">{_html_words(line.source)}</span>' if line.source else ""
    ends = [""] * (len(pieces) - 1) + [source]
    return [
        f'<div class="line{" more" if k else ""}"><math displaystyle="true">{piece}</math>{end}</div>'
        for k, (piece, end) in enumerate(zip(pieces, ends, strict=True))
    ]


def _html_cell(cell: Cell) -> str:
    return escape(cell) if isinstance(cell, str) else f"<math>{cell.mathml()}</math>"


def _html_words(text: str) -> str:
    return _AXIS.sub(r"<b>\1</b><sub>\2</sub>", escape(text))


# LaTeX ---------------------------------------------------------------------------------------------------------

_PREAMBLE = r"""\documentclass[11pt,a4paper,fleqn]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[margin=22mm]{geometry}
\usepackage{amsmath,amssymb,longtable}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\setlength{\mathindent}{1.5em}
\begin{document}
"""
_WIDE = 92  # characters of text that fit beside each other, with indices
_SOURCE = 0.8  # widths of a character of a source in small print
_TYPED = 95  # characters of typewriter type on a line
_ROWS = 12  # of a table that is longer and narrow, two halves stand side by side
_SHAPES = str.maketrans({"├": "|", "└": "`", "─": "-", "│": "|"})


def latex(document: Sheet) -> str:
    """A whole document for pdflatex, with packages that every TeX has."""
    found = [_PREAMBLE + rf"\section*{{{tex_text(document.title)}}}"]
    for section in document.sections:
        found.append(rf"\subsection*{{{_tex_words(section.title)}}}")
        found += [_latex_item(item) for item in _grouped(section.items)]
    return "\n\n".join([*found, r"\end{document}", ""])


def _latex_item(item: Item | list[Line]) -> str:
    if isinstance(item, list):
        return "\\begin{align*}\n" + " \\\\\n".join(_tex_line(line) for line in item) + "\n\\end{align*}"
    if isinstance(item, Table):
        return _tex_table(item)
    if isinstance(item, Grid):
        return item.latex()
    if isinstance(item, Drawing):
        lines = [part for line in item.lines for part in _wrapped(line.translate(_SHAPES))]
        plain = "\n".join("".join(c if 31 < ord(c) < 256 else "?" for c in line) for line in lines)
        return f"\\begin{{footnotesize}}\n\\begin{{verbatim}}\n{plain}\n\\end{{verbatim}}\n\\end{{footnotesize}}"
    return _tex_words(item) if isinstance(item, str) else ""


def _wrapped(line: str) -> list[str]:
    """A line that is longer than a page is wide, in several."""
    return textwrap.wrap(line, _TYPED, subsequent_indent="     ") if len(line) > _TYPED else [line]


def _tex_line(line: Line) -> str:
    tag = rf" \tag*{{\footnotesize({_tex_words(line.source)})}}" if line.source else ""
    room = _WIDE - int(_SOURCE * len(line.source))
    pieces = lines_of(line.ink, LATEX, _WIDE)
    if tag and len(pieces) == 1 and len(line.ink.text()) > room:
        pieces = lines_of(line.ink, LATEX, max(_WIDE // 2, room))
    first = pieces[0] if isinstance(line.ink, Relation) else f"& {pieces[0]}"
    return " \\\\\n".join([first, *(rf"&\quad {piece}" for piece in pieces[1:])]) + tag


def _tex_table(table: Table) -> str:
    rows: list[list[Cell]] = [list(row) for row in table.rows]
    head, columns = list(table.head), len(table.head)
    if len(rows) > _ROWS and columns == 2:
        half = (len(rows) + 1) // 2
        empty: list[Cell] = ["", ""]
        right = [*rows[half:], *([empty] if len(rows) % 2 else [])]
        rows = [[*a, *b] for a, b in zip(rows[:half], right, strict=True)]
        head = [*head, *head]
    lines = [" & ".join(map(tex_text, head)) + r" \\ \hline"]
    lines += [" & ".join(_tex_cell(c) for c in row) + r" \\" for row in rows]
    shape = "@{\\qquad}".join("l" * columns for _ in range(len(head) // columns))
    return f"\\begin{{longtable}}[l]{{{shape}}}\n" + "\n".join(lines) + "\n\\end{longtable}"


def _tex_cell(cell: Cell) -> str:
    return tex_text(cell) if isinstance(cell, str) else f"${cell.latex()}$"


def _tex_words(text: str) -> str:
    """A sentence; axes in it are mathematics."""
    found, at = "", 0
    for match in _AXIS.finditer(text):
        found += tex_text(text[at : match.start()]) + f"${Symbol(match[1], match[2], vector=True).latex()}$"
        at = match.end()
    return found + tex_text(text[at:])
