"""The motion of a record in a notebook: a page inside the page."""

from __future__ import annotations

import tempfile
import webbrowser
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

FRAME = "box-sizing:border-box;width:100%;border:1px solid #e6e8eb"
HEIGHT = 480  # px


@dataclass(frozen=True)
class Moving:
    """An animation that plays below the cell of a notebook whose last line it is; `page` is its HTML."""

    name: str
    page: str = field(repr=False)
    height: int = field(default=HEIGHT, repr=False)  # px

    def open(self) -> Path:
        """Show it in the browser, from a file whose path is returned."""
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(self.page)
        webbrowser.open(Path(file.name).as_uri())
        return Path(file.name)

    def _repr_html_(self) -> str:
        style, content = f"{FRAME};height:{int(self.height)}px", escape(self.page)
        return f'<iframe title="the motion" sandbox="allow-scripts" style="{style}" srcdoc="{content}"></iframe>'
