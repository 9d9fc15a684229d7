"""A derivation on paper: sections of sentences, lines of mathematics with their sources, tables and pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from .ink import Ink, Relation, Sum, tex_text


@dataclass(frozen=True)
class Line:
    """One line of mathematics, and the equation of the paper or of the theory that it is."""

    ink: Ink
    source: str = ""


@dataclass(frozen=True)
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Picture:
    """Characters in a grid: which blocks of a matrix are there, or a graph."""

    lines: tuple[str, ...]


Item = str | Line | Table | Picture


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


# Markdown ------------------------------------------------------------------------------------------------------


def markdown(document: Sheet, level: int = 1) -> str:
    """Plain Markdown: formulas are Unicode text in code blocks, which every reader shows, without a network too."""
    found = [f"{'#' * level} {_md(document.title)}", ""]
    for section in document.sections:
        found += [f"{'#' * (level + 1)} {_md(section.title)}", ""]
        block: list[Line] = []
        for item in [*section.items, ""]:
            if isinstance(item, Line):
                block.append(item)
                continue
            if block:
                found += ["```text", *_aligned(block), "```", ""]
                block = []
            found += _md_item(item)
    return "\n".join(found).rstrip("\n") + "\n"


def _aligned(lines: list[Line]) -> list[str]:
    """Sources stand behind the lines, one below the other."""
    texts = [line.ink.text() for line in lines]
    width = min(100, max(map(len, texts)))
    return [
        f"{text:<{width}}   ({line.source})" if line.source else text for text, line in zip(texts, lines, strict=True)
    ]


def _md_item(item: Item) -> list[str]:
    if isinstance(item, Table):
        head = f"| {' | '.join(map(_md, item.head))} |"
        rows = [f"| {' | '.join(map(_md, row))} |" for row in item.rows]
        return [head, "|" + "---|" * len(item.head), *rows, ""]
    if isinstance(item, Picture):
        return ["```text", *item.lines, "```", ""]
    return [_md(item), ""] if isinstance(item, str) and item else []


def _md(text: str) -> str:
    for c in "\\`*_<>|[]":
        text = text.replace(c, f"\\{c}")
    return text


# HTML ----------------------------------------------------------------------------------------------------------

_STYLE = (
    "body{font-family:Georgia,serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222;line-height:1.45}"
    "h1{font-size:1.6em}h2{font-size:1.2em;margin-top:1.6em}"
    ".line{display:flex;justify-content:space-between;gap:2em;margin:.5em 0 .5em 1.5em;overflow-x:auto}"
    ".source{color:#777;font-size:.85em;white-space:nowrap}"
    "table{border-collapse:collapse;margin:1em 0}td,th{border-bottom:1px solid #ccc;padding:.2em .8em;text-align:left}"
    "pre{background:#f6f6f4;padding:.8em;overflow-x:auto;line-height:1.2}math{font-size:1.05em}"
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
    found = [f"<h2>{escape(section.title)}</h2>"]
    for item in section.items:
        if isinstance(item, Line):
            source = f'<span class="source">{escape(item.source)}</span>' if item.source else ""
            found.append(f'<div class="line"><math>{item.ink.mathml()}</math>{source}</div>')
        elif isinstance(item, Table):
            head = "".join(f"<th>{escape(c)}</th>" for c in item.head)
            rows = "".join(f"<tr>{''.join(f'<td>{escape(c)}</td>' for c in row)}</tr>" for row in item.rows)
            found.append(f"<table><tr>{head}</tr>{rows}</table>")
        elif isinstance(item, Picture):
            found.append(f"<pre>{escape(chr(10).join(item.lines))}</pre>")
        else:
            found.append(f"<p>{escape(item)}</p>")
    return "\n".join(found)


# LaTeX ---------------------------------------------------------------------------------------------------------

_PREAMBLE = r"""\documentclass[11pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[margin=22mm]{geometry}
\usepackage{amsmath,amssymb,longtable}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\begin{document}
"""
_WIDE = 105  # characters of text: a longer line is set on several


def latex(document: Sheet) -> str:
    """A whole document for pdflatex, with packages that every TeX has."""
    found = [_PREAMBLE + rf"\section*{{{tex_text(document.title)}}}"]
    for section in document.sections:
        found.append(rf"\subsection*{{{tex_text(section.title)}}}")
        found += [_latex_item(item) for item in section.items]
    return "\n\n".join([*found, r"\end{document}", ""])


def _latex_item(item: Item) -> str:
    if isinstance(item, Line):
        tag = rf" \tag*{{\footnotesize({tex_text(item.source)})}}" if item.source else ""
        return "\\begin{align*}\n" + _broken(item.ink) + tag + "\n\\end{align*}"
    if isinstance(item, Table):
        head = " & ".join(map(tex_text, item.head)) + r" \\ \hline"
        rows = "\n".join(" & ".join(map(tex_text, row)) + r" \\" for row in item.rows)
        return f"\\begin{{longtable}}{{{'l' * len(item.head)}}}\n{head}\n{rows}\n\\end{{longtable}}"
    if isinstance(item, Picture):
        plain = "\n".join(line.encode("ascii", "replace").decode().replace("\\", "/") for line in item.lines)
        return f"\\begin{{small}}\n\\begin{{verbatim}}\n{plain}\n\\end{{verbatim}}\n\\end{{small}}"
    return tex_text(item)


def _broken(ink: Ink) -> str:
    """A long sum over several lines, broken before its signs."""
    if not isinstance(ink, Relation) or not isinstance(ink.right, Sum) or len(ink.text()) < _WIDE:
        return "& " + ink.latex()
    lines, line = [], ""
    for k, (sign, term) in enumerate(ink.right.terms):
        mark = ("-" if sign < 0 else "") if k == 0 else (" - " if sign < 0 else " + ")
        if len(line) > 2 * _WIDE:
            lines.append(line)
            line = ""
        line += mark + term.within(2).latex()
    lines.append(line)
    joined = " \\\\\n& \\quad ".join(lines)
    return f"{ink.left.latex()} ={{}} & {joined}"
