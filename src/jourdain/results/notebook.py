"""How a notebook shows a record: a small table and a picture; and its motion: a page inside the page."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .record import Record

DPI = 75
FRAME = "width:100%;height:30rem;border:1px solid #e6e8eb"


@dataclass(frozen=True)
class Moving:
    """An animation that plays below the cell of a notebook whose last line it is; `page` is its HTML."""

    name: str
    page: str = field(repr=False)

    def _repr_html_(self) -> str:
        content = escape(self.page)
        return f'<iframe title="the motion" sandbox="allow-scripts" style="{FRAME}" srcdoc="{content}"></iframe>'


def html(record: Record) -> str:
    """The summary as a table, with a drawing beside it if one can be made. Never raises: a notebook would hide it."""
    try:
        rows = _rows(record.summary())
    except Exception as error:  # noqa: BLE001  (a result must be shown whatever is wrong with it)
        rows = f"<tr><td>{escape(repr(error))}</td></tr>"
    try:
        picture = _picture(record)
    except Exception:  # noqa: BLE001  (no matplotlib, no mechanism in the file, nothing to draw: the table remains)
        picture = ""
    table = f'<table style="font-size:90%">{rows}</table>'
    return f'<div style="display:flex;flex-wrap:wrap;align-items:center;gap:1em">{table}{picture}</div>'


def _rows(summary: str) -> str:
    """Lines of a summary are a key, two spaces, and a text; a line without key goes on with the one before."""
    rows = []
    for line in summary.splitlines():
        key, text = line[:10].strip(), line[12:]
        if line[10:12] != "  ":
            key, text = "", line.strip()
        cells = f'<th style="text-align:right">{escape(key)}</th><td style="text-align:left">{escape(text)}</td>'
        rows.append(f"<tr>{cells}</tr>")
    return "".join(rows)


def _picture(record: Record) -> str:
    memory = io.BytesIO()
    record.draw().savefig(memory, format="png", dpi=DPI, bbox_inches="tight")
    data = base64.b64encode(memory.getvalue()).decode("ascii")
    return f'<img alt="{escape(record.name)}" src="data:image/png;base64,{data}">'
