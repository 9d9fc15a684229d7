"""Joint kinds, one file each; `joint_kind.py` says what a kind is. A new one is a file and its line in `KINDS`.

kind_of(joint)      the kind of a joint
symbol_of(joint)    how it is drawn: as its type says, or its kind
rows_of(joint, 2)   its equations in the plane; raises JointError with a sentence where there are none
"""

from __future__ import annotations

from ...mechanism.parts import Joint
from .custom import CUSTOM
from .cylindrical import CYLINDRICAL
from .distance import DISTANCE
from .joint_kind import ANGLE, DISPLACEMENT, JointError, JointKind, JointRows, Pair, Relaxed, Symbol
from .knife_edge import KNIFE_EDGE
from .parallel import PARALLEL
from .perpendicular import PERPENDICULAR
from .planar import PLANAR
from .point_in_plane import POINT_IN_PLANE
from .point_on_circle import POINT_ON_CIRCLE
from .point_on_line import POINT_ON_LINE
from .prismatic import PRISMATIC
from .revolute import REVOLUTE
from .rolling_disc import ROLLING_DISC
from .screw import SCREW
from .spherical import SPHERICAL
from .universal import UNIVERSAL
from .weld import WELD
from .wheel import WHEEL

__all__ = [
    "ANGLE",
    "BY_NAME",
    "DISPLACEMENT",
    "KINDS",
    "JointError",
    "JointKind",
    "JointRows",
    "Pair",
    "Relaxed",
    "Symbol",
    "kind_of",
    "rows_of",
    "symbol_of",
]

KINDS: tuple[JointKind, ...] = (
    REVOLUTE,
    CYLINDRICAL,
    PRISMATIC,
    SPHERICAL,
    UNIVERSAL,
    PLANAR,
    WELD,
    POINT_ON_LINE,
    POINT_IN_PLANE,
    POINT_ON_CIRCLE,
    PARALLEL,
    PERPENDICULAR,
    DISTANCE,
    CUSTOM,
    KNIFE_EDGE,
    WHEEL,
    ROLLING_DISC,
    SCREW,
)
BY_NAME: dict[str, JointKind] = {kind.name: kind for kind in KINDS}
_NONE = JointKind("", "A joint of a type that does not exist: it has nothing, and `rows_of` says so.")


def kind_of(joint: Joint) -> JointKind:
    """The kind of a joint; one without coordinates, equations and symbol where the type does not exist."""
    return BY_NAME.get(joint.type, _NONE)


def symbol_of(joint: Joint) -> Symbol:
    """How a joint is drawn."""
    return Symbol(joint.symbol) if joint.symbol else kind_of(joint).symbol


def rows_of(joint: Joint, dim: int) -> JointRows:
    """The equations of a joint. Raises JointError with a sentence where there are none."""
    kind = kind_of(joint)
    if kind is _NONE:
        raise JointError("type", f"unknown joint type '{joint.type}'; known: {', '.join(sorted(BY_NAME))}")
    found = kind.rows(dim)
    if found is None:
        raise JointError(
            "type", f"there is no {kind.name} joint in the {'plane' if dim == 2 else 'space'}; {kind.instead}"
        )
    for key in joint.values:
        if key not in kind.keys:
            raise ValueError(
                f"{key} does nothing in a {kind.name} joint; it has {', '.join(kind.keys) or 'no numbers'}"
            )
    return found if isinstance(found, JointRows) else found(joint)
