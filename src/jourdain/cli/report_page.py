"""A report as one page of HTML: sections of tables, texts and pictures, with nothing to fetch from elsewhere.

On paper the animation, which cannot move there, is left out: the poses stand beside it.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

DPI = 110
LONG = 20  # rows: a longer table goes on beside itself
COLUMNS = 6  # that fit beside each other
STYLE = """
  :root { --ink: #2b2f36; --grey: #6b717b; --pale: #e6e8eb; }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; background: #fff; color: var(--ink);
    font: 15px/1.5 system-ui, sans-serif; }
  h1 { font-size: 1.6rem; margin: 0 0 .2rem; }
  h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; padding-top: .6rem; border-top: 1px solid var(--pale); }
  p.lead { margin: 0 0 1rem; color: var(--grey); }
  nav a { margin-right: 1rem; color: #2f5f8f; }
  table { margin: .6rem 0; border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
  th, td { padding: .15rem .8rem .15rem 0; text-align: left; vertical-align: top; }
  table.numbers td.n, table.numbers th.n { text-align: right; }
  table.numbers tr + tr { border-top: 1px solid var(--pale); }
  pre { white-space: pre-wrap; font-size: .82rem; line-height: 1.4; background: #f7f8fa; padding: .6rem .8rem; }
  img { max-width: 100%; height: auto; display: block; margin: .5rem 0; }
  .wrong { border-left: 4px solid #b3261e; padding: .2rem .8rem; }
  .wide { display: flex; flex-wrap: wrap; align-items: flex-start; column-gap: 2.5rem; overflow-x: auto; }
  @media print {
    @page { margin: 16mm 14mm; }
    body { margin: 0; max-width: none; font-size: 10.5pt; }
    nav, iframe, .screen { display: none; }
    h2 { break-after: avoid; }
    img, table, pre, .wrong { break-inside: avoid; }
    pre { background: none; border: 1px solid var(--pale); font-size: 7.4pt; }
    .wide { overflow: visible; }
    img { max-height: 100mm; }
  }
"""


@dataclass
class Section:
    """A heading and what stands under it, as pieces of HTML."""

    title: str
    pieces: list[str] = field(default_factory=list)

    @property
    def mark(self) -> str:
        return self.title.lower().replace(" ", "-")

    def text(self, words: str) -> None:
        self.pieces.append(f"<p>{escape(words)}</p>")

    def wrong(self, words: str) -> None:
        self.pieces.append(f'<p class="wrong">{escape(words)}</p>')

    def lines(self, words: str) -> None:
        """A text whose lines and columns are kept."""
        self.pieces.append(f"<pre>{escape(words)}</pre>")

    def facts(self, rows: Iterable[tuple[str, str]]) -> None:
        cells = "".join(f"<tr><th>{escape(key)}</th><td>{escape(value)}</td></tr>" for key, value in rows)
        self.pieces.append(f"<table>{cells}</table>")

    def numbers(self, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        rows = list(rows)
        right = [all(_is_number(row[k]) for row in rows) for k in range(len(head))]

        def line(cells: Sequence[str], tag: str) -> str:
            kinds = [' class="n"' if on_the_right else "" for on_the_right in right]
            found = [f"<{tag}{kind}>{escape(cell)}</{tag}>" for cell, kind in zip(cells, kinds, strict=True)]
            return f"<tr>{''.join(found)}</tr>"

        beside = COLUMNS // len(head) if len(rows) > LONG else 1
        each = max(-(-len(rows) // beside), 1)
        parts = [rows[k : k + each] for k in range(0, max(len(rows), 1), each)]
        bodies = (line(head, "th") + "".join(line(row, "td") for row in part) for part in parts)
        tables = "".join(f'<table class="numbers">{body}</table>' for body in bodies)
        self.pieces.append(f'<div class="wide">{tables}</div>')

    def picture(self, figure: Any, words: str) -> None:
        memory = io.BytesIO()
        figure.savefig(memory, format="png", dpi=DPI, bbox_inches="tight", pad_inches=0.1)
        data = base64.b64encode(memory.getvalue()).decode("ascii")
        self.pieces.append(f'<img alt="{escape(words)}" src="data:image/png;base64,{data}">')

    def animation(self, record: Any, traces: Sequence[str]) -> None:
        """The page of an animation, inside this one."""
        self.pieces.append(record.animate(traces=list(traces))._repr_html_())


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def page(title: str, lead: str, sections: Sequence[Section]) -> str:
    """The whole page."""
    links = "".join(f'<a href="#{section.mark}">{escape(section.title)}</a>' for section in sections)
    body = "".join(
        f'<section id="{section.mark}"><h2>{escape(section.title)}</h2>{"".join(section.pieces)}</section>\n'
        for section in sections
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n"
        f'<p class="lead">{escape(lead)}</p>\n<nav>{links}</nav>\n{body}</body>\n</html>\n'
    )
