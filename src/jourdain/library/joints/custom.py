"""Custom: a joint whose equations are a user's own."""

from __future__ import annotations

from functools import partial

from ...equations.parse import equation
from ...equations.vectors import PORT_AXES, Scalar
from ...mechanism.parts import Joint
from .. import kinds as k
from ..kinds import Key
from .joint_kind import JointError, JointKind, JointRows, Signed
from .rows import rows


def _rows(joint: Joint, dim: int) -> JointRows:
    if not joint.equations:
        raise JointError("equations", "a custom joint needs equations, such as ['dot(N - M, y_i)']")
    found: list[tuple[Scalar, str]] = []
    signs: list[Signed] = []
    for n, source in enumerate(joint.equations):
        try:
            if isinstance(source, str) and ">" in source:
                signs.append(_sign(source))
                continue
            scalar = equation(source)
        except (ValueError, TypeError, RecursionError) as error:
            raise JointError(f"equations.{n}", str(error)) from None
        used = {name for pair in scalar.products for name in pair}
        if dim == 2 and (bad := sorted(name for name in used if name.startswith("z_") or name == "e_z")):
            raise JointError(f"equations.{n}", f"equation {n + 1} uses {', '.join(bad)}, which the plane does not have")
        found.append((scalar, f"equation {n + 1}"))
    if not found:
        raise JointError("equations", "a custom joint needs an equation beside its conditions")
    return rows(found, *signs)


def _sign(source: str) -> Signed:
    """`dot(z_i, z_j) > 0`: two axes that must not point against each other."""
    left, _, right = source.partition(">")
    scalar = equation(left)
    pairs = list(scalar.products.items())
    positive = len(pairs) == 1 and pairs[0][1].constant and pairs[0][1].value > 0 and scalar.free.constant
    if right.strip() not in ("0", "0.0") or not positive or scalar.free.value or not {*pairs[0][0]} <= {*PORT_AXES}:
        raise ValueError(f"'{source}' is no condition; expected a product of two port axes, such as dot(z_i, z_j) > 0")
    return pairs[0][0]


CUSTOM = JointKind(
    "custom",
    'A joint of your own: vector equations, as text like `"dot(N - M, y_i)"` or as expressions.',
    plane=partial(_rows, dim=2),
    space=partial(_rows, dim=3),
    keys={"equations": Key(k.NAMES, help="sums of scalar products that are zero", example="dot(N - M, y_i)")},
    written="your own",
)
