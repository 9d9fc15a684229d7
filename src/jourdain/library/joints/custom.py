"""Custom: a joint whose equations are a user's own."""

from __future__ import annotations

from functools import partial

from ...equations.parse import equation
from ...mechanism.parts import Joint
from .. import kinds as k
from ..kinds import Key
from .joint_kind import JointError, JointKind, JointRows
from .rows import rows


def _rows(joint: Joint, dim: int) -> JointRows:
    if not joint.equations:
        raise JointError("equations", "a custom joint needs equations, such as ['dot(N - M, y_i)']")
    found = []
    for n, source in enumerate(joint.equations):
        try:
            scalar = equation(source)
        except (ValueError, TypeError, RecursionError) as error:
            raise JointError(f"equations.{n}", str(error)) from None
        used = {name for pair in scalar.products for name in pair}
        if dim == 2 and (bad := sorted(name for name in used if name.startswith("z_") or name == "e_z")):
            raise JointError(f"equations.{n}", f"equation {n + 1} uses {', '.join(bad)}, which the plane does not have")
        found.append((scalar, f"equation {n + 1}"))
    return rows(found)


CUSTOM = JointKind(
    "custom",
    'A joint of your own: vector equations, as text like `"dot(N - M, y_i)"` or as expressions.',
    plane=partial(_rows, dim=2),
    space=partial(_rows, dim=3),
    keys={"equations": Key(k.NAMES, help="sums of scalar products that are zero", example="dot(N - M, y_i)")},
    written="your own",
)
