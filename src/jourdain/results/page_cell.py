"""A page in a cell of a notebook, which needs nothing but itself."""

from __future__ import annotations

import tempfile
import webbrowser
from html import escape
from pathlib import Path

STYLE = "width:100%;border:1px solid #d3d7de;border-radius:6px"


class PageCell:
    """The page as `html`; a notebook shows it below the cell, `open` in the browser."""

    def __init__(self, html: str, height: int) -> None:
        self.html, self.height = html, height

    def open(self) -> Path:
        """Show it in the browser, from a file whose path is returned."""
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(self.html)
        webbrowser.open(Path(file.name).as_uri())
        return Path(file.name)

    def _repr_html_(self) -> str:
        style = f"{STYLE};height:{int(self.height)}px"
        return f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" style="{style}"></iframe>'

    def __repr__(self) -> str:
        return f"<page of {len(self.html) / 1000:.0f} kB; .open() shows it in the browser>"
