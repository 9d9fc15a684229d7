"""A picture of what is where in a matrix: named rows and columns of squares, as text, SVG and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from .ink import tex_text

_SPACED = 28  # columns of text that stand apart; more stand close, up to _CLOSE; of still more several share a sign
_CLOSE = 100
_NAMED = 40  # rows that are named beside a picture; of more every so many
_MASS, _ROW, _NONE = "M", "#", "."
_COLOURS = {_MASS: "#4c72b0", _ROW: "#c44e52"}


@dataclass(frozen=True)
class Grid:
    """`cells` by row: M where there is mass, # where a row has a block, a dot where there is nothing."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[str, ...]

    # Text --------------------------------------------------------------------------------------------------------

    def text(self) -> list[str]:
        n = len(self.columns)
        if n > _CLOSE:
            together = -(-n // _CLOSE)
            return [f"(each sign stands for {together} columns and rows)", *_coarse(self.cells, together)]
        width = max(map(len, self.rows), default=0)
        if n > _SPACED:
            return [f"{name:<{width}}  {cells}" for name, cells in zip(self.rows, self.cells, strict=True)]
        lines = [f"{'':<{width}}  " + " ".join(f"{k + 1:>2}" for k in range(n))]
        for k, (name, cells) in enumerate(zip(self.rows, self.cells, strict=True)):
            legend = f"   {k + 1} {self.columns[k]}" if k < n else ""
            lines.append(f"{name:<{width}}  " + " ".join(f"{c:>2}" for c in cells) + legend)
        return lines

    # SVG ---------------------------------------------------------------------------------------------------------

    def svg(self) -> str:
        """Squares; columns bear the numbers of their bodies' rows."""
        n, rows = len(self.columns), len(self.rows)
        side = 16 if n <= _SPACED else max(2, 640 // n)
        every = 1 if rows <= _NAMED else -(-rows // _NAMED) * max(1, 12 // side)
        label = 8 * max((len(r) for r in self.rows), default=0) + 10
        top = 18
        found = [
            f'<svg width="{label + n * side + 10}" height="{top + rows * side + 6}" '
            'font-family="Georgia,serif" font-size="12" role="img" aria-label="Where blocks are">'
        ]
        for k in range(n):
            if side > 12:
                found.append(f'<text x="{label + (k + 0.5) * side}" y="13" text-anchor="middle">{k + 1}</text>')
        for r, (name, cells) in enumerate(zip(self.rows, self.cells, strict=True)):
            y = top + r * side
            if r % every == 0:
                number = f" {r + 1}" if side > 12 and r < n else ""
                found.append(
                    f'<text x="{label - 6}" y="{y + 0.75 * side:g}" text-anchor="end">{escape(name)}{number}</text>'
                )
            for start, stop, sign in _runs(cells, side > 12):
                x, wide = label + start * side, (stop - start) * side
                found.append(
                    f'<rect x="{x}" y="{y}" width="{wide}" height="{side}" fill="{_COLOURS[sign]}" stroke="#fff"/>'
                )
        edge = f'x="{label}" y="{top}" width="{n * side}" height="{rows * side}"'
        found.append(f'<rect {edge} fill="none" stroke="#999"/></svg>')
        return "".join(found)

    # LaTeX -------------------------------------------------------------------------------------------------------

    def latex(self) -> str:
        """Black where a row has a block, framed where there is mass."""
        n, rows = len(self.columns), len(self.rows)
        side = 4.0 if n <= _SPACED else max(0.15, min(100.0 / n, 180.0 / max(rows, 1)))
        named = side >= 2.5
        width, high = n * side, rows * side
        left = 2.2 * max((len(r) for r in self.rows), default=0) if named else 1.0
        corner = rf"({width + left:g},{high + 5:g})(-{left:g},0)"
        found = [
            rf"\begin{{center}}\setlength{{\unitlength}}{{1mm}}\begin{{picture}}{corner}",
            rf"\put(0,0){{\framebox({width:g},{high:g}){{}}}}",
        ]
        for k in range(n if named else 0):
            found.append(rf"\put({k * side:g},{high:g}){{\makebox({side:g},4){{\scriptsize {k + 1}}}}}")
        for r, (name, cells) in enumerate(zip(self.rows, self.cells, strict=True)):
            y = high - (r + 1) * side
            if named:
                number = rf" \scriptsize {r + 1}" if r < n else ""
                words = rf"\footnotesize {tex_text(name)}{number}"
                found.append(rf"\put(-1,{y:g}){{\makebox(0,{side:g})[r]{{{words}}}}}")
            edge = 0.4 if named else 0.0
            for start, stop, sign in _runs(cells, named):
                wide, tall = (stop - start) * side - 2 * edge, side - 2 * edge
                frame = sign == _MASS and named
                box = rf"\framebox({wide:g},{tall:g}){{}}" if frame else rf"\rule{{{wide:g}mm}}{{{tall:g}mm}}"
                found.append(rf"\put({start * side + edge:g},{y + edge:g}){{{box}}}")
        return "\n".join([*found, r"\end{picture}\end{center}"])


def _runs(cells: str, apart: bool = False) -> list[tuple[int, int, str]]:
    """Stretches of one sign: first, behind the last, sign."""
    found: list[tuple[int, int, str]] = []
    for k, c in enumerate(cells):
        if c == _NONE:
            continue
        if not apart and found and found[-1][1] == k and found[-1][2] == c:
            found[-1] = (found[-1][0], k + 1, c)
        else:
            found.append((k, k + 1, c))
    return found


def _coarse(cells: Sequence[str], together: int) -> list[str]:
    lines = []
    for r in range(0, len(cells), together):
        block = cells[r : r + together]
        line = ""
        for k in range(0, len(cells[0]), together):
            signs = {c for row in block for c in row[k : k + together]}
            line += _MASS if _MASS in signs else _ROW if _ROW in signs else _NONE
        lines.append(line)
    return lines
