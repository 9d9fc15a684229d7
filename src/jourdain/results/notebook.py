"""The motion of a record in a notebook: a page inside the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

FRAME = "width:100%;height:30rem;border:1px solid #e6e8eb"


@dataclass(frozen=True)
class Moving:
    """An animation that plays below the cell of a notebook whose last line it is; `page` is its HTML."""

    name: str
    page: str = field(repr=False)

    def _repr_html_(self) -> str:
        content = escape(self.page)
        return f'<iframe title="the motion" sandbox="allow-scripts" style="{FRAME}" srcdoc="{content}"></iframe>'
