"""The documentation of a library as one page of HTML, without anything from elsewhere."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from html import escape

from .described import Described, example

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #1c2430;
  background: #fff; }
h2 { margin-top: 2.5rem; border-top: 1px solid #d5dae1; padding-top: 1rem; }
h2 small { font-weight: normal; color: #5b6675; }
table { border-collapse: collapse; width: 100%; margin: .6rem 0; }
th, td { text-align: left; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid #e5e9ee; vertical-align: top; }
pre { background: #f2f4f7; padding: .6rem; overflow-x: auto; }
img { float: right; max-width: 14rem; max-height: 12rem; margin: 0 0 .5rem 1rem; background: #fff; border-radius: 6px; }
h2, pre { clear: right; }
nav a { margin-right: .8rem; }
@media (prefers-color-scheme: dark) { body { background: #14181e; color: #dfe5ec; } pre { background: #1d232b; }
  th, td, h2 { border-color: #2c343e; } a { color: #8ab8ff; } }
"""


def page(title: str, description: str, types: list[Described], pictures: Mapping[str, str]) -> str:
    """The whole page: a list of links, then each type with its picture, which is SVG by name."""
    links = " ".join(f'<a href="#{escape(one.name)}">{escape(one.name)}</a>' for one in types)
    body = "\n".join(_type(one, pictures.get(one.name, "")) for one in types)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n'
        f"<body><h1>{escape(title)}</h1>\n<p>{escape(description)}</p>\n<nav>{links}</nav>\n{body}\n</body></html>\n"
    )


def _type(one: Described, picture: str) -> str:
    where = " or ".join(one.sections) + (f", of {one.of}" if one.of else "")
    where += f", {one.space} only" if one.space else ""
    parts = [f'<h2 id="{escape(one.name)}">{escape(one.name)} <small>{escape(where)}</small></h2>']
    if picture:
        data = b64encode(picture.encode()).decode()
        parts.append(f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(one.name)} as it is drawn">')
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
