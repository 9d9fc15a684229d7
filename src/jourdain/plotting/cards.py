"""How a notebook shows things: what they print, as tables, with a picture beside it."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable
from html import escape
from typing import Any

DPI = 75
STYLE = "font-size:90%;white-space:nowrap"
WIDE = 60  # letters in a cell, from which on it may be broken


class Card:
    """Shown in a notebook by what it prints, or `_words`, and by `_picture`, if it has one.

    Nothing is raised: a notebook would hide what it is about.
    """

    _drawn_in_letters = False  # its words are a drawing, or matrices, and stay where they are

    def _repr_html_(self) -> str:
        try:
            words = self._words()
        except Exception as error:  # noqa: BLE001  (a result must be shown whatever is wrong with it)
            words = repr(error)
        return card(words, self._picture, str(getattr(self, "name", "")), self._drawn_in_letters)

    def _words(self) -> str:
        return str(self)

    def _picture(self) -> Any:
        """A figure, or nothing to draw."""
        return None


def card(words: str, picture: Callable[[], Any], title: str = "", as_printed: bool = False) -> str:
    """Tables, or the words as they are printed, and a picture beside them where one can be made."""
    try:
        figure = picture()
        image = "" if figure is None else _image(figure, title)
    except Exception:  # noqa: BLE001  (no matplotlib, joints that do not close, nothing to draw: the table remains)
        image = ""
    told = f"<pre>{escape(words)}</pre>" if as_printed else tables(words)
    box = "display:flex;flex-wrap:wrap;align-items:center;gap:1em"
    return f'<div style="{box}"><div style="max-width:60em">{told}</div>{image}</div>'


def png(figure: Any) -> bytes:
    memory = io.BytesIO()
    figure.savefig(memory, format="png", dpi=DPI, bbox_inches="tight")
    return memory.getvalue()


def _image(figure: Any, title: str) -> str:
    data = base64.b64encode(png(figure)).decode("ascii")
    return f'<img alt="{escape(title)}" src="data:image/png;base64,{data}" style="max-width:100%">'


def tables(words: str) -> str:
    """Lines of cells with two blanks or more between them become rows; a line of one cell is a paragraph.

    Lines of dashes are left out. What stands right of a key belongs to one cell.
    """
    found: list[str] = []
    rows: list[list[str]] = []

    def end() -> None:
        if rows:
            body = "".join(f"<tr>{''.join(_cell(text, k) for k, text in enumerate(row))}</tr>" for row in rows)
            found.append(f'<table style="{STYLE}">{body}</table>')
            rows.clear()

    for line in words.splitlines():
        if set(line.strip()) <= {"-"}:
            continue
        cells = re.split(r" {2,}", line.strip())
        if len(cells) == 1 and line.startswith("  ") and ": " in line and not re.match(r"\W", line.strip()):
            cells = list(line.strip().partition(": ")[::2])
        if len(cells) == 1:
            end()
            found.append(f"<div>{escape(line.strip())}</div>")
        else:
            rows.append(cells)
    end()
    return "".join(found)


def _cell(text: str, k: int) -> str:
    wrap = ";white-space:normal;max-width:45em" if len(text) > WIDE else ""
    side = "right" if re.match(r"[-+]?[\d.]", text) and len(text) < 15 else "left"
    tag = "th" if k == 0 else "td"
    return f'<{tag} style="text-align:{side}{wrap}">{escape(text)}</{tag}>'
