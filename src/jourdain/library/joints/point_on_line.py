"""Point on line: a pin in a slot, a ball in a tube."""

from __future__ import annotations

from .joint_kind import DISPLACEMENT, JointKind, Pair, Symbol
from .rows import ACROSS, LINE, rows

POINT_ON_LINE = JointKind(
    "point-on-line",
    "The second point kept on the line through the first port along x (plane) or z (space).",
    plane=rows([ACROSS]),
    space=rows(LINE),
    coordinates=(DISPLACEMENT,),
    anywhere=lambda draw, joint: (draw.along(), draw.anyhow),
    pair=Pair.SLOT,
    symbol=Symbol.SLOT,
    axis_does="has its line along",
)
