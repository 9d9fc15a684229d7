"""Point in plane: a ball on a plane."""

from __future__ import annotations

from .joint_kind import JointKind, Symbol
from .rows import HEIGHT, rows

POINT_IN_PLANE = JointKind(
    "point-in-plane",
    "The second point kept in the plane through the first port with normal z.",
    space=rows([HEIGHT]),
    instead="use point-on-line, or make the mechanism spatial",
    anywhere=lambda draw, joint: (draw.over_plane(), draw.anyhow),
    symbol=Symbol.TOUCH,
    axis_does="has its plane across",
)
