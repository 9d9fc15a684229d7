"""The figures that are handed out: Matplotlib's, which a notebook shows by themselves.

This module is imported when something is drawn, and Matplotlib with it.
"""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from .cards import png


class Picture(Figure):
    """A figure made without pyplot, so that nothing stays behind in a global list and no display is needed."""

    def _repr_png_(self) -> bytes:
        return png(self)


def picture(**how: Any) -> Any:
    """An empty one."""
    return Picture(**how)
