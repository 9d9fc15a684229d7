"""Custom joints that are joints of the catalogue written out: for joint coordinates they are those joints."""

from __future__ import annotations

from dataclasses import replace

from ..equations.vectors import Scalar
from ..mechanism.parts import Blueprint, Joint
from ..mechanism.port_axes import drawn_frame, joint_axes
from .joints import KINDS, JointRows, rows_of


def with_known_types(blueprint: Blueprint) -> Blueprint:
    """Custom joints that are joints of the catalogue written out get their names, and so their joint coordinates."""

    def named(joint: Joint) -> Joint:
        found = _written_out(joint, blueprint.dim) if joint.equations else None
        if found is None:
            return joint
        name, rows = found
        axes = joint_axes(blueprint, joint)
        R = {"i": drawn_frame(blueprint, joint.first.body), "j": drawn_frame(blueprint, joint.second.body)}
        # A custom joint may be drawn the other way round, where the joint of the catalogue is refused.
        drawn_so = all((R["i"] @ axes[a]) @ (R["j"] @ axes[b]) > 0 for a, b in rows.signs)
        return replace(joint, type=name, equations=()) if drawn_so else joint

    if not any(joint.equations for joint in blueprint.joints):
        return blueprint
    return replace(blueprint, joints=tuple(named(joint) for joint in blueprint.joints))


def _written_out(joint: Joint, dim: int) -> tuple[str, JointRows] | None:
    """Name and rows of the kind that these equations are, in any order; None where they are none of ours."""
    try:
        own = rows_of(joint, dim).equations
    except (ValueError, TypeError, RecursionError):
        return None  # told where the mechanism is checked
    for kind in KINDS:
        known = kind.rows(dim)
        if isinstance(known, JointRows) and _same(known.equations, own):
            return kind.name, known
    return None


def _same(known: tuple[Scalar, ...], own: tuple[Scalar, ...]) -> bool:
    return len(known) == len(own) and all(row in known for row in own) and all(row in own for row in known)
