"""The documentation of a library as one page of HTML, without anything from elsewhere."""

from __future__ import annotations

from html import escape
from typing import Any

from ..nodes import Node
from .described import Described, example

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #1c2430;
  background: #fff; }
h2 { margin-top: 2.5rem; border-top: 1px solid #d5dae1; padding-top: 1rem; }
h2 small { font-weight: normal; color: #5b6675; }
table { border-collapse: collapse; width: 100%; margin: .6rem 0; }
th, td { text-align: left; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid #e5e9ee; vertical-align: top; }
pre { background: #f2f4f7; padding: .6rem; overflow-x: auto; }
svg { float: right; margin-left: 1rem; }
nav a { margin-right: .8rem; }
@media (prefers-color-scheme: dark) { body { background: #14181e; color: #dfe5ec; } pre { background: #1d232b; }
  th, td, h2 { border-color: #2c343e; } a { color: #8ab8ff; } }
"""


def page(title: str, types: list[Described]) -> str:
    """The whole page: a list of links, then each type."""
    links = " ".join(f'<a href="#{escape(one.name)}">{escape(one.name)}</a>' for one in types)
    body = "\n".join(_type(one) for one in types)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n'
        f"<body><h1>{escape(title)}</h1>\n<nav>{links}</nav>\n{body}\n</body></html>\n"
    )


def _type(one: Described) -> str:
    where = f"{one.section}, of {one.of}" if one.of else one.section
    where += f", {one.space} only" if one.space else ""
    parts = [f'<h2 id="{escape(one.name)}">{escape(one.name)} <small>{escape(where)}</small></h2>']
    if one.symbol is not None:
        parts.append(_drawn(one.symbol))
    parts.append(f"<p>{escape(one.says)}</p>")
    if one.ports:
        names = ", ".join(f"<code>{escape(port)}</code>" for port in one.ports)
        parts.append(f"<p>Ports: {names}.</p>")
    parts += _gaps(one)
    if one.channels:
        names = ", ".join(f"<code>{escape(name)}</code>" for name in one.channels)
        parts.append(f"<p>Channels: {names}.</p>")
    for variant in one.variants:
        of = f", of {escape(variant.of)}" if variant.of else ""
        parts += [f"<h3>Variant {escape(variant.name)}{of}</h3>", f"<p>{escape(variant.says)}</p>", *_gaps(variant)]
    parts.append(f"<pre>{escape(example(one))}</pre>")
    return "\n".join(part for part in parts if part != "<p></p>")


def _gaps(one: Described) -> list[str]:
    found = []
    for title, gaps in (("Parameter", one.parameters), ("Signal", one.signals)):
        if not gaps:
            continue
        rows = "".join(
            f"<tr><td><code>{escape(name)}</code></td><td>{escape(words['about'])}</td><td>{escape(words['says'])}</td></tr>"
            for name, words in gaps.items()
        )
        found.append(f"<table><tr><th>{title}</th><th>Value</th><th>Meaning</th></tr>{rows}</table>")
    return found


def strokes(symbol: Node) -> list[list[tuple[float, ...]]]:
    """Lines of a symbol as numbers; those that need parameters are left out."""
    found: list[list[tuple[float, ...]]] = []
    for _, lines in symbol.items() if isinstance(symbol.value, dict) else ():
        for line in lines.value if isinstance(lines.value, list) else ():
            points = [one.plain() for one in line.value] if isinstance(line.value, list) else []
            if points and all(isinstance(p, list) and all(isinstance(x, int | float) for x in p) for p in points):
                found.append([tuple(map(float, p)) for p in points])
    return found


def _drawn(symbol: Node) -> str:
    """The strokes, x to the right and y up."""
    lines = strokes(symbol)
    places: list[Any] = [p for line in lines for p in line]
    if not places:
        return ""
    xs, ys = [p[0] for p in places], [-p[1] for p in places]
    size = max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0
    box = f"{min(xs) - 0.1 * size:g} {min(ys) - 0.1 * size:g} {1.2 * size:g} {1.2 * size:g}"
    paths = "".join(
        f'<polyline points="{" ".join(f"{p[0]:g},{-p[1]:g}" for p in line)}" fill="none" stroke="currentColor" '
        f'stroke-width="{0.02 * size:g}"/>'
        for line in lines
    )
    return f'<svg width="120" height="120" viewBox="{box}" role="img" aria-label="symbol">{paths}</svg>'
